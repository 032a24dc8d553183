//! Inserting and deleting, with counters, hooks and new rowids.

use std::hash::{BuildHasher, RandomState};

use lithe_btree::{Prefix, SearchKey, Seek};
use lithe_format::payload::Payload;
use lithe_format::record;
use lithe_value::{Encoding, ValueRef};
use lithe_vfs::ResultCode;

use crate::arena::Stored;
use crate::cursor::VmCursor;
use crate::error::Error;
use crate::host::Host;
use crate::insn::{delete_flags, insert_flags};
use crate::machine::Machine;
use crate::operand::{CursorId, Reg, Sequence};
use crate::program::{CursorInfo, CursorKind, Program};
use crate::record::{RowRegisters, RowValues};
use crate::register::Register;
use crate::row::texts::EncodedTexts;
use crate::row::tree::TreeCursor;

/// The operations of the update hook.
mod operation {
    pub const DELETE: i32 = 9;
    pub const INSERT: i32 = 18;
    pub const UPDATE: i32 = 23;
}

/// Forbids subprograms to change the tree of the cursor.
#[inline(never)]
pub fn lock(m: &mut Machine, program: &Program, cursor: CursorId) {
    let info = program.cursor(cursor);
    m.locked.extend(info.root.map(|root| (info.db, root)));
}

/// Removes the last lock of the tree.
#[inline(never)]
pub fn unlock(m: &mut Machine, program: &Program, cursor: CursorId) {
    let info = program.cursor(cursor);
    let at = m.locked.iter().rposition(|(db, root)| *db == info.db && Some(*root) == info.root);
    debug_assert!(at.is_some() || info.root.is_none(), "a tree is unlocked that is locked");
    if let Some(at) = at {
        m.locked.remove(at);
    }
}

/// Fails if the tree of the cursor must not be changed.
#[inline]
pub fn check_lock(m: &Machine, program: &Program, cursor: CursorId) -> Result<(), Error> {
    if m.locked.is_empty() { Ok(()) } else { check_locks(m, program.cursor(cursor)) }
}

#[cold]
fn check_locks(m: &Machine, info: &CursorInfo) -> Result<(), Error> {
    let is_locked = m.locked.iter().any(|(db, root)| *db == info.db && Some(*root) == info.root);
    if is_locked { Err(Error::from_code(ResultCode::CONSTRAINT_PINNED)) } else { Ok(()) }
}

/// Inserts a record under a rowid.
#[inline(never)]
pub fn insert(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    flags: u8,
    cursor: CursorId,
    rowid: Reg,
    record: Reg,
) -> Result<(), Error> {
    check_lock(m, program, cursor)?;
    let rowid = m.reg(rowid).integer();
    let Machine { registers, cursors, temporary, .. } = m;
    let bytes = registers[record.0 as usize].as_ref().bytes().unwrap_or_default();
    match cursors[usize::from(cursor.0)].settled()? {
        VmCursor::Tree(tree) if tree.encoding() == Encoding::Utf8 => {
            insert_payload(tree, rowid, &Payload::from_bytes(bytes), flags)?;
        }
        VmCursor::Tree(tree) => {
            let values = record::values(bytes)?;
            insert_values(tree, &mut m.builder, rowid, &RowValues { values, zeros: 0 }, flags)?;
        }
        VmCursor::Ephemeral(ephemeral) => ephemeral.insert_row(rowid, bytes, host, temporary)?,
        _ => return Err(not_writable()),
    }
    inserted(m, program.cursor(cursor), host, flags, rowid);
    Ok(())
}

/// Inserts the row in some registers.
#[inline(never)]
pub fn insert_row(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    flags: u8,
    cursor: CursorId,
    rowid: Reg,
    row: RowRegisters,
) -> Result<(), Error> {
    check_lock(m, program, cursor)?;
    if flags & insert_flags::HAS_AFFINITIES == 0 {
        row.apply_affinities(m, program);
    }
    own_row(m, cursor);
    let rowid = m.reg(rowid).integer();
    let Machine { registers, cursors, builder, .. } = m;
    if let VmCursor::Tree(tree) = &mut cursors[usize::from(cursor.0)]
        && tree.encoding() == Encoding::Utf8
        && let Some(record) = row.short_record(builder, registers, program, host)
    {
        insert_payload(tree, rowid, &Payload::from_bytes(record), flags)?;
    } else {
        insert_any_row(m, program, host, flags, cursor, rowid, row)?;
    }
    inserted(m, program.cursor(cursor), host, flags, rowid);
    Ok(())
}

