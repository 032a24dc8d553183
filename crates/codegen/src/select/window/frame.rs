//! The frame of the current row: the rows from `first` up to, not including, `past_end`. As the current row moves, both ends
//! move forward only; rows enter and leave the aggregates at the ends.

use lithe_catalog::Result;
use lithe_resolve::ir::{Expr, FrameBound, Window};
use lithe_sql::ast::{FrameExclude, FrameUnit};
use lithe_value::ValueRef;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::super::super::Codegen;
use super::state::{Frame, Pass};

/// The end of a frame.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Start,
    End,
}

/// The order in which rows enter and leave a frame as the current row moves. It is SQLite's, and shows in sums of reals, in separators of
/// `group_concat()`, and in whether a row that enters and leaves at once makes a function fail.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// Rows leave, then rows enter.
    LeaveFirst,
    /// Rows enter, then rows leave.
    EnterFirst,
    /// Before each row that enters, those leave that are too far from it: as if the current row had come from before the first one.
    InTurns,
}

/// Whether the frame is given by distances of the ORDER BY term's values.
pub(super) fn measures(window: &Window<'_>) -> bool {
    window.unit == FrameUnit::Range && (distance(&window.start).is_some() || distance(&window.end).is_some())
}

fn distance<'w, 'a>(bound: &'w FrameBound<'a>) -> Option<&'w Expr<'a>> {
    match bound {
        FrameBound::Preceding(expr) | FrameBound::Following(expr) => Some(expr),
        FrameBound::Unbounded | FrameBound::CurrentRow => None,
    }
}

impl<'a> Frame<'a> {
    /// Whether it is the frame of this window, too.
    pub fn is_of(&self, window: &Window<'a>) -> bool {
        let same_bound = |x: &FrameBound<'a>, y: &FrameBound<'a>| match (x, y) {
            (FrameBound::Unbounded, FrameBound::Unbounded) | (FrameBound::CurrentRow, FrameBound::CurrentRow) => true,
            (FrameBound::Preceding(x), FrameBound::Preceding(y)) => lithe_resolve::ir::same(x, y),
            (FrameBound::Following(x), FrameBound::Following(y)) => lithe_resolve::ir::same(x, y),
            _ => false,
        };
        self.window.unit == window.unit
            && self.window.exclude == window.exclude
            && same_bound(&self.window.start, &window.start)
            && same_bound(&self.window.end, &window.end)
    }

    /// The rows that it excludes.
    pub fn exclude(&self) -> FrameExclude {
        self.window.exclude
    }

    /// An end of it, and the register of its distance, if it has one.
    fn bound(&self, end: End) -> (&'a FrameBound<'a>, Option<Reg>) {
        match end {
            End::Start => (&self.window.start, self.start),
            End::End => (&self.window.end, self.end),
        }
    }

    /// Whether it ends before the current row, and is known only once all peers of the row are read.
    fn waits_for_peers(&self) -> bool {
        self.window.unit != FrameUnit::Rows && matches!(self.window.end, FrameBound::Preceding(_))
    }

    /// Whether both ends are distances before the current row, or both are distances after it.
    fn is_on_one_side(&self) -> bool {
        use FrameBound::{Following, Preceding};
        let ends = (&self.window.start, &self.window.end);
        matches!(ends, (Preceding(_), Preceding(_)) | (Following(_), Following(_)))
    }

    fn order(&self) -> Order {
        let starts_after = matches!(self.window.start, FrameBound::Following(_));
        match self.window.unit {
            _ if matches!(self.window.end, FrameBound::Unbounded) => Order::EnterFirst,
            FrameUnit::Range if self.is_on_one_side() => Order::EnterFirst,
            FrameUnit::Rows | FrameUnit::Groups if starts_after => Order::InTurns,
            _ => Order::LeaveFirst,
        }
    }

    /// Whether rows ever leave it.
    fn start_moves(&self) -> bool {
        !matches!(self.window.start, FrameBound::Unbounded)
    }
}

