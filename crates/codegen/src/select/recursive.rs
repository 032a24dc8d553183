//! Recursive common tables.
//!
//! ```text
//!       start's rows ─▶ queue
//!       while the queue has a row:
//!           take it out; show it (OFFSET, LIMIT)
//!           steps' rows, the recursive table being that one row ─▶ queue
//! ```
//!
//! The queue is in order of insertion or, with ORDER BY, an index. UNION keeps all rows that ever entered it.

use lithe_catalog::Result;
use lithe_optimize::plan::RecursivePlan;
use lithe_resolve::ir::{CommonTable, Query, SubqueryId};
use lithe_sql::ast::CompoundOp;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, CursorId, Reg, Sequence};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::access::ColumnAccess;
use super::sink::Sink;
use crate::{Destination, Queue, QueueOrder};

/// The row that a recursive table consists of while its steps run.
pub(super) struct CurrentRow {
    id: SubqueryId,
    start: Reg,
}

impl<'a> Codegen<'a> {
    /// How a recursive table is read by its own steps: it is one row, in registers.
    pub fn recursive_row(&self, table: &CommonTable<'a>) -> ColumnAccess<'a> {
        let row = self.select.recursive_rows.iter().rev().find(|row| row.id == table.id);
        let start = row.expect("the table's steps are being generated").start;
        ColumnAccess::Registers { start, rowid: Reg::NONE }
    }

    pub(super) fn emit_recursive(
        &mut self,
        query: &'a Query<'a>,
        plan: &'a RecursivePlan<'a>,
        sink: &Sink,
    ) -> Result<()> {
        let width = sink.width;
        let queue = self.open_queue(query, plan.op, width)?;
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

        let start = into_queue(self);
        self.emit_cores(&plan.setup, &start)?;
        self.b.place(start.done);

        let row = self.b.registers(width);
        let top = self.b.here();
        self.b.emit(Insn::Rewind { cursor: queue.rows, target: sink.done });
        let first = queue.order.map_or(0, |order| order.terms + 1);
        for at in 0..width {
            self.b.emit(Insn::Column { cursor: queue.rows, column: first + at as u16, dst: row.at(at) });
        }
        self.b.emit(Insn::Delete { flags: 0, cursor: queue.rows });
        let skipped = self.b.label();
        self.emit_offset(sink, skipped);
        self.deliver(sink, row)?;
        self.b.place(skipped);

        self.select.recursive_rows.push(CurrentRow { id: plan.table.id, start: row });
        for core in plan.steps {
            let step = into_queue(self);
            self.in_loop(|cg| cg.emit_core(core, &step))?;
            self.b.place(step.done);
        }
        self.select.recursive_rows.pop();
        self.b.emit(Insn::Goto { target: top });
        Ok(())
    }

    fn open_queue(&mut self, query: &'a Query<'a>, op: CompoundOp, width: usize) -> Result<Queue> {
        let seen = if op == CompoundOp::Union {
            let columns: Vec<_> = query.columns.iter().map(|column| (column.collation, false, false)).collect();
            let key = self.key_info(&columns)?;
            let cursor = self.ephemeral(CursorKind::EphemeralSet, key, width);
            self.b.emit(Insn::OpenEphemeral { cursor });
            Some(cursor)
        } else {
            None
        };
        let (rows, order) = match query.order_by {
            [] => (self.ephemeral_table(width), None),
            terms => {
                let mut key: Vec<_> =
                    terms.iter().map(|term| (term.collation, term.descending, term.nulls_opposite)).collect();
                key.push((lithe_resolve::ir::Coll::Binary, false, false));
                let key = self.key_info(&key)?;
                let positions = terms.iter().map(|term| term.output.expect("a compound's term names a column"));
                let positions: Vec<u16> = positions.collect();
                self.select.queue_orders.push(positions);
                let order =
                    QueueOrder { terms: terms.len() as u16, positions: (self.select.queue_orders.len() - 1) as u16 };
                (self.ephemeral(CursorKind::EphemeralIndex, key, terms.len() + 1 + width), Some(order))
            }
        };
        self.b.emit(Insn::OpenEphemeral { cursor: rows });
        Ok(Queue { rows, seen, order })
    }

    /// Puts a row into the queue, unless UNION has seen it.
    pub(super) fn deliver_to_queue(&mut self, queue: Queue, row: Reg, width: usize) {
        let skip = self.b.label();
        let affinities = AffinityListId::NONE;
        if let Some(cursor) = queue.seen {
            let count = width as u16;
            self.b.emit(Insn::Found { cursor, count, start: row, target: skip });
            self.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start: row });
        }
        match queue.order {
            None => {
                let rowid = self.b.temporary();
                let cursor = queue.rows;
                self.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
                let (flags, count) = (insert_flags::APPEND, width as u16);
                self.b.emit(Insn::InsertRow { flags, cursor, count, affinities, rowid, start: row });
                self.b.free(rowid);
            }
            Some(order) => self.insert_in_order(queue.rows, order, row, width),
        }
        self.b.place(skip);
    }

    fn insert_in_order(&mut self, cursor: CursorId, order: QueueOrder, row: Reg, width: usize) {
        let terms = usize::from(order.terms);
        let count = terms + 1 + width;
        let start = self.b.registers(count);
        for at in 0..terms {
            let position = self.select.queue_orders[usize::from(order.positions)][at];
            self.emit_copy(row.at(usize::from(position)), start.at(at));
        }
        self.b.emit(Insn::Sequence { cursor, dst: start.at(terms) });
        self.emit_copy_row(row, start.at(terms + 1), width);
        let affinities = AffinityListId::NONE;
        self.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count: count as u16, affinities, start });
        self.free_registers(start, count);
    }
}
