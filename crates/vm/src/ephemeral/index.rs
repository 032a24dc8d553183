//! A temporary index in memory: records in the order of their keys.
//!
//! ```text
//!   blocks    | block | block | block | ...                      in order
//!                │
//!   block     | prefix, span | prefix, span | ...                in order; at most BLOCK_MAX entries
//!                        │
//!   records   ...........| record .....| ...                     in the order of arrival
//! ```
//!
//! Two levels are enough: the index moves to a B-tree before the upper level gets long. The bytes of a removed record stay, so
//! that a cursor on it can find its place again.

use std::cmp::Ordering;
use std::collections::TryReserveError;
use std::sync::Arc;

use lithe_btree::KeyInfo;
use lithe_value::ValueRef;

use crate::arena::{Arena, Span, Stored};
use crate::keys::{Columns, compare_records, compare_to_values, prefix};

/// Entries in memory.
#[derive(Debug)]
pub struct MemoryIndex {
    key: Arc<KeyInfo>,
    /// No block is empty.
    blocks: Vec<Vec<Entry>>,
    records: Arena,
    len: usize,
    /// Counts changes: a place found at another version has to be found again.
    version: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    prefix: u64,
    span: Span,
}

/// A place between or on entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    block: usize,
    slot: usize,
}

/// A full block is split in two.
const BLOCK_MAX: usize = 256;

impl MemoryIndex {
    /// An empty index.
    pub fn new(key: Arc<KeyInfo>) -> MemoryIndex {
        MemoryIndex { key, blocks: Vec::new(), records: Arena::default(), len: 0, version: 0 }
    }

    /// The columns and their order.
    pub fn key(&self) -> &Arc<KeyInfo> {
        &self.key
    }

    /// Removes all entries; memory for records is kept.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.records.clear();
        self.len = 0;
        self.version += 1;
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The version, which every change increments.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Bytes of memory in use; blocks count as full, because they have that capacity.
    pub fn bytes(&self) -> usize {
        self.records.bytes() + self.blocks.len() * BLOCK_MAX * size_of::<Entry>()
    }

