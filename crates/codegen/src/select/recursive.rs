//! Recursive common tables.
//!
//! ```text
//!       start's rows ─▶ queue
//!       while the queue has a row:
//!           take it out; show it (OFFSET, LIMIT)
//!           steps' rows, the recursive table being that one row ─▶ queue
//! ```

use lithe_catalog::Result;
use lithe_optimize::plan::RecursivePlan;
use lithe_resolve::ir::Query;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Reg;

use super::super::Codegen;
use super::queue;
use super::sink::{self, Sink};
use crate::Destination;

pub(super) fn emit<'a>(
    cg: &mut Codegen<'a>,
    query: &'a Query<'a>,
    plan: &'a RecursivePlan<'a>,
    sink: &Sink<'a>,
) -> Result<()> {
    let width = sink.width;
    let queue = queue::open(cg, query, plan.op, width)?;
    let into_queue = |cg: &mut Codegen<'a>| Sink {
        destination: Destination::Queue(queue),
        width,
        limit: None,
        offset: None,
        keep: Reg::NONE,
        done: cg.b.label(),
        reals: sink.reals,
        drops_subtypes: false,
    };

    let start = into_queue(cg);
    cg.emit_cores(&plan.setup, &start)?;
    cg.b.place(start.done);

    let row = cg.b.registers(width);
    let top = cg.b.here();
    cg.b.emit(Insn::Rewind { cursor: queue.rows, target: sink.done });
    let first = queue.order.map_or(0, |order| order.positions.len() as u16 + 1);
    for at in 0..width {
        cg.b.emit(Insn::Column { cursor: queue.rows, column: first + at as u16, dst: row.at(at) });
    }
    cg.b.emit(Insn::Delete { flags: 0, cursor: queue.rows });
    let skipped = cg.b.label();
    sink::emit_offset(cg, sink, skipped);
    sink::deliver(cg, sink, row)?;
    cg.b.place(skipped);

    cg.common_tables.begin_steps(plan.table.id, row);
    for core in plan.steps {
        let step = into_queue(cg);
        cg.in_loop(|cg| cg.emit_core(core, &step))?;
        cg.b.place(step.done);
    }
    cg.common_tables.end_steps();
    cg.b.emit(Insn::Goto { target: top });
    Ok(())
}
