//! Nothing is there twice: rowids and the keys of unique indexes, and what happens when something is.
//!
//! Each check looks for a row with the same key. There is none: good. There is one: an error, or the new row is left out
//! (IGNORE), or the old row is deleted (REPLACE), or changed in its place (UPSERT).
//!
//! The order of checks is SQLite's: the rowid, then the indexes in their order, in which those that REPLACE come last; the
//! rowid after them if it is the rowid that replaces, because a row must not be deleted for a new one that then fails.
//! Constraints that ON CONFLICT clauses name come before all, in the order of the clauses.
//!
//! Triggers and foreign key actions of the rows that REPLACE deletes may put others in their place. So all constraints are checked a
//! second time if such a row was deleted, the rowid first, and a conflict then is an error.

use std::sync::Arc;

use lithe_catalog::{IndexTerm, Result};
use lithe_resolve::Constraint;
use lithe_sql::ast::Conflict;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::constraint::{Checked, emit_failure};
use super::index::{NewEntry, emit_new_entry};
use super::replace::{check_replace, emit_replace_row};
use super::row::policy_of;
use super::target::{Target, TargetIndex};
use crate::derived::{rowid_failure, unique_failure};
use crate::{Codegen, ColumnAccess};

/// What an ON CONFLICT clause makes of a conflict.
#[derive(Clone, Copy, Debug)]
pub(super) struct UpsertBranch {
    /// The constraint it is about.
    pub constraint: Constraint,
    /// Where the row that is there is updated, the table's cursor standing on it; `None` is DO NOTHING.
    pub update: Option<Addr>,
}

/// A row whose unique keys are checked.
pub(super) struct Uniqueness<'c, 'a> {
    /// The row.
    pub checked: Checked<'c, 'a>,
    /// The key of the row that an UPDATE changes: being there with the same key is no conflict.
    pub old_key: Option<Reg>,
    /// Whether the row's rowid can be one that is there: it was given, not made.
    pub rowid_is_given: bool,
    /// The values still have to be given the affinities of their columns, of which entries of indexes are made: after a conflict of
    /// the rowid `excluded` has them as they were given.
    pub affinity_waits: bool,
    /// ON CONFLICT clauses.
    pub upserts: &'c [UpsertBranch],
}

/// What the checks have left.
pub(super) struct Unique {
    /// The new entries, by the position of the index in the target. `None`: the index keeps its entry.
    pub entries: Vec<Option<NewEntry>>,
    /// Rows may have been deleted: cursors do not stand where they stood.
    pub replaces: bool,
    /// The table's cursor stands where the row goes.
    pub is_sought: bool,
    /// The updates of ON CONFLICT clauses to which some check may lead.
    pub updates: Vec<Addr>,
    /// Counts the rows deleted for the new one while somebody watches.
    watched: Option<Reg>,
    /// Whether somebody does.
    is_watched: bool,
}

/// Which index entries an UPDATE makes anew: those that depend on what it changes.
pub(super) fn is_affected<'a>(checked: &Checked<'_, 'a>, index: &TargetIndex<'a>) -> bool {
    let Some(changed) = checked.changed else { return true };
    let depends = |expr| checked.target.depends_on(expr, changed);
    changed.all_indexes
        || index.is_table
        || index.exprs.iter().any(depends)
        || index.filter.as_ref().is_some_and(depends)
}

/// Emits all checks, and makes the entries of the indexes on the way. The row must be the access of the target's source.
pub(super) fn emit_unique<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>) -> Result<Unique> {
    let target = unique.checked.target;
    let watched = watched_counter(cg, unique);
    let entries = vec![None; target.indexes.len()];
    let mut done =
        Unique { entries, replaces: false, is_sought: false, updates: Vec::new(), watched, is_watched: false };
    let mut types_wait = super::row::checks_types_late(target.table);
    let mut affinity_waits = unique.affinity_waits;
    let checks = order_of_checks(unique);
    for &check in &checks {
        if affinity_waits && check != Constraint::Rowid {
            super::row::emit_affinity(cg, target.table, unique.checked.row, |_| true);
            affinity_waits = false;
        }
        if types_wait && check != Constraint::Rowid {
            super::row::emit_type_check(cg, target, unique.checked.row);
            types_wait = false;
        }
        match check {
            Constraint::Rowid => emit_rowid_check(cg, unique, &mut done)?,
            Constraint::Index(at) => emit_index_check(cg, unique, at, &mut done)?,
            Constraint::Any => unreachable!("a check is about one constraint"),
        }
    }
    if types_wait {
        super::row::emit_type_check(cg, target, unique.checked.row);
    }
    if done.replaces {
        emit_second_look(cg, unique, &checks, &done);
        done.is_sought = false;
        done.entries.iter_mut().flatten().for_each(|entry| entry.is_sought = false);
    }
    Ok(done)
}

