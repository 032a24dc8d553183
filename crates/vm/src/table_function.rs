//! Table-valued functions: the host computes their rows.

use lithe_value::ValueRef;

use crate::cursor::VmCursor;
use crate::cursor::rows::RowsCursor;
use crate::error::Error;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{CursorId, Reg, TextId};
use crate::program::Program;

/// Opens a cursor on the rows of the function `name`. The register `start` has a bit for each argument that is given;
/// the arguments follow it. False if there is no row.
#[inline(never)]
pub fn filter(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    name: TextId,
    start: Reg,
) -> Result<bool, Error> {
    m.suspend();
    let given = m.reg(start).integer() as u32;
    let count = (u32::BITS - given.leading_zeros()) as usize;
    let registers = m.regs(start.at(1), count);
    let arguments: Vec<Option<ValueRef<'_>>> = registers
        .iter()
        .enumerate()
        .map(|(at, register)| (given & (1 << at) != 0).then(|| register.as_ref()))
        .collect();
    let rows = host.table_rows(&program.texts[name.0 as usize], &arguments, program.columns_read_of(cursor));
    m.resume();
    let rows = rows?;
    let is_empty = rows.rows.is_empty();
    *m.cursor(cursor) = VmCursor::Rows(Box::new(RowsCursor::new(rows)));
    Ok(!is_empty)
}
