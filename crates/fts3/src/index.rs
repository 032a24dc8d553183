//! The inverted index: the rows that have a term.
//!
//! ```text
//!   rows ── pending ── flush ──► segments of level 0 ── merge ──► level 1 …
//!              │                          │
//!              └──────── MergeReader ◄────┘ ──► terms with doclists
//! ```
//!
//! Each language has one index of terms, and one for each length of prefixes. The absolute level of a segment encodes language, index and
//! level: (language * indexes + index) * 1024 + level. In a level, a higher `idx` is newer; a lower level is newer.

pub mod incremental;
pub mod node;
pub mod pending;
pub mod reader;
pub mod store;
pub mod writer;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lithe_vtab::{Names, SqlConnection};

use crate::config::Config;
use crate::doclist::{Order, Position};
use crate::{Result, corrupt};
use pending::{Pending, Terms};
use reader::{MergeReader, SegmentReader};
use store::{Segment, Store};
use writer::SegmentWriter;

/// The most levels of an index.
pub const LEVELS: i64 = 1024;
/// The number of segments at which a level is merged.
pub const SEGMENTS_MAX: i64 = 16;

/// The part of a page that a node leaves free, so that its record fits the page.
pub const PAGE_RESERVE: i64 = 35;

/// The terms to read.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'t> {
    /// All.
    All,
    /// This one.
    Term(&'t [u8]),
    /// The terms with this prefix.
    Prefix(&'t [u8]),
}

impl Wanted<'_> {
    /// Whether a term is wanted.
    pub fn includes(&self, term: &[u8]) -> bool {
        match self {
            Wanted::All => true,
            Wanted::Term(wanted) => term == *wanted,
            Wanted::Prefix(prefix) => term.starts_with(prefix),
        }
    }

    /// Whether the wanted terms all come before this one.
    pub fn is_before(&self, term: &[u8]) -> bool {
        match self {
            Wanted::All => false,
            Wanted::Term(wanted) => term > *wanted,
            Wanted::Prefix(prefix) => term > *prefix && !term.starts_with(prefix),
        }
    }
}

/// The index of a table.
pub struct Index {
    /// The rows of its shadow tables.
    pub store: Store,
    prefixes: Vec<usize>,
    /// In which order docids stand in doclists.
    pub order: Order,
    node_size: usize,
    pending: Mutex<Pending>,
    /// The number of leaves that the transaction has written.
    pub leaves_added: AtomicU64,
    /// Whether segments are being written. A savepoint that a statement of the index opens must not flush the pending terms meanwhile.
    is_writing: AtomicBool,
}

/// Marks that segments are being written, until it is dropped.
struct Writing<'i>(&'i Index, bool);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.is_writing.store(self.1, Ordering::Relaxed);
    }
}

/// The absolute levels of an index in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The lowest.
    pub first: i64,
    /// The highest that there may be.
    pub last: i64,
}

impl Index {
    /// The index of a table, with nodes of that size.
    pub fn new(config: &Config, names: &Names, node_size: usize) -> Index {
        Index {
            store: Store::new(names),
            prefixes: config.prefixes.clone(),
            order: config.order,
            node_size,
            pending: Mutex::default(),
            leaves_added: AtomicU64::new(0),
            is_writing: AtomicBool::new(false),
        }
    }

