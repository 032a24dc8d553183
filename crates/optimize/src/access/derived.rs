//! Queries in FROM: whether they become coroutines, and the estimated number of their rows.

use lithe_resolve::ir::{Core, CoreBody, Derived, Expr, JoinKind, Query, Select, Source, SourceKind};
use lithe_sql::ast::CompoundOp;

use super::context::{DerivedRows, PlanContext};
use super::log_est::{LogEst, ROW_FETCH};

/// The number of rows of a query that cannot be estimated.
const ROWS_UNKNOWN: LogEst = LogEst(200);
/// The largest estimate of a query's rows.
const ROWS_MAX: LogEst = LogEst(320);
/// DISTINCT is expected to leave one of eight rows.
const DISTINCT_DROPS: i16 = 30;
/// GROUP BY gives at most 100 groups.
const GROUPS_MAX: LogEst = LogEst(66);

impl<'a> PlanContext<'a> {
    /// Estimates the number of rows of a query in FROM. Its joins have been planned, the join that reads its rows has not.
    pub fn estimate_source(&mut self, source: &Source<'a>, derived: &Derived<'a>) {
        let is_new = derived.cte.is_none_or(|cte| !self.estimates.known_tables.contains(&cte.id));
        // SQLite estimates the rows of a common table only at the source that materialises it, and at copies of that source.
        let known = || derived.rows.get().map_or(ROWS_UNKNOWN, LogEst);
        let rows = if is_new { self.estimate_derived(derived) } else { known() };
        if is_new {
            derived.rows.set(Some(rows.0));
        }
        self.estimates.known_tables.extend(derived.cte.map(|cte| cte.id));
        self.estimates.derived.push(DerivedRows { source: source.id, view: derived.view, rows });
    }

    /// Records the estimated number of rows of a planned join.
    pub(super) fn note_planned(&mut self, sources: &[Source<'a>], rows: LogEst) {
        if let Some(first) = sources.first() {
            self.estimates.joins.push((first.id, rows));
        }
    }

    fn estimate_derived(&self, derived: &Derived<'a>) -> LogEst {
        // SQLite does not treat VALUES in FROM as a query.
        let is_values = derived.cte.is_none() && derived.view.is_none() && is_values(derived.query);
        match derived.cte.and_then(|cte| cte.setup_cores.get()) {
            Some(setup_cores) => self.estimate_recursive(derived.query, usize::from(setup_cores)),
            None if is_values => ROWS_UNKNOWN,
            None => self.estimate_query(derived.query),
        }
    }

    /// The estimated number of rows of the query. A compound that is merged, because it is sorted or ends with another operator than UNION
    /// ALL, does not count its LIMIT. As in SQLite, EXCEPT counts the rows on its right, INTERSECT the fewer of both sides.
    fn estimate_query(&self, query: &Query<'a>) -> LogEst {
        let is_merged = query.ends_merged() || query.cores.len() > 1 && !query.order_by.is_empty();
        let (first, rest) = query.cores.split_first().expect("a query has a core");
        let rows = rest.iter().fold(self.estimate_core(first), |rows, core| match core.op {
            CompoundOp::Union | CompoundOp::UnionAll => rows.sum(self.estimate_core(core)),
            CompoundOp::Except => self.estimate_core(core),
            CompoundOp::Intersect => rows.min(self.estimate_core(core)),
        });
        if is_merged { rows } else { limited(rows, query) }
    }

    /// The estimated number of rows of a recursive common table: those of its recursive terms, each run once for a queue of unknown size.
    /// As in SQLite, LIMIT counts for the last of them alone.
    fn estimate_recursive(&self, query: &Query<'a>, setup_cores: usize) -> LogEst {
        let term = |core: &Core<'a>| {
            let CoreBody::Select(select) = core.body else { return self.estimate_core(core) };
            let is_union = core.op == CompoundOp::Union;
            let (rows, drops) = match select.sources {
                _ if select.is_aggregate => return self.estimate_core(core),
                // Conditions on the queue alone do not count.
                [queue] if matches!(queue.kind, SourceKind::Recursive(_)) => {
                    (ROWS_UNKNOWN, select.distinct || is_union)
                }
                // (The planned rows of a SELECT DISTINCT have been reduced.)
                _ => (self.planned_rows(select).unwrap_or(LogEst::ONE), is_union),
            };
            let drops = if drops { DISTINCT_DROPS } else { 0 };
            LogEst(rows.0 - drops).min(ROWS_MAX)
        };
        let [before @ .., last] = &query.cores[setup_cores..] else { return LogEst::ONE };
        before.iter().map(term).fold(limited(term(last), query), LogEst::sum)
    }