    /// Reserves space for one more record.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.records.reserve(len)
    }

    /// Inserts a record, or replaces the one with an equal key.
    pub fn insert(&mut self, record: &[u8]) {
        let place = self.find_record(record);
        let prefix = self.prefix(Columns::new(record).value());
        let entry = Entry { prefix, span: self.records.push(record) };
        self.version += 1;
        match place {
            Ok(place) => self.blocks[place.block][place.slot] = entry,
            Err(place) => self.insert_at(place, entry),
        }
    }

    fn insert_at(&mut self, place: Place, entry: Entry) {
        self.len += 1;
        let Some(block) = self.blocks.get_mut(place.block) else {
            self.blocks.push(vec![entry]);
            return;
        };
        if block.len() < BLOCK_MAX {
            block.insert(place.slot, entry);
            return;
        }
        // Keys in ascending order produce full blocks; keys in any other order half-full ones.
        let at = if place.slot == BLOCK_MAX { BLOCK_MAX } else { BLOCK_MAX / 2 };
        let mut upper = Vec::with_capacity(BLOCK_MAX);
        upper.extend(block.drain(at..));
        if place.slot < at {
            block.insert(place.slot, entry);
        } else {
            upper.insert(place.slot - at, entry);
        }
        assert!(!upper.is_empty(), "no block is empty");
        self.blocks.insert(place.block + 1, upper);
    }

    /// The first entry that begins with the key `values`, or else the first after where such an entry would be.
    pub fn find(&self, values: &[ValueRef<'_>]) -> Result<Place, Place> {
        let place = self.bound(values, Ordering::Less);
        match self.record(place) {
            Some(record) if compare_to_values(record, values, &self.key).is_eq() => Ok(place),
            _ => Err(place),
        }
    }

    /// The first entry after all those that begin with the key `values`.
    pub fn find_after(&self, values: &[ValueRef<'_>]) -> Place {
        self.bound(values, Ordering::Equal)
    }

    /// The first entry that compares to the key as more than `at_most`.
    fn bound(&self, values: &[ValueRef<'_>], at_most: Ordering) -> Place {
        let wanted = values.first().map(|value| self.prefix(*value));
        let found = self.place(|entry, records, key| {
            let by_prefix = wanted.map_or(Ordering::Equal, |prefix| entry.prefix.cmp(&prefix));
            let order = by_prefix.then_with(|| compare_to_values(records.get(entry.span), values, key));
            if order <= at_most { Ordering::Less } else { Ordering::Greater }
        });
        found.unwrap_or_else(|place| place)
    }

    /// The entry for which `order` is equal, or else the first for which it is greater.
    fn place(&self, order: impl Fn(&Entry, &Arena, &KeyInfo) -> Ordering) -> Result<Place, Place> {
        let order = |entry: &Entry| order(entry, &self.records, &self.key);
        // The last block whose first entry is not greater; an entry that would be the first of all goes there too.
        let block = self.blocks.partition_point(|block| order(&block[0]).is_le()).saturating_sub(1);
        let Some(entries) = self.blocks.get(block) else {
            return Err(Place::default());
        };
        match entries.binary_search_by(order) {
            Ok(slot) => Ok(Place { block, slot }),
            Err(slot) => Err(Place { block, slot }),
        }
    }

    #[inline]
    fn prefix(&self, value: ValueRef<'_>) -> u64 {
        self.key.columns().first().map_or(0, |column| prefix(value, column).bits)
    }

    /// Removes the entry at a place.
    pub fn remove(&mut self, place: Place) {
        let Some(place) = self.settled(place) else {
            return;
        };
        assert!(self.len > 0, "an entry is removed that is counted");
        let block = &mut self.blocks[place.block];
        block.remove(place.slot);
        if block.is_empty() {
            self.blocks.remove(place.block);
        }
        self.len -= 1;
        self.version += 1;
        if self.len == 0 {
            self.clear();
        }
    }

    /// The first entry.
    pub fn first(&self) -> Place {
        Place::default()
    }

    /// The last entry.
    pub fn last(&self) -> Option<Place> {
        let block = self.blocks.len().checked_sub(1)?;
        Some(Place { block, slot: self.blocks[block].len() - 1 })
    }

    /// The place after a place.
    pub fn after(&self, place: Place) -> Place {
        match self.settled(place) {
            Some(place) => Place { block: place.block, slot: place.slot + 1 },
            None => place,
        }
    }

    /// The entry before a place.
    pub fn before(&self, place: Place) -> Option<Place> {
        if place.slot > 0 {
            return Some(Place { block: place.block, slot: place.slot - 1 });
        }
        let block = place.block.checked_sub(1)?;
        Some(Place { block, slot: self.blocks[block].len() - 1 })
    }

    /// The current place of the entry of a record, or of one with an equal key; or else of the first after it.
    pub fn find_record(&self, record: &[u8]) -> Result<Place, Place> {
        let prefix = self.prefix(Columns::new(record).value());
        self.place(|entry, records, key| {
            entry.prefix.cmp(&prefix).then_with(|| compare_records(records.get(entry.span), record, key))
        })
    }

    /// The record at a place, for [`MemoryIndex::span_record`], `None` past the end.
    #[inline]
    pub fn span(&self, place: Place) -> Option<Span> {
        let place = self.settled(place)?;
        Some(self.blocks[place.block][place.slot].span)
    }

    /// A record among the others, even one that has been removed since.
    #[inline]
    pub fn stored(&self, span: Span) -> Stored<'_> {
        self.records.stored(span)
    }

    /// A record, even one that has been removed since.
    #[inline]
    pub fn span_record(&self, span: Span) -> &[u8] {
        self.records.get(span)
    }

    /// The record at a place, `None` past the end.
    #[inline]
    pub fn record(&self, place: Place) -> Option<&[u8]> {
        let place = self.settled(place)?;
        Some(self.records.get(self.blocks[place.block][place.slot].span))
    }

    /// The place in normal form, on an entry: the end of a block becomes the start of the next.
    #[inline]
    fn settled(&self, place: Place) -> Option<Place> {
        let block = self.blocks.get(place.block)?;
        if place.slot < block.len() {
            return Some(place);
        }
        let next = place.block + 1;
        (next < self.blocks.len()).then_some(Place { block: next, slot: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use lithe_btree::KeyColumn;
    use lithe_format::db_header::TextEncoding;
    use lithe_format::record::{Builder, values};
    use std::collections::BTreeMap;

    fn index() -> MemoryIndex {
        MemoryIndex::new(Arc::new(KeyInfo::new(vec![KeyColumn::default()], TextEncoding::Utf8)))
    }

    fn content(index: &MemoryIndex) -> Vec<(i64, i64)> {
        let mut content = Vec::new();
        let mut place = index.first();
        while let Some(record) = index.record(place) {
            let row = values(record).unwrap();
            let [ValueRef::Integer(key), ValueRef::Integer(value)] = row[..] else { panic!("{row:?}") };
            content.push((key, value));
            place = index.after(place);
        }
        content
    }

    #[test]
    fn as_a_map_does() {
        let mut index = index();
        let mut model = BTreeMap::new();
        let mut builder = Builder::new();
        let mut random = Random::new(7);
        for step in 0..30_000i64 {
            let key = random.below(2000) as i64 - 1000;
            if random.below(4) == 0 {
                if let Ok(place) = index.find(&[key.into()]) {
                    index.remove(place);
                }
                model.remove(&key);
            } else {
                index.insert(builder.build(&[key.into(), step.into()]));
                model.insert(key, step);
            }
        }
        assert_eq!(content(&index), model.clone().into_iter().collect::<Vec<_>>());
        for key in -1001..=1001 {
            let found = index.find(&[key.into()]);
            assert_eq!(found.is_ok(), model.contains_key(&key));
            let next = model.range(key..).next().map(|(key, _)| *key);
            let at = index.record(found.unwrap_or_else(|place| place)).map(|record| values(record).unwrap()[0]);
            assert_eq!(at, next.map(ValueRef::Integer));
            let after = model.range(key + 1..).next().map(|(key, _)| *key);
            let at = index.record(index.find_after(&[key.into()])).map(|record| values(record).unwrap()[0]);
            assert_eq!(at, after.map(ValueRef::Integer));
        }
        let mut backwards = Vec::new();
        let mut place = index.last();
        while let Some(at) = place {
            backwards.push(values(index.record(at).unwrap()).unwrap()[0]);
            place = index.before(at);
        }
        assert_eq!(backwards, model.keys().rev().map(|key| ValueRef::Integer(*key)).collect::<Vec<_>>());
    }

    #[test]
    fn prefixes_of_keys() {
        let key = KeyInfo::new(vec![KeyColumn::default(); 2], TextEncoding::Utf8);
        let mut index = MemoryIndex::new(Arc::new(key));
        let mut builder = Builder::new();
        for a in 0..40i64 {
            for b in 0..40i64 {
                index.insert(builder.build(&[a.into(), b.into()]));
            }
        }
        for a in 0..40i64 {
            let first = index.record(index.find(&[a.into()]).unwrap()).unwrap();
            assert_eq!(values(first).unwrap(), [a.into(), 0.into()]);
            let last = index.record(index.before(index.find_after(&[a.into()])).unwrap()).unwrap();
            assert_eq!(values(last).unwrap(), [a.into(), 39.into()]);
        }
        assert_eq!(index.record(index.find(&[]).unwrap()), index.record(index.first()));
    }
}
