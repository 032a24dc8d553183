//! Unique keys: rowids and the keys of unique indexes, and the resolution of conflicts.
//!
//! The plan says what is checked, in which order, and how a conflict is resolved (`lithe_optimize::write::unique`).
//!
//! Triggers and foreign key actions of the rows that REPLACE deletes may insert other rows with the same keys. So all constraints are
//! checked a second time if such a row was deleted, the rowid first, and then a conflict is an error.

use std::sync::Arc;

use lithe_catalog::{IndexColumn, IndexTerm, Result};
use lithe_optimize::write::replace::Replaced;
use lithe_optimize::write::table::WrittenIndex;
use lithe_optimize::write::triggers::Triggers;
use lithe_optimize::write::unique::{OnConflict, UniqueCheck, UniqueKey, UniquePlan};
use lithe_resolve::ir::Coll;
use lithe_sql::ast::Conflict;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::constraint::{Checked, emit_failure};
use super::index::{NewEntry, emit_new_entry};
use super::replace::{Effects, check_replace, emit_replace_row};
use super::target::Target;
use crate::derived::{rowid_failure, unique_failure};
use crate::{Codegen, ColumnAccess};

/// A row whose unique keys are checked.
pub(super) struct Uniqueness<'c, 'a> {
    /// The row.
    pub checked: Checked<'c, 'a>,
    /// The planned checks.
    pub plan: &'c UniquePlan,
    /// The triggers and foreign keys for the deletion of a conflicting row.
    pub replaced: Option<&'c Replaced<'a>>,
    /// The key of the row that an UPDATE changes: the row does not conflict with itself.
    pub old_key: Option<Reg>,
    /// The affinities of the columns must still be applied to the values before entries of indexes are built from them. After a
    /// conflict of the rowid `excluded` has the values without them.
    pub affinity_waits: bool,
    /// Whether an error has been found already.
    pub is_wrong: bool,
    /// Emits the update of an ON CONFLICT clause, which begins with the table's cursor on the conflicting row.
    pub update: &'c EmitUpdate<'c, 'a>,
}

/// Emits the update of the ON CONFLICT clause at this position, where a check has found the conflict.
pub(super) type EmitUpdate<'c, 'a> = dyn Fn(&mut Codegen<'a>, usize) -> Result<()> + 'c;

/// The results of the checks.
pub(super) struct Unique {
    /// The new entries, by the position of the index in the target. `None`: the index keeps its entry.
    pub entries: Vec<Option<NewEntry>>,
    /// Rows may have been deleted: cursors have lost their positions.
    pub replaces: bool,
    /// The table's cursor is where the row goes.
    pub is_sought: bool,
    /// Counts the rows deleted for the new one whose triggers or foreign keys may have inserted other rows.
    watched: Option<Reg>,
    /// Whether there is such a row.
    is_watched: bool,
}

impl Unique {
    /// After a REPLACE of the row that conflicts in `key`: if that was sought in another B-tree than the table's, the table's cursor was moved
    /// to the row, so that it is not where the new row goes. (The cursors through which entries or rows are deleted forget their seeks.)
    fn row_was_moved(&mut self, target: &Target<'_>, key: UniqueKey) {
        let UniqueKey::Index(at) = key else { return };
        if target.indexes[at].is_table {
            return;
        }
        self.is_sought = false;
        for (entry, index) in self.entries.iter_mut().zip(target.indexes) {
            if let (Some(entry), true) = (entry, index.is_table) {
                entry.is_sought = false;
            }
        }
    }
}

/// Emits all checks, and builds the entries of the indexes. The row must be the access of the target's source.
pub(super) fn emit_unique<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>) -> Result<Unique> {
    let target = unique.checked.target;
    let watched = unique.plan.counts_replaced.then(|| {
        let counter = cg.b.register();
        cg.b.emit(Insn::Integer { value: 0, dst: counter });
        counter
    });
    let entries = vec![None; target.indexes.len()];
    let mut done = Unique { entries, replaces: false, is_sought: false, watched, is_watched: false };
    let mut types_wait = super::row::checks_types_late(target.table);
    let mut affinity_waits = unique.affinity_waits;
    for check in &unique.plan.checks {
        if affinity_waits && check.key != UniqueKey::Rowid {
            super::row::emit_affinity(cg, target.table, unique.checked.row, |_| true);
            affinity_waits = false;
        }
        if types_wait && check.key != UniqueKey::Rowid {
            super::row::emit_type_check(cg, target, unique.checked.row);
            types_wait = false;
        }
        match check.key {
            UniqueKey::Rowid => emit_rowid_check(cg, unique, check, &mut done)?,
            UniqueKey::Index(at) => emit_index_check(cg, unique, (check, at), &mut done)?,
        }
    }
    if types_wait {
        super::row::emit_type_check(cg, target, unique.checked.row);
    }
    if done.replaces {
        emit_recheck(cg, unique, &done);
        if unique.old_key.is_some() {
            done.entries.iter_mut().flatten().for_each(|entry| entry.is_sought = false);
        }
    }
    Ok(done)
}

