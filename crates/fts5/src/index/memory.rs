//! Rows of a token in memory: what is pending, or what many tokens have together.

use std::cell::OnceCell;
use std::rc::Rc;

use super::row::{Row, read_from};
use super::{Block, Order};
use lithe_value::Grow;
use lithe_value::grow::collected;

use crate::Result;
use crate::config::Detail;
use crate::position;

/// Rows in memory, and the current one.
#[derive(Clone, Debug)]
pub struct MemoryRows {
    bytes: Rc<Vec<u8>>,
    /// Of several tokens, rows may have the same rowid: they are one.
    rows: Rc<Vec<Row>>,
    /// Where in `rows` each row begins, if some consist of several.
    starts: Option<Rc<Vec<usize>>>,
    /// How many rows were passed.
    passed: usize,
    order: Order,
    detail: Detail,
    /// The positions of all tokens in the row, made at the first call of [`MemoryRows::positions`]: most queries need none.
    merged: OnceCell<Vec<u8>>,
}

impl MemoryRows {
    fn new(bytes: Vec<u8>, rows: Vec<Row>, detail: Detail, order: Order) -> MemoryRows {
        let (bytes, rows) = (Rc::new(bytes), Rc::new(rows));
        MemoryRows { bytes, rows, starts: None, passed: 0, order, detail, merged: OnceCell::new() }
    }

    /// The rows of a doclist.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn of_doclist(doclist: Vec<u8>, detail: Detail, order: Order) -> Result<MemoryRows> {
        let mut rows = Vec::new();
        let (mut at, mut last) = (0, None);
        while at < doclist.len() {
            let Some(row) = read_from(&doclist, at, last, detail) else { break };
            (at, last) = (row.data_at + row.data_len, Some(row.rowid));
            rows.try_push(row)?;
        }
        Ok(MemoryRows::new(doclist, rows, detail, order))
    }

    fn len(&self) -> usize {
        self.starts.as_ref().map_or(self.rows.len(), |starts| starts.len())
    }

    /// The parts of the row at a place.
    fn parts(&self, place: usize) -> &[Row] {
        let (start, end) = match &self.starts {
            None => (place, place + 1),
            Some(starts) => match starts.get(place) {
                Some(start) => (*start, starts.get(place + 1).copied().unwrap_or(self.rows.len())),
                None => return &[],
            },
        };
        self.rows.get(start..end).unwrap_or_default()
    }

    fn place(&self) -> Option<usize> {
        match self.order {
            Order::Ascending => Some(self.passed),
            Order::Descending => self.len().checked_sub(1 + self.passed),
        }
    }

    /// The row. None: at the end.
    pub fn row(&self) -> Option<Row> {
        self.parts(self.place()?).first().copied()
    }

    /// Passes over the rows that follow, as far as each is known to have the term, and comes before `below`, to the last of them, and appends them
    /// to `block` until that has `count_max`. Only upwards.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn take_run(&mut self, below: Option<i64>, count_max: usize, block: &mut Block) -> Result {
        while !block.is_full(count_max) {
            let Some(next) = self.parts(self.passed + 1).first().filter(|next| next.has_content) else { break };
            if below.is_some_and(|below| next.rowid >= below) {
                break;
            }
            let rowid = next.rowid;
            self.next_row();
            block.push(rowid, if block.has_places() { self.positions()? } else { &[] })?;
        }
        Ok(())
    }

    /// Goes to the next row.
    pub fn next_row(&mut self) {
        self.passed += 1;
        self.merged.take();
    }

    /// Goes to the first row that is not before `rowid`.
    pub fn seek_row(&mut self, rowid: i64) {
        // How many rows begin among the parts that are before.
        let rows_before = |is_before: &dyn Fn(&Row) -> bool| {
            let parts = self.rows.partition_point(is_before);
            self.starts.as_ref().map_or(parts, |starts| starts.partition_point(|start| *start < parts))
        };
        let beyond = match self.order {
            Order::Ascending => rows_before(&|row| row.rowid < rowid),
            Order::Descending => self.len() - rows_before(&|row| row.rowid <= rowid),
        };
        if beyond > self.passed {
            self.passed = beyond;
            self.merged.take();
        }
    }

    /// The positions of the row.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn positions(&self) -> Result<&[u8]> {
        Ok(match self.place().map(|place| self.parts(place)) {
            None | Some([]) => &[],
            Some([only]) => positions_of(&self.bytes, only),
            Some([first, ..]) if self.detail == Detail::None => positions_of(&self.bytes, first),
            Some(parts) => match self.merged.get() {
                Some(known) => known,
                None => {
                    let made = merged(&self.bytes, parts, self.detail)?;
                    self.merged.get_or_init(|| made)
                }
            },
        })
    }
}

