//! Queries within expressions: scalar subqueries, row subqueries, EXISTS.

use lithe_catalog::{Result, fail};
use lithe_optimize::plan::{ExprQueryWay, QueryPlan};
use lithe_resolve::ir::{Expr, Query, Subquery, rows_may_have_subtypes};
use lithe_vm::insn::Insn;
use lithe_vm::operand::Reg;

use super::super::{Codegen, Destination};

/// The planner visits all expressions that are evaluated.
pub(super) const NOT_PLANNED: &str = "a query in an expression is not planned";

/// The value of a scalar subquery. As in SQLite it is computed at each place where a query in FROM that gives it is used, because the place
/// before may have been passed over.
pub(super) fn emit_value<'a>(cg: &mut Codegen<'a>, subquery: &Subquery<'a>, dst: Reg) -> Result<()> {
    let row = emit_row(cg, subquery)?;
    cg.emit_copy(row, dst);
    Ok(())
}

/// Column `at` of the first row of a subquery. The row is the same for all values of a list.
pub(super) fn emit_column<'a>(cg: &mut Codegen<'a>, subquery: &Subquery<'a>, at: u16, dst: Reg) -> Result<()> {
    let shared = cg.expr.rows.iter().flatten().find(|(id, _)| *id == subquery.id);
    let start = match shared {
        Some((_, start)) => *start,
        None => {
            let start = emit_row(cg, subquery)?;
            cg.expr.rows.iter_mut().for_each(|rows| rows.push((subquery.id, start)));
            start
        }
    };
    cg.emit_copy(start.at(usize::from(at)), dst);
    Ok(())
}

/// The first row of a subquery in adjacent registers; NULLs if there is none. A subquery that does not depend on the row of an
/// enclosing query runs once, the first time that this place is reached.
pub(super) fn emit_row<'a>(cg: &mut Codegen<'a>, subquery: &Subquery<'a>) -> Result<Reg> {
    let plan = row_plan(cg, subquery)?;
    let width = subquery.query.columns.len();
    let start = cg.b.registers(width);
    once_unless_correlated(cg, subquery.query, |cg| {
        let measured = cg.begin_query(plan);
        cg.b.emit(Insn::Null { start, count: width as u32 });
        let result = cg.emit_query(plan, &Destination::FirstRow { start });
        cg.end_query(measured);
        if !gives_columns(subquery.query) && rows_may_have_subtypes(subquery.query) {
            cg.b.emit(Insn::ClearSubtype { start, count: width as u32 });
        }
        result
    })?;
    Ok(start)
}

pub(super) fn emit_exists<'a>(cg: &mut Codegen<'a>, subquery: &Subquery<'a>, dst: Reg) -> Result<()> {
    let plan = row_plan(cg, subquery)?;
    let reg = cg.b.register();
    once_unless_correlated(cg, subquery.query, |cg| {
        let measured = cg.begin_query(plan);
        cg.b.emit(Insn::Integer { value: 0, dst: reg });
        let result = cg.emit_query(plan, &Destination::Exists { reg });
        cg.end_query(measured);
        result
    })?;
    cg.emit_copy(reg, dst);
    Ok(())
}

fn row_plan<'a>(cg: &mut Codegen<'a>, subquery: &Subquery<'a>) -> Result<&'a QueryPlan<'a>> {
    match planned(cg, subquery.query, |way| matches!(way, ExprQueryWay::Row(_)))? {
        ExprQueryWay::Row(plan) => Ok(plan),
        _ => fail(NOT_PLANNED),
    }
}

/// The plan of a query in an expression whose code is emitted now.
pub(super) fn planned<'a>(
    cg: &mut Codegen<'a>,
    query: &Query<'a>,
    fits: impl Fn(&ExprQueryWay<'a>) -> bool,
) -> Result<ExprQueryWay<'a>> {
    match cg.planner.take_expr_query(query, fits) {
        Some(planned) => Ok(planned.way),
        None => {
            debug_assert!(false, "{NOT_PLANNED}");
            fail(NOT_PLANNED)
        }
    }
}

/// Emits code that runs once in the program if the query depends on nothing outside of it.
pub(crate) fn once_unless_correlated<'a>(
    cg: &mut Codegen<'a>,
    query: &Query<'a>,
    f: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
) -> Result<()> {
    if query.is_correlated() {
        return f(cg);
    }
    let done = cg.b.label();
    if cg.expr.loops > 0 {
        cg.b.emit(Insn::Once { target: done });
    }
    f(cg)?;
    cg.b.place(done);
    Ok(())
}

/// Whether all result columns of a query are columns of its sources: then their subtypes are kept.
fn gives_columns(query: &Query<'_>) -> bool {
    let columns = query.single_select().map(|select| select.columns);
    columns.is_some_and(|columns| columns.iter().all(|column| matches!(column, Expr::Column(_))))
}
