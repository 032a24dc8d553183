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
use lithe_optimize::compound::{CompoundPlan, MergeTerm, WantedRows, order_of_core};
use lithe_resolve::ir::{Core, Query};
use lithe_sql::ast::CompoundOp;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::sink::Sink;
use super::{Coroutine, Destination};

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
    pub(super) fn emit_compound(&mut self, query: &'a Query<'a>, sink: &Sink) -> Result<()> {
        let wanted = match sink.destination {
            Destination::FirstRow { .. } => WantedRows::First,
            Destination::Exists { .. } => WantedRows::Existence,
            _ => WantedRows::All,
        };
        let plan = CompoundPlan::of(query, wanted);
        if plan.merged.len() > 1 {
            self.emit_merges(&plan, sink)?;
            return self.emit_appended(plan.appended, sink);
        }
        self.explain.open(|| "COMPOUND QUERY".to_owned());
        self.explain.open(|| "LEFT-MOST SUBQUERY".to_owned());
        self.emit_core(&plan.merged[0], &[], None, sink)?;
        self.explain.close();
        self.emit_appended(plan.appended, sink)?;
        self.explain.close();
        Ok(())
    }

    /// The cores that UNION ALL appends.
    fn emit_appended(&mut self, cores: &'a [Core<'a>], sink: &Sink) -> Result<()> {
        for core in cores {
            self.explain.open(|| "UNION ALL".to_owned());
            self.emit_core(core, &[], None, sink)?;
            self.explain.close();
        }
        Ok(())
    }

    /// A chain of merges, from the left to the right; the last one's rows go to the sink.
    fn emit_merges(&mut self, plan: &CompoundPlan<'a>, sink: &Sink) -> Result<()> {
        let CompoundPlan { merged: cores, ref orders, .. } = *plan;
        let keep = if plan.only_appends() { sink.keep } else { Reg::NONE };
        for core in cores[1..].iter().rev() {
            self.explain.open(|| format!("MERGE ({})", name_of(core.op)));
            self.explain.open(|| "LEFT".to_owned());
        }
        let mut left = self.emit_side(&cores[0], &orders[1], sink.width, keep)?;
        for (at, core) in cores.iter().enumerate().skip(1) {
            self.explain.close();
            self.explain.open(|| "RIGHT".to_owned());
            let right = self.emit_side(core, &orders[at], sink.width, keep)?;
            self.explain.close();
            self.explain.close();
            let merge = self.open_merge(core.op, left, right, &orders[at], sink.width)?;
            if at + 1 == cores.len() {
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
    fn emit_side(&mut self, core: &'a Core<'a>, order: &[MergeTerm<'a>], width: usize, keep: Reg) -> Result<Coroutine> {
        let order_by = order_of_core(&self.planning, core, order);
        self.coroutine(width, |cg, coroutine| {
            let sink = cg.coroutine_sink(coroutine, keep);
            cg.emit_core(core, order_by, None, &sink)?;
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
            row_limit: None,
            done: self.b.label(),
            reals: None,
            drops_subtypes: false,
        }
    }

    fn open_merge(
        &mut self,
        op: CompoundOp,
        left: Coroutine,
        right: Coroutine,
        order: &[MergeTerm<'a>],
        width: usize,
    ) -> Result<Merge> {
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
        let (left_ended, left_empty, right_ended, end) =
            (self.b.label(), self.b.label(), self.b.label(), self.b.label());

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
        self.b.place(left_empty);
        self.b.emit(Insn::Yield { co: right.co, target: end });
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
        self.explain_filter(sink);
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

fn name_of(op: CompoundOp) -> &'static str {
    match op {
        CompoundOp::Union => "UNION",
        CompoundOp::UnionAll => "UNION ALL",
        CompoundOp::Except => "EXCEPT",
        CompoundOp::Intersect => "INTERSECT",
    }
}
