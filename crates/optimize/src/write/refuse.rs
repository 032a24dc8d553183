//! Statements that are refused because their table cannot be changed.

use lithe_catalog::{FoundTable, Result, Table, TableKind, fail};
use lithe_format::PageNo;
use lithe_resolve::{ChangeTarget, Resolver, Scope};
use lithe_sql::ast::{self, QualifiedName};

use super::triggers::{Event, Triggers};

/// Refuses to change what cannot be changed. RETURNING counts as a trigger for a view that has triggers of any kind: SQLite
/// gives the rows then, and changes nothing.
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

/// Refuses to change a view that has no triggers for it, or a table that must not be changed, before anything else about the statement
/// is found wrong.
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
    read_only(resolver, &target, &Triggers::of(resolver, &target, event), has_returning)
}

/// As [`early`], of an UPDATE: which triggers it has is known when its columns are.
pub(super) fn update_early<'a>(resolver: &Resolver<'a>, base: &Scope<'_, 'a>, update: &ast::Update<'a>) -> Result<()> {
    let FoundTable { db, table } = resolver.find_table(base, update.table)?;
    if is_ordinary(table) {
        return Ok(());
    }
    let target = resolver.target_at(db, table)?;
    if table.view().is_some() && Triggers::exist(resolver, &target) {
        return Ok(());
    }
    let triggers = Triggers::of(resolver, &target, Event::Update(&[]));
    read_only(resolver, &target, &triggers, !update.returning.is_empty())
}

/// An ordinary table other than the schema table: what forbids to change it is found when the statement is resolved.
fn is_ordinary(table: &Table) -> bool {
    table.kind == TableKind::Ordinary && table.root != Some(PageNo::FIRST)
}
