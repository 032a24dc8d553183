//! Queries in FROM, made ready before the loops that read them.
//!
//! A query is a coroutine where its rows are likely to be read once, from the first to the last. Should the plan run over
//! it more than once nevertheless, its rows go into a temporary table when the loops begin.

use lithe_catalog::Result;
use lithe_optimize::plan::FromPlan;
use lithe_resolve::ir::SourceId;
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
    /// Makes the queries in FROM ready to be read.
    pub fn prepare_sources(&mut self, from: &'a FromPlan<'a>) -> Result<()> {
        for derived in from.derived {
            let rows = self.prepare_derived(derived)?;
            self.loops.prepared.push(Prepared { source: derived.source.id, rows });
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
