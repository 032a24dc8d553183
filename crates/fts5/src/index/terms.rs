//! All tokens, in the order of their bytes, each with its rows.

use lithe_value::Grow;
use lithe_value::grow::copied;

use super::flush::MAIN_INDEX;
use super::memory::MemoryRows;
use super::postings::Postings;
use super::segment::SegmentCursor;
use super::{Block, Order, Reader};
use crate::Result;

/// Tokens, in the order of their bytes, each with its rows.
#[derive(Debug)]
pub struct Terms {
    /// The newest first. The term of each is not below the term that is shown.
    cursors: Vec<SegmentCursor>,
    /// Terms that are pending, the last ones first, with their rows.
    pending: Vec<(Vec<u8>, MemoryRows)>,
    index: u8,
    /// The term: the number of its index and the token. Empty: at the end.
    term: Vec<u8>,
    rows: Option<Postings>,
}

impl Terms {
    /// All terms of an index from `key` on. `only`: those alone that begin so.
    pub(super) fn from(reader: &Reader<'_>, key: &[u8], only: &[u8]) -> Result<Terms> {
        let structure = reader.structure()?;
        let mut cursors = Vec::new();
        for segment in structure.newest_first() {
            cursors.push(SegmentCursor::seek(reader, segment, key)?);
        }
        let mut pending = Vec::new();
        let detail = reader.index.detail;
        {
            let state = reader.index.state()?;
            state.pending.in_order(only, |term| {
                if term.key() >= key {
                    let mut doclist = Vec::new();
                    term.doclist(detail, &mut doclist)?;
                    let rows = MemoryRows::of_doclist(doclist, detail, Order::Ascending)?;
                    pending.try_push((copied(term.key())?, rows))?;
                }
                Ok(())
            })?;
        }
        pending.reverse();
        let index = key.first().copied().unwrap_or(MAIN_INDEX);
        let mut terms = Terms { cursors, pending, index, term: Vec::new(), rows: None };
        terms.next_with_rows(reader)?;
        Ok(terms)
    }

    /// Whether there is no token (any more).
    pub fn is_at_end(&self) -> bool {
        self.rows.is_none()
    }

    /// The token.
    pub fn token(&self) -> &[u8] {
        self.term.get(1..).unwrap_or_default()
    }

    /// The row of the iterator's token.
    pub fn rowid(&self) -> i64 {
        self.rows.as_ref().map_or(0, Postings::rowid)
    }

    /// Where in the row: see [`crate::position`].
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn positions(&self) -> Result<&[u8]> {
        self.rows.as_ref().map_or(Ok(&[]), Postings::positions)
    }

    /// Goes to the next row of the token, or to the first of the next token.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn next(&mut self, reader: &Reader<'_>) -> Result {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        rows.next(reader)?;
        if rows.is_at_end() {
            self.next_with_rows(reader)?;
        }
        Ok(())
    }

    /// Shows the rows of the token from this one on with their positions, and goes to the first of the next token.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn show_rows(&mut self, reader: &Reader<'_>, show: &mut impl FnMut(i64, &[u8]) -> Result) -> Result {
        if let Some(rows) = &mut self.rows {
            rows.show_all(reader, show)?;
        }
        self.next_with_rows(reader)
    }

    /// Appends the rows of the token from this one on to `block`, and goes to the first of the next token.
    ///
    /// # Errors
    /// As [`Terms::show_rows`].
    pub fn take_rows(&mut self, reader: &Reader<'_>, block: &mut Block) -> Result {
        if let Some(rows) = &mut self.rows {
            rows.take(reader, usize::MAX, block)?;
        }
        self.next_with_rows(reader)
    }

    /// Goes to the next token that occurs in any row.
    fn next_with_rows(&mut self, reader: &Reader<'_>) -> Result {
        loop {
            self.rows = None;
            let lowest = self.cursors.iter().filter(|cursor| !cursor.is_at_end()).map(|cursor| cursor.term.as_slice());
            let lowest = lowest.chain(self.pending.last().map(|(term, _)| term.as_slice())).min();
            let Some(lowest) = lowest.filter(|term| term.first() == Some(&self.index)) else { return Ok(()) };
            self.term = lowest.to_vec();
            let memory = self.pending.pop_if(|(term, _)| *term == self.term).map(|(_, rows)| rows);
            let mut standing = Vec::new();
            for cursor in self.cursors.iter_mut().filter(|cursor| cursor.term == self.term && !cursor.is_at_end()) {
                standing.push(cursor.clone());
                cursor.next_term(reader)?;
            }
            let rows = Postings::of_term(reader, memory, standing, Order::Ascending)?;
            if !rows.is_at_end() {
                self.rows = Some(rows);
                return Ok(());
            }
        }
    }
}
