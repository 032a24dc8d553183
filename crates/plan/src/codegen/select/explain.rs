//! What queries add to EXPLAIN QUERY PLAN.

use lithe_sql::ast::Span;

use super::super::Codegen;
use crate::access::JoinPlan;
use crate::ir::{
    Child, Core, CoreBody, Derived, Expr, OrderTerm, Query, Source, SourceKind, for_each_child, for_each_in_query,
};

/// Numbers the SELECTs of a statement as a parser that reduces them does: by where they end.
#[derive(Default)]
pub(super) struct SelectNumbers {
    ends: Vec<u32>,
}

impl SelectNumbers {
    /// Notes every SELECT in the query.
    fn add(&mut self, query: &Query<'_>) {
        self.ends.extend(query.cores.iter().map(|core| core.span.end));
    }

    fn sort(&mut self) {
        self.ends.sort_unstable();
        self.ends.dedup();
    }

    fn of(&self, span: Span) -> usize {
        self.ends.partition_point(|&end| end < span.end) + 1
    }
}

impl<'a> Codegen<'a> {
    /// Numbers the SELECTs of the statement's query, if the plan is wanted.
    pub(crate) fn number_selects(&mut self, query: &'a Query<'a>) {
        if self.explain.is_on() {
            self.number_query(query);
            self.select.numbers.sort();
        }
    }

    fn number_query(&mut self, query: &'a Query<'a>) {
        self.select.numbers.add(query);
        for_each_in_query(query, &mut |child| match child {
            Child::Expr(expr) => self.number_expr(expr),
            Child::Query(query) => self.number_query(query),
        });
    }

    fn number_expr(&mut self, expr: &Expr<'a>) {
        for_each_child(expr, &mut |child| match child {
            Child::Expr(expr) => self.number_expr(expr),
            Child::Query(query) => self.number_query(query),
        });
    }

    /// The number of a query: that of its last SELECT.
    pub(crate) fn query_number(&self, query: &Query<'_>) -> usize {
        query.cores.last().map_or(0, |core| self.select.numbers.of(core.span))
    }

    /// Opens a line for a query within an expression; the caller closes it.
    pub(crate) fn explain_subquery(&mut self, query: &Query<'a>, what: &str) {
        if self.explain.is_on() {
            let correlated = if query.is_correlated() { "CORRELATED " } else { "" };
            let number = self.query_number(query);
            self.explain.open(|| format!("{correlated}{what} {number}"));
        }
    }

    /// How lines name a source.
    pub(crate) fn source_name(&self, source: &Source<'a>) -> String {
        match source.kind {
            SourceKind::Subquery(derived) if source.name.as_bytes().is_empty() => self.derived_name(derived),
            _ => source.name.to_string(),
        }
    }

    fn derived_name(&self, derived: &Derived<'a>) -> String {
        match derived.query.cores {
            [Core { body: CoreBody::Values(rows), .. }] => format!("{}-ROW VALUES CLAUSE", rows.len()),
            _ => format!("(subquery-{})", self.query_number(derived.query)),
        }
    }

    /// The line about ORDER BY that the loops do not satisfy, or not to the last term.
    pub(super) fn explain_order(&mut self, order_by: &[OrderTerm<'a>], plan: &JoinPlan<'a>) {
        self.explain.line(|| match order_by.len() - plan.ordered_terms.min(order_by.len()) {
            _ if plan.ordered_terms == 0 => "USE TEMP B-TREE FOR ORDER BY".to_owned(),
            1 => "USE TEMP B-TREE FOR LAST TERM OF ORDER BY".to_owned(),
            rest => format!("USE TEMP B-TREE FOR LAST {rest} TERMS OF ORDER BY"),
        });
    }
}
