//! Reading the row under a cursor.

use std::cmp::Ordering;

use lithe_value::ValueRef;
use lithe_value::bytes::compare_bytes;
use lithe_value::compare::{compare_integer_real, compare_reals};
use lithe_vfs::ResultCode;

use crate::boxed_error::BoxedError;
use crate::compare;
use crate::cursor::VmCursor;
use crate::error::Error;
use crate::machine::Machine;
use crate::operand::{CollationId, CompareFlags, CursorId, Extent, Reg};
use crate::program::Program;
use crate::register::{BytesKind, Register};

/// Reads a column on a path that the main loop does not handle itself.
#[inline(never)]
pub fn column(m: &mut Machine, program: &Program, cursor: CursorId, column: u16, dst: Reg) -> Result<(), BoxedError> {
    let register = &mut m.registers[dst.0 as usize];
    if let VmCursor::Sorter(sorter) = &mut m.cursors[usize::from(cursor.0)]
        && let Some(value) = sorter.value_in_place(usize::from(column))
    {
        register.reserve(value.bytes().map_or(0, <[u8]>::len)).map_err(Error::from)?;
        register.set(value);
        return Ok(());
    }
    if !m.cursors[usize::from(cursor.0)].column(usize::from(column), register)? {
        missing(m, program, cursor, column, dst);
    }
    Ok(())
}

/// Reads as much of a column as `extent` says, on a path that the main loop does not handle itself.
#[inline(never)]
pub fn extent(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    number: u16,
    extent: Extent,
    dst: Reg,
) -> Result<(), BoxedError> {
    if let VmCursor::Tree(tree) = &mut m.cursors[usize::from(cursor.0)]
        && tree.column_extent(usize::from(number), extent, &mut m.registers[dst.0 as usize])?
    {
        return Ok(());
    }
    column(m, program, cursor, number, dst)
}

/// Reads a column with REAL affinity on a path that the main loop does not handle itself.
#[inline(never)]
pub fn real_column(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    number: u16,
    dst: Reg,
) -> Result<(), BoxedError> {
    column(m, program, cursor, number, dst)?;
    if let Register::Integer(integer) = *m.reg(dst) {
        m.reg_mut(dst).set_real(integer as f64);
    }
    Ok(())
}

/// The order of a column and a register, if both are numbers, or both texts under BINARY, and the column can be read in place.
/// `None`: the caller must use [`compare`].
#[inline(never)]
pub fn order_in_place(m: &Machine, operands: ColumnCompare) -> Option<Ordering> {
    let ColumnCompare { flags, collation, cursor, column, rhs } = operands;
    let VmCursor::Tree(tree) = &m.cursors[usize::from(cursor.0)] else {
        return None;
    };
    let (lhs, rhs) = (tree.value_in_place(usize::from(column))?, m.reg(rhs));
    let lhs = match lhs {
        ValueRef::Integer(lhs) if flags.0 & CompareFlags::REAL_COLUMN != 0 => ValueRef::Real(lhs as f64),
        lhs => lhs,
    };
    match (lhs, rhs) {
        (ValueRef::Integer(lhs), Register::Integer(rhs)) => Some(lhs.cmp(rhs)),
        (ValueRef::Real(lhs), Register::Real(rhs)) => Some(compare_reals(lhs, *rhs)),
        (ValueRef::Real(lhs), Register::Integer(rhs)) => Some(compare_integer_real(*rhs, lhs).reverse()),
        (ValueRef::Text(lhs), rhs) if collation == CollationId::BINARY && compare::keeps_texts(flags) => {
            let ValueRef::Text(rhs) = rhs.usual_ref() else { return None };
            Some(compare_bytes(lhs, rhs))
        }
        _ => None,
    }
}

/// Calls `f` with a column of any cursor.
pub fn with_column<T>(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    number: u16,
    f: impl FnOnce(&mut Machine, &Register) -> T,
) -> Result<T, BoxedError> {
    let between = Reg(program.register_count);
    column(m, program, cursor, number, between)?;
    let value = std::mem::take(m.reg_mut(between));
    let result = f(m, &value);
    *m.reg_mut(between) = value;
    Ok(result)
}

