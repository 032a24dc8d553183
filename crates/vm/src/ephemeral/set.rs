//! A set of keys in memory, in no order: DISTINCT, IN, UNION.
//!
//! ```text
//!   table     hash ──► | span |              open addressing
//!                          │
//!   records   .............| record | ...    the key's columns, and whatever follows them
//! ```

use std::collections::TryReserveError;
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use lithe_btree::KeyInfo;
use lithe_value::ValueRef;

use crate::arena::{Arena, Span, Stored};
use crate::keys::{KeyHasher, compare_records, compare_to_values};

/// Keys in memory.
#[derive(Debug)]
pub struct MemorySet {
    key: Arc<KeyInfo>,
    hasher: KeyHasher,
    table: HashTable<Span>,
    records: Arena,
}

impl MemorySet {
    /// An empty set.
    pub fn new(key: Arc<KeyInfo>) -> MemorySet {
        MemorySet { key, hasher: KeyHasher::default(), table: HashTable::new(), records: Arena::default() }
    }

    /// The order of its keys.
    pub fn key(&self) -> &Arc<KeyInfo> {
        &self.key
    }

    /// Removes all keys; memory is kept.
    pub fn clear(&mut self) {
        self.table.clear();
        self.records.clear();
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Bytes of memory in use: a slot has its entry and a byte of its hash, and a third of the slots are empty.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.records.bytes() + self.table.len() * (size_of::<Span>() + 1) * 3 / 2
    }

    /// Reserves space for one more record.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.records.reserve(len)
    }

    /// Adds a key. One that is there already stays.
    pub fn insert(&mut self, record: &[u8]) {
        let MemorySet { key, hasher, table, records } = self;
        let hash = hasher.hash_record(record, key);
        let equal = |span: &Span| compare_records(records.get(*span), record, key).is_eq();
        let rehash = |span: &Span| hasher.hash_record(records.get(*span), key);
        if let Slot::Vacant(slot) = table.entry(hash, equal, rehash) {
            slot.insert(records.push(record));
        }
    }

    /// The record with these values, for [`MemorySet::stored`].
    pub fn find(&self, values: &[ValueRef<'_>]) -> Option<Span> {
        let hash = self.hasher.hash_values(values, &self.key);
        let equal = |span: &Span| compare_to_values(self.records.get(*span), values, &self.key).is_eq();
        self.table.find(hash, equal).copied()
    }

    /// Removes the key with these values; false if there is none. Its bytes stay until the set is emptied.
    pub fn remove(&mut self, values: &[ValueRef<'_>]) -> bool {
        let MemorySet { key, hasher, table, records } = self;
        let hash = hasher.hash_values(values, key);
        let equal = |span: &Span| compare_to_values(records.get(*span), values, key).is_eq();
        table.find_entry(hash, equal).map(|entry| entry.remove()).is_ok()
    }

    /// A record.
    pub fn stored(&self, span: Span) -> Stored<'_> {
        self.records.stored(span)
    }

    /// All records, in any order.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.table.iter().map(|span| self.records.get(*span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_btree::KeyColumn;
    use lithe_format::db_header::TextEncoding;
    use lithe_format::record::Builder;
    use lithe_value::Collation;

    fn contains(set: &MemorySet, values: &[ValueRef<'_>]) -> bool {
        set.find(values).is_some()
    }

    #[test]
    fn keys_are_equal_under_their_collation() {
        let nocase = KeyColumn { collation: Collation::NoCase, ..KeyColumn::default() };
        let key = KeyInfo::new(vec![nocase, KeyColumn::default()], TextEncoding::Utf8);
        let mut set = MemorySet::new(Arc::new(key));
        let mut builder = Builder::new();
        set.insert(builder.build(&["Abc".into(), 1.into()]));
        set.insert(builder.build(&["aBC".into(), 1.0.into()]));
        set.insert(builder.build(&[ValueRef::Null, ValueRef::Null]));
        assert_eq!(set.len(), 2);
        assert!(contains(&set, &["ABC".into(), 1.into()]));
        assert!(contains(&set, &[ValueRef::Null, ValueRef::Null]));
        assert!(!contains(&set, &["ABC".into(), 2.into()]));
        assert!(set.remove(&["ABC".into(), 1.into()]));
        assert!(!set.remove(&["ABC".into(), 1.into()]));
        assert_eq!(set.records().count(), 1);
    }

    #[test]
    fn many_keys() {
        let mut set = MemorySet::new(Arc::new(KeyInfo::new(vec![KeyColumn::default()], TextEncoding::Utf8)));
        let mut builder = Builder::new();
        for i in 0..10_000i64 {
            set.insert(builder.build(&[(i % 3000).into()]));
        }
        assert_eq!(set.len(), 3000);
        assert!((0..4000i64).all(|i| contains(&set, &[i.into()]) == (i < 3000)));
    }
}