fn positions_of<'b>(bytes: &'b [u8], row: &Row) -> &'b [u8] {
    bytes.get(row.data_at..row.data_at + row.data_len).unwrap_or_default()
}

/// One position list with the places of all parts of a row.
fn merged(bytes: &[u8], parts: &[Row], detail: Detail) -> Result<Vec<u8>> {
    let mut lists = parts.iter().map(|part| positions_of(bytes, part));
    let mut positions: Vec<u64> = Vec::new();
    if detail == Detail::Full {
        lists.try_for_each(|list| positions.try_extend(position::Reader::new(list)))?;
    } else {
        lists.try_for_each(|list| positions.try_extend(position::read_columns(list).map(u64::from)))?;
    }
    positions.sort_unstable();
    positions.dedup();
    let mut out = Vec::new();
    if detail == Detail::Full {
        let mut writer = position::Writer::default();
        positions.iter().try_for_each(|position| writer.push(&mut out, *position))?;
    } else {
        position::write_columns(&mut out, positions.iter().map(|column| *column as u32));
    }
    Ok(out)
}

/// Rows of several tokens, which become rows of one.
#[derive(Debug, Default)]
pub struct Union {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

impl Union {
    /// Adds a row of a token.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn add(&mut self, rowid: i64, positions: &[u8]) -> Result {
        let (data_at, data_len) = (self.bytes.len(), positions.len());
        self.bytes.try_append(positions)?;
        self.rows.try_push(Row { rowid, is_delete: false, has_content: true, data_at, data_len })?;
        Ok(())
    }

    /// Sorts rows by their rowids; those of one rowid stay in order.
    fn sort(&mut self) -> Result {
        // One number for each row: its rowid, lowest first, above its place.
        let number = |(at, row): (u64, &Row)| u128::from(row.rowid as u64 ^ 1 << 63) << 64 | u128::from(at);
        let mut order: Vec<u128> = collected((0u64..).zip(&self.rows).map(number))?;
        order.sort_unstable();
        let mut sorted = Vec::new();
        sorted.try_grow(order.len())?;
        sorted.extend(order.into_iter().filter_map(|number| self.rows.get(number as u64 as usize).copied()));
        self.rows = sorted;
        Ok(())
    }

    /// The rows, with the places of all tokens.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn finish(mut self, detail: Detail, order: Order) -> Result<MemoryRows> {
        if !self.rows.is_sorted_by_key(|row| row.rowid) {
            self.sort()?;
        }
        let mut starts = Vec::new();
        starts.try_grow(self.rows.len())?;
        let mut last = None;
        for (at, row) in self.rows.iter().enumerate() {
            if last != Some(row.rowid) {
                starts.push(at);
                last = Some(row.rowid);
            }
        }
        let has_parts = starts.len() < self.rows.len();
        let rows = MemoryRows::new(self.bytes, self.rows, detail, order);
        Ok(MemoryRows { starts: has_parts.then(|| Rc::new(starts)), ..rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn union(order: Order) -> MemoryRows {
        let mut union = Union::default();
        // Position lists of one column: each number is a distance to the place before, plus 2.
        for (rowid, list) in [(1, &[2, 4][..]), (5, &[3]), (9, &[2]), (5, &[2, 5]), (9, &[4])] {
            union.add(rowid, list).unwrap();
        }
        union.finish(Detail::Full, order).unwrap()
    }

    fn rows(mut rows: MemoryRows) -> Vec<(i64, Vec<u64>)> {
        let mut all = Vec::new();
        while let Some(row) = rows.row() {
            all.push((row.rowid, position::Reader::new(rows.positions().unwrap()).collect()));
            rows.next_row();
        }
        all
    }

    #[test]
    fn rows_of_several_tokens_are_one() {
        let expected = vec![(1, vec![0, 2]), (5, vec![0, 1, 3]), (9, vec![0, 2])];
        assert_eq!(rows(union(Order::Ascending)), expected);
        assert_eq!(rows(union(Order::Descending)), expected.into_iter().rev().collect::<Vec<_>>());
    }

    #[test]
    fn rows_are_sought() {
        for (order, rowid, found) in [
            (Order::Ascending, 2, Some(5)),
            (Order::Ascending, 5, Some(5)),
            (Order::Ascending, 10, None),
            (Order::Descending, 8, Some(5)),
            (Order::Descending, 5, Some(5)),
            (Order::Descending, 0, None),
        ] {
            let mut rows = union(order);
            let _ = rows.positions();
            rows.seek_row(rowid);
            assert_eq!(rows.row().map(|row| row.rowid), found, "{order:?} {rowid}");
            if found.is_some() {
                assert_eq!(position::Reader::new(rows.positions().unwrap()).collect::<Vec<_>>(), [0, 1, 3]);
            }
        }
    }
}
