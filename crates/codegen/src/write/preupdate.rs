//! Code that calls the pre-update hook before a row changes. It is omitted without a hook: setting the first hook of a connection
//! makes its programs stale.

use lithe_functions::RowOperation;
use lithe_vm::insn::{Insn, preupdate_flags};
use lithe_vm::operand::Reg;

use super::row::{self, Row};
use super::target::Target;
use crate::Codegen;

/// Calls the hook before the row is inserted.
pub(super) fn emit_insert<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, row: Row) {
    if cg.env.flags.preupdate_hook {
        row::emit_affinity(cg, target.table, row, |_| true);
        emit(cg, target, RowOperation::Insert, Reg::NONE, row.front());
    }
}

/// Calls the hook before the row under the table's cursor, whose key is in the registers from `key` on, becomes `row`.
pub(super) fn emit_update<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: Reg, row: Row) {
    if cg.env.flags.preupdate_hook {
        row::emit_affinity(cg, target.table, row, |_| true);
        if target.table.has_rowid() && row.front() != row.rowid {
            cg.b.emit(Insn::Copy { src: row.rowid, dst: row.front(), count: 1 });
        }
        emit(cg, target, RowOperation::Update, key, row.front());
    }
}

/// Calls the hook before the row under the table's cursor is deleted.
pub(super) fn emit_delete<'a>(cg: &mut Codegen<'a>, target: &Target<'a>) {
    if cg.env.flags.preupdate_hook {
        emit(cg, target, RowOperation::Delete, Reg::NONE, Reg::NONE);
    }
}

/// The columns follow the rowids; those of the old row are read from its record. The rowid's alias need not have a value.
fn emit<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, operation: RowOperation, old: Reg, new: Reg) {
    let (cursor, count) = (target.cursor, target.table.columns.len() as u16);
    let flags = match operation {
        RowOperation::Insert => 0,
        RowOperation::Update => preupdate_flags::READS_COLUMNS,
        // A DELETE in one pass has no key in registers.
        RowOperation::Delete => preupdate_flags::READS_COLUMNS | preupdate_flags::READS_ROWID,
    };
    cg.b.emit(Insn::PreUpdate { flags, operation: operation as i32 as u8, cursor, count, old, new });
}
