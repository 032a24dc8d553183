//! The context in which a join is planned: the connection, and the results of planning the statement so far.

use std::cell::{OnceCell, RefCell};

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::{CompileError, Result, Table};
use lithe_resolve::Resolver;
use lithe_resolve::environment::Environment;
use lithe_resolve::ir::{Call, Expr, Query, Source, SourceId, SourceKind, SubqueryId};
use lithe_value::Value;
use lithe_vtab::CompiledScan;
use lithe_vtab::ScanId;

use super::beside::Beside;
use super::log_est::LogEst;
use super::usage::{ColumnSet, Usage};

/// The statement, as the planner sees it.
///
/// Joins are planned in the order in which they run: those of a query in FROM before the join that reads the query's rows. So the
/// estimates of the inner joins are known when an outer join is planned.
pub struct PlanContext<'a> {
    /// The connection.
    pub env: &'a Environment,
    /// The statement's arena, where plans live.
    pub arena: &'a Bump,
    /// The resolver of the statement: for expressions that the catalog keeps as text.
    pub resolver: &'a Resolver<'a>,
    /// The columns that `noted_queries` and `noted_exprs` use. Most plans do not ask.
    usage: OnceCell<Usage<'a>>,
    /// What the statement uses columns in.
    noted_queries: ArenaVec<'a, &'a Query<'a>>,
    noted_exprs: ArenaVec<'a, Expr<'a>>,
    /// The estimated number of rows of the loops in which the next join will run.
    pub(super) outer_rows: LogEst,
    pub(super) estimates: Estimates<'a>,
    /// The scans of virtual tables that plans refer to by number.
    scans: RefCell<Vec<CompiledScan>>,
    /// The results of calls with constant arguments that the planner has made.
    results: RefCell<Vec<(&'a Call<'a>, Value)>>,
    /// The first error of such a call.
    failure: RefCell<Option<CompileError>>,
}

/// The estimated numbers of rows of joins and queries in FROM.
#[derive(Debug)]
pub(super) struct Estimates<'a> {
    /// The planned joins: the first source and the number of rows of each.
    pub joins: ArenaVec<'a, (SourceId, LogEst)>,
    /// The queries in FROM.
    pub derived: ArenaVec<'a, DerivedRows<'a>>,
    /// Common tables that some join reads already.
    pub known_tables: ArenaVec<'a, SubqueryId>,
}

/// The estimated number of rows of a query in FROM.
#[derive(Debug)]
pub(super) struct DerivedRows<'a> {
    pub source: SourceId,
    /// The view, if it is one.
    pub view: Option<&'a Table>,
    pub rows: LogEst,
}

impl<'a> Estimates<'a> {
    fn new(arena: &'a Bump) -> Estimates<'a> {
        let (joins, derived) = (ArenaVec::with_capacity_in(1, arena), ArenaVec::new_in(arena));
        Estimates { joins, derived, known_tables: ArenaVec::new_in(arena) }
    }
}

impl<'a> PlanContext<'a> {
    /// Nothing is planned yet.
    #[inline]
    pub fn new(resolver: &'a Resolver<'a>) -> PlanContext<'a> {
        PlanContext {
            env: resolver.env,
            arena: resolver.arena,
            resolver,
            usage: OnceCell::new(),
            noted_queries: ArenaVec::new_in(resolver.arena),
            noted_exprs: ArenaVec::with_capacity_in(4, resolver.arena),
            outer_rows: LogEst::default(),
            estimates: Estimates::new(resolver.arena),
            scans: RefCell::default(),
            results: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    /// Records the columns that a query uses, before its joins are planned.
    pub fn note_query(&mut self, query: &'a Query<'a>) {
        if let Some(usage) = self.usage.get_mut() {
            usage.add_query(query);
        }
        self.noted_queries.push(query);
    }

    /// Records the columns that an expression outside of queries uses, before the joins that read its sources are
    /// planned.
    pub fn note_expr(&mut self, expr: &Expr<'a>) {
        if let Some(usage) = self.usage.get_mut() {
            usage.add_expr(expr);
        }
        self.noted_exprs.push(*expr);
    }

    /// The columns of `source` that the statement uses anywhere.
    pub fn used(&self, source: SourceId) -> &ColumnSet {
        self.usage.get_or_init(|| self.find_usage()).of(source)
    }

    fn find_usage(&self) -> Usage<'a> {
        let mut usage = Usage::new_in(self.arena);
        self.noted_queries.iter().for_each(|query| usage.add_query(query));
        self.noted_exprs.iter().for_each(|expr| usage.add_expr(expr));
        usage
    }

    /// The columns of `source` that the statement uses outside the expressions of an index.
    pub(super) fn used_beside<'e>(&self, source: SourceId, indexed: &'e [Expr<'a>]) -> Beside<'e, 'a> {
        let mut beside = Beside::new(source, indexed);
        self.noted_queries.iter().for_each(|query| beside.add_query(query));
        self.noted_exprs.iter().for_each(|expr| beside.add_expr(expr));
        beside
    }

    /// The estimated number of rows of a query in FROM; `None` for another source. All uses of a view have the number of the one that was
    /// planned last, as in SQLite.
    pub(super) fn estimated_rows(&self, source: &Source<'a>) -> Option<LogEst> {
        let SourceKind::Subquery(derived) = source.kind else { return None };
        let is_it = |of: &&DerivedRows<'a>| match (of.view, derived.view) {
            (Some(one), Some(other)) => std::ptr::eq(one, other),
            _ => of.source == source.id,
        };
        self.estimates.derived.iter().rev().find(is_it).map(|last| last.rows)
    }

    /// Until [`PlanContext::leave_loops`], the planned joins run inside further loops of about `rows` rows.
    pub fn enter_loops(&mut self, rows: LogEst) {
        self.outer_rows += rows;
    }

    /// Ends what [`PlanContext::enter_loops`] with the same number began.
    pub fn leave_loops(&mut self, rows: LogEst) {
        self.outer_rows -= rows;
    }

    /// The result of the call, if the planner has made it before.
    pub(super) fn known_result(&self, call: &'a Call<'a>) -> Option<Value> {
        let results = self.results.borrow();
        results.iter().find(|(known, _)| std::ptr::eq(*known, call)).map(|(_, value)| value.clone())
    }

    /// Records the result of a call.
    pub(super) fn note_result(&self, call: &'a Call<'a>, value: Value) {
        self.results.borrow_mut().push((call, value));
    }

    /// A function that the planner called has failed, which fails the statement.
    pub(super) fn fail(&self, error: CompileError) {
        self.failure.borrow_mut().get_or_insert(error);
    }

    /// # Errors
    /// That of a function that the planner called.
    pub(super) fn check_failure(&self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Adds a scan of a virtual table, and returns its number in the program.
    pub(super) fn add_scan(&self, scan: CompiledScan) -> ScanId {
        let mut scans = self.scans.borrow_mut();
        scans.push(scan);
        ScanId((scans.len() - 1) as u16)
    }

    /// Whether any virtual table is scanned.
    pub fn has_scans(&self) -> bool {
        !self.scans.borrow().is_empty()
    }

    /// The scans of virtual tables, by the numbers that plans have for them.
    pub fn take_scans(&self) -> Box<[CompiledScan]> {
        self.scans.take().into()
    }
}
