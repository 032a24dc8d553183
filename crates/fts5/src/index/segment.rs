//! A cursor in one segment: on a row of a term.
//!
//! ```text
//!   page 1                        page 2               page 3
//!   | term a | doclist | term b | doclist of b ...    | ... doclist of b | term c | ...
//!                        ^ term_page, doclist_at  ^ page, at
//! ```
//!
//! The cursor moves forward over the rows of a term ([`SegmentCursor::next_row`]) and over terms
//! ([`SegmentCursor::next_term`]); [`super::descending`] goes the other way over the rows of one term.

use std::cmp::Ordering;
use std::sync::Arc;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::copied;

use super::doclist_index;
use super::leaf::{HEADER_LEN, Leaf, TermPosition};
use super::row::{Row, read_from, read_row};
use super::{Block, Reader};
use crate::Result;
use crate::config::Detail;
use crate::structure::Segment;
use crate::varint;

/// A cursor in one segment.
#[derive(Clone, Debug)]
pub struct SegmentCursor {
    /// The segment.
    pub segment: Segment,
    page: u64,
    /// None: behind the last term.
    leaf: Option<Leaf>,
    /// The term.
    pub term: Vec<u8>,
    /// Its first bytes, by which most terms are told apart.
    lead: u64,
    term_page: u64,
    /// Where the doclist begins on the term's page, and where it ends there.
    doclist_at: usize,
    doclist_end: usize,
    /// The next term of this page.
    next_term: Option<usize>,
    terms: TermPosition,
    /// The term is the last one of its page.
    is_last_on_page: bool,
    /// `x_idx` says that the last term of the term's page has a doclist index.
    has_doclist_index: bool,
    /// The row. None: behind the last row of the term.
    pub row: Option<Row>,
    /// The row's positions, if they continue on the next page.
    spilled: Option<Arc<Vec<u8>>>,
    /// The offset behind the row on its page.
    at: usize,
    /// The page on which the row begins.
    row_page: u64,
}

impl SegmentCursor {
    fn on(segment: &Segment) -> SegmentCursor {
        SegmentCursor {
            segment: segment.clone(),
            page: 0,
            leaf: None,
            term: Vec::new(),
            lead: 0,
            term_page: 0,
            doclist_at: 0,
            doclist_end: 0,
            next_term: None,
            terms: TermPosition::default(),
            is_last_on_page: false,
            has_doclist_index: false,
            row: None,
            spilled: None,
            at: 0,
            row_page: 0,
        }
    }

