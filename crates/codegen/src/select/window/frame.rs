//! The frame of the current row: the rows from `first` up to, not including, `past_end`. As the current row moves, both ends
//! move forward only; rows enter and leave the aggregates at the ends.

use lithe_catalog::Result;
use lithe_resolve::ir::{Expr, FrameBound, Window};
use lithe_sql::ast::{FrameExclude, FrameUnit};
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
    pub fn waits_for_peers(&self) -> bool {
        self.window.unit != FrameUnit::Rows && matches!(self.window.end, FrameBound::Preceding(_))
    }

    /// Whether rows ever leave it.
    fn start_moves(&self) -> bool {
        !matches!(self.window.start, FrameBound::Unbounded)
    }
}

pub(super) fn open<'a>(cg: &mut Codegen<'a>, window: &'a Window<'a>) -> Result<Frame<'a>> {
    let key = if measures(window) { Some(super::key_only(cg, &window.order_by[..1])?) } else { None };
    Ok(Frame {
        window,
        first: cg.b.register(),
        past_end: cg.b.register(),
        start: distance(&window.start).map(|_| cg.b.register()),
        end: distance(&window.end).map(|_| cg.b.register()),
        cursor: cg.ephemeral_table(0),
        key,
    })
}

/// Begins the frame of a partition, which is empty. The distances are computed and checked here.
pub(super) fn begin<'a>(cg: &mut Codegen<'a>, frame: &Frame<'a>, pass: &Pass<'a>) -> Result<()> {
    let columns = cg.b.cursor_info(pass.table).column_count;
    cg.b.cursor_info(frame.cursor).column_count = columns;
    cg.b.emit(Insn::OpenDup { cursor: frame.cursor, original: pass.table });
    cg.b.emit(Insn::Integer { value: 1, dst: frame.first });
    cg.b.emit(Insn::Integer { value: 1, dst: frame.past_end });
    if let (Some(reg), Some(expr)) = (frame.start, distance(&frame.window.start)) {
        cg.emit_into(expr, reg)?;
        check_distance(cg, frame.window.unit, reg, "starting");
    }
    if let (Some(reg), Some(expr)) = (frame.end, distance(&frame.window.end)) {
        cg.emit_into(expr, reg)?;
        check_distance(cg, frame.window.unit, reg, "ending");
    }
    Ok(())
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
        let value = cg.b.constant(lithe_value::Value::text(&b""[..]));
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

/// Moves the frame to the current row.
pub(super) fn emit_move<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, at: usize, group: Reg) -> Result<()> {
    let frame = &pass.frames[at];
    let (Frame { first, past_end, cursor, .. }, is_whole) = (frame, frame.exclude() == FrameExclude::Absent);
    let (first, past_end, cursor) = (*first, *past_end, *cursor);
    let calls = || pass.calls.iter().filter(|call| call.frame == at && is_whole);

    let (complete, missing) = (cg.b.label(), cg.b.label());
    let top = cg.b.here();
    cg.b.emit(Insn::SeekRowid { cursor, rowid: past_end, target: missing });
    emit_is_beyond(cg, pass, frame, End::End, group, past_end, complete)?;
    for call in calls() {
        call.emit_step(cg, cursor, |aggregate, start, acc| Insn::AggStep { aggregate, start, acc });
    }
    cg.b.emit(Insn::AddImmediate { reg: past_end, value: 1 });
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(missing);
    pass.ahead.emit_pull_or(cg, top, complete);
    cg.b.place(complete);

    if frame.start_moves() {
        let complete = cg.b.label();
        let top = cg.b.here();
        let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
        cg.b.emit(Insn::Ge { flags, collation, lhs: first, rhs: past_end, target: complete });
        cg.b.emit(Insn::SeekRowid { cursor, rowid: first, target: complete });
        emit_is_beyond(cg, pass, frame, End::Start, group, first, complete)?;
        for call in calls() {
            call.emit_step(cg, cursor, |aggregate, start, acc| Insn::AggInverse { aggregate, start, acc });
        }
        cg.b.emit(Insn::AddImmediate { reg: first, value: 1 });
        cg.b.emit(Insn::Goto { target: top });
        cg.b.place(complete);
    }
    Ok(())
}

/// Jumps to `target` if the row under the frame's cursor, whose number is in `row`, is not yet to pass this end of the frame: it
/// is after the end, or not before the start.
fn emit_is_beyond<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    frame: &Frame<'a>,
    end: End,
    group: Reg,
    row: Reg,
    target: Addr,
) -> Result<()> {
    let (bound, distance) = frame.bound(end);
    if matches!(bound, FrameBound::Unbounded) {
        return Ok(());
    }
    if frame.window.unit == FrameUnit::Range && distance.is_some() {
        return emit_is_beyond_distance(cg, pass, frame, end, group, target);
    }
    let (seen, current) = if frame.window.unit == FrameUnit::Rows {
        (row, pass.number)
    } else {
        let seen = cg.b.temporary();
        cg.b.emit(Insn::Column { cursor: frame.cursor, column: pass.group_column, dst: seen });
        (seen, group)
    };
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
    if seen != row {
        cg.b.free(seen);
    }
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
    let value = cg.b.constant(lithe_value::Value::text(&b""[..]));
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
