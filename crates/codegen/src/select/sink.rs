//! The end of the chain: a row is sorted or not, skipped by OFFSET, counted by LIMIT, and delivered.

use bumpalo::Bump;
use lithe_catalog::Result;
use lithe_optimize::explain::Part;
use lithe_resolve::ir::{Expr, Limit, OrderTerm, OutputColumn, Query, rows_may_have_subtypes};
use lithe_value::Affinity;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg, Sequence};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::measure::Begun;
use super::queue;
use crate::{Coroutine, Destination};

/// The end of a query's rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sink<'a> {
    pub destination: Destination<'a>,
    /// How many columns a row has.
    pub width: usize,
    /// Rows that LIMIT still allows.
    pub limit: Option<Reg>,
    /// Rows that OFFSET still skips.
    pub offset: Option<Reg>,
    /// LIMIT + OFFSET: the most rows that a sorter must keep.
    pub keep: Reg,
    /// A sink that needs no more rows jumps here; the owner of the sink places the label.
    pub done: Addr,
    /// The columns whose integers become reals.
    pub reals: &'a [u16],
    /// The rows go to another query, which does not get their subtypes.
    pub drops_subtypes: bool,
}

/// A sorter between the loops and the sink. Its rows are the ORDER BY terms, then the result columns that are not terms.
pub(super) struct Sorter {
    cursor: CursorId,
    /// The number of terms.
    keys: usize,
    /// The terms are computed before the other columns.
    keys_first: bool,
    /// For each result column its place in the sorter's rows.
    places: Vec<u16>,
    /// The registers in which a row is built.
    row: Reg,
    row_width: usize,
    /// If rows come ordered by the first terms: rows that are equal in those are sorted and delivered together.
    blocks: Option<Blocks>,
    measured: Option<Begun>,
}

/// Rows that come ordered by the first terms of ORDER BY.
///
/// ```text
///     for each row, in order:
///         first terms ≠ the last row's:  gosub output; empty the sorter
///         into the sorter
///     gosub output
/// ```
#[derive(Clone, Copy)]
struct Blocks {
    /// Carries the collations of the first terms.
    key: CursorId,
    /// The number of first terms.
    terms: usize,
    /// Their values in the current block.
    last: Reg,
    /// The subroutine that sorts a block and delivers its rows.
    output: Addr,
    ret: Reg,
    /// LIMIT + OFFSET, which limits the sorter in each block.
    keep: Reg,
}

/// Evaluates LIMIT and OFFSET.
pub(super) fn open<'a>(cg: &mut Codegen<'a>, query: &Query<'a>, destination: &Destination<'a>) -> Result<Sink<'a>> {
    let done = cg.b.label();
    let mut sink = Sink {
        destination: *destination,
        width: query.columns.len(),
        limit: None,
        offset: None,
        keep: Reg::NONE,
        done,
        reals: &[],
        drops_subtypes: false,
    };
    if let Some(limit) = query.limit {
        emit_limit(cg, limit, &mut sink)?;
    }
    Ok(sink)
}

/// A sink for the rows of a source. If the cores of a query differ in the affinity of a column, and it is REAL, its integers are
/// read as reals.
pub(super) fn open_for_source<'a>(
    cg: &mut Codegen<'a>,
    query: &Query<'a>,
    destination: &Destination<'a>,
) -> Result<Sink<'a>> {
    let mut sink = open(cg, query, destination)?;
    sink.drops_subtypes = matches!(destination, Destination::Coroutine { .. }) && rows_may_have_subtypes(query);
    sink.reals = reals_of(query, cg.arena);
    Ok(sink)
}

/// A sink for the rows of a coroutine. `keep`: the most rows that a sorter must keep.
pub(super) fn of_coroutine<'a>(cg: &mut Codegen<'a>, coroutine: &Coroutine, keep: Reg) -> Sink<'a> {
    let Coroutine { co, start, count } = *coroutine;
    let destination = Destination::Coroutine { co, start, is_written: false };
    Sink {
        destination,
        width: count,
        limit: None,
        offset: None,
        keep,
        done: cg.b.label(),
        reals: &[],
        drops_subtypes: false,
    }
}

