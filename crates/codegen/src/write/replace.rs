//! REPLACE: the row that conflicts with a new one is deleted.

use lithe_catalog::Result;
use lithe_optimize::write::foreign_keys::ForeignKeys;
use lithe_optimize::write::replace::Replaced;
use lithe_optimize::write::triggers::Triggers;
use lithe_resolve::ChangeTarget;
use lithe_sql::ast;
use lithe_vm::insn::{Insn, delete_flags};
use lithe_vm::operand::Addr;

use super::index::emit_delete_entries;
use super::row::{Row, RowChange, emit_old_row};
use super::target::Target;
use super::{fire, foreign_key};
use crate::{Codegen, ColumnAccess};

/// What the deletion of a row by a REPLACE entails.
#[derive(Clone, Copy)]
pub(super) struct Effects<'c, 'a> {
    triggers: &'c Triggers<'a>,
    keys: &'c ForeignKeys<'a>,
}

impl<'c, 'a> Effects<'c, 'a> {
    /// The effects of the plan. If an error `is_known`, SQLite reports one of the foreign keys in its place, but none of a trigger.
    pub fn of(replaced: &'c Replaced<'a>, none: &'c Triggers<'a>, is_known: bool) -> Result<Effects<'c, 'a>> {
        let triggers = if is_known { none } else { &replaced.triggers };
        Ok(Effects { triggers, keys: replaced.keys()? })
    }
}

/// Reports errors in the deletion of a row by a REPLACE that has nothing to delete. `row` is the access of the target's source.
/// The code for ON DELETE is compiled, and jumped over.
pub(super) fn check_replace<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    effects: Effects<'_, 'a>,
    row: Row,
) -> Result<()> {
    if effects.triggers.is_empty() && effects.keys.is_empty() {
        return Ok(());
    }
    let behind = cg.b.label();
    cg.b.emit(Insn::Goto { target: behind });
    cg.set_access(target.source, ColumnAccess::Table { cursor: target.cursor, table: target.table });
    emit_replace_row(cg, target, effects, false, true)?;
    cg.set_access(target.source, row.access());
    cg.b.place(behind);
    Ok(())
}

/// Deletes the row under the table's cursor, which conflicts with a new one and is the access of the target's source. With
/// `is_overwritten` the new row has the same rowid, or the same primary key in a WITHOUT ROWID table, and replaces the old one.
/// Within an UPDATE (`is_update`) no trigger may change the table, because the updated row must keep its place. Returns whether
/// triggers or foreign keys are involved.
pub(super) fn emit_replace_row<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    effects: Effects<'_, 'a>,
    is_overwritten: bool,
    is_update: bool,
) -> Result<bool> {
    let Effects { triggers, keys } = effects;
    // As in SQLite, a row of a WITHOUT ROWID table with further indexes goes, and comes again: pages are written even if the row is the same and
    // none of the indexes has it.
    let mut others = target.indexes.iter().filter(|index| !index.is_table).peekable();
    let is_deleted =
        others.peek().is_some() && target.table.is_without_rowid() && others.all(|index| index.index.filter.is_some());
    if is_overwritten && !is_deleted && triggers.is_empty() && keys.is_empty() {
        if target.indexes.iter().any(|index| !index.is_table) {
            cg.journal.note_more_changes();
        }
        super::preupdate::emit_delete(cg, target);
        emit_delete_entries(cg, target, |_| true)?;
        return Ok(false);
    }
    cg.journal.note_more_changes();
    let is_gone = cg.b.label();
    if triggers.is_empty() && keys.is_empty() {
        emit_delete_entries(cg, target, |_| true)?;
        super::preupdate::emit_delete(cg, target);
        cg.b.emit(Insn::Delete { flags: delete_flags::AUXILIARY, cursor: target.cursor });
    } else {
        let cursor = target.cursor;
        let is_locked = is_update && !triggers.is_empty();
        if is_locked {
            cg.journal.note_may_abort();
            cg.b.emit(Insn::CursorLock { cursor });
        }
        emit_watched_replace(cg, target, effects, is_gone, is_locked)?;
        cg.b.place(is_gone);
        if is_locked {
            cg.b.emit(Insn::CursorUnlock { cursor });
        }
        return Ok(true);
    }
    cg.b.place(is_gone);
    Ok(false)
}

/// As [`emit_replace_row`], if triggers or foreign keys are involved.
fn emit_watched_replace<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    Effects { triggers, keys }: Effects<'_, 'a>,
    is_gone: Addr,
    is_locked: bool,
) -> Result<()> {
    let key = cg.b.registers(target.key_width());
    target.emit_key(cg, key)?;
    let old = emit_old_row(cg, target, key)?;
    let deleted = ChangeTarget { db: target.db, table: target.table, view_columns: &[], source: target.source };
    let policy = Some(ast::Conflict::Replace);
    let change = RowChange { target: &deleted, old: Some(old), new: None, policy, ignore: is_gone };
    if triggers.has_before() {
        fire::before(cg, triggers, &change)?;
        target.seek(cg, key, is_gone);
    }
    foreign_key::check_old(cg, keys, target, old)?;
    cg.set_access(target.source, ColumnAccess::Table { cursor: target.cursor, table: target.table });
    emit_delete_entries(cg, target, |_| true)?;
    super::preupdate::emit_delete(cg, target);
    let flags = if is_locked { delete_flags::OF_LOCKED } else { 0 };
    cg.b.emit(Insn::Delete { flags, cursor: target.cursor });
    foreign_key::act(cg, keys, &change)?;
    fire::after(cg, triggers, &change, |_| Ok(()))
}
