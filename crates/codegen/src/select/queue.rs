//! The queue of a recursive common table: in order of insertion or, with ORDER BY, an index. UNION keeps all rows that have ever
//! entered it.

use lithe_catalog::Result;
use lithe_resolve::ir::{Coll, Query};
use lithe_sql::ast::CompoundOp;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, CursorId, Reg, Sequence};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use crate::{Queue, QueueOrder};

/// Opens the queue for rows with this number of columns.
pub(super) fn open<'a>(cg: &mut Codegen<'a>, query: &'a Query<'a>, op: CompoundOp, width: usize) -> Result<Queue<'a>> {
    let seen = if op == CompoundOp::Union {
        let columns: Vec<_> = query.columns.iter().map(|column| (column.collation, false, false)).collect();
        let key = cg.key_info(&columns)?;
        let cursor = cg.ephemeral(CursorKind::EphemeralSet, key, width);
        cg.b.emit(Insn::OpenEphemeral { cursor });
        Some(cursor)
    } else {
        None
    };
    let (rows, order) = match query.order_by {
        [] => (cg.ephemeral_table(width), None),
        terms => {
            let mut key: Vec<_> =
                terms.iter().map(|term| (term.collation, term.descending, term.nulls_opposite)).collect();
            key.push((Coll::Binary, false, false));
            let key = cg.key_info(&key)?;
            let positions = terms.iter().map(|term| term.output.expect("a compound's term names a column"));
            let order = QueueOrder { positions: cg.arena.alloc_slice_fill_iter(positions) };
            (cg.ephemeral(CursorKind::EphemeralIndex, key, terms.len() + 1 + width), Some(order))
        }
    };
    cg.b.emit(Insn::OpenEphemeral { cursor: rows });
    Ok(Queue { rows, seen, order })
}

/// Puts a row into the queue, unless it is a duplicate for UNION.
pub(super) fn deliver<'a>(cg: &mut Codegen<'a>, queue: Queue<'a>, row: Reg, width: usize) {
    let skip = cg.b.label();
    let affinities = AffinityListId::NONE;
    if let Some(cursor) = queue.seen {
        let count = width as u16;
        cg.b.emit(Insn::Found { cursor, count, start: row, target: skip });
        cg.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start: row });
    }
    match queue.order {
        None => {
            let rowid = cg.b.temporary();
            let cursor = queue.rows;
            cg.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
            let (flags, count) = (insert_flags::APPEND, width as u16);
            cg.b.emit(Insn::InsertRow { flags, cursor, count, affinities, rowid, start: row });
            cg.b.free(rowid);
        }
        Some(order) => insert_in_order(cg, queue.rows, order, row, width),
    }
    cg.b.place(skip);
}

fn insert_in_order<'a>(cg: &mut Codegen<'a>, cursor: CursorId, order: QueueOrder<'a>, row: Reg, width: usize) {
    let terms = order.positions.len();
    let count = terms + 1 + width;
    let start = cg.b.registers(count);
    for (at, &position) in order.positions.iter().enumerate() {
        cg.emit_copy(row.at(usize::from(position)), start.at(at));
    }
    cg.b.emit(Insn::Sequence { cursor, dst: start.at(terms) });
    cg.emit_copy_row(row, start.at(terms + 1), width);
    let affinities = AffinityListId::NONE;
    cg.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count: count as u16, affinities, start });
    cg.free_registers(start, count);
}
