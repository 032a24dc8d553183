//! Walking expressions and queries.

use super::{
    Aggregate, Core, CoreBody, Expr, FrameBound, In, InSet, Query, Select, Source, SourceId, SourceKind, SourceSet,
    Window, WindowCall,
};

/// Something below an expression or a query.
#[derive(Clone, Copy, Debug)]
pub enum Child<'e, 'a> {
    /// An operand.
    Expr(&'e Expr<'a>),
    /// A nested query.
    Query(&'a Query<'a>),
}

/// Calls `f` on everything directly below `expr`.
pub fn for_each_child<'e, 'a>(expr: &'e Expr<'a>, f: &mut dyn FnMut(Child<'e, 'a>)) {
    match expr {
        Expr::Null
        | Expr::Integer(_)
        | Expr::Boolean(_)
        | Expr::Real(_)
        | Expr::Text(_)
        | Expr::Blob(_)
        | Expr::Parameter(_)
        | Expr::Column(_)
        | Expr::Computed(..)
        | Expr::Output(_) => {}
        Expr::Fixed(fixed) => f(Child::Expr(&fixed.value)),
        Expr::Unary(_, x) | Expr::IsNull(x, _) | Expr::IsTrue(x, _) | Expr::Cast(x, _) | Expr::Collate(x, _) => {
            f(Child::Expr(x));
        }
        Expr::Binary(_, x, y) | Expr::And(x, y) | Expr::Or(x, y) => {
            f(Child::Expr(x));
            f(Child::Expr(y));
        }
        Expr::Matched(matched) => {
            f(Child::Expr(&matched.key));
            f(Child::Expr(&matched.value));
        }
        Expr::Compare(compare) => {
            f(Child::Expr(&compare.left));
            f(Child::Expr(&compare.right));
        }
        Expr::CompareRows(compare) => {
            f(Child::Expr(&compare.left));
            f(Child::Expr(&compare.right));
        }
        Expr::Between(between) => {
            f(Child::Expr(&between.value));
            f(Child::Expr(&between.low));
            f(Child::Expr(&between.high));
        }
        Expr::In(In { value, set, .. }) => {
            f(Child::Expr(value));
            match set {
                InSet::List(items) => each(items, f),
                InSet::Query(query) => f(Child::Query(query)),
            }
        }
        Expr::Case(case) => {
            case.operand.iter().for_each(|x| f(Child::Expr(x)));
            for when in case.whens {
                f(Child::Expr(&when.condition));
                f(Child::Expr(&when.value));
            }
            case.otherwise.iter().for_each(|x| f(Child::Expr(x)));
        }
        Expr::Function(call) => each(call.args, f),
        Expr::Row(items) => each(items, f),
        Expr::Aggregate(aggregate) => aggregate_children(aggregate, f),
        Expr::Window(call) => window_children(call, f),
        Expr::Subquery(subquery) | Expr::SubqueryColumn(subquery, _) | Expr::Exists(subquery) => {
            f(Child::Query(subquery.query));
        }
        Expr::Raise(raise) => raise.message.iter().for_each(|x| f(Child::Expr(x))),
    }
}

fn each<'e, 'a>(exprs: &'e [Expr<'a>], f: &mut dyn FnMut(Child<'e, 'a>)) {
    exprs.iter().for_each(|x| f(Child::Expr(x)));
}

fn aggregate_children<'e, 'a>(aggregate: &'e Aggregate<'a>, f: &mut dyn FnMut(Child<'e, 'a>)) {
    each(aggregate.args, f);
    aggregate.order_by.iter().for_each(|term| f(Child::Expr(&term.expr)));
    aggregate.filter.iter().for_each(|x| f(Child::Expr(x)));
}

fn window_children<'e, 'a>(call: &'e WindowCall<'a>, f: &mut dyn FnMut(Child<'e, 'a>)) {
    each(call.args, f);
    call.filter.iter().for_each(|x| f(Child::Expr(x)));
    let Window { partition_by, order_by, start, end, .. } = call.window;
    each(partition_by, f);
    order_by.iter().for_each(|term| f(Child::Expr(&term.expr)));
    for bound in [start, end] {
        if let FrameBound::Preceding(x) | FrameBound::Following(x) = bound {
            f(Child::Expr(x));
        }
    }
}