/// Whether the comparison of a column with a register passes `test`.
#[inline(never)]
pub fn compare(
    m: &mut Machine,
    program: &Program,
    operands: ColumnCompare,
    test: fn(Ordering) -> bool,
) -> Result<bool, BoxedError> {
    let ColumnCompare { flags, collation, cursor, column, rhs } = operands;
    if let VmCursor::Tree(tree) = m.cursor(cursor)
        && tree.begin_row(usize::from(column))?
        && let Some(order) = order_in_place(m, operands)
    {
        return Ok(test(order));
    }
    let collation = program.collation(collation);
    if flags.0 & CompareFlags::REAL_COLUMN != 0 {
        return with_column(m, program, cursor, column, |m, value| {
            let mut real = Register::Null;
            let value = match *value {
                Register::Integer(integer) => {
                    real.set_real(integer as f64);
                    &real
                }
                _ => value,
            };
            compare::jumps(value, m.reg(rhs), flags, collation, test)
        });
    }
    let rhs_register = &m.registers[rhs.0 as usize];
    let value_jumps = |value: ValueRef<'_>| match (value, rhs_register) {
        (ValueRef::Integer(lhs), Register::Integer(rhs)) => Some(test(lhs.cmp(rhs))),
        (ValueRef::Null, _) => None,
        _ => compare::value_jumps(value, rhs_register, flags, collation, test),
    };
    let jumps = match &mut m.cursors[usize::from(cursor.0)] {
        VmCursor::Ephemeral(ephemeral) => ephemeral.with_value_in_place(usize::from(column), value_jumps),
        other => other.value_in_place(usize::from(column)).and_then(value_jumps),
    };
    if let Some(jumps) = jumps {
        return Ok(jumps);
    }
    with_column(m, program, cursor, column, |m, value| compare::jumps(value, m.reg(rhs), flags, collation, test))
}

/// The operands of a comparison of a column and a register.
#[derive(Clone, Copy)]
pub struct ColumnCompare {
    /// How affinity and NULL are treated.
    pub flags: CompareFlags,
    /// How texts compare.
    pub collation: CollationId,
    /// The cursor that reads the column.
    pub cursor: CursorId,
    /// The number of the column.
    pub column: u16,
    /// The right operand.
    pub rhs: Reg,
}

/// Whether a column is NULL.
#[inline(never)]
pub fn is_null(m: &mut Machine, program: &Program, cursor: CursorId, column: u16) -> Result<bool, BoxedError> {
    if let VmCursor::Tree(tree) = m.cursor(cursor) {
        if let Some(is_null) = tree.is_null_in_place(usize::from(column)) {
            return Ok(is_null);
        }
        if let Some(is_null) = tree.is_null(usize::from(column))? {
            return Ok(is_null);
        }
    }
    with_column(m, program, cursor, column, |_, value| value.is_null())
}

/// Reads a column that the record lacks, because it was written before the column was added to the table: its default.
#[cold]
pub fn missing(m: &mut Machine, program: &Program, cursor: CursorId, column: u16, dst: Reg) {
    let table = program.cursor(cursor).table.as_ref();
    match table.and_then(|table| table.defaults.get(usize::from(column))) {
        Some(default) => m.reg_mut(dst).set(default.as_ref()),
        None => m.reg_mut(dst).set_null(),
    }
}

/// Reads several columns in a row.
#[inline(never)]
pub fn columns(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    column: u16,
    dst: Reg,
    count: u32,
) -> Result<(), BoxedError> {
    debug_assert!(
        count > 0 && dst.0 as usize + count as usize <= m.registers.len(),
        "there is a register for each column"
    );
    if let VmCursor::Tree(tree) = m.cursor(cursor) {
        tree.want_columns(usize::from(column) + count as usize);
    }
    for i in 0..count {
        let (number, dst) = (column + i as u16, Reg(dst.0 + i));
        let is_done = match &mut m.cursors[usize::from(cursor.0)] {
            VmCursor::Tree(tree) => tree.column_in_place(usize::from(number), &mut m.registers[dst.0 as usize]),
            _ => false,
        };
        if !is_done {
            self::column(m, program, cursor, number, dst)?;
        }
    }
    Ok(())
}

