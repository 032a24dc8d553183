//! Telling the pre-update hook of a row that is about to change.

use lithe_functions::{RowChange, RowOperation};
use lithe_value::ValueRef;

use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{CursorId, Reg};
use crate::program::Program;
use crate::register::Register;

/// Where the rows are: registers of a rowid and of the columns behind it.
#[derive(Clone, Copy)]
pub struct Rows {
    /// The row as it is; NONE before an INSERT.
    pub old: Reg,
    /// The row as it will be; NONE before a DELETE.
    pub new: Reg,
    /// How many columns there are.
    pub count: usize,
}

/// Tells the hook. The machine stands still meanwhile, because the hook may use the connection.
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
    m.stand_still();
    let (old_values, new_values) = (values(m, rows.old, rows.count), values(m, rows.new, rows.count));
    let rowid = |row: Reg| if table.without_rowid { 0 } else { m.reg(row).integer() };
    let (one, other) = if rows.old == Reg::NONE { (rows.new, rows.old) } else { (rows.old, rows.new) };
    let old_rowid = rowid(one);
    host.pre_update(&RowChange {
        operation,
        database: &table.database,
        table: &table.name,
        old_rowid,
        new_rowid: if other == Reg::NONE { old_rowid } else { rowid(other) },
        is_without_rowid: table.without_rowid,
        old_values: old_values.as_deref(),
        new_values: new_values.as_deref(),
        computed: &table.computed,
        column_count: rows.count,
        depth,
        blob_column: None,
    });
    m.go_on();
}

fn values(m: &Machine, row: Reg, count: usize) -> Option<Vec<ValueRef<'_>>> {
    if row == Reg::NONE {
        return None;
    }
    let first = row.0 as usize + 1;
    Some(m.registers[first..first + count].iter().map(Register::as_ref).collect())
}
