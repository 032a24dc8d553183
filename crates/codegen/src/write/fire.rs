//! Running the triggers of a table.

use lithe_catalog::{FoundTrigger, Result};
use lithe_optimize::write::triggers::Triggers;
use lithe_sql::ast::TriggerTime;
use lithe_vm::insn::Insn;

use super::row::RowChange;
use super::trigger::{BodySource, subprogram};
use crate::Codegen;

/// Compiles all triggers, whatever their time, before code fires any. If several cannot be resolved, SQLite reports the first in
/// this order, because it looks up the columns of OLD that they read.
pub(super) fn compile<'a>(cg: &mut Codegen<'a>, triggers: &Triggers<'a>, change: &RowChange<'_, 'a>) -> Result<()> {
    for trigger in triggers.all() {
        subprogram(cg, change, BodySource::of(cg, trigger))?;
    }
    Ok(())
}

/// Runs the triggers before the change.
pub(super) fn before<'a>(cg: &mut Codegen<'a>, triggers: &Triggers<'a>, change: &RowChange<'_, 'a>) -> Result<()> {
    triggers.at(TriggerTime::Before).try_for_each(|trigger| fire(cg, trigger, change))
}

/// Runs the triggers after the change. The row of RETURNING is computed after the temporary triggers of another database's table
/// have run, and before the table's own triggers.
pub(super) fn after<'a>(
    cg: &mut Codegen<'a>,
    triggers: &Triggers<'a>,
    change: &RowChange<'_, 'a>,
    returning: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
) -> Result<()> {
    if triggers.is_empty() {
        return returning(cg);
    }
    let after = || triggers.at(TriggerTime::After);
    let is_own = |trigger: &FoundTrigger<'a>| trigger.db == change.target.db;
    after().filter(|trigger| !is_own(trigger)).try_for_each(|trigger| fire(cg, trigger, change))?;
    returning(cg)?;
    after().filter(is_own).try_for_each(|trigger| fire(cg, trigger, change))
}

/// Runs the triggers instead of the change.
pub(super) fn instead<'a>(cg: &mut Codegen<'a>, triggers: &Triggers<'a>, change: &RowChange<'_, 'a>) -> Result<()> {
    triggers.at(TriggerTime::InsteadOf).try_for_each(|trigger| fire(cg, trigger, change))
}

fn fire<'a>(cg: &mut Codegen<'a>, trigger: FoundTrigger<'a>, change: &RowChange<'_, 'a>) -> Result<()> {
    let program = subprogram(cg, change, BodySource::of(cg, trigger))?;
    let recursive = u8::from(cg.env.flags.recursive_triggers);
    cg.b.emit(Insn::Subprogram { recursive, program, ignore: change.ignore });
    Ok(())
}