/// Inserts a row with long values, or one into anything but a B-tree in UTF-8.
#[inline(never)]
fn insert_any_row(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    flags: u8,
    cursor: CursorId,
    rowid: i64,
    row: RowRegisters,
) -> Result<(), Error> {
    let Machine { registers, cursors, scratch, builder, temporary, .. } = m;
    let row = row.values(scratch, registers, program);
    row.check_length(host)?;
    match cursors[usize::from(cursor.0)].settled()? {
        VmCursor::Tree(tree) => insert_values(tree, builder, rowid, &row, flags)?,
        VmCursor::Ephemeral(ephemeral) => {
            ephemeral.insert_row(rowid, builder.try_build(&row.values)?, host, temporary)?;
        }
        _ => return Err(not_writable()),
    }
    scratch.give_back(row.values);
    Ok(())
}

/// Copies the bytes that registers have borrowed from the pages of a cursor: otherwise the pager would copy the page before the
/// write. The registers keep the memory, and the next row of the loop is copied into it.
#[inline]
fn own_row(m: &mut Machine, cursor: CursorId) {
    if m.cursor(cursor).take_lent() {
        m.registers.iter_mut().for_each(Register::own);
    }
}

/// Inserts a row, with its texts in the encoding of the database.
#[inline]
pub fn insert_values(
    tree: &mut TreeCursor,
    builder: &mut record::Builder,
    rowid: i64,
    row: &RowValues<'_>,
    flags: u8,
) -> Result<(), Error> {
    if tree.encoding() == Encoding::Utf8 {
        return insert_payload(tree, rowid, &builder.build_longer_parts(&row.values, row.zeros), flags);
    }
    let texts = EncodedTexts::new(&row.values, tree.encoding());
    insert_payload(tree, rowid, &builder.build_parts(&texts.replace(&row.values), row.zeros), flags)
}

/// Inserts the record of a row under a rowid, or replaces the one of that rowid.
#[inline]
pub fn insert_payload(tree: &mut TreeCursor, rowid: i64, payload: &Payload<'_>, flags: u8) -> Result<(), Error> {
    debug_assert!(tree.inner.cursor.key_info().is_none(), "a row with a rowid goes into a table");
    let seek = if flags & insert_flags::USE_SEEK != 0 { tree.inner.last_seek } else { None };
    tree.release_row();
    tree.inner.last_seek = None;
    let (cursor, btree) = (&mut tree.inner.cursor, &tree.btree);
    if flags & insert_flags::IS_UPDATE != 0 {
        return Ok(cursor.update_table(btree, rowid, payload, seek)?);
    }
    Ok(cursor.insert_table(btree, rowid, payload, seek)?)
}

/// Counts the row and calls the hook.
#[inline]
pub fn inserted(m: &mut Machine, info: &CursorInfo, host: &dyn Host, flags: u8, rowid: i64) {
    if flags & insert_flags::COUNT_CHANGE != 0 {
        m.changes += 1;
    }
    if flags & insert_flags::LAST_ROWID != 0 {
        host.state().last_insert_rowid.set(rowid);
    }
    if m.watches_rows {
        tell_watchers(info, host, rowid);
    }
    // As in SQLite, not for rows that ALTER TABLE DROP COLUMN writes again.
    if m.has_update_hook && flags & insert_flags::COUNT_CHANGE != 0 {
        let is_update = flags & insert_flags::IS_UPDATE != 0;
        let operation = if is_update { operation::UPDATE } else { operation::INSERT };
        tell_hook(info, host, operation, rowid);
    }
}

#[cold]
fn tell_watchers(info: &CursorInfo, host: &dyn Host, rowid: i64) {
    if let (CursorKind::Table, Some(root)) = (&info.kind, info.root) {
        host.row_changed(info.db, root, Some(rowid));
    }
}

#[cold]
fn tell_hook(info: &CursorInfo, host: &dyn Host, operation: i32, rowid: i64) {
    if let Some(table) = &info.table
        && !table.without_rowid
    {
        host.update_hook(operation, &table.database, &table.name, rowid);
    }
}

/// Deletes the row under a cursor. The cursor keeps its position: Next goes to the row after it.
#[inline(never)]
pub fn delete(m: &mut Machine, program: &Program, host: &dyn Host, flags: u8, cursor: CursorId) -> Result<(), Error> {
    if flags & delete_flags::OF_LOCKED == 0 {
        check_lock(m, program, cursor)?;
    }
    // As in SQLite, the update hook is called for the rows that changes() counts: not for rows that REPLACE deletes.
    let is_told = m.has_update_hook && flags & delete_flags::COUNT_CHANGE != 0;
    let is_watched = is_told || m.watches_rows;
    let mut rowid = None;
    own_row(m, cursor);
    match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => {
            tree.finish_seek()?;
            if is_watched && tree.inner.cursor.key_info().is_none() {
                rowid = tree.rowid()?;
            }
            tree.release_row();
            tree.inner.last_seek = None;
            tree.inner.cursor.delete(&tree.btree)?;
        }
        VmCursor::Ephemeral(ephemeral) => ephemeral.delete(),
        _ => return Err(not_writable()),
    }
    if flags & delete_flags::COUNT_CHANGE != 0 {
        m.changes += 1;
    }
    if let Some(rowid) = rowid {
        if m.watches_rows {
            tell_watchers(program.cursor(cursor), host, rowid);
        }
        if is_told {
            tell_hook(program.cursor(cursor), host, operation::DELETE, rowid);
        }
    }
    Ok(())
}

