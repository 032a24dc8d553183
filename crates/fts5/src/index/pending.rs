//! Pending terms with their rows, in memory: those that the connection has not written to a segment yet.
//!
//! ```text
//!   slots ──► entries ──► slices in one arena, each twice as long as the one before
//!                         | row | row | row ... link | ──► | ... row | row ... link | ──► ...
//! ```
//!
//! `rows` has what a row is. Nothing is allocated for a token, or a term.

mod rows;

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use lithe_value::Grow;
use lithe_vtab::FunctionError;

use crate::Result;
use crate::config::Detail;
pub use rows::Place;
use rows::{Arena, Rows};

/// The cost of a term beside its key and doclist in SQLite's count, which says when to flush.
const ENTRY_COST: usize = 48;
/// So many terms are brought into the processor's cache at a time.
const TOUCHED_TERMS: usize = 64;
/// Spreads bits over a hash: an odd number without a pattern.
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Terms in memory.
#[derive(Debug)]
pub struct Pending {
    slots: HashTable<u32>,
    /// Differs from process to process, so that a document cannot be made of tokens with equal hashes.
    seed: u64,
    entries: Vec<Entry>,
    arena: Arena,
    bytes: usize,
}

/// A term takes one line of the processor's cache: a token mostly finds it elsewhere than there.
#[derive(Debug)]
#[repr(align(64))]
struct Entry {
    /// The first bytes of the key. Most keys have no more.
    lead: u64,
    key_at: u32,
    key_len: u32,
    rows: Rows,
}

const _: () = assert!(size_of::<Entry>() == 64);

impl Default for Pending {
    fn default() -> Pending {
        let seed = DefaultHashBuilder::default().hash_one(HASH_FACTOR);
        Pending { slots: HashTable::new(), seed, entries: Vec::new(), arena: Arena::default(), bytes: 0 }
    }
}

impl Pending {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How much there is, as SQLite counts.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.entries.clear();
        self.arena.clear();
        self.bytes = 0;
    }

    /// Notes that a term occurs in a place. Rowids never go down, nor do places within a row.
    ///
    /// # Errors
    /// SQLITE_NOMEM: 4 GiB are full.
    pub fn add(&mut self, kind: u8, token: &[u8], place: Place, detail: Detail) -> Result {
        let lead = leading_bytes(kind, token);
        let hash = hash(self.seed, lead, token);
        let index = match self.find(hash, lead, token) {
            Some(index) => index,
            None => self.add_entry(hash, lead, kind, token)?,
        };
        let Some(entry) = self.entries.get_mut(index) else { return Ok(()) };
        self.bytes += entry.rows.add(&mut self.arena, place, detail)?;
        Ok(())
    }

    /// Makes the entry of a term.
    fn add_entry(&mut self, hash: u64, lead: u64, kind: u8, token: &[u8]) -> Result<usize> {
        let index = self.entries.len() as u32;
        let key_len = 1 + token.len();
        let key_at = self.arena.reserve(key_len)?;
        if let Some((first, rest)) = self.arena.slice_mut(key_at, key_len).split_first_mut() {
            *first = kind;
            rest.copy_from_slice(token);
        }
        let rows = Rows::new(&mut self.arena)?;
        self.entries.try_reserve(1).map_err(|_| FunctionError::out_of_memory())?;
        let (seed, entries, arena) = (self.seed, &self.entries, &self.arena);
        let rehash = |index: &u32| {
            let of = |entry: &Entry| {
                let key = arena.slice(entry.key_at, entry.key_len as usize);
                self::hash(seed, entry.lead, key.get(1..).unwrap_or_default())
            };
            entries.get(*index as usize).map_or(0, of)
        };
        self.slots.try_reserve(1, rehash).map_err(|_| FunctionError::out_of_memory())?;
        self.slots.insert_unique(hash, index, rehash);
        self.entries.push(Entry { lead, key_at, key_len: key_len as u32, rows });
        self.bytes += ENTRY_COST + key_len;
        Ok(index as usize)
    }

    #[inline]
    fn find(&self, hash: u64, lead: u64, token: &[u8]) -> Option<usize> {
        let key_len = 1 + token.len();
        let is_it = |index: &u32| {
            let Some(entry) = self.entries.get(*index as usize) else { return false };
            entry.lead == lead
                && entry.key_len as usize == key_len
                && (key_len <= LEAD_LEN || self.key(entry).get(LEAD_LEN..) == token.get(LEAD_LEN - 1..))
        };
        self.slots.find(hash, is_it).map(|index| *index as usize)
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        self.arena.slice(entry.key_at, entry.key_len as usize)
    }

    /// Appends the doclist of a term to `out`, as a segment has it.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn doclist_of(&self, key: &[u8], detail: Detail, out: &mut Vec<u8>) -> Result {
        let Some((kind, token)) = key.split_first() else { return Ok(()) };
        let lead = leading_bytes(*kind, token);
        let found = self.find(hash(self.seed, lead, token), lead, token);
        if let Some(entry) = found.and_then(|index| self.entries.get(index)) {
            entry.rows.doclist(&self.arena, detail, out)?;
        }
        Ok(())
    }

    /// Shows all terms that begin with `prefix`, in the order of their bytes.
    ///
    /// # Errors
    /// The errors of `show`.
    pub fn in_order(&self, prefix: &[u8], mut show: impl FnMut(Term<'_>) -> Result) -> Result {
        // (A flush wants all terms: their keys, which lie anywhere in the arena, are not looked at.)
        let is_wanted = |entry: &Entry| prefix.is_empty() || self.key(entry).starts_with(prefix);
        let wanted = (0u32..).zip(&self.entries).filter(|(_, entry)| is_wanted(entry));
        // One number for each term, its first bytes above its place: most terms need nothing else to be compared.
        let mut sorted: Vec<u128> = Vec::new();
        let most = if prefix.is_empty() { self.entries.len() } else { 0 };
        sorted.try_reserve_exact(most).map_err(|_| FunctionError::out_of_memory())?;
        sorted.try_extend(wanted.map(|(at, entry)| u128::from(entry.lead) << 32 | u128::from(at)))?;
        sorted.sort_unstable();
        let entry = |number: u128| self.entries.get(number as u32 as usize);
        let key = |number: u128| entry(number).map(|entry| self.key(entry));
        for same in sorted.chunk_by_mut(|left, right| left >> 32 == right >> 32).filter(|same| same.len() > 1) {
            same.sort_unstable_by(|left, right| key(*left).cmp(&key(*right)));
        }
        for some in sorted.chunks(TOUCHED_TERMS) {
            // Entries and rows lie anywhere. Here the processor waits for many of them at once, below for one after the other.
            let touch =
                |touched: u8, number: &u128| touched ^ entry(*number).map_or(0, |one| self.arena.byte(one.key_at));
            std::hint::black_box(some.iter().fold(0, touch));
            some.iter()
                .filter_map(|number| entry(*number))
                .try_for_each(|entry| show(Term { pending: self, entry }))?;
        }
        Ok(())
    }
}

