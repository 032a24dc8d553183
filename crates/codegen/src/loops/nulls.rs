//! A scan of an index with its NULLs at the other end: NULLS LAST of an ascending scan, NULLS FIRST of a descending one, min()
//! that searches the smallest value first.
//!
//! The scan runs twice over the entries with the key: once over the values, once over the NULLs, in the required order. With
//! several keys (INs, skipped columns) it runs twice for each of them.

use lithe_catalog::Result;
use lithe_optimize::access::IndexPath;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId};

use super::super::Codegen;
use super::index::{SearchKey, begin_skipped, emit_end_check, emit_seek, step};
use super::keys::{Around, begin_sets, emit_values, when_none};
use super::walk::Walk;

/// Begins the walk over all entries with the path's key, with the NULLs of the next column at the other end.
pub(super) fn begin_index_nulls_moved<'a>(
    cg: &mut Codegen<'a>,
    index: CursorId,
    path: &IndexPath<'a>,
    reverse: bool,
    exhausted: Addr,
) -> Result<Walk> {
    let keys = path.keys.len();
    let start = cg.b.registers(keys + 1);
    emit_values(cg, path.keys, start, exhausted)?;
    cg.b.emit(Insn::Null { start: start.at(keys), count: 1 });
    let nulls_come_first = reverse == path.index.columns[keys].descending;
    let mut around = Vec::new();
    begin_skipped(cg, index, path.keys, start, reverse, exhausted, &mut around);
    begin_sets(cg, path.keys, start, |at| reverse != path.index.columns[at].descending, exhausted, &mut around)?;

    // Each key has both parts; the part that does not come first in the index is first.
    let at_nulls = cg.b.register();
    cg.b.emit(Insn::Integer { value: i32::from(!nulls_come_first), dst: at_nulls });
    let again = cg.b.here();
    let next_key = when_none(&around, exhausted);
    around.push(second_part(cg, at_nulls, nulls_come_first, again, next_key));

    let none = when_none(&around, exhausted);
    let key = |count, inclusive| SearchKey { start, count, inclusive };
    let (nulls, all) = (key(keys + 1, true), key(keys, true));
    // The values begin, or end, at the NULLs.
    let beyond_nulls = key(keys + 1, false);
    let (from, to) = if nulls_come_first { (beyond_nulls, all) } else { (all, beyond_nulls) };

    let (seek_nulls, top, end_of_nulls, row) = (cg.b.label(), cg.b.label(), cg.b.label(), cg.b.label());
    cg.b.emit(Insn::If { null_jumps: 0, reg: at_nulls, target: seek_nulls });
    emit_seek(cg, index, from, reverse, none);
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(seek_nulls);
    emit_seek(cg, index, nulls, reverse, none);
    cg.b.place(top);
    cg.b.emit(Insn::If { null_jumps: 0, reg: at_nulls, target: end_of_nulls });
    emit_end_check(cg, index, to, reverse, none);
    cg.b.emit(Insn::Goto { target: row });
    cg.b.place(end_of_nulls);
    emit_end_check(cg, index, nulls, reverse, none);
    cg.b.place(row);
    Ok(Walk { step: Some(step(index, reverse, top)), around })
}

/// The step from the first part to the second, and after that to the next key.
fn second_part(
    cg: &mut Codegen<'_>,
    at_nulls: lithe_vm::operand::Reg,
    nulls_are_second: bool,
    again: Addr,
    next_key: Addr,
) -> Around {
    let null_jumps = 0;
    let leave = match nulls_are_second {
        true => Insn::If { null_jumps, reg: at_nulls, target: next_key },
        false => Insn::IfNot { null_jumps, reg: at_nulls, target: next_key },
    };
    let steps =
        vec![leave, Insn::Integer { value: i32::from(nulls_are_second), dst: at_nulls }, Insn::Goto { target: again }];
    Around { next: cg.b.label(), steps }
}
