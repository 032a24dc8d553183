//! Nodes of the resolved tree that are made of others: comparisons above all. Affinity and collation are determined here
//! from the operands as they were written; later transformations of the tree do not change them.

use lithe_catalog::{CompileError, Result};

use super::Resolver;
use crate::ir::{
    Coll, Compare, CompareOp, CompareRows, Compared, Expr, How, OutputColumn, UnaryOp, affinity_of, collation_of,
    comparison_affinity,
};

impl<'a> Resolver<'a> {
    /// `left op right` of any values.
    pub fn compare(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> Result<Expr<'a>> {
        match (left.width(), right.width()) {
            (1, 1) => Ok(self.compare_scalars(op, left, right)),
            (left_width, right_width) if left_width == right_width => Ok(self.compare_rows(op, left, right)),
            _ => Err(row_value_misused()),
        }
    }

    /// `left op right` of two single values.
    pub fn compare_scalars(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> Expr<'a> {
        Expr::Compare(self.arena.alloc(Compare { op, left, right, how: how(&left, &right), replaced: None }))
    }

    /// `left op right` of two row values.
    pub(super) fn compare_rows(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> Expr<'a> {
        Expr::CompareRows(self.arena.alloc(self.row_comparison(op, left, right)))
    }

    pub(super) fn row_comparison(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> CompareRows<'a> {
        let hows: Vec<How<'a>> = (0..left.width()).map(|at| row_how(&left, &right, at)).collect();
        CompareRows { op, left, right, how: self.slice(&hows) }
    }

    /// NOT above the expression, if `not` is set.
    pub(super) fn not_if(&self, not: bool, expr: Expr<'a>) -> Expr<'a> {
        if not { Expr::Unary(UnaryOp::Not, self.alloc(expr)) } else { expr }
    }
}

/// How two values are compared.
pub fn how<'a>(left: &Expr<'a>, right: &Expr<'a>) -> How<'a> {
    Compared::of(left).with(&Compared::of(right))
}

/// How columns `at` of two rows are compared. The columns of a query have no collation here.
fn row_how<'a>(left: &Expr<'a>, right: &Expr<'a>, at: usize) -> How<'a> {
    let how_beside_query = |value: &Expr<'a>, column: &OutputColumn<'a>| How {
        affinity: comparison_affinity(affinity_of(value), column.affinity),
        collation: collation_of(value).unwrap_or_default(),
    };
    match (left, right) {
        (Expr::Row(lefts), Expr::Row(rights)) => how(&lefts[at], &rights[at]),
        (Expr::Row(values), Expr::Subquery(query)) | (Expr::Subquery(query), Expr::Row(values)) => {
            how_beside_query(&values[at], &query.query.columns[at])
        }
        (Expr::Subquery(lefts), Expr::Subquery(rights)) => {
            let (left, right) = (&lefts.query.columns[at], &rights.query.columns[at]);
            How { affinity: comparison_affinity(left.affinity, right.affinity), collation: Coll::default() }
        }
        _ => how(left, right),
    }
}

pub(super) fn row_value_misused() -> CompileError {
    CompileError::new("row value misused")
}

impl<'a> Resolver<'a> {
    /// `value COLLATE collation`.
    pub(super) fn collated(&self, value: Expr<'a>, collation: Coll<'a>) -> Expr<'a> {
        Expr::Collate(self.alloc(value), self.arena.alloc(collation))
    }
}
