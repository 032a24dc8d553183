//! UNION, UNION ALL, EXCEPT, INTERSECT.
//!
//! UNION ALL without ORDER BY is one query after the other. All other compounds merge: both sides are coroutines that return
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
//! A row that equals the last one shown is not shown again, except by UNION ALL. Several operators are a chain: a merge is a
//! coroutine itself, and the left side of the next.

use lithe_catalog::Result;
use lithe_optimize::plan::{CompoundPlan, CorePlan, MergePlan};
use lithe_sql::ast::CompoundOp;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::sink::{self, Sink};
use crate::Coroutine;

/// One merge.
struct Merge {
    op: CompoundOp,
    left: Coroutine,
    right: Coroutine,
    /// Carries the collations and directions of the order.
    key: CursorId,
    /// The columns that are compared.
    columns: Vec<usize>,
    /// The last row shown; `None` for UNION ALL.
    last: Option<Reg>,
}

/// What to do with a side's head.
#[derive(Clone, Copy, PartialEq)]
enum Head {
    Show,
    Skip,
}

pub(super) fn emit<'a>(cg: &mut Codegen<'a>, plan: &'a CompoundPlan<'a>, sink: &Sink<'a>) -> Result<()> {
    match plan.merges {
        [] => cg.emit_core(&plan.first, sink)?,
        _ => emit_merges(cg, plan, sink)?,
    }
    plan.appended.iter().try_for_each(|core| cg.emit_core(core, sink))
}

