//! ON CONFLICT … DO UPDATE: the effects of updating the conflicting row.

use lithe_catalog::Result;
use lithe_resolve::{ResolvedInsert, Resolver, UpsertSet};
use lithe_sql::ast::Conflict;

use super::changed::Changed;
use super::foreign_keys::{Change, ForeignKeys};
use super::returning::ReturningPlan;
use super::rows::values_set;
use super::table::WrittenTable;
use super::triggers::{Event, Triggers};
use super::update::{RowUpdate, note_keys};
use crate::plan::ExprQueries;
use crate::planner::Planner;

/// The update of an ON CONFLICT clause. An error in it is reported where the update begins.
#[derive(Debug)]
pub struct UpsertPlan<'a> {
    /// The queries in the condition, and in the values of SET.
    pub queries: Result<ExprQueries<'a>>,
    /// The effects of the update.
    pub row: Result<RowUpdate<'a>>,
    /// What RETURNING computes of the row.
    pub returning: Option<ReturningPlan<'a>>,
}

/// The update of an ON CONFLICT clause, before it is known whether it may run.
pub(super) struct ClauseUpdate<'a> {
    set: UpsertSet<'a>,
    changed: Changed,
    triggers: Triggers<'a>,
    keys: Result<ForeignKeys<'a>>,
}

impl<'a> ClauseUpdate<'a> {
    /// Those of an INSERT, by clause.
    pub fn all_of(resolver: &Resolver<'a>, resolved: &ResolvedInsert<'a>) -> Result<Vec<Option<ClauseUpdate<'a>>>> {
        let target = &resolved.target;
        let mut updates = Vec::with_capacity(resolved.upserts.len());
        for (at, clause) in resolved.upserts.iter().enumerate() {
            // Of several clauses for one constraint the first one counts.
            let is_first = resolved.upserts[..at].iter().all(|earlier| earlier.constraint != clause.constraint);
            let Some(set) = clause.update.filter(|_| is_first) else {
                updates.push(None);
                continue;
            };
            let changed = Changed::of(resolver, target, set.set)?;
            let triggers = Triggers::of(resolver, target, Event::Update(set.set));
            let keys = ForeignKeys::of(resolver, target, Change::Update(&changed));
            updates.push(Some(ClauseUpdate { set, changed, triggers, keys }));
        }
        Ok(updates)
    }

    /// Whether the update fires triggers or affects foreign keys, and so may change more than the one row.
    pub fn is_watched(&self) -> bool {
        !self.triggers.is_empty() || self.keys.as_ref().map_or(true, |keys| !keys.is_empty())
    }

    /// Plans the update. A conflict of the update itself is an error, whatever the conflict action of the INSERT.
    pub fn plan(
        self,
        planner: &mut Planner<'a>,
        insert: &ResolvedInsert<'a>,
        table: &WrittenTable<'a>,
    ) -> UpsertPlan<'a> {
        let ClauseUpdate { set, mut changed, triggers, keys } = self;
        let queries = planner.plan_exprs(set.filter.iter().chain(values_set(set.set)), &[]);
        let resolver = planner.context.resolver;
        let row = keys.map(|keys| {
            note_keys(resolver, table.table, &keys, &mut changed);
            RowUpdate::of(resolver, &insert.target, table, (triggers, keys), changed, (Some(Conflict::Abort), false))
        });
        let stored = row.as_ref().ok().and_then(|row| row.stored_row(table));
        let returning = ReturningPlan::of(planner, insert.returning, stored);
        UpsertPlan { queries, row, returning }
    }
}
