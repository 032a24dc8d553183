//! The parent's side: a row is inserted or deleted, and children may refer to it.

use lithe_catalog::Result;
use lithe_optimize::write::foreign_keys::{ParentChange, ParentReference, ParentRow, plan_children};
use lithe_vm::insn::Insn;

use super::child::note_failure_at_end;
use crate::Codegen;
use crate::loops::{PreparedJoin, begin_loops, end_loops};
use crate::write::row::Row;
use crate::write::target::Target;

/// Counts a row that is deleted (`delta` 1) or inserted (-1): each child is one violation more or less.
pub(super) fn emit_check<'a>(
    cg: &mut Codegen<'a>,
    reference: &ParentReference<'a>,
    target: &Target<'a>,
    row: Row,
    delta: i32,
) -> Result<()> {
    let deferred = u8::from(reference.key.deferred);
    let done = cg.b.label();
    if delta < 0 {
        cg.b.emit(Insn::FkIfZero { deferred, target: done });
    }
    let change = if delta > 0 { ParentChange::Deleted } else { ParentChange::Inserted };
    let parent = ParentRow { table: target.table, key: target.key(), within: cg.within() };
    let children = plan_children(&mut cg.planner, reference, parent, change)?;
    cg.explain.join(&children.from);
    cg.set_access(children.row, row.access());
    let from = cg.arena.alloc(children.from);
    let loops = begin_loops(cg, &PreparedJoin::without_queries(from))?;
    cg.b.emit(Insn::FkCounter { deferred, delta });
    end_loops(cg, loops)?;
    cg.b.place(done);
    if delta > 0 && !reference.key.deferred {
        note_failure_at_end(cg);
    }
    Ok(())
}
