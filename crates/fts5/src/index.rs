//! The inverted index: for each token, the rows in which it occurs, and where.
//!
//! ```text
//!   Index ── reader(connection) ──► Reader ── term, prefix, token_data ──► Postings     rows of a token, in order
//!                                      ├───── terms ─────────────────────► Terms        all tokens, in order
//!                                      └───── pending_row, flush, merge ─► segments
//! ```
//!
//! # Reading
//!
//! A [`Postings`] is an iterator over rows (rowid and position list), up or down ([`Order`]), that can [`seek`](Postings::seek).
//! The rows of segments are merged with those that the connection has not written yet; deleted rows and tombstones are
//! left out. It outlives a call, so each movement gets a [`Reader`], which is made anew with each call ([`Index::reader`]).
//!
//! Position lists are those of [`crate::position`]: read them by [`position::Reader`](crate::position::Reader) with detail=full, by
//! [`position::read_columns`](crate::position::read_columns) with detail=columns; with detail=none they are empty.
//!
//! A change of the table ([`Index::generation`] tells) makes postings invalid: a caller that keeps some across calls compares
//! generations, and opens them anew at the row where they stood.
//!
//! # Writing
//!
//! Tokens gather in memory ([`pending`]), until there are enough of them or the transaction ends ([`flush`]): they become
//! a segment, a sorted run of pages ([`leaf`], [`writer`]). Segments are merged into larger ones ([`merge`]).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use lithe_vtab::SqlConnection;

use crate::Result;
use crate::config::Detail;
use crate::position;
use crate::structure::{Segment, Structure};
use lithe_vtab::Names;

mod block;
pub mod check;
mod descending;
mod doclist_index;
pub mod flush;
mod found_terms;
mod known_pages;
pub mod leaf;
mod memory;
mod merge;
pub mod pending;
mod postings;
mod row;
mod rowids;
mod secure;
mod segment;
mod state;
pub mod store;
mod terms;
mod tombstones;
mod tournament;
pub mod writer;

pub use block::Block;
use flush::{MAIN_INDEX, TOKEN_LEN_MAX};
use leaf::Leaf;
use memory::{MemoryRows, Union};
pub use postings::Postings;
use rowids::RowidUnion;
use segment::SegmentCursor;
use state::State;
use store::{Statements, Store};
pub use terms::Terms;

/// The order of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The lowest rowid first.
    #[default]
    Ascending,
    /// The highest rowid first.
    Descending,
}

/// The index of a table.
#[derive(Debug)]
pub struct Index {
    detail: Detail,
    prefixes: Vec<u32>,
    token_data: bool,
    /// Whether segments have origins and tombstones (contentless_delete=1).
    has_origins: bool,
    names: Names,
    statements: Statements,
    state: Mutex<State>,
    generation: AtomicU64,
}

impl Index {
    /// Reads the index during a call.
    pub fn reader<'c>(&'c self, connection: &'c dyn SqlConnection) -> Reader<'c> {
        Reader { index: self, connection }
    }
}

/// The index, during one call.
#[derive(Clone, Copy)]
pub struct Reader<'c> {
    /// The index.
    pub index: &'c Index,
    /// The connection.
    pub connection: &'c dyn SqlConnection,
}

