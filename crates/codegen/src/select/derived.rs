//! Queries in FROM.
//!
//! A query whose rows are read once, from the first to the last, is a coroutine. Others are materialised in a temporary
//! table before the loops begin. A common table with several users is materialised by a subroutine that does its work
//! the first time it is called.

use lithe_catalog::Result;
use lithe_optimize::plan::{DerivedPlan, DerivedWay, QueryPlan};
use lithe_resolve::ir::SubqueryId;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};

use super::super::Codegen;
use crate::{Coroutine, DerivedRows, Destination};

/// A common table that is materialised for several users.
#[derive(Clone, Copy)]
pub(super) struct Materialized {
    id: SubqueryId,
    cursor: CursorId,
    entry: Addr,
    ret: Reg,
}

impl<'a> Codegen<'a> {
    /// Makes the rows of a query in FROM ready to be read, and says how its columns are read from now on.
    pub(crate) fn prepare_derived(&mut self, plan: &'a DerivedPlan<'a>) -> Result<DerivedRows> {
        let rows = match plan.rows {
            DerivedWay::Coroutine { .. } => DerivedRows::Coroutine(self.run_alongside(plan.plan)?),
            DerivedWay::Table => {
                let cursor = self.ephemeral_table(plan.derived.query.columns.len());
                self.fill(plan.plan, cursor)?;
                DerivedRows::Table(cursor)
            }
            DerivedWay::Shared { table, .. } => DerivedRows::Table(self.share(plan.plan, table)?),
        };
        self.set_access(plan.source.id, rows.access());
        Ok(rows)
    }

    fn run_alongside(&mut self, plan: &'a QueryPlan<'a>) -> Result<Coroutine> {
        self.coroutine(plan.query.columns.len(), |cg, coroutine| {
            let Coroutine { co, start, .. } = *coroutine;
            cg.emit_derived(plan, &Destination::Coroutine { co, start })
        })
    }

    /// A cursor on the rows of a common table. The subroutine that makes them stands where the first source that uses the table is prepared.
    fn share(&mut self, plan: &'a QueryPlan<'a>, id: SubqueryId) -> Result<CursorId> {
        let width = plan.query.columns.len();
        let original = match self.materialized(id) {
            Some(Materialized { cursor, entry, ret, .. }) => {
                self.b.emit(Insn::Gosub { ret, target: entry });
                cursor
            }
            None => self.materialize(plan, id)?,
        };
        // The table's own cursor must not be moved by two users.
        let own = self.ephemeral_table(width);
        self.b.emit(Insn::OpenDup { cursor: own, original });
        Ok(own)
    }

    fn materialize(&mut self, plan: &'a QueryPlan<'a>, id: SubqueryId) -> Result<CursorId> {
        let cursor = self.ephemeral_table(plan.query.columns.len());
        let (entry, after, ret) = (self.b.label(), self.b.label(), self.b.register());
        self.b.emit(Insn::Gosub { ret, target: entry });
        self.b.emit(Insn::Goto { target: after });
        self.b.place(entry);
        self.in_loop(|cg| cg.fill(plan, cursor))?;
        self.b.emit(Insn::Return { ret });
        self.b.place(after);
        self.select.materialized.push(Materialized { id, cursor, entry, ret });
        Ok(cursor)
    }

    fn materialized(&self, id: SubqueryId) -> Option<Materialized> {
        self.select.materialized.iter().find(|known| known.id == id).copied()
    }

    /// Fills a temporary table with the rows, once unless they depend on an enclosing query's row.
    fn fill(&mut self, plan: &'a QueryPlan<'a>, cursor: CursorId) -> Result<()> {
        self.once_unless_correlated(plan.query, |cg| {
            cg.b.emit(Insn::OpenEphemeral { cursor });
            cg.emit_derived(plan, &Destination::Table { cursor })
        })
    }

    fn emit_derived(&mut self, plan: &'a QueryPlan<'a>, destination: &Destination) -> Result<()> {
        let sink = self.open_source_sink(plan.query, destination)?;
        self.emit_into_sink(plan, &sink)
    }
}