fn emit_reals<'a>(cg: &mut Codegen<'a>, sink: &Sink<'a>, row: Reg) {
    for &at in sink.reals {
        cg.b.emit(Insn::RealAffinity { reg: row.at(usize::from(at)) });
    }
}

fn emit_limit<'a>(cg: &mut Codegen<'a>, limit: &Limit<'a>, sink: &mut Sink) -> Result<()> {
    let reg = limit_value(cg, &limit.limit)?;
    (sink.limit, sink.keep) = (Some(reg), reg);
    match limit.limit {
        Expr::Integer(0) => cg.b.emit(Insn::Goto { target: sink.done }),
        Expr::Integer(_) => {}
        _ => cg.b.emit(Insn::IfNot { null_jumps: 0, reg, target: sink.done }),
    }
    if let Some(offset) = &limit.offset {
        let offset = limit_value(cg, offset)?;
        sink.offset = Some(offset);
        sink.keep = cg.b.register();
        cg.b.emit(Insn::OffsetLimit { limit: reg, offset, dst: sink.keep });
    }
    Ok(())
}

fn limit_value<'a>(cg: &mut Codegen<'a>, expr: &Expr<'a>) -> Result<Reg> {
    let reg = cg.b.register();
    cg.emit_into(expr, reg)?;
    if !matches!(expr, Expr::Integer(_)) {
        cg.b.emit(Insn::MustBeInteger { reg, target: Addr::NONE });
    }
    Ok(reg)
}

/// The registers in which the result columns of a row are best computed: those of the destination, unless a row may be dropped
/// after that.
pub(super) fn row_registers<'a>(cg: &mut Codegen<'a>, sink: &Sink<'a>, may_drop: bool) -> Reg {
    match sink.destination {
        Destination::Coroutine { start, .. } => start,
        Destination::FirstRow { start } if !may_drop => start,
        _ => cg.b.registers(sink.width),
    }
}

/// Jumps to `next` while OFFSET skips rows.
pub(super) fn emit_offset<'a>(cg: &mut Codegen<'a>, sink: &Sink<'a>, next: Addr) {
    if let Some(reg) = sink.offset {
        cg.b.emit(Insn::IfPositive { reg, minus: 1, target: next });
    }
}

/// Delivers the row in the registers from `row` on.
pub(super) fn deliver<'a>(cg: &mut Codegen<'a>, sink: &Sink<'a>, row: Reg) -> Result<()> {
    let (count, width) = (sink.width as u16, sink.width as u32);
    emit_reals(cg, sink, row);
    if sink.drops_subtypes {
        cg.b.emit(Insn::ClearSubtype { start: row, count: width });
    }
    match sink.destination {
        Destination::Output => cg.b.emit(Insn::ResultRow { start: row, count: width }),
        Destination::Coroutine { co, start, .. } => {
            cg.emit_copy_row(row, start, sink.width);
            cg.b.emit(Insn::Yield { co, target: Addr::NONE });
        }
        Destination::Table { cursor } => {
            let rowid = cg.b.temporary();
            cg.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
            let (flags, affinities) = (insert_flags::APPEND, AffinityListId::NONE);
            cg.b.emit(Insn::InsertRow { flags, cursor, count, affinities, rowid, start: row });
            cg.b.free(rowid);
        }
        Destination::Set { cursor, affinities } => {
            cg.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start: row });
        }
        Destination::Keyed { cursor, key } => emit_keyed(cg, cursor, key as u16, row, count),
        Destination::Queue(queue) => queue::deliver(cg, queue, row, sink.width),
        Destination::FirstRow { start } => {
            cg.emit_copy_row(row, start, sink.width);
            cg.b.emit(Insn::Goto { target: sink.done });
            return Ok(());
        }
        Destination::Exists { reg } => {
            cg.b.emit(Insn::Integer { value: 1, dst: reg });
            cg.b.emit(Insn::Goto { target: sink.done });
            return Ok(());
        }
        Destination::Discard => {}
    }
    if let Some(reg) = sink.limit {
        cg.b.emit(Insn::DecrementJumpZero { reg, target: sink.done });
    }
    Ok(())
}

