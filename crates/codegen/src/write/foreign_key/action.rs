//! ON DELETE and ON UPDATE: the program of a trigger on the parent, which `optimize` makes from the key.

use lithe_catalog::Result;
use lithe_optimize::write::foreign_keys::ParentReference;
use lithe_sql::ast::{Conflict, ForeignKeyAction};
use lithe_vm::insn::Insn;

use crate::Codegen;
use crate::write::row::RowChange;
use crate::write::trigger::{BodySource, subprogram};

/// Distinguishes the tokens of foreign keys from those of triggers.
const FOREIGN_KEY_BIT: u64 = 1 << 55;

/// Runs the action for one parent row.
pub(super) fn emit<'a>(
    cg: &mut Codegen<'a>,
    reference: &ParentReference<'a>,
    change: &RowChange<'_, 'a>,
) -> Result<()> {
    let is_update = change.new.is_some();
    let Some(text) = reference.action_text(cg.env, change.target.table, is_update) else { return Ok(()) };
    let token = u64::from(reference.db.0) << 56 | FOREIGN_KEY_BIT | reference.number << 4 | u64::from(is_update);
    let text = cg.arena.alloc_slice_copy(text.as_bytes());
    let set_null = (reference.action() == ForeignKeyAction::SetNull).then_some(reference.key);
    let source = BodySource { text, name: String::new(), token, db: reference.db, set_null };
    cg.journal.note_more_changes();
    let change = RowChange { policy: Some(Conflict::Abort), ..*change };
    let program = subprogram(cg, &change, source)?;
    cg.b.emit(Insn::Subprogram { recursive: 1, program, ignore: change.ignore });
    Ok(())
}
