//! UNION, UNION ALL, EXCEPT, INTERSECT.
//!
//! UNION ALL without ORDER BY is one query after the other. Everything else merges: both sides are coroutines that give
//! their rows in the same order, by ORDER BY and then by all columns, and their heads are compared.
//!
//! ```text
//!                left < right          equal             right < left        left ends       right ends
//!  UNION ALL     show left             show left         show right          show right      show left
//!  UNION         show left             skip left         show right          show right      show left
//!  EXCEPT        show left             skip left         skip right          end             show left
//!  INTERSECT     skip left             show left         skip right          end             end
//! ```
//!
//! A row that is equal to the last one shown is not shown again, except by UNION ALL. Several operators make a chain: a
//! merge is a coroutine itself, and the left side of the next.

use lithe_catalog::Result;
use lithe_optimize::plan::{CompoundPlan, CorePlan, MergePlan};
use lithe_sql::ast::CompoundOp;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::sink::Sink;
use crate::{Coroutine, Destination};

/// One merge.
struct Merge {
    op: CompoundOp,
    left: Coroutine,
    right: Coroutine,
    /// Carries collations and directions of the order.
    key: CursorId,
    /// The columns that are compared.
    columns: Vec<usize>,
    /// The last row shown; none for UNION ALL.
    last: Option<Reg>,
}

/// What happens to a side's head.
#[derive(Clone, Copy, PartialEq)]
enum Head {
    Show,
    Skip,
}

impl<'a> Codegen<'a> {
    pub(super) fn emit_compound(&mut self, plan: &'a CompoundPlan<'a>, sink: &Sink) -> Result<()> {
        match plan.merges {
            [] => self.emit_core(&plan.first, sink)?,
            _ => self.emit_merges(plan, sink)?,
        }
        plan.appended.iter().try_for_each(|core| self.emit_core(core, sink))
    }

