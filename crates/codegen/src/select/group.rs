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
use lithe_optimize::access::DistinctPlan;
use lithe_optimize::plan::{FromPlan, GroupPlan, Grouping};
use lithe_optimize::select::keeps_term;
use lithe_resolve::ir::{Column, ColumnIndex, Expr, OrderTerm, Select, same};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::access::ColumnAccess;
use super::super::expr::Replacement;
use super::super::loops::{begin_loops, end_loops};
use super::aggregate::{Accumulators, aggregate_columns, collect_columns};
use super::distinct::Distinct;
use super::sink::{Sink, Sorter};

/// What the pieces of a GROUP BY share.
struct Groups<'a> {
    plan: &'a GroupPlan<'a>,
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
    pub(super) fn emit_group_by(&mut self, plan: &'a GroupPlan<'a>, sink: &Sink) -> Result<()> {
        let GroupPlan { select, terms, ref from, order_by, .. } = *plan;
        self.prepare_sources(from)?;
        let remembers = if select.distinct { DistinctPlan::Remember } else { DistinctPlan::Nothing };
        let distinct = self.open_distinct(select.columns, remembers)?;
        let sorter = if order_by.is_empty() { None } else { Some(self.open_sorter(order_by, sink)?) };
        let groups = self.open_groups(plan)?;

        self.b.emit(Insn::NullNever { start: groups.group, count: terms.len() as u32 });
        self.gosub(groups.reset);
        match plan.grouping {
            Grouping::Streamed => self.group_from_loops(&groups, from)?,
            Grouping::Hashed => self.group_by_hash(&groups, from)?,
            Grouping::Sorted => self.group_from_sorter(&groups, from)?,
        }
        self.gosub(groups.output);
        let end = self.b.label();
        self.b.emit(Insn::Goto { target: end });
        self.emit_group_output(&groups, sink, sorter.as_ref(), distinct.as_ref())?;
        self.emit_group_reset(&groups);
        self.b.place(end);
        sorter.map_or(Ok(()), |sorter| self.emit_sorted(&sorter, sink))
    }

    fn open_groups(&mut self, plan: &'a GroupPlan<'a>) -> Result<Groups<'a>> {
        let GroupPlan { select, terms, order_by, .. } = *plan;
        let key = self.order_key(terms)?;
        let accumulators = self.open_accumulators(select, order_by, plan.grouping != Grouping::Streamed)?;
        Ok(Groups {
            plan,
            select,
            terms,
            key: self.ephemeral(CursorKind::KeyOnly, key, terms.len()),
            current: self.b.registers(terms.len()),
            group: self.b.registers(terms.len()),
            accumulators,
            output: self.subroutine(),
            reset: self.subroutine(),
        })
    }

    /// The loops give the rows in order.
    fn group_from_loops(&mut self, groups: &Groups<'a>, from: &'a FromPlan<'a>) -> Result<()> {
        self.in_loop_of(from, |cg| {
            let loops = begin_loops(cg, from)?;
            for (at, term) in groups.terms.iter().enumerate() {
                cg.emit_into(&term.expr, groups.current.at(at))?;
            }
            cg.emit_group_row(groups, |_| {})?;
            end_loops(cg, loops)
        })
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
    fn group_by_hash(&mut self, groups: &Groups<'a>, from: &'a FromPlan<'a>) -> Result<()> {
        let terms = groups.terms;
        let key = self.order_key(terms)?;
        let table = self.ephemeral(CursorKind::Groups, key, terms.len());
        let (start, count) = groups.accumulators.block();
        self.b.emit(Insn::OpenGroups { cursor: table, start, count });
        let sorter = self.open_group_sorter(groups)?;
        self.in_loop_of(from, |cg| {
            let loops = begin_loops(cg, from)?;
            for (at, term) in terms.iter().enumerate() {
                cg.emit_into(&term.expr, groups.current.at(at))?;
            }
            let (known, full, next) = (cg.b.label(), cg.b.label(), cg.b.label());
            cg.b.emit(Insn::GroupFind { cursor: table, start: groups.current, known, full });
            cg.gosub(groups.reset);
            cg.b.place(known);
            cg.emit_step(&groups.accumulators)?;
            cg.b.emit(Insn::Goto { target: next });
            cg.b.place(full);
            cg.emit_group_sorter_insert(groups, &sorter, true)?;
            cg.b.place(next);
            end_loops(cg, loops)
        })?;
        self.b.emit(Insn::GroupSort { cursor: table });
        self.gosub(groups.reset);
        self.read_group_sorter(groups, &sorter, |cg| cg.emit_groups_before(groups, table, groups.current))?;
        self.gosub(groups.output);
        self.emit_groups_before(groups, table, Reg::NONE);
        self.gosub(groups.reset);
        Ok(())
    }

    /// Shows the groups of the table that come before the key at `limit`, or all that are left.
    fn emit_groups_before(&mut self, groups: &Groups<'a>, table: CursorId, limit: Reg) {
        let done = self.b.label();
        let top = self.b.here();
        self.b.emit(Insn::GroupNext { cursor: table, start: groups.group, limit, target: done });
        self.gosub(groups.output);
        self.b.emit(Insn::Goto { target: top });
        self.b.place(done);
    }

    /// A sorter takes the terms and every column that is still needed, and gives them back in order.
    fn group_from_sorter(&mut self, groups: &Groups<'a>, from: &'a FromPlan<'a>) -> Result<()> {
        let sorter = self.open_group_sorter(groups)?;
        self.in_loop_of(from, |cg| {
            let loops = begin_loops(cg, from)?;
            cg.emit_group_sorter_insert(groups, &sorter, false)?;
            end_loops(cg, loops)
        })?;
        self.read_group_sorter(groups, &sorter, |_| {})
    }

    fn open_group_sorter(&mut self, groups: &Groups<'a>) -> Result<GroupSorter<'a>> {
        let columns = columns_behind_sorter(groups);
        let width = groups.terms.len() + columns.len();
        let key = self.order_key(groups.terms)?;
        let cursor = self.ephemeral(CursorKind::Sorter, key, width);
        self.b.emit(Insn::SorterOpen { cursor, limit: Reg::NONE });
        Ok(GroupSorter { cursor, columns, row: self.b.registers(width) })
    }

    /// Adds the present row. `has_terms`: its terms are in `current`.
    fn emit_group_sorter_insert(
        &mut self,
        groups: &Groups<'a>,
        sorter: &GroupSorter<'a>,
        has_terms: bool,
    ) -> Result<()> {
        let (row, width) = (sorter.row, groups.terms.len());
        if has_terms {
            self.emit_copy_row(groups.current, row, width);
        } else {
            for (at, term) in groups.terms.iter().enumerate() {
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
        groups: &Groups<'a>,
        sorter: &GroupSorter<'a>,
        between: impl FnOnce(&mut Self),
    ) -> Result<()> {
        let Groups { select, terms, .. } = *groups;
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
            self.b.emit(Insn::Column { cursor, column: at as u16, dst: groups.current.at(at) });
        }
        let known = self.replacements();
        self.replace_terms(groups, groups.current);
        self.in_loop(|cg| cg.emit_group_row(groups, between))?;
        self.forget_replacements(known);
        self.b.emit(Insn::SorterNext { cursor, target: top });
        self.b.place(end);
        Ok(())
    }

    /// One row whose terms are in `current`.
    fn emit_group_row(&mut self, groups: &Groups<'a>, between: impl FnOnce(&mut Self)) -> Result<()> {
        let (count, width) = (groups.terms.len() as u32, groups.terms.len());
        let (other, same) = (self.b.label(), self.b.label());
        self.b.emit(Insn::CompareVectors { key: groups.key, lhs: groups.current, rhs: groups.group, count });
        self.b.emit(Insn::Jump { less: other, equal: same, greater: other });
        self.b.place(other);
        self.gosub(groups.output);
        between(self);
        self.emit_copy_row(groups.current, groups.group, width);
        self.gosub(groups.reset);
        self.b.place(same);
        self.emit_step(&groups.accumulators)
    }

    /// The subroutine that shows a group, if it has had a row.
    fn emit_group_output(
        &mut self,
        groups: &Groups<'a>,
        sink: &Sink,
        sorter: Option<&Sorter>,
        distinct: Option<&Distinct>,
    ) -> Result<()> {
        let Groups { select, plan: GroupPlan { order_by, .. }, .. } = *groups;
        let end = self.b.label();
        self.b.place(groups.output.entry);
        self.b.emit(Insn::IfNot { null_jumps: 0, reg: groups.accumulators.has_row, target: end });
        self.emit_results(&groups.accumulators);
        self.read_bare_columns(select, &groups.accumulators);
        let known = self.replacements();
        for (at, term) in groups.terms.iter().enumerate() {
            if keeps_term(select, &term.expr, groups.plan.grouping) {
                self.replace(term.expr, Replacement::Register(groups.group.at(at)));
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
        self.b.emit(Insn::Return { ret: groups.output.ret });
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

    fn emit_group_reset(&mut self, groups: &Groups<'a>) {
        self.b.place(groups.reset.entry);
        self.emit_reset(&groups.accumulators);
        self.b.emit(Insn::Return { ret: groups.reset.ret });
    }

    /// The terms of GROUP BY are in these registers.
    fn replace_terms(&mut self, groups: &Groups<'a>, start: Reg) {
        for (at, term) in groups.terms.iter().enumerate() {
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
fn columns_behind_sorter<'a>(groups: &Groups<'a>) -> Vec<&'a Column<'a>> {
    let select = groups.select;
    let is_term = |expr: &Expr<'a>| groups.terms.iter().any(|term| same(&term.expr, expr));
    let mut columns: Vec<&'a Column<'a>> = groups.accumulators.bare().collect();
    for column in aggregate_columns(select) {
        collect_columns(&Expr::Column(column), select, &is_term, &mut columns);
    }
    columns
}