    /// On the first row of the segment's first term.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn first(reader: &Reader<'_>, segment: &Segment) -> Result<SegmentCursor> {
        let mut cursor = SegmentCursor::on(segment);
        if segment.first_page > 0 {
            cursor.load(reader, segment.first_page)?;
            cursor.next_term(reader)?;
        }
        Ok(cursor)
    }

    /// On the first row of the first term from `key` on.
    ///
    /// # Errors
    /// As [`SegmentCursor::first`].
    pub fn seek(reader: &Reader<'_>, segment: &Segment, key: &[u8]) -> Result<SegmentCursor> {
        let mut cursor = SegmentCursor::on(segment);
        if segment.first_page == 0 {
            return Ok(cursor);
        }
        let found = reader.find_page(segment, key)?;
        let (page, has_doclist_index) =
            found.filter(|(page, _)| *page >= segment.first_page).unwrap_or((segment.first_page, false));
        if page > segment.last_page {
            return Err(reader.store().corrupt());
        }
        cursor.load(reader, page)?;
        match cursor.find_on_page(key) {
            Some(at) => {
                cursor.read_term(reader, at)?;
                cursor.has_doclist_index = has_doclist_index;
            }
            None => cursor.next_term(reader)?,
        }
        Ok(cursor)
    }

    /// The order of the terms of two cursors.
    #[inline]
    pub fn compare_terms(&self, other: &SegmentCursor) -> Ordering {
        self.lead.cmp(&other.lead).then_with(|| match self.term.len().max(other.term.len()) {
            // What is behind a short term reads as zeros: the longer one goes on with them.
            ..=LEAD_LEN => self.term.len().cmp(&other.term.len()),
            _ => self.term.cmp(&other.term),
        })
    }

    /// Whether it is behind the last term.
    pub fn is_at_end(&self) -> bool {
        self.leaf.is_none()
    }

    fn load(&mut self, reader: &Reader<'_>, page: u64) -> Result {
        let leaf = reader.leaf(self.segment.id, page)?;
        self.page = page;
        self.terms = TermPosition::default();
        self.next_term = leaf.next_term(&mut self.terms);
        self.leaf = Some(leaf);
        Ok(())
    }

    fn end(&mut self) {
        self.leaf = None;
        self.row = None;
        self.term.clear();
    }

    /// Finds the first term of the page that is not below `key`, and makes `term` what that one shares with the one in front of it. None: all
    /// are below.
    fn find_on_page(&mut self, key: &[u8]) -> Option<usize> {
        let leaf = self.leaf.as_ref()?;
        // How much of the key the term in front has, which is below the key.
        let mut matched = 0;
        let mut is_first = true;
        while let Some(at) = self.next_term {
            let (shared, len, text_at) = term_header(leaf, at, is_first)?;
            // (A term that shares more with the one in front than that does with the key is below the key, too.)
            if shared <= matched {
                let same = match shared < matched {
                    true => None,
                    false => below(leaf.content().get(text_at..text_at.checked_add(len)?)?, key.get(matched..)?),
                };
                let Some(same) = same else {
                    self.term.clear();
                    self.term.extend_from_slice(key.get(..shared)?);
                    return Some(at);
                };
                matched += same;
            }
            is_first = false;
            self.next_term = leaf.next_term(&mut self.terms);
        }
        None
    }

    /// Goes to the first row of the next term.
    ///
    /// # Errors
    /// As [`SegmentCursor::first`].
    pub fn next_term(&mut self, reader: &Reader<'_>) -> Result {
        loop {
            if self.leaf.is_none() {
                return Ok(());
            }
            if let Some(at) = self.next_term {
                return self.read_term(reader, at);
            }
            if self.page >= self.segment.last_page {
                self.end();
                return Ok(());
            }
            self.load(reader, self.page + 1)?;
        }
    }

    /// Reads the term at `at` on the page, and its first row.
    fn read_term(&mut self, reader: &Reader<'_>, at: usize) -> Result {
        let corrupt = || reader.store().corrupt_page(self.segment.id, self.page);
        let leaf = self.leaf.as_ref().ok_or_else(corrupt)?;
        let is_first = leaf.first_term() == Some(at);
        let (shared, len, text_at) = term_header(leaf, at, is_first).ok_or_else(corrupt)?;
        let text = text_at.checked_add(len).and_then(|end| leaf.content().get(text_at..end)).ok_or_else(corrupt)?;
        if shared > self.term.len() && !is_first {
            return Err(corrupt());
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(text);
        self.lead = leading_bytes(&self.term);
        self.next_term = leaf.next_term(&mut self.terms);
        self.term_page = self.page;
        self.doclist_at = text_at + len;
        self.doclist_end = self.end_on_page();
        self.is_last_on_page = self.next_term.is_none();
        self.has_doclist_index = false;
        self.first_row(reader)
    }

    /// Goes to the first row of the term, from the term's page.
    fn first_row(&mut self, reader: &Reader<'_>) -> Result {
        self.spilled = None;
        if self.doclist_at < self.doclist_end {
            return self.take_row(reader, self.doclist_at, None);
        }
        if self.next_term.is_some() {
            return Err(reader.store().corrupt_page(self.segment.id, self.page));
        }
        self.row_of_next_page(reader)
    }

    /// Where the doclist ends on the page.
    fn end_on_page(&self) -> usize {
        self.next_term.or_else(|| self.leaf.as_ref().map(Leaf::size)).unwrap_or(0)
    }

    /// Reads the row at `at`: a difference to `last`, or the first rowid of a page or doclist.
    fn take_row(&mut self, reader: &Reader<'_>, at: usize, last: Option<i64>) -> Result {
        let corrupt = || reader.store().corrupt_page(self.segment.id, self.page);
        let end = self.end_on_page();
        let leaf = self.leaf.as_ref().ok_or_else(corrupt)?;
        if !(HEADER_LEN..end).contains(&at) {
            return Err(crate::corrupt());
        }
        let row = read_row(leaf, at, end, last, reader.index.detail).ok_or_else(corrupt)?;
        self.spilled = None;
        self.row = Some(row);
        self.row_page = self.page;
        let behind = row.data_at + row.data_len;
        if behind <= end {
            self.at = behind;
            return Ok(());
        }
        self.gather(reader, row, end)
    }

    /// Joins the positions of a row that continue on the next pages, and moves to the page where they end.
    fn gather(&mut self, reader: &Reader<'_>, row: Row, end: usize) -> Result {
        let segment = self.segment.id;
        let corrupt = |page| reader.store().corrupt_page(segment, page);
        let content = self.leaf.as_ref().map(Leaf::content).unwrap_or_default();
        let mut bytes = copied(content.get(row.data_at..end).unwrap_or_default())?;
        while bytes.len() < row.data_len {
            if self.next_term.is_some() || self.page >= self.segment.last_page {
                return Err(corrupt(self.page));
            }
            self.load(reader, self.page + 1)?;
            let end = self.end_on_page();
            let content = self.leaf.as_ref().map(Leaf::content).unwrap_or_default();
            let behind = (HEADER_LEN + (row.data_len - bytes.len())).min(end);
            bytes.try_append(content.get(HEADER_LEN..behind).ok_or_else(|| corrupt(self.page))?)?;
            self.at = behind;
        }
        self.spilled = Some(Arc::new(bytes));
        Ok(())
    }

    /// Goes to the next row of the term.
    ///
    /// # Errors
    /// As [`SegmentCursor::first`].
    pub fn next_row(&mut self, reader: &Reader<'_>) -> Result {
        let Some(row) = self.row else { return Ok(()) };
        if self.spilled.is_some() {
            // The page is another one than the row's: it begins its rows anew.
            let first = self.leaf.as_ref().and_then(Leaf::first_rowid);
            return match first.filter(|at| *at < self.end_on_page()) {
                Some(at) => self.take_row(reader, at, None),
                None => self.row_of_next_page(reader),
            };
        }
        if self.at < self.end_on_page() {
            return self.take_row(reader, self.at, Some(row.rowid));
        }
        self.row_of_next_page(reader)
    }

    /// Whether the row is known to be the last of its term: another term follows on the page.
    pub fn is_on_last_row(&self) -> bool {
        self.spilled.is_none() && self.next_term.is_some_and(|next| self.at >= next)
    }

    /// Goes to the first row of the term on a later page.
    fn row_of_next_page(&mut self, reader: &Reader<'_>) -> Result {
        self.row = None;
        self.spilled = None;
        while self.next_term.is_none() && self.page < self.segment.last_page {
            self.load(reader, self.page + 1)?;
            let first = self.leaf.as_ref().and_then(Leaf::first_rowid);
            if let Some(at) = first {
                return self.take_row(reader, at, None);
            }
        }
        Ok(())
    }

    /// Goes to the first row from `rowid` on.
    ///
    /// # Errors
    /// As [`SegmentCursor::first`].
    pub fn seek_row(&mut self, reader: &Reader<'_>, rowid: i64) -> Result {
        if self.row.is_none_or(|row| row.rowid >= rowid) {
            return Ok(());
        }
        while self.row.is_some_and(|row| row.rowid < rowid) {
            if self.pass_rows(reader.index.detail, rowid) {
                break;
            }
            // The index is looked at where a page ends: mostly the row is not that far.
            let is_at_end_of_page = self.at >= self.end_on_page();
            if !(is_at_end_of_page && self.has_doclist_index() && self.skip_pages(reader, rowid)?) {
                self.next_row(reader)?;
            }
        }
        Ok(())
    }

    /// Goes to the first row of the page that the doclist index names, if that is a later one.
    fn skip_pages(&mut self, reader: &Reader<'_>, rowid: i64) -> Result<bool> {
        let found = doclist_index::find(reader, self.segment.id, self.term_page, rowid)?;
        let Some(page) = found.filter(|page| *page > self.page && *page <= self.segment.last_page) else {
            return Ok(false);
        };
        self.load(reader, page)?;
        match self.leaf.as_ref().and_then(Leaf::first_rowid) {
            Some(at) => self.take_row(reader, at, None)?,
            None => self.row_of_next_page(reader)?,
        }
        Ok(true)
    }

    /// Goes over rows of the page to the first one from `rowid` on; whether it is there. Otherwise the cursor stands in front of the last
    /// one. Damage is left to be found where rows are taken one by one.
    fn pass_rows(&mut self, detail: Detail, rowid: i64) -> bool {
        let Some((row, leaf)) = self.row.as_mut().zip(self.leaf.as_ref()) else { return false };
        if detail == Detail::None || self.spilled.is_some() {
            return false;
        }
        let end = self.next_term.unwrap_or_else(|| leaf.size());
        let bytes = leaf.content().get(..end).unwrap_or_default();
        loop {
            let Some(next) = read_from(bytes, self.at, Some(row.rowid), detail) else { return false };
            let behind = next.data_at + next.data_len;
            let is_found = next.rowid >= rowid;
            if behind > end || behind == end && !is_found || self.at < HEADER_LEN {
                return false;
            }
            (*row, self.at) = (next, behind);
            if is_found {
                self.row_page = self.page;
                return true;
            }
        }
    }

    /// Appends the row to `block`.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn take(&self, block: &mut Block) -> Result<(), OutOfMemory> {
        let Some((row, leaf)) = self.row.zip(self.leaf.as_ref()) else { return Ok(()) };
        match &self.spilled {
            Some(list) => block.push(row.rowid, list),
            None => {
                block.begin_page(leaf);
                block.reserve(1)?;
                block.push_on_page(row.rowid, row.data_at, row.data_len);
                Ok(())
            }
        }
    }

    /// Passes over the rows that follow on this page, as far as each has the term, and comes before `below`, to the last of them, and appends
    /// them to `block` until that has `count_max`. The block has the row, as [`SegmentCursor::take`] appends it.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn take_run(
        &mut self,
        detail: Detail,
        below: Option<i64>,
        count_max: usize,
        block: &mut Block,
    ) -> Result<(), OutOfMemory> {
        let Some((row, leaf)) = self.row.as_mut().zip(self.leaf.as_ref()).filter(|_| self.spilled.is_none()) else {
            return Ok(());
        };
        let end = self.next_term.unwrap_or_else(|| leaf.size());
        let bytes = leaf.content().get(..end).unwrap_or_default();
        // (A row that cannot be below anything is left to those who take rows one by one.)
        let below = below.unwrap_or(i64::MAX);
        let (mut last, mut at) = (*row, self.at);
        // (A row has a byte at least.)
        block.reserve(count_max.saturating_sub(block.len()).min(end.saturating_sub(at)))?;
        while block.len() < count_max {
            let Some(next) = read_from(bytes, at, Some(last.rowid), detail) else { break };
            let behind = next.data_at + next.data_len;
            if !next.has_content || next.rowid <= last.rowid || next.rowid >= below || behind > end {
                break;
            }
            block.push_on_page(next.rowid, next.data_at, next.data_len);
            (last, at) = (next, behind);
        }
        (*row, self.at) = (last, at);
        Ok(())
    }

    /// The rows that follow on this page, in no more than `len_max` bytes, as far as each has the term, and comes before `below`: their bytes, the
    /// last one, and the offset behind it. Not with detail=none.
    pub fn run(&self, detail: Detail, below: Option<i64>, len_max: usize) -> Option<(&[u8], Row, usize)> {
        let (row, leaf) = self.row.zip(self.leaf.as_ref()).filter(|_| self.spilled.is_none())?;
        let end = self.next_term.unwrap_or_else(|| leaf.size()).min(self.at.saturating_add(len_max));
        let bytes = leaf.content().get(..end)?;
        let mut found: Option<(Row, usize)> = None;
        let (mut at, mut last) = (self.at, row.rowid);
        while let Some(next) = read_from(bytes, at, Some(last), detail) {
            let behind = next.data_at + next.data_len;
            if behind > end || !next.has_content || next.rowid <= last || below.is_some_and(|below| next.rowid >= below)
            {
                break;
            }
            (at, last, found) = (behind, next.rowid, Some((next, behind)));
        }
        let (row, behind) = found?;
        Some((bytes.get(self.at..behind)?, row, behind))
    }

    /// Passes over the rows that follow on this page, as far as each has the term, and comes before `below`, to the last of them, and shows them
    /// with their positions.
    ///
    /// # Errors
    /// Those of `show`.
    pub fn show_run(
        &mut self,
        detail: Detail,
        below: Option<i64>,
        show: &mut impl FnMut(i64, &[u8]) -> Result,
    ) -> Result {
        let Some((row, leaf)) = self.row.as_mut().zip(self.leaf.as_ref()).filter(|_| self.spilled.is_none()) else {
            return Ok(());
        };
        let end = self.next_term.unwrap_or_else(|| leaf.size());
        let bytes = leaf.content().get(..end).unwrap_or_default();
        while let Some(next) = read_from(bytes, self.at, Some(row.rowid), detail) {
            let behind = next.data_at + next.data_len;
            let Some(positions) = bytes.get(next.data_at..behind).filter(|_| next.has_content) else { break };
            if next.rowid <= row.rowid || below.is_some_and(|below| next.rowid >= below) {
                break;
            }
            show(next.rowid, positions)?;
            (*row, self.at) = (next, behind);
        }
        Ok(())
    }

    /// Goes to the last row of a [`SegmentCursor::run`].
    pub fn pass_run(&mut self, row: Row, behind: usize) {
        (self.row, self.at) = (Some(row), behind);
    }

    /// The positions of the row.
    pub fn positions(&self) -> &[u8] {
        if let Some(bytes) = &self.spilled {
            return bytes;
        }
        let Some((row, leaf)) = self.row.zip(self.leaf.as_ref()) else { return &[] };
        leaf.content().get(row.data_at..row.data_at + row.data_len).unwrap_or_default()
    }

    /// Whether rows further on can be found by the doclist index.
    pub fn has_doclist_index(&self) -> bool {
        self.has_doclist_index && self.is_last_on_page
    }

    /// The page of the term, and where on it the doclist begins and ends.
    pub fn doclist(&self) -> (u64, usize, usize) {
        (self.term_page, self.doclist_at, self.doclist_end)
    }

    /// The page on which the row begins.
    pub fn row_page(&self) -> u64 {
        self.row_page
    }
}

