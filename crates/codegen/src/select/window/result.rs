//! The values of window functions for the current row.

use lithe_catalog::Result;
use lithe_functions::{Kind, WindowFunction};
use lithe_resolve::ir::WindowCall;
use lithe_sql::ast::FrameExclude;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::super::super::Codegen;
use super::state::{CallInPass, CallKind, FrameValue, Lookup, Pass};

/// The row that the function looks up; none of an aggregate.
pub(super) fn lookup(call: &WindowCall<'_>) -> Option<Lookup> {
    let Kind::Window(kind) = call.function.kind() else { return None };
    match kind {
        WindowFunction::Lead => Some(Lookup::Neighbour { ahead: true }),
        WindowFunction::Lag => Some(Lookup::Neighbour { ahead: false }),
        WindowFunction::FirstValue => Some(Lookup::InFrame(FrameValue::First)),
        WindowFunction::LastValue => Some(Lookup::InFrame(FrameValue::Last)),
        WindowFunction::NthValue => Some(Lookup::InFrame(FrameValue::Nth)),
        _ => None,
    }
}

const INTEGERS: (CompareFlags, CollationId) = (CompareFlags(0), CollationId::BINARY);

/// Puts the value of a call for the current row into `dst`.
pub(super) fn emit<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    call: &CallInPass<'a>,
    group: Reg,
    dst: Reg,
) -> Result<()> {
    let excludes = pass.frames[call.frame].exclude() != FrameExclude::Absent;
    match call.kind {
        CallKind::Aggregate(aggregate, acc) if !excludes => {
            cg.b.emit(Insn::AggValue { aggregate, acc, dst });
            Ok(())
        }
        CallKind::Aggregate(aggregate, acc) => {
            cg.b.emit(Insn::Null { start: acc, count: 1 });
            for_each_in_frame(cg, pass, call, group, |cg, _| {
                call.emit_step(cg, pass.other, |aggregate, start, acc| Insn::AggStep { aggregate, start, acc });
                Ok(())
            })?;
            cg.b.emit(Insn::AggFinal { aggregate, acc, dst });
            Ok(())
        }
        CallKind::Lookup(Lookup::Neighbour { ahead }) => emit_neighbour(cg, pass, call, ahead, dst),
        CallKind::Lookup(Lookup::InFrame(value)) if !excludes => emit_frame_value(cg, pass, call, value, dst),
        CallKind::Lookup(Lookup::InFrame(value)) => emit_excluding_value(cg, pass, call, value, group, dst),
    }
}

/// lead() and lag(): the argument of the row at this offset after or before the current one, else the default.
fn emit_neighbour<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    call: &CallInPass<'a>,
    ahead: bool,
    dst: Reg,
) -> Result<()> {
    let arguments = call.call.args.len();
    let (row, end) = (cg.b.temporary(), cg.b.label());
    if arguments > 2 {
        cg.b.emit(Insn::Column { cursor: pass.current, column: call.args + 2, dst });
    } else {
        cg.b.emit(Insn::Null { start: dst, count: 1 });
    }
    if arguments > 1 {
        let offset = cg.b.temporary();
        cg.b.emit(Insn::Column { cursor: pass.current, column: call.args + 1, dst: offset });
        cg.b.emit(if ahead {
            Insn::Add { lhs: pass.number, rhs: offset, dst: row }
        } else {
            Insn::Subtract { lhs: pass.number, rhs: offset, dst: row }
        });
        cg.b.free(offset);
    } else {
        cg.emit_copy(pass.number, row);
        cg.b.emit(Insn::AddImmediate { reg: row, value: if ahead { 1 } else { -1 } });
    }
    cg.b.emit(Insn::SeekRowid { cursor: pass.other, rowid: row, target: end });
    cg.b.emit(Insn::Column { cursor: pass.other, column: call.args, dst });
    cg.b.place(end);
    cg.b.free(row);
    Ok(())
}

