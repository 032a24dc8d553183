//! Partial indexes: when the conditions of the join imply that the index has all rows that can join.

use lithe_catalog::{Index, Result, Table};
use lithe_resolve::ir::{
    Between, Case, Coll, CompareOp, CompareRows, Expr, In, InSet, Source, SourceKind, Term, TermOrigin, TruthTest,
    UnaryOp, is_constant, same,
};
use lithe_resolve::{Stored, split_and};
use lithe_value::Affinity;

use super::context::PlanContext;
use super::sources::SourceInfo;
use super::terms::{MadeOf, Terms, is_pattern_match};

/// Whether the index may be used: it holds all rows, or at least all those that meet the first `own_conditions` conditions.
pub fn is_usable<'a>(
    context: &PlanContext<'a>,
    info: &SourceInfo<'a>,
    table: &'a Table,
    index: &'a Index,
    terms: &Terms<'a>,
    own_conditions: usize,
) -> Result<bool> {
    let Some(filter) = &index.filter else { return Ok(true) };
    let SourceKind::Table(db, _) = info.source.kind else { return Ok(false) };
    // The rows of a RIGHT JOIN that match nothing are found in a second pass, for which SQLite takes no chance.
    if info.precedes_right_join {
        return Ok(false);
    }
    let stored = || context.resolver.stored_expr(filter, Stored::PartialIndex, info.source.id, db, table);
    let filter = context.resolver.looking(stored)?;
    let admits = |at: usize| at < own_conditions && info.admits(terms.conditions[at].origin);
    let follows = |part: &Expr<'a>| {
        let mut derived = terms.following.iter().chain(&terms.rewritten);
        derived.any(|(of, expr)| admits(*of) && implies(expr, part))
    };
    let is_row_equality =
        |part: &Expr<'a>| terms.row_equalities.iter().any(|(before, equality)| admits(*before) && same(equality, part));
    Ok(conjuncts_all(&filter, &|part| {
        let is_said = terms.conditions[..own_conditions].iter().enumerate().any(|(at, condition)| {
            admits(at) && !condition.is_swapped && (implies(&condition.expr, part) || is_bounded(terms, at, part))
        });
        is_said || follows(part) || is_row_equality(part)
    }))
}

/// Whether the condition is a LIKE with a prefix, whose bounds imply that its operand is not NULL.
fn is_bounded<'a>(terms: &Terms<'a>, condition: usize, part: &Expr<'a>) -> bool {
    let (Expr::Function(call), Expr::IsNull(operand, true)) = (&terms.conditions[condition].expr, part) else {
        return false;
    };
    is_pattern_match(call)
        && call.args.iter().any(|arg| rejects_null(arg, operand, false))
        && terms.constraints.iter().any(|c| c.condition == condition && c.made_of == MadeOf::Like)
}

/// The conditions that every entry of the index meets: the parts of its WHERE.
pub fn conditions_of_entries<'a>(
    context: &PlanContext<'a>,
    source: &Source<'a>,
    table: &'a Table,
    index: &'a Index,
) -> Result<bumpalo::collections::Vec<'a, Term<'a>>> {
    let mut conditions = bumpalo::collections::Vec::new_in(context.arena);
    if let (Some(filter), SourceKind::Table(db, _)) = (&index.filter, source.kind) {
        let stored = || context.resolver.stored_expr(filter, Stored::PartialIndex, source.id, db, table);
        split_and(context.resolver.looking(stored)?, TermOrigin::Where, &mut conditions);
    }
    Ok(conditions)
}

/// The columns that the index's WHERE makes equal to a constant in every entry, by position. Columns compared by another collation than
/// BINARY, and columns without a type, are left out, because equal values can differ there.
pub fn fixed_columns<'a>(
    context: &PlanContext<'a>,
    source: &Source<'a>,
    table: &'a Table,
    index: &'a Index,
) -> Result<Vec<(u16, Expr<'a>)>> {
    let conditions = conditions_of_entries(context, source, table, index)?;
    let fixed = conditions.iter().filter_map(|condition| {
        let Expr::Compare(compare) = condition.expr else { return None };
        let Expr::Column(column) = compare.left else { return None };
        let at = column.index.position()?;
        let is_equality = matches!(compare.op, CompareOp::Eq | CompareOp::Is) && is_constant(&compare.right);
        let is_same = compare.how.collation == Coll::Binary && table.columns[at].affinity != Affinity::Blob;
        (is_equality && is_same).then_some((u16::try_from(at).ok()?, compare.right))
    });
    Ok(fixed.collect())
}