/// How many bytes of a term its lead has.
const LEAD_LEN: usize = size_of::<u64>();

/// The first bytes of a term as a number. What is behind a short one reads as zeros.
#[inline]
fn leading_bytes(term: &[u8]) -> u64 {
    match term.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let number = term.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            number << (8 * (LEAD_LEN - term.len()).min(LEAD_LEN - 1))
        }
    }
}

/// How many bytes a term shares with the one in front of it, how many more it has, and where they are.
#[inline]
fn term_header(leaf: &Leaf, at: usize, is_first: bool) -> Option<(usize, usize, usize)> {
    let mut at = at;
    let shared = if is_first { 0 } else { varint::read(leaf.content(), &mut at)? };
    let len = varint::read(leaf.content(), &mut at)?;
    Some((usize::try_from(shared).ok()?, usize::try_from(len).ok()?, at))
}

/// Whether a text is below another one: how many bytes they have in common.
fn below(text: &[u8], other: &[u8]) -> Option<usize> {
    let same = common(text, other);
    match (text.get(same), other.get(same)) {
        (None, Some(_)) => Some(same),
        (Some(one), Some(other)) if one < other => Some(same),
        _ => None,
    }
}

/// How many bytes two texts have in common at their beginnings.
#[inline]
pub fn common(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}
