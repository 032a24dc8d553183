//! Queries in FROM, made ready before the join that reads them is planned.
//!
//! A query is a coroutine where its rows are likely to be read once, from the first to the last. Should the plan run over
//! it more than once nevertheless, its rows go into a temporary table when the loops begin.

use lithe_catalog::Result;
use lithe_optimize::access::may_be_coroutine;
use lithe_resolve::ir::{Source, SourceId, SourceKind};
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, Sequence};

use super::super::{Codegen, Coroutine, DerivedRows};

/// A query in FROM that is ready to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    pub source: SourceId,
    pub rows: DerivedRows,
}

impl<'a> Codegen<'a> {
    /// Makes the queries among the sources of a join ready to be read.
    pub fn prepare_sources(&mut self, sources: &'a [Source<'a>]) -> Result<()> {
        for (at, source) in sources.iter().enumerate() {
            if let SourceKind::Subquery(derived) = source.kind {
                let rows = self.prepare_derived(source, derived, may_be_coroutine(sources, at, derived))?;
                self.planning.estimate_source(source, derived);
                self.loops.prepared.push(Prepared { source: source.id, rows });
            }
        }
        Ok(())
    }
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
