//! Calling the pre-update hook before a row changes.
//!
//! ```text
//!   page: record ──copy──► scratch ──► values before the change ─┐
//!   registers ───────────────────────► values after it ──────────┴──► hook
//! ```
//!
//! The record of the old row is copied, because the hook may use the connection, and values are read from it without registers in between.

use lithe_format::record::{PADDING, Values};
use lithe_functions::{RowChange, RowOperation};
use lithe_value::ValueRef;

use crate::cursor::VmCursor;
use crate::error::Error;
use crate::host::Host;
use crate::insn::preupdate_flags;
use crate::machine::Machine;
use crate::operand::{CursorId, Reg};
use crate::program::{Program, TableMetadata};
use crate::record::stored_real;
use crate::register::Register;

/// The rows: the register of a rowid, with those of the columns after it.
#[derive(Clone, Copy)]
pub struct Rows {
    /// What of the old row is under the cursor instead.
    pub flags: u8,
    /// The row as it is; NONE before an INSERT.
    pub old: Reg,
    /// The row as it will be; NONE before a DELETE.
    pub new: Reg,
    /// How many columns there are.
    pub count: usize,
}

/// So many values are collected on the stack.
const FEW_VALUES: usize = 16;

impl Rows {
    fn old_count(self, operation: RowOperation) -> usize {
        if operation == RowOperation::Insert { 0 } else { self.count }
    }

    fn new_count(self, operation: RowOperation) -> usize {
        if operation == RowOperation::Delete { 0 } else { self.count }
    }

    fn reads_columns(self) -> bool {
        self.flags & preupdate_flags::READS_COLUMNS != 0
    }
}

/// Calls the hook. The machine is paused meanwhile, because the hook may use the connection.
#[inline(never)]
pub fn tell(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    operation: u8,
    cursor: CursorId,
    rows: Rows,
    depth: usize,
) -> Result<(), Error> {
    let Some(table) = &program.cursor(cursor).table else { return Ok(()) };
    let Some(operation) = RowOperation::from_number(i32::from(operation)) else { return Ok(()) };
    let mut record = std::mem::take(&mut m.scratch.record);
    let (old_rowid, new_rowid) = if table.without_rowid { (0, 0) } else { rowids(m, cursor, rows)? };
    let (old_count, new_count) = (rows.old_count(operation), rows.new_count(operation));
    debug_assert!(
        new_count == 0 || rows.new.0 as usize + new_count < m.registers.len(),
        "a register for the rowid and each new value"
    );
    // The values before the change, followed by those after it.
    let (mut few, mut many) = ([ValueRef::Null; FEW_VALUES], Vec::new());
    let values = match few.get_mut(..old_count + new_count) {
        Some(values) => values,
        None => {
            many.try_reserve_exact(old_count + new_count)?;
            many.resize(old_count + new_count, ValueRef::Null);
            many.as_mut_slice()
        }
    };
    let (old, new) = values.split_at_mut(old_count);
    if rows.reads_columns() {
        copy_record(m, cursor, &mut record)?;
        set_old_values(&record, table, old)?;
    }
    m.suspend();
    let registers = &m.registers;
    if !rows.reads_columns() {
        set_values(registers, rows.old, old);
    }
    set_values(registers, rows.new, new);
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
        old_values: (operation != RowOperation::Insert).then_some(&*old),
        new_values: (operation != RowOperation::Delete).then_some(&*new),
        computed: &table.computed,
        column_count: rows.count,
        depth,
        blob_column: None,
    });
    m.scratch.record = record;
    m.resume();
    Ok(())
}

/// Makes `copy` the record under a cursor, with texts in UTF-8, and mostly with padding behind it. It is a record of no columns if there is none.
fn copy_record(m: &mut Machine, cursor: CursorId, copy: &mut Vec<u8>) -> Result<(), Error> {
    copy.clear();
    let mut fill = |record: &[u8]| {
        copy.try_reserve(record.len() + PADDING)?;
        copy.extend_from_slice(record);
        Ok(())
    };
    let VmCursor::Tree(tree) = m.cursor(cursor) else { return Ok(()) };
    if let Some(record) = tree.padded_record() {
        return fill(record);
    }
    let mut record = Register::Null;
    tree.record(&mut record)?;
    record.as_ref().bytes().map_or(Ok(()), fill)?;
    copy.resize(copy.len() + PADDING, 0);
    Ok(())
}

/// Sets the columns that a record has; NULL stays in the place of generated columns that are not stored. A default that the record lacks is told as
/// it would be stored: in a REAL column, an integer.
fn set_old_values<'r>(record: &'r [u8], table: &'r TableMetadata, values: &mut [ValueRef<'r>]) -> Result<(), Error> {
    let mut stored = Values::new(record)?;
    if table.stored.is_empty() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = told(stored.next_value()?, table, column, column);
        }
        return Ok(());
    }
    for (place, column) in table.stored.iter().map(|column| usize::from(*column)).enumerate() {
        let value = told(stored.next_value()?, table, place, column);
        if let Some(place) = values.get_mut(column) {
            *place = value;
        }
    }
    Ok(())
}

/// What is told of a column, which the record has at its place, or lacks.
#[inline(always)]
fn told<'r>(stored: Option<ValueRef<'r>>, table: &'r TableMetadata, place: usize, column: usize) -> ValueRef<'r> {
    match stored {
        Some(ValueRef::Integer(integer)) if is_among(&table.reals, column) => ValueRef::Real(integer as f64),
        Some(value) => value,
        None => default_of(table, place, column),
    }
}

/// What is told of a column that the record lacks at its place.
#[cold]
fn default_of(table: &TableMetadata, place: usize, column: usize) -> ValueRef<'_> {
    match table.defaults.get(place).map_or(ValueRef::Null, |default| default.as_ref()) {
        ValueRef::Real(real) if is_among(&table.reals, column) => stored_real(real),
        default => default,
    }
}

/// Whether a column is one of these.
#[inline]
fn is_among(positions: &[u16], column: usize) -> bool {
    positions.iter().any(|at| usize::from(*at) == column)
}

/// The rowids before and after the change; the same where there is only one row.
fn rowids(m: &mut Machine, cursor: CursorId, rows: Rows) -> Result<(i64, i64), Error> {
    if rows.flags & preupdate_flags::READS_ROWID != 0 {
        let VmCursor::Tree(tree) = m.cursor(cursor) else { return Ok((0, 0)) };
        let rowid = tree.rowid()?.unwrap_or(0);
        return Ok((rowid, rowid));
    }
    let rowid = |row: Reg| m.reg(row).integer();
    Ok(match (rows.old, rows.new) {
        (Reg::NONE, new) => (rowid(new), rowid(new)),
        (old, Reg::NONE) => (rowid(old), rowid(old)),
        (old, new) => (rowid(old), rowid(new)),
    })
}

/// Sets the columns that follow the register of a rowid.
fn set_values<'r>(registers: &'r [Register], row: Reg, values: &mut [ValueRef<'r>]) {
    if values.is_empty() {
        return;
    }
    for (value, register) in values.iter_mut().zip(&registers[row.0 as usize + 1..]) {
        *value = register.as_ref();
    }
}
