//! UPDATE: what changes, which triggers fire, which keys are checked, which indexes are written, and how the rows are
//! found.

use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::{CompileError, Index, IndexTerm, Result, Table};
use lithe_resolve::{ChangeTarget, ResolvedChange, Resolver, Scope};
use lithe_sql::ast::{self, Conflict};

use super::changed::Changed;
use super::constraints::Constraints;
use super::foreign_keys::{Change, ForeignKeys};
use super::replace::Replaced;
use super::returning::ReturningPlan;
use super::rows::{self, Passes};
use super::stored_reals::StoredRow;
use super::table::{WrittenIndex, WrittenTable};
use super::triggers::{Event, Triggers};
use super::unique::{UniquePlan, Written, policy_of};
use super::view::{self, ViewChange};
use super::virtual_table::{self, VirtualChange};
use super::{TriggerBody, prepare, refuse, statement_policy};
use crate::plan::RowsPlan;
use crate::planner::Planner;

/// What an UPDATE does.
#[derive(Debug)]
pub enum UpdatePlan<'a> {
    /// The rows of a table are changed one by one.
    Rows(Box<UpdateRows<'a>>),
    /// INSTEAD OF triggers get the rows of a view.
    View(Box<ViewChange<'a>>),
    /// The module of a virtual table gets the rows.
    Virtual(Box<VirtualChange<'a>>),
}

/// What an UPDATE of a table does.
#[derive(Debug)]
pub struct UpdateRows<'a> {
    /// The table, and the indexes whose entries may change.
    pub table: WrittenTable<'a>,
    /// What happens to each row.
    pub row: RowUpdate<'a>,
    /// How the rows are found.
    pub rows: RowsPlan<'a>,
    /// What RETURNING computes of a row.
    pub returning: Option<ReturningPlan<'a>>,
    /// Whether more than one change may be made.
    pub changes_more_than_once: bool,
}

/// The effects of updating one row, by an UPDATE or an UPSERT.
#[derive(Debug)]
pub struct RowUpdate<'a> {
    /// What SET changes, generated columns included.
    pub changed: Changed,
    /// The triggers that fire.
    pub triggers: Triggers<'a>,
    /// The foreign keys to check.
    pub keys: ForeignKeys<'a>,
    /// The conflict action of the statement.
    pub policy: Option<Conflict>,
    /// The row moves to another place of the table.
    pub changes_key: bool,
    /// NOT NULL and CHECK.
    pub constraints: Constraints<'a>,
    /// The uniqueness checks before the row is written.
    pub unique: UniquePlan,
    /// Whether REPLACE may delete conflicting rows.
    pub replaces: bool,
    /// The effects of deleting such rows.
    pub replaced: Option<Replaced<'a>>,
}

/// Resolves and plans an UPDATE that stands in a scope, and in the body of a trigger if there is one.
pub fn plan<'a>(
    planner: &mut Planner<'a>,
    scope: &Scope<'_, 'a>,
    update: &ast::Update<'a>,
    body: Option<TriggerBody>,
) -> Result<(&'a ResolvedChange<'a>, UpdatePlan<'a>)> {
    let resolver = planner.context.resolver;
    refuse::update_early(resolver, scope, update)?;
    let change = resolver.update(scope, update);
    let change = change.map_err(|error| error_of_join(resolver, scope, update, error))?;
    let triggers = Triggers::of(resolver, &change.target, Event::Update(change.set));
    refuse::read_only(resolver, &change.target, &triggers, change.returning.is_some())?;
    prepare::change(planner, change);
    let change = &*change;
    let (policy, table) = (statement_policy(body, change.or), change.target.table);
    let plan = if table.view().is_some() {
        UpdatePlan::View(Box::new(view::plan(planner, change, triggers, policy)?))
    } else if let Some(connected) = table.connected() {
        UpdatePlan::Virtual(Box::new(virtual_table::plan(planner, change, connected, policy)?))
    } else {
        UpdatePlan::Rows(plan_rows(planner, change, triggers, policy)?)
    };
    Ok((change, plan))
}

/// An error in an UPDATE with FROM. SQLite goes on behind an error in the SELECT that finds the rows: it reports that of a foreign key instead,
/// and beside triggers the place is lost.
#[cold]
fn error_of_join<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    update: &ast::Update<'a>,
    error: CompileError,
) -> CompileError {
    if update.from.is_empty() {
        return error;
    }
    let Ok(target) = resolver.change_target(scope, update.table) else { return error };
    let Ok(set) = resolver.assigned_columns(&target, update.set) else { return error };
    let keys = Changed::of(resolver, &target, &set)
        .map(|changed| ForeignKeys::of(resolver, &target, Change::Update(&changed)).err());
    match keys {
        Ok(Some(of_keys)) => of_keys,
        _ if Triggers::of(resolver, &target, Event::Update(&set)).is_empty() => error,
        _ => error.without_offset(),
    }
}

