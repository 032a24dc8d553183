//! ORs: those that are equivalent to an IN or a single comparison, and those that several paths may serve together.

use lithe_resolve::ir::{
    Compare, CompareOp, Expr, How, In, InSet, SourceSet, TermOrigin, affinity_of, any, collation_of,
    comparison_affinity, indexed_column, is_constant, same, skip_collate, skip_subtype,
};

use lithe_resolve::split_and;

use super::analysis::Analysis;
use super::{Condition, Constraint, Disjunction, Left, MadeOf, Op, Right, Terms};

/// Analyses an OR. Returns conditions on single sources that follow from it. As in SQLite, one with a COLLATE in it is checked row by row.
pub(super) fn disjunction<'a>(analysis: &mut Analysis<'_, 'a>, expr: Expr<'a>, origin: TermOrigin) -> Vec<Expr<'a>> {
    if any(&expr, &mut |part| matches!(part, Expr::Collate(..))) {
        return Vec::new();
    }
    let branches: Vec<Terms<'a>> = branches_of(&expr)
        .into_iter()
        .map(|branch| {
            let mut inner =
                Analysis { scope: analysis.scope, terms: Terms::with_capacity_in(1, analysis.scope.context.arena) };
            let mut parts = bumpalo::collections::Vec::new_in(analysis.scope.context.arena);
            split_and(*branch, origin, &mut parts);
            inner.add_all(&parts);
            inner.finish()
        })
        .collect();
    if let Some(set) = as_in(analysis, &branches) {
        analysis.derived_in(set);
        analysis.terms.following.push((analysis.condition(), Expr::In(set)));
        return Vec::new();
    }
    if let [left, right] = &branches[..]
        && !branches.iter().any(is_two_terms)
    {
        constrain_by_both(analysis, left, right);
    }
    let is_implying = analysis.scope.finds_implied && !matches!(origin, TermOrigin::OuterOn(_));
    let implied = if is_implying { implied(analysis, &branches) } else { Vec::new() };
    let sources = branches.iter().map(sources_served).reduce(intersection).unwrap_or_default();
    if !sources.is_empty() {
        let condition = analysis.condition();
        analysis.terms.disjunctions.push(Disjunction { condition, sources, branches });
    }
    implied
}

/// `a AND x OR b AND y` implies `a OR b`: the conditions of all branches on one source, if the OR uses several sources.
fn implied<'a>(analysis: &Analysis<'_, 'a>, branches: &[Terms<'a>]) -> Vec<Expr<'a>> {
    let needs = analysis.terms.conditions[analysis.condition()].needs;
    let arena = analysis.scope.context.arena;
    let said_by = |branch: &Terms<'a>, source: usize| {
        let own = branch.conditions.iter().filter(|condition| condition.needs == SourceSet::single(source));
        let plain = own.map(|condition| condition.expr).filter(is_plain);
        plain.reduce(|left, right| Expr::And(arena.alloc(left), arena.alloc(right)))
    };
    let all_say = |source: usize| {
        let said: Option<Vec<Expr<'a>>> = branches.iter().map(|branch| said_by(branch, source)).collect();
        said?.into_iter().reduce(|left, right| Expr::Or(arena.alloc(left), arena.alloc(right)))
    };
    let sources = (0..analysis.scope.sources.len()).filter(|&source| needs.contains(source));
    if needs.len() < 2 { Vec::new() } else { sources.filter_map(all_say).collect() }
}

/// Whether the expression may be evaluated twice: it contains no calls and no queries.
fn is_plain(expr: &Expr<'_>) -> bool {
    !any(expr, &mut |part| {
        let is_query = matches!(part, Expr::In(set) if matches!(set.set, InSet::Query(_)));
        is_query || matches!(part, Expr::Function(_) | Expr::Subquery(_) | Expr::SubqueryColumn(..) | Expr::Exists(_))
    })
}

/// The branches of an OR, from left to right.
fn branches_of<'e, 'a>(expr: &'e Expr<'a>) -> Vec<&'e Expr<'a>> {
    let mut found = Vec::new();
    let mut pending = vec![expr];
    while let Some(next) = pending.pop() {
        match next {
            Expr::Or(left, right) => pending.extend([right, left]),
            branch => found.push(branch),
        }
    }
    found
}

