//! Foreign keys: counting violations, and what happens to children.
//!
//! A violation is not an error when it arises: a counter goes up, and down again when something mends it; the statement (or,
//! for a deferred key, the transaction) must end with the counter at zero.
//!
//! ```text
//!   a child row comes     its parent is missing       +1        child
//!   a child row goes      its parent is missing       -1
//!   a parent row goes     for each of its children    +1        parent
//!   a parent row comes    for each of its children    -1
//! ```
//!
//! ON DELETE and ON UPDATE are triggers that the foreign key brings (`action`): CASCADE deletes the children after the
//! parent, which takes back what their violation has added.

mod action;
mod child;
mod parent;

use lithe_catalog::Result;
use lithe_optimize::write::foreign_keys::ForeignKeys;

use super::row::{Row, RowChange};
use super::target::Target;
use crate::Codegen;
pub(super) use child::quoted;

/// The row `old` is about to go.
pub(super) fn check_old<'a>(cg: &mut Codegen<'a>, keys: &ForeignKeys<'a>, target: &Target<'a>, old: Row) -> Result<()> {
    for key in &keys.of_child {
        child::emit_check(cg, key, target, old, -1)?;
    }
    for key in &keys.orphaned {
        child::emit_orphan_goes(cg, target, key, old);
    }
    for reference in &keys.to_parent {
        parent::emit_check(cg, reference, target, old, 1)?;
    }
    Ok(())
}

/// The row `new` is about to come.
pub(super) fn check_new<'a>(cg: &mut Codegen<'a>, keys: &ForeignKeys<'a>, target: &Target<'a>, new: Row) -> Result<()> {
    for key in &keys.of_child {
        child::emit_check(cg, key, target, new, 1)?;
    }
    for reference in &keys.to_parent {
        parent::emit_check(cg, reference, target, new, -1)?;
    }
    Ok(())
}

/// The row has gone, or become another one: what ON DELETE and ON UPDATE say.
pub(super) fn act<'a>(cg: &mut Codegen<'a>, keys: &ForeignKeys<'a>, change: &RowChange<'_, 'a>) -> Result<()> {
    keys.to_parent.iter().try_for_each(|reference| action::emit(cg, reference, change))
}
