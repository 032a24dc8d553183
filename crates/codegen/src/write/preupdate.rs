//! Code that calls the pre-update hook before a row changes. It is omitted without a hook: setting the first hook of a connection
//! makes its programs stale.

use lithe_catalog::Result;
use lithe_functions::RowOperation;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Reg;

use super::row::{self, Row};
use super::target::Target;
use crate::{Codegen, ColumnAccess};

/// Calls the hook before the row is inserted.
pub(super) fn emit_insert<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, row: Row) {
    if cg.env.flags.preupdate_hook {
        row::emit_affinity(cg, target.table, row, |_| true);
        emit(cg, target, RowOperation::Insert, Reg::NONE, row.front());
    }
}

/// Calls the hook before the row under the table's cursor, whose key is in the registers from `key` on, becomes `row`.
pub(super) fn emit_update<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: Reg, row: Row) -> Result<()> {
    if cg.env.flags.preupdate_hook {
        let old = emit_old_row(cg, target, key)?;
        row::emit_affinity(cg, target.table, row, |_| true);
        if target.table.has_rowid() && row.front() != row.rowid {
            cg.b.emit(Insn::Copy { src: row.rowid, dst: row.front(), count: 1 });
        }
        emit(cg, target, RowOperation::Update, old.rowid, row.front());
    }
    Ok(())
}

/// Calls the hook before the row under the table's cursor is deleted.
pub(super) fn emit_delete<'a>(cg: &mut Codegen<'a>, target: &Target<'a>) -> Result<()> {
    if !cg.env.flags.preupdate_hook {
        return Ok(());
    }
    // A DELETE in one pass has no key in registers.
    let key = cg.b.registers(target.key_width());
    target.emit_key(cg, key)?;
    let old = emit_old_row(cg, target, key)?;
    emit(cg, target, RowOperation::Delete, old.rowid, Reg::NONE);
    Ok(())
}

/// The columns follow the rowids. The rowid's alias need not have a value.
fn emit<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, operation: RowOperation, old: Reg, new: Reg) {
    let (cursor, count) = (target.cursor, target.table.columns.len() as u16);
    cg.b.emit(Insn::PreUpdate { operation: operation as i32 as u8, cursor, count, old, new });
}

/// The columns that the row under the table's cursor stores. The hook does not get generated columns that are not stored.
fn emit_old_row<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: Reg) -> Result<Row> {
    let table = target.table;
    let row = Row::new(cg, table.columns.len());
    if table.has_rowid() {
        cg.b.emit(Insn::Copy { src: key, dst: row.rowid, count: 1 });
    }
    let access = ColumnAccess::Table { cursor: target.cursor, table };
    let before = cg.set_access(target.source, access);
    for (at, column) in table.columns.iter().enumerate() {
        let at = at as u16;
        if column.is_stored() && table.rowid_column != Some(at) {
            let value = cg.resolver.table_column(target.source, table, at);
            cg.emit_into(&value, row.column(at))?;
        }
    }
    if let Some(before) = before {
        cg.set_access(target.source, before);
    }
    Ok(row)
}