/// Calls `f` on every expression and nested query that stands directly in `query`: in all its cores, FROM
/// subqueries included, ORDER BY and LIMIT.
pub fn for_each_in_query<'a>(query: &'a Query<'a>, f: &mut dyn FnMut(Child<'a, 'a>)) {
    query.cores.iter().for_each(|core| for_each_in_core(core, f));
    query.order_by.iter().for_each(|term| f(Child::Expr(&term.expr)));
    if let Some(limit) = query.limit {
        f(Child::Expr(&limit.limit));
        limit.offset.iter().for_each(|x| f(Child::Expr(x)));
    }
}

fn for_each_in_core<'a>(core: &Core<'a>, f: &mut dyn FnMut(Child<'a, 'a>)) {
    match core.body {
        CoreBody::Select(select) => for_each_in_select(select, f),
        CoreBody::Values(rows) => rows.iter().for_each(|row| each(row, f)),
        CoreBody::UnionAll(parts) => parts.iter().for_each(|part| for_each_in_core(part, f)),
    }
}

/// As [`for_each_in_query`], of one SELECT.
pub fn for_each_in_select<'a>(select: &'a Select<'a>, f: &mut dyn FnMut(Child<'a, 'a>)) {
    for source in select.sources {
        if let SourceKind::Subquery(derived) = source.kind {
            f(Child::Query(derived.query));
        }
    }
    each(select.columns, f);
    select.terms.iter().for_each(|term| f(Child::Expr(&term.expr)));
    select.group_by.iter().for_each(|term| f(Child::Expr(&term.expr)));
    select.having.iter().for_each(|x| f(Child::Expr(x)));
}

/// Whether there is a query anywhere in the expression.
pub fn has_query(expr: &Expr<'_>) -> bool {
    any_query(expr, &|_| true)
}

/// Whether a query anywhere in the expression depends on what is around it. One that does not is computed once.
pub fn has_correlated_query(expr: &Expr<'_>) -> bool {
    any_query(expr, &Query::is_correlated)
}

fn any_query<'a>(expr: &Expr<'a>, test: &dyn Fn(&Query<'a>) -> bool) -> bool {
    if expr.is_leaf() {
        return false;
    }
    let mut found = false;
    for_each_child(expr, &mut |child| {
        found = found
            || match child {
                Child::Expr(operand) => any_query(operand, test),
                Child::Query(query) => test(query),
            };
    });
    found
}

/// Whether `test` holds for `expr` or anything below it; nested queries are not entered.
pub fn any<'a>(expr: &Expr<'a>, test: &mut dyn FnMut(&Expr<'a>) -> bool) -> bool {
    if test(expr) {
        return true;
    }
    if expr.is_leaf() {
        return false;
    }
    let mut found = false;
    for_each_child(expr, &mut |child| {
        if let Child::Expr(operand) = child {
            found = found || any(operand, test);
        }
    });
    found
}

/// Calls `f` on every source that the value of `expr` depends on. A nested query gives its outer sources; an aggregate
/// gives what its arguments depend on.
pub fn for_each_source<'a>(expr: &Expr<'a>, f: &mut dyn FnMut(SourceId)) {
    if let Expr::Column(column) = expr {
        return f(column.source);
    }
    if expr.is_leaf() {
        return;
    }
    for_each_child(expr, &mut |child| match child {
        Child::Expr(operand) => for_each_source(operand, f),
        Child::Query(query) => query.outer.iter().for_each(|&source| f(source)),
    });
}

/// Which of `sources` the value of `expr` depends on, by their positions.
pub fn sources_of<'a>(sources: &[Source<'a>], expr: &Expr<'a>) -> SourceSet {
    let mut set = SourceSet::EMPTY;
    for_each_source(expr, &mut |id| {
        if let Some(position) = sources.iter().position(|source| source.id == id) {
            set.insert(position);
        }
    });
    set
}
