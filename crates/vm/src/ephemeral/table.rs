//! A temporary table in memory: records by rowid.
//!
//! ```text
//!   rows      | rowid, span | rowid, span | ...       in the order of rowids: a queue with binary search
//!                      │             │
//!   records   .........| record .....| record | ...   dead records are squeezed out now and then
//! ```
//!
//! Rowids nearly always count up, so inserting is appending. Recursive queries take rows from the front while
//! they append: both ends are cheap.

use std::collections::{TryReserveError, VecDeque};

use crate::arena::{Arena, Span, Stored};

/// Rows in memory.
#[derive(Debug, Default)]
pub struct MemoryTable {
    rows: VecDeque<Row>,
    records: Arena,
    /// Bytes of records whose row is gone.
    dead: usize,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    rowid: i64,
    span: Span,
}

/// With fewer dead bytes than this, squeezing is not worth its cost.
const DEAD_MIN: usize = 4096;

impl MemoryTable {
    /// Reserves space for one more record.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.records.reserve(len)?;
        if self.rows.len() == self.rows.capacity() { self.rows.try_reserve(1) } else { Ok(()) }
    }

    /// Inserts a record, or replaces the one of that rowid.
    #[inline]
    pub fn insert(&mut self, rowid: i64, record: &[u8]) {
        let row = Row { rowid, span: self.records.push(record) };
        match self.rows.back() {
            Some(last) if last.rowid >= rowid => self.insert_inside(row),
            _ => self.rows.push_back(row),
        }
    }

    #[cold]
    fn insert_inside(&mut self, row: Row) {
        match self.find(row.rowid) {
            Ok(index) => {
                self.dead += self.rows[index].span.len();
                self.rows[index] = row;
            }
            Err(index) => self.rows.insert(index, row),
        }
    }

    /// The row of a rowid, or the first one after it. Where no rowid is missing, the rowid says which row it is.
    pub fn find(&self, rowid: i64) -> Result<usize, usize> {
        let first = self.rows.front().map_or(rowid, |row| row.rowid);
        if let Ok(distance) = usize::try_from(rowid.wrapping_sub(first))
            && self.rowid(distance) == Some(rowid)
        {
            return Ok(distance);
        }
        self.rows.binary_search_by_key(&rowid, |row| row.rowid)
    }

    /// Removes a row.
    pub fn remove(&mut self, index: usize) {
        let Some(row) = self.rows.remove(index) else {
            return;
        };
        self.dead += row.span.len();
        if self.rows.is_empty() {
            self.clear();
        } else if self.dead > DEAD_MIN.max(self.records.bytes() / 2) {
            self.squeeze();
        }
    }

    /// Rewrites the records that are left, in the order of rowids.
    fn squeeze(&mut self) {
        debug_assert!(self.dead <= self.records.bytes(), "no more is dead than there is");
        let mut records = Arena::default();
        for row in &mut self.rows {
            row.span = records.push(self.records.get(row.span));
        }
        self.records = records;
        self.dead = 0;
    }

    /// Removes all rows; memory is kept.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.records.clear();
        self.dead = 0;
    }

    /// The rowid of row `index`.
    #[inline]
    pub fn rowid(&self, index: usize) -> Option<i64> {
        self.rows.get(index).map(|row| row.rowid)
    }

    /// The record of row `index`.
    #[inline]
    pub fn record(&self, index: usize) -> Option<&[u8]> {
        self.rows.get(index).map(|row| self.records.get(row.span))
    }

    /// The record of row `index`, if that row has this rowid.
    #[inline]
    pub fn stored_of(&self, index: usize, rowid: i64) -> Option<Stored<'_>> {
        let row = self.rows.get(index).filter(|row| row.rowid == rowid)?;
        Some(self.records.stored(row.span))
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of memory in use.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.records.bytes() + self.rows.len() * size_of::<Row>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::BTreeMap;

    fn content(table: &MemoryTable) -> Vec<(i64, Vec<u8>)> {
        (0..table.len()).map(|i| (table.rowid(i).unwrap(), table.record(i).unwrap().to_vec())).collect()
    }

    #[test]
    fn as_a_map_does() {
        let mut table = MemoryTable::default();
        let mut model = BTreeMap::new();
        let mut random = Random::new(1);
        for step in 0..20_000 {
            let rowid = random.below(300) as i64;
            if random.below(4) == 0 {
                if let Ok(index) = table.find(rowid) {
                    table.remove(index);
                }
                model.remove(&rowid);
            } else {
                let record = vec![step as u8; random.below(40)];
                table.insert(rowid, &record);
                model.insert(rowid, record);
            }
        }
        assert_eq!(content(&table), model.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_queue_does_not_grow() {
        let mut table = MemoryTable::default();
        table.insert(0, &[0; 100]);
        for rowid in 1..100_000 {
            table.insert(rowid, &[0; 100]);
            table.remove(0);
        }
        assert_eq!(table.rowid(0), Some(99_999));
        assert!(table.bytes() < 20_000, "{}", table.bytes());
    }
}
