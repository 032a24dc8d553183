//! The rows that have a phrase: the rows of its tokens in which the tokens follow each other.

use std::borrow::Cow;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_vtab::SqlConnection;

use super::{KnownRows, Rows};
use crate::Result;
use crate::doclist::{Order, Position, PositionWriter, Positions, Reader};
use crate::index::{Index, Wanted};
use crate::query::{Phrase, QueryToken};
use crate::table::Table;

/// The rows of a phrase.
pub(super) fn rows(
    table: &Table,
    connection: &dyn SqlConnection,
    language: i32,
    phrase: &Phrase,
    known: &KnownRows,
) -> Result<Rows> {
    joined(phrase.tokens.iter().enumerate(), |token| {
        let rows = match known.get(token) {
            Some(rows) => Cow::Borrowed(rows),
            None => Cow::Owned(token_rows(table, connection, language, token)?),
        };
        Ok(only_in(rows, phrase.column, token.is_first)?)
    })
}

/// The rows of those tokens of a phrase that are not deferred. None if all tokens are deferred, or none is.
pub(super) fn loaded_rows(phrase: &Phrase, known: &KnownRows) -> Result<Option<Rows>> {
    let loaded = || phrase.tokens.iter().enumerate().filter(|(_, token)| !token.is_deferred);
    if loaded().count() == phrase.tokens.len() || loaded().next().is_none() {
        return Ok(None);
    }
    let load = |token: &QueryToken| {
        let rows = known.get(token).map_or(Cow::Owned(Rows::default()), Cow::Borrowed);
        Ok(only_in(rows, phrase.column, token.is_first)?)
    };
    joined(loaded(), load).map(Some)
}

/// The rows in which the distances of tokens are those of their numbers, with the positions of the last token.
fn joined<'t, 'k>(
    mut tokens: impl Iterator<Item = (usize, &'t QueryToken)>,
    load: impl Fn(&'t QueryToken) -> Result<Cow<'k, Rows>>,
) -> Result<Rows> {
    let Some((mut before, first)) = tokens.next() else { return Ok(Rows::default()) };
    let mut found = load(first)?;
    for (at, token) in tokens {
        // Without candidate rows, no further token need be read.
        if found.docids.is_empty() {
            break;
        }
        found = Cow::Owned(followed_by(&found, &*load(token)?, (at - before) as i64)?);
        before = at;
    }
    Ok(match found {
        Cow::Owned(rows) => rows,
        Cow::Borrowed(rows) => rows.copied()?,
    })
}

/// The index that has a token, and the terms to read there.
pub(super) fn wanted_of<'t>(index: &Index, token: &'t QueryToken) -> (usize, Wanted<'t>) {
    let prefix_index = if token.is_prefix { index.prefix_index(token.text.len()) } else { None };
    let wanted = match (token.is_prefix, prefix_index) {
        (true, None) => Wanted::Prefix(&token.text),
        _ => Wanted::Term(&token.text),
    };
    (prefix_index.unwrap_or(0), wanted)
}

/// The rows of a token, or of all tokens with that prefix.
pub(super) fn token_rows(
    table: &Table,
    connection: &dyn SqlConnection,
    language: i32,
    token: &QueryToken,
) -> Result<Rows> {
    let index = &table.index;
    let (number, wanted) = wanted_of(index, token);
    let mut reader = index.reader(connection, language, number, &wanted)?;
    let mut parts = Vec::new();
    while reader.next(connection, &index.store, &wanted)? {
        parts.try_push(doclist_rows(reader.doclist(), index.order)?)?;
    }
    if parts.len() <= 1 { Ok(parts.pop().unwrap_or_default()) } else { Ok(union(&parts)?) }
}

fn doclist_rows(doclist: &[u8], order: Order) -> Result<Rows> {
    let mut reader = Reader::new(doclist, order);
    let mut rows = Rows::default();
    rows.bytes.try_grow(doclist.len())?;
    while let Some(entry) = reader.read()? {
        rows.push(entry.docid, |bytes| bytes.try_append(entry.positions))?;
    }
    if order == Order::Descending {
        rows.reverse()?;
    }
    Ok(rows)
}

/// The rows of any of several tokens.
pub(super) fn union(parts: &[Rows]) -> Result<Rows, OutOfMemory> {
    let mut all = Vec::new();
    for part in parts {
        all.try_extend(part.docids.iter().enumerate().map(|(at, docid)| (*docid, part.bytes_at(at))))?;
    }
    // (Of one row, the order does not matter: its positions are sorted.)
    all.sort_unstable_by_key(|(docid, _)| *docid);
    let mut rows = Rows::default();
    let mut positions: Vec<Position> = Vec::new();
    for same in all.chunk_by(|(one, _), (other, _)| one == other) {
        match same {
            [(docid, only)] => rows.push(*docid, |bytes| bytes.try_append(only))?,
            [(docid, _), ..] => {
                positions.clear();
                positions.try_extend(same.iter().flat_map(|(_, bytes)| Positions::new(bytes)))?;
                positions.sort_unstable();
                positions.dedup();
                rows.push(*docid, |bytes| write(bytes, positions.iter().copied()))?;
            }
            [] => {}
        }
    }
    Ok(rows)
}

/// Writes positions as a list.
pub(super) fn write(bytes: &mut Vec<u8>, mut positions: impl Iterator<Item = Position>) -> Result<(), OutOfMemory> {
    let mut writer = PositionWriter::default();
    positions.try_for_each(|position| writer.push(bytes, position))
}

/// Keeps only positions in a column, or at the beginning of one.
pub(super) fn only_in(
    rows: Cow<'_, Rows>,
    column: Option<usize>,
    is_first: bool,
) -> Result<Cow<'_, Rows>, OutOfMemory> {
    if column.is_none() && !is_first {
        return Ok(rows);
    }
    let is_meant = |position: &Position| {
        column.is_none_or(|column| position.column as usize == column) && (!is_first || position.offset == 0)
    };
    let mut found = Rows::default();
    for (at, docid) in rows.docids.iter().enumerate() {
        found.push(*docid, |bytes| write(bytes, rows.positions_at(at).filter(is_meant)))?;
    }
    Ok(Cow::Owned(found))
}

/// The positions of `next` that are `distance` after a position of `rows`.
fn followed_by(rows: &Rows, next: &Rows, distance: i64) -> Result<Rows, OutOfMemory> {
    let mut found = Rows::default();
    let mut from = 0;
    for (at, docid) in rows.docids.iter().enumerate() {
        let rest = next.docids.get(from..).unwrap_or_default();
        from += rest.partition_point(|other| other < docid);
        if next.docids.get(from) != Some(docid) {
            continue;
        }
        let mut before = rows.positions_at(at).peekable();
        let follows = |position: &Position| {
            let wanted = Position { offset: position.offset.wrapping_sub(distance), ..*position };
            while before.next_if(|one| *one < wanted).is_some() {}
            before.peek() == Some(&wanted)
        };
        found.push(*docid, |bytes| write(bytes, next.positions_at(from).filter(follows)))?;
    }
    Ok(found)
}
