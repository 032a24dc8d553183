//! Calling the pre-update hook before a row changes.

use lithe_functions::{RowChange, RowOperation};
use lithe_value::ValueRef;

use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{CursorId, Reg};
use crate::program::Program;
use crate::register::Register;

/// The registers of the rows: that of a rowid, with those of the columns after it.
#[derive(Clone, Copy)]
pub struct Rows {
    /// The row as it is; NONE before an INSERT.
    pub old: Reg,
    /// The row as it will be; NONE before a DELETE.
    pub new: Reg,
    /// How many columns there are.
    pub count: usize,
}

/// Calls the hook. The machine is paused meanwhile, because the hook may use the connection.
#[cold]
pub fn tell(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    operation: u8,
    cursor: CursorId,
    rows: Rows,
    depth: usize,
) {
    let Some(table) = &program.cursor(cursor).table else { return };
    let Some(operation) = RowOperation::from_number(i32::from(operation)) else { return };
    m.suspend();
    let (old_rowid, new_rowid) = match table.without_rowid {
        true => (0, 0),
        false => rowids(m, rows),
    };
    let Machine { registers, scratch, .. } = m;
    // The values before the change, followed by those after it.
    let mut values = scratch.values(columns(registers, rows.old, rows.count));
    let old_count = values.len();
    values.extend(columns(registers, rows.new, rows.count).iter().map(Register::as_ref));
    let (old, new) = values.split_at_mut(old_count);
    // The register of the rowid's alias is NULL, as in the record.
    for (row, rowid) in [(&mut *old, old_rowid), (&mut *new, new_rowid)] {
        if let Some(value) = table.rowid_column.and_then(|at| row.get_mut(usize::from(at))) {
            *value = ValueRef::Integer(rowid);
        }
    }
    host.pre_update(&RowChange {
        operation,
        database: &table.database,
        table: &table.name,
        old_rowid,
        new_rowid,
        is_without_rowid: table.without_rowid,
        old_values: (rows.old != Reg::NONE).then_some(&*old),
        new_values: (rows.new != Reg::NONE).then_some(&*new),
        computed: &table.computed,
        column_count: rows.count,
        depth,
        blob_column: None,
    });
    scratch.give_back(values);
    m.resume();
}

/// The rowids before and after the change; the same where there is only one row.
fn rowids(m: &Machine, rows: Rows) -> (i64, i64) {
    let rowid = |row: Reg| m.reg(row).integer();
    match (rows.old, rows.new) {
        (Reg::NONE, new) => (rowid(new), rowid(new)),
        (old, Reg::NONE) => (rowid(old), rowid(old)),
        (old, new) => (rowid(old), rowid(new)),
    }
}

fn columns(registers: &[Register], row: Reg, count: usize) -> &[Register] {
    if row == Reg::NONE { &[] } else { &registers[row.0 as usize + 1..][..count] }
}
