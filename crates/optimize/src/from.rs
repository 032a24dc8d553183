//! FROM and WHERE: the queries among the sources, then the join, then the sources that a RIGHT JOIN reads once more.

use lithe_catalog::Result;
use lithe_resolve::ir::{Derived, Query, Source, SourceKind};

use crate::access::{
    Bound, IndexPath, JoinPlan, JoinRequest, Key, Loop, Path, RowidKey, TreePath, is_same_view, may_be_coroutine,
    plan_join, rest_request,
};
use crate::plan::{DerivedPlan, DerivedWay, ExprQueries, FromPlan, QueryPlan, RowsFor, UnjoinedPlan};
use crate::planner::Planner;
use crate::queries::ExprWalk;

impl<'a> Planner<'a> {
    /// Plans a join with its sources and queries.
    pub fn plan_from(&mut self, request: JoinRequest<'a>) -> Result<FromPlan<'a>> {
        let derived = self.plan_sources(request.sources, request.allows_coroutine)?;
        let join = plan_join(&mut self.context, request)?;
        self.finish_from(derived, join)
    }

    /// Plans the queries among the sources of a join. They come before the join, whose planning needs their numbers of
    /// rows.
    pub(crate) fn plan_sources(
        &mut self,
        sources: &'a [Source<'a>],
        allows_coroutine: bool,
    ) -> Result<&'a mut [DerivedPlan<'a>]> {
        let mut planned = bumpalo::collections::Vec::new_in(self.context.arena);
        for (at, source) in sources.iter().enumerate() {
            if let SourceKind::Subquery(derived) = source.kind {
                let is_coroutine = allows_coroutine && may_be_coroutine(sources, at, derived);
                let (rows, plan) = match self.plan_joined_view(&planned, &sources[at + 1..], derived)? {
                    Some(shared) => shared,
                    None => self.plan_derived(derived, is_coroutine)?,
                };
                // Of a view that is joined to itself, the first use has told how many rows it has.
                if derived.view.is_none() || !matches!(rows, DerivedWay::Shared { is_first: false, .. }) {
                    self.context.estimate_source(source, derived);
                }
                planned.push(DerivedPlan { source, derived, plan, rows });
            }
        }
        Ok(planned.into_bump_slice_mut())
    }

    /// Completes the plan of FROM after the join is planned.
    pub(crate) fn finish_from(
        &mut self,
        derived: &'a mut [DerivedPlan<'a>],
        join: &'a JoinPlan<'a>,
    ) -> Result<FromPlan<'a>> {
        // A coroutine gives its rows only once, so an inner loop reads a table of them. (A hash table reads them only once,
        // too.)
        for planned in derived.iter_mut() {
            if let DerivedWay::Coroutine { is_buffered } = &mut planned.rows {
                let id = planned.source.id;
                let inner = join.loops.iter().skip(1).find(|inner| join.source_of(inner).id == id);
                *is_buffered = inner.is_some_and(|inner| !matches!(inner.path, Path::Hash(_)));
            }
        }
        // The row of a query whose columns are compared in several places is computed in the first.
        let mut rows = Vec::new();
        let checks = join.constant_checks;
        let constant_queries =
            self.walk_exprs_behind(&mut rows, &[], |walk| checks.iter().try_for_each(|check| walk.expr(check)))?;
        let loop_queries = self.plan_loop_queries(join, rows)?;
        let unjoined = self.plan_unjoined(join)?;
        Ok(FromPlan { derived, join, constant_queries, loop_queries, unjoined })
    }

    /// The plan of a view that is joined to itself, and in both places is as it was declared: all of them share one table.
    fn plan_joined_view(
        &mut self,
        before: &[DerivedPlan<'a>],
        behind: &[Source<'a>],
        derived: &'a Derived<'a>,
    ) -> Result<Option<(DerivedWay, &'a QueryPlan<'a>)>> {
        let is_whole = |source: &Source<'a>| matches!(source.kind, SourceKind::Subquery(other) if !other.is_changed);
        let is_it = |source: &Source<'a>| is_whole(source) && is_same_view(source, derived);
        if derived.is_changed || derived.cte.is_some_and(|cte| cte.uses.get() > 1) || derived.query.is_correlated() {
            return Ok(None);
        }
        if let Some(first) = before.iter().find(|planned| is_it(planned.source))
            && let DerivedWay::Shared { table, .. } = first.rows
        {
            return Ok(Some((DerivedWay::Shared { table, is_first: false }, first.plan)));
        }
        if !behind.iter().any(is_it) {
            return Ok(None);
        }
        let table = self.context.resolver.new_subquery();
        Ok(Some((DerivedWay::Shared { table, is_first: true }, self.plan_rows_of(derived, RowsFor::Use)?)))
    }

    fn plan_derived(
        &mut self,
        derived: &'a Derived<'a>,
        is_coroutine: bool,
    ) -> Result<(DerivedWay, &'a QueryPlan<'a>)> {
        if is_coroutine {
            let plan = self.plan_rows_of(derived, RowsFor::Coroutine)?;
            return Ok((DerivedWay::Coroutine { is_buffered: false }, plan));
        }
        let shared = derived.cte.filter(|cte| cte.uses.get() > 1 && !derived.query.is_correlated());
        let Some(table) = shared.map(|cte| cte.id) else {
            return Ok((DerivedWay::Table, self.plan_rows_of(derived, RowsFor::Use)?));
        };
        if let Some((_, plan)) = self.shared.iter().find(|(id, _)| *id == table) {
            return Ok((DerivedWay::Shared { table, is_first: false }, plan));
        }
        let plan = self.plan_rows_of(derived, RowsFor::Use)?;
        self.shared.push((table, plan));
        Ok((DerivedWay::Shared { table, is_first: true }, plan))
    }

    fn plan_rows_of(&mut self, derived: &'a Derived<'a>, rows: RowsFor) -> Result<&'a QueryPlan<'a>> {
        if let Some(table) = derived.cte
            && let Some(setup) = table.setup_cores.get()
        {
            return self.plan_recursive(derived.query, table, usize::from(setup), rows);
        }
        self.plan_query(derived.query, rows)
    }

    fn plan_loop_queries(
        &mut self,
        join: &JoinPlan<'a>,
        mut rows: Vec<&'a Query<'a>>,
    ) -> Result<&'a [ExprQueries<'a>]> {
        if !self.context.resolver.has_subqueries() {
            return Ok(&[]);
        }
        let mut queries = bumpalo::collections::Vec::with_capacity_in(join.loops.len(), self.context.arena);
        for planned in join.loops {
            queries.push(self.walk_exprs_behind(&mut rows, &[], |walk| {
                walk.path(&planned.path, planned.reverse)?;
                planned.join_checks.iter().try_for_each(|check| walk.expr(check))?;
                if join.source_of(planned).join.keeps_right_rows() {
                    // The rows that have not joined come here, too.
                    walk.rows.clear();
                }
                planned.row_checks.iter().try_for_each(|check| walk.expr(check))
            })?);
        }
        Ok(queries.into_bump_slice())
    }

    fn plan_unjoined(&mut self, join: &JoinPlan<'a>) -> Result<&'a [UnjoinedPlan<'a>]> {
        let mut planned = bumpalo::collections::Vec::new_in(self.context.arena);
        for right in join.loops {
            let source = join.source_of(right);
            if source.join.keeps_right_rows() {
                planned.push(self.plan_unjoined_of(join, right, source)?);
            }
        }
        Ok(planned.into_bump_slice())
    }

    /// A table is read once more by a path of its own, which may use conditions of WHERE on this table alone, or a covering index, which
    /// may be smaller. Queries, functions and virtual tables give all rows again.
    fn plan_unjoined_of(
        &mut self,
        join: &JoinPlan<'a>,
        right: &Loop<'a>,
        source: &'a Source<'a>,
    ) -> Result<UnjoinedPlan<'a>> {
        let is_searched = matches!(source.kind, SourceKind::Table(_, table) if table.virtual_table().is_none());
        if !is_searched {
            let queries = match right.path {
                Path::Function(_) | Path::Virtual(_) => self.walk_exprs(&[], |walk| walk.path(&right.path, false))?,
                _ => &[],
            };
            return Ok(UnjoinedPlan { source, join: None, queries });
        }
        let request = rest_request(&self.context, join, right.source);
        let join: &'a JoinPlan<'a> = plan_join(&mut self.context, request)?;
        let planned = &join.loops[0];
        let queries = self.walk_exprs(&[], |walk| {
            walk.path(&planned.path, planned.reverse)?;
            planned.join_checks.iter().chain(planned.row_checks).try_for_each(|check| walk.expr(check))
        })?;
        Ok(UnjoinedPlan { source, join: Some(join), queries })
    }
}

