//! sqlite_sequence: the largest rowid that each AUTOINCREMENT table ever had.
//!
//! Every INSERT into such a table reads its row there and writes it again, so each is one instruction. The
//! application may have written anything there: names and numbers of any type, or no column at all.

use lithe_format::payload::Payload;
use lithe_value::{Affinity, Encoding, ValueRef};

use crate::arithmetic::cast_register;
use crate::cursor::VmCursor;
use crate::cursor::tree::TreeCursor;
use crate::error::Error;
use crate::fault::Fault;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{ConstId, CursorId, Reg};
use crate::program::Program;
use crate::record::RowValues;
use crate::register::Register;
use crate::write;

/// The columns.
const NAME: usize = 0;
const SEQ: usize = 1;
const COUNT: usize = 2;

/// Looks for the row of the table `name`: `rowid` = its rowid, NULL if there is none; `max` = its number, 0 if there is none.
#[inline(never)]
pub fn read(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    name: ConstId,
    [rowid, max]: [Reg; 2],
) -> Result<(), Fault> {
    let name = program.constants[name.0 as usize].as_ref();
    m.reg_mut(rowid).set_null();
    let mut number = Register::Null;
    let mut more = table(m, cursor)?.first()?;
    while more {
        let tree = table(m, cursor)?;
        if is_row_of(tree, name)? {
            let found = tree.place.cursor.rowid()?;
            read_number(tree, &mut number, host)?;
            m.reg_mut(rowid).set_integer(found);
            break;
        }
        more = tree.next()?;
        m.turn(host)?;
    }
    m.reg_mut(max).set_integer(number.integer());
    Ok(())
}

/// Whether the row under the cursor is that of the table `name`.
#[inline]
fn is_row_of(tree: &mut TreeCursor, name: ValueRef<'_>) -> Result<bool, Error> {
    tree.want_columns(COUNT);
    if let Some(found) = tree.value_quickly(NAME) {
        return Ok(found == name);
    }
    let mut found = Register::Null;
    tree.column(NAME, &mut found)?;
    Ok(found.as_ref() == name)
}

#[inline]
fn read_number(tree: &mut TreeCursor, number: &mut Register, host: &dyn Host) -> Result<(), Error> {
    if let Some(ValueRef::Integer(integer)) = tree.value_quickly(SEQ) {
        number.set_integer(integer);
        return Ok(());
    }
    tree.column(SEQ, number)?;
    cast_register(number, Affinity::Integer, host)
}

/// Writes `max` into the row of the table `name`, whose rowid `rowid` holds; NULL if there is none yet.
#[inline(never)]
pub fn write(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    name: ConstId,
    [rowid, max]: [Reg; 2],
) -> Result<(), Error> {
    if m.reg(rowid).is_null() {
        write::new_rowid(m, cursor, rowid, Reg::NONE)?;
    }
    let (rowid, max) = (m.reg(rowid).integer(), m.reg(max).integer());
    let values = [program.constants[name.0 as usize].as_ref(), ValueRef::Integer(max)];
    let Machine { cursors, builder, .. } = m;
    let VmCursor::Tree(tree) = cursors[usize::from(cursor.0)].settled()? else { return Err(write::not_writable()) };
    if tree.encoding() == Encoding::Utf8 {
        write::insert_payload(tree, rowid, &Payload::from_bytes(builder.build(&values)), 0)?;
    } else {
        write::insert_values(tree, builder, rowid, &RowValues { values: values.to_vec(), zeros: 0 }, 0)?;
    }
    write::inserted(m, program.cursor(cursor), host, 0, rowid);
    Ok(())
}

fn table(m: &mut Machine, cursor: CursorId) -> Result<&mut TreeCursor, Error> {
    match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => Ok(tree),
        _ => Err(write::not_writable()),
    }
}
