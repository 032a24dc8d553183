//! The rows of a token, from all segments and from memory.
//!
//! Of the sources that have a row, the newest says whether the token occurs in it, and where.

use super::descending::DescendingCursor;
use super::memory::MemoryRows;
use super::row::Row;
use super::segment::SegmentCursor;
use super::tombstones::Tombstones;
use super::{Block, Order, Reader};
use crate::Result;

/// The rows of a token, in order.
#[derive(Clone, Debug)]
pub struct Postings {
    /// The newest first.
    sources: Vec<Source>,
    order: Order,
    /// The source of the row. None: at the end.
    current: Option<usize>,
    rowid: i64,
    /// The first of the rows of all other sources.
    others: Option<i64>,
}

#[derive(Clone, Debug)]
enum Rows {
    Up(Box<SegmentCursor>),
    Down(Box<DescendingCursor>),
    Memory(MemoryRows),
}

#[derive(Clone, Debug)]
struct Source {
    rows: Rows,
    tombstones: Tombstones,
}

impl Source {
    fn row(&self) -> Option<Row> {
        match &self.rows {
            Rows::Up(cursor) => cursor.row,
            Rows::Down(cursor) => cursor.row(),
            Rows::Memory(rows) => rows.row(),
        }
    }

    fn next_row(&mut self, reader: &Reader<'_>) -> Result {
        match &mut self.rows {
            Rows::Up(cursor) => cursor.next_row(reader),
            Rows::Down(cursor) => cursor.next_row(reader),
            Rows::Memory(rows) => {
                rows.next_row();
                Ok(())
            }
        }
    }

    fn seek_row(&mut self, reader: &Reader<'_>, rowid: i64) -> Result {
        match &mut self.rows {
            Rows::Up(cursor) => cursor.seek_row(reader, rowid),
            Rows::Down(cursor) => cursor.seek_row(reader, rowid),
            Rows::Memory(rows) => {
                rows.seek_row(rowid);
                Ok(())
            }
        }
    }
}

impl Postings {
    /// The rows of a term: `cursors` are on it, the newest first.
    pub(super) fn of_term(
        reader: &Reader<'_>,
        memory: Option<MemoryRows>,
        cursors: Vec<SegmentCursor>,
        order: Order,
    ) -> Result<Postings> {
        let mut sources = Vec::with_capacity(cursors.len() + 1);
        let memory = memory.map(|rows| Source { rows: Rows::Memory(rows), tombstones: Tombstones::default() });
        sources.extend(memory);
        for cursor in cursors {
            let tombstones = Tombstones::of(&cursor.segment);
            let rows = match order {
                Order::Ascending => Rows::Up(Box::new(cursor)),
                Order::Descending => Rows::Down(Box::new(DescendingCursor::new(reader, &cursor)?)),
            };
            sources.push(Source { rows, tombstones });
        }
        let mut postings = Postings { sources, order, current: None, rowid: 0, others: None };
        postings.settle(reader)?;
        Ok(postings)
    }

    /// Rows in memory.
    pub(super) fn of_memory(reader: &Reader<'_>, rows: MemoryRows, order: Order) -> Result<Postings> {
        Postings::of_term(reader, Some(rows), Vec::new(), order)
    }

    /// Whether there is no row (any more).
    pub fn is_at_end(&self) -> bool {
        self.current.is_none()
    }

    /// The rowid of the row.
    pub fn rowid(&self) -> i64 {
        self.rowid
    }

    /// Where in the row: see [`crate::position`].
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn positions(&self) -> Result<&[u8]> {
        match self.current.and_then(|at| self.sources.get(at)).map(|source| &source.rows) {
            Some(Rows::Up(cursor)) => Ok(cursor.positions()),
            Some(Rows::Down(cursor)) => Ok(cursor.positions()),
            Some(Rows::Memory(rows)) => rows.positions(),
            None => Ok(&[]),
        }
    }

