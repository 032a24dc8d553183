//! The rows of a table-valued function in one list: of each row, the columns that are read.

use lithe_value::Value;
use lithe_value::buffer::OutOfMemory;

/// All rows of a call.
#[derive(Debug, Default)]
pub struct RowTable {
    /// The columns that the rows have, by bits.
    columns: u64,
    count: usize,
    values: Vec<Value>,
}

impl RowTable {
    /// No rows, of which these columns will be there.
    pub fn new(columns: u64) -> RowTable {
        RowTable { columns, ..RowTable::default() }
    }

    /// Whole rows.
    pub fn of_rows(rows: Vec<Vec<Value>>) -> RowTable {
        let width = rows.first().map_or(0, Vec::len) as u32;
        let columns = 1_u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1);
        RowTable { columns, count: rows.len(), values: rows.into_iter().flatten().collect() }
    }

    /// Whether the rows have the column.
    #[inline]
    pub fn has(&self, column: usize) -> bool {
        column < 64 && self.columns >> column & 1 != 0
    }

    /// Adds the next column to the row that is being made.
    #[inline]
    pub fn push(&mut self, value: Value) -> Result<(), OutOfMemory> {
        if self.values.len() == self.values.capacity() {
            self.values.try_reserve(1).map_err(|_| OutOfMemory)?;
        }
        self.values.push(value);
        Ok(())
    }

    /// The row has all of its columns.
    #[inline]
    pub fn end_row(&mut self) {
        self.count += 1;
        debug_assert_eq!(self.values.len(), self.count * self.width(), "each row has the same columns");
    }

    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A column of a row; `None` if the rows do not have it.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> Option<&Value> {
        if !self.has(column) || row >= self.count {
            return None;
        }
        let before = (self.columns & ((1 << column) - 1)).count_ones() as usize;
        self.values.get(row * self.width() + before)
    }

    fn width(&self) -> usize {
        self.columns.count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_columns() {
        let mut rows = RowTable::new(0b1010);
        for row in 0..3 {
            rows.push(Value::from(row)).unwrap();
            rows.push(Value::from(10 * row)).unwrap();
            rows.end_row();
        }
        assert_eq!((rows.len(), rows.is_empty()), (3, false));
        assert_eq!(rows.get(2, 1).map(Value::as_ref), Some(Value::from(2).as_ref()));
        assert_eq!(rows.get(2, 3).map(Value::as_ref), Some(Value::from(20).as_ref()));
        assert!(rows.get(2, 0).is_none() && rows.get(2, 4).is_none() && rows.get(3, 1).is_none());
        let whole = RowTable::of_rows(vec![vec![Value::from(1), Value::NULL]; 2]);
        assert_eq!((whole.len(), whole.has(1), whole.has(2)), (2, true, false));
    }

    #[test]
    fn rows_without_columns_are_counted() {
        let mut rows = RowTable::new(0);
        rows.end_row();
        assert_eq!((rows.len(), rows.get(0, 0).is_none()), (1, true));
        assert!(RowTable::of_rows(Vec::new()).is_empty());
    }
}
