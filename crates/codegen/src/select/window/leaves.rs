//! The values that a SELECT with windows is made of: what its rows are before any window is computed.

use lithe_resolve::ir::{Child, Expr, OrderTerm, Query, Select, for_each_child, for_each_in_query, same};

/// The leaves of the result columns, ORDER BY and the windows, each once.
pub(super) fn leaves_of<'a>(select: &'a Select<'a>, order_by: &[OrderTerm<'a>]) -> Vec<Expr<'a>> {
    let mut leaves = Leaves { select, found: Vec::new() };
    select.columns.iter().for_each(|expr| leaves.expr(expr));
    order_by.iter().for_each(|term| leaves.expr(&term.expr));
    select.windows.iter().for_each(|call| leaves.expr(&Expr::Window(call)));
    leaves.found
}

struct Leaves<'a> {
    select: &'a Select<'a>,
    found: Vec<Expr<'a>>,
}

impl<'a> Leaves<'a> {
    fn expr(&mut self, expr: &Expr<'a>) {
        if self.is_leaf(expr) {
            if !self.found.iter().any(|known| same(known, expr)) {
                self.found.push(*expr);
            }
            return;
        }
        for_each_child(expr, &mut |child| self.child(child));
    }

    fn child(&mut self, child: Child<'_, 'a>) {
        match child {
            Child::Expr(expr) => self.expr(expr),
            Child::Query(query) => self.query(query),
        }
    }

    fn query(&mut self, query: &'a Query<'a>) {
        if !query.outer.is_empty() {
            for_each_in_query(query, &mut |child| self.child(child));
        }
    }

    fn is_leaf(&self, expr: &Expr<'a>) -> bool {
        match expr {
            Expr::Column(column) => self.select.position(column.source).is_some(),
            Expr::Aggregate(call) => self.select.aggregates.iter().any(|own| own.id == call.id),
            _ => self.select.group_by.iter().any(|term| same(&term.expr, expr)),
        }
    }
}