fn order_of_checks(unique: &Uniqueness<'_, '_>) -> Vec<Constraint> {
    let target = unique.checked.target;
    let indexes = 0..target.indexes.len();
    let mut checks: Vec<Constraint> = indexes.map(Constraint::Index).collect();
    if target.table.has_rowid() && unique.rowid_is_given {
        let own = target.table.rowid_conflict;
        let replaces_alone = own == Some(Conflict::Replace) && unique.checked.policy.is_none();
        let is_about = |branch: &UpsertBranch| matches!(branch.constraint, Constraint::Rowid | Constraint::Any);
        let last = replaces_alone && !checks.is_empty() && !unique.upserts.iter().any(is_about);
        checks.insert(if last { checks.len() } else { 0 }, Constraint::Rowid);
    }
    let clause = |check: &Constraint| {
        let of = |branch: &UpsertBranch| branch.constraint == constraint_in_table(unique, *check);
        unique.upserts.iter().position(of).unwrap_or(usize::MAX)
    };
    checks.sort_by_key(clause);
    checks
}

/// Clauses name indexes by their position in the table, targets may have fewer indexes.
fn constraint_in_table(unique: &Uniqueness<'_, '_>, check: Constraint) -> Constraint {
    let target = unique.checked.target;
    match check {
        Constraint::Index(at) => {
            let index = target.indexes[at].index;
            let position = target.table.indexes.iter().position(|other| std::ptr::eq(&**other, index));
            position.map_or(check, Constraint::Index)
        }
        check => check,
    }
}

fn emit_rowid_check<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, done: &mut Unique) -> Result<()> {
    let Checked { target, row, policy, .. } = unique.checked;
    let is_new = cg.b.label();
    if let Some(old) = unique.old_key {
        let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
        cg.b.emit(Insn::Eq { flags, collation, lhs: row.rowid, rhs: old, target: is_new });
    }
    cg.b.emit(Insn::SeekRowid { cursor: target.cursor, rowid: row.rowid, target: is_new });
    let policy = policy_of(policy, target.table.rowid_conflict);
    let failure = rowid_failure(target.table);
    emit_conflict(cg, unique, Constraint::Rowid, policy, failure, done, |_, _| Ok(()), is_new)?;
    cg.b.place(is_new);
    done.is_sought = unique.old_key.is_none();
    Ok(())
}

fn emit_index_check<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, at: usize, done: &mut Unique) -> Result<()> {
    let target = unique.checked.target;
    let index = &target.indexes[at];
    let may_replace = policy_of(unique.checked.policy, index.index.conflict()) == Conflict::Replace;
    if may_replace && is_beside(unique, index) {
        // Nothing is in the way, but what is wrong with the keys of a row that would be deleted is told.
        check_replace(cg, target, unique.checked.row)?;
    }
    if !is_affected(&unique.checked, index) {
        return Ok(());
    }
    let mut entry = emit_new_entry(cg, index)?;
    if index.index.is_unique() && !keeps_key(unique, index) {
        let is_new = cg.b.label();
        if let Some(reg) = entry.is_there {
            cg.b.emit(Insn::IsNull { reg, target: is_new });
        }
        let count = index.index.key_count;
        let cursor = target.cursor_of(index);
        cg.b.emit(Insn::NoConflict { cursor, count, start: entry.key, target: is_new });
        let other = emit_key_of_other(cg, unique, index, is_new);
        let policy = policy_of(unique.checked.policy, index.index.conflict());
        let failure = unique_failure(target.table, index.index);
        let constraint = Constraint::Index(at);
        let find = |cg: &mut Codegen<'a>, missing| {
            if !index.is_table {
                let other = other.expect("the key of the other row is read unless the index is the table");
                target.seek(cg, other, missing);
            }
            Ok(())
        };
        emit_conflict(cg, unique, constraint, policy, failure, done, find, is_new)?;
        cg.b.place(is_new);
        entry.is_sought = is_inserted_as_sought(index);
        done.is_sought = done.is_sought && !index.is_table;
    }
    done.entries[at] = Some(entry);
    Ok(())
}

