//! Records one after the other in one block of memory, addressed by 32 bits.
//!
//! Sorters, temporary tables and hash tables keep their rows here: an entry that refers to a record takes eight
//! bytes, and a row costs no allocation of its own.

use std::collections::TryReserveError;

/// A block of records.
#[derive(Debug, Default)]
pub struct Arena {
    /// The records, and [`PADDING`] once there is one.
    bytes: Vec<u8>,
    /// Where the next record begins.
    end: usize,
}

/// Zeros after the last record: every record can be read in steps of that many bytes.
const PADDING: usize = 16;

/// A record among others: readers may look at bytes behind it, which mean nothing.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The record and what is around it.
    pub block: &'a [u8],
    /// Where it is.
    pub span: Span,
}

impl<'a> From<&'a [u8]> for Stored<'a> {
    /// A record alone. It is shorter than the limit on lengths, which is less than 2 GiB.
    fn from(record: &'a [u8]) -> Stored<'a> {
        Stored { block: record, span: Span { start: 0, len: record.len() as u32 } }
    }
}

impl<'a> Stored<'a> {
    /// The record alone.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        &self.block[self.span.start as usize..][..self.span.len()]
    }
}

/// The place of a record in its arena. Spans compare in the order of their records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    start: u32,
    len: u32,
}

/// Memory kept when an arena is emptied.
const KEPT_BYTES: usize = 1 << 20;
/// A limit far below 32 bits: one record has less than 2 GiB, so every offset fits in 32 bits.
const BYTES_MAX: usize = 1 << 31;

impl Span {
    /// Where the record begins.
    #[inline]
    pub fn start(self) -> u32 {
        self.start
    }

    /// The length of the record.
    #[inline]
    pub fn len(self) -> usize {
        self.len as usize
    }
}

impl Arena {
    /// Reserves space for a record of `len` bytes.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        if self.bytes.capacity() - self.end < len + PADDING { self.bytes.try_reserve(len + PADDING) } else { Ok(()) }
    }

    /// Adds a record. The owner checks [`bytes`](Arena::bytes) after each, to keep the arena within its budget.
    #[inline]
    pub fn push(&mut self, record: &[u8]) -> Span {
        let start = u32::try_from(self.end).expect("an arena is emptied before it is this large");
        self.bytes.truncate(self.end);
        self.bytes.extend_from_slice(record);
        self.end = self.bytes.len();
        self.bytes.extend_from_slice(&[0; PADDING]);
        Span { start, len: record.len() as u32 }
    }

    /// A record.
    #[inline]
    pub fn get(&self, span: Span) -> &[u8] {
        self.stored(span).bytes()
    }

    /// A record among the others.
    #[inline]
    pub fn stored(&self, span: Span) -> Stored<'_> {
        debug_assert!(span.start as usize + span.len() <= self.end, "a record that was let go of");
        Stored { block: &self.bytes, span }
    }

    /// Bytes in use; more than any budget when the next record might not be addressable.
    #[inline]
    pub fn bytes(&self) -> usize {
        if self.end < BYTES_MAX { self.end } else { usize::MAX / 2 }
    }

    /// Forgets all records, and keeps memory of an ordinary size.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.end = 0;
        if self.bytes.capacity() > KEPT_BYTES {
            self.bytes = Vec::new();
        }
    }

    /// Moves the records at `spans`, which must be in the order of their places, to the front, and drops all others.
    pub fn retain<'a>(&mut self, spans: impl Iterator<Item = &'a mut Span>) {
        let mut end = 0;
        for span in spans {
            let start = span.start as usize;
            debug_assert!(start >= end, "records are moved down");
            self.bytes.copy_within(start..start + span.len(), end);
            span.start = end as u32;
            end += span.len();
        }
        assert!(end <= self.end, "no more is kept than there was");
        self.end = end;
    }
}
