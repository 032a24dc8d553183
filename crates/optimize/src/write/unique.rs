//! The uniqueness checks before a row is written, their order, and the resolution of conflicts.
//!
//! Each check searches for a row with the same key. If there is one, the statement fails, or the new row is skipped
//! (IGNORE), or the old row is deleted (REPLACE), or updated instead (UPSERT).
//!
//! The order of checks is SQLite's: the rowid, then the indexes in their order, in which those with REPLACE come last. The
//! rowid comes after them if its action is REPLACE, because no row may be deleted for a new row that then fails.
//! Constraints that ON CONFLICT clauses name come first, in the order of the clauses.

use lithe_catalog::Index;
use lithe_resolve::environment::Environment;
use lithe_resolve::{Constraint, ResolvedUpsert};
use lithe_sql::ast::Conflict;

use super::changed::Changed;
use super::table::{WrittenIndex, WrittenTable};

/// A row whose unique keys are checked.
#[derive(Clone, Copy)]
pub(super) struct Written<'c, 'a> {
    /// The table that it is written to.
    pub table: &'c WrittenTable<'a>,
    /// The conflict action of the statement.
    pub policy: Option<Conflict>,
    /// What an UPDATE changes; `None` for INSERT.
    pub changed: Option<&'c Changed>,
    /// Whether the rowid was given, not generated, and so may exist already.
    pub rowid_is_given: bool,
    /// ON CONFLICT clauses.
    pub upserts: &'c [ResolvedUpsert<'a>],
}

/// The uniqueness checks before a row is written.
#[derive(Debug)]
pub struct UniquePlan {
    /// The checks, in their order.
    pub checks: Vec<UniqueCheck>,
    /// Rows that REPLACE deletes are counted, because triggers or foreign keys may insert others with the same key.
    pub counts_replaced: bool,
}

/// A check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniqueCheck {
    /// The checked key.
    pub key: UniqueKey,
    /// For an index, whether the row's entry is made (anew). An index that an UPDATE leaves alone keeps its entry.
    pub makes_entry: bool,
    /// What happens on a conflict; `None` if no row with the same key is searched.
    pub on_conflict: Option<OnConflict>,
    /// No conflict is possible, but an error in the foreign keys of a row that would be deleted is reported.
    pub tells_replace: bool,
}

/// A unique key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UniqueKey {
    /// The rowid.
    Rowid,
    /// The index at this position of [`WrittenTable::indexes`].
    Index(usize),
}

/// What happens on a conflict with an existing row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnConflict {
    /// The new row is left out.
    Ignore,
    /// The existing row is updated by the ON CONFLICT clause with this number.
    Update(usize),
    /// The existing row is deleted.
    Replace,
    /// The statement fails.
    Fail(Conflict),
}

impl UniquePlan {
    pub(super) fn of(env: &Environment, row: &Written<'_, '_>) -> UniquePlan {
        let may_be_watched = env.flags.recursive_triggers || env.flags.foreign_keys;
        UniquePlan { checks: row.checks(), counts_replaced: may_be_watched && row.may_replace() }
    }

    /// Whether the row's entry in the index at this position is made (anew).
    pub fn makes_entry(&self, index: usize) -> bool {
        self.checks.iter().any(|check| check.key == UniqueKey::Index(index) && check.makes_entry)
    }

    /// Whether any entry is made.
    pub(crate) fn makes_any_entry(&self) -> bool {
        self.checks.iter().any(|check| matches!(check.key, UniqueKey::Index(_)) && check.makes_entry)
    }

    /// Whether the update of the ON CONFLICT clause with this number may run.
    pub fn may_update(&self, clause: usize) -> bool {
        self.checks.iter().any(|check| check.on_conflict == Some(OnConflict::Update(clause)))
    }

    /// Whether a row may be deleted, or an error about its deletion is reported.
    pub(super) fn names_replaced(&self) -> bool {
        self.checks.iter().any(|check| check.tells_replace || check.on_conflict == Some(OnConflict::Replace))
    }
}

