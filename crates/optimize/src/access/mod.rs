//! Access paths: from the sources and conditions of one SELECT to a plan of nested loops.
//!
//! The input is a [`JoinRequest`], the output a [`JoinPlan`]: plain data that the code generator turns into instructions and
//! `explain` into text. A plan says for each loop, from the outermost to the innermost, its source and path, the conditions
//! that it checks, and, for the whole join, how much of the wanted order the rows have. The [`PlanContext`] has everything
//! else: the connection, the columns that the statement uses, and the estimated numbers of rows of the joins planned before.
//!
//! ```text
//!   context    what is known beside the request
//!   usage      the columns that the statement uses
//!   beside     which of them beside the expressions that an index has
//!   covering   whether an index has all of them
//!   derived    queries in FROM: coroutines, and how many rows they have
//!   terms      conditions → constraints that paths can use
//!   sources    sizes, row counts, indexes of the sources
//!   by_rowid   the plan of a search for one rowid
//!   collect    where the numbers come from
//!   few        short lists
//!   samples    what sqlite_stat4 says about constants
//!   known      the values of constants, parameters and calls
//!   paths      → candidates, each a way through one source with its costs
//!   search     → the cheapest sequence of candidates (order: how sorted its rows are)
//!   rest       what a RIGHT JOIN goes through once more
//!   finish     → the plan: which condition is checked where, values of keys and bounds
//! ```

mod beside;
mod branches;
mod by_rowid;
mod candidate;
mod checks;
mod collect;
mod context;
mod covering;
mod derived;
mod few;
mod finish;
mod join_elimination;
mod known;
mod log_est;
mod order;
mod partial;
mod paths;
mod plan;
mod rest;
mod samples;
mod search;
mod shortcut;
mod sources;
mod star;
mod terms;
mod unique;
mod usage;

pub use collect::{indexed_expr, smallest_index};
pub use context::PlanContext;
pub(crate) use derived::{is_same_view, may_be_coroutine};
pub use log_est::LogEst;
pub use plan::*;
pub(crate) use rest::rest_request;
pub(crate) use usage::ColumnSet;

use candidate::Candidates;
use order::{OrderColumns, OrderResult, Satisfied, Wish};
use paths::PathFinder;
use search::{Found, Search};
use sources::SourceInfo;
use terms::{Scope, Terms, has_expression_index, has_partial_index};

use lithe_catalog::{Result, fail};

/// Plans a join. The queries among its sources have been planned before ([`PlanContext::estimate_source`]).
pub(crate) fn plan_join<'a>(context: &mut PlanContext<'a>, request: JoinRequest<'a>) -> Result<&'a mut JoinPlan<'a>> {
    let plan = plan(context, context.arena.alloc(request))?;
    context.check_failure()?;
    context.note_planned(plan.request.sources, plan.rows);
    Ok(plan)
}

fn plan<'a>(context: &PlanContext<'a>, request: &'a JoinRequest<'a>) -> Result<&'a mut JoinPlan<'a>> {
    if let Some(plan) = by_rowid::find_plain(context, request) {
        debug_assert!(is_plan_of_terms(context, request, plan), "conditions that are not analysed give another plan");
        return Ok(plan);
    }
    plan_by_terms(context, request)
}

/// Whether the analysis of the conditions leads to the same plan.
fn is_plan_of_terms<'a>(context: &PlanContext<'a>, request: &'a JoinRequest<'a>, plan: &JoinPlan<'a>) -> bool {
    plan_by_terms(context, request).is_ok_and(|general| by_rowid::is_same_search(plan, general))
}

