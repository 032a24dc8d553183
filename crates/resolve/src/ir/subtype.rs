//! Subtypes: a number that a function attaches to its result, as JSON functions mark JSON. Functions can read the subtype of an
//! argument. A subtype stays with the value through expressions, but not outside the query that computed it.

use lithe_functions::{Flags, Kind};

use super::{Core, CoreBody, Expr, Query, UnaryOp};

/// Whether the value may have a subtype.
pub fn may_have_subtype(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Function(call) => {
            let flags = call.function.flags();
            let is_custom = matches!(call.function.kind(), Kind::CustomScalar(_));
            let passes_on = flags.contains(Flags::PASSES_SUBTYPE);
            is_custom
                || flags.contains(Flags::RESULT_SUBTYPE)
                || flags.contains(Flags::MAKES_JSON)
                || passes_on && call.args.iter().any(may_have_subtype)
        }
        Expr::Column(column) => column.is_of_virtual_table(),
        Expr::Case(case) => case.whens.iter().map(|when| &when.value).chain(&case.otherwise).any(may_have_subtype),
        Expr::Collate(operand, _) | Expr::Unary(UnaryOp::Plus, operand) => may_have_subtype(operand),
        Expr::Matched(matched) => may_have_subtype(&matched.value),
        Expr::Aggregate(_) | Expr::Window(_) | Expr::Subquery(_) | Expr::SubqueryColumn(..) => true,
        _ => false,
    }
}

/// The expression below an operator that drops its subtype.
pub fn skip_subtype<'a>(expr: Expr<'a>) -> Expr<'a> {
    if let Expr::Unary(UnaryOp::DropSubtype, operand) = expr { *operand } else { expr }
}

/// Whether every text that the expression gives is JSON.
pub fn makes_json(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Function(call) => call.function.flags().contains(Flags::MAKES_JSON),
        Expr::Aggregate(call) => call.is_min_or_max() && call.args.first().is_some_and(makes_json),
        _ => false,
    }
}

fn core_may_have_subtypes(core: &Core<'_>) -> bool {
    match core.body {
        CoreBody::Select(select) => select.columns.iter().any(may_have_subtype),
        CoreBody::Values(rows) => rows.iter().any(|row| row.iter().any(may_have_subtype)),
        CoreBody::UnionAll(parts) => parts.iter().any(core_may_have_subtypes),
    }
}

/// Whether a column of a query's rows may have a subtype.
pub fn rows_may_have_subtypes(query: &Query<'_>) -> bool {
    query.cores.iter().any(core_may_have_subtypes)
}
