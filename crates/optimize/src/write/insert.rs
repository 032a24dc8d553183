//! INSERT: where its rows come from (values, a query, the records of another table), how conflicts are resolved, which triggers fire, and
//! which foreign keys are checked.

use std::sync::Arc;

use lithe_base::{Db, ResultCode};
use lithe_catalog::{CompileError, ConnectedTable, Index, Result, SEQUENCE_TABLE, Table};
use lithe_resolve::{ChangeTarget, ChangedColumn, Constraint, InsertRows, ResolvedInsert, Resolver, Scope};
use lithe_sql::ast::{self, Conflict, Name};

use super::constraints::Constraints;
use super::foreign_keys::{Change, ForeignKeys, is_parent};
use super::records::{add_rowids, keeps_rowids, transferred};
use super::replace::Replaced;
use super::returning::ReturningPlan;
use super::source::NewRowid;
use super::stored_reals::StoredRow;
use super::table::WrittenTable;
use super::triggers::{Event, Triggers};
use super::unique::{UniquePlan, Written, policy_of};
use super::upsert::{ClauseUpdate, UpsertPlan};
use super::{TriggerBody, prepare, refuse, statement_policy};
use crate::plan::InsertSource;
use crate::planner::Planner;

/// What an INSERT does.
#[derive(Debug)]
pub enum InsertPlan<'a> {
    /// The records of a table of the same shape are inserted as they are.
    Records(Box<RecordsPlan<'a>>),
    /// Rows are computed from values.
    Rows(Box<InsertRowsPlan<'a>>),
    /// INSTEAD OF triggers get the rows.
    View(Box<ViewInsert<'a>>),
    /// The module of a virtual table gets the rows.
    Virtual(Box<VirtualInsert<'a>>),
}

/// An INSERT that copies the records of another table.
#[derive(Debug)]
pub struct RecordsPlan<'a> {
    /// The table that is written.
    pub table: WrittenTable<'a>,
    /// The other table.
    pub from: (Db, &'a Table),
    /// What holds about conflicts.
    pub policy: Option<Conflict>,
    /// Whether more than one change may be made.
    pub changes_more_than_once: bool,
    /// The check before a row is written: its rowid, if the table has an INTEGER PRIMARY KEY.
    pub unique: UniquePlan,
    /// The effects of deleting conflicting rows.
    pub replaced: Option<Replaced<'a>>,
}

/// What an INSERT does row by row.
#[derive(Debug)]
pub struct InsertRowsPlan<'a> {
    /// The table, with all indexes.
    pub table: WrittenTable<'a>,
    /// What holds about conflicts.
    pub policy: Option<Conflict>,
    /// The triggers that fire.
    pub triggers: Triggers<'a>,
    /// The foreign keys to check.
    pub keys: ForeignKeys<'a>,
    /// Where the rows come from.
    pub rows: InsertSource<'a>,
    /// Where the rowid comes from.
    pub rowid: NewRowid,
    /// The rowid is that value only if the table is empty at first.
    pub keeps_rowids: bool,
    /// NOT NULL and CHECK.
    pub constraints: Constraints<'a>,
    /// The uniqueness checks before a row is written.
    pub unique: UniquePlan,
    /// The effects of deleting conflicting rows, if REPLACE may delete some.
    pub replaced: Option<Replaced<'a>>,
    /// The update of each ON CONFLICT clause; `None` where the clause has none, or none that may run.
    pub upserts: Vec<Option<UpsertPlan<'a>>>,
    /// What RETURNING computes of the row.
    pub returning: Option<ReturningPlan<'a>>,
    /// Whether more than one change may be made.
    pub changes_more_than_once: bool,
}

/// What an INSERT into a view does.
#[derive(Debug)]
pub struct ViewInsert<'a> {
    /// The triggers that fire.
    pub triggers: Triggers<'a>,
    /// Where the rows come from.
    pub rows: InsertSource<'a>,
    /// What holds about conflicts.
    pub policy: Option<Conflict>,
    /// What RETURNING computes of a row.
    pub returning: Option<ReturningPlan<'a>>,
}

/// What an INSERT into a virtual table does.
#[derive(Debug)]
pub struct VirtualInsert<'a> {
    /// The connected table.
    pub connected: &'a ConnectedTable,
    /// Where the rows come from.
    pub rows: InsertSource<'a>,
    /// What holds about conflicts.
    pub policy: Option<Conflict>,
    /// What RETURNING computes of a row.
    pub returning: Option<ReturningPlan<'a>>,
}

