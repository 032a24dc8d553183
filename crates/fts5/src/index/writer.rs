//! Writes a segment: terms and rows come in order, pages go out.
//!
//! ```text
//!   term ──► row ──► positions ──► row ... ──► term ...
//!     │        │         └ a list is divided where the page is full, between two numbers
//!     │        └ a page that is full ends in front of a row
//!     └ a page that the term does not fit ends; `x_idx` gets the beginning of the term that tells it from the one in front
//! ```
//!
//! Pages are divided where SQLite divides them, so that the same contents make the same segments.

use super::leaf::HEADER_LEN;
use super::segment::common;
use super::store::{Store, doclist_index_id, leaf_id};
use crate::Result;
use crate::config::Detail;
use crate::varint;

/// How many pages without a term must follow a term for its doclist to get an index.
const DOCLIST_INDEX_PAGES_MIN: usize = 4;

/// Writes a segment.
pub struct Writer<'c> {
    store: Store<'c>,
    segment: u64,
    page_size: usize,
    /// The page that is being filled: its number, its bytes, the page index.
    page: u64,
    bytes: Vec<u8>,
    index: Vec<u8>,
    /// The offset of the last term of the page.
    last_term_at: usize,
    /// The last term.
    term: Vec<u8>,
    has_term: bool,
    /// Whether the page has neither a rowid nor a term.
    is_first_rowid_of_page: bool,
    is_first_rowid_of_doclist: bool,
    rowid: i64,
    /// The page that `x_idx` is still to be told of, and the beginning of its first term.
    term_page: Option<(u64, Vec<u8>)>,
    /// How many pages without a term have followed.
    pages_without_term: usize,
    levels: Vec<IndexLevel>,
    /// How many leaf pages were written.
    pub pages_written: u64,
}

/// A level of the doclist index that is being made.
#[derive(Default)]
struct IndexLevel {
    bytes: Vec<u8>,
    /// The number of the page that is being filled.
    page: u64,
    last: Option<i64>,
}