/// A term with its rows.
#[derive(Clone, Copy)]
pub struct Term<'p> {
    pending: &'p Pending,
    entry: &'p Entry,
}

impl Term<'_> {
    /// The term: the number of its index, and the token.
    pub fn key(&self) -> &[u8] {
        self.pending.key(self.entry)
    }

    /// Appends its doclist to `out`, as a segment has it.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn doclist(&self, detail: Detail, out: &mut Vec<u8>) -> Result {
        Ok(self.entry.rows.doclist(&self.pending.arena, detail, out)?)
    }
}

/// The hash of a term with these first bytes.
#[inline]
fn hash(seed: u64, lead: u64, token: &[u8]) -> u64 {
    let mut hash = mixed(lead ^ seed, token.len() as u64);
    for chunk in token.get(LEAD_LEN - 1..).unwrap_or_default().chunks(size_of::<u64>()) {
        let number = match chunk.first_chunk() {
            Some(whole) => u64::from_le_bytes(*whole),
            None => chunk.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        };
        hash = mixed(hash ^ number, seed);
    }
    hash
}

/// How many bytes of a key its entry has.
const LEAD_LEN: usize = size_of::<u64>();

/// The first bytes of a key as a number, for sorting. (What is behind a short one reads as zeros.)
#[inline]
fn leading_bytes(kind: u8, token: &[u8]) -> u64 {
    let number = match (token.first_chunk::<{ LEAD_LEN - 1 }>(), token.first_chunk(), token.last_chunk()) {
        (Some(&[a, b, c, d, e, f, g]), ..) => u64::from_be_bytes([0, a, b, c, d, e, f, g]),
        (None, Some(first), Some(last)) => {
            // Four to six bytes: the last four overlap the first.
            let more = 8 * (token.len() - size_of::<u32>());
            let last = u64::from(u32::from_be_bytes(*last)) & ((1 << more) - 1);
            (u64::from(u32::from_be_bytes(*first)) << more | last) << (8 * (LEAD_LEN - 1 - token.len()))
        }
        _ => {
            let number = token.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            number << (8 * (LEAD_LEN - 1 - token.len()))
        }
    };
    u64::from(kind) << 56 | number
}

