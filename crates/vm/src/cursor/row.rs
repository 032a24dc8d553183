//! Reading columns of records that are in memory: sorted rows, temporary tables, hash tables.

use lithe_format::record::{Located, View};
use lithe_value::ValueRef;

use crate::error::Error;
use crate::register::Register;

/// Where the columns of the current record are, as far as anyone asked.
#[derive(Debug, Default)]
pub struct RecordView {
    view: View,
    is_read: bool,
}

impl RecordView {
    /// The next record is another one.
    #[inline]
    pub fn forget(&mut self) {
        self.is_read = false;
    }

    /// Column `column` of the record; `None` if it has fewer.
    #[inline]
    pub fn value<'a>(&mut self, record: &'a [u8], column: usize) -> Result<Option<ValueRef<'a>>, Error> {
        if !self.is_read {
            // Records are shorter than the limit on lengths, which is less than 2 GiB.
            self.view.reset(record.len() as u32);
            self.is_read = true;
        }
        match self.view.locate(record, column)? {
            Located::At(column) => Ok(Some(column.value(record).unwrap_or_default())),
            Located::Absent | Located::NeedsBytes(_) => Ok(None),
        }
    }

    /// Puts column `column` into a register; false if the record has fewer columns.
    #[inline]
    pub fn column(&mut self, record: &[u8], column: usize, dst: &mut Register) -> Result<bool, Error> {
        let value = self.value(record, column)?;
        if let Some(value) = value {
            dst.set(value);
        }
        Ok(value.is_some())
    }
}
