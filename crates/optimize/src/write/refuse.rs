//! Statements that are refused because their table cannot be changed.

use lithe_catalog::{FoundTable, FoundTrigger, NameBuf, Result, Table, TableKind, TriggerEvent, fail};
use lithe_format::PageNo;
use lithe_resolve::{ChangeTarget, Resolver, Scope};
use lithe_sql::ast::{self, QualifiedName};

use super::triggers::{Event, Triggers, enabled};

/// Refuses to change a table or view that cannot be changed. For a view that has any trigger, RETURNING counts as one:
/// SQLite then returns the rows and changes nothing.
pub(super) fn read_only<'a>(
    resolver: &Resolver<'a>,
    target: &ChangeTarget<'a>,
    triggers: &Triggers<'a>,
    has_returning: bool,
) -> Result<()> {
    let table = target.table;
    if table.virtual_table().is_some() && !table.connected().is_some_and(|connected| connected.is_writable) {
        return fail(format!("table {} may not be modified", table.name));
    }
    let is_schema = table.root == Some(PageNo::FIRST) && !resolver.env.flags.may_write_schema();
    if is_schema || resolver.env.shadow_tables.protects(table.name.name()) {
        return fail(format!("table {} may not be modified", table.name));
    }
    let returns = has_returning && Triggers::exist(resolver, target);
    if table.view().is_some() && !triggers.has_instead() && !returns {
        return fail(format!("cannot modify {} because it is a view", table.name));
    }
    Ok(())
}

/// Refuses to change a view that has no triggers for it, or a table that must not be changed, before any other error of the statement
/// is reported.
pub(super) fn early<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    name: QualifiedName<'a>,
    event: Event<'_, 'a>,
    has_returning: bool,
) -> Result<()> {
    let FoundTable { db, table } = resolver.find_table(base, name)?;
    if is_ordinary(table) {
        return Ok(());
    }
    let target = resolver.target_at(db, table)?;
    let answer = read_only(resolver, &target, &Triggers::of(resolver, &target, event), has_returning);
    if answer.is_err() && matches!(event, Event::Insert) {
        resolver.authorize_insert(base, &target)?;
    }
    answer
}

/// As [`early`], for an UPDATE, whose triggers depend on its columns.
pub(super) fn update_early<'a>(resolver: &Resolver<'a>, base: &Scope<'_, 'a>, update: &ast::Update<'a>) -> Result<()> {
    let FoundTable { db, table } = resolver.find_table(base, update.table)?;
    if is_ordinary(table) {
        return Ok(());
    }
    let target = resolver.target_at(db, table)?;
    let assigns = |column: &NameBuf| update.set.iter().any(|set| set.columns.iter().any(|named| *column == named.name));
    let fires = |found: FoundTrigger<'_>| match &found.trigger.event {
        TriggerEvent::Update(columns) => columns.is_empty() || columns.iter().any(assigns),
        TriggerEvent::Insert | TriggerEvent::Delete => false,
    };
    if table.view().is_some() && enabled(resolver, db, table).any(fires) {
        return Ok(());
    }
    let triggers = Triggers::of(resolver, &target, Event::Update(&[]));
    read_only(resolver, &target, &triggers, !update.returning.is_empty())
}

/// Whether the table is an ordinary one other than the schema table. If it cannot be changed, that is reported when the
/// statement is resolved.
fn is_ordinary(table: &Table) -> bool {
    table.kind == TableKind::Ordinary && table.root != Some(PageNo::FIRST)
}