    /// Goes to the next row, in its order.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn next(&mut self, reader: &Reader<'_>) -> Result {
        let Some(current) = self.current else { return Ok(()) };
        if self.others == Some(self.rowid) {
            self.pass(reader, self.rowid)?;
            return self.settle(reader);
        }
        if let Some(source) = self.sources.get_mut(current) {
            source.next_row(reader)?;
        }
        self.stay_or_settle(reader, current)
    }

    /// The source of the row has moved: it is the source of the next row, too, if its row is in front of all others.
    fn stay_or_settle(&mut self, reader: &Reader<'_>, current: usize) -> Result {
        let row = self.sources.get(current).and_then(Source::row).filter(|row| row.has_content);
        let row = row.filter(|row| self.others.is_none_or(|others| self.is_before(row.rowid, others)));
        if let (Some(row), Some(source)) = (row, self.sources.get_mut(current))
            && !source.tombstones.has(reader, row.rowid)?
        {
            self.rowid = row.rowid;
            return Ok(());
        }
        self.settle(reader)
    }

    /// Goes to the first row that is not before `rowid` in its order. Never goes back.
    ///
    /// # Errors
    /// As [`Postings::next`].
    pub fn seek(&mut self, reader: &Reader<'_>, rowid: i64) -> Result {
        let Some(current) = self.current.filter(|_| self.is_before(self.rowid, rowid)) else { return Ok(()) };
        if self.others.is_none_or(|others| self.is_before(rowid, others)) {
            if let Some(source) = self.sources.get_mut(current) {
                source.seek_row(reader, rowid)?;
            }
            return self.stay_or_settle(reader, current);
        }
        for source in &mut self.sources {
            source.seek_row(reader, rowid)?;
        }
        self.settle(reader)
    }

    /// Appends to `block`, until it has `count_max`, the row and rows that follow, the last of which becomes the row. Only upwards.
    ///
    /// # Errors
    /// As [`Postings::next`]; the block has the rows in front of the damage.
    pub fn take(&mut self, reader: &Reader<'_>, count_max: usize, block: &mut Block) -> Result {
        while let Some(source) = self.current.and_then(|current| self.sources.get_mut(current)) {
            match &mut source.rows {
                Rows::Up(cursor) => cursor.take(block)?,
                Rows::Memory(rows) => {
                    block.push(self.rowid, if block.has_places() { rows.positions()? } else { &[] })?;
                }
                Rows::Down(_) => return Ok(()),
            }
            if source.tombstones.is_empty() {
                match &mut source.rows {
                    Rows::Up(cursor) => cursor.take_run(reader.index.detail, self.others, count_max, block)?,
                    Rows::Memory(rows) => rows.take_run(self.others, count_max, block)?,
                    Rows::Down(_) => {}
                }
                self.rowid = source.row().map_or(self.rowid, |row| row.rowid);
            }
            if block.is_full(count_max) {
                break;
            }
            self.next(reader)?;
        }
        Ok(())
    }

    /// Goes to the end, and shows all rows with their positions.
    ///
    /// # Errors
    /// As [`Postings::next`].
    pub fn show_all(&mut self, reader: &Reader<'_>, show: &mut impl FnMut(i64, &[u8]) -> Result) -> Result {
        while let Some(current) = self.current {
            show(self.rowid, self.positions()?)?;
            let source = self.sources.get_mut(current).filter(|source| source.tombstones.is_empty());
            if let (Some(Source { rows: Rows::Up(cursor), .. }), Order::Ascending) = (source, self.order) {
                cursor.show_run(reader.index.detail, self.others, show)?;
                self.rowid = cursor.row.map_or(self.rowid, |row| row.rowid);
            }
            self.next(reader)?;
        }
        Ok(())
    }

    fn is_before(&self, left: i64, right: i64) -> bool {
        match self.order {
            Order::Ascending => left < right,
            Order::Descending => left > right,
        }
    }

    /// Advances all sources that are on a row.
    fn pass(&mut self, reader: &Reader<'_>, rowid: i64) -> Result {
        for source in &mut self.sources {
            if source.row().is_some_and(|row| row.rowid == rowid) {
                source.next_row(reader)?;
            }
        }
        Ok(())
    }

    /// Goes to the first row with the token, from the rows of the sources on.
    fn settle(&mut self, reader: &Reader<'_>) -> Result {
        loop {
            let mut best: Option<(usize, Row)> = None;
            let mut others: Option<i64> = None;
            for (at, source) in self.sources.iter().enumerate() {
                let Some(row) = source.row() else { continue };
                let mut other = Some(row.rowid);
                if best.is_none_or(|(_, best)| self.is_before(row.rowid, best.rowid)) {
                    other = best.map(|(_, best)| best.rowid);
                    best = Some((at, row));
                }
                if let Some(other) = other.filter(|other| others.is_none_or(|others| self.is_before(*other, others))) {
                    others = Some(other);
                }
            }
            self.others = others;
            let Some((at, row)) = best else {
                self.current = None;
                return Ok(());
            };
            let source = self.sources.get_mut(at);
            let is_there = row.has_content
                && match source {
                    Some(source) => !source.tombstones.has(reader, row.rowid)?,
                    None => false,
                };
            if is_there {
                (self.current, self.rowid) = (Some(at), row.rowid);
                return Ok(());
            }
            self.pass(reader, row.rowid)?;
        }
    }
}
