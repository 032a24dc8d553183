//! The end of the chain: a row is sorted or not, skipped by OFFSET, counted by LIMIT, and delivered.

use lithe_catalog::Result;
use lithe_resolve::ir::{Expr, Limit, OrderTerm, Query, rows_may_have_subtypes};
use lithe_value::Affinity;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg, Sequence};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use crate::Destination;

/// Where the rows of a query end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sink {
    pub destination: Destination,
    /// How many columns a row has.
    pub width: usize,
    /// Rows still wanted.
    pub limit: Option<Reg>,
    /// Rows still to be skipped.
    pub offset: Option<Reg>,
    /// LIMIT + OFFSET: no sorter needs to keep more rows.
    pub keep: Reg,
    /// A sink that needs no more rows jumps here; the sink's owner places the label.
    pub done: Addr,
    /// Number of the list of columns, in the generator's state, whose integers become reals.
    pub reals: Option<u16>,
    /// The rows go to another query, which sees no subtypes.
    pub drops_subtypes: bool,
}

/// A sorter between the loops and the sink. Its rows are the ORDER BY terms, then the result columns that are none of
/// them.
pub(super) struct Sorter {
    cursor: CursorId,
    /// How many terms.
    keys: usize,
    /// For each result column its place in the sorter's rows.
    places: Vec<u16>,
    /// Where a row is put together.
    row: Reg,
    row_width: usize,
    /// Where rows come ordered by the first terms: those that are equal there are sorted and delivered together.
    blocks: Option<Blocks>,
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
    /// How many.
    terms: usize,
    /// Their values in the block.
    last: Reg,
    /// Sorts, and delivers the rows.
    output: Addr,
    ret: Reg,
    /// LIMIT + OFFSET, which the sorter gets anew for each block.
    keep: Reg,
}

impl<'a> Codegen<'a> {
    /// Evaluates LIMIT and OFFSET.
    pub(super) fn open_sink(&mut self, query: &Query<'a>, destination: &Destination) -> Result<Sink> {
        let done = self.b.label();
        let mut sink = Sink {
            destination: *destination,
            width: query.columns.len(),
            limit: None,
            offset: None,
            keep: Reg::NONE,
            done,
            reals: None,
            drops_subtypes: false,
        };
        if let Some(limit) = query.limit {
            self.emit_limit(limit, &mut sink)?;
        }
        Ok(sink)
    }

    /// A sink for the rows of a source. Where the cores of a query say different things about a column's affinity, and it is
    /// REAL, integers of it are read as reals.
    pub(super) fn open_source_sink(&mut self, query: &Query<'a>, destination: &Destination) -> Result<Sink> {
        let mut sink = self.open_sink(query, destination)?;
        sink.drops_subtypes = matches!(destination, Destination::Coroutine { .. }) && rows_may_have_subtypes(query);
        let reals = reals_of(query);
        if !reals.is_empty() {
            sink.reals = Some(self.select.reals.len() as u16);
            self.select.reals.push(reals);
        }
        Ok(sink)
    }

    fn emit_reals(&mut self, sink: &Sink, row: Reg) {
        let Some(list) = sink.reals else { return };
        let Codegen { b, select, .. } = self;
        for &at in &select.reals[usize::from(list)] {
            b.emit(Insn::RealAffinity { reg: row.at(usize::from(at)) });
        }
    }

    fn emit_limit(&mut self, limit: &Limit<'a>, sink: &mut Sink) -> Result<()> {
        let reg = self.limit_value(&limit.limit)?;
        (sink.limit, sink.keep) = (Some(reg), reg);
        match limit.limit {
            Expr::Integer(0) => self.b.emit(Insn::Goto { target: sink.done }),
            Expr::Integer(_) => {}
            _ => self.b.emit(Insn::IfNot { null_jumps: 0, reg, target: sink.done }),
        }
        if let Some(offset) = &limit.offset {
            let offset = self.limit_value(offset)?;
            sink.offset = Some(offset);
            sink.keep = self.b.register();
            self.b.emit(Insn::OffsetLimit { limit: reg, offset, dst: sink.keep });
        }
        Ok(())
    }

    fn limit_value(&mut self, expr: &Expr<'a>) -> Result<Reg> {
        let reg = self.b.register();
        self.emit_into(expr, reg)?;
        if !matches!(expr, Expr::Integer(_)) {
            self.b.emit(Insn::MustBeInteger { reg, target: Addr::NONE });
        }
        Ok(reg)
    }