/// Inserts a record into an index. `key` are the registers with the key's columns; if there are none, the columns are read from
/// the record.
#[inline(never)]
pub fn index_insert(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    flags: u8,
    cursor: CursorId,
    record: Reg,
    key: RowRegisters,
) -> Result<(), Error> {
    let Machine { registers, cursors, scratch, builder, temporary, .. } = m;
    let bytes = registers[record.0 as usize].as_ref().bytes().unwrap_or_default();
    match cursors[usize::from(cursor.0)].settled()? {
        VmCursor::Tree(tree) if key.count > 0 && tree.encoding() == Encoding::Utf8 => {
            let row = key.values(scratch, registers, program);
            insert_key(tree, &row.values, &Payload::from_bytes(bytes), flags)?;
            scratch.give_back(row.values);
        }
        VmCursor::Tree(tree) => {
            let values = record::values(bytes)?;
            insert_key_values(tree, builder, &values, flags)?;
        }
        VmCursor::Ephemeral(ephemeral) => ephemeral.insert_entry(bytes, host, temporary)?,
        _ => return Err(not_writable()),
    }
    entry_inserted(m, program, host, flags, cursor)
}

/// Adds the row of a sorter to an index, after all of its entries; with `many` the rows behind it, too, as many as fit on the same page.
#[inline(never)]
pub fn index_append(m: &mut Machine, many: bool, sorter: CursorId, cursor: CursorId) -> Result<(), Error> {
    let Machine { cursors, builder, .. } = m;
    let Ok([VmCursor::Sorter(sorter), VmCursor::Tree(tree)]) =
        cursors.get_disjoint_mut([usize::from(sorter.0), usize::from(cursor.0)])
    else {
        return Err(not_writable());
    };
    debug_assert!(sorter.sorter.row().is_some(), "the sorter is on a row");
    let record = sorter.sorter.row().map_or(&[][..], Stored::bytes);
    if tree.encoding() != Encoding::Utf8 {
        // The sorter has its texts in UTF-8, whose order may differ from that of UTF-16.
        return insert_key_values(tree, builder, &record::values(record)?, 0);
    }
    tree.release_row();
    tree.inner.last_seek = None;
    let appended = &mut tree.inner.cursor;
    appended.append_index(&tree.btree, &Payload::from_bytes(record))?;
    if many {
        let passed = appended.append_to_leaf(&tree.btree, &mut **sorter)?;
        m.count_passed(passed as usize);
    }
    Ok(())
}

/// Inserts the entry in some registers into an index.
#[inline(never)]
pub fn index_insert_row(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    flags: u8,
    cursor: CursorId,
    row: RowRegisters,
) -> Result<(), Error> {
    check_lock(m, program, cursor)?;
    row.apply_affinities(m, program);
    if flags & insert_flags::IS_UPDATE != 0 {
        own_row(m, cursor); // the row replaces the one of a WITHOUT ROWID table from which its values come
    }
    let Machine { registers, cursors, scratch, builder, temporary, .. } = m;
    let row = row.values(scratch, registers, program);
    row.check_length(host)?;
    match cursors[usize::from(cursor.0)].settled()? {
        VmCursor::Tree(tree) => insert_key_values(tree, builder, &row.values, flags)?,
        VmCursor::Ephemeral(ephemeral) => ephemeral.insert_entry(builder.try_build(&row.values)?, host, temporary)?,
        _ => return Err(not_writable()),
    }
    scratch.give_back(row.values);
    entry_inserted(m, program, host, flags, cursor)
}