fn plan_by_terms<'a>(context: &PlanContext<'a>, request: &'a JoinRequest<'a>) -> Result<&'a mut JoinPlan<'a>> {
    let has_expression_indexes = request.sources.iter().any(has_expression_index);
    let measures = collect::measures(context, request.sources, matches!(request.order, WantedOrder::GroupBy(..)));
    let finds_implied = measures.is_some();
    let has_partial_indexes = request.sources.iter().any(has_partial_index);
    let scope = Scope { context, sources: request.sources, has_expression_indexes, has_partial_indexes, finds_implied };
    let terms = terms::analyze(scope, request.terms);
    if let Some(plan) = by_rowid::find(context, request, &terms) {
        return Ok(plan);
    }
    let infos = collect::collect(context, request, &terms, measures)?;
    let mut order = wanted_columns(request);
    let join = Join { context, request, scope, terms: &terms, infos: &infos, order: &order };
    if matches!(request.order, WantedOrder::Any) && join.result_is_unique() {
        // No two rows are equal, so DISTINCT needs no order.
        order = OrderColumns::none();
    }
    let join = Join { context, request, scope, terms: &terms, infos: &infos, order: &order };
    if request.sources.is_empty() {
        return finish::without_sources(&join);
    }
    if let Some((candidates, found)) = shortcut::find(&join) {
        return finish::plan(&join, &candidates, &found);
    }
    let mut finder = PathFinder {
        context,
        infos: &infos,
        scope,
        terms: &terms,
        own_conditions: terms.conditions.len(),
        order: &order,
        is_alone: infos.len() == 1 && order.columns.is_empty(),
        limit: request.limit,
        in_or: false,
        for_write: request.purpose == Purpose::Write,
        in_select: request.purpose == Purpose::Read,
        last_order: 0,
        found: Candidates::with_capacity(CANDIDATES_USUAL * infos.len()),
    };
    for (source, info) in infos.iter().enumerate() {
        finder.find(source, info.must_follow)?;
    }
    let mut candidates = finder.found;
    // With known sizes, the fact table need not be guessed.
    let is_star = measures.is_none() && star::adjust(&mut candidates, request.sources);
    match join.search(&mut candidates, is_star) {
        Some(found) => finish::plan(&join, &candidates, &found),
        None => fail("no query solution"),
    }
}

/// Most sources have no more candidates.
const CANDIDATES_USUAL: usize = 4;

/// The state of planning one join.
struct Join<'c, 'a> {
    context: &'c PlanContext<'a>,
    request: &'a JoinRequest<'a>,
    scope: Scope<'c, 'a>,
    terms: &'c Terms<'a>,
    infos: &'c [SourceInfo<'a>],
    order: &'c OrderColumns<'a>,
}

impl Join<'_, '_> {
    /// The cheapest plan. If an order is wanted, the search runs twice, because the number of rows to be sorted is known
    /// only after the join has been planned without the order.
    fn search(&self, candidates: &mut Candidates, is_star: bool) -> Option<Found> {
        let first = self.one_search(candidates, is_star, None)?;
        if self.order.columns.is_empty() {
            return Some(first);
        }
        candidates.forbid_scans_where_keys_serve(&first.loops);
        self.one_search(candidates, is_star, Some(first.rows + 1))
    }

    fn one_search(&self, candidates: &Candidates, is_star: bool, rows_sorted: Option<LogEst>) -> Option<Found> {
        let search = Search {
            arena: self.context.arena,
            infos: self.infos,
            terms: self.terms,
            candidates,
            order: self.order,
            is_star,
            row_limit: self.request.row_limit.map(LogEst::of),
            is_distinct: self.removes_duplicates(),
            result_width: self.request.result_width,
            repeats: self.context.outer_rows.min(search::REPEATS_MAX),
        };
        search.run(rows_sorted)
    }

    /// What the loops do for another order than the requested one.
    fn order_given(&self, candidates: &Candidates, loops: &[usize], order: &OrderColumns<'_>) -> OrderResult {
        // Lifetimes of the columns are the arena's in all callers; the order is only compared.
        let path = loops.iter().map(|&number| &candidates.all[number]);
        order.satisfied_by(path, self.infos, self.terms)
    }
}

/// The columns whose order is wanted. DISTINCT alone needs equal rows to be adjacent.
fn wanted_columns<'a>(request: &JoinRequest<'a>) -> OrderColumns<'a> {
    let sources = request.sources;
    let columns = match request.order {
        WantedOrder::OrderBy(terms) => OrderColumns::of_terms(sources, terms, Wish::Sorted),
        WantedOrder::GroupBy(terms, _) => OrderColumns::of_terms(sources, terms, Wish::Grouped),
        WantedOrder::MinMax(term) => OrderColumns::of_terms(sources, std::slice::from_ref(term), Wish::Extreme),
        WantedOrder::Any if request.distinct => OrderColumns::of_exprs(sources, request.result, Wish::Distinct),
        WantedOrder::Any => OrderColumns::of_exprs(sources, &[], Wish::Sorted),
    };
    OrderColumns { told: request.order_use(), ..columns }
}

/// Whether all columns of an order are met.
fn is_whole(result: &OrderResult, order: &OrderColumns<'_>) -> bool {
    result.satisfied == Satisfied::Columns(order.columns.len())
}
