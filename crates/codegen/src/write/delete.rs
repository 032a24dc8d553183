//! DELETE.

use lithe_catalog::{FoundTable, Index, Result};
use lithe_optimize::write::delete::{DeletePlan, DeleteRows, plan_of_dropped};
use lithe_resolve::ir::OutputColumn;
use lithe_resolve::{ChangeTarget, Found, ResolvedChange, Scope};
use lithe_sql::ast::{self, Ident, Indexed, Name, QualifiedName, Quote, Span};
use lithe_vm::insn::{Insn, delete_flags};

use super::change_loop::ChangeLoop;
use super::fire;
use super::foreign_key;
use super::index::emit_delete_entries;
use super::returning::{Rows as ReturningRows, emit_row as emit_returning};
use super::row::{RowChange, emit_old_row};
use super::target::Target;
use crate::Codegen;

/// Emits a DELETE. Returns the columns of RETURNING.
pub(crate) fn delete<'a>(
    cg: &mut Codegen<'a>,
    change: &'a ResolvedChange<'a>,
    plan: &DeletePlan<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    let counted = super::begin_row_count(cg, "rows deleted", change.returning.is_some());
    emit(cg, change, plan)?;
    Ok(change.returning.map_or(counted, |returning| returning.columns))
}

/// Deletes the rows of a table that is about to be dropped, for the sake of foreign keys only: no triggers fire, and keys that
/// are malformed are ignored. Returns the column of the count under PRAGMA count_changes.
pub(crate) fn delete_rows_of_dropped<'a>(
    cg: &mut Codegen<'a>,
    found: FoundTable<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    let ident = |name: Name<'a>| Ident::new(name, Span::default(), Quote::None);
    let database = ident(cg.env.catalog.database_name(found.db).name());
    let delete = ast::Delete {
        with: None,
        table: QualifiedName { schema: Some(database), name: ident(found.table.name.name()) },
        alias: None,
        indexed: Indexed::Any,
        filter: None,
        returning: &[],
        limited: None,
    };
    let names = Found::default();
    let change = cg.resolver.delete(&Scope::outermost(b"", &names), &delete)?;
    cg.write.drops_rows = true;
    let plan = plan_of_dropped(&mut cg.planner, change)?;
    let counted = super::begin_row_count(cg, "rows deleted", false);
    emit(cg, change, &plan)?;
    Ok(counted)
}

fn emit<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>, plan: &DeletePlan<'a>) -> Result<()> {
    match plan {
        DeletePlan::All => delete_all(cg, &change.target),
        DeletePlan::Rows(plan) => delete_rows(cg, change, plan),
        DeletePlan::View(plan) => super::view::change(cg, change, plan),
        DeletePlan::Virtual(plan) => super::virtual_table::change(cg, change, plan),
    }
}

fn delete_rows<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>, plan: &DeleteRows<'a>) -> Result<()> {
    if plan.changes_more_than_once {
        cg.journal.note_more_changes();
    }
    let returning = ReturningRows::open(cg, change.returning, false)?;
    let mut target = Target::new(cg, &plan.table)?;
    let rows = ChangeLoop::begin(cg, change, &mut target, &plan.rows)?;
    cg.in_loop(|cg| delete_row(cg, change, plan, &target, &rows, returning.as_ref()))?;
    rows.end(cg)?;
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// Deletes the row under the table's cursor.
fn delete_row<'a>(
    cg: &mut Codegen<'a>,
    change: &ResolvedChange<'a>,
    plan: &DeleteRows<'a>,
    target: &Target<'a>,
    rows: &ChangeLoop<'a>,
    returning: Option<&ReturningRows<'a>>,
) -> Result<()> {
    let needs_old = plan.is_watched() || returning.is_some();
    let old = if needs_old { Some(emit_old_row(cg, target, rows.key)?) } else { None };
    // A DELETE has no policy, and does not pass on that of an outer statement.
    let row_change = RowChange { target: &change.target, old, new: None, policy: None, ignore: rows.next };
    fire::compile(cg, &plan.triggers, &row_change)?;
    if plan.triggers.has_before() {
        fire::before(cg, &plan.triggers, &row_change)?;
        target.seek(cg, rows.key, rows.next);
    }
    if let Some(old) = old {
        foreign_key::check_old(cg, &plan.keys, target, old)?;
    }
    // The entry under the scan's cursor is deleted in place, after its row.
    let is_scanned = |index: &Index| rows.scanned.is_some_and(|(scanned, _)| std::ptr::eq(scanned, index));
    emit_delete_entries(cg, target, |at| !is_scanned(target.indexes[at].index))?;
    super::preupdate::emit_delete(cg, target);
    let position = if rows.is_one_pass { delete_flags::SAVE_POSITION } else { 0 };
    cg.b.emit(Insn::Delete { flags: delete_flags::COUNT_CHANGE | position, cursor: target.cursor });
    if let Some((_, cursor)) = rows.scanned {
        cg.b.emit(Insn::Delete { flags: delete_flags::AUXILIARY | delete_flags::SAVE_POSITION, cursor });
    }
    if old.is_some() {
        foreign_key::act(cg, &plan.keys, &row_change)?;
    }
    fire::after(cg, &plan.triggers, &row_change, |cg| {
        let Some(old) = old else { return Ok(()) };
        let table = cg.set_access(target.source, old.access());
        emit_returning(cg, returning, plan.returning.as_ref())?;
        cg.set_access(target.source, table.expect("the row was read from the table"));
        Ok(())
    })
}

/// DELETE without WHERE, if nothing reads the rows: the trees are emptied.
fn delete_all<'a>(cg: &mut Codegen<'a>, target: &ChangeTarget<'a>) -> Result<()> {
    let (db, table) = (target.db, target.table);
    cg.transactions.use_database(db, true);
    if let Some(dst) = cg.row_count() {
        let cursor = cg.open_table(db, table)?;
        cg.b.emit(Insn::Count { cursor, dst });
        cg.b.emit(Insn::Close { cursor });
    }
    let cursor = cg.table_cursor(db, table)?;
    cg.b.emit(Insn::ClearTree { count_changes: 1, cursor });
    for index in table.indexes.iter().filter(|index| index.root != table.root) {
        let cursor = cg.index_tree(db, index)?;
        cg.b.emit(Insn::ClearTree { count_changes: 0, cursor });
    }
    super::finish_statement(cg, None);
    Ok(())
}