/// A row without a key is that of aggregates over no rows.
fn emit_keyed(cg: &mut Codegen<'_>, cursor: CursorId, key: u16, row: Reg, count: u16) {
    let skip = cg.b.label();
    let record = cg.b.temporary();
    cg.b.emit(Insn::IsNull { reg: row, target: skip });
    cg.b.emit(Insn::IdxDelete { must_exist: 0, cursor, start: row, count: u32::from(key) });
    cg.b.emit(Insn::MakeRecord { count, affinities: AffinityListId::NONE, start: row, dst: record });
    cg.b.emit(Insn::IdxInsert { flags: 0, cursor, count: key, record, start: row });
    cg.b.place(skip);
    cg.b.free(record);
}

/// Whether the destination does not use the columns of a row.
pub(super) fn only_counts(sink: &Sink<'_>) -> bool {
    matches!(sink.destination, Destination::Exists { .. })
}

/// Opens a sorter for rows that do not come in the required order.
/// Its costs are those of ORDER BY in the line of the plan `of`.
pub(super) fn open_sorter<'a, T>(
    cg: &mut Codegen<'a>,
    order_by: &[OrderTerm<'a>],
    sink: &Sink<'a>,
    of: &T,
) -> Result<Sorter> {
    let key = cg.order_key(order_by)?;
    let keys = order_by.len();
    let mut places = Vec::with_capacity(sink.width);
    let mut row_width = keys;
    for column in 0..sink.width {
        let as_key = order_by.iter().position(|term| term.output == Some(column as u16));
        places.push(as_key.unwrap_or(row_width) as u16);
        row_width += usize::from(as_key.is_none());
    }
    let cursor = cg.ephemeral(CursorKind::Sorter, key, row_width);
    cg.b.emit(Insn::SorterOpen { cursor, limit: sink.keep });
    let measured = cg.begin_part(Part::Order, of);
    let keys_first = computes_keys_first(sink);
    Ok(Sorter { cursor, keys, keys_first, places, row: cg.b.registers(row_width), row_width, blocks: None, measured })
}

/// Whether the terms of ORDER BY are computed before the other columns, which shows where both fail. As in SQLite, they are if LIMIT may drop
/// the row and its registers are free to be used later.
fn computes_keys_first(sink: &Sink<'_>) -> bool {
    let is_fixed = match sink.destination {
        Destination::FirstRow { .. } | Destination::Table { .. } => true,
        Destination::Coroutine { is_written, .. } => is_written,
        _ => false,
    };
    sink.keep != Reg::NONE && !is_fixed
}

/// Opens a sorter for rows that are already ordered by the first `terms` of ORDER BY, but not by the other terms.
pub(super) fn open_block_sorter<'a, T>(
    cg: &mut Codegen<'a>,
    order_by: &[OrderTerm<'a>],
    terms: usize,
    sink: &Sink<'a>,
    of: &T,
) -> Result<Sorter> {
    let mut sorter = open_sorter(cg, order_by, sink, of)?;
    if terms > 0 {
        let key = cg.order_key(&order_by[..terms])?;
        let key = cg.ephemeral(CursorKind::KeyOnly, key, terms);
        let (last, ret) = (cg.b.registers(terms), cg.b.register());
        cg.b.emit(Insn::NullNever { start: last, count: terms as u32 });
        sorter.blocks = Some(Blocks { key, terms, last, output: cg.b.label(), ret, keep: sink.keep });
    }
    Ok(sorter)
}

/// Delivers the previous block, if the row in the registers begins another one.
fn emit_block_end(cg: &mut Codegen<'_>, sorter: &Sorter) {
    let Some(Blocks { key, terms, last, output, ret, keep }) = sorter.blocks else { return };
    let (other, same) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::CompareVectors { key, lhs: sorter.row, rhs: last, count: terms as u32 });
    cg.b.emit(Insn::Jump { less: other, equal: same, greater: other });
    cg.b.place(other);
    cg.b.emit(Insn::Gosub { ret, target: output });
    cg.b.emit(Insn::SorterOpen { cursor: sorter.cursor, limit: keep });
    cg.emit_copy_row(sorter.row, last, terms);
    cg.b.place(same);
}

