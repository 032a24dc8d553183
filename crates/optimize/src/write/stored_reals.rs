//! Integers of REAL columns in RETURNING.
//!
//! A real without a fraction that is stored in a REAL column is an integer in the record. If the record is made from the row's registers
//! themselves, SQLite's RETURNING reads the integer from there, too. The column alone is read as a real, but an expression that only
//! passes its value on (`+c`, CAST AS NUMERIC, CASE, coalesce(), max()) gives the integer, although typeof() and arithmetic read a real.

use bumpalo::Bump;
use lithe_catalog::{Column as TableColumn, Table};
use lithe_resolve::ir::{
    Call, Case, Column, Core, CoreBody, Expr, Query, Select, SourceId, Subquery, UnaryOp, When, affinity_of,
};
use lithe_value::Affinity;

/// The row whose registers the record was made from.
#[derive(Clone, Copy)]
pub(super) struct StoredRow<'a> {
    pub source: SourceId,
    pub table: &'a Table,
}

impl<'a> StoredRow<'a> {
    /// The expressions of a RETURNING clause with integers where REAL columns are passed on.
    pub fn exprs(self, arena: &'a Bump, exprs: &'a [Expr<'a>]) -> &'a [Expr<'a>] {
        let has_real = |column: &TableColumn| column.affinity == Affinity::Real;
        if !self.table.columns.iter().any(has_real) {
            return exprs;
        }
        let passed = exprs
            .iter()
            .map(|expr| if affinity_of(expr) == Some(Affinity::Real) { *expr } else { self.pass(arena, expr) });
        arena.alloc_slice_fill_iter(passed)
    }

    fn pass(self, arena: &'a Bump, expr: &Expr<'a>) -> Expr<'a> {
        match expr {
            Expr::Column(column) if self.is_integer(column) => Expr::Unary(UnaryOp::Stored, arena.alloc(*expr)),
            Expr::Unary(UnaryOp::Plus, operand) => Expr::Unary(UnaryOp::Plus, arena.alloc(self.pass(arena, operand))),
            Expr::Cast(operand, Affinity::Numeric) => {
                Expr::Cast(arena.alloc(self.pass(arena, operand)), Affinity::Numeric)
            }
            Expr::Collate(operand, collation) => Expr::Collate(arena.alloc(self.pass(arena, operand)), collation),
            Expr::Case(case) => {
                let when = |when: &When<'a>| When { value: self.pass(arena, &when.value), ..*when };
                let whens = arena.alloc_slice_fill_iter(case.whens.iter().map(when));
                let otherwise = case.otherwise.as_ref().map(|otherwise| self.pass(arena, otherwise));
                Expr::Case(arena.alloc(Case { whens, otherwise, ..**case }))
            }
            Expr::Function(call) if call.function.is_builtin() && !call.is_merged_column => {
                let passes = match call.function.name() {
                    "coalesce" | "ifnull" | "min" | "max" => call.args.len(),
                    "nullif" | "likely" | "unlikely" | "likelihood" => 1,
                    _ => return *expr,
                };
                let arg = |(at, arg): (usize, &Expr<'a>)| if at < passes { self.pass(arena, arg) } else { *arg };
                let args = arena.alloc_slice_fill_iter(call.args.iter().enumerate().map(arg));
                Expr::Function(arena.alloc(Call { args, ..**call }))
            }
            Expr::Subquery(subquery) => self.pass_subquery(arena, subquery).unwrap_or(*expr),
            _ => *expr,
        }
    }

    /// A SELECT of one value without sources.
    fn pass_subquery(self, arena: &'a Bump, subquery: &Subquery<'a>) -> Option<Expr<'a>> {
        let query = subquery.query;
        let (select, [core]) = (query.single_select()?, query.cores) else { return None };
        let is_plain =
            select.sources.is_empty() && !select.is_aggregate && !select.distinct && query.order_by.is_empty();
        let [value] = select.columns else { return None };
        if !is_plain || affinity_of(value) == Some(Affinity::Real) {
            return None;
        }
        let columns = arena.alloc_slice_copy(&[self.pass(arena, value)]);
        let body = CoreBody::Select(arena.alloc(Select { columns, ..*select }));
        let cores = arena.alloc_slice_copy(&[Core { body, ..*core }]);
        let query = arena.alloc(Query { cores, ..*query });
        Some(Expr::Subquery(arena.alloc(Subquery { query, ..*subquery })))
    }

    /// Whether the register of the column has the value of the record. Virtual generated columns are in no record, but in a STRICT table
    /// their types are checked with the others.
    fn is_integer(self, column: &Column<'a>) -> bool {
        let Some(at) = column.index.position().filter(|_| column.source == self.source) else { return false };
        let column = &self.table.columns[at];
        column.affinity == Affinity::Real && (column.stored_at != TableColumn::NOT_STORED || self.table.strict)
    }
}