impl<'c> Writer<'c> {
    /// Begins on a page of a segment: the first, or the one behind those that an unfinished merge has written.
    pub fn new(store: Store<'c>, segment: u64, page: u64, page_size: usize) -> Writer<'c> {
        Writer {
            store,
            segment,
            page_size,
            page,
            bytes: vec![0; HEADER_LEN],
            index: Vec::new(),
            last_term_at: 0,
            term: Vec::new(),
            has_term: false,
            is_first_rowid_of_page: true,
            is_first_rowid_of_doclist: true,
            rowid: 0,
            term_page: None,
            pages_without_term: 0,
            levels: Vec::new(),
            pages_written: 0,
        }
    }

    fn used(&self) -> usize {
        self.bytes.len() + self.index.len()
    }

    /// Begins a term, which is above the last one.
    ///
    /// # Errors
    /// The errors of writing the tables.
    pub fn term_begin(&mut self, term: &[u8]) -> Result {
        if self.used() + term.len() + 2 >= self.page_size && self.bytes.len() > HEADER_LEN {
            self.write_page()?;
        }
        let is_first = self.index.is_empty();
        varint::write(&mut self.index, (self.bytes.len() - self.last_term_at) as u64);
        self.last_term_at = self.bytes.len();
        let shared = if self.has_term { common(&self.term, term) } else { 0 };
        if is_first {
            // The shortest beginning that is above the last term: one byte more than they share.
            let len = if self.has_term && self.page > 1 { (shared + 1).min(term.len()) } else { 0 };
            let len = if self.page > 1 && !self.has_term { term.len() } else { len };
            self.settle_term_page()?;
            self.term_page = Some((self.page, term.get(..len).unwrap_or(term).to_vec()));
            varint::write(&mut self.bytes, term.len() as u64);
            self.bytes.extend_from_slice(term);
        } else {
            let rest = term.get(shared..).unwrap_or_default();
            varint::write(&mut self.bytes, shared as u64);
            varint::write(&mut self.bytes, rest.len() as u64);
            self.bytes.extend_from_slice(rest);
        }
        self.term.clear();
        self.term.extend_from_slice(term);
        self.has_term = true;
        self.is_first_rowid_of_page = false;
        self.is_first_rowid_of_doclist = true;
        // (An index is that of the doclist of the last term on its page.)
        self.levels.clear();
        Ok(())
    }

    /// Begins a row of the term, which is above the last one.
    ///
    /// # Errors
    /// The errors of writing the tables.
    pub fn row_begin(&mut self, rowid: i64) -> Result {
        if self.used() >= self.page_size {
            self.write_page()?;
        }
        self.put_rowid(rowid)
    }

    fn put_rowid(&mut self, rowid: i64) -> Result {
        if self.is_first_rowid_of_page {
            let at = self.bytes.len() as u16;
            if let Some(header) = self.bytes.first_chunk_mut() {
                *header = at.to_be_bytes();
            }
            self.note_in_index(rowid)?;
        }
        let is_absolute = self.is_first_rowid_of_page || self.is_first_rowid_of_doclist;
        let number = if is_absolute { rowid } else { rowid.wrapping_sub(self.rowid) };
        varint::write(&mut self.bytes, number as u64);
        self.rowid = rowid;
        (self.is_first_rowid_of_page, self.is_first_rowid_of_doclist) = (false, false);
        Ok(())
    }

    /// Appends what says with detail=none that a row is deleted, and perhaps inserted again.
    pub fn deleted(&mut self, has_content: bool) {
        self.bytes.push(0);
        if has_content {
            self.bytes.push(0);
        }
    }

    /// Appends the positions of the row.
    ///
    /// # Errors
    /// The errors of writing the tables.
    pub fn positions(&mut self, positions: &[u8], is_delete: bool) -> Result {
        varint::write(&mut self.bytes, (positions.len() as u64) << 1 | u64::from(is_delete));
        let mut rest = positions;
        while self.used() + rest.len() >= self.page_size {
            let wanted = self.page_size.saturating_sub(self.used());
            let mut len = 0;
            while len < wanted && varint::read(rest, &mut len).is_some() {}
            let (now, later) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            self.bytes.extend_from_slice(now);
            rest = later;
            self.write_page()?;
        }
        self.bytes.extend_from_slice(rest);
        Ok(())
    }

    /// How many bytes of rows fit on the page behind the row that was written last, if nothing else than rows comes: as many as
    /// [`Writer::positions`] would put there.
    pub fn space(&self) -> usize {
        if self.is_first_rowid_of_page { 0 } else { self.page_size.saturating_sub(self.used() + 1) }
    }

    /// Appends rows that follow the one that was written last, as a segment has them, which fit into the [`Writer::space`].
    pub fn rows(&mut self, rows: &[u8], last: i64) {
        self.bytes.extend_from_slice(rows);
        self.rowid = last;
    }

    /// Appends a row of a doclist in memory: `data` follows the rowid. Where it does not fit, it is divided in
    /// front of the number that is beyond the page's end; SQLite does this otherwise than [`Writer::positions`].
    ///
    /// # Errors
    /// The errors of writing the tables.
    pub fn row_from_memory(&mut self, rowid: i64, data: &[u8], detail: Detail) -> Result {
        self.put_rowid(rowid)?;
        if detail == Detail::None {
            self.bytes.extend_from_slice(data);
            return if self.used() >= self.page_size { self.write_page() } else { Ok(()) };
        }
        if self.used() + data.len() <= self.page_size {
            self.bytes.extend_from_slice(data);
            return Ok(());
        }
        let mut rest = data;
        loop {
            let space = self.page_size.saturating_sub(self.used());
            let len = if rest.len() <= space { rest.len() } else { whole_numbers(rest, space) };
            let (now, later) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            self.bytes.extend_from_slice(now);
            rest = later;
            if self.used() >= self.page_size {
                self.write_page()?;
            }
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// Appends a whole doclist if it fits on the page; whether it did.
    pub fn doclist_if_it_fits(&mut self, doclist: &[u8]) -> bool {
        let fits = self.used() + doclist.len() < self.page_size;
        if fits {
            self.bytes.extend_from_slice(doclist);
        }
        fits
    }

    /// Writes the page, if there is anything on it, and begins the next.
    fn write_page(&mut self) -> Result {
        let size = self.bytes.len() as u16;
        if let Some(header) = self.bytes.get_mut(2..).and_then(<[u8]>::first_chunk_mut) {
            *header = size.to_be_bytes();
        }
        if self.index.is_empty() {
            self.note_page_without_term();
        } else {
            self.bytes.append(&mut self.index);
        }
        self.store.write(leaf_id(self.segment, self.page), &self.bytes)?;
        self.bytes.clear();
        self.bytes.resize(HEADER_LEN, 0);
        self.last_term_at = 0;
        self.is_first_rowid_of_page = true;
        self.page += 1;
        self.pages_written += 1;
        Ok(())
    }

    fn note_page_without_term(&mut self) {
        self.pages_without_term += 1;
        // Pages in front of the first one on which a row begins are not in the index.
        if let Some(level) = self.levels.first_mut().filter(|level| self.is_first_rowid_of_page && level.last.is_some())
        {
            varint::write(&mut level.bytes, 0);
        }
    }

    /// Notes in the doclist index that `rowid` is the first on the page.
    fn note_in_index(&mut self, rowid: i64) -> Result {
        let mut child_page = self.page;
        let mut height = 0;
        let mut is_root = true;
        loop {
            if self.levels.len() == height {
                let page = self.term_page.as_ref().map_or(0, |(page, _)| *page);
                self.levels.push(IndexLevel { bytes: Vec::new(), page, last: None });
            }
            let (lower, upper) = self.levels.split_at_mut(height + 1);
            let Some(level) = lower.last_mut() else { return Ok(()) };
            let is_full = level.bytes.len() >= self.page_size;
            let mut parent = None;
            if is_full {
                set_first(&mut level.bytes, 1);
                self.store.write(doclist_index_id(self.segment, height as u32, level.page), &level.bytes)?;
                let first = first_rowid(&level.bytes);
                if upper.is_empty() {
                    parent = Some(IndexLevel { bytes: Vec::new(), page: level.page, last: None });
                    if let (Some(parent), Some(first)) = (&mut parent, first) {
                        push_first(parent, level.page, first, true);
                    }
                }
                level.bytes.clear();
                level.last = None;
                level.page += 1;
                is_root = false;
            }
            match level.last {
                Some(last) => varint::write(&mut level.bytes, rowid.wrapping_sub(last) as u64),
                None => push_first(level, child_page, rowid, is_root && !is_full),
            }
            level.last = Some(rowid);
            let page = level.page;
            self.levels.extend(parent);
            if !is_full {
                return Ok(());
            }
            child_page = page;
            height += 1;
            is_root = true;
        }
    }

    /// Tells `x_idx` of the page with the last term, and writes the doclist index of that term if it is long enough.
    fn settle_term_page(&mut self) -> Result {
        let Some((page, term)) = self.term_page.take() else { return Ok(()) };
        let has_index = self.pages_without_term >= DOCLIST_INDEX_PAGES_MIN && !self.levels.is_empty();
        if has_index {
            for (height, level) in self.levels.iter().enumerate().filter(|(_, level)| !level.bytes.is_empty()) {
                self.store.write(doclist_index_id(self.segment, height as u32, level.page), &level.bytes)?;
            }
        }
        self.levels.clear();
        self.pages_without_term = 0;
        self.store.add_page(self.segment, &term, page, has_index)
    }

    /// Writes what is left; the number of the last page. 0: nothing was written at all.
    ///
    /// # Errors
    /// The errors of writing the tables.
    pub fn finish(&mut self) -> Result<u64> {
        if self.bytes.len() > HEADER_LEN {
            self.write_page()?;
        }
        self.settle_term_page()?;
        Ok(self.page - 1)
    }
}

/// How many bytes the numbers have that end within `space`; at least the first one counts.
fn whole_numbers(bytes: &[u8], space: usize) -> usize {
    let mut at = 0;
    let mut len = 0;
    while varint::read(bytes, &mut at).is_some() && (at <= space || len == 0) {
        len = at;
    }
    if len == 0 { bytes.len() } else { len }
}

fn set_first(bytes: &mut [u8], value: u8) {
    if let Some(first) = bytes.first_mut() {
        *first = value;
    }
}

fn first_rowid(bytes: &[u8]) -> Option<i64> {
    let mut at = 1;
    varint::read(bytes, &mut at)?;
    varint::read(bytes, &mut at).map(|rowid| rowid as i64)
}

/// Begins a page of a doclist index.
fn push_first(level: &mut IndexLevel, page: u64, rowid: i64, is_root: bool) {
    level.bytes.push(u8::from(!is_root));
    varint::write(&mut level.bytes, page);
    varint::write(&mut level.bytes, rowid as u64);
    level.last = Some(rowid);
}