/// Resolves and plans an INSERT that stands in a scope, and in the body of a trigger if there is one.
pub fn plan<'a>(
    planner: &mut Planner<'a>,
    scope: &Scope<'_, 'a>,
    insert: &ast::Insert<'a>,
    body: Option<TriggerBody>,
) -> Result<(&'a ResolvedInsert<'a>, InsertPlan<'a>)> {
    let resolver = planner.context.resolver;
    refuse::early(resolver, scope, insert.table, Event::Insert, !insert.returning.is_empty())?;
    let resolved = resolver.insert(scope, insert)?;
    let triggers = Triggers::of(resolver, &resolved.target, Event::Insert);
    refuse::read_only(resolver, &resolved.target, &triggers, resolved.returning.is_some())?;
    prepare::insert(planner, resolved);
    let is_plain = triggers.is_empty() && resolved.returning.is_none() && resolved.upserts.is_empty();
    let keeps_rowids = is_plain && keeps_rowids(insert, resolved, &resolver.env.flags);
    if keeps_rowids {
        add_rowids(planner.context.arena, resolved);
    }
    let resolved = &*resolved;
    let (policy, table) = (statement_policy(body, resolved.or), resolved.target.table);
    let plan = if table.view().is_some() {
        let rows = InsertSource::of(planner, resolved, !triggers.is_empty())?;
        let returning = ReturningPlan::of(planner, resolved.returning, None);
        InsertPlan::View(Box::new(ViewInsert { triggers, rows, policy, returning }))
    } else if let Some(connected) = table.connected() {
        let rows = InsertSource::of(planner, resolved, false)?;
        let returning = ReturningPlan::of(planner, resolved.returning, None);
        InsertPlan::Virtual(Box::new(VirtualInsert { connected, rows, policy, returning }))
    } else {
        plan_table(planner, insert, resolved, triggers, (policy, keeps_rowids), body.is_some())?
    };
    Ok((resolved, plan))
}

/// Plans an INSERT into a table that fires these triggers. `policy` is the conflict action of the statement, `keeps_rowids` see
/// [`InsertRowsPlan::keeps_rowids`]. `is_body`: the statement
/// stands in the body of a trigger.
fn plan_table<'a>(
    planner: &mut Planner<'a>,
    insert: &ast::Insert<'a>,
    resolved: &ResolvedInsert<'a>,
    triggers: Triggers<'a>,
    (policy, keeps_rowids): (Option<Conflict>, bool),
    is_body: bool,
) -> Result<InsertPlan<'a>> {
    let resolver = planner.context.resolver;
    let flags = &resolver.env.flags;
    let target = &resolved.target;
    let updates = ClauseUpdate::all_of(resolver, resolved)?;
    let is_single = !matches!(resolved.rows, InsertRows::Query(_));
    let has_keys = || !target.table.foreign_keys.is_empty() || is_parent(resolver.env, target.db, target.table);
    let replaces_keys = || may_replace(resolved, policy) && has_keys();
    let may_violate = flags.foreign_keys && (resolved.returning.is_some() || replaces_keys());
    let changes_more_than_once =
        !is_single || !triggers.is_empty() || may_violate || updates.iter().flatten().any(ClauseUpdate::is_watched);
    let fails_at_once = !changes_more_than_once && !is_body && !flags.defer_foreign_keys;
    let keys = ForeignKeys::of(resolver, target, Change::Insert { fails_at_once })?;
    let table = WrittenTable::of(resolver, target, |_| true)?;
    let reads_values = !triggers.is_empty() || !keys.is_empty() || flags.preupdate_hook;
    if !reads_values && let Some(from) = transferred(insert, resolved) {
        let rowid_is_given = target.table.rowid_column.is_some();
        let (unique, replaced) = plan_unique(resolver, resolved, &table, policy, rowid_is_given);
        let plan = RecordsPlan { table, from, policy, changes_more_than_once, unique, replaced };
        return Ok(InsertPlan::Records(Box::new(plan)));
    }
    check_sequence(resolver, target)?;
    let collects = !triggers.is_empty() || resolved.returning.is_some();
    let rows = InsertSource::of(planner, resolved, collects)?;
    let rowid = NewRowid::of(resolved, &rows);
    let literals = |at| rows.is_literal(resolved, at);
    let constraints = Constraints::of(resolver, &table, policy, None, literals);
    // ON CONFLICT of the rowid is planned even if a new rowid will be generated, and so are its triggers, and what REPLACE entails.
    let is_named = resolved.upserts.iter().any(|clause| match clause.constraint {
        Constraint::Rowid => true,
        Constraint::Any => clause.update.is_some(),
        Constraint::Index(_) => false,
    });
    let is_replacing = policy_of(policy, target.table.rowid_conflict) == Conflict::Replace;
    let is_watched = is_replacing && (flags.recursive_triggers || flags.foreign_keys);
    let is_asked = (is_named || is_watched) && resolved.place_of(ChangedColumn::Rowid).is_some();
    let rowid_is_given = matches!(rowid, NewRowid::Integer(_) | NewRowid::Value(_)) || is_asked;
    let (unique, replaced) = plan_unique(resolver, resolved, &table, policy, rowid_is_given);
    let mut upserts = Vec::with_capacity(updates.len());
    for (at, update) in updates.into_iter().enumerate() {
        let update = update.filter(|_| unique.may_update(at));
        upserts.push(update.map(|update| update.plan(planner, resolved, &table)));
    }
    // If there is a CHECK or an index, affinities are applied to the registers before the record is made.
    let is_stored = target.table.has_rowid() && table.indexes.is_empty() && !constraints.has_checks();
    let stored = is_stored.then_some(StoredRow { source: target.source, table: target.table });
    let returning = ReturningPlan::of(planner, resolved.returning, stored);
    Ok(InsertPlan::Rows(Box::new(InsertRowsPlan {
        table,
        policy,
        triggers,
        keys,
        rows,
        rowid,
        keeps_rowids,
        constraints,
        unique,
        replaced,
        upserts,
        returning,
        changes_more_than_once,
    })))
}

