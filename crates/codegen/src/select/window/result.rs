//! The values of window functions for the current row.

use lithe_catalog::Result;
use lithe_functions::{Kind, WindowFunction};
use lithe_resolve::ir::WindowCall;
use lithe_sql::ast::FrameExclude;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::super::super::Codegen;
use super::state::{CallInPass, Pass};

/// Whether the function is no aggregate but the value of some row.
pub(super) fn looks_rows_up(call: &WindowCall<'_>) -> bool {
    lookup(call).is_some()
}

fn lookup(call: &WindowCall<'_>) -> Option<WindowFunction> {
    use WindowFunction::{FirstValue, Lag, LastValue, Lead, NthValue};
    match call.function.kind() {
        Kind::Window(kind @ (FirstValue | LastValue | NthValue | Lead | Lag)) => Some(*kind),
        _ => None,
    }
}

const INTEGERS: (CompareFlags, CollationId) = (CompareFlags(0), CollationId::BINARY);

impl<'a> Codegen<'a> {
    /// Puts the value of a call for the current row into `dst`.
    pub(super) fn emit_window_result(
        &mut self,
        pass: &Pass<'a>,
        call: &CallInPass<'a>,
        group: Reg,
        dst: Reg,
    ) -> Result<()> {
        let excludes = pass.frames[call.frame].exclude() != FrameExclude::Absent;
        match (call.aggregate, lookup(call.call)) {
            (Some((aggregate, acc)), _) if !excludes => {
                self.b.emit(Insn::AggValue { aggregate, acc, dst });
                Ok(())
            }
            (Some((aggregate, acc)), _) => {
                self.b.emit(Insn::Null { start: acc, count: 1 });
                self.for_each_in_frame(pass, call, group, |cg, _| {
                    cg.emit_window_step(call, pass.other, |aggregate, start, acc| Insn::AggStep {
                        aggregate,
                        start,
                        acc,
                    });
                    Ok(())
                })?;
                self.b.emit(Insn::AggFinal { aggregate, acc, dst });
                Ok(())
            }
            (None, Some(WindowFunction::Lead)) => self.emit_neighbour(pass, call, true, dst),
            (None, Some(WindowFunction::Lag)) => self.emit_neighbour(pass, call, false, dst),
            (None, Some(kind)) if !excludes => self.emit_frame_value(pass, call, kind, dst),
            (None, Some(kind)) => self.emit_excluding_value(pass, call, kind, group, dst),
            (None, None) => unreachable!("a window function is an aggregate or looks rows up"),
        }
    }

    /// lead() and lag(): the argument of the row so many further on or back, else the default.
    fn emit_neighbour(&mut self, pass: &Pass<'a>, call: &CallInPass<'a>, ahead: bool, dst: Reg) -> Result<()> {
        let arguments = call.call.args.len();
        let (row, end) = (self.b.temporary(), self.b.label());
        if arguments > 2 {
            self.b.emit(Insn::Column { cursor: pass.current, column: call.args + 2, dst });
        } else {
            self.b.emit(Insn::Null { start: dst, count: 1 });
        }
        if arguments > 1 {
            let offset = self.b.temporary();
            self.b.emit(Insn::Column { cursor: pass.current, column: call.args + 1, dst: offset });
            self.b.emit(if ahead {
                Insn::Add { lhs: pass.number, rhs: offset, dst: row }
            } else {
                Insn::Subtract { lhs: pass.number, rhs: offset, dst: row }
            });
            self.b.free(offset);
        } else {
            self.emit_copy(pass.number, row);
            self.b.emit(Insn::AddImmediate { reg: row, value: if ahead { 1 } else { -1 } });
        }
        self.b.emit(Insn::SeekRowid { cursor: pass.other, rowid: row, target: end });
        self.b.emit(Insn::Column { cursor: pass.other, column: call.args, dst });
        self.b.place(end);
        self.b.free(row);
        Ok(())
    }

