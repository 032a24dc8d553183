//! The loop over the row that has a rowid, of the only source: it has no step, and so all its exits are one.
//!
//! ```text
//!   SeekRowid                              → done
//!   checks                                 → done
//!   body
//!   done
//! ```

use lithe_catalog::Result;
use lithe_optimize::access::{Path, RowidKey, TreePath};
use lithe_optimize::plan::FromPlan;
use lithe_resolve::ir::{Expr, SourceKind};
use lithe_vm::operand::{Addr, CursorId};

use super::super::{Codegen, ColumnAccess};
use super::rowid::seek_rowid;

/// Begins such a loop, and returns the cursor on the table. `None`, and nothing is emitted, if the plan is another one.
pub(super) fn begin<'a>(cg: &mut Codegen<'a>, from: &FromPlan<'a>, done: Addr) -> Result<Option<CursorId>> {
    let plan = &from.join;
    let [planned] = plan.loops else { return Ok(None) };
    let Path::Tree(TreePath::Rowid(RowidKey::Value(value))) = &planned.path else { return Ok(None) };
    let source = plan.source_of(planned);
    let is_joined = source.join.keeps_left_rows() || source.join.keeps_right_rows() || source.is_exists;
    let SourceKind::Table(db, table) = source.kind else { return Ok(None) };
    if is_joined || cg.is_measured || !from.unjoined.is_empty() {
        return Ok(None);
    }
    leave_unless(cg, plan.constant_checks, done)?;
    let cursor = cg.open_table(db, table)?;
    cg.set_access(source.id, ColumnAccess::Table { cursor, table });
    seek_rowid(cg, cursor, value, done)?;
    leave_unless(cg, planned.join_checks, done)?;
    leave_unless(cg, planned.row_checks, done)?;
    Ok(Some(cursor))
}

fn leave_unless<'a>(cg: &mut Codegen<'a>, checks: &[Expr<'a>], done: Addr) -> Result<()> {
    for check in checks {
        cg.jump_if_false(check, done, true)?;
    }
    Ok(())
}
