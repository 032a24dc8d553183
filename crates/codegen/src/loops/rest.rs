//! The rows of a RIGHT JOIN's source that have not joined, with NULLs for all sources of outer loops.
//!
//! A table is scanned once more by a path of its own: conditions of WHERE on the table alone may select its rows, and a covering
//! index may be smaller.

use lithe_catalog::Result;
use lithe_optimize::access::{JoinPlan, Loop, Path};
use lithe_optimize::explain::Part;
use lithe_optimize::plan::UnjoinedPlan;
use lithe_resolve::ir::SourceKind;
use lithe_vm::insn::Insn;

use super::super::measure::rows_of_scan;
use super::outer::RightJoin;
use super::source::Opened;
use super::walk::Walk;
use super::{Codegen, Exits, Loops, OpenLoop, begin_path, virtual_table};

/// Emits the second pass for the loop at `at`.
pub(super) fn emit<'a>(
    cg: &mut Codegen<'a>,
    loops: &Loops<'a>,
    at: usize,
    open: &OpenLoop<'a>,
    right: &RightJoin<'a>,
    unjoined: &UnjoinedPlan<'a>,
) -> Result<()> {
    match unjoined.join {
        Some(join) => emit_of_table(cg, loops, at, open, right, join),
        None => emit_of_others(cg, loops, at, open, right, unjoined),
    }
}

fn emit_of_table<'a>(
    cg: &mut Codegen<'a>,
    loops: &Loops<'a>,
    at: usize,
    open: &OpenLoop<'a>,
    right: &RightJoin<'a>,
    plan: &'a JoinPlan<'a>,
) -> Result<()> {
    let planned = &plan.loops[0];
    cg.b.emit(Insn::CheckMayOpen {});
    emit_null_rows(cg, loops, at);
    let replacements = cg.known.replacements();
    let (next, done) = (cg.b.label(), cg.b.label());
    let mut opened = Opened::open_indexes(cg, planned, open.opened.table)?;
    let measured = cg.begin_run();
    let (walk, or) = begin_path(cg, plan, planned, &mut opened, Exits { next, exhausted: done, empty: done })?;
    if measured.is_some() && or.is_none() {
        let line = cg.explain.line_of(Part::Loop, planned);
        cg.measure_loop(measured, line, right.source, &planned.path, planned.rows, opened.cursors());
    }
    for check in planned.join_checks.iter().chain(planned.row_checks) {
        cg.jump_if_false(check, next, true)?;
    }
    right.emit_unless_joined(cg)?;
    cg.b.place(next);
    match or {
        Some(body) => body.end(cg),
        None => walk.emit_next(cg),
    }
    cg.known.forget_replacements(replacements);
    cg.set_access(right.source.id, right.access);
    cg.b.place(done);
    Ok(())
}

/// Scans all rows of a query, function or virtual table again.
fn emit_of_others<'a>(
    cg: &mut Codegen<'a>,
    loops: &Loops<'a>,
    at: usize,
    open: &OpenLoop<'a>,
    right: &RightJoin<'a>,
    unjoined: &UnjoinedPlan<'a>,
) -> Result<()> {
    let planned: &Loop<'a> = &loops.from.join.loops[at];
    emit_null_rows(cg, loops, at);
    let done = cg.b.label();
    let measured = cg.begin_run();
    let rows: Walk = match (planned.path, right.source.kind) {
        (Path::Virtual(path), _) => virtual_table::begin_scan(cg, open.opened.table_cursor(), path, done)?.0,
        (Path::Function(arguments), SourceKind::Table(_, table)) => {
            virtual_table::begin_function(cg, table, open.opened.table_cursor(), arguments, done)?
        }
        _ => open.opened.begin_scan(cg, right.source, planned.reverse, done)?,
    };
    let line = cg.explain.line_of(Part::Unjoined, unjoined);
    let expected = match planned.path {
        Path::Virtual(_) | Path::Function(_) => planned.rows,
        _ => rows_of_scan(loops.from.join.scans[planned.source]),
    };
    cg.measure_loop(measured, line, right.source, &planned.path, expected, open.opened.cursors());
    right.emit_unless_joined(cg)?;
    rows.emit_next(cg);
    cg.set_access(right.source.id, right.access);
    cg.b.place(done);
    Ok(())
}

fn emit_null_rows(cg: &mut Codegen<'_>, loops: &Loops<'_>, at: usize) {
    for outside in &loops.open[..at] {
        outside.opened.emit_null_row(cg);
    }
}
