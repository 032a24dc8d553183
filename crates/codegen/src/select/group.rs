//! GROUP BY: rows come ordered by the terms, from the loops or from a sorter, and each change of the terms' values ends
//! a group. Or they come in any order, and a table has the groups.
//!
//! ```text
//!       reset
//!       for each row, in order:
//!           terms ≠ the last row's:  gosub output; gosub reset
//!           step
//!       gosub output
//! ```

use lithe_catalog::Result;
use lithe_optimize::access::{DistinctPlan, JoinPlan};
use lithe_optimize::select::{GroupPlan, GroupRequest};
use lithe_resolve::ir::{Column, ColumnIndex, Expr, OrderTerm, Select, same};
use lithe_vm::group::can_be_hashed;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::access::ColumnAccess;
use super::super::expr::Replacement;
use super::super::loops::{begin_loops, end_loops};
use super::aggregate::{Accumulators, aggregate_columns, are_from_extreme_row, collect_columns};
use super::distinct::Distinct;
use super::sink::{Sink, Sorter};

/// What the pieces of a grouping share.
struct Grouping<'a> {
    select: &'a Select<'a>,
    /// GROUP BY, in the directions of an ORDER BY with as many terms.
    terms: &'a [OrderTerm<'a>],
    /// Carries the terms' collations and directions.
    key: CursorId,
    /// The terms of the present row.
    current: Reg,
    /// The terms of the group.
    group: Reg,
    accumulators: Accumulators<'a>,
    /// The loops bring the rows of a group together. Between two groups the application may change the row that the next begins
    /// with; so its columns are shown as they are when it is added to the group, not as they were compared.
    is_streamed: bool,
    output: Subroutine,
    reset: Subroutine,
}

/// Rows that are brought together by sorting: the terms, then the columns that are still needed.
struct GroupSorter<'a> {
    cursor: CursorId,
    columns: Vec<&'a Column<'a>>,
    row: Reg,
}

#[derive(Clone, Copy)]
struct Subroutine {
    entry: Addr,
    ret: Reg,
}

impl<'a> Codegen<'a> {
    pub(super) fn emit_group_by(&mut self, request: &GroupRequest<'a>, sink: &Sink) -> Result<()> {
        let GroupRequest { select, terms, clause, .. } = *request;
        let plan = self.plan_join(request.join())?;
        let GroupPlan { is_streamed, order_by } = request.plan(&plan);
        self.explain_constant_row(&plan);
        let remembers = if select.distinct { DistinctPlan::Remember } else { DistinctPlan::Nothing };
        let distinct = self.open_distinct(select.columns, remembers)?;
        let sorter = if order_by.is_empty() { None } else { Some(self.open_sorter(order_by, sink)?) };
        let grouping = self.open_grouping(select, terms, order_by, is_streamed)?;

        self.b.emit(Insn::NullNever { start: grouping.group, count: terms.len() as u32 });
        self.gosub(grouping.reset);
        if is_streamed {
            self.group_from_loops(&grouping, &plan)?;
        } else if self.can_hash_groups(&grouping)? {
            self.group_by_hash(&grouping, &plan, clause)?;
        } else {
            self.group_from_sorter(&grouping, &plan, clause)?;
        }
        self.explain_accumulators(&grouping.accumulators);
        self.gosub(grouping.output);
        let end = self.b.label();
        self.b.emit(Insn::Goto { target: end });
        self.emit_group_output(&grouping, order_by, sink, sorter.as_ref(), distinct.as_ref())?;
        self.emit_group_reset(&grouping);
        self.b.place(end);

        if distinct.as_ref().is_some_and(Distinct::uses_table) {
            self.explain.line(|| "USE TEMP B-TREE FOR DISTINCT".to_owned());
        }
        if let Some(sorter) = &sorter {
            self.explain.line(|| "USE TEMP B-TREE FOR ORDER BY".to_owned());
            self.emit_sorted(sorter, sink)?;
        }
        Ok(())
    }

