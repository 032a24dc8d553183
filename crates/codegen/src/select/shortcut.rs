//! `SELECT count(*) FROM t`: counted from the pages, no row is visited.

use lithe_catalog::Result;
use lithe_optimize::plan::CountPlan;
use lithe_vm::insn::Insn;

use super::super::Codegen;
use super::sink::Sink;

impl<'a> Codegen<'a> {
    /// Emits the query.
    pub(super) fn emit_count(&mut self, plan: &CountPlan<'a>, sink: &Sink) -> Result<()> {
        let CountPlan { db, table, index, .. } = *plan;
        let cursor = match index {
            Some(index) => self.open_index(db, index)?,
            None => self.open_table(db, table)?,
        };
        let end = self.b.label();
        self.emit_offset(sink, end);
        let row = self.row_registers(sink, false);
        self.b.emit(Insn::Count { cursor, dst: row });
        self.deliver(sink, row)?;
        self.b.place(end);
        Ok(())
    }
}