/// Whether all conjuncts of `expr` pass `test`.
fn conjuncts_all<'a>(expr: &Expr<'a>, test: &dyn Fn(&Expr<'a>) -> bool) -> bool {
    match expr {
        Expr::And(left, right) => conjuncts_all(left, test) && conjuncts_all(right, test),
        _ => test(expr),
    }
}

/// Whether `condition` implies `wanted` in SQLite's eyes: they are the same, `condition` implies one branch of `wanted`, or `wanted` is IS
/// NOT NULL of an operand whose NULL would make `condition` not true.
fn implies<'a>(condition: &Expr<'a>, wanted: &Expr<'a>) -> bool {
    if same(condition, wanted) {
        return true;
    }
    let is_implied = match wanted {
        Expr::Or(left, right) => implies(condition, left) || implies(condition, right),
        Expr::IsNull(operand, true) => rejects_null(condition, operand, true),
        _ => false,
    };
    is_implied || condition_of_case(condition).is_some_and(|condition| implies(condition, wanted))
}

/// What must be true so that the CASE is: it has one branch, and is false or NULL without it.
fn condition_of_case<'c, 'a>(expr: &'c Expr<'a>) -> Option<&'c Expr<'a>> {
    let Expr::Case(Case { operand: None, whens: [when], otherwise }) = expr else { return None };
    otherwise.is_none_or(|otherwise| is_zero_or_null(&otherwise)).then_some(&when.condition)
}

fn is_zero_or_null(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Null | Expr::Integer(0) | Expr::Boolean(false) => true,
        Expr::Unary(UnaryOp::Plus | UnaryOp::Negate, operand) => is_zero_or_null(operand),
        _ => false,
    }
}

/// Whether `expr` is NULL when `operand` is; if `expr` is a condition (`is_condition`), whether it is not true then.
fn rejects_null<'a>(expr: &Expr<'a>, operand: &Expr<'a>, is_condition: bool) -> bool {
    if same(expr, operand) {
        return true;
    }
    match expr {
        Expr::Collate(inner, _) => rejects_null(inner, operand, is_condition),
        Expr::Unary(UnaryOp::Not | UnaryOp::BitNot, inner) => rejects_null(inner, operand, false),
        Expr::Unary(_, inner) => rejects_null(inner, operand, is_condition),
        Expr::Binary(_, left, right) => rejects_null(left, operand, false) || rejects_null(right, operand, false),
        Expr::Compare(compare) => {
            !matches!(compare.op, CompareOp::Is | CompareOp::IsNot)
                && (rejects_null(&compare.left, operand, false) || rejects_null(&compare.right, operand, false))
        }
        Expr::CompareRows(CompareRows {
            op: CompareOp::Eq, left: Expr::Row(items), right: Expr::Subquery(_), ..
        }) => is_condition && items.iter().any(|item| rejects_null(item, operand, false)),
        Expr::In(In { value, set: InSet::List(items), .. }) => !items.is_empty() && rejects_null(value, operand, false),
        Expr::In(In { value, .. }) => is_condition && rejects_null(value, operand, false),
        Expr::Between(Between { value, low, high, rows: None, .. }) => {
            is_condition && [value, low, high].into_iter().any(|part| rejects_null(part, operand, false))
        }
        Expr::IsTrue(inner, TruthTest { null_gives: false, .. }) => is_condition && rejects_null(inner, operand, false),
        Expr::Case(_) if is_condition => {
            condition_of_case(expr).is_some_and(|inner| rejects_null(inner, operand, true))
        }
        _ => false,
    }
}
