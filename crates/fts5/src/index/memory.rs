//! Rows of a token in memory: what is pending, or what many tokens have together.

use std::rc::Rc;

use super::Order;
use super::row::{Row, read_from};
use crate::config::Detail;
use crate::position;

/// Rows in memory, and where one stands.
#[derive(Clone, Debug)]
pub struct MemoryRows {
    bytes: Rc<[u8]>,
    rows: Rc<[Row]>,
    /// How many rows were passed.
    passed: usize,
    order: Order,
}

impl MemoryRows {
    /// The rows of a doclist.
    pub fn of_doclist(doclist: Vec<u8>, detail: Detail, order: Order) -> MemoryRows {
        let mut rows = Vec::new();
        let (mut at, mut last) = (0, None);
        while at < doclist.len() {
            let Some(row) = read_from(&doclist, at, last, detail) else { break };
            (at, last) = (row.data_at + row.data_len, Some(row.rowid));
            rows.push(row);
        }
        MemoryRows { bytes: doclist.into(), rows: rows.into(), passed: 0, order }
    }

    fn place(&self) -> Option<usize> {
        match self.order {
            Order::Ascending => Some(self.passed),
            Order::Descending => self.rows.len().checked_sub(1 + self.passed),
        }
    }

    /// The row. None: at the end.
    pub fn row(&self) -> Option<Row> {
        self.rows.get(self.place()?).copied()
    }

    /// Goes to the next row.
    pub fn next_row(&mut self) {
        self.passed += 1;
    }

    /// Goes to the first row that is not before `rowid`.
    pub fn seek_row(&mut self, rowid: i64) {
        let beyond = match self.order {
            Order::Ascending => self.rows.partition_point(|row| row.rowid < rowid),
            Order::Descending => self.rows.len() - self.rows.partition_point(|row| row.rowid <= rowid),
        };
        self.passed = self.passed.max(beyond);
    }

    /// The positions of the row.
    pub fn positions(&self) -> &[u8] {
        let Some(row) = self.row() else { return &[] };
        self.bytes.get(row.data_at..row.data_at + row.data_len).unwrap_or_default()
    }
}

/// Rows of several tokens, which become rows of one.
#[derive(Debug, Default)]
pub struct Union {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

impl Union {
    /// Adds a row of a token.
    pub fn add(&mut self, rowid: i64, positions: &[u8]) {
        let (data_at, data_len) = (self.bytes.len(), positions.len());
        self.bytes.extend_from_slice(positions);
        self.rows.push(Row { rowid, is_delete: false, has_content: true, data_at, data_len });
    }

    fn positions(&self, row: &Row) -> &[u8] {
        self.bytes.get(row.data_at..row.data_at + row.data_len).unwrap_or_default()
    }

    /// The rows, with the places of all tokens.
    pub fn finish(mut self, detail: Detail, order: Order) -> MemoryRows {
        let mut rows = std::mem::take(&mut self.rows);
        if !rows.is_sorted_by_key(|row| row.rowid) {
            rows.sort_by_key(|row| row.rowid);
        }
        let is_single = rows.windows(2).all(|pair| matches!(pair, [left, right] if left.rowid != right.rowid));
        if is_single {
            return MemoryRows { bytes: self.bytes.into(), rows: rows.into(), passed: 0, order };
        }
        let mut merged = Union::default();
        let mut positions: Vec<u64> = Vec::new();
        let mut out = Vec::new();
        for same in rows.chunk_by(|left, right| left.rowid == right.rowid) {
            let [first, ..] = same else { continue };
            if same.len() == 1 || detail == Detail::None {
                merged.add(first.rowid, self.positions(first));
                continue;
            }
            positions.clear();
            out.clear();
            let lists = same.iter().map(|row| self.positions(row));
            if detail == Detail::Full {
                lists.for_each(|list| positions.extend(position::Reader::new(list)));
            } else {
                lists.for_each(|list| positions.extend(position::read_columns(list).map(u64::from)));
            }
            positions.sort_unstable();
            positions.dedup();
            if detail == Detail::Full {
                let mut writer = position::Writer::default();
                positions.iter().for_each(|position| writer.push(&mut out, *position));
            } else {
                position::write_columns(&mut out, positions.iter().map(|column| *column as u32));
            }
            merged.add(first.rowid, &out);
        }
        MemoryRows { bytes: merged.bytes.into(), rows: merged.rows.into(), passed: 0, order }
    }
}
