//! Changes of one table by their primary key, in the order in which SQLite writes them.
//!
//! That order is the order of the buckets of a hash table: a new entry becomes the head of its bucket, and when the table doubles, the old
//! buckets are walked in order, and each entry becomes the head of its new one. Readers must not rely on it, but tests compare changesets
//! with SQLite's byte by byte.

use lithe_vtab::{Grow, OutOfMemory};

use crate::ValueRef;
use crate::header::TableHeader;
use crate::record::{BLOB, INTEGER, REAL, TEXT, fields, value};

/// Buckets of a new table.
const BUCKETS_MIN: usize = 256;
/// The end of a bucket.
const NONE: u32 = u32::MAX;

/// An entry with its key.
struct Slot<E> {
    hash: u32,
    /// The next slot of the bucket, or the next free one.
    next: u32,
    /// `None` if the slot is free.
    entry: Option<E>,
}

/// Entries by primary key.
pub(crate) struct Changes<E> {
    slots: Vec<Slot<E>>,
    /// The slot that became free last.
    free: u32,
    buckets: Vec<u32>,
    len: usize,
}

impl<E> Default for Changes<E> {
    fn default() -> Self {
        Changes { slots: Vec::new(), free: NONE, buckets: Vec::new(), len: 0 }
    }
}

#[expect(clippy::indexing_slicing, reason = "buckets and links hold places of slots, which are never taken away")]
impl<E> Changes<E> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The memory of the entries themselves, in bytes.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<Slot<E>>() + self.buckets.len() * size_of::<u32>()
    }

    /// The entry with this hash for which `is_it` holds.
    pub fn find(&mut self, hash: u32, is_it: impl Fn(&E) -> bool) -> Option<&mut E> {
        let at = self.position(hash, is_it)?;
        self.slots[at as usize].entry.as_mut()
    }

    /// As [`Changes::find`], read-only.
    pub fn get(&self, hash: u32, is_it: impl Fn(&E) -> bool) -> Option<&E> {
        let at = self.position(hash, is_it)?;
        self.slots[at as usize].entry.as_ref()
    }

    fn position(&self, hash: u32, is_it: impl Fn(&E) -> bool) -> Option<u32> {
        let mut at = *self.buckets.get(self.bucket_of(hash)?)?;
        while at != NONE {
            let slot = &self.slots[at as usize];
            if slot.hash == hash && slot.entry.as_ref().is_some_and(&is_it) {
                return Some(at);
            }
            at = slot.next;
        }
        None
    }

    fn bucket_of(&self, hash: u32) -> Option<usize> {
        // (There are 2^n buckets, or none.)
        self.buckets.len().checked_sub(1).map(|mask| hash as usize & mask)
    }

    /// Makes the table larger, if it is full. To be called before the lookup of a key that may be added, because SQLite grows the table at that
    /// point.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn grow(&mut self) -> Result<(), OutOfMemory> {
        if self.buckets.is_empty() {
            self.buckets = vec![NONE; BUCKETS_MIN];
        } else if self.len >= self.buckets.len() / 2 {
            let mut buckets = Vec::new();
            buckets.try_resize(self.buckets.len() * 2, NONE)?;
            let old = std::mem::replace(&mut self.buckets, buckets);
            for head in old {
                let mut at = head;
                while at != NONE {
                    let next = self.slots[at as usize].next;
                    self.link(at);
                    at = next;
                }
            }
        }
        Ok(())
    }

    /// Makes a slot the head of its bucket.
    fn link(&mut self, at: u32) {
        let slot = &mut self.slots[at as usize];
        let bucket = slot.hash as usize & (self.buckets.len() - 1);
        slot.next = std::mem::replace(&mut self.buckets[bucket], at);
    }

    /// Adds an entry whose key is new.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn add(&mut self, hash: u32, entry: E) -> Result<(), OutOfMemory> {
        if self.buckets.is_empty() {
            self.grow()?;
        }
        let slot = Slot { hash, next: NONE, entry: Some(entry) };
        let at = match self.free {
            NONE => {
                self.slots.try_push(slot)?;
                (self.slots.len() - 1) as u32
            }
            at => {
                self.free = self.slots[at as usize].next;
                self.slots[at as usize] = slot;
                at
            }
        };
        self.len += 1;
        self.link(at);
        Ok(())
    }

    /// Removes an entry.
    pub fn remove(&mut self, hash: u32, is_it: impl Fn(&E) -> bool) -> Option<E> {
        let found = self.position(hash, is_it)?;
        let bucket = self.bucket_of(hash)?;
        let next = self.slots[found as usize].next;
        if self.buckets[bucket] == found {
            self.buckets[bucket] = next;
        } else {
            let mut before = self.buckets[bucket];
            while self.slots[before as usize].next != found {
                before = self.slots[before as usize].next;
            }
            self.slots[before as usize].next = next;
        }
        self.len -= 1;
        let slot = &mut self.slots[found as usize];
        slot.next = std::mem::replace(&mut self.free, found);
        slot.entry.take()
    }

    /// All entries, bucket by bucket.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.buckets.iter().flat_map(move |head| {
            let slot = |at: u32| self.slots.get(at as usize);
            std::iter::successors(slot(*head), move |before| slot(before.next)).filter_map(|slot| slot.entry.as_ref())
        })
    }

    /// All entries, in any order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut E> {
        self.slots.iter_mut().filter_map(|slot| slot.entry.as_mut())
    }
}

/// The hash of a key, value by value.
#[derive(Default)]
pub(crate) struct KeyHash(u32);

impl KeyHash {
    fn add(&mut self, value: u32) {
        self.0 = (self.0 << 3) ^ self.0 ^ value;
    }

    fn add_number(&mut self, bits: u64) {
        self.add(bits as u32);
        self.add((bits >> 32) as u32);
    }

    /// The next column of the key.
    pub fn add_value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Integer(integer) => {
                self.add(u32::from(INTEGER));
                self.add_number(integer.cast_unsigned());
            }
            ValueRef::Real(real) => {
                self.add(u32::from(REAL));
                self.add_number(real.to_bits());
            }
            ValueRef::Text(bytes) => {
                self.add(u32::from(TEXT));
                bytes.iter().for_each(|byte| self.add(u32::from(*byte)));
            }
            ValueRef::Blob(bytes) => {
                self.add(u32::from(BLOB));
                bytes.iter().for_each(|byte| self.add(u32::from(*byte)));
            }
            ValueRef::Null => {}
        }
    }

    /// A rowid that is the whole key. SQLite hashes it without a type.
    pub fn add_rowid(&mut self, rowid: i64) {
        self.add_number(rowid.cast_unsigned());
    }

    pub fn finish(self) -> u32 {
        self.0
    }
}

/// The hash of the key in a record.
pub(crate) fn hash_of(header: &TableHeader, record: &[u8]) -> u32 {
    let mut hash = KeyHash::default();
    for (column, field) in fields(record).enumerate() {
        if header.is_key(column)
            && let Some(value) = value(field)
        {
            hash.add_value(value);
        }
    }
    hash.finish()
}

/// Whether two records have the same key: type and bytes.
pub(crate) fn same_key(header: &TableHeader, one: &[u8], other: &[u8]) -> bool {
    let pairs = fields(one).zip(fields(other)).enumerate();
    pairs.into_iter().all(|(column, (one, other))| !header.is_key(column) || one == other)
}