    fn estimate_core(&self, core: &Core<'a>) -> LogEst {
        match core.body {
            CoreBody::Select(select) => self.estimate_select(select),
            CoreBody::Values([_]) => LogEst::ONE,
            // As in SQLite, the number of rows itself is used as the logarithm.
            CoreBody::Values(rows) => LogEst(i16::try_from(rows.len()).unwrap_or(ROWS_UNKNOWN.0).min(ROWS_UNKNOWN.0)),
            CoreBody::UnionAll([]) => LogEst::ONE,
            CoreBody::UnionAll([first, rest @ ..]) => {
                rest.iter().fold(self.estimate_core(first), |rows, part| rows.sum(self.estimate_core(part)))
            }
        }
    }

    /// The cost of a scan of the rows of a SELECT whose joins have been planned.
    pub fn scan_cost_of_rows(&self, select: &Select<'a>) -> LogEst {
        self.estimate_select(select) + ROW_FETCH
    }

    fn estimate_select(&self, select: &Select<'a>) -> LogEst {
        if select.is_aggregate {
            return if select.group_by.is_empty() { LogEst::ONE } else { GROUPS_MAX };
        }
        self.planned_rows(select).map_or(LogEst::ONE, |rows| rows.min(ROWS_MAX))
    }

    /// The rows of the join of a SELECT; none if it has no sources.
    fn planned_rows(&self, select: &Select<'a>) -> Option<LogEst> {
        let first = select.sources.first()?;
        let planned = self.estimates.joins.iter().rev().find(|(source, _)| *source == first.id);
        Some(planned.map_or(ROWS_MAX, |(_, rows)| *rows))
    }
}

/// The rows that a LIMIT that is a number leaves. As in SQLite, LIMIT 0 does not count.
fn limited(rows: LogEst, query: &Query<'_>) -> LogEst {
    match query.limit.map(|limit| limit.limit) {
        Some(Expr::Integer(limit @ 1..)) => rows.min(LogEst::of(limit as u64)),
        _ => rows,
    }
}

fn is_values(query: &Query<'_>) -> bool {
    !query.has_rows_apart && matches!(query.cores, [Core { body: CoreBody::Values(_), .. }])
}

/// Whether the query `derived` of the source at `at` may be a coroutine: its join could be the outermost loop, and no other query on its
/// left is one already. A view that is joined to itself is a table, unless the statement has changed it in this place.
pub fn may_be_coroutine(sources: &[Source<'_>], at: usize, derived: &Derived<'_>) -> bool {
    let is_query = |source: &Source<'_>| matches!(source.kind, SourceKind::Subquery(_));
    // A common table that several sources use, or that is declared MATERIALIZED.
    let is_table = derived.cte.is_some_and(|cte| cte.uses.get() > 1 || cte.materialized == Some(true));
    !is_table
        && !sources.iter().any(|source| source.join.keeps_right_rows())
        && sources[..=at].iter().skip(1).all(|source| source.join == JoinKind::Inner)
        && !sources[..at].iter().any(is_query)
        && (derived.is_changed || !sources[at + 1..].iter().any(|other| is_same_view(other, derived)))
}

/// Whether the source is the same view or common table.
pub fn is_same_view(source: &Source<'_>, derived: &Derived<'_>) -> bool {
    let SourceKind::Subquery(other) = source.kind else { return false };
    let view = |of: &Derived<'_>| of.view.map(|view| std::ptr::from_ref(view).addr());
    let cte = |of: &Derived<'_>| of.cte.map(|cte| cte.id);
    let is_named = derived.view.is_some() || derived.cte.is_some();
    is_named && view(other) == view(derived) && cte(other) == cte(derived)
}
