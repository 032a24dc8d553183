//! What planning knows beside the join that is planned: the connection, and what the statement has shown so far.

use std::cell::RefCell;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_resolve::Resolver;
use lithe_resolve::environment::Environment;
use lithe_resolve::ir::{Expr, Query, Source, SourceId, SubqueryId};
use lithe_vtab::CompiledScan;
use lithe_vtab::ScanId;

use super::beside::Beside;
use super::log_est::LogEst;
use super::usage::{ColumnSet, Usage};

/// The statement, as the planner sees it.
///
/// Joins are planned in the order in which they are run: those of a query in FROM before the join that reads the query's rows. So
/// the estimates of the inner joins are known when an outer one is planned.
pub struct PlanContext<'a> {
    /// The connection.
    pub env: &'a Environment,
    /// The statement's arena, where plans live.
    pub arena: &'a Bump,
    /// The resolver of the statement: for expressions that the catalog keeps as text.
    pub resolver: &'a Resolver<'a>,
    usage: Usage<'a>,
    /// What `usage` was made of.
    noted_queries: ArenaVec<'a, &'a Query<'a>>,
    noted_exprs: ArenaVec<'a, Expr<'a>>,
    /// About how many rows the loops have in which the join that is planned will run.
    pub(super) outer_rows: LogEst,
    pub(super) estimates: Estimates<'a>,
    /// The scans of virtual tables that plans refer to by number.
    scans: RefCell<Vec<CompiledScan>>,
}

/// How many rows joins and queries in FROM are taken to have.
#[derive(Debug)]
pub(super) struct Estimates<'a> {
    /// The joins that have been planned: their first source, and the rows that they give.
    pub joins: ArenaVec<'a, (SourceId, LogEst)>,
    /// The queries in FROM, by their source.
    pub derived: ArenaVec<'a, (SourceId, LogEst)>,
    /// Common tables that some join reads already.
    pub known_tables: ArenaVec<'a, SubqueryId>,
}

impl<'a> Estimates<'a> {
    fn new(arena: &'a Bump) -> Estimates<'a> {
        let (joins, derived) = (ArenaVec::with_capacity_in(1, arena), ArenaVec::new_in(arena));
        Estimates { joins, derived, known_tables: ArenaVec::new_in(arena) }
    }
}

impl<'a> PlanContext<'a> {
    /// Nothing is planned yet.
    pub fn new(resolver: &'a Resolver<'a>) -> PlanContext<'a> {
        PlanContext {
            env: resolver.env,
            arena: resolver.arena,
            resolver,
            usage: Usage::new_in(resolver.arena),
            noted_queries: ArenaVec::new_in(resolver.arena),
            noted_exprs: ArenaVec::with_capacity_in(4, resolver.arena),
            outer_rows: LogEst::default(),
            estimates: Estimates::new(resolver.arena),
            scans: RefCell::default(),
        }
    }

    /// Notes what a query uses: before its joins are planned.
    pub fn note_query(&mut self, query: &'a Query<'a>) {
        self.usage.add_query(query);
        self.noted_queries.push(query);
    }

    /// Notes what an expression outside of queries uses: before the joins that read its sources are planned.
    pub fn note_expr(&mut self, expr: &Expr<'a>) {
        self.usage.add_expr(expr);
        self.noted_exprs.push(*expr);
    }

    /// The columns of `source` that the statement uses anywhere.
    pub fn used(&self, source: SourceId) -> &ColumnSet {
        self.usage.of(source)
    }

    /// What the statement uses of `source` beside expressions that an index has.
    pub(super) fn used_beside<'e>(&self, source: SourceId, indexed: &'e [Expr<'a>]) -> Beside<'e, 'a> {
        let mut beside = Beside::new(source, indexed);
        self.noted_queries.iter().for_each(|query| beside.add_query(query));
        self.noted_exprs.iter().for_each(|expr| beside.add_expr(expr));
        beside
    }

    /// About how many rows a query in FROM has; `None` if the source is none.
    pub(super) fn estimated_rows(&self, source: &Source<'a>) -> Option<LogEst> {
        self.estimates.derived.iter().rev().find(|(id, _)| *id == source.id).map(|(_, rows)| *rows)
    }

    /// The joins that are planned from here on run in further loops of about `rows` rows, until [`PlanContext::leave_loops`].
    pub fn enter_loops(&mut self, rows: LogEst) {
        self.outer_rows += rows;
    }

    /// Ends what [`PlanContext::enter_loops`] with the same number began.
    pub fn leave_loops(&mut self, rows: LogEst) {
        self.outer_rows -= rows;
    }

    /// Adds a way to scan a virtual table; the program's number of it.
    pub(super) fn add_scan(&self, scan: CompiledScan) -> ScanId {
        let mut scans = self.scans.borrow_mut();
        scans.push(scan);
        ScanId((scans.len() - 1) as u16)
    }

    /// The scans of virtual tables, by the numbers that plans have for them.
    pub fn take_scans(&self) -> Box<[CompiledScan]> {
        self.scans.take().into()
    }
}