pub(super) fn open<'a>(cg: &mut Codegen<'a>, window: &'a Window<'a>) -> Result<Frame<'a>> {
    let key = if measures(window) { Some(super::key_only(cg, &window.order_by[..1])?) } else { None };
    let group = (window.unit != FrameUnit::Rows).then(|| cg.b.register());
    Ok(Frame {
        window,
        first: cg.b.register(),
        past_end: cg.b.register(),
        start: distance(&window.start).map(|_| cg.b.register()),
        end: distance(&window.end).map(|_| cg.b.register()),
        cursor: cg.ephemeral_table(0),
        key,
        group,
    })
}

/// Begins the frame of a partition, which is empty. The distances are computed and checked here.
pub(super) fn begin<'a>(cg: &mut Codegen<'a>, frame: &Frame<'a>, pass: &Pass<'a>) -> Result<()> {
    let columns = cg.b.cursor_info(pass.table).column_count;
    cg.b.cursor_info(frame.cursor).column_count = columns;
    cg.b.emit(Insn::OpenDup { cursor: frame.cursor, original: pass.table });
    cg.b.emit(Insn::Integer { value: 1, dst: frame.first });
    cg.b.emit(Insn::Integer { value: 1, dst: frame.past_end });
    if let Some(dst) = frame.group {
        cg.b.emit(Insn::Integer { value: 0, dst });
    }
    if let (Some(reg), Some(expr)) = (frame.start, distance(&frame.window.start)) {
        cg.emit_into(expr, reg)?;
        check_distance(cg, frame.window.unit, reg, "starting");
    }
    if let (Some(reg), Some(expr)) = (frame.end, distance(&frame.window.end)) {
        cg.emit_into(expr, reg)?;
        check_distance(cg, frame.window.unit, reg, "ending");
    }
    if frame.window.unit != FrameUnit::Range && frame.is_on_one_side() {
        emit_keep_empty(cg, frame);
    }
    Ok(())
}

/// No row ever enters a frame that ends before it starts: its end is moved to before the first row.
fn emit_keep_empty<'a>(cg: &mut Codegen<'a>, frame: &Frame<'a>) {
    let (start, end) = (frame.start.expect("a distance"), frame.end.expect("a distance"));
    let is_before = matches!(frame.window.end, FrameBound::Preceding(_));
    let (far, near) = if is_before { (start, end) } else { (end, start) };
    let some = cg.b.label();
    let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
    cg.b.emit(Insn::Ge { flags, collation, lhs: far, rhs: near, target: some });
    let value = cg.b.constant(ValueRef::Integer(if is_before { i64::MAX } else { -i64::MAX }));
    cg.b.emit(Insn::Const { value, dst: end });
    cg.b.place(some);
}

fn check_distance(cg: &mut Codegen<'_>, unit: FrameUnit, reg: Reg, which: &str) {
    let (wrong, right) = (cg.b.label(), cg.b.label());
    let kind = if unit == FrameUnit::Range { "number" } else { "integer" };
    let distance = reg;
    let reg = cg.b.temporary();
    cg.emit_copy(distance, reg);
    if unit == FrameUnit::Range {
        // A text may be a number. Any other text, and a blob, is larger than the empty text.
        let affinities = cg.b.affinity_list(&[lithe_value::Affinity::Numeric]);
        cg.b.emit(Insn::Affinity { start: reg, affinities });
        let empty = cg.b.temporary();
        let value = cg.b.constant(ValueRef::Text(b""));
        cg.b.emit(Insn::Const { value, dst: empty });
        let (flags, collation) = (CompareFlags(CompareFlags::NULL_JUMPS), CollationId::BINARY);
        cg.b.emit(Insn::Ge { flags, collation, lhs: reg, rhs: empty, target: wrong });
        cg.b.free(empty);
    } else {
        cg.b.emit(Insn::MustBeInteger { reg, target: wrong });
        cg.emit_copy(reg, distance);
    }
    let zero = cg.b.temporary();
    cg.b.emit(Insn::Integer { value: 0, dst: zero });
    let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
    cg.b.emit(Insn::Ge { flags, collation, lhs: reg, rhs: zero, target: right });
    cg.b.free(zero);
    cg.b.free(reg);
    cg.b.place(wrong);
    cg.emit_run_error(&format!("frame {which} offset must be a non-negative {kind}"));
    cg.b.place(right);
}

