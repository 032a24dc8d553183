//! sqlite_sequence: the largest rowid that each AUTOINCREMENT table ever had.
//!
//! Every statement that inserts into such a table, itself or by a trigger, reads the table's row when it begins and writes it
//! when it ends, so each is one instruction. The application may have written anything there: names and numbers of any type, or
//! no column at all.

use lithe_btree::Seek;
use lithe_format::payload::Payload;
use lithe_format::serial_type::{SchemaFormat, SerialType};
use lithe_value::{Affinity, Encoding, ValueRef};

use crate::arithmetic::cast_register;
use crate::boxed_error::BoxedError;
use crate::cursor::VmCursor;
use crate::error::Error;
use crate::host::Host;
use crate::machine::{Machine, SequenceState};
use crate::operand::{ConstId, CursorId, Reg, Sequence};
use crate::program::Program;
use crate::record::RowValues;
use crate::register::Register;
use crate::row::tree::TreeCursor;
use crate::write;

/// The columns.
const NAME: usize = 0;
const SEQ: usize = 1;
const COUNT: usize = 2;

/// Finds the row of the table `name`, and begins the sequence with its number.
#[inline(never)]
pub fn read(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    name: ConstId,
    sequence: Sequence,
) -> Result<(), BoxedError> {
    let name = program.constants.value(name);
    let mut state = SequenceState::default();
    let mut number = Register::Null;
    let mut more = table(m, cursor)?.first()?;
    while more {
        let tree = table(m, cursor)?;
        let found = tree.inner.cursor.rowid()?;
        if let Some(ordinary) = Ordinary::find(tree, name) {
            state = SequenceState { found: Some((found, ordinary.number)), max: ordinary.number };
            break;
        }
        if is_row_of(tree, name)? {
            read_number(tree, &mut number, host)?;
            state = SequenceState { found: Some((found, number.integer())), max: number.integer() };
            break;
        }
        more = tree.next()?;
        m.count_loop(host)?;
    }
    let at = usize::from(sequence.0);
    if m.sequences.len() <= at {
        m.sequences.resize(at + 1, SequenceState::default());
    }
    m.sequences[at] = state;
    Ok(())
}

/// Raises the sequence to the rowid of an inserted row.
#[inline]
pub fn raise(m: &mut Machine, sequence: Sequence, rowid: Reg) {
    debug_assert!(matches!(m.reg(rowid), Register::Integer(_)), "a row is inserted under an integer");
    let rowid = m.reg(rowid).integer();
    let state = &mut m.sequences[usize::from(sequence.0)];
    state.max = state.max.max(rowid);
}

/// The number in a row as Lithe and SQLite write it, for a table with a name of up to 57 bytes:
///
/// ```text
/// header length 3 | type of the name | type of the number | name | number
/// ```
struct Ordinary {
    number: i64,
    serial: SerialType,
    /// The position of the number in the record.
    at: usize,
}

impl Ordinary {
    /// The number in the row under the cursor, if it is such a row of the table `name`. `None`: the row must be read
    /// column by column.
    #[inline]
    fn find(tree: &mut TreeCursor, name: ValueRef<'_>) -> Option<Ordinary> {
        let (Encoding::Utf8, ValueRef::Text(name)) = (tree.encoding(), name) else { return None };
        let record = tree.inner.cursor.peek(&tree.btree)?.local();
        let &[3, name_type @ ..0x80, number_type @ 1..=6, ..] = record else { return None };
        let (name_type, serial) = (SerialType(u32::from(name_type)), SerialType(u32::from(number_type)));
        let at = 3 + name_type.len() as usize;
        let is_its = name_type.is_text() && record.get(3..at)? == name && record.len() == at + serial.len() as usize;
        if is_its { Some(Ordinary { number: serial.decode_integer(record, at)?, serial, at }) } else { None }
    }

    /// Overwrites the number with `max`, if `max` has the same type. False: nothing is changed.
    #[inline]
    fn overwrite(&self, tree: &mut TreeCursor, max: i64) -> Result<bool, Error> {
        // 0 and 1 have serial types of their own in some schema formats.
        if max <= 1 || SerialType::integer(max, SchemaFormat::Four) != self.serial {
            return Ok(false);
        }
        tree.release_row();
        debug_assert!(!self.serial.is_empty(), "the number has bytes to be overwritten");
        let bytes = max.to_be_bytes();
        let content = &bytes[bytes.len() - self.serial.len() as usize..];
        tree.inner.cursor.write_payload(&tree.btree, self.at as u32, content)?;
        Ok(true)
    }
}

/// Whether the row under the cursor is that of the table `name`.
#[inline]
fn is_row_of(tree: &mut TreeCursor, name: ValueRef<'_>) -> Result<bool, Error> {
    tree.want_columns(COUNT);
    if let Some(found) = tree.value_in_place(NAME) {
        return Ok(found == name);
    }
    let mut found = Register::Null;
    tree.column(NAME, &mut found)?;
    Ok(found.as_ref() == name)
}

#[inline]
fn read_number(tree: &mut TreeCursor, number: &mut Register, host: &dyn Host) -> Result<(), Error> {
    if let Some(ValueRef::Integer(integer)) = tree.value_in_place(SEQ) {
        number.set_integer(integer);
        return Ok(());
    }
    tree.column(SEQ, number)?;
    cast_register(number, Affinity::Integer, host)
}

/// Writes the number into the row of the table `name`, if it has grown.
#[inline(never)]
pub fn write(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    name: ConstId,
    sequence: Sequence,
) -> Result<(), Error> {
    let SequenceState { found, max } = m.sequences[usize::from(sequence.0)];
    debug_assert!(found.is_none_or(|(_, first)| max >= first), "a sequence only rises");
    let rowid = match found {
        Some((_, first)) if max <= first => return Ok(()),
        Some((rowid, _)) => rowid,
        None => write::next_rowid(m, cursor, None)?,
    };
    let name = program.constants.value(name);
    let values = [name, ValueRef::Integer(max)];
    let Machine { cursors, builder, .. } = m;
    let VmCursor::Tree(tree) = cursors[usize::from(cursor.0)].settled()? else { return Err(write::not_writable()) };
    // A trigger may have deleted or changed the row.
    let is_there = found.is_some() && tree.seek_rowid(rowid)? == Seek::Exact;
    let ordinary = if is_there { Ordinary::find(tree, name) } else { None };
    if let Some(ordinary) = ordinary
        && ordinary.overwrite(tree, max)?
    {
        // The number was overwritten in place.
    } else if tree.encoding() == Encoding::Utf8 {
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