fn emit_rowid_check<'a>(
    cg: &mut Codegen<'a>,
    unique: &Uniqueness<'_, 'a>,
    check: &UniqueCheck,
    done: &mut Unique,
) -> Result<()> {
    let Checked { target, row, .. } = unique.checked;
    let is_new = cg.b.label();
    if let Some(old) = unique.old_key {
        let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
        cg.b.emit(Insn::Eq { flags, collation, lhs: row.rowid, rhs: old, target: is_new });
    }
    cg.b.emit(Insn::SeekRowid { cursor: target.cursor, rowid: row.rowid, target: is_new });
    emit_conflict(cg, unique, check, done, |_| {})?;
    cg.b.place(is_new);
    done.is_sought = unique.old_key.is_none();
    Ok(())
}

fn emit_index_check<'a>(
    cg: &mut Codegen<'a>,
    unique: &Uniqueness<'_, 'a>,
    (check, at): (&UniqueCheck, usize),
    done: &mut Unique,
) -> Result<()> {
    let target = unique.checked.target;
    let index = &target.indexes[at];
    if let (true, Some(replaced)) = (check.tells_replace, unique.replaced) {
        let none = Triggers::none();
        check_replace(cg, target, Effects::of(replaced, &none, unique.is_wrong)?, unique.checked.row)?;
    }
    if !check.makes_entry {
        return Ok(());
    }
    let mut entry = emit_new_entry(cg, index)?;
    if check.on_conflict.is_some() {
        let is_new = cg.b.label();
        if let Some(reg) = entry.is_there {
            cg.b.emit(Insn::IsNull { reg, target: is_new });
        }
        let count = index.index.key_count;
        let cursor = target.index_cursor(at);
        cg.b.emit(Insn::NoConflict { cursor, count, start: entry.key, target: is_new });
        let other = emit_key_of_other(cg, unique, at, is_new);
        emit_conflict(cg, unique, check, done, |cg| {
            if !index.is_table {
                target.seek(cg, other, is_new);
            }
        })?;
        cg.b.place(is_new);
        entry.is_sought = is_inserted_as_sought(index);
        done.is_sought = done.is_sought && !index.is_table;
    }
    done.entries[at] = Some(entry);
    Ok(())
}

/// Checks all keys again, if triggers or foreign keys of deleted rows may have inserted rows: any conflict is an error.
fn emit_recheck<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, done: &Unique) {
    let Some(watched) = done.watched.filter(|_| done.is_watched) else { return };
    let Checked { target, row, .. } = unique.checked;
    let all_looked_at = cg.b.label();
    cg.b.emit(Insn::IfNot { null_jumps: 1, reg: watched, target: all_looked_at });
    // An UPDATE that does not change the rowid would find its own row.
    if target.table.has_rowid() && unique.old_key.is_none_or(|old| old != row.rowid) {
        let is_free = cg.b.label();
        if let Some(old) = unique.old_key {
            let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
            cg.b.emit(Insn::Eq { flags, collation, lhs: row.rowid, rhs: old, target: is_free });
        }
        cg.b.emit(Insn::SeekRowid { cursor: target.cursor, rowid: row.rowid, target: is_free });
        emit_violation(cg, target, UniqueKey::Rowid, Conflict::Abort);
        cg.b.place(is_free);
    }
    for check in unique.plan.checks.iter().filter(|check| check.on_conflict.is_some()) {
        if let UniqueKey::Index(at) = check.key
            && let Some(entry) = done.entries[at]
        {
            emit_recheck_of_index(cg, unique, at, entry);
        }
    }
    cg.b.place(all_looked_at);
}

fn emit_recheck_of_index<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, at: usize, entry: NewEntry) {
    let target = unique.checked.target;
    let index = &target.indexes[at];
    let is_free = cg.b.label();
    if let Some(reg) = entry.is_there {
        cg.b.emit(Insn::IsNull { reg, target: is_free });
    }
    let (cursor, count) = (target.index_cursor(at), index.index.key_count);
    cg.b.emit(Insn::NoConflict { cursor, count, start: entry.key, target: is_free });
    if unique.old_key.is_some() {
        emit_key_of_other(cg, unique, at, is_free);
    }
    emit_violation(cg, target, UniqueKey::Index(at), Conflict::Abort);
    cg.b.place(is_free);
}

/// Whether a key is inserted as it was sought: the affinity of an expression is applied only when its value is inserted.
fn is_inserted_as_sought(index: &WrittenIndex<'_>) -> bool {
    let is_value = |term: &IndexTerm| matches!(term, IndexTerm::Column(_) | IndexTerm::Rowid);
    index.index.key_columns().iter().all(|column| is_value(&column.term))
}

