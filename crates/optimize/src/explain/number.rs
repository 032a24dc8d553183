//! The numbers of SELECTs in EXPLAIN QUERY PLAN, as a parser that reduces them gives them: by where they end.

use lithe_resolve::ir::{Child, Expr, Query, for_each_child, for_each_in_query};
use lithe_sql::ast::Span;

/// The numbers of a statement's SELECTs.
#[derive(Debug, Default)]
pub(super) struct SelectNumbers {
    ends: Vec<u32>,
    /// Numbers given to what is made of SELECTs.
    made: usize,
}

impl SelectNumbers {
    /// Notes every SELECT in the query.
    pub fn add(&mut self, query: &Query<'_>) {
        self.query(query);
        self.sort();
    }

    /// Notes every SELECT in the expression.
    pub fn add_expr(&mut self, expr: &Expr<'_>) {
        self.expr(expr);
        self.sort();
    }

    fn sort(&mut self) {
        self.ends.sort_unstable();
        self.ends.dedup();
    }

    /// A number that no SELECT of the text has.
    pub fn new_number(&mut self) -> usize {
        self.made += 1;
        self.ends.len() + self.made
    }

    /// The number of a query: that of its last SELECT.
    pub fn of(&self, query: &Query<'_>) -> usize {
        query.cores.last().map_or(0, |core| self.of_span(core.span))
    }

    fn of_span(&self, span: Span) -> usize {
        self.ends.partition_point(|&end| end < span.end) + 1
    }

    fn query(&mut self, query: &Query<'_>) {
        self.ends.extend(query.cores.iter().map(|core| core.span.end));
        for_each_in_query(query, &mut |child| match child {
            Child::Expr(expr) => self.expr(expr),
            Child::Query(query) => self.query(query),
        });
    }

    fn expr(&mut self, expr: &Expr<'_>) {
        for_each_child(expr, &mut |child| match child {
            Child::Expr(expr) => self.expr(expr),
            Child::Query(query) => self.query(query),
        });
    }
}
