//! Join plans as nested loops.

use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId};

use super::Codegen;
use crate::access::{JoinPlan, Loop};
use crate::error::Result;
use crate::ir::{JoinKind, Source, SourceKind};

/// Loops that have been begun and not ended.
#[derive(Debug)]
pub struct Loops<'a> {
    /// Jump here to go on with the next row.
    pub next: Addr,
    /// Jump here to leave all loops.
    pub done: Addr,
    /// The plan.
    pub plan: JoinPlan<'a>,
    open: Vec<OpenLoop>,
}

/// A loop that has been begun.
#[derive(Debug)]
struct OpenLoop {
    top: Addr,
    next: Addr,
    done: Addr,
    step: Step,
}

#[derive(Debug)]
enum Step {
    Next(CursorId),
    Yield,
}

/// Opens cursors and begins the loops; the code that follows runs for each row.
pub fn begin_loops<'a>(cg: &mut Codegen<'a>, plan: &JoinPlan<'a>) -> Result<Loops<'a>> {
    let done = cg.b.label();
    let mut loops = Loops { next: done, done, plan: *plan, open: Vec::new() };
    if plan.loops.is_empty() {
        for term in plan.request.terms {
            cg.jump_if_false(&term.expr, done, true)?;
        }
    }
    for planned in plan.loops {
        let open = begin_loop(cg, plan, planned)?;
        loops.next = open.next;
        loops.open.push(open);
    }
    Ok(loops)
}

/// Ends the loops.
pub fn end_loops<'a>(cg: &mut Codegen<'a>, loops: Loops<'a>) -> Result<()> {
    for open in loops.open.into_iter().rev() {
        cg.b.place(open.next);
        match open.step {
            Step::Next(cursor) => cg.b.emit(Insn::Next { cursor, target: open.top }),
            Step::Yield => cg.b.emit(Insn::Goto { target: open.top }),
        }
        cg.b.place(open.done);
    }
    cg.b.place(loops.done);
    Ok(())
}

fn begin_loop<'a>(cg: &mut Codegen<'a>, plan: &JoinPlan<'a>, planned: &Loop<'a>) -> Result<OpenLoop> {
    let source: &Source<'a> = &plan.request.sources[planned.source];
    if !matches!(source.join, JoinKind::Inner | JoinKind::Cross) {
        return Err(crate::CompileError::not_supported("outer joins"));
    }
    let (next, done) = (cg.b.label(), cg.b.label());
    let (top, step) = match source.kind {
        SourceKind::Table(db, table) => {
            let cursor = cg.open_table(db, table)?;
            cg.set_access(source.id, super::ColumnAccess::Table { cursor, table });
            cg.b.emit(Insn::Rewind { cursor, target: done });
            (cg.b.here(), Step::Next(cursor))
        }
        SourceKind::Subquery(derived) => {
            let rows = cg.begin_derived(source, derived)?;
            cg.set_access(source.id, rows.access());
            let top = rows.emit_rewind(cg, done);
            (top, rows.cursor().map_or(Step::Yield, Step::Next))
        }
        SourceKind::Recursive(table) => {
            let access = cg.recursive_row(table);
            cg.set_access(source.id, access);
            todo!("one row")
        }
        SourceKind::Row(_) => unreachable!("a row that is there already is not looped over"),
    };
    for &check in planned.checks {
        cg.jump_if_false(&plan.request.terms[check].expr, next, true)?;
    }
    Ok(OpenLoop { top, next, done, step })
}
