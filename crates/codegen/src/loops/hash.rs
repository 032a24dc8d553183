//! Hash joins: the rows of a source are put into a hash table once, and each row of the outer loops finds its matches there.
//!
//! ```text
//!        Once                                   → built
//!        (rows of the source that meet the filter) HashInsert
//! built: key ← values                           NULL: no match
//!        HashFind  table, key                   → none
//!   top:   ... body ...
//!        HashNext  table, top
//! ```
//!
//! A row in the table has the key's columns first, then the other columns that the statement uses. A NULL equals nothing, so a
//! row with a NULL in its key is left out. But IS finds NULLs: its column takes two places in the key, whether the value is NULL,
//! and the value or 0.

use lithe_catalog::Result;
use lithe_optimize::access::{HashKey, HashPath};
use lithe_optimize::explain::Part;
use lithe_resolve::ir::{Coll, ColumnIndex, Source};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::{Codegen, ColumnAccess, DerivedRows};
use super::Exits;
use super::columns::column_of;
use super::keys::{emit_value, may_be_null};
use super::source::Opened;
use super::walk::Walk;

/// Builds the table, and begins the loop over the matches of a row of the outer loops.
pub(super) fn begin_hash<'a>(
    cg: &mut Codegen<'a>,
    source: &'a Source<'a>,
    opened: &Opened,
    path: &HashPath<'a>,
    reverse: bool,
    exits: Exits,
) -> Result<(Walk, CursorId)> {
    let Exits { exhausted, empty, .. } = exits;
    let width = key_width(path);
    let hash = hash_cursor(cg, path, width, reverse)?;
    build(cg, source, opened, path, (hash, reverse), empty)?;
    let start = cg.b.registers(width);
    let mut place = 0;
    for HashKey { value, how, is, .. } in path.keys {
        if *is {
            emit_value(cg, value, how, start.at(place + 1), None)?;
            split_null(cg, start.at(place));
            place += 2;
        } else {
            emit_value(cg, value, how, start.at(place), may_be_null(value).then_some(exhausted))?;
            place += 1;
        }
    }
    cg.b.emit(Insn::HashFind { cursor: hash, count: width as u16, start, target: exhausted });
    let top = cg.b.here();
    set_access(cg, source, path, hash, width);
    Ok((Walk { step: Some(Insn::HashNext { cursor: hash, target: top }), around: Vec::new() }, hash))
}

/// Makes the columns of the source be read from the rows of the table.
fn set_access<'a>(cg: &mut Codegen<'a>, source: &Source<'a>, path: &HashPath<'a>, hash: CursorId, width: usize) {
    let mut place = 0;
    let mut columns: Vec<(ColumnIndex, u16)> = Vec::with_capacity(path.keys.len() + path.columns.len());
    for key in path.keys {
        if key.is {
            place += 2;
        } else {
            columns.push((key.column, place));
            place += 1;
        }
    }
    columns.extend(path.columns.iter().enumerate().map(|(at, &column)| (column, (width + at) as u16)));
    let columns = cg.arena.alloc_slice_copy(&columns);
    cg.set_access(source.id, ColumnAccess::CursorMap { cursor: hash, columns });
}

/// The number of columns of the key.
fn key_width(path: &HashPath<'_>) -> usize {
    path.keys.iter().map(|key| if key.is { 2 } else { 1 }).sum()
}

/// The cursor on the table. The rows of one key are in the order of their columns, or in reverse order.
fn hash_cursor<'a>(cg: &mut Codegen<'a>, path: &HashPath<'a>, width: usize, reverse: bool) -> Result<CursorId> {
    let mut columns = Vec::with_capacity(width);
    for HashKey { how, is, .. } in path.keys {
        if *is {
            columns.push((Coll::Binary, reverse, false));
        }
        columns.push((how.collation, reverse, false));
    }
    let key = cg.key_info(&columns)?;
    Ok(cg.ephemeral(CursorKind::Hash, key, width + path.columns.len()))
}

/// Puts the rows of the source into the table when the loop is first entered; jumps to `empty` if there are none.
fn build<'a>(
    cg: &mut Codegen<'a>,
    source: &'a Source<'a>,
    opened: &Opened,
    path: &HashPath<'a>,
    (hash, reverse): (CursorId, bool),
    empty: Addr,
) -> Result<()> {
    let width = key_width(path);
    let (built, next) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::Once { target: built });
    cg.b.emit(Insn::OpenEphemeral { cursor: hash });
    let measured = cg.begin_part(Part::Index, path);
    // A coroutine jumps to the same target after its last row.
    let is_coroutine = matches!(opened.derived, Some(DerivedRows::Coroutine(_)));
    let rows = opened.begin_scan(cg, source, reverse, if is_coroutine { built } else { empty })?;
    for condition in path.filter {
        cg.jump_if_false(condition, next, true)?;
    }
    let count = width + path.columns.len();
    let start = cg.b.registers(count);
    emit_key_columns(cg, source, path, start, next)?;
    for (at, &column) in path.columns.iter().enumerate() {
        cg.emit_into(&column_of(cg, source, column), start.at(width + at))?;
    }
    cg.measure_insert(measured, hash);
    cg.b.emit(Insn::HashInsert { cursor: hash, start, count: count as u32 });
    cg.b.place(next);
    rows.emit_next(cg);
    cg.b.place(built);
    Ok(())
}

/// The key of a row of the source.
fn emit_key_columns<'a>(
    cg: &mut Codegen<'a>,
    source: &Source<'a>,
    path: &HashPath<'a>,
    start: Reg,
    next: Addr,
) -> Result<()> {
    let mut place = 0;
    for key in path.keys {
        let expr = column_of(cg, source, key.column);
        if key.is {
            cg.emit_into(&expr, start.at(place + 1))?;
            split_null(cg, start.at(place));
            place += 2;
        } else {
            cg.emit_into(&expr, start.at(place))?;
            cg.b.emit(Insn::IsNull { reg: start.at(place), target: next });
            place += 1;
        }
    }
    Ok(())
}

/// Splits a value for IS, in the second place, into its two places.
fn split_null(cg: &mut Codegen<'_>, start: Reg) {
    let (flag, value) = (start, start.at(1));
    let done = cg.b.label();
    cg.b.emit(Insn::Integer { value: 0, dst: flag });
    cg.b.emit(Insn::NotNull { reg: value, target: done });
    cg.b.emit(Insn::Integer { value: 1, dst: flag });
    cg.b.emit(Insn::Integer { value: 0, dst: value });
    cg.b.place(done);
}
