//! DELETE: whether whole trees are cleared, which triggers fire, which foreign keys are checked, and how the rows are found.

use lithe_catalog::Result;
use lithe_resolve::{ResolvedChange, Scope};
use lithe_sql::ast;

use super::foreign_keys::{Change, ForeignKeys};
use super::returning::ReturningPlan;
use super::rows::{self, Passes};
use super::table::WrittenTable;
use super::triggers::{Event, Triggers};
use super::view::{self, ViewChange};
use super::virtual_table::{self, VirtualChange};
use super::{TriggerBody, prepare, refuse, statement_policy};
use crate::plan::RowsPlan;
use crate::planner::Planner;

/// What a DELETE does.
#[derive(Debug)]
pub enum DeletePlan<'a> {
    /// The trees of the table and of its indexes are cleared, because there is no WHERE and nothing needs the rows.
    All,
    /// The rows are deleted one by one.
    Rows(Box<DeleteRows<'a>>),
    /// INSTEAD OF triggers get the rows of a view.
    View(Box<ViewChange<'a>>),
    /// The module of a virtual table gets the rows.
    Virtual(Box<VirtualChange<'a>>),
}

/// What a DELETE does row by row.
#[derive(Debug)]
pub struct DeleteRows<'a> {
    /// The table, with all indexes.
    pub table: WrittenTable<'a>,
    /// The triggers that fire.
    pub triggers: Triggers<'a>,
    /// The foreign keys to check.
    pub keys: ForeignKeys<'a>,
    /// How the rows are found.
    pub rows: RowsPlan<'a>,
    /// What RETURNING computes of a row.
    pub returning: Option<ReturningPlan<'a>>,
    /// Whether more than one change may be made.
    pub changes_more_than_once: bool,
}

impl DeleteRows<'_> {
    /// Whether triggers or foreign keys use the rows.
    pub fn is_watched(&self) -> bool {
        !self.triggers.is_empty() || !self.keys.is_empty()
    }
}

/// Resolves and plans a DELETE that stands in a scope, and in the body of a trigger if there is one.
pub fn plan<'a>(
    planner: &mut Planner<'a>,
    scope: &Scope<'_, 'a>,
    delete: &ast::Delete<'a>,
    body: Option<TriggerBody>,
) -> Result<(&'a ResolvedChange<'a>, DeletePlan<'a>)> {
    let resolver = planner.context.resolver;
    refuse::early(resolver, scope, delete.table, Event::Delete, !delete.returning.is_empty())?;
    let change = resolver.delete(scope, delete)?;
    let triggers = Triggers::of(resolver, &change.target, Event::Delete);
    refuse::read_only(resolver, &change.target, &triggers, change.returning.is_some())?;
    prepare::change(planner, change);
    let change = &*change;
    let (policy, table) = (statement_policy(body, change.or), change.target.table);
    let plan = if table.view().is_some() {
        DeletePlan::View(Box::new(view::plan(planner, change, triggers, policy)?))
    } else if let Some(connected) = table.connected() {
        DeletePlan::Virtual(Box::new(virtual_table::plan(planner, change, connected, policy)?))
    } else {
        let keys = ForeignKeys::of(resolver, &change.target, Change::Delete)?;
        plan_deletion(planner, change, triggers, keys)?
    };
    Ok((change, plan))
}

/// Plans the deletion of the rows of a table that is about to be dropped, for the checks of foreign keys: no triggers fire, and
/// keys that do not match their parent are ignored.
pub fn plan_of_dropped<'a>(planner: &mut Planner<'a>, change: &ResolvedChange<'a>) -> Result<DeletePlan<'a>> {
    let keys = ForeignKeys::of_dropped(planner.context.resolver, &change.target);
    plan_deletion(planner, change, Triggers::none(), keys)
}

fn plan_deletion<'a>(
    planner: &mut Planner<'a>,
    change: &ResolvedChange<'a>,
    triggers: Triggers<'a>,
    keys: ForeignKeys<'a>,
) -> Result<DeletePlan<'a>> {
    let resolver = planner.context.resolver;
    let is_watched = !triggers.is_empty() || !keys.is_empty();
    let is_told = resolver.env.flags.preupdate_hook || change.returning.is_some();
    if change.terms.is_empty() && !is_watched && !is_told && !resolver.delete_one_by_one.get() {
        return Ok(DeletePlan::All);
    }
    let table = WrittenTable::of(resolver, &change.target, |_| true)?;
    let passes = match () {
        () if is_watched => Passes::Two,
        () if change.returning.is_some() => Passes::OneIfInOrder,
        () => Passes::OneIfPossible,
    };
    let rows = rows::plan(planner, change, &table, passes, |_| true)?;
    let changes_more_than_once = !keys.is_empty() || !rows.is_single();
    let returning = rows::plan_in_loops(planner, &rows, |planner| ReturningPlan::of(planner, change.returning, None));
    Ok(DeletePlan::Rows(Box::new(DeleteRows { table, triggers, keys, rows, returning, changes_more_than_once })))
}