impl<'c> Reader<'c> {
    /// The tables of the index.
    pub fn store(&self) -> Store<'c> {
        Store { connection: self.connection, statements: &self.index.statements }
    }

    fn leaf(&self, segment: u64, page: u64) -> Result<Leaf> {
        let (store, id) = (self.store(), store::leaf_id(segment, page));
        let read = || Leaf::new(store.read_page(id)?).ok_or_else(|| store.corrupt_record(id));
        let Some(version) = self.version()? else { return read() };
        if let Some(known) = self.index.state()?.pages.leaf(version, id) {
            self.index.statements.reads.fetch_add(1, Ordering::Relaxed);
            return Ok(known);
        }
        let leaf = read()?;
        self.index.state()?.pages.put_leaf(version, id, leaf.clone());
        Ok(leaf)
    }

    /// The page that has a segment's term, if the segment has the term, and whether the last doclist on that page has an index.
    fn find_page(&self, segment: &Segment, term: &[u8]) -> Result<Option<(u64, bool)>> {
        let is_short = segment.page_count() <= known_pages::SHORT_PAGES_MAX;
        let Some(version) = self.version()?.filter(|_| is_short) else {
            return self.store().find_page(segment.id, term);
        };
        let known = self.index.state()?.pages.terms(version, segment.id);
        let terms = match known {
            Some(known) => known,
            None => {
                let Some(terms) = self.store().page_terms(segment.id, known_pages::SHORT_PAGES_MAX)? else {
                    return self.store().find_page(segment.id, term);
                };
                self.index.state()?.pages.put_terms(version, segment.id, Arc::clone(&terms));
                terms
            }
        };
        let behind = terms.partition_point(|(first, _)| **first <= *term);
        Ok(behind.checked_sub(1).and_then(|at| terms.get(at)).map(|(_, number)| store::page_of(*number)))
    }

    /// The rows of a token, positioned at the first. With tokendata=1, a token that has data behind a NUL is another token.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn term(&self, token: &[u8], order: Order) -> Result<Postings> {
        self.postings(&key(MAIN_INDEX, token), order)
    }

    fn postings(&self, key: &[u8], order: Order) -> Result<Postings> {
        let cursors = self.find(key)?.to_vec();
        let mut doclist = Vec::new();
        self.index.state()?.pending.doclist_of(key, self.index.detail, &mut doclist)?;
        let memory = (!doclist.is_empty()).then(|| MemoryRows::of_doclist(doclist, self.index.detail, order));
        let memory = memory.transpose()?;
        Postings::of_term(self, memory, cursors, order)
    }

    /// Cursors at the first row of a term, one for each segment that has the term.
    fn find(&self, key: &[u8]) -> Result<Arc<[SegmentCursor]>> {
        let version = self.version()?;
        let known = version.map(|version| self.index.state().map(|state| state.found.get(version, key))).transpose()?;
        if let Some(known) = known.flatten() {
            return Ok(known);
        }
        let structure = self.structure()?;
        let mut cursors = Vec::new();
        for segment in structure.newest_first() {
            let cursor = SegmentCursor::seek(self, segment, key)?;
            if !cursor.is_at_end() && cursor.term == key {
                cursors.push(cursor);
            }
        }
        let cursors: Arc<[SegmentCursor]> = cursors.into();
        if let Some(version) = version {
            self.index.state()?.found.put(version, key, Arc::clone(&cursors));
        }
        Ok(cursors)
    }

    /// The rows of all tokens that begin so, with the positions of all of them. Prefix indexes are used where they are; elsewhere, rows
    /// where no token occurs in any of `columns` are left out. (That a prefix index leaves none out is SQLite's way, and shows in
    /// what phrases of an OR are said to have found.)
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn prefix(&self, prefix: &[u8], order: Order, columns: Option<&[usize]>) -> Result<Postings> {
        let prefix = prefix.get(..TOKEN_LEN_MAX).unwrap_or(prefix);
        match self.prefix_index(prefix) {
            Some(index) => self.postings(&key(index, prefix), order),
            None => {
                let is_there = |positions: &[u8]| columns.is_none_or(|columns| self.stands_in(positions, columns));
                self.union(prefix, order, |_| true, is_there)
            }
        }
    }

    /// The prefix index that has a prefix, if there is one.
    fn prefix_index(&self, prefix: &[u8]) -> Option<u8> {
        let is_as_long = |chars: u32| flush::prefix_of(prefix, chars) == Some(prefix);
        let own = (1..).zip(&self.index.prefixes).find(|(_, chars)| is_as_long(**chars));
        own.filter(|_| !self.index.token_data).map(|(index, _)| MAIN_INDEX + index)
    }

    /// The rowids of [`Reader::prefix`] without its positions, in ascending order. None: an index has the prefix, whose rows come one by one.
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn prefix_rowids(&self, prefix: &[u8]) -> Result<Option<Vec<i64>>> {
        let prefix = prefix.get(..TOKEN_LEN_MAX).unwrap_or(prefix);
        if self.prefix_index(prefix).is_some() {
            return Ok(None);
        }
        self.read_many_tokens()?;
        let key = key(MAIN_INDEX, prefix);
        let mut terms = Terms::from(self, &key, &key)?;
        let mut union = RowidUnion::default();
        while !terms.is_at_end() && terms.token().starts_with(prefix) {
            terms.take_rows(self, union.block())?;
            union.note()?;
        }
        union.finish().map(Some)
    }

    /// The rows of a token, whatever data it has behind a NUL (tokendata=1).
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn token_data(&self, token: &[u8], order: Order) -> Result<Postings> {
        let token = token.get(..TOKEN_LEN_MAX).unwrap_or(token);
        self.union(token, order, |found| matches!(found.get(token.len()), None | Some(0)), |_| true)
    }

    /// Whether a position list has a position in one of these columns. With detail=none, lists have no columns, and the answer is true.
    fn stands_in(&self, positions: &[u8], columns: &[usize]) -> bool {
        match self.index.detail {
            Detail::Full => {
                position::Reader::new(positions).any(|position| columns.contains(&position::column_of(position)))
            }
            Detail::Columns => position::read_columns(positions).any(|column| columns.contains(&(column as usize))),
            Detail::None => true,
        }
    }

    /// The rows of all wanted tokens that begin so, where their positions are wanted.
    fn union(
        &self,
        prefix: &[u8],
        order: Order,
        is_wanted: impl Fn(&[u8]) -> bool,
        is_there: impl Fn(&[u8]) -> bool,
    ) -> Result<Postings> {
        self.read_many_tokens()?;
        let key = key(MAIN_INDEX, prefix);
        let mut terms = Terms::from(self, &key, &key)?;
        let mut union = Union::default();
        while !terms.is_at_end() && terms.token().starts_with(prefix) {
            let is_wanted = is_wanted(terms.token());
            let mut add = |rowid, positions: &[u8]| {
                if is_wanted && is_there(positions) { union.add(rowid, positions) } else { Ok(()) }
            };
            terms.show_rows(self, &mut add)?;
        }
        Postings::of_memory(self, union.finish(self.index.detail, order)?, order)
    }

    /// All tokens from this one on, in the order of their bytes, positioned at the first.
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn terms(&self, from: &[u8]) -> Result<Terms> {
        Terms::from(self, &key(MAIN_INDEX, from), &[MAIN_INDEX])
    }
}

/// A term: the number of an index, and the token.
fn key(index: u8, token: &[u8]) -> Vec<u8> {
    let token = token.get(..TOKEN_LEN_MAX).unwrap_or(token);
    let mut key = Vec::with_capacity(1 + token.len());
    key.push(index);
    key.extend_from_slice(token);
    key
}

impl Structure {
    /// The segments, the newest first.
    fn newest_first(&self) -> impl Iterator<Item = &Segment> {
        self.levels.iter().flat_map(|level| level.segments.iter().rev())
    }
}
