//! INSERT INTO … SELECT * FROM a table with the same definition: its records are inserted unchanged.
//!
//! A record that is decoded and encoded again has the same bytes if both tables define every column in the same way, and nothing
//! else reads the rows. Only the rowid differs, unless a column is its alias.

use lithe_catalog::Result;
use lithe_optimize::write::insert::RecordsPlan;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::Sequence;

use super::constraint::Checked;
use super::row::Row;
use super::target::Target;
use super::unique::{EmitUpdate, Uniqueness, emit_unique};
use crate::Codegen;

/// Emits the loop over the rows of the other table.
pub(super) fn emit<'a>(cg: &mut Codegen<'a>, plan: &RecordsPlan<'a>) -> Result<()> {
    if plan.changes_more_than_once {
        cg.journal.note_more_changes();
    }
    let mut target = Target::new(cg, &plan.table)?;
    target.open(cg)?;
    let target = &target;
    let from = cg.open_table(plan.from.0, plan.from.1)?;
    let row = Row::new(cg, target.table.columns.len());
    let record = cg.b.register();
    let (next, done) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::Rewind { cursor: from, target: done });
    let top = cg.b.here();
    let mut flags = insert_flags::COUNT_CHANGE | insert_flags::LAST_ROWID;
    if target.table.rowid_column.is_some() {
        cg.b.emit(Insn::Rowid { cursor: from, dst: row.rowid });
        let checked = Checked { target, row, ignore: next };
        let (unique, replaced) = (&plan.unique, plan.replaced.as_ref());
        let update: &EmitUpdate<'_, 'a> = &|_, _| unreachable!("an INSERT with ON CONFLICT clauses copies no records");
        let (affinity_waits, is_wrong) = (false, false);
        let unique = Uniqueness { checked, plan: unique, replaced, old_key: None, affinity_waits, is_wrong, update };
        let is_sought = cg.in_loop(|cg| emit_unique(cg, &unique))?.is_sought;
        flags |= if is_sought { insert_flags::USE_SEEK } else { 0 };
    } else {
        let cursor = target.cursor;
        cg.b.emit(Insn::NewRowid { cursor, dst: row.rowid, sequence: Sequence::NONE });
        flags |= insert_flags::APPEND;
    }
    cg.b.emit(Insn::RowData { cursor: from, dst: record });
    cg.b.emit(Insn::Insert { flags, cursor: target.cursor, rowid: row.rowid, record });
    cg.emit_row_count();
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor: from, target: top });
    cg.b.place(done);
    super::finish_statement(cg, None);
    Ok(())
}