#[inline]
fn insert_key_values(
    tree: &mut TreeCursor,
    builder: &mut record::Builder,
    values: &[ValueRef<'_>],
    flags: u8,
) -> Result<(), Error> {
    if tree.encoding() == Encoding::Utf8 {
        return insert_key(tree, values, &builder.build_parts(values, 0), flags);
    }
    let texts = EncodedTexts::new(values, tree.encoding());
    insert_key(tree, values, &builder.build_parts(&texts.replace(values), 0), flags)
}

#[inline]
fn insert_key(tree: &mut TreeCursor, values: &[ValueRef<'_>], payload: &Payload<'_>, flags: u8) -> Result<(), Error> {
    debug_assert!(tree.inner.cursor.key_info().is_some(), "an entry goes into an index");
    let seek = if flags & insert_flags::USE_SEEK != 0 { tree.inner.last_seek } else { None };
    tree.release_row();
    tree.inner.last_seek = None;
    Ok(tree.inner.cursor.insert_index(&tree.btree, values, payload, seek)?)
}

/// Counts the row of a WITHOUT ROWID table.
#[inline]
fn entry_inserted(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    flags: u8,
    cursor: CursorId,
) -> Result<(), Error> {
    inserted(m, program.cursor(cursor), host, flags & insert_flags::COUNT_CHANGE, 0);
    Ok(())
}

/// Deletes the entry with a key.
#[inline(never)]
pub fn index_delete(
    m: &mut Machine,
    program: &Program,
    must_exist: bool,
    cursor: CursorId,
    start: Reg,
    count: usize,
) -> Result<(), Error> {
    debug_assert!(count > 0, "an entry is deleted by its key");
    let Machine { registers, cursors, scratch, .. } = m;
    let values = scratch.values(&registers[start.0 as usize..][..count]);
    let found = match cursors[usize::from(cursor.0)].settled()? {
        VmCursor::Tree(tree) => {
            let key = SearchKey::new(program.key(cursor), &values, Prefix::Equal);
            // The cursor is on the entry already if that conflicts with a new row.
            let found = tree.stands_on_key(&key)? || tree.seek_key(&key)? == Seek::Exact;
            // The seek was for the old key, not for the one that is inserted next.
            tree.inner.last_seek = None;
            if found {
                tree.release_row();
                tree.inner.cursor.remove(&tree.btree)?;
            }
            found
        }
        VmCursor::Ephemeral(ephemeral) => ephemeral.delete_key(&values),
        _ => return Err(not_writable()),
    };
    scratch.give_back(values);
    if !found && must_exist { Err(Error::from_code(ResultCode::CORRUPT_INDEX)) } else { Ok(()) }
}

/// dst = an unused rowid; with a sequence, one that was never used.
#[inline(never)]
pub fn new_rowid(m: &mut Machine, cursor: CursorId, dst: Reg, sequence: Sequence) -> Result<(), Error> {
    debug_assert!(
        sequence == Sequence::NONE || usize::from(sequence.0) < m.sequences.len(),
        "a sequence is read before it is used"
    );
    let ever = if sequence == Sequence::NONE { None } else { Some(m.sequences[usize::from(sequence.0)].max) };
    let next = next_rowid(m, cursor, ever)?;
    if ever.is_some() {
        m.sequences[usize::from(sequence.0)].max = next;
    }
    m.reg_mut(dst).set_integer(next);
    Ok(())
}

/// An unused rowid, larger than `ever` if there is such a number.
pub fn next_rowid(m: &mut Machine, cursor: CursorId, ever: Option<i64>) -> Result<i64, Error> {
    let largest = match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => {
            // (The B-tree cursor's rowid: for a row that it has just written it needs no page.)
            if tree.last()? { Some(tree.inner.cursor.rowid()?) } else { None }
        }
        VmCursor::Ephemeral(ephemeral) => ephemeral.last_rowid(),
        _ => return Err(not_writable()),
    };
    match (ever, largest) {
        (None, None) => Ok(1),
        (None, Some(i64::MAX)) => random_rowid(m, cursor),
        (None, Some(largest)) => Ok(largest + 1),
        (Some(ever), largest) => {
            let ever = ever.max(largest.unwrap_or(0));
            ever.checked_add(1).ok_or_else(|| Error::from_code(ResultCode::FULL))
        }
    }
}

/// The largest rowid is used: tries random ones.
#[cold]
fn random_rowid(m: &mut Machine, cursor: CursorId) -> Result<i64, Error> {
    const ATTEMPTS: u64 = 100;
    let random = RandomState::new();
    let VmCursor::Tree(tree) = m.cursor(cursor) else {
        return Err(Error::from_code(ResultCode::FULL));
    };
    for attempt in 0..ATTEMPTS {
        // From the lower half, so that the next row can get the next rowid.
        let rowid = (random.hash_one(attempt) >> 2) as i64 + 1;
        if tree.seek_rowid(rowid)? != Seek::Exact {
            return Ok(rowid);
        }
    }
    Err(Error::from_code(ResultCode::FULL))
}

/// The error of a write through a cursor of another kind, which no program does.
#[cold]
pub fn not_writable() -> Error {
    Error::new(ResultCode::INTERNAL, "the cursor cannot be written through")
}
