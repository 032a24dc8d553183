//! Queries in FROM, prepared before the loops that read them.
//!
//! A query is a coroutine if its rows are likely to be read once, from the first to the last. If the plan scans it more than once
//! nevertheless, its rows are put into a temporary table when the loop over them first begins.

use lithe_catalog::Result;
use lithe_optimize::plan::FromPlan;
use lithe_resolve::ir::SourceId;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, Sequence};

use super::super::{Codegen, Coroutine, DerivedRows};
use super::derived::prepare_derived;
use super::fill::Fill;

/// A query in FROM that is prepared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    pub source: SourceId,
    pub rows: DerivedRows,
    /// The subroutine to be called before the rows are read.
    pub fill: Option<Fill>,
}

/// A join whose loops can begin: the queries in its FROM are prepared.
#[derive(Debug)]
pub(crate) struct PreparedJoin<'a> {
    /// The plan.
    pub from: &'a FromPlan<'a>,
    sources: Vec<Prepared>,
}

impl<'a> PreparedJoin<'a> {
    /// A join without queries in FROM.
    pub fn without_queries(from: &'a FromPlan<'a>) -> PreparedJoin<'a> {
        debug_assert!(from.derived.is_empty(), "the queries in FROM are prepared");
        PreparedJoin { from, sources: Vec::new() }
    }

    /// The rows of the query that is `source`.
    pub(super) fn of(&self, source: SourceId) -> Option<Prepared> {
        self.sources.iter().find(|prepared| prepared.source == source).copied()
    }
}

/// Prepares the queries in FROM.
pub(crate) fn prepare_sources<'a>(cg: &mut Codegen<'a>, from: &'a FromPlan<'a>) -> Result<PreparedJoin<'a>> {
    let mut sources = Vec::new();
    for derived in from.derived {
        let (rows, fill) = prepare_derived(cg, derived)?;
        sources.push(Prepared { source: derived.source.id, rows, fill });
    }
    Ok(PreparedJoin { from, sources })
}

/// A temporary table with the rows of a coroutine, because its loop is an inner one.
pub(super) fn buffer_rows<'a>(cg: &mut Codegen<'a>, coroutine: &Coroutine) -> Result<(DerivedRows, Fill)> {
    let Coroutine { co, start, count } = *coroutine;
    let cursor = cg.ephemeral_table(count);
    let fill = Fill::subroutine(cg, true, |cg| {
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
        Ok(())
    })?;
    Ok((DerivedRows::Table(cursor), fill))
}