impl<'a> ExprWalk<'_, 'a> {
    /// The expressions of a path, in the order in which the search evaluates them.
    fn path(&mut self, path: &Path<'a>, reverse: bool) -> Result<()> {
        match *path {
            Path::Tree(path) => self.tree(&path, reverse),
            Path::Hash(path) => {
                path.filter.iter().try_for_each(|check| self.expr(check))?;
                path.keys.iter().try_for_each(|key| self.expr(&key.value))
            }
            Path::Function(arguments) => {
                arguments.iter().flatten().try_for_each(|argument| self.value(argument))?;
                self.sets(&arguments.iter().flatten().copied().collect::<Vec<_>>())
            }
            Path::Virtual(path) => {
                let keys = || path.keys.iter().zip(path.all_at_once);
                for (key, all_at_once) in keys() {
                    match key {
                        Key::In { set, .. } if *all_at_once => self.keys(set)?,
                        _ => self.value(key)?,
                    }
                }
                let looped: Vec<Key<'a>> = keys().filter(|(_, all)| !**all).map(|(key, _)| *key).collect();
                self.sets(&looped)
            }
            Path::Or(path) => path.branches.iter().try_for_each(|branch| {
                let known = self.rows.len();
                branch.demands.iter().try_for_each(|demand| self.expr(demand))?;
                self.path(&branch.path.into(), reverse)?;
                branch.checks.iter().try_for_each(|check| self.expr(check))?;
                self.rows.truncate(known);
                Ok(())
            }),
        }
    }

    fn tree(&mut self, path: &TreePath<'a>, reverse: bool) -> Result<()> {
        match *path {
            TreePath::Scan => Ok(()),
            TreePath::Rowid(RowidKey::Value(value)) => self.expr(&value),
            TreePath::Rowid(RowidKey::In { set, .. }) => self.keys_of_tree(set),
            TreePath::RowidRange(low, high) => {
                let ends = if reverse { [low, high] } else { [high, low] };
                ends.iter().flatten().try_for_each(|bound| self.bound(bound))
            }
            TreePath::Index(path) => self.index(path, reverse),
        }
    }

    fn index(&mut self, path: &IndexPath<'a>, reverse: bool) -> Result<()> {
        path.keys.iter().try_for_each(|key| self.value(key))?;
        let descending = path.index.columns.get(path.keys.len()).is_some_and(|column| column.descending);
        let ends = if reverse == descending { [&path.low, &path.high] } else { [&path.high, &path.low] };
        ends.into_iter().flatten().try_for_each(|bound| self.bound(bound))?;
        self.sets(path.keys)
    }

    fn value(&mut self, key: &Key<'a>) -> Result<()> {
        match key {
            Key::Value { value, .. } => self.expr(value),
            Key::Null | Key::In { .. } | Key::Any => Ok(()),
        }
    }

    fn bound(&mut self, bound: &Bound<'a>) -> Result<()> {
        bound.values.iter().try_for_each(|value| self.expr(value))
    }

    /// The INs among the keys; several columns of one set are one.
    fn sets(&mut self, keys: &[Key<'a>]) -> Result<()> {
        for (at, key) in keys.iter().enumerate() {
            let Key::In { set, .. } = key else { continue };
            let is_same = |other: &Key<'a>| matches!(other, Key::In { set: earlier, .. } if earlier.id == set.id);
            if !keys[..at].iter().any(is_same) {
                self.keys_of_tree(set)?;
            }
        }
        Ok(())
    }
}