/// A register that counts the rows which REPLACE deletes while somebody watches.
fn watched_counter<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>) -> Option<Reg> {
    let Checked { target, policy, .. } = unique.checked;
    let replaces = |conflict| policy_of(policy, conflict) == Conflict::Replace;
    let may_replace = unique.rowid_is_given && replaces(target.table.rowid_conflict)
        || target.indexes.iter().any(|index| index.index.is_unique() && replaces(index.index.conflict()));
    let may_be_watched = cg.env.flags.recursive_triggers || cg.env.flags.foreign_keys;
    (may_replace && may_be_watched).then(|| {
        let counter = cg.b.register();
        cg.b.emit(Insn::Integer { value: 0, dst: counter });
        counter
    })
}

/// Looks for other rows with the same keys again, if rows were deleted while somebody watched: any is an error.
fn emit_second_look<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, checks: &[Constraint], done: &Unique) {
    let Some(watched) = done.watched.filter(|_| done.is_watched) else { return };
    let Checked { target, row, .. } = unique.checked;
    let all_looked_at = cg.b.label();
    cg.b.emit(Insn::IfNot { null_jumps: 1, reg: watched, target: all_looked_at });
    // An UPDATE that does not change the rowid finds the row itself under it.
    if target.table.has_rowid() && unique.old_key.is_none_or(|old| old != row.rowid) {
        let is_free = cg.b.label();
        if let Some(old) = unique.old_key {
            let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
            cg.b.emit(Insn::Eq { flags, collation, lhs: row.rowid, rhs: old, target: is_free });
        }
        cg.b.emit(Insn::SeekRowid { cursor: target.cursor, rowid: row.rowid, target: is_free });
        let (code, message) = rowid_failure(target.table);
        emit_failure(cg, Conflict::Abort, code, message);
        cg.b.place(is_free);
    }
    for check in checks {
        if let Constraint::Index(at) = *check
            && let Some(entry) = done.entries[at]
        {
            emit_second_look_at_index(cg, unique, &target.indexes[at], entry);
        }
    }
    cg.b.place(all_looked_at);
}

fn emit_second_look_at_index<'a>(
    cg: &mut Codegen<'a>,
    unique: &Uniqueness<'_, 'a>,
    index: &TargetIndex<'a>,
    entry: NewEntry,
) {
    let target = unique.checked.target;
    if !index.index.is_unique() || keeps_key(unique, index) {
        return;
    }
    let is_free = cg.b.label();
    if let Some(reg) = entry.is_there {
        cg.b.emit(Insn::IsNull { reg, target: is_free });
    }
    let (cursor, count) = (target.cursor_of(index), index.index.key_count);
    cg.b.emit(Insn::NoConflict { cursor, count, start: entry.key, target: is_free });
    if unique.old_key.is_some() {
        emit_key_of_other(cg, unique, index, is_free);
    }
    let (code, message) = unique_failure(target.table, index.index);
    emit_failure(cg, Conflict::Abort, code, message);
    cg.b.place(is_free);
}

/// An UPDATE that leaves the columns of a unique key alone cannot make them equal to another row's.
fn keeps_key<'a>(unique: &Uniqueness<'_, 'a>, index: &TargetIndex<'a>) -> bool {
    let Some(changed) = unique.checked.changed else { return false };
    let depends = |expr| unique.checked.target.depends_on(expr, changed);
    let key = &index.exprs[..usize::from(index.index.key_count)];
    !key.iter().any(depends) && !index.filter.as_ref().is_some_and(depends)
}

/// Whether SQLite checks the unique index though the UPDATE leaves its key alone: the row moves to another place of the table, or foreign
/// keys need all indexes.
fn is_beside<'a>(unique: &Uniqueness<'_, 'a>, index: &TargetIndex<'a>) -> bool {
    let Some(changed) = unique.checked.changed else { return false };
    let is_checked = changed.checks_all_indexes || unique.checked.target.changes_key(changed);
    is_checked && index.index.is_unique() && !index.is_table && keeps_key(unique, index)
}

