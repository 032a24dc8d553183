//! DELETE, and the deletions of REPLACE.

use lithe_catalog::{FoundTable, Index, Result};
use lithe_optimize::change::Passes;
use lithe_resolve::ir::OutputColumn;
use lithe_resolve::{ChangeTarget, Found, ResolvedChange, Scope};
use lithe_sql::ast::{self, Stmt};
use lithe_vm::insn::{Insn, delete_flags};

use super::change_loop::ChangeLoop;
use super::fire::{Event, Firing, Triggers};
use super::foreign_key::{Change, ForeignKeys, quoted};
use super::index::emit_delete_entries;
use super::refuse;
use super::returning::Rows as ReturningRows;
use super::row::emit_old_row;
use super::target::prepare_target;
use crate::Codegen;

/// Code for a DELETE that stands in `base`. Gives the columns of RETURNING.
pub(crate) fn delete<'a>(
    cg: &mut Codegen<'a>,
    base: &Scope<'_, 'a>,
    delete: &ast::Delete<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    refuse::early(cg, base, delete.table, Event::Delete, !delete.returning.is_empty())?;
    let change = cg.resolver.delete(base, delete)?;
    let triggers = Triggers::of(cg, &change.target, Event::Delete);
    refuse::read_only(cg, &change.target, &triggers, change.returning.is_some())?;
    let change = super::prepare::change(cg, change);
    let counted = super::begin_row_count(cg, "rows deleted", change.returning.is_some());
    if change.target.table.view().is_some() {
        super::view::change(cg, &change, &triggers)?;
    } else if let Some(connected) = change.target.table.connected() {
        super::virtual_table::change(cg, &change, connected)?;
    } else {
        let keys = ForeignKeys::of(cg, &change.target, Change::Delete)?;
        delete_rows(cg, &change, &triggers, &keys)?;
    }
    Ok(change.returning.map_or(counted, |returning| returning.columns))
}

/// The rows of a table that is about to be dropped, as far as foreign keys are concerned: no triggers fire, and keys that do
/// not fit are none.
pub(crate) fn delete_rows_of_dropped<'a>(cg: &mut Codegen<'a>, found: FoundTable<'a>) -> Result<()> {
    let database = quoted(cg.env.catalog.database_name(found.db).name());
    let text = format!("DELETE FROM {database}.{}", quoted(found.table.name.name()));
    let text = cg.arena.alloc_slice_copy(text.as_bytes());
    let names = Found::default();
    let Stmt::Delete(delete) = cg.resolver.parse_stored(text)? else {
        unreachable!("the text is a DELETE");
    };
    let change = cg.resolver.delete(&Scope::outermost(text, &names), delete)?;
    cg.write.drops_rows = true;
    let keys = ForeignKeys::of_dropped(cg, &change.target);
    delete_rows(cg, &change, &Triggers::none(), &keys)
}

fn delete_rows<'a>(
    cg: &mut Codegen<'a>,
    change: &ResolvedChange<'a>,
    triggers: &Triggers<'a>,
    keys: &ForeignKeys<'a>,
) -> Result<()> {
    let is_watched = !triggers.is_empty() || !keys.is_empty();
    let one_by_one = cg.resolver.delete_one_by_one.get();
    let is_told = cg.env.flags.preupdate_hook;
    if change.terms.is_empty() && change.returning.is_none() && !is_watched && !is_told && !one_by_one {
        return delete_all(cg, &change.target);
    }
    if !keys.is_empty() {
        cg.journal.note_more_changes();
    }
    let returning = ReturningRows::open(cg, change.returning, false)?;
    let mut target = prepare_target(cg, &change.target, |_| true)?;
    let passes = match () {
        () if is_watched => Passes::Two,
        () if returning.is_some() => Passes::OneIfInOrder,
        () => Passes::OneIfPossible,
    };
    let rows = ChangeLoop::begin(cg, change, &mut target, passes, &[], |_| true)?;
    if !rows.is_single {
        cg.journal.note_more_changes();
    }
    cg.in_loop(|cg| {
        let needs_old = is_watched || returning.is_some();
        let old = if needs_old { Some(emit_old_row(cg, &target, rows.key)?) } else { None };
        // A DELETE has no policy, and does not hand that of an outer statement on.
        let firing = Firing { policy: None, ignore: rows.next };
        triggers.compile(cg, &change.target, old, None, firing)?;
        if triggers.has_before() {
            triggers.fire_before(cg, &change.target, old, None, firing)?;
            target.seek(cg, rows.key, rows.next);
        }
        if let Some(old) = old {
            keys.check_old(cg, &target, old)?;
        }
        // The scan stands on the entry of one index already, which is deleted where it stands, behind the row that it leads to.
        let is_scanned = |index: &Index| rows.scanned.is_some_and(|(scanned, _)| std::ptr::eq(scanned, index));
        emit_delete_entries(cg, &target, |index| !is_scanned(index.index))?;
        super::preupdate::emit_delete(cg, &target)?;
        let position = if rows.is_one_pass { delete_flags::SAVE_POSITION } else { 0 };
        cg.b.emit(Insn::Delete { flags: delete_flags::COUNT_CHANGE | position, cursor: target.cursor });
        if let Some((_, cursor)) = rows.scanned {
            cg.b.emit(Insn::Delete { flags: delete_flags::AUXILIARY | delete_flags::SAVE_POSITION, cursor });
        }
        if let Some(old) = old {
            keys.act(cg, &change.target, old, None, firing)?;
        }
        triggers.fire_after(cg, &change.target, old, None, firing, |cg| {
            let (Some(returning), Some(old)) = (&returning, old) else { return Ok(()) };
            let table = cg.set_access(target.source, old.access());
            returning.emit_row(cg)?;
            cg.set_access(target.source, table.expect("the row was read from the table"));
            Ok(())
        })
    })?;
    rows.end(cg)?;
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// DELETE without WHERE, and nobody who wants to see the rows: the trees are emptied.
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
