//! What queries add to EXPLAIN QUERY PLAN.

use lithe_optimize::access::{JoinPlan, LogEst};
use lithe_resolve::ir::{
    Child, Core, CoreBody, Derived, Expr, OrderTerm, Query, Source, SourceKind, for_each_child, for_each_in_query,
};
use lithe_sql::ast::Span;

use super::super::Codegen;
use super::Destination;

/// Numbers the SELECTs of a statement as a parser that reduces them does: by where they end.
#[derive(Default)]
pub(super) struct SelectNumbers {
    ends: Vec<u32>,
    /// Numbers given to what is made of SELECTs.
    made: usize,
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

    /// A number that no SELECT of the text has.
    fn new_number(&mut self) -> usize {
        self.made += 1;
        self.ends.len() + self.made
    }

    fn of(&self, span: Span) -> usize {
        self.ends.partition_point(|&end| end < span.end) + 1
    }
}

/// How VALUES is shown.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum ShownValues {
    /// As a source: the statement is nothing else.
    #[default]
    AsClause,
    /// As a query of constants: in a view or common table.
    AsConstants,
    /// Not at all: the line of the loop that reads it says so.
    Nowhere,
}

/// Whether the source is VALUES in parentheses.
pub(super) fn is_values_clause(derived: &Derived<'_>) -> bool {
    let is_values = matches!(derived.query.cores, [Core { body: CoreBody::Values(_), .. }]);
    is_values && derived.cte.is_none() && derived.view.is_none()
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

    /// A number for a SELECT that is not in the text.
    pub(super) fn new_select_number(&mut self) -> usize {
        self.select.numbers.new_number()
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

    /// How lines name a source that is read.
    pub(crate) fn source_name(&self, source: &Source<'a>) -> String {
        match source.kind {
            SourceKind::Subquery(derived) if is_values_clause(derived) || source.name.as_bytes().is_empty() => {
                self.derived_name(derived)
            }
            _ => source.name.to_string(),
        }
    }

    /// How lines name a source that is made: views and common tables by their own names.
    pub(super) fn made_name(&self, source: &Source<'a>, derived: &Derived<'a>) -> String {
        match (derived.cte, derived.view) {
            (Some(cte), _) => cte.name.to_string(),
            (None, Some(view)) => view.name.to_string(),
            (None, None) => self.source_name(source),
        }
    }

    fn derived_name(&self, derived: &Derived<'a>) -> String {
        match derived.query.cores {
            [Core { body: CoreBody::Values(rows), .. }] => format!("{}-ROW VALUES CLAUSE", rows.len()),
            _ => format!("(subquery-{})", self.query_number(derived.query)),
        }
    }

    /// The line of VALUES. To SQLite, those that are no source of an INSERT are a scan of a table of unknown size.
    pub(super) fn explain_values(&mut self, rows: usize, destination: &Destination) {
        let cost = if matches!(destination, Destination::Coroutine { .. }) { LogEst::ONE } else { LogEst(216) };
        match self.select.shown_values {
            ShownValues::AsClause => {
                self.explain.loop_line(cost, || format!("SCAN {rows}-ROW VALUES CLAUSE"));
            }
            ShownValues::AsConstants => self.explain.line(|| format!("SCAN {rows} CONSTANT ROWS")),
            ShownValues::Nowhere => {}
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