/// Reads the key of the row whose entry in the index at this position of the target conflicts. Jumps to `is_same` if that is the
/// row that is being updated.
fn emit_key_of_other<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, at: usize, is_same: Addr) -> Reg {
    let target = unique.checked.target;
    let width = target.key_width();
    let (other, cursor) = (cg.b.registers(width), target.index_cursor(at));
    match target.key() {
        None => cg.b.emit(Insn::IdxRowid { cursor, dst: other }),
        Some(key) => {
            for (nth, column) in key.index.key_columns().iter().enumerate() {
                let place = position_in(&target.indexes[at], column);
                cg.b.emit(Insn::Column { cursor, column: place, dst: other.at(nth) });
            }
        }
    }
    if let Some(old) = unique.old_key {
        let differs = cg.b.label();
        for at in 0..width {
            let collation = key_collation(cg, target, at);
            let flags = CompareFlags(CompareFlags::NULL_EQ);
            let (lhs, rhs) = (other.at(at), old.at(at));
            if at + 1 < width {
                cg.b.emit(Insn::Ne { flags, collation, lhs, rhs, target: differs });
            } else {
                cg.b.emit(Insn::Eq { flags, collation, lhs, rhs, target: is_same });
            }
        }
        cg.b.place(differs);
    }
    other
}

/// The column of an index's entries that has a primary key column, with the same collation, because the same column may be there
/// twice.
fn position_in(index: &WrittenIndex<'_>, column: &IndexColumn) -> u16 {
    let same = |c: &IndexColumn| c.term == column.term && c.collation == column.collation;
    let at = index
        .index
        .columns
        .iter()
        .position(same)
        .or_else(|| index.index.columns.iter().position(|c| c.term == column.term));
    at.expect("every index of a WITHOUT ROWID table holds its primary key") as u16
}

fn key_collation<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, at: usize) -> CollationId {
    let Some(key) = target.key() else { return CollationId::BINARY };
    let collation = Coll::of(&key.index.columns[at].collation);
    cg.collation(collation).unwrap_or(CollationId::BINARY)
}

/// Resolves a conflict with an existing row. `find` puts the table's cursor on it.
fn emit_conflict<'a>(
    cg: &mut Codegen<'a>,
    unique: &Uniqueness<'_, 'a>,
    check: &UniqueCheck,
    done: &mut Unique,
    find: impl FnOnce(&mut Codegen<'a>),
) -> Result<()> {
    match check.on_conflict {
        None => {}
        Some(OnConflict::Ignore) => cg.b.emit(Insn::Goto { target: unique.checked.ignore }),
        Some(OnConflict::Update(clause)) => {
            find(cg);
            (unique.update)(cg, clause)?;
        }
        Some(OnConflict::Replace) => {
            find(cg);
            if emit_replace(cg, unique, check.key)?
                && let Some(reg) = done.watched
            {
                cg.b.emit(Insn::AddImmediate { reg, value: 1 });
                done.is_watched = true;
            }
            done.replaces = true;
            done.row_was_moved(unique.checked.target, check.key);
        }
        Some(OnConflict::Fail(policy)) => emit_violation(cg, unique.checked.target, check.key, policy),
    }
    Ok(())
}

/// Fails the statement, because the key exists already.
fn emit_violation<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: UniqueKey, policy: Conflict) {
    let (code, message): (_, Arc<str>) = match key {
        UniqueKey::Rowid => rowid_failure(target.table),
        UniqueKey::Index(at) => unique_failure(target.table, target.indexes[at].index),
    };
    emit_failure(cg, policy, code, message);
}

/// Deletes the row under the table's cursor for the new one. Returns whether triggers or foreign keys are involved.
fn emit_replace<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, key: UniqueKey) -> Result<bool> {
    let Checked { target, row, .. } = unique.checked;
    let access = ColumnAccess::Table { cursor: target.cursor, table: target.table };
    cg.set_access(target.source, access);
    // The new row has the same key in the table's B-tree.
    let is_overwritten = match key {
        UniqueKey::Rowid => true,
        UniqueKey::Index(at) => target.indexes[at].is_table,
    };
    // A row that is found by its rowid cannot affect the place of the updated row.
    let is_locked = unique.old_key.is_some() && key != UniqueKey::Rowid;
    let replaced = unique.replaced.expect("the plan says what REPLACE entails");
    let none = Triggers::none();
    let effects = Effects::of(replaced, &none, unique.is_wrong)?;
    let is_watched = emit_replace_row(cg, target, effects, is_overwritten, is_locked)?;
    cg.set_access(target.source, row.access());
    Ok(is_watched)
}
