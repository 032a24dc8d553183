//! Rebuilding expressions and queries with some of their columns replaced.
//!
//! Trees share what does not change: every function here returns `None` for an unchanged part.

use std::cell::Cell;

use bumpalo::Bump;
use lithe_resolve::ir::{
    Aggregate, Between, BetweenRows, Call, Case, Column, Compare, CompareRows, Core, CoreBody, Derived, Expr, Fixed,
    FrameBound, How, In, InSet, Limit, Matched, OrderTerm, Query, Raise, Select, Source, SourceId, SourceKind,
    Subquery, SubqueryId, Term, TermOrigin, When, Window, WindowCall, affinity_of, comparison_affinity,
};
use lithe_value::Affinity;

/// The changes that a rebuild makes.
pub(super) trait Change<'a> {
    /// The replacement of a column.
    fn column(&mut self, column: &'a Column<'a>) -> Option<Expr<'a>>;

    /// Whether comparisons apply the affinities of their new operands.
    fn compares_anew(&self) -> bool {
        false
    }

    /// The replacement of a nested query, if it is not just the query with its parts changed.
    fn query(&mut self, query: &'a Query<'a>) -> Nested<'a> {
        let _ = query;
        Nested::Parts
    }

    /// The number of a source that is defined in the tree.
    fn source(&mut self, id: SourceId) -> SourceId {
        id
    }

    /// The number of a set or subquery.
    fn subquery(&mut self, id: SubqueryId) -> SubqueryId {
        id
    }

    /// Where the number of rows of a query in FROM is kept.
    fn rows(&mut self, rows: &'a Cell<Option<i16>>) -> &'a Cell<Option<i16>> {
        rows
    }

    /// Whether all calls of scalar functions change.
    fn changes_calls(&self) -> bool {
        false
    }

    /// A call of a scalar function that changes, because its arguments have changed or because all do.
    fn call(&mut self, call: Call<'a>) -> Call<'a> {
        call
    }

    /// The replacement of a call of a window function, if it is not just the call with its parts changed.
    fn window_call(&mut self, call: &'a WindowCall<'a>) -> Option<&'a WindowCall<'a>> {
        let _ = call;
        None
    }

    /// The replacement of IS NULL, or with `not` of IS NOT NULL, of this operand; `None` if its operand changes.
    fn null_test(&mut self, operand: &Expr<'a>, not: bool) -> Option<Expr<'a>> {
        let _ = (operand, not);
        None
    }
}

/// The replacement of a nested query.
pub(super) enum Nested<'a> {
    /// Its parts change.
    Parts,
    /// This query; `None` if it is unchanged.
    Whole(Option<&'a Query<'a>>),
}

/// Rebuilds trees into an arena.
pub(super) struct Map<'m, 'a> {
    pub arena: &'a Bump,
    pub change: &'m mut dyn Change<'a>,
}

impl<'a> Map<'_, 'a> {
    /// The expression after the change.
    pub fn expr(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        self.changed(expr).unwrap_or(*expr)
    }

    fn changed(&mut self, expr: &Expr<'a>) -> Option<Expr<'a>> {
        let arena = self.arena;
        match expr {
            Expr::Null
            | Expr::Integer(_)
            | Expr::Boolean(_)
            | Expr::Real(_)
            | Expr::Text(_)
            | Expr::Blob(_)
            | Expr::Parameter(_)
            | Expr::Computed(..)
            | Expr::Output(_) => None,
            Expr::Column(column) => self.change.column(column),
            Expr::Fixed(fixed) => {
                let value = self.changed(&fixed.value)?;
                Some(Expr::Fixed(arena.alloc(Fixed { value, ..**fixed })))
            }
            Expr::Unary(op, x) => Some(Expr::Unary(*op, self.boxed(x)?)),
            Expr::IsNull(x, not) => match self.change.null_test(x, *not) {
                Some(answer) => Some(answer),
                None => Some(Expr::IsNull(self.boxed(x)?, *not)),
            },
            Expr::IsTrue(x, test) => Some(Expr::IsTrue(self.boxed(x)?, *test)),
            Expr::Cast(x, affinity) => Some(Expr::Cast(self.boxed(x)?, *affinity)),
            Expr::Collate(x, collation) => Some(Expr::Collate(self.boxed(x)?, collation)),
            Expr::Binary(op, x, y) => self.pair(x, y).map(|(x, y)| Expr::Binary(*op, x, y)),
            Expr::And(x, y) => self.pair(x, y).map(|(x, y)| Expr::And(x, y)),
            Expr::Or(x, y) => self.pair(x, y).map(|(x, y)| Expr::Or(x, y)),
            Expr::Matched(matched) => {
                let [key, value] = self.several([&matched.key, &matched.value])?;
                Some(Expr::Matched(arena.alloc(Matched { key, value })))
            }
            Expr::Compare(compare) => {
                let [left, right] = self.several([&compare.left, &compare.right])?;
                let how = self.how(compare.how, &left, Some(&right));
                Some(Expr::Compare(arena.alloc(Compare { left, right, how, ..**compare })))
            }
            Expr::CompareRows(compare) => {
                let [left, right] = self.several([&compare.left, &compare.right])?;
                Some(Expr::CompareRows(arena.alloc(self.compare_rows(compare, left, right))))
            }
            Expr::Between(between) => {
                let [value, low, high] = self.several([&between.value, &between.low, &between.high])?;
                let low_how = self.how(between.low_how, &value, Some(&low));
                let high_how = self.how(between.high_how, &value, Some(&high));
                let rows = between.rows.map(|rows| {
                    let low = self.compare_rows(&rows.low, value, low);
                    let high = self.compare_rows(&rows.high, value, high);
                    &*arena.alloc(BetweenRows { low, high })
                });
                Some(Expr::Between(arena.alloc(Between { value, low, low_how, high, high_how, rows })))
            }
            Expr::In(set) => self.in_set(set),
            Expr::Case(case) => self.case(case),
            Expr::Function(call) => self.call(call).map(Expr::Function),
            Expr::Row(items) => self.exprs(items).map(Expr::Row),
            Expr::Aggregate(call) => self.aggregate(call).map(Expr::Aggregate),
            Expr::Window(call) => self.window_call(call).map(Expr::Window),
            Expr::Subquery(subquery) => self.subquery(subquery).map(Expr::Subquery),
            Expr::SubqueryColumn(subquery, at) => self.subquery(subquery).map(|sub| Expr::SubqueryColumn(sub, *at)),
            Expr::Exists(subquery) => self.subquery(subquery).map(Expr::Exists),
            Expr::Raise(raise) => {
                let message = Some(self.changed(raise.message.as_ref()?)?);
                Some(Expr::Raise(arena.alloc(Raise { message, ..**raise })))
            }
        }
    }

    fn call(&mut self, call: &'a Call<'a>) -> Option<&'a Call<'a>> {
        let args = match self.exprs(call.args) {
            Some(args) => args,
            None if self.change.changes_calls() => call.args,
            None => return None,
        };
        Some(self.arena.alloc(self.change.call(Call { args, ..*call })))
    }

    /// How two operands are compared that were changed. A list has no affinity.
    fn how(&self, how: How<'a>, left: &Expr<'a>, right: Option<&Expr<'a>>) -> How<'a> {
        if !self.change.compares_anew() {
            return how;
        }
        How { affinity: comparison_affinity(affinity_of(left), right.and_then(affinity_of)), ..how }
    }

    /// A comparison of rows, of operands that were changed.
    fn compare_rows(&self, compare: &CompareRows<'a>, left: Expr<'a>, right: Expr<'a>) -> CompareRows<'a> {
        let anew = |(at, how): (usize, &How<'a>)| {
            let affinity = comparison_affinity(row_affinity(&left, at), row_affinity(&right, at));
            How { affinity, ..*how }
        };
        let how = match self.change.compares_anew() {
            true => &*self.arena.alloc_slice_fill_iter(compare.how.iter().enumerate().map(anew)),
            false => compare.how,
        };
        CompareRows { op: compare.op, left, right, how }
    }

    fn boxed(&mut self, expr: &Expr<'a>) -> Option<&'a Expr<'a>> {
        self.changed(expr).map(|expr| &*self.arena.alloc(expr))
    }

    fn pair(&mut self, x: &'a Expr<'a>, y: &'a Expr<'a>) -> Option<(&'a Expr<'a>, &'a Expr<'a>)> {
        let changed = (self.boxed(x), self.boxed(y));
        match changed {
            (None, None) => None,
            (new_x, new_y) => Some((new_x.unwrap_or(x), new_y.unwrap_or(y))),
        }
    }

    /// All expressions, if any has changed.
    fn several<const N: usize>(&mut self, exprs: [&Expr<'a>; N]) -> Option<[Expr<'a>; N]> {
        let changed = exprs.map(|expr| self.changed(expr));
        let any = changed.iter().any(Option::is_some);
        any.then(|| std::array::from_fn(|at| changed[at].unwrap_or(*exprs[at])))
    }

    /// A list, if any of it has changed.
    pub fn exprs(&mut self, exprs: &'a [Expr<'a>]) -> Option<&'a [Expr<'a>]> {
        self.list(exprs, |map, expr| map.changed(expr))
    }

    fn list<T: Copy>(&mut self, items: &'a [T], mut f: impl FnMut(&mut Self, &T) -> Option<T>) -> Option<&'a [T]> {
        let mut new: Option<&'a mut [T]> = None;
        for (at, item) in items.iter().enumerate() {
            if let Some(changed) = f(self, item) {
                new.get_or_insert_with(|| self.arena.alloc_slice_copy(items))[at] = changed;
            }
        }
        new.map(|new| &*new)
    }

    fn option(&mut self, expr: &Option<Expr<'a>>) -> Option<Expr<'a>> {
        expr.as_ref().and_then(|expr| self.changed(expr))
    }

    fn in_set(&mut self, set: &'a In<'a>) -> Option<Expr<'a>> {
        let value = self.changed(&set.value);
        let members = match set.set {
            InSet::List(items) => self.exprs(items).map(InSet::List),
            InSet::Query(query) => self.query(query).map(InSet::Query),
        };
        let id = self.change.subquery(set.id);
        if value.is_none() && members.is_none() && id == set.id {
            return None;
        }
        let (new_value, new_set) = (value.unwrap_or(set.value), members.unwrap_or(set.set));
        let of_member = |at: usize| match new_set {
            InSet::List(_) => None,
            InSet::Query(query) => query.columns.get(at).and_then(|column| column.affinity),
        };
        let anew = |(at, how): (usize, &How<'a>)| How {
            affinity: comparison_affinity(row_affinity(&new_value, at), of_member(at)),
            ..*how
        };
        let how = match value.is_some() && self.change.compares_anew() {
            true => &*self.arena.alloc_slice_fill_iter(set.how.iter().enumerate().map(anew)),
            false => set.how,
        };
        let new = In { value: new_value, set: new_set, how, id };
        Some(Expr::In(self.arena.alloc(new)))
    }

    fn case(&mut self, case: &'a Case<'a>) -> Option<Expr<'a>> {
        let operand = self.option(&case.operand);
        let whens = self.list(case.whens, |map, when| {
            let changed = map.several([&when.condition, &when.value]);
            let is_compared = case.operand.is_some() && map.change.compares_anew();
            let [condition, value] = match changed {
                None if is_compared => [when.condition, when.value],
                changed => changed?,
            };
            let how = match operand.as_ref().or(case.operand.as_ref()) {
                Some(operand) => map.how(when.how, operand, Some(&condition)),
                None => when.how,
            };
            Some(When { condition, how, value })
        });
        let otherwise = self.option(&case.otherwise);
        if operand.is_none() && whens.is_none() && otherwise.is_none() {
            return None;
        }
        Some(Expr::Case(self.arena.alloc(Case {
            operand: operand.or(case.operand),
            whens: whens.unwrap_or(case.whens),
            otherwise: otherwise.or(case.otherwise),
        })))
    }

    fn aggregate(&mut self, call: &'a Aggregate<'a>) -> Option<&'a Aggregate<'a>> {
        let (args, filter, order_by) = (self.exprs(call.args), self.option(&call.filter), self.order(call.order_by));
        if args.is_none() && filter.is_none() && order_by.is_none() {
            return None;
        }
        Some(self.arena.alloc(Aggregate {
            args: args.unwrap_or(call.args),
            filter: filter.or(call.filter),
            order_by: order_by.unwrap_or(call.order_by),
            ..*call
        }))
    }

    fn window_call(&mut self, call: &'a WindowCall<'a>) -> Option<&'a WindowCall<'a>> {
        if let Some(other) = self.change.window_call(call) {
            return Some(other);
        }
        let (args, filter, window) = (self.exprs(call.args), self.option(&call.filter), self.window(call.window));
        if args.is_none() && filter.is_none() && window.is_none() {
            return None;
        }
        Some(self.arena.alloc(WindowCall {
            args: args.unwrap_or(call.args),
            filter: filter.or(call.filter),
            window: window.unwrap_or(call.window),
            ..*call
        }))
    }

    fn window(&mut self, window: &'a Window<'a>) -> Option<&'a Window<'a>> {
        let (partition_by, order_by) = (self.exprs(window.partition_by), self.order(window.order_by));
        let (start, end) = (self.frame_bound(&window.start), self.frame_bound(&window.end));
        if partition_by.is_none() && order_by.is_none() && start.is_none() && end.is_none() {
            return None;
        }
        Some(self.arena.alloc(Window {
            partition_by: partition_by.unwrap_or(window.partition_by),
            order_by: order_by.unwrap_or(window.order_by),
            start: start.unwrap_or(window.start),
            end: end.unwrap_or(window.end),
            ..*window
        }))
    }

    fn frame_bound(&mut self, bound: &FrameBound<'a>) -> Option<FrameBound<'a>> {
        match bound {
            FrameBound::Preceding(expr) => self.changed(expr).map(FrameBound::Preceding),
            FrameBound::Following(expr) => self.changed(expr).map(FrameBound::Following),
            FrameBound::Unbounded | FrameBound::CurrentRow => None,
        }
    }

    fn subquery(&mut self, subquery: &'a Subquery<'a>) -> Option<&'a Subquery<'a>> {
        let (query, id) = (self.query(subquery.query), self.change.subquery(subquery.id));
        if query.is_none() && id == subquery.id {
            return None;
        }
        Some(self.arena.alloc(Subquery { id, query: query.unwrap_or(subquery.query) }))
    }

    /// ORDER BY terms, if any has changed.
    pub fn order(&mut self, terms: &'a [OrderTerm<'a>]) -> Option<&'a [OrderTerm<'a>]> {
        self.list(terms, |map, term| map.changed(&term.expr).map(|expr| OrderTerm { expr, ..*term }))
    }

    /// A nested query.
    pub fn query(&mut self, query: &'a Query<'a>) -> Option<&'a Query<'a>> {
        match self.change.query(query) {
            Nested::Parts => self.query_parts(query),
            Nested::Whole(new) => new,
        }
    }

    /// A query whose parts are changed.
    fn query_parts(&mut self, query: &'a Query<'a>) -> Option<&'a Query<'a>> {
        let cores = self.list(query.cores, Self::core);
        let order_by = self.order(query.order_by);
        let limit = query.limit.and_then(|limit| self.limit(limit));
        if cores.is_none() && order_by.is_none() && limit.is_none() {
            return None;
        }
        let cores = cores.unwrap_or(query.cores);
        let order_by = order_by.unwrap_or(query.order_by);
        let new = Query { cores, order_by, limit: limit.or(query.limit), ..*query };
        let was_correlated = query.is_correlated();
        Some(self.arena.alloc(Query { outer: outer_of(self.arena, &new), was_correlated, ..new }))
    }

    fn core(&mut self, core: &Core<'a>) -> Option<Core<'a>> {
        let body = match core.body {
            CoreBody::Select(select) => CoreBody::Select(self.select(select)?),
            CoreBody::Values(rows) => CoreBody::Values(self.list(rows, |map, row| map.exprs(row))?),
            CoreBody::UnionAll(parts) => CoreBody::UnionAll(self.list(parts, Self::core)?),
        };
        Some(Core { body, ..*core })
    }

    fn limit(&mut self, limit: &'a Limit<'a>) -> Option<&'a Limit<'a>> {
        let (count, offset) = (self.changed(&limit.limit), self.option(&limit.offset));
        if count.is_none() && offset.is_none() {
            return None;
        }
        Some(self.arena.alloc(Limit { limit: count.unwrap_or(limit.limit), offset: offset.or(limit.offset) }))
    }

    /// A SELECT whose parts are changed.
    pub fn select(&mut self, select: &'a Select<'a>) -> Option<&'a Select<'a>> {
        let sources = self.list(select.sources, Self::source);
        let columns = self.exprs(select.columns);
        let terms = self.list(select.terms, Self::term);
        let group_by = self.order(select.group_by);
        let having = self.option(&select.having);
        let aggregates = self.list(select.aggregates, |map, call| map.aggregate(call));
        let windows = self.list(select.windows, |map, call| map.window_call(call));
        if sources.is_none()
            && columns.is_none()
            && terms.is_none()
            && group_by.is_none()
            && having.is_none()
            && aggregates.is_none()
            && windows.is_none()
        {
            return None;
        }
        Some(self.arena.alloc(Select {
            sources: sources.unwrap_or(select.sources),
            columns: columns.unwrap_or(select.columns),
            terms: terms.unwrap_or(select.terms),
            group_by: group_by.unwrap_or(select.group_by),
            having: having.or(select.having),
            aggregates: aggregates.unwrap_or(select.aggregates),
            windows: windows.unwrap_or(select.windows),
            ..*select
        }))
    }

    fn term(&mut self, term: &Term<'a>) -> Option<Term<'a>> {
        let origin = match term.origin {
            TermOrigin::Where => TermOrigin::Where,
            TermOrigin::InnerOn(id) => TermOrigin::InnerOn(self.change.source(id)),
            TermOrigin::OuterOn(id) => TermOrigin::OuterOn(self.change.source(id)),
        };
        let expr = self.changed(&term.expr);
        if expr.is_none() && origin == term.origin {
            return None;
        }
        Some(Term { expr: expr.unwrap_or(term.expr), origin, ..*term })
    }

    fn source(&mut self, source: &Source<'a>) -> Option<Source<'a>> {
        let kind = match source.kind {
            SourceKind::Subquery(derived) => self.query(derived.query).map(|query| {
                let rows = self.change.rows(derived.rows);
                let new: &'a Derived<'a> = self.arena.alloc(Derived { query, rows, ..*derived });
                SourceKind::Subquery(new)
            }),
            _ => None,
        };
        let id = self.change.source(source.id);
        if kind.is_none() && id == source.id {
            return None;
        }
        Some(Source { id, kind: kind.unwrap_or(source.kind), ..*source })
    }
}

/// The sources of enclosing queries that a query uses.
pub(super) fn outer_of<'a>(arena: &'a Bump, query: &Query<'a>) -> &'a [SourceId] {
    let mut used = Vec::new();
    let mut own = Vec::new();
    collect(query, &mut used, &mut own);
    used.retain(|id| !own.contains(id));
    arena.alloc_slice_copy(&used)
}

/// All sources that a query uses, and all that it defines; nested queries have lists of their own.
fn collect<'a>(query: &Query<'a>, used: &mut Vec<SourceId>, own: &mut Vec<SourceId>) {
    let mut add = |id: SourceId| {
        if !used.contains(&id) {
            used.push(id);
        }
    };
    for core in query.cores {
        core.for_each_part(&mut |part| match part.body {
            CoreBody::Select(select) => {
                own.extend(select.sources.iter().map(|source| source.id));
                lithe_resolve::ir::for_each_in_select(select, &mut |child| note(child, &mut add));
            }
            CoreBody::Values(rows) => {
                rows.iter().copied().flatten().for_each(|expr| lithe_resolve::ir::for_each_source(expr, &mut add));
            }
            CoreBody::UnionAll(_) => {}
        });
    }
    query.order_by.iter().for_each(|term| lithe_resolve::ir::for_each_source(&term.expr, &mut add));
}

fn note<'a>(child: lithe_resolve::ir::Child<'_, 'a>, add: &mut dyn FnMut(SourceId)) {
    match child {
        lithe_resolve::ir::Child::Expr(expr) => lithe_resolve::ir::for_each_source(expr, &mut *add),
        lithe_resolve::ir::Child::Query(query) => query.outer.iter().for_each(|&id| add(id)),
    }
}

/// The affinity of a column of a row, or of a single value.
fn row_affinity(expr: &Expr<'_>, at: usize) -> Option<Affinity> {
    match expr {
        Expr::Row(items) => items.get(at).and_then(affinity_of),
        Expr::Subquery(subquery) => subquery.query.columns.get(at).and_then(|column| column.affinity),
        _ => affinity_of(expr),
    }
}
