//! DELETE, and the deletions of REPLACE.

use lithe_catalog::{CompileError, FoundTable, Index, Result};
use lithe_optimize::change::Passes;
use lithe_resolve::ir::OutputColumn;
use lithe_resolve::{ChangeTarget, Found, ResolvedChange, Scope};
use lithe_sql::ast::{self, Stmt};
use lithe_vm::insn::{Insn, delete_flags};
use lithe_vm::operand::{Addr, Reg};

use super::change_loop::ChangeLoop;
use super::fire::{Event, Firing, Triggers};
use super::foreign_key::{Change, ForeignKeys, quoted};
use super::index::emit_delete_entries;
use super::returning::Rows as ReturningRows;
use super::row::Row;
use super::target::{Target, prepare_target};
use crate::{Codegen, ColumnAccess};

/// Code for a DELETE that stands in `base`. Gives the columns of RETURNING.
pub(crate) fn delete<'a>(
    cg: &mut Codegen<'a>,
    base: &Scope<'_, 'a>,
    delete: &ast::Delete<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    super::target::refuse_early(cg, base, delete.table, Event::Delete, !delete.returning.is_empty())?;
    let change = cg.resolver.delete(base, delete)?;
    let triggers = Triggers::of(cg, &change.target, Event::Delete);
    super::target::refuse_read_only(cg, &change.target, &triggers, change.returning.is_some())?;
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
        cg.note_more_changes();
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
        cg.note_more_changes();
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
    cg.use_database(db, true);
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

/// All columns of the row under the table's cursor, in registers: OLD of triggers.
pub(super) fn emit_old_row<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: Reg) -> Result<Row> {
    let width = target.table.columns.len();
    let row = Row::new(cg, width);
    if target.table.has_rowid() {
        cg.b.emit(Insn::Copy { src: key, dst: row.rowid, count: 1 });
    }
    for at in 0..width as u16 {
        if target.table.rowid_column != Some(at) {
            let value = cg.resolver.table_column(target.source, target.table, at);
            cg.emit_into(&value, row.column(at))?;
        }
    }
    Ok(row)
}

/// Finds what is wrong with the deletion of a row by a REPLACE that has nothing to delete. `row` is the access of the target's source.
/// What ON DELETE does is compiled, and jumped over.
pub(super) fn check_replace<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, row: Row) -> Result<()> {
    let (_, triggers, keys) = watchers_of_replace(cg, target)?;
    if triggers.is_empty() && keys.is_empty() {
        return Ok(());
    }
    let behind = cg.b.label();
    cg.b.emit(Insn::Goto { target: behind });
    cg.set_access(target.source, ColumnAccess::Table { cursor: target.cursor, table: target.table });
    emit_replace_row(cg, target, false, true)?;
    cg.set_access(target.source, row.access());
    cg.b.place(behind);
    Ok(())
}

/// The error about foreign keys of a row that REPLACE would delete, or `error`, which SQLite has found before: it tells the last one.
pub(super) fn error_of_replace<'a>(cg: &Codegen<'a>, target: &ChangeTarget<'a>, error: CompileError) -> CompileError {
    ForeignKeys::of(cg, target, Change::Delete).err().unwrap_or(error)
}

/// DELETE triggers fire only if triggers are recursive.
fn watchers_of_replace<'a>(
    cg: &Codegen<'a>,
    target: &Target<'a>,
) -> Result<(ChangeTarget<'a>, Triggers<'a>, ForeignKeys<'a>)> {
    let change = ChangeTarget { db: target.db, table: target.table, view_columns: &[], source: target.source };
    let triggers =
        if cg.env.flags.recursive_triggers { Triggers::of(cg, &change, Event::Delete) } else { Triggers::none() };
    let keys = ForeignKeys::of(cg, &change, Change::Delete)?;
    Ok((change, triggers, keys))
}

/// Deletes the row under the table's cursor, which is in the way of a new one and is the access of the target's source.
/// With `is_overwritten` the new row has the same rowid and takes the old one's place. Within an UPDATE (`is_update`) no
/// trigger may change the table: the row that is being updated has to stay where it is. Gives whether anybody watches.
pub(super) fn emit_replace_row<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    is_overwritten: bool,
    is_update: bool,
) -> Result<bool> {
    let (change, triggers, keys) = watchers_of_replace(cg, target)?;
    if is_overwritten && triggers.is_empty() && keys.is_empty() {
        if target.indexes.iter().any(|index| !index.is_table) {
            cg.note_more_changes();
        }
        super::preupdate::emit_delete(cg, target)?;
        emit_delete_entries(cg, target, |_| true)?;
        return Ok(false);
    }
    cg.note_more_changes();
    let is_gone = cg.b.label();
    if triggers.is_empty() && keys.is_empty() {
        emit_delete_entries(cg, target, |_| true)?;
        super::preupdate::emit_delete(cg, target)?;
        cg.b.emit(Insn::Delete { flags: delete_flags::AUXILIARY, cursor: target.cursor });
    } else {
        let cursor = target.cursor;
        let is_locked = is_update && !triggers.is_empty();
        if is_locked {
            cg.note_may_abort();
            cg.b.emit(Insn::CursorLock { cursor });
        }
        let watchers = (&triggers, &keys);
        emit_watched_replace(cg, target, &change, watchers, is_gone, is_locked)?;
        cg.b.place(is_gone);
        if is_locked {
            cg.b.emit(Insn::CursorUnlock { cursor });
        }
        return Ok(true);
    }
    cg.b.place(is_gone);
    Ok(false)
}

/// As [`emit_replace_row`], where triggers or foreign keys are concerned.
fn emit_watched_replace<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    change: &ChangeTarget<'a>,
    (triggers, keys): (&Triggers<'a>, &ForeignKeys<'a>),
    is_gone: Addr,
    is_locked: bool,
) -> Result<()> {
    let key = cg.b.registers(target.key_width());
    target.emit_key(cg, key)?;
    let old = emit_old_row(cg, target, key)?;
    let firing = Firing { policy: Some(ast::Conflict::Replace), ignore: is_gone };
    if triggers.has_before() {
        triggers.fire_before(cg, change, Some(old), None, firing)?;
        target.seek(cg, key, is_gone);
    }
    keys.check_old(cg, target, old)?;
    cg.set_access(target.source, ColumnAccess::Table { cursor: target.cursor, table: target.table });
    emit_delete_entries(cg, target, |_| true)?;
    super::preupdate::emit_delete(cg, target)?;
    let flags = if is_locked { delete_flags::OF_LOCKED } else { 0 };
    cg.b.emit(Insn::Delete { flags, cursor: target.cursor });
    keys.act(cg, change, old, None, firing)?;
    triggers.fire_after(cg, change, Some(old), None, firing, |_| Ok(()))
}