/// Puts a row into the sorter: `columns` are its result columns; if they are computed already, `computed` has their registers.
pub(super) fn emit_sorter_insert<'a>(
    cg: &mut Codegen<'a>,
    sorter: &Sorter,
    order_by: &[OrderTerm<'a>],
    columns: &[Expr<'a>],
    computed: Option<Reg>,
) -> Result<()> {
    if sorter.keys_first {
        emit_keys(cg, sorter, order_by, computed)?;
    }
    for (at, column) in columns.iter().enumerate() {
        let place = usize::from(sorter.places[at]);
        if place >= sorter.keys {
            match computed {
                Some(row) => cg.emit_copy(row.at(at), sorter.row.at(place)),
                None => cg.emit_into(column, sorter.row.at(place))?,
            }
        }
    }
    if !sorter.keys_first {
        emit_keys(cg, sorter, order_by, computed)?;
    }
    emit_block_end(cg, sorter);
    let (cursor, start, count) = (sorter.cursor, sorter.row, sorter.row_width as u32);
    cg.measure_insert(sorter.measured, cursor);
    cg.b.emit(Insn::SorterInsert { cursor, start, count });
    Ok(())
}

fn emit_keys<'a>(
    cg: &mut Codegen<'a>,
    sorter: &Sorter,
    order_by: &[OrderTerm<'a>],
    computed: Option<Reg>,
) -> Result<()> {
    for (at, term) in order_by.iter().enumerate() {
        match (term.output, computed) {
            (Some(output), Some(row)) => cg.emit_copy(row.at(usize::from(output)), sorter.row.at(at)),
            _ => cg.emit_into(&term.expr, sorter.row.at(at))?,
        }
    }
    Ok(())
}

/// Sorts, and delivers the rows.
pub(super) fn emit_sorted<'a>(cg: &mut Codegen<'a>, sorter: &Sorter, sink: &Sink<'a>) -> Result<()> {
    let Some(Blocks { output, ret, .. }) = sorter.blocks else { return emit_sorted_rows(cg, sorter, sink) };
    let end = cg.b.label();
    cg.b.emit(Insn::Gosub { ret, target: output });
    cg.b.emit(Insn::Goto { target: end });
    cg.b.place(output);
    emit_sorted_rows(cg, sorter, sink)?;
    cg.b.emit(Insn::Return { ret });
    cg.b.place(end);
    Ok(())
}

fn emit_sorted_rows<'a>(cg: &mut Codegen<'a>, sorter: &Sorter, sink: &Sink<'a>) -> Result<()> {
    let cursor = sorter.cursor;
    let (next, end) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::SorterSort { cursor, target: end });
    let top = cg.b.here();
    emit_offset(cg, sink, next);
    let row = row_registers(cg, sink, false);
    for (at, &column) in sorter.places.iter().enumerate() {
        cg.b.emit(Insn::Column { cursor, column, dst: row.at(at) });
    }
    deliver(cg, sink, row)?;
    cg.b.place(next);
    cg.b.emit(Insn::SorterNext { cursor, target: top });
    cg.b.place(end);
    Ok(())
}

/// The columns of REAL affinity that may hold integers. A single SELECT converts them itself, but for what USING has merged: that has the
/// affinity of the first operand.
fn reals_of<'a>(query: &Query<'a>, arena: &'a Bump) -> &'a [u16] {
    let single = query.single_select();
    let is_merged = |expr: &Expr<'a>| matches!(expr, Expr::Function(call) if call.is_merged_column);
    let may_be_integer = |at: usize| single.is_none_or(|select| is_merged(&select.columns[at]));
    let is_real = |(at, column): (usize, &OutputColumn<'a>)| {
        (column.affinity == Some(Affinity::Real) && may_be_integer(at)).then_some(at as u16)
    };
    let reals = query.columns.iter().enumerate().filter_map(is_real);
    bumpalo::collections::Vec::from_iter_in(reals, arena).into_bump_slice()
}
