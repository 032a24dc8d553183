//! The registers and cursors of a pass over the rows of a window.

use lithe_resolve::ir::{OrderTerm, Window, WindowCall};
use lithe_sql::ast::FrameExclude;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AggregateId, CollationId, CompareFlags, CursorId, Reg};

use crate::{Codegen, Coroutine};

/// The registers and cursors of a pass.
pub(super) struct Pass<'a> {
    /// The rows of the partition.
    pub table: CursorId,
    /// On the current row.
    pub current: CursorId,
    /// A cursor for reading other rows.
    pub other: CursorId,
    /// Number of the current row.
    pub number: Reg,
    /// The column of the group's number.
    pub group_column: u16,
    /// The column of the only ORDER BY term, if RANGE has distances.
    pub key_column: Option<u16>,
    /// ORDER BY.
    pub order_by: &'a [OrderTerm<'a>],
    pub calls: Vec<CallInPass<'a>>,
    /// One for each distinct frame.
    pub frames: Vec<Frame<'a>>,
    pub ahead: Ahead,
}

/// The state of the input, which is read ahead of the current row.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    pub input: Coroutine,
    /// Whether the partition may have more rows than were collected.
    pub is_open: Reg,
    /// Whether a row was fetched, and the input is not at its end.
    pub has_row: Reg,
    /// PARTITION BY of the row that was fetched last.
    pub keys: Reg,
    /// ORDER BY of the row that was fetched last.
    pub order: Reg,
    /// PARTITION BY of the partition.
    pub partition: Reg,
    /// ORDER BY of the row that was collected last.
    pub peers: Reg,
    /// The number of the row that was collected last.
    pub last: Reg,
    /// The number of the group of peers of that row.
    pub group: Reg,
    /// The subroutine that fetches a row, and its return address.
    pub fetch: Addr,
    pub ret: Reg,
    /// The subroutine that collects a row.
    pub pull: Addr,
    pub pull_ret: Reg,
}

/// The columns of a call in the table, and its registers.
pub(super) struct CallInPass<'a> {
    pub call: &'a WindowCall<'a>,
    /// The column of its first argument.
    pub args: u16,
    /// The column of the first argument's subtype, if the function reads subtypes and arguments may have one.
    pub subtypes: Option<u16>,
    /// The column that says whether FILTER accepts the row.
    pub filter: Option<u16>,
    /// The number of its frame.
    pub frame: usize,
    /// What the function is.
    pub kind: CallKind,
}

/// A window function is an aggregate, or looks rows up.
#[derive(Clone, Copy)]
pub(super) enum CallKind {
    /// The aggregate, and the register of its state.
    Aggregate(AggregateId, Reg),
    /// The value of some row.
    Lookup(Lookup),
}

/// The functions that look rows up.
#[derive(Clone, Copy)]
pub(super) enum Lookup {
    /// lead() and lag().
    Neighbour {
        /// lead().
        ahead: bool,
    },
    /// first_value(), last_value() and nth_value().
    InFrame(FrameValue),
}

/// The row of a frame that a function looks up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameValue {
    First,
    Last,
    Nth,
}

/// The registers of a frame.
pub(super) struct Frame<'a> {
    pub window: &'a Window<'a>,
    /// The first row in the frame.
    pub first: Reg,
    /// The first row after the frame.
    pub past_end: Reg,
    /// The distance of the start, if it has one.
    pub start: Option<Reg>,
    /// The distance of the end.
    pub end: Option<Reg>,
    /// The cursor on the rows that enter and leave.
    pub cursor: CursorId,
    /// Compares ORDER BY keys, for RANGE with distances.
    pub key: Option<CursorId>,
    /// The group of peers of the row to which the frame was moved last, if it is the same for all peers.
    pub group: Option<Reg>,
}

impl<'a> Pass<'a> {
    /// The aggregates that rows enter and leave with this frame: none if it excludes rows, because then each row's frame is computed anew.
    pub fn aggregates_of(&self, frame: usize) -> impl Iterator<Item = &CallInPass<'a>> {
        let is_whole = self.frames[frame].exclude() == FrameExclude::Absent;
        let is_of = move |call: &&CallInPass<'a>| call.frame == frame && matches!(call.kind, CallKind::Aggregate(..));
        self.calls.iter().filter(move |_| is_whole).filter(is_of)
    }

    /// Collects rows until the number in `gathered` is greater than `current`, or the partition has no more.
    pub fn emit_pull_until(&self, cg: &mut Codegen<'a>, gathered: Reg, current: Reg) {
        let done = cg.b.label();
        let top = cg.b.here();
        let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
        cg.b.emit(Insn::Gt { flags, collation, lhs: gathered, rhs: current, target: done });
        self.ahead.emit_pull_or(cg, top, done);
        cg.b.place(done);
    }
}

impl Ahead {
    /// Collects one more row and goes to `again`, or to `none` if the partition has no more.
    pub fn emit_pull_or(&self, cg: &mut Codegen<'_>, again: Addr, none: Addr) {
        let Ahead { is_open, pull, pull_ret, .. } = *self;
        cg.b.emit(Insn::IfNot { null_jumps: 0, reg: is_open, target: none });
        cg.b.emit(Insn::Gosub { ret: pull_ret, target: pull });
        cg.b.emit(Insn::Goto { target: again });
    }
}

impl CallInPass<'_> {
    /// Emits the step of an aggregate that the row under `cursor` enters or leaves, unless FILTER rejects it.
    pub fn emit_step(&self, cg: &mut Codegen<'_>, cursor: CursorId, insn: impl FnOnce(AggregateId, Reg, Reg) -> Insn) {
        let CallKind::Aggregate(id, state) = self.kind else { return };
        let skip = cg.b.label();
        if let Some(column) = self.filter {
            let reg = cg.b.temporary();
            cg.b.emit(Insn::Column { cursor, column, dst: reg });
            cg.b.emit(Insn::IfNot { null_jumps: 1, reg, target: skip });
            cg.b.free(reg);
        }
        let count = self.call.args.len();
        let start = cg.b.registers(count.max(1));
        for at in 0..count {
            cg.b.emit(Insn::Column { cursor, column: self.args + at as u16, dst: start.at(at) });
        }
        if let Some(subtypes) = self.subtypes {
            let src = cg.b.temporary();
            for at in 0..count {
                cg.b.emit(Insn::Column { cursor, column: subtypes + at as u16, dst: src });
                cg.b.emit(Insn::SetSubtype { src, dst: start.at(at) });
            }
            cg.b.free(src);
        }
        cg.b.emit(insn(id, start, state));
        cg.free_registers(start, count.max(1));
        cg.b.place(skip);
    }
}
