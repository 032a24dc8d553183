//! Queries in FROM, made ready before the join that reads them is planned: how many rows they have is known by then.
//!
//! A query is a coroutine where its rows are likely to be read once, from the first to the last. Should the plan run over
//! it more than once nevertheless, its rows go into a temporary table when the loops begin.

use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, Sequence};

use super::super::{Codegen, Coroutine, DerivedRows};
use crate::access::LogEst;
use crate::error::Result;
use crate::ir::{CoreBody, Derived, Expr, JoinKind, Query, Select, Source, SourceId, SourceKind};

/// A query in FROM that is ready to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    pub source: SourceId,
    pub rows: DerivedRows,
    pub estimate: LogEst,
}

/// What a query gives of which nothing is known.
const ROWS_UNKNOWN: LogEst = LogEst(200);
/// More rows than any query gives.
const ROWS_MAX: LogEst = LogEst(320);
/// GROUP BY gives at most 100 groups.
const GROUPS_MAX: LogEst = LogEst(66);

impl<'a> Codegen<'a> {
    /// Makes the queries among the sources of a join ready to be read.
    pub fn prepare_sources(&mut self, sources: &'a [Source<'a>]) -> Result<()> {
        for (at, source) in sources.iter().enumerate() {
            if let SourceKind::Subquery(derived) = source.kind {
                let rows = self.prepare_derived(source, derived, may_be_coroutine(sources, at, derived))?;
                let is_new = derived.cte.is_none_or(|cte| !self.loops.known_tables.contains(&cte.id));
                // SQLite counts the rows of a common table where it is made, and nowhere else.
                let estimate = if is_new { self.estimate_derived(derived) } else { ROWS_UNKNOWN };
                self.loops.known_tables.extend(derived.cte.map(|cte| cte.id));
                self.loops.prepared.push(Prepared { source: source.id, rows, estimate });
            }
        }
        Ok(())
    }

    /// About how many rows a query in FROM has.
    pub fn estimated_rows(&self, source: &Source<'a>) -> Option<LogEst> {
        self.loops.prepared.iter().find(|prepared| prepared.source == source.id).map(|prepared| prepared.estimate)
    }

    /// A join with these sources was planned to give so many rows.
    pub fn note_planned(&mut self, sources: &[Source<'a>], rows: LogEst) {
        if let Some(first) = sources.first() {
            self.loops.planned.push((first.id, rows));
        }
    }

    fn estimate_derived(&self, derived: &Derived<'a>) -> LogEst {
        let is_recursive = derived.cte.is_some_and(|cte| cte.setup_cores.get().is_some());
        // VALUES in FROM is no query to SQLite.
        let is_values = derived.cte.is_none() && derived.view.is_none() && is_values(derived.query);
        if is_recursive || is_values { ROWS_UNKNOWN } else { self.estimate_query(derived.query) }
    }

    /// About how many rows the query gives, code for which has been generated.
    fn estimate_query(&self, query: &Query<'a>) -> LogEst {
        let cores = query.cores.iter().map(|core| match core.body {
            CoreBody::Select(select) => self.estimate_select(select),
            // SQLite takes the number for the logarithm.
            CoreBody::Values(rows) => LogEst(i16::try_from(rows.len()).unwrap_or(ROWS_UNKNOWN.0).min(ROWS_UNKNOWN.0)),
        });
        let rows = cores.reduce(LogEst::sum).unwrap_or(LogEst::ONE);
        match query.limit.map(|limit| limit.limit) {
            Some(Expr::Integer(limit @ 0..)) => rows.min(LogEst::of(limit as u64)),
            _ => rows,
        }
    }

    fn estimate_select(&self, select: &Select<'a>) -> LogEst {
        if select.is_aggregate {
            return if select.group_by.is_empty() { LogEst::ONE } else { GROUPS_MAX };
        }
        let Some(first) = select.sources.first() else { return LogEst::ONE };
        let planned = self.loops.planned.iter().rev().find(|(source, _)| *source == first.id);
        planned.map_or(ROWS_MAX, |(_, rows)| *rows)
    }
}

fn is_values(query: &Query<'_>) -> bool {
    matches!(query.cores, [core] if matches!(core.body, CoreBody::Values(_)))
}

/// Whether the query may be a coroutine: it could be the outermost loop, and no other query on its left is one already.
fn may_be_coroutine(sources: &[Source<'_>], at: usize, derived: &Derived<'_>) -> bool {
    let is_right = |source: &Source<'_>| matches!(source.join, JoinKind::Right | JoinKind::Full);
    let is_query = |source: &Source<'_>| matches!(source.kind, SourceKind::Subquery(_));
    // A common table that others use, too, or that the user wants as a table.
    let is_table = derived.cte.is_some_and(|cte| cte.uses.get() > 1 || cte.materialized == Some(true));
    !is_table
        && !sources.iter().any(is_right)
        && sources[..=at].iter().skip(1).all(|source| source.join == JoinKind::Inner)
        && !sources[..at].iter().any(is_query)
}

/// Puts the rows of a coroutine into a temporary table, because its loop is an inner one.
pub(super) fn buffer_rows(cg: &mut Codegen<'_>, coroutine: &Coroutine) -> DerivedRows {
    let Coroutine { co, start, count } = *coroutine;
    let cursor = cg.ephemeral_table(count);
    let done = cg.b.label();
    cg.b.emit(Insn::OpenEphemeral { cursor });
    let top = cg.b.here();
    cg.b.emit(Insn::Yield { co, target: done });
    let rowid = cg.b.temporary();
    cg.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
    let (flags, affinities) = (insert_flags::APPEND, AffinityListId::NONE);
    cg.b.emit(Insn::InsertRow { flags, cursor, count: count as u16, affinities, rowid, start });
    cg.b.free(rowid);
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(done);
    DerivedRows::Table(cursor)
}
