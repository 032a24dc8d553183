//! The rows that have a phrase: the rows of its tokens in which the tokens follow each other.

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
            Some(rows) => rows.clone(),
            None => token_rows(table, connection, language, token)?,
        };
        Ok(only_in(rows, phrase.column, token.is_first))
    })
}

/// The rows of those tokens of a phrase that are not deferred. None if all tokens are deferred, or none is.
pub(super) fn loaded_rows(phrase: &Phrase, known: &KnownRows) -> Result<Option<Rows>> {
    let loaded = || phrase.tokens.iter().enumerate().filter(|(_, token)| !token.is_deferred);
    if loaded().count() == phrase.tokens.len() || loaded().next().is_none() {
        return Ok(None);
    }
    let load =
        |token: &QueryToken| Ok(only_in(known.get(token).cloned().unwrap_or_default(), phrase.column, token.is_first));
    joined(loaded(), load).map(Some)
}

/// The rows in which the distances of tokens are those of their numbers, with the positions of the last token.
fn joined<'t>(
    mut tokens: impl Iterator<Item = (usize, &'t QueryToken)>,
    load: impl Fn(&'t QueryToken) -> Result<Rows>,
) -> Result<Rows> {
    let Some((mut before, first)) = tokens.next() else { return Ok(Rows::default()) };
    let mut found = load(first)?;
    for (at, token) in tokens {
        // Without candidate rows, no further token need be read.
        if found.docids.is_empty() {
            break;
        }
        found = followed_by(&found, &load(token)?, (at - before) as i64);
        before = at;
    }
    Ok(found)
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
        parts.push(doclist_rows(reader.doclist(), index.order)?);
    }
    if parts.len() <= 1 { Ok(parts.pop().unwrap_or_default()) } else { Ok(union(&parts)) }
}

fn doclist_rows(doclist: &[u8], order: Order) -> Result<Rows> {
    let mut reader = Reader::new(doclist, order);
    let mut rows = Rows::default();
    rows.bytes.reserve(doclist.len());
    while let Some(entry) = reader.read()? {
        rows.push(entry.docid, |bytes| bytes.extend_from_slice(entry.positions));
    }
    if order == Order::Descending {
        rows.reverse();
    }
    Ok(rows)
}

/// The rows of any of several tokens.
pub(super) fn union(parts: &[Rows]) -> Rows {
    let mut all = Vec::new();
    for part in parts {
        all.extend(part.docids.iter().enumerate().map(|(at, docid)| (*docid, part.bytes_at(at))));
    }
    all.sort_by_key(|(docid, _)| *docid);
    let mut rows = Rows::default();
    let mut positions: Vec<Position> = Vec::new();
    for same in all.chunk_by(|(one, _), (other, _)| one == other) {
        match same {
            [(docid, only)] => rows.push(*docid, |bytes| bytes.extend_from_slice(only)),
            [(docid, _), ..] => {
                positions.clear();
                positions.extend(same.iter().flat_map(|(_, bytes)| Positions::new(bytes)));
                positions.sort_unstable();
                positions.dedup();
                rows.push(*docid, |bytes| write(bytes, positions.iter().copied()));
            }
            [] => {}
        }
    }
    rows
}

fn write(bytes: &mut Vec<u8>, positions: impl Iterator<Item = Position>) {
    let mut writer = PositionWriter::default();
    positions.for_each(|position| writer.push(bytes, position));
}

/// Keeps only positions in a column, or at the beginning of one.
pub(super) fn only_in(rows: Rows, column: Option<usize>, is_first: bool) -> Rows {
    if column.is_none() && !is_first {
        return rows;
    }
    let is_meant = |position: &Position| {
        column.is_none_or(|column| position.column as usize == column) && (!is_first || position.offset == 0)
    };
    let mut found = Rows::default();
    for (at, docid) in rows.docids.iter().enumerate() {
        found.push(*docid, |bytes| write(bytes, rows.positions_at(at).filter(is_meant)));
    }
    found
}

/// The positions of `next` that are `distance` after a position of `rows`.
fn followed_by(rows: &Rows, next: &Rows, distance: i64) -> Rows {
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
        found.push(*docid, |bytes| write(bytes, next.positions_at(from).filter(follows)));
    }
    found
}