/// The uniqueness checks before a row is written, and the rows that REPLACE deletes.
fn plan_unique<'a>(
    resolver: &Resolver<'a>,
    resolved: &ResolvedInsert<'a>,
    table: &WrittenTable<'a>,
    policy: Option<Conflict>,
    rowid_is_given: bool,
) -> (UniquePlan, Option<Replaced<'a>>) {
    let written = Written { table, policy, changed: None, rowid_is_given, upserts: resolved.upserts };
    let unique = UniquePlan::of(resolver.env, &written);
    let replaced = unique.names_replaced().then(|| Replaced::of(resolver, &resolved.target));
    (unique, replaced)
}

/// An AUTOINCREMENT table needs the table that keeps the largest rowids.
fn check_sequence(resolver: &Resolver<'_>, target: &ChangeTarget<'_>) -> Result<()> {
    let schema = resolver.env.catalog.schema(target.db);
    if target.table.autoincrement && schema.table(Name::new(SEQUENCE_TABLE.as_bytes())).is_none() {
        return Err(CompileError::new("database disk image is malformed").with_code(ResultCode::CORRUPT_SEQUENCE));
    }
    Ok(())
}

/// Whether a row may have to be deleted for the new one.
fn may_replace(resolved: &ResolvedInsert<'_>, policy: Option<Conflict>) -> bool {
    let table = resolved.target.table;
    let is_replace = |conflict| policy_of(policy, conflict) == Conflict::Replace;
    let is_given = resolved.place_of(ChangedColumn::Rowid).is_some();
    // After ON CONFLICT without a target nothing is replaced, and a clause for an index overrides the index's own
    // action.
    if resolved.upserts.iter().any(|upsert| upsert.constraint == Constraint::Any) {
        return false;
    }
    let has_clause = |constraint| resolved.upserts.iter().any(|upsert| upsert.constraint == constraint);
    let may_replace = |(at, index): (usize, &Arc<Index>)| {
        index.is_unique() && is_replace(index.conflict()) && !has_clause(Constraint::Index(at))
    };
    is_given && is_replace(table.rowid_conflict) && !has_clause(Constraint::Rowid)
        || table.indexes.iter().enumerate().any(may_replace)
}
