//! `SELECT count(*) FROM t`: counted from the pages, without visiting rows.

use lithe_catalog::Result;
use lithe_optimize::plan::CountPlan;
use lithe_vm::insn::Insn;

use super::super::Codegen;
use super::sink::{self, Sink};

/// Emits the query.
pub(super) fn emit_count<'a>(cg: &mut Codegen<'a>, plan: &CountPlan<'a>, sink: &Sink<'a>) -> Result<()> {
    let CountPlan { db, table, index, .. } = *plan;
    let cursor = match index {
        Some(index) => cg.open_index(db, index)?,
        None => cg.open_table(db, table)?,
    };
    let end = cg.b.label();
    sink::emit_offset(cg, sink, end);
    let row = sink::row_registers(cg, sink, false);
    cg.b.emit(Insn::Count { cursor, dst: row });
    sink::deliver(cg, sink, row)?;
    cg.b.place(end);
    Ok(())
}