/// `x = a OR x = b OR ...` as `x IN (a, b, ...)`.
fn as_in<'a>(analysis: &Analysis<'_, 'a>, branches: &[Terms<'a>]) -> Option<&'a In<'a>> {
    // Any of the first branch's columns may be the one that all have in common.
    let first = branches.first()?;
    first.constraints.iter().find_map(|constraint| {
        let value = column_expr(analysis, first, constraint)?;
        // The affinity and collation of IN come from the left side only.
        let affinity = comparison_affinity(affinity_of(&value), None);
        let how = How { affinity, collation: collation_of(&value).unwrap_or_default() };
        let items = branches.iter().map(|branch| equal_value(branch, constraint, &value, how));
        let items: Vec<Expr<'a>> = items.collect::<Option<_>>()?;
        let arena = analysis.scope.context.arena;
        let set = In {
            value,
            set: InSet::List(arena.alloc_slice_copy(&items)),
            how: arena.alloc_slice_copy(&[how]),
            id: analysis.scope.context.resolver.new_subquery(),
        };
        Some(&*arena.alloc(set))
    })
}

/// Whether both compare the same column, or the same expression that an index may hold.
fn have_same_left(one: &Constraint<'_>, other: &Constraint<'_>) -> bool {
    one.source == other.source
        && match (one.left, other.left) {
            (Left::Column(x), Left::Column(y)) => x == y,
            (Left::Expr(x), Left::Expr(y)) => same(&x, &y),
            _ => false,
        }
}

/// The value of the left side of `wanted` in the branch, if the branch is nothing but this equality, and compares as
/// `how`.
fn equal_value<'a>(branch: &Terms<'a>, wanted: &Constraint<'a>, column: &Expr<'a>, how: How<'a>) -> Option<Expr<'a>> {
    let [Condition { parts: 1, .. }] = branch.conditions[..] else { return None };
    let is_compared_so = |constraint: &Constraint<'a>, value: &Expr<'a>| match affinity_of(value) {
        None => constraint.how.affinity == how.affinity,
        own => own == affinity_of(column),
    };
    branch.constraints.iter().find_map(|constraint| match constraint.right {
        Right::Value(value)
            if constraint.op == Op::Eq
                && have_same_left(constraint, wanted)
                && is_compared_so(constraint, &value)
                && constraint.how.collation == how.collation =>
        {
            Some(value)
        }
        _ => None,
    })
}

/// The left side of an equality as an expression: one side of the branch's comparison.
fn column_expr<'a>(analysis: &Analysis<'_, 'a>, branch: &Terms<'a>, constraint: &Constraint<'a>) -> Option<Expr<'a>> {
    let Expr::Compare(compare) = branch.conditions.get(constraint.condition)?.expr else { return None };
    let mut sides = [compare.left, compare.right].into_iter();
    sides.find(|side| constraint.op == Op::Eq && is_side_of(analysis, constraint, side))
}

/// Whether the expression is the left side of the constraint.
fn is_side_of<'a>(analysis: &Analysis<'_, 'a>, constraint: &Constraint<'a>, side: &Expr<'a>) -> bool {
    let column = match constraint.left {
        Left::Column(column) => column,
        Left::Expr(expr) => return same(&skip_subtype(skip_collate(*side)), &expr),
    };
    let id = analysis.scope.sources[constraint.source].id;
    indexed_column(&skip_collate(*side)).is_some_and(|side| side.index == column && side.source == id)
}

/// The constraint, which differs from one of the branch in the operator alone, as an expression.
fn as_comparison<'a>(analysis: &Analysis<'_, 'a>, branch: &Terms<'a>, constraint: &Constraint<'a>) -> Option<Expr<'a>> {
    let Right::Value(right) = constraint.right else { return None };
    let sides = match branch.conditions.get(constraint.condition)?.expr {
        Expr::Compare(compare) => [compare.left, compare.right],
        Expr::Between(between) => [between.value; 2],
        _ => return None,
    };
    let left = sides.into_iter().find(|side| is_side_of(analysis, constraint, side))?;
    let op = match constraint.op {
        Op::Eq => CompareOp::Eq,
        Op::Lt => CompareOp::Lt,
        Op::Le => CompareOp::Le,
        Op::Gt => CompareOp::Gt,
        Op::Ge => CompareOp::Ge,
        _ => return None,
    };
    let compare = Compare { op, left, right, how: constraint.how, replaced: None };
    Some(Expr::Compare(analysis.scope.context.arena.alloc(compare)))
}

