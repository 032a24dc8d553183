//! Queries in FROM.
//!
//! A query whose rows are read once, from the first to the last, is a coroutine. Others are materialised in a temporary table by a
//! subroutine, which is called where the loop over the table begins: a loop that is never reached fills no table. The other users of a
//! common table call the subroutine of the first before their own loops begin.

use lithe_catalog::Result;
use lithe_optimize::plan::{DerivedPlan, DerivedWay, QueryPlan};
use lithe_resolve::ir::SubqueryId;
use lithe_vm::insn::Insn;
use lithe_vm::operand::CursorId;

use super::super::Codegen;
use crate::loops::Fill;
use crate::{Coroutine, DerivedRows, Destination};

/// A common table that is materialised for several users.
#[derive(Clone, Copy)]
pub(super) struct Materialized {
    id: SubqueryId,
    cursor: CursorId,
    fill: Fill,
}

impl<'a> Codegen<'a> {
    /// How the rows of a query in FROM are read from now on, and the subroutine that has to be called before.
    pub(crate) fn prepare_derived(&mut self, plan: &'a DerivedPlan<'a>) -> Result<(DerivedRows, Option<Fill>)> {
        let (rows, fill) = match plan.rows {
            DerivedWay::Coroutine { .. } => (DerivedRows::Coroutine(self.run_alongside(plan.plan)?), None),
            DerivedWay::Table => {
                let (cursor, fill) = self.materialize(plan.plan)?;
                (DerivedRows::Table(cursor), Some(fill))
            }
            DerivedWay::Shared { table, .. } => {
                let (cursor, fill) = self.share(plan.plan, table)?;
                (DerivedRows::Table(cursor), fill)
            }
        };
        self.set_access(plan.source.id, rows.access());
        Ok((rows, fill))
    }

    fn run_alongside(&mut self, plan: &'a QueryPlan<'a>) -> Result<Coroutine> {
        self.coroutine(plan.query.columns.len(), |cg, coroutine| {
            let Coroutine { co, start, .. } = *coroutine;
            cg.emit_derived(plan, &Destination::Coroutine { co, start })
        })
    }

    /// A cursor on the rows of a common table. The subroutine that makes them stands where the first source that uses the table is prepared.
    fn share(&mut self, plan: &'a QueryPlan<'a>, id: SubqueryId) -> Result<(CursorId, Option<Fill>)> {
        let known = self.select.materialized.iter().find(|known| known.id == id).copied();
        let Some(Materialized { cursor: original, fill, .. }) = known else {
            let (cursor, fill) = self.materialize(plan)?;
            self.select.materialized.push(Materialized { id, cursor, fill });
            return Ok((cursor, Some(fill)));
        };
        fill.emit_call(self);
        // The table's own cursor must not be moved by two users.
        let own = self.ephemeral_table(plan.query.columns.len());
        self.b.emit(Insn::OpenDup { cursor: own, original });
        Ok((own, None))
    }

    /// A temporary table, and the subroutine that fills it: once, unless the rows depend on an enclosing query's row.
    fn materialize(&mut self, plan: &'a QueryPlan<'a>) -> Result<(CursorId, Fill)> {
        let cursor = self.ephemeral_table(plan.query.columns.len());
        let fill = Fill::subroutine(self, plan.query.is_correlated(), |cg| {
            cg.b.emit(Insn::OpenEphemeral { cursor });
            cg.emit_derived(plan, &Destination::Table { cursor })
        })?;
        Ok((cursor, fill))
    }

    fn emit_derived(&mut self, plan: &'a QueryPlan<'a>, destination: &Destination) -> Result<()> {
        let sink = self.open_source_sink(plan.query, destination)?;
        self.emit_into_sink(plan, &sink)
    }
}