impl<'a> Written<'_, 'a> {
    fn checks(&self) -> Vec<UniqueCheck> {
        let table = self.table;
        let mut checks = Vec::with_capacity(table.indexes.len() + 1);
        checks.extend((0..table.indexes.len()).map(|at| self.check(UniqueKey::Index(at))));
        if table.table.has_rowid() && self.rowid_is_given {
            let replaces_alone = table.table.rowid_conflict == Some(Conflict::Replace) && self.policy.is_none();
            let is_about =
                |clause: &ResolvedUpsert<'_>| matches!(clause.constraint, Constraint::Rowid | Constraint::Any);
            let last = replaces_alone && !checks.is_empty() && !self.upserts.iter().any(is_about);
            checks.insert(if last { checks.len() } else { 0 }, self.check(UniqueKey::Rowid));
        }
        if !self.upserts.is_empty() {
            checks.sort_by_key(|check| {
                let constraint = self.constraint(check.key);
                self.upserts.iter().position(|clause| clause.constraint == constraint).unwrap_or(usize::MAX)
            });
        }
        checks
    }

    fn check(&self, key: UniqueKey) -> UniqueCheck {
        let UniqueKey::Index(at) = key else {
            let on_conflict = Some(self.on_conflict(key, self.table.table.rowid_conflict));
            return UniqueCheck { key, makes_entry: false, on_conflict, tells_replace: false };
        };
        let index = &self.table.indexes[at];
        let policy = policy_of(self.policy, index.index.conflict());
        let makes_entry = self.is_affected(index);
        let is_sought = makes_entry && index.index.is_unique() && !self.keeps_key(index);
        UniqueCheck {
            key,
            makes_entry,
            on_conflict: is_sought.then(|| self.on_conflict(key, index.index.conflict())),
            tells_replace: policy == Conflict::Replace && self.is_beside(index),
        }
    }

    /// An ON CONFLICT clause overrides the conflict action of the statement and of the constraint.
    fn on_conflict(&self, key: UniqueKey, own: Option<Conflict>) -> OnConflict {
        let named = self.constraint(key);
        let is_about = |clause: &ResolvedUpsert<'_>| [named, Constraint::Any].contains(&clause.constraint);
        match self.upserts.iter().position(is_about) {
            Some(at) if self.upserts[at].update.is_some() => OnConflict::Update(at),
            Some(_) => OnConflict::Ignore,
            None => match policy_of(self.policy, own) {
                Conflict::Ignore => OnConflict::Ignore,
                Conflict::Replace => OnConflict::Replace,
                policy => OnConflict::Fail(policy),
            },
        }
    }

    /// Clauses name indexes by their position in the table, which has more of them than the statement writes.
    fn constraint(&self, key: UniqueKey) -> Constraint {
        match key {
            UniqueKey::Rowid => Constraint::Rowid,
            UniqueKey::Index(at) => {
                let index: &Index = self.table.indexes[at].index;
                let position = self.table.table.indexes.iter().position(|other| std::ptr::eq(&**other, index));
                Constraint::Index(position.unwrap_or(at))
            }
        }
    }

    /// Whether any constraint has the action REPLACE.
    fn may_replace(&self) -> bool {
        let replaces = |conflict| policy_of(self.policy, conflict) == Conflict::Replace;
        self.rowid_is_given && replaces(self.table.table.rowid_conflict)
            || self.table.indexes.iter().any(|index| index.index.is_unique() && replaces(index.index.conflict()))
    }

    /// Which index entries an UPDATE makes anew: those that depend on what it changes.
    fn is_affected(&self, index: &WrittenIndex<'a>) -> bool {
        let Some(changed) = self.changed else { return true };
        let depends = |expr| self.table.depends_on(expr, changed);
        changed.all_indexes || index.is_table || index.exprs.iter().chain(&index.filter).any(depends)
    }

    /// An UPDATE that leaves the columns of a unique key alone cannot make them equal to another row's.
    fn keeps_key(&self, index: &WrittenIndex<'a>) -> bool {
        let Some(changed) = self.changed else { return false };
        let depends = |expr| self.table.depends_on(expr, changed);
        !index.key_exprs().iter().chain(&index.filter).any(depends)
    }

    /// Whether SQLite checks the unique index though the UPDATE leaves its key alone: the row moves to another place of the table, or foreign
    /// keys need all indexes.
    fn is_beside(&self, index: &WrittenIndex<'a>) -> bool {
        let Some(changed) = self.changed else { return false };
        let is_checked = changed.checks_all_indexes || self.table.changes_key(changed);
        is_checked && index.index.is_unique() && !index.is_table && self.keeps_key(index)
    }
}

/// The conflict action of the statement, else of the constraint; ABORT by default.
pub(crate) fn policy_of(statement: Option<Conflict>, constraint: Option<Conflict>) -> Conflict {
    statement.or(constraint).unwrap_or(Conflict::Abort)
}