/// The values of expressions get their affinity not before they are inserted: they were sought as something else.
fn is_inserted_as_sought(index: &TargetIndex<'_>) -> bool {
    let is_value = |term: &IndexTerm| matches!(term, IndexTerm::Column(_) | IndexTerm::Rowid);
    index.index.key_columns().iter().all(|column| is_value(&column.term))
}

/// Reads the key of the row whose entry is in the way, and goes to `is_same` if it is the row that is being updated. `None`
/// where nobody needs the key.
fn emit_key_of_other<'a>(
    cg: &mut Codegen<'a>,
    unique: &Uniqueness<'_, 'a>,
    index: &TargetIndex<'a>,
    is_same: Addr,
) -> Option<Reg> {
    let target = unique.checked.target;
    let width = target.key_width();
    let (other, cursor) = (cg.b.registers(width), target.cursor_of(index));
    match target.key() {
        None => cg.b.emit(Insn::IdxRowid { cursor, dst: other }),
        Some(key) => {
            for (at, column) in key.index.key_columns().iter().enumerate() {
                let place = position_in(index, column);
                cg.b.emit(Insn::Column { cursor, column: place, dst: other.at(at) });
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
    Some(other)
}

/// The place of a primary key column in the entries of an index: with the same collation, because the same column may be
/// there twice.
fn position_in(index: &TargetIndex<'_>, column: &lithe_catalog::IndexColumn) -> u16 {
    let same = |c: &lithe_catalog::IndexColumn| c.term == column.term && c.collation == column.collation;
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
    let collation = lithe_resolve::ir::Coll::of(&key.index.columns[at].collation);
    cg.collation(collation).unwrap_or(CollationId::BINARY)
}

/// A row with the same key is there. `find` puts the table's cursor on it.
#[allow(clippy::too_many_arguments)]
fn emit_conflict<'a>(
    cg: &mut Codegen<'a>,
    unique: &Uniqueness<'_, 'a>,
    constraint: Constraint,
    policy: Conflict,
    failure: (lithe_base::ResultCode, Arc<str>),
    done: &mut Unique,
    find: impl FnOnce(&mut Codegen<'a>, Addr) -> Result<()>,
    is_new: Addr,
) -> Result<()> {
    let named = constraint_in_table(unique, constraint);
    let clause = unique.upserts.iter().find(|u| u.constraint == named || u.constraint == Constraint::Any);
    match (clause, policy) {
        (Some(UpsertBranch { update: None, .. }), _) | (None, Conflict::Ignore) => {
            cg.b.emit(Insn::Goto { target: unique.checked.ignore });
        }
        (Some(UpsertBranch { update: Some(update), .. }), _) => {
            find(cg, is_new)?;
            cg.b.emit(Insn::Goto { target: *update });
            done.updates.push(*update);
        }
        (None, Conflict::Replace) => {
            find(cg, is_new)?;
            if emit_replace(cg, unique, constraint)?
                && let Some(reg) = done.watched
            {
                cg.b.emit(Insn::AddImmediate { reg, value: 1 });
                done.is_watched = true;
            }
            done.replaces = true;
        }
        (None, policy) => emit_failure(cg, policy, failure.0, failure.1),
    }
    Ok(())
}

/// Deletes the row under the table's cursor for the new one. Whether anybody watches.
fn emit_replace<'a>(cg: &mut Codegen<'a>, unique: &Uniqueness<'_, 'a>, constraint: Constraint) -> Result<bool> {
    let Checked { target, row, .. } = unique.checked;
    let access = ColumnAccess::Table { cursor: target.cursor, table: target.table };
    cg.set_access(target.source, access);
    let is_overwritten = constraint == Constraint::Rowid;
    // A row that is found by its rowid has nothing to do with where the updated one stands.
    let is_locked = unique.old_key.is_some() && !is_overwritten;
    let is_watched = emit_replace_row(cg, target, is_overwritten, is_locked)?;
    cg.set_access(target.source, row.access());
    Ok(is_watched)
}
