//! Partial indexes: when the conditions of the join imply that the index has all rows that can join.

use lithe_catalog::{Index, Result, Table};
use lithe_resolve::ir::{
    Child, Coll, CompareOp, Expr, Source, SourceKind, Term, TermOrigin, for_each_child, is_constant, same,
};
use lithe_resolve::{Stored, split_and};
use lithe_value::Affinity;

use super::context::PlanContext;
use super::sources::SourceInfo;
use super::terms::{Condition, MadeOf, Terms, is_pattern_match};

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
    let stored = || context.resolver.stored_expr(filter, Stored::PartialIndex, info.source.id, db, table);
    let filter = context.resolver.looking(stored)?;
    let follows = |part: &Expr<'a>| {
        let mut own = terms.following.iter().filter(|(of, _)| *of < own_conditions);
        own.any(|(of, expr)| info.admits(terms.conditions[*of].origin) && implies(expr, part))
    };
    Ok(conjuncts_all(&filter, &|part| {
        let is_said = terms.conditions[..own_conditions].iter().enumerate().any(|(at, condition)| {
            // Only the bounds of a LIKE imply that its operand is not NULL.
            let is_bound = || terms.constraints.iter().any(|c| c.condition == at && c.made_of == MadeOf::Like);
            let is_like = matches!(condition.expr, Expr::Function(call) if is_pattern_match(call));
            may_imply(info, condition) && implies(&condition.expr, part) && (!is_like || is_bound())
        });
        is_said || follows(part)
    }))
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

fn may_imply(info: &SourceInfo<'_>, condition: &Condition<'_>) -> bool {
    info.admits(condition.origin) && condition.likelihood.is_none()
}

/// Whether all conjuncts of `expr` pass `test`.
fn conjuncts_all<'a>(expr: &Expr<'a>, test: &dyn Fn(&Expr<'a>) -> bool) -> bool {
    match expr {
        Expr::And(left, right) => conjuncts_all(left, test) && conjuncts_all(right, test),
        _ => test(expr),
    }
}

/// Whether `condition` implies `wanted`: they are the same, `condition` is the same as one branch of `wanted`, or
/// `wanted` is IS NOT NULL of an operand whose NULL would make `condition` not true.
fn implies<'a>(condition: &Expr<'a>, wanted: &Expr<'a>) -> bool {
    if same(condition, wanted) || is_same_equality(condition, wanted) {
        return true;
    }
    match wanted {
        Expr::Or(left, right) => implies(condition, left) || implies(condition, right),
        Expr::IsNull(operand, true) => rejects_null(condition, operand),
        _ => false,
    }
}

/// Whether both are the same equality, written from different sides.
fn is_same_equality<'a>(condition: &Expr<'a>, wanted: &Expr<'a>) -> bool {
    let (Expr::Compare(one), Expr::Compare(other)) = (condition, wanted) else { return false };
    one.op == CompareOp::Eq
        && other.op == CompareOp::Eq
        && one.how.affinity == other.how.affinity
        && one.how.collation == other.how.collation
        && same(&one.left, &other.right)
        && same(&one.right, &other.left)
}

/// Whether the condition cannot be true when `operand` is NULL.
fn rejects_null<'a>(condition: &Expr<'a>, operand: &Expr<'a>) -> bool {
    match condition {
        Expr::Compare(compare) if !matches!(compare.op, CompareOp::Is | CompareOp::IsNot) => {
            is_null_with(&compare.left, operand) || is_null_with(&compare.right, operand)
        }
        Expr::Between(between) => is_null_with(&between.value, operand),
        Expr::In(set) => is_null_with(&set.value, operand),
        Expr::Function(call) => is_pattern_match(call) && call.args.iter().any(|arg| is_null_with(arg, operand)),
        _ => false,
    }
}

/// Whether `expr` is NULL when `operand` is.
fn is_null_with<'a>(expr: &Expr<'a>, operand: &Expr<'a>) -> bool {
    if same(expr, operand) {
        return true;
    }
    let strict = matches!(expr, Expr::Unary(..) | Expr::Binary(..) | Expr::Collate(..) | Expr::Cast(..));
    let mut found = false;
    if strict {
        for_each_child(expr, &mut |child| {
            if let Child::Expr(part) = child {
                found = found || is_null_with(part, operand);
            }
        });
    }
    found
}