/// The rowid of a table's row, NULL on a null row.
#[inline(never)]
pub fn rowid(m: &mut Machine, cursor: CursorId, dst: Reg) -> Result<(), Error> {
    if let VmCursor::Tree(tree) = m.cursor(cursor)
        && let Some(rowid) = tree.leaf_rowid().or_else(|| tree.current_rowid())
    {
        m.reg_mut(dst).set_integer(rowid);
        return Ok(());
    }
    any_rowid(m, cursor, dst)
}

#[inline(never)]
fn any_rowid(m: &mut Machine, cursor: CursorId, dst: Reg) -> Result<(), Error> {
    let rowid = match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => tree.rowid()?,
        VmCursor::Ephemeral(ephemeral) => ephemeral.rowid(),
        VmCursor::Rows(rows) => rows.rowid(),
        VmCursor::Scan(scan) => scan.rowid()?,
        _ => None,
    };
    match rowid {
        Some(rowid) => m.reg_mut(dst).set_integer(rowid),
        None => m.reg_mut(dst).set_null(),
    }
    Ok(())
}

/// The rowid that ends an index entry, NULL on a null row.
#[inline(never)]
pub fn index_rowid(m: &mut Machine, cursor: CursorId, dst: Reg) -> Result<(), Error> {
    let rowid = crate::seek::entry_rowid(m.cursor(cursor))?;
    match rowid {
        Some(rowid) => m.reg_mut(dst).set_integer(rowid),
        None => m.reg_mut(dst).set_null(),
    }
    Ok(())
}

/// The whole record, as a blob.
#[inline(never)]
pub fn row_data(m: &mut Machine, cursor: CursorId, dst: Reg) -> Result<(), Error> {
    let register = &mut m.registers[dst.0 as usize];
    let copy = |record: &[u8], register: &mut Register| register.set_bytes(BytesKind::Blob, record);
    match m.cursors[usize::from(cursor.0)].settled()? {
        VmCursor::Tree(tree) => return tree.record(register),
        VmCursor::Ephemeral(ephemeral) => ephemeral.with_record(|record| copy(record, register)),
        VmCursor::Sorter(sorter) => sorter.sorter.row().map(|record| copy(record.bytes(), register)),
        VmCursor::Hash(_) | VmCursor::Rows(_) | VmCursor::Scan(_) | VmCursor::Groups(_) | VmCursor::Closed(_) => None,
    }
    .ok_or_else(|| Error::new(ResultCode::INTERNAL, "no record under the cursor"))
}

/// A number that grows by one with each use.
#[inline(never)]
pub fn sequence(m: &mut Machine, cursor: CursorId, dst: Reg) -> Result<(), Error> {
    let counter = match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => &mut tree.inner.sequence,
        VmCursor::Ephemeral(ephemeral) => &mut ephemeral.sequence,
        VmCursor::Sorter(sorter) => &mut sorter.sequence,
        VmCursor::Hash(_) | VmCursor::Rows(_) | VmCursor::Scan(_) | VmCursor::Groups(_) | VmCursor::Closed(_) => {
            return Err(Error::new(ResultCode::INTERNAL, "a sequence on a cursor that has none"));
        }
    };
    let next = *counter;
    *counter += 1;
    m.reg_mut(dst).set_integer(next);
    Ok(())
}

/// The number of rows.
#[inline(never)]
pub fn count(m: &mut Machine, cursor: CursorId, dst: Reg) -> Result<(), Error> {
    let count = match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => {
            tree.forget_row();
            tree.inner.cursor.count(&tree.btree)?
        }
        VmCursor::Ephemeral(ephemeral) => ephemeral.count()?,
        _ => 0,
    };
    m.reg_mut(dst).set_integer(count as i64);
    Ok(())
}