    fn begin_writing(&self) -> Writing<'_> {
        Writing(self, self.is_writing.swap(true, Ordering::Relaxed))
    }

    /// Whether a caller further up the stack writes segments.
    pub fn is_writing(&self) -> bool {
        self.is_writing.load(Ordering::Relaxed)
    }

    /// How many indexes there are.
    pub fn count(&self) -> usize {
        1 + self.prefixes.len()
    }

    /// The pending terms.
    pub fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The levels of an index in a language.
    pub fn levels(&self, language: i32, index: usize) -> Levels {
        let first = (i64::from(language) * self.count() as i64 + index as i64) * LEVELS;
        Levels { first, last: first + LEVELS - 1 }
    }

    /// The levels of the index and language that an absolute level belongs to.
    pub fn levels_of(level: i64) -> Levels {
        let first = level.div_euclid(LEVELS) * LEVELS;
        Levels { first, last: first + LEVELS - 1 }
    }

    /// Begins to add or to delete the terms of a row.
    ///
    /// # Errors
    /// Those of writing the pending terms, if the row cannot be added to them.
    pub fn begin_row(&self, connection: &dyn SqlConnection, docid: i64, is_delete: bool, language: i32) -> Result {
        if self.pending().must_flush(docid, language) {
            self.flush(connection)?;
        }
        self.pending().begin_row(docid, is_delete, language);
        Ok(())
    }

    /// Adds a term of the row; without a position, a deletion of the row from the term.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn add(&self, pending: &mut Pending, term: &[u8], position: Option<Position>) -> Result {
        pending.add(0, term, position)?;
        for (index, len) in (1..).zip(&self.prefixes) {
            if let Some(prefix) = term.get(..*len) {
                pending.add(index, prefix, position)?;
            }
        }
        Ok(())
    }

    /// Whether there are pending terms.
    pub fn has_pending(&self) -> bool {
        !self.pending().is_empty(0)
    }

    /// Writes the pending terms as segments.
    ///
    /// # Errors
    /// Those of reading and writing.
    pub fn flush(&self, connection: &dyn SqlConnection) -> Result {
        let _writing = self.begin_writing();
        let language = self.pending().language;
        for index in 0..self.count() {
            if self.pending().is_empty(index) {
                continue;
            }
            let terms = self.pending().terms(index, &Wanted::All, self.order)?;
            let level = self.levels(language, index).first;
            let place = self.next_place(connection, level)?;
            let mut writer = SegmentWriter::new(connection, &self.store, self.node_size)?;
            for (term, doclist) in &terms {
                writer.add(connection, &self.store, term, doclist)?;
            }
            self.finish(connection, writer, level, place, true)?;
        }
        self.pending().clear();
        Ok(())
    }

    fn finish(
        &self,
        connection: &dyn SqlConnection,
        writer: SegmentWriter,
        level: i64,
        place: i64,
        may_promote: bool,
    ) -> Result {
        self.leaves_added.fetch_add(writer.leaves + 1, Ordering::Relaxed);
        let segment = writer.finish(connection, &self.store, level, place)?;
        if may_promote { self.promote(connection, level, segment.leaf_bytes) } else { Ok(()) }
    }

    /// The index of a new segment in a level. A full level is merged into the next one first.
    fn next_place(&self, connection: &dyn SqlConnection, level: i64) -> Result<i64> {
        let place = self.store.next_index(connection, level)?;
        if place < SEGMENTS_MAX {
            return Ok(place);
        }
        self.merge_level(connection, level)?;
        Ok(0)
    }

    /// Merges all segments of a level into one of the next.
    fn merge_level(&self, connection: &dyn SqlConnection, level: i64) -> Result {
        let levels = Index::levels_of(level);
        if level == levels.last {
            return Err(corrupt());
        }
        let segments = self.store.level(connection, level)?;
        let highest = self.store.max_level(connection, levels.first, levels.last)?.unwrap_or(level);
        let to = level + 1;
        let place = self.next_place(connection, to)?;
        let merged = self.merged(connection, &segments, to <= highest)?;
        let writer = self.write_merged(connection, merged)?;
        for segment in &segments {
            self.store.delete_blocks_of(connection, segment)?;
        }
        self.store.delete_level(connection, level)?;
        writer.map_or(Ok(()), |writer| self.finish(connection, writer, to, place, to < highest))
    }

    /// Merges all segments of an index in a language into one. False if it has just one already.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading and writing.
    pub fn optimize(&self, connection: &dyn SqlConnection, language: i32, index: usize) -> Result<bool> {
        let _writing = self.begin_writing();
        let levels = self.levels(language, index);
        let segments = self.store.levels(connection, levels.first, levels.last)?;
        if segments.len() <= 1 {
            return Ok(segments.is_empty());
        }
        let level = segments.first().map_or(levels.first, |highest| highest.level);
        let merged = self.merged(connection, &segments, false)?;
        let writer = self.write_merged(connection, merged)?;
        for segment in &segments {
            self.store.delete_blocks_of(connection, segment)?;
        }
        self.store.delete_levels(connection, levels.first, levels.last)?;
        if let Some(writer) = writer {
            self.finish(connection, writer, level, 0, false)?;
        }
        Ok(true)
    }

    /// A reader over several segments.
    fn merged(
        &self,
        connection: &dyn SqlConnection,
        segments: &[Segment],
        keeps_deletions: bool,
    ) -> Result<MergeReader> {
        self.reader_of(connection, segments, Vec::new(), &Wanted::All, keeps_deletions)
    }

    fn reader_of(
        &self,
        connection: &dyn SqlConnection,
        segments: &[Segment],
        pending: Terms,
        wanted: &Wanted<'_>,
        keeps_deletions: bool,
    ) -> Result<MergeReader> {
        let mut readers = Vec::with_capacity(segments.len() + 1);
        for (age, segment) in segments.iter().enumerate() {
            readers.push(SegmentReader::new(connection, &self.store, segment, wanted, age)?);
        }
        if !pending.is_empty() {
            readers.push(SegmentReader::pending(pending));
        }
        let mut merged = MergeReader::new(readers, self.order, keeps_deletions);
        merged.start(connection, &self.store)?;
        Ok(merged)
    }

    fn write_merged(&self, connection: &dyn SqlConnection, mut merged: MergeReader) -> Result<Option<SegmentWriter>> {
        let mut writer = None;
        while merged.next(connection, &self.store, &Wanted::All)? {
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(SegmentWriter::new(connection, &self.store, self.node_size)?),
            };
            writer.add(connection, &self.store, &merged.term, merged.doclist())?;
        }
        Ok(writer)
    }

    fn pending_terms(&self, language: i32, index: usize, wanted: &Wanted<'_>) -> Result<Terms> {
        let pending = self.pending();
        if pending.language == language { pending.terms(index, wanted, self.order) } else { Ok(Vec::new()) }
    }

    /// Reads terms of an index in a language, with the pending ones. Deleted rows are left out.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn reader(
        &self,
        connection: &dyn SqlConnection,
        language: i32,
        index: usize,
        wanted: &Wanted<'_>,
    ) -> Result<MergeReader> {
        let levels = self.levels(language, index);
        let segments = self.store.levels(connection, levels.first, levels.last)?;
        let pending = self.pending_terms(language, index, wanted)?;
        self.reader_of(connection, &segments, pending, wanted, false)
    }

    /// The number of overflow pages of the leaves that have the wanted terms: the estimated cost to read their doclists.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn overflow_pages(
        &self,
        connection: &dyn SqlConnection,
        language: i32,
        index: usize,
        wanted: &Wanted<'_>,
    ) -> Result<i64> {
        let levels = self.levels(language, index);
        let page_size = self.page_size();
        let mut pages = 0i64;
        for segment in self.store.levels(connection, levels.first, levels.last)? {
            let Some(leaves) = reader::leaves_of(connection, &self.store, &segment, wanted)? else { continue };
            for len in self.store.long_blocks(connection, leaves, page_size - PAGE_RESERVE)? {
                pages = pages.saturating_add((len + PAGE_RESERVE - 1) / page_size);
            }
        }
        Ok(pages)
    }

    /// The size of the database's pages.
    pub fn page_size(&self) -> i64 {
        self.node_size as i64 + PAGE_RESERVE
    }

    /// The index whose terms are prefixes of that length, if the table has one.
    pub fn prefix_index(&self, len: usize) -> Option<usize> {
        self.prefixes.iter().position(|prefix| *prefix == len).map(|at| at + 1)
    }

    /// The prefix lengths of the indexes after the first, which has whole terms.
    pub fn prefix_lens(&self) -> &[usize] {
        &self.prefixes
    }

    /// Moves all segments of higher levels into the level of a new segment, if each is at most 1.5 times its size, because segments of
    /// similar size belong in one level.
    fn promote(&self, connection: &dyn SqlConnection, level: i64, leaf_bytes: i64) -> Result {
        let last = Index::levels_of(level).last;
        let above = self.store.levels(connection, level + 1, last)?;
        let limit = leaf_bytes.saturating_mul(3) / 2;
        if above.is_empty() || above.iter().any(|one| one.leaf_bytes <= 0 || one.leaf_bytes > limit) {
            return Ok(());
        }
        let segments = self.store.levels(connection, level, last)?;
        self.store.gather(connection, &segments, level)
    }
}