    /// first_value(), last_value(), nth_value() of a frame without gaps.
    fn emit_frame_value(
        &mut self,
        pass: &Pass<'a>,
        call: &CallInPass<'a>,
        kind: WindowFunction,
        dst: Reg,
    ) -> Result<()> {
        let frame = &pass.frames[call.frame];
        let (row, end) = (self.b.temporary(), self.b.label());
        self.b.emit(Insn::Null { start: dst, count: 1 });
        match kind {
            WindowFunction::NthValue => {
                self.emit_nth_argument(pass, call, row);
                self.b.emit(Insn::Add { lhs: row, rhs: frame.first, dst: row });
                self.b.emit(Insn::AddImmediate { reg: row, value: -1 });
            }
            WindowFunction::LastValue => {
                self.emit_copy(frame.behind, row);
                self.b.emit(Insn::AddImmediate { reg: row, value: -1 });
            }
            _ => self.emit_copy(frame.first, row),
        }
        let (flags, collation) = INTEGERS;
        self.b.emit(Insn::Lt { flags, collation, lhs: row, rhs: frame.first, target: end });
        self.b.emit(Insn::Ge { flags, collation, lhs: row, rhs: frame.behind, target: end });
        self.b.emit(Insn::SeekRowid { cursor: pass.other, rowid: row, target: end });
        self.b.emit(Insn::Column { cursor: pass.other, column: call.args, dst });
        self.b.place(end);
        self.b.free(row);
        Ok(())
    }

    /// The second argument of nth_value(), of the current row.
    fn emit_nth_argument(&mut self, pass: &Pass<'a>, call: &CallInPass<'a>, dst: Reg) {
        let (wrong, right) = (self.b.label(), self.b.label());
        self.b.emit(Insn::Column { cursor: pass.current, column: call.args + 1, dst });
        self.b.emit(Insn::MustBeInteger { reg: dst, target: wrong });
        self.b.emit(Insn::IfPositive { reg: dst, minus: 0, target: right });
        self.b.place(wrong);
        self.emit_run_error("second argument to nth_value must be a positive integer");
        self.b.place(right);
    }

    /// The same where EXCLUDE leaves gaps: the rows of the frame are counted.
    fn emit_excluding_value(
        &mut self,
        pass: &Pass<'a>,
        call: &CallInPass<'a>,
        kind: WindowFunction,
        group: Reg,
        dst: Reg,
    ) -> Result<()> {
        let nth = self.b.register();
        if kind == WindowFunction::NthValue {
            self.emit_nth_argument(pass, call, nth);
        } else {
            self.b.emit(Insn::Integer { value: 1, dst: nth });
        }
        self.b.emit(Insn::Null { start: dst, count: 1 });
        self.for_each_in_frame(pass, call, group, |cg, done| {
            let next = cg.b.label();
            if kind != WindowFunction::LastValue {
                cg.b.emit(Insn::AddImmediate { reg: nth, value: -1 });
                cg.b.emit(Insn::IfPositive { reg: nth, minus: 0, target: next });
            }
            cg.b.emit(Insn::Column { cursor: pass.other, column: call.args, dst });
            if kind != WindowFunction::LastValue {
                cg.b.emit(Insn::Goto { target: done });
            }
            cg.b.place(next);
            Ok(())
        })
    }

    /// Runs `body` for each row of the frame that EXCLUDE does not leave out, under the cursor `other`.
    fn for_each_in_frame(
        &mut self,
        pass: &Pass<'a>,
        call: &CallInPass<'a>,
        group: Reg,
        body: impl FnOnce(&mut Codegen<'a>, Addr) -> Result<()>,
    ) -> Result<()> {
        let frame = &pass.frames[call.frame];
        let (row, seen) = (self.b.register(), self.b.register());
        let (next, done, included) = (self.b.label(), self.b.label(), self.b.label());
        let (flags, collation) = INTEGERS;
        self.emit_copy(frame.first, row);
        let top = self.b.here();
        self.b.emit(Insn::Ge { flags, collation, lhs: row, rhs: frame.behind, target: done });
        self.b.emit(Insn::SeekRowid { cursor: pass.other, rowid: row, target: done });
        let exclude = frame.exclude();
        if matches!(exclude, FrameExclude::Group | FrameExclude::Ties) {
            self.b.emit(Insn::Column { cursor: pass.other, column: pass.group_column, dst: seen });
            self.b.emit(Insn::Ne { flags, collation, lhs: seen, rhs: group, target: included });
        }
        match exclude {
            FrameExclude::CurrentRow => {
                self.b.emit(Insn::Eq { flags, collation, lhs: row, rhs: pass.number, target: next });
            }
            FrameExclude::Group => self.b.emit(Insn::Goto { target: next }),
            FrameExclude::Ties => {
                self.b.emit(Insn::Ne { flags, collation, lhs: row, rhs: pass.number, target: next });
            }
            FrameExclude::Absent | FrameExclude::NoOthers => {}
        }
        self.b.place(included);
        body(self, done)?;
        self.b.place(next);
        self.b.emit(Insn::AddImmediate { reg: row, value: 1 });
        self.b.emit(Insn::Goto { target: top });
        self.b.place(done);
        Ok(())
    }
}
