//! The columns of a source that a statement uses outside the expressions of an index. Such an index may be covering although it lacks the
//! columns in its expressions.
//!
//! ```text
//!   CREATE INDEX i ON t(length(c), b)
//!   SELECT b FROM t WHERE length(c) = 3                       covering
//!   SELECT length(c), count(*) FROM t GROUP BY length(c) costs as if covering; the result of a group is computed from the columns of a
//!   row
//! ```

use lithe_resolve::ir::{
    Child, CoreBody, Expr, OrderTerm, Query, Select, SourceId, SourceKind, Window, any, for_each_child, same,
    same_window,
};

use super::usage::ColumnSet;

/// The columns of one source that are used outside the expressions of an index.
pub struct Beside<'e, 'a> {
    source: SourceId,
    indexed: &'e [Expr<'a>],
    /// The columns that are used outside the expressions.
    pub used: ColumnSet,
    /// The columns in expressions that the index has, but that are computed from the row all the same.
    pub used_of_row: ColumnSet,
    /// The window of the SELECT whose result columns are added that SQLite computes first.
    innermost: Option<Innermost<'a>>,
}

/// Of several windows SQLite computes each over a subquery that has the others: the one written last first. Only its expressions are
/// evaluated where the rows are read. The others are computed later, from columns.
#[derive(Clone, Copy)]
struct Innermost<'a> {
    window: &'a Window<'a>,
    /// The first window of the result columns, if ORDER BY has calls of its own: these are computed before it, whatever their windows are.
    later: Option<&'a Window<'a>>,
}

/// From which row an expression is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// From the entry of the index.
    Entry,
    /// Later, from columns of the row that were kept.
    Row,
    /// After the windows, through which SQLite carries the columns.
    BehindWindows,
    /// As `Row`, but the arguments of aggregates are computed from the entry.
    RowBesideAggregates,
}

impl<'e, 'a> Beside<'e, 'a> {
    /// No column is used yet.
    pub fn new(source: SourceId, indexed: &'e [Expr<'a>]) -> Beside<'e, 'a> {
        Beside { source, indexed, used: ColumnSet::default(), used_of_row: ColumnSet::default(), innermost: None }
    }

    /// Adds all columns that a query uses.
    pub fn add_query(&mut self, query: &Query<'a>) {
        let mut shown = Reads::Entry;
        let around = self.innermost;
        for core in query.cores {
            core.for_each_part(&mut |part| match part.body {
                CoreBody::Select(select) => {
                    shown = reads_of(select);
                    let order_by = if query.cores.len() == 1 { query.order_by } else { &[] };
                    self.innermost = Innermost::of(select, order_by);
                    self.add_select(select);
                }
                CoreBody::Values(rows) => rows.iter().for_each(|row| self.add_all(row, Reads::Entry)),
                CoreBody::UnionAll(_) => {}
            });
        }
        if let Some(innermost) = &mut self.innermost {
            innermost.later = None;
        }
        query.order_by.iter().for_each(|term| self.add(&term.expr, shown));
        self.innermost = around;
        if let Some(limit) = query.limit {
            self.add_expr(&limit.limit);
            limit.offset.iter().for_each(|offset| self.add_expr(offset));
        }
    }

    /// Adds all columns that an expression outside of queries uses.
    pub fn add_expr(&mut self, expr: &Expr<'a>) {
        self.add(expr, Reads::Entry);
    }

    fn add_select(&mut self, select: &Select<'a>) {
        for source in select.sources {
            if let SourceKind::Subquery(derived) = source.kind {
                self.add_query(derived.query);
            }
        }
        select.terms.iter().for_each(|term| self.add_expr(&term.expr));
        select.group_by.iter().for_each(|term| self.add_expr(&term.expr));
        let shown = reads_of(select);
        self.add_all(select.columns, shown);
        select.having.iter().for_each(|having| self.add(having, shown));
    }

    fn add_all(&mut self, exprs: &[Expr<'a>], reads: Reads) {
        exprs.iter().for_each(|expr| self.add(expr, reads));
    }

    fn add(&mut self, expr: &Expr<'a>, reads: Reads) {
        match expr {
            Expr::Column(column) if column.source == self.source => {
                self.used.insert(column.index);
                self.used_of_row.insert(column.index);
            }
            Expr::Window(call) if reads == Reads::BehindWindows && self.is_innermost(call.window) => {
                self.add_below(expr, Reads::Row);
            }
            _ if reads != Reads::BehindWindows && self.indexed.iter().any(|indexed| same(indexed, expr)) => {
                if reads != Reads::Entry {
                    self.add_to_row(expr);
                }
            }
            Expr::Aggregate(_) if reads == Reads::RowBesideAggregates => self.add_below(expr, Reads::Entry),
            _ => self.add_below(expr, reads),
        }
    }

    fn is_innermost(&self, window: &Window<'a>) -> bool {
        self.innermost.is_none_or(|innermost| {
            let is_later = innermost.later.is_some_and(|later| same_window(later, window));
            !is_later && same_window(innermost.window, window)
        })
    }

    fn add_below(&mut self, expr: &Expr<'a>, reads: Reads) {
        for_each_child(expr, &mut |child| match child {
            Child::Expr(operand) => self.add(operand, reads),
            Child::Query(query) => self.add_query(query),
        });
    }

    fn add_to_row(&mut self, expr: &Expr<'a>) {
        if let Expr::Column(column) = expr
            && column.source == self.source
        {
            self.used_of_row.insert(column.index);
        }
        // An index contains no query.
        for_each_child(expr, &mut |child| {
            if let Child::Expr(operand) = child {
                self.add_to_row(operand);
            }
        });
    }
}

impl<'a> Innermost<'a> {
    fn of(select: &Select<'a>, order_by: &[OrderTerm<'a>]) -> Option<Innermost<'a>> {
        let first = select.windows.first()?.window;
        let mut copied = Vec::new();
        for term in order_by.iter().filter(|term| term.output.is_some()) {
            any(&term.expr, &mut |expr| {
                if let Expr::Window(call) = expr {
                    copied.push(call.window);
                }
                false
            });
        }
        let later = (!copied.is_empty()).then_some(first);
        let others = select.windows.iter().map(|call| call.window).filter(|window| !same_window(window, first));
        let mut last = first;
        let mut known: Vec<&Window<'a>> = vec![first];
        if later.is_some() {
            known.clear();
        }
        for window in others.chain(copied) {
            if !known.iter().any(|known| same_window(known, window)) {
                known.push(window);
                last = window;
            }
        }
        Some(Innermost { window: last, later })
    }
}

/// How the result columns of a SELECT are evaluated.
fn reads_of(select: &Select<'_>) -> Reads {
    match select.is_aggregate {
        _ if !select.windows.is_empty() => Reads::BehindWindows,
        true if select.group_by.is_empty() => Reads::RowBesideAggregates,
        true => Reads::Row,
        false => Reads::Entry,
    }
}
