//! The bound of a changeset's size that SQLite tells while changes are recorded: the header of each table, and for each row the
//! longest change that it might have been written as since the session began. A row that comes and goes thus counts all the same.

use lithe_format::varint;
use lithe_vtab::{RowChange, RowOperation, Value, ValueRef};

use crate::record::{fields, value};
use crate::session::{Recorded, Row, Table};

/// The operation and whether it is indirect.
const FRONT_LEN: usize = 2;
/// A column that a change does not have.
const UNDEFINED_LEN: usize = 1;

/// How many bytes a value takes in a record.
fn value_len(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::Null => 1,
        ValueRef::Integer(_) | ValueRef::Real(_) => 9,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => 1 + varint::len(bytes.len() as u64) + bytes.len(),
    }
}

impl Table {
    /// Counts the header of the table, which may have got longer, and the new columns of all rows.
    pub fn count_schema(&mut self, defaults: &[Value]) {
        let Some(schema) = self.schema.as_ref().filter(|schema| schema.has_key()) else { return };
        let count = schema.primary_key.len();
        self.size_bound.header = 1 + varint::len(count as u64) + count + self.name.len() + 1;
        if defaults.is_empty() {
            return;
        }
        let more: usize = defaults.iter().map(|default| value_len(default.as_ref())).sum();
        for recorded in self.changes.iter_mut() {
            self.size_bound.changes += recorded.lengthen_to(recorded.len_max as usize + more);
        }
    }

    /// Counts a change that was recorded.
    pub fn count_change(&mut self, change: &RowChange<'_>) {
        let (old, new) = (Row::old_of(change), Row::new_of(change));
        match change.operation {
            RowOperation::Insert => self.count_row(&new, Some(&new)),
            RowOperation::Delete => self.count_row(&old, None),
            RowOperation::Update if self.has_same_key(&old, &new) => self.count_row(&old, Some(&new)),
            RowOperation::Update => {
                self.count_row(&old, None);
                self.count_row(&new, Some(&new));
            }
        }
    }

    /// Counts the change of the row with this key; `now` are its values after the change.
    fn count_row(&mut self, key: &Row<'_>, now: Option<&Row<'_>>) {
        let Table { schema: Some(schema), is_statistics, changes, records, size_bound, .. } = self else { return };
        let Some(found) = key.hash(schema, *is_statistics) else { return };
        let Some(recorded) =
            changes.find(found, |recorded| key.has_key_of(schema, *is_statistics, records.get(recorded.record)))
        else {
            return;
        };
        let columns = 0..schema.columns.len();
        let record = records.get(recorded.record);
        let len = match (recorded.operation, now) {
            // A row that came and goes is no change.
            (RowOperation::Insert, None) => return,
            (RowOperation::Insert, Some(now)) => {
                // (SQLite counts a byte more for a table whose key is the rowid.)
                columns.map(|at| value_len(now.value(schema, *is_statistics, at))).sum::<usize>()
                    + usize::from(schema.has_rowid_key)
            }
            (_, None) => record.len(),
            (_, Some(now)) => columns
                .zip(fields(record))
                .map(|(at, old)| {
                    let new = now.value(schema, *is_statistics, at);
                    match value(old) == Some(new) {
                        true if schema.is_key(at) => old.len() + UNDEFINED_LEN,
                        true => 2 * UNDEFINED_LEN,
                        false => old.len() + value_len(new),
                    }
                })
                .sum(),
        };
        size_bound.changes += recorded.lengthen_to(FRONT_LEN + len);
    }
}

impl Recorded {
    /// Counts a length of the change; by how much it is longer than all before.
    fn lengthen_to(&mut self, len: usize) -> usize {
        let len = u32::try_from(len).unwrap_or(u32::MAX).max(self.len_max);
        (len - std::mem::replace(&mut self.len_max, len)) as usize
    }
}