/// Both halves of a product: each bit of the result depends on many of the number.
#[inline]
fn mixed(number: u64, more: u64) -> u64 {
    let product = u128::from(number) * u128::from(HASH_FACTOR ^ more << 1);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::varint;

    fn doclist(places: &[(i64, u32, Option<u32>)], detail: Detail) -> Vec<u8> {
        let mut pending = Pending::default();
        for (rowid, column, offset) in places {
            let place = Place { rowid: *rowid, column: *column, offset: *offset };
            pending.add(b'0', b"term", place, detail).unwrap();
        }
        let mut out = Vec::new();
        pending.doclist_of(b"0term", detail, &mut out).unwrap();
        out
    }

    #[test]
    fn doclists_are_those_of_segments() {
        let places = [(1, 0, Some(0)), (1, 0, Some(2)), (1, 1, Some(0)), (2, 0, None), (2, 0, Some(3)), (300, 1, None)];
        let full = [1, 0x0a, 2, 4, 1, 1, 2, 1, 3, 5, 0x82, 0x2a, 1];
        assert_eq!(doclist(&places, Detail::Full), full);
        assert_eq!(doclist(&places, Detail::Columns), [1, 4, 2, 3, 1, 3, 2, 0x82, 0x2a, 1]);
        assert_eq!(doclist(&places, Detail::None), [1, 1, 0, 0, 0x82, 0x2a, 0]);
    }

    #[test]
    fn long_rows_have_long_sizes_wherever_they_stand() {
        for long in 0..3 {
            let of_row = |row: i64| (0..if row == long { 200 } else { 2 }).map(move |at| (row, 0, Some(at)));
            let mut places: Vec<_> = (0..3).flat_map(of_row).collect();
            places.insert(0, (0, 0, None));
            let bytes = doclist(&places, Detail::Full);
            let mut at = 0;
            for row in 0..3 {
                assert_eq!(varint::read(&bytes, &mut at), Some(u64::from(row > 0)));
                let len = if row == long { 200 } else { 2 };
                assert_eq!(varint::read(&bytes, &mut at), Some(len * 2 + u64::from(row == 0)));
                at += len as usize;
            }
            assert_eq!(at, bytes.len());
        }
    }

    #[test]
    fn long_doclists_cross_slices() {
        let places: Vec<_> = (0..5000).map(|at| (at / 7 * 1000, 0, Some(at as u32 % 7 * 300))).collect();
        let bytes = doclist(&places, Detail::Full);
        let (mut at, mut found, mut rowid) = (0, Vec::new(), 0i64);
        while at < bytes.len() {
            rowid += varint::read(&bytes, &mut at).unwrap() as i64;
            let len = varint::read(&bytes, &mut at).unwrap() as usize / 2;
            let positions = crate::position::Reader::new(&bytes[at..at + len]);
            found.extend(positions.map(|position| (rowid, 0, Some(position as u32))));
            at += len;
        }
        assert_eq!(found, places);
    }

    #[test]
    fn first_bytes_are_those_of_the_key() {
        let token = b"abcdefghi";
        for len in 0..=token.len() {
            let mut expected = [0; LEAD_LEN];
            expected[0] = b'0';
            expected[1..=len.min(LEAD_LEN - 1)].copy_from_slice(&token[..len.min(LEAD_LEN - 1)]);
            assert_eq!(leading_bytes(b'0', &token[..len]), u64::from_be_bytes(expected), "{len}");
        }
    }

    #[test]
    fn terms_are_told_apart_and_come_in_order() {
        let mut pending = Pending::default();
        let tokens: [&[u8]; 7] = [b"", b"\0", b"a", b"a\0", b"abcdefg", b"abcdefgh", b"abcdefgi"];
        for (kind, token) in [b'1', b'0'].into_iter().flat_map(|kind| tokens.map(|token| (kind, token))) {
            for rowid in 0..2 {
                pending.add(kind, token, Place { rowid, column: 0, offset: Some(0) }, Detail::Full).unwrap();
            }
        }
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut show = |term: Term<'_>| {
            found.push(term.key().to_vec());
            Ok(())
        };
        pending.in_order(b"", &mut show).unwrap();
        let expected = [b'0', b'1'].into_iter().flat_map(|kind| tokens.map(|token| [&[kind], token].concat()));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}
