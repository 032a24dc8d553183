//! Foreign keys.

use super::Codegen;
use crate::catalog::{FoundTable, Table};
use crate::error::{CompileError, Result};
use crate::resolve::ChangeTarget;

/// Enforcing foreign keys is not there yet: a change that they would be about is refused.
pub(super) fn refuse(cg: &Codegen<'_>, target: &ChangeTarget<'_>) -> Result<()> {
    if !cg.env.flags.foreign_keys || !is_involved(cg, target.db, target.table) {
        return Ok(());
    }
    Err(CompileError::not_supported("enforcing foreign keys"))
}

/// DROP TABLE deletes the rows of a parent first.
pub(crate) fn drop_foreign_key_rows(cg: &mut Codegen<'_>, found: FoundTable<'_>) -> Result<()> {
    if !cg.env.flags.foreign_keys || !is_involved(cg, found.db, found.table) {
        return Ok(());
    }
    Err(CompileError::not_supported("dropping tables with foreign keys"))
}

fn is_involved(cg: &Codegen<'_>, db: lithe_vm::operand::Db, table: &Table) -> bool {
    let refers = |other: &Table| other.foreign_keys.iter().any(|key| key.parent == table.name);
    !table.foreign_keys.is_empty() || cg.env.catalog.schema(db).tables().into_iter().any(|other| refers(other))
}
