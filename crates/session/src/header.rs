//! The header of a table's changes in a changeset.

use std::borrow::Cow;

use lithe_format::varint;
use lithe_vtab::{Grow, OutOfMemory};

/// The two formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// With all old values.
    #[default]
    Changeset,
    /// Without the old values that are not in the primary key.
    Patchset,
}

impl Format {
    pub(crate) fn marker(self) -> u8 {
        match self {
            Format::Changeset => b'T',
            Format::Patchset => b'P',
        }
    }
}

/// Name, number of columns, and which of them are the primary key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableHeader {
    /// The name's bytes.
    pub name: Box<[u8]>,
    /// A byte for each column: 0, or its position in the primary key, counted from 1.
    pub primary_key: Box<[u8]>,
}

/// Whether a newer primary key equals `before`, up to columns that were added to the table and are not in the key.
pub(crate) fn is_same_key(before: &[u8], newer: &[u8]) -> bool {
    newer.strip_prefix(before).is_some_and(|added| added.iter().all(|key| *key == 0))
}

impl TableHeader {
    /// The name.
    pub fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }

    /// The number of columns.
    pub fn column_count(&self) -> usize {
        self.primary_key.len()
    }

    /// Whether a column belongs to the primary key.
    pub fn is_key(&self, column: usize) -> bool {
        self.primary_key.get(column).is_some_and(|position| *position != 0)
    }

    /// Whether the table has this name.
    pub(crate) fn has_name(&self, name: &[u8]) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Whether both headers have the same table name and primary key.
    pub(crate) fn is_like(&self, other: &TableHeader) -> bool {
        self.has_name(&other.name) && self.primary_key == other.primary_key
    }

    /// Writes the header, as it precedes the table's changes.
    ///
    /// # Errors
    /// If the memory is short.
    pub(crate) fn push(&self, out: &mut Vec<u8>, format: Format) -> Result<(), OutOfMemory> {
        out.try_grow(2 + varint::MAX_LEN + self.primary_key.len() + self.name.len())?;
        out.push(format.marker());
        varint::push(out, self.primary_key.len() as u64);
        out.extend_from_slice(&self.primary_key);
        out.extend_from_slice(&self.name);
        out.push(0);
        Ok(())
    }
}