/// A chain of merges, from left to right; the rows of the last one go to the sink.
fn emit_merges<'a>(cg: &mut Codegen<'a>, plan: &'a CompoundPlan<'a>, sink: &Sink<'a>) -> Result<()> {
    let keep = if plan.only_appends { sink.keep } else { Reg::NONE };
    let mut left = emit_side(cg, &plan.first, sink.width, keep)?;
    for (at, planned) in plan.merges.iter().enumerate() {
        let right = emit_side(cg, &planned.right, sink.width, keep)?;
        let merge = open_merge(cg, planned, left, right, sink.width)?;
        if at + 1 == plan.merges.len() {
            emit_merge(cg, &merge, sink)?;
        } else {
            left = cg.coroutine(sink.width, |cg, coroutine| {
                let sink = sink::of_coroutine(cg, coroutine, Reg::NONE);
                emit_merge(cg, &merge, &sink)?;
                cg.b.place(sink.done);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// A core as a coroutine that returns its rows in order.
fn emit_side<'a>(cg: &mut Codegen<'a>, core: &'a CorePlan<'a>, width: usize, keep: Reg) -> Result<Coroutine> {
    cg.coroutine(width, |cg, coroutine| {
        let sink = sink::of_coroutine(cg, coroutine, keep);
        cg.emit_core(core, &sink)?;
        cg.b.place(sink.done);
        Ok(())
    })
}

fn open_merge<'a>(
    cg: &mut Codegen<'a>,
    plan: &MergePlan<'a>,
    left: Coroutine,
    right: Coroutine,
    width: usize,
) -> Result<Merge> {
    let MergePlan { op, order, .. } = *plan;
    let key: Vec<_> = order.iter().map(|term| (term.collation, term.descending, term.nulls_opposite)).collect();
    let key = cg.key_info(&key)?;
    let key = cg.ephemeral(CursorKind::KeyOnly, key, order.len());
    let columns = order.iter().map(|term| term.column).collect();
    let last = (op != CompoundOp::UnionAll).then(|| cg.b.registers(width));
    Ok(Merge { op, left, right, key, columns, last })
}

fn emit_merge<'a>(cg: &mut Codegen<'a>, merge: &Merge, sink: &Sink<'a>) -> Result<()> {
    use CompoundOp::{Except, Intersect, UnionAll};
    let Merge { op, left, right, .. } = *merge;
    let shows_rest_of_right = !matches!(op, Except | Intersect);
    let left_head = if op == Intersect { Head::Skip } else { Head::Show };
    let equal_head = if matches!(op, UnionAll | Intersect) { Head::Show } else { Head::Skip };
    let right_head = if shows_rest_of_right { Head::Show } else { Head::Skip };
    let (show_left, show_right) = (cg.b.label(), cg.b.label());
    let (ret_left, ret_right) = (cg.b.register(), cg.b.register());
    let (top, less, equal, greater) = (cg.b.label(), cg.b.label(), cg.b.label(), cg.b.label());
    let (left_ended, right_ended, end) = (cg.b.label(), cg.b.label(), cg.b.label());
    // The right side is not begun if none of its rows can be shown.
    let left_empty = if shows_rest_of_right { cg.b.label() } else { end };

    if let Some(start) = merge.last {
        cg.b.emit(Insn::NullNever { start, count: sink.width as u32 });
    }
    cg.b.emit(Insn::Yield { co: left.co, target: left_empty });
    cg.b.emit(Insn::Yield { co: right.co, target: right_ended });
    cg.b.place(top);
    emit_merge_compare(cg, merge, left.start, right.start, Insn::Jump { less, equal, greater });
    for (label, head, side, show, ret, ended) in [
        (less, left_head, left, show_left, ret_left, left_ended),
        (equal, equal_head, left, show_left, ret_left, left_ended),
        (greater, right_head, right, show_right, ret_right, right_ended),
    ] {
        cg.b.place(label);
        if head == Head::Show {
            cg.b.emit(Insn::Gosub { ret, target: show });
        }
        cg.b.emit(Insn::Yield { co: side.co, target: ended });
        cg.b.emit(Insn::Goto { target: top });
    }
    if shows_rest_of_right {
        cg.b.place(left_empty);
        cg.b.emit(Insn::Yield { co: right.co, target: end });
    }
    cg.b.place(left_ended);
    emit_rest(cg, right, shows_rest_of_right, show_right, ret_right, end);
    cg.b.place(right_ended);
    emit_rest(cg, left, op != Intersect, show_left, ret_left, end);
    emit_show(cg, merge, left, sink, show_left, ret_left)?;
    emit_show(cg, merge, right, sink, show_right, ret_right)?;
    cg.b.place(end);
    Ok(())
}

/// Shows the rest of one side, from the row in its registers on.
fn emit_rest(cg: &mut Codegen<'_>, side: Coroutine, is_shown: bool, show: Addr, ret: Reg, end: Addr) {
    if is_shown {
        let top = cg.b.here();
        cg.b.emit(Insn::Gosub { ret, target: show });
        cg.b.emit(Insn::Yield { co: side.co, target: end });
        cg.b.emit(Insn::Goto { target: top });
    } else {
        cg.b.emit(Insn::Goto { target: end });
    }
}

/// The subroutine that shows the head of a side, unless an equal row was shown last.
fn emit_show<'a>(
    cg: &mut Codegen<'a>,
    merge: &Merge,
    side: Coroutine,
    sink: &Sink<'a>,
    entry: Addr,
    ret: Reg,
) -> Result<()> {
    let end = cg.b.label();
    cg.b.place(entry);
    if let Some(last) = merge.last {
        let is_new = cg.b.label();
        let jump = Insn::Jump { less: is_new, equal: end, greater: is_new };
        emit_merge_compare(cg, merge, side.start, last, jump);
        cg.b.place(is_new);
        cg.emit_copy_row(side.start, last, sink.width);
    }
    sink::emit_offset(cg, sink, end);
    sink::deliver(cg, sink, side.start)?;
    cg.b.place(end);
    cg.b.emit(Insn::Return { ret });
    Ok(())
}

/// Compares two rows in the order of the merge.
fn emit_merge_compare(cg: &mut Codegen<'_>, merge: &Merge, left: Reg, right: Reg, jump: Insn) {
    let count = merge.columns.len();
    let in_place = merge.columns.iter().enumerate().all(|(at, &column)| at == column);
    let (lhs, rhs) = if in_place {
        (left, right)
    } else {
        let (lhs, rhs) = (cg.b.registers(count), cg.b.registers(count));
        for (at, &column) in merge.columns.iter().enumerate() {
            cg.emit_copy(left.at(column), lhs.at(at));
            cg.emit_copy(right.at(column), rhs.at(at));
        }
        (lhs, rhs)
    };
    cg.b.emit(Insn::CompareVectors { key: merge.key, lhs, rhs, count: count as u32 });
    cg.b.emit(jump);
}