/// Plans an UPDATE of a table that fires these triggers. `policy` is the conflict action of the statement.
fn plan_rows<'a>(
    planner: &mut Planner<'a>,
    change: &ResolvedChange<'a>,
    triggers: Triggers<'a>,
    policy: Option<Conflict>,
) -> Result<Box<UpdateRows<'a>>> {
    let resolver = planner.context.resolver;
    let target = &change.target;
    let mut changed = Changed::of(resolver, target, change.set)?;
    let replaces = may_replace(target.table, policy, &changed);
    let keys = ForeignKeys::of(resolver, target, Change::Update(&changed))?;
    note_keys(resolver, target.table, &keys, &mut changed);
    let table = written_table(resolver, target, policy, &changed, replaces)?;
    let row = RowUpdate::of(resolver, target, &table, (triggers, keys), changed, (policy, replaces));
    let passes = row.passes(change.returning.is_some());
    // A scan of an index must not reach entries that the update has moved. Entries that do not move are not written,
    // unless all are.
    let is_moved = |index: &WrittenIndex<'a>| !index.is_table && index.depends_on(target, &row.changed);
    let moved = ArenaVec::from_iter_in(table.indexes.iter().filter(|index| is_moved(index)), planner.context.arena);
    let stays = |index: &Index| !moved.iter().any(|moved| std::ptr::eq(moved.index, index));
    let rows = rows::plan(planner, change, &table, passes, stays)?;
    let changes_more_than_once = !row.keys.is_empty() || !row.triggers.is_empty() || !rows.is_single();
    let stored = row.stored_row(&table);
    let returning = rows::plan_in_loops(planner, &rows, |planner| ReturningPlan::of(planner, change.returning, stored));
    Ok(Box::new(UpdateRows { table, row, rows, returning, changes_more_than_once }))
}

impl<'a> RowUpdate<'a> {
    /// The effects of an update that fires these triggers and checks these keys.
    pub(super) fn of(
        resolver: &Resolver<'a>,
        target: &ChangeTarget<'a>,
        table: &WrittenTable<'a>,
        (triggers, keys): (Triggers<'a>, ForeignKeys<'a>),
        changed: Changed,
        (policy, replaces): (Option<Conflict>, bool),
    ) -> RowUpdate<'a> {
        let written = Written { table, policy, changed: Some(&changed), rowid_is_given: changed.rowid, upserts: &[] };
        let unique = UniquePlan::of(resolver.env, &written);
        let changes_key = table.changes_key(&changed);
        let replaced = (replaces || unique.names_replaced()).then(|| Replaced::of(resolver, target));
        let constraints = Constraints::of(resolver, table, policy, Some(&changed), |_| false);
        RowUpdate { changed, triggers, keys, policy, changes_key, constraints, unique, replaces, replaced }
    }

    /// The new row, if its record is made from its registers: if there is a CHECK or an index, affinities are applied
    /// before.
    pub(super) fn stored_row(&self, table: &WrittenTable<'a>) -> Option<StoredRow<'a>> {
        let has_affinities = self.constraints.has_checks() || self.unique.makes_any_entry();
        let is_stored = table.table.has_rowid() && !has_affinities;
        is_stored.then_some(StoredRow { source: table.source, table: table.table })
    }

    /// The error of a foreign key that rows concern which REPLACE deletes.
    pub fn error_of_replaced(&self) -> Option<CompileError> {
        self.replaced.as_ref().filter(|_| self.unique.names_replaced()).and_then(|replaced| replaced.keys().err())
    }

    fn passes(&self, has_returning: bool) -> Passes {
        match () {
            () if !self.triggers.is_empty() || !self.keys.is_empty() => Passes::Two,
            () if self.changes_key || self.replaces => Passes::OneIfSingle,
            () if has_returning => Passes::OneIfInOrder,
            () => Passes::OneIfPossible,
        }
    }
}

/// Records which indexes foreign keys require.
pub(super) fn note_keys<'a>(resolver: &Resolver<'a>, table: &Table, keys: &ForeignKeys<'a>, changed: &mut Changed) {
    changed.checks_all_indexes = keys.need_all_indexes(resolver.env, table, changed);
    // The old row is deleted before the new one is checked then.
    changed.all_indexes = changed.checks_all_indexes && keys.refer_to(table);
}

/// The table with the indexes that are written: all of them if a row gets another rowid, or is deleted for another row.
fn written_table<'a>(
    resolver: &Resolver<'a>,
    target: &ChangeTarget<'a>,
    policy: Option<Conflict>,
    changed: &Changed,
    replaces: bool,
) -> Result<WrittenTable<'a>> {
    let all = replaces || changed.rowid || changed.all_indexes;
    WrittenTable::of(resolver, target, |index| {
        let replaces = policy_of(policy, index.index.conflict()) == Conflict::Replace;
        let is_checked = changed.checks_all_indexes && index.index.is_unique() && replaces;
        all || is_checked || index.depends_on(target, changed)
    })
}

/// Whether a row may have to be deleted for another one: only changed keys can conflict.
fn may_replace(table: &Table, policy: Option<Conflict>, changed: &Changed) -> bool {
    let is_replace = |conflict| policy_of(policy, conflict) == Conflict::Replace;
    let is_changed = |index: &Index| {
        index.key_columns().iter().any(|column| match column.term {
            IndexTerm::Column(at) => changed.has(table, at),
            IndexTerm::Rowid => changed.rowid,
            IndexTerm::Expr(_) => true,
        })
    };
    let may_conflict = |index: &Index| policy == Some(Conflict::Replace) || index.filter.is_some() || is_changed(index);
    let replaces = |index: &Index| index.is_unique() && is_replace(index.conflict()) && may_conflict(index);
    changed.rowid && is_replace(table.rowid_conflict) || table.indexes.iter().any(|index| replaces(index))
}
