//! UPDATE or DELETE of the rows of a virtual table: the arguments of every change are computed before the first is made.

use lithe_catalog::{ConnectedTable, Result, fail};
use lithe_resolve::ir::Expr;
use lithe_resolve::{Assigned, ChangeTarget, ChangedColumn, ResolvedChange, Resolver};
use lithe_sql::ast::Conflict;

use crate::access::{JoinRequest, Purpose};
use crate::plan::{ExprQueries, FromPlan};
use crate::planner::Planner;

/// How the rows of a virtual table are changed.
#[derive(Debug)]
pub struct VirtualChange<'a> {
    /// The connected table.
    pub connected: &'a ConnectedTable,
    /// The conflict action of the statement.
    pub policy: Option<Conflict>,
    /// Where the rows are found.
    pub from: &'a FromPlan<'a>,
    /// The arguments of a change: the old key; of an UPDATE, the new one, and all columns.
    pub arguments: Vec<Argument<'a>>,
    /// The queries in them.
    pub queries: ExprQueries<'a>,
}

/// Plans an UPDATE or DELETE of the rows of a virtual table. `policy` is the conflict action of the statement.
pub(super) fn plan<'a>(
    planner: &mut Planner<'a>,
    change: &ResolvedChange<'a>,
    connected: &'a ConnectedTable,
    policy: Option<Conflict>,
) -> Result<VirtualChange<'a>> {
    if change.returning.is_some() {
        let what = if change.set.is_empty() { "DELETE" } else { "UPDATE" };
        return fail(format!("{what} RETURNING is not available on virtual tables"));
    }
    let arguments = values(planner.context.resolver, change, connected);
    arguments.iter().for_each(|argument| planner.context.note_expr(&argument.expr));
    let request = JoinRequest::of_rows(change.sources, change.terms, Purpose::Read);
    let from = planner.plan_from(JoinRequest { allows_coroutine: change.sources.len() == 1, ..request })?;
    let from = &*planner.context.arena.alloc(from);
    planner.context.enter_loops(from.join.rows);
    let queries = planner.plan_exprs(arguments.iter().map(|argument| &argument.expr), &[]);
    planner.context.leave_loops(from.join.rows);
    Ok(VirtualChange { connected, policy, from, arguments, queries: queries? })
}

/// An argument of a change.
#[derive(Debug)]
pub struct Argument<'a> {
    /// Its value.
    pub expr: Expr<'a>,
    /// The column, if the statement does not change it.
    pub unchanged: Option<u16>,
}

fn values<'a>(resolver: &Resolver<'a>, change: &ResolvedChange<'a>, connected: &ConnectedTable) -> Vec<Argument<'a>> {
    let ChangeTarget { table, source, .. } = change.target;
    let own = |at: u16| resolver.table_column(source, table, at);
    let old_key = match connected.key {
        Some(at) => own(at),
        None => resolver.rowid(source, table),
    };
    let plain = |expr| Argument { expr, unchanged: None };
    if change.set.is_empty() {
        return vec![plain(old_key)];
    }
    // Of several values for one column the last one counts.
    let assigned = |column: ChangedColumn| {
        let is_it = |assigned: &&Assigned<'a>| assigned.column == column;
        change.set.iter().rev().find(is_it).map(|assigned| assigned.value)
    };
    let new_key = match connected.key {
        Some(at) => assigned(ChangedColumn::Column(at)),
        None => assigned(ChangedColumn::Rowid),
    };
    let column = |at: u16| match assigned(ChangedColumn::Column(at)) {
        Some(expr) => plain(expr),
        None => Argument { expr: own(at), unchanged: Some(at) },
    };
    let keys = [plain(old_key), plain(new_key.unwrap_or(old_key))];
    keys.into_iter().chain((0..table.columns.len() as u16).map(column)).collect()
}
