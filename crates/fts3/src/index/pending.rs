//! Pending terms: those of a transaction's rows, added and deleted, that no segment has yet.

use hashbrown::HashMap;
use hashbrown::hash_map::RawEntryMut;
use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::copied;
use lithe_vtab::FunctionError;

use crate::doclist::{Order, Position, PositionWriter, reversed};
use crate::{Result, varint};

/// The number of bytes at which pending terms are written to a segment.
const BYTES_MAX: usize = 1 << 20;
/// The bytes that SQLite counts for each term beside its own: an element of its hash table.
const BYTES_PER_TERM: usize = 40;

/// The pending terms of all indexes.
#[derive(Debug, Default)]
pub struct Pending {
    indexes: Vec<HashMap<Vec<u8>, List>>,
    /// The row whose terms are being added.
    docid: i64,
    is_delete: bool,
    /// The language of all pending terms.
    pub language: i32,
    bytes: usize,
}

/// The doclist of one term. Docids always come upwards here; the last row has no 00 at its end yet.
#[derive(Debug, Default)]
struct List {
    bytes: Vec<u8>,
    docid: i64,
    positions: PositionWriter,
}

/// Terms with their doclists, sorted.
pub type Terms = Vec<(Vec<u8>, Vec<u8>)>;

impl Pending {
    /// Whether the pending terms must be written before this row can be added.
    pub fn must_flush(&self, docid: i64, language: i32) -> bool {
        docid < self.docid
            || docid == self.docid && !self.is_delete
            || language != self.language
            || self.bytes > BYTES_MAX
    }

    /// Begins a row: later terms belong to it.
    pub fn begin_row(&mut self, docid: i64, is_delete: bool, language: i32) {
        (self.docid, self.is_delete, self.language) = (docid, is_delete, language);
    }

    /// Adds a term of the row to an index; without a position, a deletion of the row from the term.
    ///
    /// # Errors
    /// SQLITE_NOMEM if there is no memory for one more term.
    pub fn add(&mut self, index: usize, term: &[u8], position: Option<Position>) -> Result {
        if self.indexes.len() <= index {
            self.indexes.resize_with(index + 1, HashMap::new);
        }
        let Some(map) = self.indexes.get_mut(index) else { return Ok(()) };
        map.try_reserve(1).map_err(|_| FunctionError::out_of_memory())?;
        let list = match map.raw_entry_mut().from_key(term) {
            RawEntryMut::Occupied(known) => known.into_mut(),
            RawEntryMut::Vacant(place) => {
                self.bytes += term.len() + BYTES_PER_TERM;
                place.insert(copied(term)?, List::default()).1
            }
        };
        let before = list.bytes.len();
        list.add(self.docid, position)?;
        self.bytes += list.bytes.len() - before;
        Ok(())
    }

    /// Whether an index has no pending terms.
    pub fn is_empty(&self, index: usize) -> bool {
        self.indexes.get(index).is_none_or(HashMap::is_empty)
    }

    /// Discards the pending terms.
    pub fn clear(&mut self) {
        self.indexes.iter_mut().for_each(HashMap::clear);
        self.bytes = 0;
    }

    /// The wanted pending terms of an index, sorted, with doclists in that order.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    pub fn terms(&self, index: usize, wanted: &super::Wanted<'_>, order: Order) -> Result<Terms> {
        let Some(map) = self.indexes.get(index) else { return Ok(Vec::new()) };
        let doclist = |list: &List| {
            let mut bytes = Vec::new();
            bytes.try_grow(list.bytes.len() + 1)?;
            bytes.extend_from_slice(&list.bytes);
            bytes.push(0);
            if order == Order::Descending { reversed(&bytes, Order::Ascending) } else { Ok(bytes) }
        };
        if let super::Wanted::Term(term) = wanted {
            let found = map.get_key_value(*term).map(|(term, list)| Ok((copied(term)?, doclist(list)?)));
            return found.into_iter().collect();
        }
        let found = map.iter().filter(|(term, _)| wanted.includes(term));
        let mut terms = Terms::new();
        terms.try_reserve(map.len()).map_err(|_| FunctionError::out_of_memory())?;
        for (term, list) in found {
            terms.push((copied(term)?, doclist(list)?));
        }
        terms.sort_unstable();
        Ok(terms)
    }
}

impl List {
    fn add(&mut self, docid: i64, position: Option<Position>) -> Result<(), OutOfMemory> {
        if self.bytes.is_empty() || self.docid != docid {
            self.bytes.try_grow(1 + varint::LEN_MAX)?;
            if !self.bytes.is_empty() {
                self.bytes.push(0);
            }
            varint::write(&mut self.bytes, docid.wrapping_sub(self.docid));
            self.docid = docid;
            self.positions = PositionWriter::default();
        }
        position.map_or(Ok(()), |position| self.positions.push(&mut self.bytes, position))
    }
}