/// Moves the frame to the current row. Peers have one frame (ROWS excepted), so that it moves with the first of them.
pub(super) fn emit_move<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, at: usize, group: Reg) -> Result<()> {
    let frame = &pass.frames[at];
    let Some(last) = frame.group else { return emit_move_ends(cg, pass, at, group) };
    let is_there = cg.b.label();
    let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
    cg.b.emit(Insn::Eq { flags, collation, lhs: last, rhs: group, target: is_there });
    if frame.waits_for_peers() {
        pass.emit_pull_until(cg, pass.ahead.group, group);
    }
    emit_move_ends(cg, pass, at, group)?;
    cg.emit_copy(group, last);
    cg.b.place(is_there);
    Ok(())
}

fn emit_move_ends<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, at: usize, group: Reg) -> Result<()> {
    let frame = &pass.frames[at];
    let current = if frame.window.unit == FrameUnit::Rows { pass.number } else { group };
    if frame.order() == Order::LeaveFirst {
        emit_leave(cg, pass, at, current)?;
        return emit_enter(cg, pass, at, current);
    }
    emit_enter(cg, pass, at, current)?;
    emit_leave(cg, pass, at, current)
}

/// Rows enter the frame at its end.
fn emit_enter<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, at: usize, current: Reg) -> Result<()> {
    let frame = &pass.frames[at];
    let (past_end, cursor) = (frame.past_end, frame.cursor);
    let (complete, missing) = (cg.b.label(), cg.b.label());
    let top = cg.b.here();
    cg.b.emit(Insn::SeekRowid { cursor, rowid: past_end, target: missing });
    emit_is_beyond(cg, pass, frame, End::End, current, past_end, complete)?;
    if frame.order() == Order::InTurns {
        emit_leave_before(cg, pass, at)?;
        cg.b.emit(Insn::SeekRowid { cursor, rowid: past_end, target: missing });
    }
    for call in pass.aggregates_of(at) {
        call.emit_step(cg, cursor, |aggregate, start, acc| Insn::AggStep { aggregate, start, acc });
    }
    cg.b.emit(Insn::AddImmediate { reg: past_end, value: 1 });
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(missing);
    pass.ahead.emit_pull_or(cg, top, complete);
    cg.b.place(complete);
    Ok(())
}

/// Rows leave that have left the frame when the row under its cursor enters it.
fn emit_leave_before<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, at: usize) -> Result<()> {
    let frame = &pass.frames[at];
    let entering = emit_position(cg, pass, frame, frame.past_end);
    let (current, rhs) = (cg.b.register(), frame.end.expect("the end has a distance"));
    cg.b.emit(Insn::Subtract { lhs: entering, rhs, dst: current });
    emit_leave(cg, pass, at, current)
}

/// Rows leave the frame at its start.
fn emit_leave<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, at: usize, current: Reg) -> Result<()> {
    let frame = &pass.frames[at];
    if !frame.start_moves() {
        return Ok(());
    }
    let (first, past_end, cursor) = (frame.first, frame.past_end, frame.cursor);
    let complete = cg.b.label();
    let top = cg.b.here();
    let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
    cg.b.emit(Insn::Ge { flags, collation, lhs: first, rhs: past_end, target: complete });
    cg.b.emit(Insn::SeekRowid { cursor, rowid: first, target: complete });
    emit_is_beyond(cg, pass, frame, End::Start, current, first, complete)?;
    for call in pass.aggregates_of(at) {
        call.emit_step(cg, cursor, |aggregate, start, acc| Insn::AggInverse { aggregate, start, acc });
    }
    cg.b.emit(Insn::AddImmediate { reg: first, value: 1 });
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(complete);
    Ok(())
}

/// The position of the row under the frame's cursor, whose number is in `row`: its number (ROWS), or that of its group.
fn emit_position<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, frame: &Frame<'a>, row: Reg) -> Reg {
    if frame.window.unit == FrameUnit::Rows {
        return row;
    }
    let seen = cg.b.register();
    cg.b.emit(Insn::Column { cursor: frame.cursor, column: pass.group_column, dst: seen });
    seen
}