    /// Where the result columns of a row are best computed: where the destination wants them, unless a row may be
    /// dropped after that.
    pub(super) fn row_registers(&mut self, sink: &Sink, may_drop: bool) -> Reg {
        match sink.destination {
            Destination::Coroutine { start, .. } => start,
            Destination::FirstRow { start } if !may_drop => start,
            _ => self.b.registers(sink.width),
        }
    }

    /// Jumps to `next` as long as OFFSET skips rows.
    pub(super) fn emit_offset(&mut self, sink: &Sink, next: Addr) {
        if let Some(reg) = sink.offset {
            self.b.emit(Insn::IfPositive { reg, minus: 1, target: next });
        }
    }

    /// Delivers the row in the registers from `row` on.
    pub(super) fn deliver(&mut self, sink: &Sink, row: Reg) -> Result<()> {
        let (count, width) = (sink.width as u16, sink.width as u32);
        self.emit_reals(sink, row);
        if sink.drops_subtypes {
            self.b.emit(Insn::ClearSubtype { start: row, count: width });
        }
        match sink.destination {
            Destination::Output => self.b.emit(Insn::ResultRow { start: row, count: width }),
            Destination::Coroutine { co, start } => {
                self.emit_copy_row(row, start, sink.width);
                self.b.emit(Insn::Yield { co, target: Addr::NONE });
            }
            Destination::Table { cursor } => {
                let rowid = self.b.temporary();
                self.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
                let (flags, affinities) = (insert_flags::APPEND, AffinityListId::NONE);
                self.b.emit(Insn::InsertRow { flags, cursor, count, affinities, rowid, start: row });
                self.b.free(rowid);
            }
            Destination::Set { cursor, affinities } => {
                self.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start: row });
            }
            Destination::Queue(queue) => self.deliver_to_queue(queue, row, sink.width),
            Destination::FirstRow { start } => {
                self.emit_copy_row(row, start, sink.width);
                self.b.emit(Insn::Goto { target: sink.done });
                return Ok(());
            }
            Destination::Exists { reg } => {
                self.b.emit(Insn::Integer { value: 1, dst: reg });
                self.b.emit(Insn::Goto { target: sink.done });
                return Ok(());
            }
            Destination::Discard => {}
        }
        if let Some(reg) = sink.limit {
            self.b.emit(Insn::DecrementJumpZero { reg, target: sink.done });
        }
        Ok(())
    }

    pub(super) fn emit_copy_row(&mut self, src: Reg, dst: Reg, width: usize) {
        if src != dst && width > 0 {
            self.b.emit(Insn::Copy { src, dst, count: width as u32 });
        }
    }

    /// Whether the destination has no use for the columns of a row.
    pub(super) fn only_counts(sink: &Sink) -> bool {
        matches!(sink.destination, Destination::Exists { .. })
    }

    /// Opens a sorter for rows that do not come in the order wanted.
    pub(super) fn open_sorter(&mut self, order_by: &[OrderTerm<'a>], sink: &Sink) -> Result<Sorter> {
        let key = self.order_key(order_by)?;
        let keys = order_by.len();
        let mut places = Vec::with_capacity(sink.width);
        let mut row_width = keys;
        for column in 0..sink.width {
            let as_key = order_by.iter().position(|term| term.output == Some(column as u16));
            places.push(as_key.unwrap_or(row_width) as u16);
            row_width += usize::from(as_key.is_none());
        }
        let cursor = self.ephemeral(CursorKind::Sorter, key, row_width);
        self.b.emit(Insn::SorterOpen { cursor, limit: sink.keep });
        Ok(Sorter { cursor, keys, places, row: self.b.registers(row_width), row_width, blocks: None })
    }

    /// Opens a sorter for rows that come ordered by the first `terms` of ORDER BY, but not by the others.
    pub(super) fn open_block_sorter(
        &mut self,
        order_by: &[OrderTerm<'a>],
        terms: usize,
        sink: &Sink,
    ) -> Result<Sorter> {
        let mut sorter = self.open_sorter(order_by, sink)?;
        if terms > 0 {
            let key = self.order_key(&order_by[..terms])?;
            let key = self.ephemeral(CursorKind::KeyOnly, key, terms);
            let (last, ret) = (self.b.registers(terms), self.b.register());
            self.b.emit(Insn::NullNever { start: last, count: terms as u32 });
            sorter.blocks = Some(Blocks { key, terms, last, output: self.b.label(), ret, keep: sink.keep });
        }
        Ok(sorter)
    }

    /// The row that is put together may begin another block: then the one before is delivered.
    fn emit_block_end(&mut self, sorter: &Sorter) {
        let Some(Blocks { key, terms, last, output, ret, keep }) = sorter.blocks else { return };
        let (other, same) = (self.b.label(), self.b.label());
        self.b.emit(Insn::CompareVectors { key, lhs: sorter.row, rhs: last, count: terms as u32 });
        self.b.emit(Insn::Jump { less: other, equal: same, greater: other });
        self.b.place(other);
        self.b.emit(Insn::Gosub { ret, target: output });
        self.b.emit(Insn::SorterOpen { cursor: sorter.cursor, limit: keep });
        self.emit_copy_row(sorter.row, last, terms);
        self.b.place(same);
    }

    /// Puts a row into the sorter: `columns` are its result columns, `computed` the registers that they are in already.
    pub(super) fn emit_sorter_insert(
        &mut self,
        sorter: &Sorter,
        order_by: &[OrderTerm<'a>],
        columns: &[Expr<'a>],
        computed: Option<Reg>,
    ) -> Result<()> {
        for (at, term) in order_by.iter().enumerate() {
            match (term.output, computed) {
                (Some(output), Some(row)) => self.emit_copy(row.at(usize::from(output)), sorter.row.at(at)),
                _ => self.emit_into(&term.expr, sorter.row.at(at))?,
            }
        }
        for (at, column) in columns.iter().enumerate() {
            let place = usize::from(sorter.places[at]);
            if place >= sorter.keys {
                match computed {
                    Some(row) => self.emit_copy(row.at(at), sorter.row.at(place)),
                    None => self.emit_into(column, sorter.row.at(place))?,
                }
            }
        }
        self.emit_block_end(sorter);
        let (cursor, start, count) = (sorter.cursor, sorter.row, sorter.row_width as u32);
        self.b.emit(Insn::SorterInsert { cursor, start, count });
        Ok(())
    }

    /// Sorts, and delivers the rows.
    pub(super) fn emit_sorted(&mut self, sorter: &Sorter, sink: &Sink) -> Result<()> {
        let Some(Blocks { output, ret, .. }) = sorter.blocks else { return self.emit_sorted_rows(sorter, sink) };
        let end = self.b.label();
        self.b.emit(Insn::Gosub { ret, target: output });
        self.b.emit(Insn::Goto { target: end });
        self.b.place(output);
        self.emit_sorted_rows(sorter, sink)?;
        self.b.emit(Insn::Return { ret });
        self.b.place(end);
        Ok(())
    }

    fn emit_sorted_rows(&mut self, sorter: &Sorter, sink: &Sink) -> Result<()> {
        let cursor = sorter.cursor;
        let (next, end) = (self.b.label(), self.b.label());
        self.b.emit(Insn::SorterSort { cursor, target: end });
        let top = self.b.here();
        self.emit_offset(sink, next);
        let row = self.row_registers(sink, false);
        for (at, &column) in sorter.places.iter().enumerate() {
            self.b.emit(Insn::Column { cursor, column, dst: row.at(at) });
        }
        self.deliver(sink, row)?;
        self.b.place(next);
        self.b.emit(Insn::SorterNext { cursor, target: top });
        self.b.place(end);
        Ok(())
    }

    /// The list of these affinities; none if none of them does anything.
    pub(crate) fn affinities(&mut self, list: &[Option<Affinity>]) -> AffinityListId {
        if list.iter().all(|affinity| affinity.is_none_or(|affinity| affinity == Affinity::Blob)) {
            return AffinityListId::NONE;
        }
        let list: Vec<Affinity> = list.iter().map(|affinity| affinity.unwrap_or(Affinity::Blob)).collect();
        self.b.affinity_list(&list)
    }
}

/// The columns of REAL affinity that may hold integers: one SELECT alone makes reals of them itself.
fn reals_of(query: &Query<'_>) -> Vec<u16> {
    if query.single_select().is_some() {
        return Vec::new();
    }
    let columns = query.columns.iter().enumerate();
    columns.filter(|(_, column)| column.affinity == Some(Affinity::Real)).map(|(at, _)| at as u16).collect()
}
