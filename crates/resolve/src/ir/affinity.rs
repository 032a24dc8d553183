//! Which affinity an expression has, and which one a comparison applies.

use lithe_value::Affinity;

use super::{Expr, UnaryOp};

/// The affinity of an expression: that of a column, of CAST, of a subquery's column. Other expressions have none.
pub fn affinity_of(expr: &Expr<'_>) -> Option<Affinity> {
    match expr {
        Expr::Column(column) => column.affinity,
        Expr::Fixed(fixed) => fixed.column.affinity,
        Expr::Output(output) => output.affinity,
        Expr::Cast(_, affinity) => Some(*affinity),
        Expr::Collate(operand, _) | Expr::Unary(UnaryOp::DropSubtype, operand) => affinity_of(operand),
        Expr::Subquery(subquery) => subquery.query.columns.first().and_then(|column| column.affinity),
        Expr::SubqueryColumn(subquery, at) => subquery.query.columns[usize::from(*at)].affinity,
        Expr::Row(items) => items.first().and_then(affinity_of),
        Expr::Computed(_, affinity) => *affinity,
        Expr::Matched(matched) => affinity_of(&matched.value),
        Expr::Function(call) if call.is_merged_column => call.args.first().and_then(affinity_of),
        _ => None,
    }
}

/// The affinity that a comparison applies to both operands, given theirs: NUMERIC if one of them is numeric; if only
/// one has an affinity, that one; otherwise nothing happens.
pub fn comparison_affinity(left: Option<Affinity>, right: Option<Affinity>) -> Option<Affinity> {
    let applied = match (left, right) {
        (Some(left), Some(right)) if left.is_numeric() || right.is_numeric() => Affinity::Numeric,
        (Some(_), Some(_)) => return None,
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return None,
    };
    (applied != Affinity::Blob).then_some(applied)
}

/// What kinds of values an expression can have, for the affinity of compound queries' columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataTypes {
    /// Numbers.
    pub numeric: bool,
    /// Texts.
    pub text: bool,
    /// Blobs.
    pub blob: bool,
}

impl DataTypes {
    const ANY: DataTypes = DataTypes { numeric: true, text: true, blob: true };
    const NUMERIC: DataTypes = DataTypes { numeric: true, text: false, blob: false };
    const TEXT: DataTypes = DataTypes { numeric: false, text: true, blob: false };
    const BLOB: DataTypes = DataTypes { numeric: false, text: false, blob: true };
    const NONE: DataTypes = DataTypes { numeric: false, text: false, blob: false };

    /// What either can have.
    #[must_use]
    pub fn or(self, other: DataTypes) -> DataTypes {
        DataTypes {
            numeric: self.numeric || other.numeric,
            text: self.text || other.text,
            blob: self.blob || other.blob,
        }
    }
}

/// The kinds of values that `expr` can have, as far as its form says.
pub fn data_types(expr: &Expr<'_>) -> DataTypes {
    match expr {
        Expr::Null => DataTypes::NONE,
        Expr::Text(_) => DataTypes::TEXT,
        Expr::Blob(_) => DataTypes::BLOB,
        Expr::Binary(super::BinaryOp::Concat, ..) => DataTypes { blob: true, ..DataTypes::TEXT },
        Expr::Collate(x, _) | Expr::Unary(UnaryOp::Plus | UnaryOp::DropSubtype, x) => data_types(x),
        Expr::Matched(matched) => data_types(&matched.value),
        Expr::Parameter(_) | Expr::Function(_) | Expr::Aggregate(_) | Expr::Window(_) => DataTypes::ANY,
        Expr::Column(_)
        | Expr::Fixed(_)
        | Expr::Output(_)
        | Expr::Subquery(_)
        | Expr::SubqueryColumn(..)
        | Expr::Cast(..)
        | Expr::Row(_)
        | Expr::Computed(..) => match affinity_of(expr) {
            Some(affinity) if affinity.is_numeric() => DataTypes { blob: true, ..DataTypes::NUMERIC },
            Some(Affinity::Text) => DataTypes { blob: true, ..DataTypes::TEXT },
            _ => DataTypes::ANY,
        },
        Expr::Case(case) => {
            let values = case.whens.iter().map(|when| &when.value).chain(&case.otherwise);
            values.fold(DataTypes::NONE, |types, value| types.or(data_types(value)))
        }
        _ => DataTypes::NUMERIC,
    }
}