/// Jumps to `target` if the row under the frame's cursor, whose number is in `row`, is not yet to pass this end of the frame: it
/// is after the end, or not before the start. `current` is the position of the current row.
fn emit_is_beyond<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    frame: &Frame<'a>,
    end: End,
    current: Reg,
    row: Reg,
    target: Addr,
) -> Result<()> {
    let (bound, distance) = frame.bound(end);
    if matches!(bound, FrameBound::Unbounded) {
        return Ok(());
    }
    if frame.window.unit == FrameUnit::Range && distance.is_some() {
        return emit_is_beyond_distance(cg, pass, frame, end, current, target);
    }
    let seen = emit_position(cg, pass, frame, row);
    let limit = cg.b.temporary();
    match (bound, distance) {
        (FrameBound::Preceding(_), Some(rhs)) => cg.b.emit(Insn::Subtract { lhs: current, rhs, dst: limit }),
        (FrameBound::Following(_), Some(rhs)) => cg.b.emit(Insn::Add { lhs: current, rhs, dst: limit }),
        _ => cg.emit_copy(current, limit),
    }
    let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
    cg.b.emit(match end {
        End::Start => Insn::Ge { flags, collation, lhs: seen, rhs: limit, target },
        End::End => Insn::Gt { flags, collation, lhs: seen, rhs: limit, target },
    });
    cg.b.free(limit);
    Ok(())
}

/// RANGE with a distance: compares the keys of the row and of the current row, one of them shifted by the distance. NULLs, texts
/// and blobs are not shifted.
fn emit_is_beyond_distance<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    frame: &Frame<'a>,
    end: End,
    group: Reg,
    target: Addr,
) -> Result<()> {
    let column = pass.key_column.expect("the key is in the table");
    let (bound, distance) = frame.bound(end);
    let rhs = distance.expect("the bound has a distance");
    let (fixed, continues) = (cg.b.label(), cg.b.label());
    emit_group_limit(cg, pass, frame, end, group, target, continues);
    let (limit, seen) = (cg.b.register(), cg.b.register());
    cg.b.emit(Insn::Column { cursor: pass.current, column, dst: limit });
    cg.b.emit(Insn::Column { cursor: frame.cursor, column, dst: seen });
    // Which of the two is shifted matters only if an integer becomes a real: it is the key of the earlier row.
    let moved = if matches!(bound, FrameBound::Following(_)) { limit } else { seen };
    let empty = cg.b.temporary();
    let value = cg.b.constant(ValueRef::Text(b""));
    cg.b.emit(Insn::Const { value, dst: empty });
    let (flags, collation) = (CompareFlags(CompareFlags::NULL_JUMPS), CollationId::BINARY);
    cg.b.emit(Insn::Ge { flags, collation, lhs: moved, rhs: empty, target: fixed });
    cg.b.free(empty);
    cg.b.emit(if pass.order_by[0].descending {
        Insn::Subtract { lhs: moved, rhs, dst: moved }
    } else {
        Insn::Add { lhs: moved, rhs, dst: moved }
    });
    cg.b.place(fixed);
    let key = frame.key.expect("the frame compares keys");
    cg.b.emit(Insn::CompareVectors { key, lhs: seen, rhs: limit, count: 1 });
    cg.b.emit(match end {
        End::Start => Insn::Jump { less: continues, equal: target, greater: target },
        End::End => Insn::Jump { less: continues, equal: continues, greater: target },
    });
    cg.b.place(continues);
    Ok(())
}

/// Limits the frame at the current row and its peers: a distance must not exclude them from a frame that begins before them and
/// ends after them, nor extend a frame that ends before them beyond them. Without this limit a rounded sum could do so.
fn emit_group_limit<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    frame: &Frame<'a>,
    end: End,
    group: Reg,
    target: Addr,
    continues: Addr,
) {
    let seen = cg.b.temporary();
    let (flags, collation, rhs) = (CompareFlags::default(), CollationId::BINARY, group);
    let limit = match (end, frame.bound(end).0) {
        (End::Start, FrameBound::Preceding(_)) => Some(Insn::Ge { flags, collation, lhs: seen, rhs, target }),
        (End::End, FrameBound::Following(_)) => Some(Insn::Le { flags, collation, lhs: seen, rhs, target: continues }),
        (End::End, FrameBound::Preceding(_)) => Some(Insn::Gt { flags, collation, lhs: seen, rhs, target }),
        _ => None,
    };
    if let Some(limit) = limit {
        cg.b.emit(Insn::Column { cursor: frame.cursor, column: pass.group_column, dst: seen });
        cg.b.emit(limit);
    }
    cg.b.free(seen);
}