    fn open_grouping(
        &mut self,
        select: &'a Select<'a>,
        terms: &'a [OrderTerm<'a>],
        order_by: &'a [OrderTerm<'a>],
        is_streamed: bool,
    ) -> Result<Grouping<'a>> {
        let key = self.order_key(terms)?;
        let accumulators = self.open_accumulators(select, order_by, !is_streamed)?;
        Ok(Grouping {
            select,
            terms,
            key: self.ephemeral(CursorKind::KeyOnly, key, terms.len()),
            current: self.b.registers(terms.len()),
            group: self.b.registers(terms.len()),
            accumulators,
            is_streamed,
            output: self.subroutine(),
            reset: self.subroutine(),
        })
    }

    /// The loops give the rows in order.
    fn group_from_loops(&mut self, grouping: &Grouping<'a>, plan: &JoinPlan<'a>) -> Result<()> {
        self.in_loop_of(plan, |cg| {
            let loops = begin_loops(cg, plan)?;
            for (at, term) in grouping.terms.iter().enumerate() {
                cg.emit_into(&term.expr, grouping.current.at(at))?;
            }
            cg.emit_group_row(grouping, |_| {})?;
            end_loops(cg, loops)
        })
    }

    /// Whether the groups can be found by hash: their rows need not be sorted then.
    fn can_hash_groups(&mut self, grouping: &Grouping<'a>) -> Result<bool> {
        let key = self.order_key(grouping.terms)?;
        Ok(grouping.accumulators.are_small() && can_be_hashed(&key))
    }

    /// A table takes the groups, and only they are sorted. Rows of groups that do not fit the table go through a sorter; what
    /// comes out of that is merged with the table's groups.
    ///
    /// ```text
    ///       for each row:  known or new group: step;  table full: into the sorter
    ///       for each row of the sorter, in order:
    ///           terms ≠ the last row's:  gosub output; the table's groups before this one: gosub output; gosub reset
    ///           step
    ///       gosub output
    ///       the table's other groups: gosub output
    /// ```
    fn group_by_hash(&mut self, grouping: &Grouping<'a>, plan: &JoinPlan<'a>, clause: &str) -> Result<()> {
        let terms = grouping.terms;
        let key = self.order_key(terms)?;
        let groups = self.ephemeral(CursorKind::Groups, key, terms.len());
        let (start, count) = grouping.accumulators.block();
        self.b.emit(Insn::OpenGroups { cursor: groups, start, count });
        let sorter = self.open_group_sorter(grouping)?;
        self.in_loop_of(plan, |cg| {
            let loops = begin_loops(cg, plan)?;
            for (at, term) in terms.iter().enumerate() {
                cg.emit_into(&term.expr, grouping.current.at(at))?;
            }
            let (known, full, next) = (cg.b.label(), cg.b.label(), cg.b.label());
            cg.b.emit(Insn::GroupFind { cursor: groups, start: grouping.current, known, full });
            cg.gosub(grouping.reset);
            cg.b.place(known);
            cg.emit_step(&grouping.accumulators)?;
            cg.b.emit(Insn::Goto { target: next });
            cg.b.place(full);
            cg.emit_group_sorter_insert(grouping, &sorter, true)?;
            cg.b.place(next);
            end_loops(cg, loops)
        })?;
        self.explain.line(|| format!("USE TEMP B-TREE FOR {clause}"));
        self.b.emit(Insn::GroupSort { cursor: groups });
        self.gosub(grouping.reset);
        self.read_group_sorter(grouping, &sorter, |cg| cg.emit_groups_before(grouping, groups, grouping.current))?;
        self.gosub(grouping.output);
        self.emit_groups_before(grouping, groups, Reg::NONE);
        self.gosub(grouping.reset);
        Ok(())
    }

    /// Shows the groups of the table that come before the key at `limit`, or all that are left.
    fn emit_groups_before(&mut self, grouping: &Grouping<'a>, groups: CursorId, limit: Reg) {
        let done = self.b.label();
        let top = self.b.here();
        self.b.emit(Insn::GroupNext { cursor: groups, start: grouping.group, limit, target: done });
        self.gosub(grouping.output);
        self.b.emit(Insn::Goto { target: top });
        self.b.place(done);
    }

    /// A sorter takes the terms and every column that is still needed, and gives them back in order.
    fn group_from_sorter(&mut self, grouping: &Grouping<'a>, plan: &JoinPlan<'a>, clause: &str) -> Result<()> {
        let sorter = self.open_group_sorter(grouping)?;
        self.in_loop_of(plan, |cg| {
            let loops = begin_loops(cg, plan)?;
            cg.emit_group_sorter_insert(grouping, &sorter, false)?;
            end_loops(cg, loops)
        })?;
        self.explain.line(|| format!("USE TEMP B-TREE FOR {clause}"));
        self.read_group_sorter(grouping, &sorter, |_| {})
    }

    fn open_group_sorter(&mut self, grouping: &Grouping<'a>) -> Result<GroupSorter<'a>> {
        let columns = columns_behind_sorter(grouping);
        let width = grouping.terms.len() + columns.len();
        let key = self.order_key(grouping.terms)?;
        let cursor = self.ephemeral(CursorKind::Sorter, key, width);
        self.b.emit(Insn::SorterOpen { cursor, limit: Reg::NONE });
        Ok(GroupSorter { cursor, columns, row: self.b.registers(width) })
    }

    /// Adds the present row. `has_terms`: its terms are in `current`.
    fn emit_group_sorter_insert(
        &mut self,
        grouping: &Grouping<'a>,
        sorter: &GroupSorter<'a>,
        has_terms: bool,
    ) -> Result<()> {
        let (row, width) = (sorter.row, grouping.terms.len());
        if has_terms {
            self.emit_copy_row(grouping.current, row, width);
        } else {
            for (at, term) in grouping.terms.iter().enumerate() {
                self.emit_into(&term.expr, row.at(at))?;
            }
        }
        for (at, column) in sorter.columns.iter().enumerate() {
            self.emit_into(&Expr::Column(column), row.at(width + at))?;
        }
        let count = (width + sorter.columns.len()) as u32;
        self.b.emit(Insn::SorterInsert { cursor: sorter.cursor, start: row, count });
        Ok(())
    }

    /// Steps over the sorter's rows. `between` emits what happens when a group is complete and shown, before the next begins.
    fn read_group_sorter(
        &mut self,
        grouping: &Grouping<'a>,
        sorter: &GroupSorter<'a>,
        between: impl FnOnce(&mut Self),
    ) -> Result<()> {
        let Grouping { select, terms, .. } = *grouping;
        let cursor = sorter.cursor;
        for source in select.sources {
            let own = sorter.columns.iter().enumerate().filter(|(_, column)| column.source == source.id);
            let places = own.map(|(at, column)| (column.index, (terms.len() + at) as u16));
            let columns: Vec<(ColumnIndex, u16)> = places.collect();
            let columns = self.arena.alloc_slice_copy(&columns);
            self.set_access(source.id, ColumnAccess::CursorMap { cursor, columns });
        }
        let end = self.b.label();
        self.b.emit(Insn::SorterSort { cursor, target: end });
        let top = self.b.here();
        for at in 0..terms.len() {
            self.b.emit(Insn::Column { cursor, column: at as u16, dst: grouping.current.at(at) });
        }
        let known = self.replacements();
        self.replace_terms(grouping, grouping.current);
        self.in_loop(|cg| cg.emit_group_row(grouping, between))?;
        self.forget_replacements(known);
        self.b.emit(Insn::SorterNext { cursor, target: top });
        self.b.place(end);
        Ok(())
    }

    /// One row whose terms are in `current`.
    fn emit_group_row(&mut self, grouping: &Grouping<'a>, between: impl FnOnce(&mut Self)) -> Result<()> {
        let (count, width) = (grouping.terms.len() as u32, grouping.terms.len());
        let (other, same) = (self.b.label(), self.b.label());
        self.b.emit(Insn::CompareVectors { key: grouping.key, lhs: grouping.current, rhs: grouping.group, count });
        self.b.emit(Insn::Jump { less: other, equal: same, greater: other });
        self.b.place(other);
        self.gosub(grouping.output);
        between(self);
        self.emit_copy_row(grouping.current, grouping.group, width);
        self.gosub(grouping.reset);
        self.b.place(same);
        self.emit_step(&grouping.accumulators)
    }

    /// The subroutine that shows a group, if it has had a row.
    fn emit_group_output(
        &mut self,
        grouping: &Grouping<'a>,
        order_by: &[OrderTerm<'a>],
        sink: &Sink,
        sorter: Option<&Sorter>,
        distinct: Option<&Distinct>,
    ) -> Result<()> {
        let select = grouping.select;
        let end = self.b.label();
        self.b.place(grouping.output.entry);
        self.b.emit(Insn::IfNot { null_jumps: 0, reg: grouping.accumulators.has_row, target: end });
        self.emit_results(&grouping.accumulators);
        self.read_bare_columns(select, &grouping.accumulators);
        let known = self.replacements();
        let is_extreme = are_from_extreme_row(select);
        for (at, term) in grouping.terms.iter().enumerate() {
            let is_bare = grouping.is_streamed && matches!(term.expr, Expr::Column(_));
            if !is_bare && !is_extreme {
                self.replace(term.expr, Replacement::Register(grouping.group.at(at)));
            }
        }
        let result = self.in_loop(|cg| {
            if let Some(having) = &select.having {
                cg.jump_if_false(having, end, true)?;
            }
            cg.emit_group_columns(select, order_by, sink, sorter, distinct, end)
        });
        self.forget_replacements(known);
        result?;
        self.b.place(end);
        self.b.emit(Insn::Return { ret: grouping.output.ret });
        Ok(())
    }

    pub(super) fn emit_group_columns(
        &mut self,
        select: &'a Select<'a>,
        order_by: &[OrderTerm<'a>],
        sink: &Sink,
        sorter: Option<&Sorter>,
        distinct: Option<&Distinct>,
        end: Addr,
    ) -> Result<()> {
        if let (Some(sorter), None) = (sorter, distinct) {
            return self.emit_sorter_insert(sorter, order_by, select.columns, None);
        }
        if distinct.is_none() {
            self.emit_offset(sink, end);
        }
        let row = self.row_registers(sink, distinct.is_some());
        self.emit_columns(sink, select.columns, row)?;
        if let Some(distinct) = distinct {
            self.emit_distinct(distinct, row, end)?;
            match sorter {
                Some(sorter) => return self.emit_sorter_insert(sorter, order_by, select.columns, Some(row)),
                None => self.emit_offset(sink, end),
            }
        }
        self.deliver(sink, row)
    }

    fn emit_group_reset(&mut self, grouping: &Grouping<'a>) {
        self.b.place(grouping.reset.entry);
        self.emit_reset(&grouping.accumulators);
        self.b.emit(Insn::Return { ret: grouping.reset.ret });
    }

    /// The terms of GROUP BY are in these registers.
    fn replace_terms(&mut self, grouping: &Grouping<'a>, start: Reg) {
        for (at, term) in grouping.terms.iter().enumerate() {
            self.replace(term.expr, Replacement::Register(start.at(at)));
        }
    }

    fn subroutine(&mut self) -> Subroutine {
        Subroutine { entry: self.b.label(), ret: self.b.register() }
    }

    fn gosub(&mut self, subroutine: Subroutine) {
        self.b.emit(Insn::Gosub { ret: subroutine.ret, target: subroutine.entry });
    }
}

/// The columns that the rows of the sorter need beside the GROUP BY terms.
fn columns_behind_sorter<'a>(grouping: &Grouping<'a>) -> Vec<&'a Column<'a>> {
    let select = grouping.select;
    let is_term = |expr: &Expr<'a>| grouping.terms.iter().any(|term| same(&term.expr, expr));
    let mut columns: Vec<&'a Column<'a>> = grouping.accumulators.bare().collect();
    for column in aggregate_columns(select) {
        collect_columns(&Expr::Column(column), select, &is_term, &mut columns);
    }
    columns
}
