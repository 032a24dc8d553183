//! Foreign keys: counting violations, and the actions on children.
//!
//! A violation is no error at first: it increments a counter, which a later change may decrement again. The statement (or, for a
//! deferred key, the transaction) must end with the counter at zero.
//!
//! ```text
//!   insert a child row      its parent is missing       +1        child
//!   delete a child row      its parent is missing       -1
//!   delete a parent row     for each of its children    +1        parent
//!   insert a parent row     for each of its children    -1
//! ```
//!
//! ON DELETE and ON UPDATE are triggers made for the foreign key (`action`): CASCADE deletes the children after the parent, which
//! decrements the counter for each of them.
//!
//! `optimize` says which keys are concerned, how children are found, and what the actions are; here their code is made.

mod action;
mod child;
mod parent;

use lithe_catalog::Result;
use lithe_optimize::write::foreign_keys::ForeignKeys;

use super::row::{Row, RowChange};
use super::target::Target;
use crate::Codegen;

/// Counts the violations before the row `old` is deleted.
pub(super) fn check_old<'a>(cg: &mut Codegen<'a>, keys: &ForeignKeys<'a>, target: &Target<'a>, old: Row) -> Result<()> {
    for key in &keys.of_child {
        child::emit_check(cg, key, target, old, -1)?;
    }
    for key in &keys.orphaned {
        child::emit_orphan_deleted(cg, target, key, old);
    }
    for reference in &keys.to_parent {
        parent::emit_check(cg, reference, target, old, 1)?;
    }
    Ok(())
}

/// Counts the violations before the row `new` is inserted.
pub(super) fn check_new<'a>(cg: &mut Codegen<'a>, keys: &ForeignKeys<'a>, target: &Target<'a>, new: Row) -> Result<()> {
    for key in &keys.of_child {
        child::emit_check(cg, key, target, new, 1)?;
    }
    for reference in &keys.to_parent {
        parent::emit_check(cg, reference, target, new, -1)?;
    }
    Ok(())
}

/// Runs ON DELETE and ON UPDATE, after the row was deleted or changed.
pub(super) fn act<'a>(cg: &mut Codegen<'a>, keys: &ForeignKeys<'a>, change: &RowChange<'_, 'a>) -> Result<()> {
    keys.to_parent.iter().try_for_each(|reference| action::emit(cg, reference, change))
}
