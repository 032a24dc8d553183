//! Queries in FROM.
//!
//! A query whose rows are read once, from the first to the last, is a coroutine. Any other is materialised in a temporary table
//! by a subroutine, which is called when the loop over the table begins: a loop that is never reached fills no table. The other
//! users of a common table call the subroutine of the first before their own loops begin.

use lithe_catalog::Result;
use lithe_optimize::explain::Part;
use lithe_optimize::plan::{DerivedPlan, DerivedWay, QueryPlan};
use lithe_resolve::ir::SubqueryId;
use lithe_vm::insn::Insn;
use lithe_vm::operand::CursorId;

use super::super::Codegen;
use super::common_tables::Materialized;
use super::fill::Fill;
use crate::{Coroutine, DerivedRows, Destination};

/// How the rows of a query in FROM are read from here on, and the subroutine to be called first.
pub(crate) fn prepare_derived<'a>(
    cg: &mut Codegen<'a>,
    plan: &'a DerivedPlan<'a>,
) -> Result<(DerivedRows, Option<Fill>)> {
    let (rows, fill) = match plan.rows {
        DerivedWay::Coroutine { .. } => (DerivedRows::Coroutine(run_alongside(cg, plan.plan)?), None),
        DerivedWay::Table => {
            let (cursor, fill) = materialize(cg, plan.plan)?;
            (DerivedRows::Table(cursor), Some(fill))
        }
        DerivedWay::Shared { table, .. } => {
            let (cursor, fill) = share(cg, plan.plan, table)?;
            (DerivedRows::Table(cursor), fill)
        }
    };
    cg.set_access(plan.source.id, rows.access());
    Ok((rows, fill))
}

fn run_alongside<'a>(cg: &mut Codegen<'a>, plan: &'a QueryPlan<'a>) -> Result<Coroutine> {
    cg.coroutine(plan.query.columns.len(), |cg, coroutine| {
        let Coroutine { co, start, .. } = *coroutine;
        cg.emit_source_query(plan, &Destination::Coroutine { co, start, is_written: false })
    })
}

/// A cursor on the rows of a common table. Its subroutine is emitted where the first source that uses the table is prepared.
fn share<'a>(cg: &mut Codegen<'a>, plan: &'a QueryPlan<'a>, id: SubqueryId) -> Result<(CursorId, Option<Fill>)> {
    let known = cg.common_tables.materialized(id);
    let Some(Materialized { cursor: original, fill, .. }) = known else {
        let (cursor, fill) = materialize(cg, plan)?;
        cg.common_tables.add_materialized(Materialized { id, cursor, fill });
        return Ok((cursor, Some(fill)));
    };
    fill.emit_call(cg);
    // Each user has a cursor of its own, because each moves independently.
    let own = cg.ephemeral_table(plan.query.columns.len());
    cg.b.emit(Insn::OpenDup { cursor: own, original });
    Ok((own, None))
}

/// A temporary table, and the subroutine that fills it: once, unless the rows depend on the row of an enclosing query.
fn materialize<'a>(cg: &mut Codegen<'a>, plan: &'a QueryPlan<'a>) -> Result<(CursorId, Fill)> {
    let cursor = cg.ephemeral_table(plan.query.columns.len());
    let fill = Fill::subroutine(cg, plan.query.is_correlated(), |cg| {
        let measured = cg.begin_part(Part::Table, plan);
        cg.b.emit(Insn::OpenEphemeral { cursor });
        let result = cg.emit_source_query(plan, &Destination::Table { cursor });
        cg.end_table(measured);
        result
    })?;
    Ok((cursor, fill))
}