    /// A chain of merges, from the left to the right; the last one's rows go to the sink.
    fn emit_merges(&mut self, plan: &'a CompoundPlan<'a>, sink: &Sink) -> Result<()> {
        let keep = if plan.only_appends { sink.keep } else { Reg::NONE };
        let mut left = self.emit_side(&plan.first, sink.width, keep)?;
        for (at, planned) in plan.merges.iter().enumerate() {
            let right = self.emit_side(&planned.right, sink.width, keep)?;
            let merge = self.open_merge(planned, left, right, sink.width)?;
            if at + 1 == plan.merges.len() {
                self.emit_merge(&merge, sink)?;
            } else {
                left = self.coroutine(sink.width, |cg, coroutine| {
                    let sink = cg.coroutine_sink(coroutine, Reg::NONE);
                    cg.emit_merge(&merge, &sink)?;
                    cg.b.place(sink.done);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// A core as a coroutine that gives its rows in order.
    fn emit_side(&mut self, core: &'a CorePlan<'a>, width: usize, keep: Reg) -> Result<Coroutine> {
        self.coroutine(width, |cg, coroutine| {
            let sink = cg.coroutine_sink(coroutine, keep);
            cg.emit_core(core, &sink)?;
            cg.b.place(sink.done);
            Ok(())
        })
    }

    pub(super) fn coroutine_sink(&mut self, coroutine: &Coroutine, keep: Reg) -> Sink {
        let Coroutine { co, start, count } = *coroutine;
        let destination = Destination::Coroutine { co, start };
        Sink {
            destination,
            width: count,
            limit: None,
            offset: None,
            keep,
            done: self.b.label(),
            reals: None,
            drops_subtypes: false,
        }
    }

    fn open_merge(&mut self, plan: &MergePlan<'a>, left: Coroutine, right: Coroutine, width: usize) -> Result<Merge> {
        let MergePlan { op, order, .. } = *plan;
        let key: Vec<_> = order.iter().map(|term| (term.collation, term.descending, term.nulls_opposite)).collect();
        let key = self.key_info(&key)?;
        let key = self.ephemeral(CursorKind::KeyOnly, key, order.len());
        let columns = order.iter().map(|term| term.column).collect();
        let last = (op != CompoundOp::UnionAll).then(|| self.b.registers(width));
        Ok(Merge { op, left, right, key, columns, last })
    }

    fn emit_merge(&mut self, merge: &Merge, sink: &Sink) -> Result<()> {
        use CompoundOp::{Except, Intersect, UnionAll};
        let Merge { op, left, right, .. } = *merge;
        let shows_rest_of_right = !matches!(op, Except | Intersect);
        let left_head = if op == Intersect { Head::Skip } else { Head::Show };
        let equal_head = if matches!(op, UnionAll | Intersect) { Head::Show } else { Head::Skip };
        let right_head = if shows_rest_of_right { Head::Show } else { Head::Skip };
        let (show_left, show_right) = (self.b.label(), self.b.label());
        let (ret_left, ret_right) = (self.b.register(), self.b.register());
        let (top, less, equal, greater) = (self.b.label(), self.b.label(), self.b.label(), self.b.label());
        let (left_ended, right_ended, end) = (self.b.label(), self.b.label(), self.b.label());
        // The right side is not even begun where none of its rows is shown.
        let left_empty = if shows_rest_of_right { self.b.label() } else { end };

        if let Some(start) = merge.last {
            self.b.emit(Insn::NullNever { start, count: sink.width as u32 });
        }
        self.b.emit(Insn::Yield { co: left.co, target: left_empty });
        self.b.emit(Insn::Yield { co: right.co, target: right_ended });
        self.b.place(top);
        self.emit_merge_compare(merge, left.start, right.start, Insn::Jump { less, equal, greater });
        for (label, head, side, show, ret, ended) in [
            (less, left_head, left, show_left, ret_left, left_ended),
            (equal, equal_head, left, show_left, ret_left, left_ended),
            (greater, right_head, right, show_right, ret_right, right_ended),
        ] {
            self.b.place(label);
            if head == Head::Show {
                self.b.emit(Insn::Gosub { ret, target: show });
            }
            self.b.emit(Insn::Yield { co: side.co, target: ended });
            self.b.emit(Insn::Goto { target: top });
        }
        if shows_rest_of_right {
            self.b.place(left_empty);
            self.b.emit(Insn::Yield { co: right.co, target: end });
        }
        self.b.place(left_ended);
        self.emit_rest(right, shows_rest_of_right, show_right, ret_right, end);
        self.b.place(right_ended);
        self.emit_rest(left, op != Intersect, show_left, ret_left, end);
        self.emit_show(merge, left, sink, show_left, ret_left)?;
        self.emit_show(merge, right, sink, show_right, ret_right)?;
        self.b.place(end);
        Ok(())
    }

    /// All that is left of one side, from the row that stands in its registers on.
    fn emit_rest(&mut self, side: Coroutine, is_shown: bool, show: Addr, ret: Reg, end: Addr) {
        if is_shown {
            let top = self.b.here();
            self.b.emit(Insn::Gosub { ret, target: show });
            self.b.emit(Insn::Yield { co: side.co, target: end });
            self.b.emit(Insn::Goto { target: top });
        } else {
            self.b.emit(Insn::Goto { target: end });
        }
    }

    /// The subroutine that shows the head of a side, unless its like has been shown.
    fn emit_show(&mut self, merge: &Merge, side: Coroutine, sink: &Sink, entry: Addr, ret: Reg) -> Result<()> {
        let end = self.b.label();
        self.b.place(entry);
        if let Some(last) = merge.last {
            let is_new = self.b.label();
            let jump = Insn::Jump { less: is_new, equal: end, greater: is_new };
            self.emit_merge_compare(merge, side.start, last, jump);
            self.b.place(is_new);
            self.emit_copy_row(side.start, last, sink.width);
        }
        self.emit_offset(sink, end);
        self.deliver(sink, side.start)?;
        self.b.place(end);
        self.b.emit(Insn::Return { ret });
        Ok(())
    }

    /// Compares two rows in the order of the merge.
    fn emit_merge_compare(&mut self, merge: &Merge, left: Reg, right: Reg, jump: Insn) {
        let count = merge.columns.len();
        let in_place = merge.columns.iter().enumerate().all(|(at, &column)| at == column);
        let (lhs, rhs) = if in_place {
            (left, right)
        } else {
            let (lhs, rhs) = (self.b.registers(count), self.b.registers(count));
            for (at, &column) in merge.columns.iter().enumerate() {
                self.emit_copy(left.at(column), lhs.at(at));
                self.emit_copy(right.at(column), rhs.at(at));
            }
            (lhs, rhs)
        };
        self.b.emit(Insn::CompareVectors { key: merge.key, lhs, rhs, count: count as u32 });
        self.b.emit(jump);
    }
}