/// first_value(), last_value(), nth_value() of a frame without gaps.
fn emit_frame_value<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    call: &CallInPass<'a>,
    value: FrameValue,
    dst: Reg,
) -> Result<()> {
    let frame = &pass.frames[call.frame];
    let (row, end) = (cg.b.temporary(), cg.b.label());
    cg.b.emit(Insn::Null { start: dst, count: 1 });
    match value {
        FrameValue::Nth => {
            emit_nth_argument(cg, pass, call, row);
            cg.b.emit(Insn::Add { lhs: row, rhs: frame.first, dst: row });
            cg.b.emit(Insn::AddImmediate { reg: row, value: -1 });
        }
        FrameValue::Last => {
            cg.emit_copy(frame.past_end, row);
            cg.b.emit(Insn::AddImmediate { reg: row, value: -1 });
        }
        FrameValue::First => cg.emit_copy(frame.first, row),
    }
    let (flags, collation) = INTEGERS;
    cg.b.emit(Insn::Lt { flags, collation, lhs: row, rhs: frame.first, target: end });
    cg.b.emit(Insn::Ge { flags, collation, lhs: row, rhs: frame.past_end, target: end });
    cg.b.emit(Insn::SeekRowid { cursor: pass.other, rowid: row, target: end });
    cg.b.emit(Insn::Column { cursor: pass.other, column: call.args, dst });
    cg.b.place(end);
    cg.b.free(row);
    Ok(())
}

/// The second argument of nth_value(), of the current row.
fn emit_nth_argument<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, call: &CallInPass<'a>, dst: Reg) {
    let (wrong, right) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::Column { cursor: pass.current, column: call.args + 1, dst });
    cg.b.emit(Insn::MustBeInteger { reg: dst, target: wrong });
    cg.b.emit(Insn::IfPositive { reg: dst, minus: 0, target: right });
    cg.b.place(wrong);
    cg.emit_run_error("second argument to nth_value must be a positive integer");
    cg.b.place(right);
}

/// The same for a frame in which EXCLUDE leaves gaps: the rows of the frame are counted.
fn emit_excluding_value<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    call: &CallInPass<'a>,
    value: FrameValue,
    group: Reg,
    dst: Reg,
) -> Result<()> {
    // As in SQLite, the argument of nth_value() is looked at once the frame has a row. Until then NULL stands for it.
    let nth = cg.b.register();
    match value {
        FrameValue::Nth => cg.b.emit(Insn::Null { start: nth, count: 1 }),
        _ => cg.b.emit(Insn::Integer { value: 1, dst: nth }),
    };
    cg.b.emit(Insn::Null { start: dst, count: 1 });
    for_each_in_frame(cg, pass, call, group, |cg, done| {
        let next = cg.b.label();
        if value == FrameValue::Nth {
            let known = cg.b.label();
            cg.b.emit(Insn::NotNull { reg: nth, target: known });
            emit_nth_argument(cg, pass, call, nth);
            cg.b.place(known);
        }
        if value != FrameValue::Last {
            cg.b.emit(Insn::AddImmediate { reg: nth, value: -1 });
            cg.b.emit(Insn::IfPositive { reg: nth, minus: 0, target: next });
        }
        cg.b.emit(Insn::Column { cursor: pass.other, column: call.args, dst });
        if value != FrameValue::Last {
            cg.b.emit(Insn::Goto { target: done });
        }
        cg.b.place(next);
        Ok(())
    })
}

/// Runs `body` for each row of the frame that EXCLUDE does not exclude, under the cursor `other`.
fn for_each_in_frame<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    call: &CallInPass<'a>,
    group: Reg,
    body: impl FnOnce(&mut Codegen<'a>, Addr) -> Result<()>,
) -> Result<()> {
    let frame = &pass.frames[call.frame];
    let (row, seen) = (cg.b.register(), cg.b.register());
    let (next, done, included) = (cg.b.label(), cg.b.label(), cg.b.label());
    let (flags, collation) = INTEGERS;
    cg.emit_copy(frame.first, row);
    let top = cg.b.here();
    cg.b.emit(Insn::Ge { flags, collation, lhs: row, rhs: frame.past_end, target: done });
    cg.b.emit(Insn::SeekRowid { cursor: pass.other, rowid: row, target: done });
    let exclude = frame.exclude();
    if matches!(exclude, FrameExclude::Group | FrameExclude::Ties) {
        cg.b.emit(Insn::Column { cursor: pass.other, column: pass.group_column, dst: seen });
        cg.b.emit(Insn::Ne { flags, collation, lhs: seen, rhs: group, target: included });
    }
    match exclude {
        FrameExclude::CurrentRow => {
            cg.b.emit(Insn::Eq { flags, collation, lhs: row, rhs: pass.number, target: next });
        }
        FrameExclude::Group => cg.b.emit(Insn::Goto { target: next }),
        FrameExclude::Ties => {
            cg.b.emit(Insn::Ne { flags, collation, lhs: row, rhs: pass.number, target: next });
        }
        FrameExclude::Absent | FrameExclude::NoOthers => {}
    }
    cg.b.place(included);
    body(cg, done)?;
    cg.b.place(next);
    cg.b.emit(Insn::AddImmediate { reg: row, value: 1 });
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(done);
    Ok(())
}