/// Whether the branch is a comparison of two columns, which SQLite keeps as two terms of the OR.
fn is_two_terms(branch: &Terms<'_>) -> bool {
    let is_comparison = matches!(branch.conditions[..], [Condition { expr: Expr::Compare(_), .. }]);
    is_comparison && branch.constraints.iter().any(|constraint| constraint.is_extra)
}

/// `x = a OR x > a` is `x >= a`, and the like; `x > a AND y OR x = a AND z` implies it.
fn constrain_by_both<'a>(analysis: &mut Analysis<'_, 'a>, left: &Terms<'a>, right: &Terms<'a>) {
    // A condition of several parts, such as BETWEEN, is more than one comparison.
    let is_whole = |terms: &Terms<'a>| matches!(terms.conditions[..], [Condition { parts: 1, .. }]);
    let pairs = left.constraints.iter().flat_map(|one| right.constraints.iter().map(move |other| (one, other)));
    let implied: Vec<Constraint<'a>> = pairs.filter_map(|(one, other)| one_comparison(one, other)).collect();
    let condition = analysis.condition();
    for constraint in &implied {
        if let Some(expr) = as_comparison(analysis, left, constraint) {
            analysis.terms.following.push((condition, expr));
        }
        analysis.constrain_as(*constraint);
    }
    let says_more = !is_whole(left) || !is_whole(right);
    if says_more && !implied.is_empty() {
        analysis.always_check();
    }
}

/// The comparison that is equivalent to the OR of two comparisons of the same column and value.
fn one_comparison<'a>(left: &Constraint<'a>, right: &Constraint<'a>) -> Option<Constraint<'a>> {
    let (Right::Value(a), Right::Value(b)) = (left.right, right.right) else { return None };
    // The bounds of a LIKE leave BLOBs out.
    let is_said = |constraint: &Constraint<'a>| constraint.made_of == MadeOf::Comparison;
    let same_left = have_same_left(left, right);
    let same_how = left.how.affinity == right.how.affinity && left.how.collation == right.how.collation;
    if !is_said(left) || !is_said(right) || !same_left || !same_how || !same(&a, &b) {
        return None;
    }
    Some(Constraint { op: union(left.op, right.op)?, ..*left })
}

/// The comparison that is equivalent to the OR of the two.
fn union(left: Op, right: Op) -> Option<Op> {
    let less = |op| matches!(op, Op::Eq | Op::Lt | Op::Le);
    let greater = |op| matches!(op, Op::Eq | Op::Gt | Op::Ge);
    match (left, right) {
        _ if left == right => Some(left),
        _ if less(left) && less(right) => Some(Op::Le),
        _ if greater(left) && greater(right) => Some(Op::Ge),
        _ => None,
    }
}

/// The sources through which the branch has a path. IS NOT NULL alone gives none.
fn sources_served(branch: &Terms<'_>) -> SourceSet {
    let mut sources = SourceSet::EMPTY;
    let serving = branch.constraints.iter().filter(|constraint| constraint.made_of != MadeOf::NotNull);
    serving.for_each(|constraint| sources.insert(constraint.source));
    let within = compared_within(branch).map_or(SourceSet::EMPTY, SourceSet::single);
    sources.minus(within)
}

/// The source of both sides of a branch `a = b` whose column on the left is a constant. SQLite looks b up by a copy of the comparison, and
/// has no path for the comparison itself.
fn compared_within(branch: &Terms<'_>) -> Option<usize> {
    let [Condition { expr: Expr::Compare(compare), .. }] = branch.conditions[..] else { return None };
    let replaced = match skip_collate(compare.left) {
        Expr::Fixed(fixed) => fixed.column,
        left if is_constant(&left) => compare.replaced?,
        _ => return None,
    };
    let is_within = indexed_column(&skip_collate(compare.right))?.source == replaced.source;
    let of_right = branch.constraints.iter().find(|constraint| constraint.is_extra)?;
    is_within.then_some(of_right.source)
}

fn intersection(left: SourceSet, right: SourceSet) -> SourceSet {
    left.minus(left.minus(right))
}
