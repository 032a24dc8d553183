//! The rows of a term in one segment, from the last to the first.
//!
//! A page's rows are differences, so they are read forward and kept; pages are taken from the last to the first.

use std::sync::Arc;

use lithe_value::Grow;
use lithe_value::grow::copied;

use super::Reader;
use super::doclist_index;
use super::leaf::{HEADER_LEN, Leaf};
use super::row::{Row, read_row};
use super::segment::SegmentCursor;
use crate::Result;
use crate::structure::Segment;

/// A cursor that goes down.
#[derive(Clone, Debug)]
pub struct DescendingCursor {
    segment: Segment,
    term_page: u64,
    doclist_at: usize,
    doclist_end: usize,
    has_doclist_index: bool,
    page: u64,
    leaf: Leaf,
    /// The rows of the page up to the row of the cursor, which is the last.
    rows: Vec<Row>,
    /// The row's positions, if they continue on the next page.
    spilled: Option<Arc<Vec<u8>>>,
}

impl DescendingCursor {
    /// Positions at the last row of a cursor's term, from the term's first row. `None`: the term has no rows.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn new(reader: &Reader<'_>, cursor: &SegmentCursor) -> Result<DescendingCursor> {
        let (term_page, doclist_at, doclist_end) = cursor.doclist();
        let leaf = reader.leaf(cursor.segment.id, term_page)?;
        let mut descending = DescendingCursor {
            segment: cursor.segment.clone(),
            term_page,
            doclist_at,
            doclist_end,
            has_doclist_index: cursor.has_doclist_index(),
            page: term_page,
            leaf,
            rows: Vec::new(),
            spilled: None,
        };
        let last = descending.last_page(reader)?;
        descending.go_to_page(reader, last)?;
        descending.settle(reader)?;
        Ok(descending)
    }

    /// The row. None: in front of the first.
    pub fn row(&self) -> Option<Row> {
        self.rows.last().copied()
    }

    /// The positions of the row.
    pub fn positions(&self) -> &[u8] {
        if let Some(bytes) = &self.spilled {
            return bytes;
        }
        let Some(row) = self.row() else { return &[] };
        self.leaf.content().get(row.data_at..row.data_at + row.data_len).unwrap_or_default()
    }

    /// Goes to the row in front.
    ///
    /// # Errors
    /// As [`DescendingCursor::new`].
    pub fn next_row(&mut self, reader: &Reader<'_>) -> Result {
        self.rows.pop();
        self.settle(reader)
    }

    /// Goes to the last row that is not above `rowid`.
    ///
    /// # Errors
    /// As [`DescendingCursor::new`].
    pub fn seek_row(&mut self, reader: &Reader<'_>, rowid: i64) -> Result {
        if self.row().is_none_or(|row| row.rowid <= rowid) {
            return Ok(());
        }
        let is_beyond_page = self.rows.first().is_some_and(|row| row.rowid > rowid);
        if self.has_doclist_index && is_beyond_page && self.page > self.term_page {
            let found = doclist_index::find(reader, self.segment.id, self.term_page, rowid)?;
            let page = found.unwrap_or(self.term_page);
            if page < self.page {
                self.go_to_page(reader, page)?;
            }
        }
        loop {
            while self.rows.last().is_some_and(|row| row.rowid > rowid) {
                self.rows.pop();
            }
            self.settle(reader)?;
            if self.row().is_none_or(|row| row.rowid <= rowid) {
                return Ok(());
            }
        }
    }

    /// The last page on which a row of the term begins.
    fn last_page(&self, reader: &Reader<'_>) -> Result<u64> {
        if self.doclist_end < self.leaf.size() {
            return Ok(self.term_page);
        }
        if self.has_doclist_index {
            let last = doclist_index::last(reader, self.segment.id, self.term_page)?;
            return Ok(last.unwrap_or(self.term_page).min(self.segment.last_page).max(self.term_page));
        }
        let mut last = self.term_page;
        for page in self.term_page + 1..=self.segment.last_page {
            let leaf = reader.leaf(self.segment.id, page)?;
            if leaf.first_rowid().is_some() {
                last = page;
            }
            if leaf.has_terms() {
                break;
            }
        }
        Ok(last)
    }

    /// Reads the rows that begin on a page.
    fn go_to_page(&mut self, reader: &Reader<'_>, page: u64) -> Result {
        if page != self.page {
            self.leaf = reader.leaf(self.segment.id, page)?;
            self.page = page;
        }
        self.rows.clear();
        let (mut at, end) = if page == self.term_page {
            (self.doclist_at, self.doclist_end)
        } else {
            let end = self.leaf.first_term().unwrap_or(self.leaf.size());
            (self.leaf.first_rowid().unwrap_or(end), end)
        };
        if !(HEADER_LEN..=end).contains(&at) {
            return Err(crate::corrupt());
        }
        let mut last = None;
        while at < end {
            let row = read_row(&self.leaf, at, end, last, reader.index.detail)
                .ok_or_else(|| reader.store().corrupt_page(self.segment.id, page))?;
            last = Some(row.rowid);
            at = row.data_at + row.data_len;
            self.rows.try_push(row)?;
        }
        Ok(())
    }

    /// Goes to earlier pages until there is a row, and reads its positions if they are not all on the page.
    fn settle(&mut self, reader: &Reader<'_>) -> Result {
        self.spilled = None;
        while self.rows.is_empty() && self.page > self.term_page {
            self.go_to_page(reader, self.page - 1)?;
        }
        let Some(row) = self.row() else { return Ok(()) };
        let end = if self.page == self.term_page { self.doclist_end } else { self.leaf.size() };
        if row.data_at + row.data_len <= end {
            return Ok(());
        }
        let mut bytes = copied(self.leaf.content().get(row.data_at..end).unwrap_or_default())?;
        let mut page = self.page;
        while bytes.len() < row.data_len {
            page += 1;
            if page > self.segment.last_page {
                return Err(reader.store().corrupt_page(self.segment.id, self.page));
            }
            let leaf = reader.leaf(self.segment.id, page)?;
            let behind = (HEADER_LEN + (row.data_len - bytes.len())).min(leaf.size());
            bytes.try_append(leaf.content().get(HEADER_LEN..behind).unwrap_or_default())?;
        }
        self.spilled = Some(Arc::new(bytes));
        Ok(())
    }
}
