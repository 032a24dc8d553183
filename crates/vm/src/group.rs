//! GROUP BY without a sort of the rows: the groups by their key, each with the states of its aggregates.
//!
//! ```text
//!   slots       hash of the key ──► number of the group
//!   registers   | key | block | key | block | ...        one stretch a group, in the order they came
//!                          ▲
//!                          ▼  swapped
//!   machine         ... | block | ...
//! ```
//!
//! The *block* is a range of the machine's registers: the states of the aggregates, and the other values of a group. While a
//! group is *loaded*, its block is in the machine, where ordinary instructions use it. When a row of another group comes, the two
//! blocks are swapped.
//!
//! Beyond the budget no group is added: the program sorts the rows of unknown groups, and merges the sorted groups with
//! these by [`GroupsCursor::next`], which stops before a given key.

use std::cmp::Ordering;
use std::sync::Arc;

use hashbrown::HashTable;
use lithe_btree::KeyInfo;

use crate::keys::{KeyHasher, Prefix, compare_column, prefix};
use crate::register::Register;

/// The assumed size of an aggregate's state on the heap.
const STATE_BYTES: usize = 48;
/// With so many groups, of which each has less than [`ROWS_MIN`] rows on average, the rows of other groups are sorted: a group in memory
/// costs more than a few rows in a sorter.
const GROUPS_MANY: usize = 4096;
const ROWS_MIN: usize = 2;

/// Where the group of a row was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// In a group that was known; it is loaded.
    Known,
    /// In no group: a new one was made; it is loaded, and its block is NULL.
    New,
    /// In no group, and a further one does not fit.
    Full,
}

/// The groups of a GROUP BY.
pub struct GroupsCursor {
    key: Arc<KeyInfo>,
    hasher: KeyHasher,
    slots: HashTable<u32>,
    hashes: Vec<u64>,
    registers: Vec<Register>,
    /// The start of the block in the machine, and its length.
    block: (usize, usize),
    loaded: Option<u32>,
    bytes: usize,
    budget: usize,
    /// The rows so far.
    rows: usize,
    /// No group is added any more, because rows of further groups have gone through the sorter.
    is_full: bool,
    /// The groups in the order of their keys, once they are sorted, and the index of the next one to return.
    order: Vec<(u64, u32)>,
    next: usize,
}

impl GroupsCursor {
    /// No group yet. The block is the registers `start..start + count` of the machine.
    pub fn new(key: Arc<KeyInfo>, start: usize, count: usize, budget: usize) -> GroupsCursor {
        GroupsCursor {
            key,
            hasher: KeyHasher::default(),
            slots: HashTable::new(),
            hashes: Vec::new(),
            registers: Vec::new(),
            block: (start, count),
            loaded: None,
            bytes: 0,
            budget,
            rows: 0,
            is_full: false,
            order: Vec::new(),
            next: 0,
        }
    }

    /// Loads the group whose key is in the registers from `start` on.
    #[inline]
    pub fn find(&mut self, machine: &mut [Register], start: usize) -> Found {
        debug_assert!(self.order.is_empty(), "a row comes after the groups were sorted");
        self.rows += 1;
        let key = &machine[start..start + self.key_len()];
        let hash = self.hasher.hash(&self.key, |index| key[index].as_ref());
        if let Some(loaded) = self.loaded
            && self.hashes[loaded as usize] == hash
            && self.is_key_of(loaded, key)
        {
            return Found::Known;
        }
        let known = self.slots.find(hash, |&group| self.hashes[group as usize] == hash && self.is_key_of(group, key));
        match known.copied() {
            Some(group) => {
                self.load(machine, group);
                Found::Known
            }
            None => {
                self.is_full = self.is_full || self.is_large() || !self.has_memory();
                if self.is_full {
                    return Found::Full;
                }
                self.add(machine, start, hash);
                Found::New
            }
        }
    }

    /// Whether the groups take more memory than they may, or are so many that they do not pay.
    #[inline]
    fn is_large(&self) -> bool {
        let groups = self.hashes.len();
        self.bytes > self.budget || (groups >= GROUPS_MANY && groups * ROWS_MIN > self.rows)
    }

    /// Whether there is memory for one more group; without it the rows go through a sorter.
    fn has_memory(&mut self) -> bool {
        let hashes = &self.hashes;
        self.registers.try_reserve(self.key_len() + self.block.1).is_ok()
            && self.slots.try_reserve(1, |&group| hashes[group as usize]).is_ok()
            && self.hashes.try_reserve(1).is_ok()
    }

    #[inline]
    fn key_len(&self) -> usize {
        self.key.columns().len()
    }

    #[inline]
    fn stride(&self) -> usize {
        self.key_len() + self.block.1
    }

    #[inline]
    fn key_of(&self, group: u32) -> &[Register] {
        &self.registers[group as usize * self.stride()..][..self.key_len()]
    }

    #[inline]
    fn is_key_of(&self, group: u32, key: &[Register]) -> bool {
        compare(self.key_of(group), key, &self.key).is_eq()
    }

    #[inline(never)]
    fn add(&mut self, machine: &mut [Register], start: usize, hash: u64) {
        self.store_loaded(machine);
        assert!(self.loaded.is_none(), "a group is added while none is loaded");
        let (key_len, (_, block_len)) = (self.key_len(), self.block);
        let group = self.hashes.len() as u32;
        for key in &machine[start..start + key_len] {
            let mut own = Register::Null;
            own.set(key.as_ref());
            self.bytes += own.owned_bytes();
            self.registers.push(own);
        }
        self.registers.extend(std::iter::repeat_with(Register::default).take(block_len));
        self.bytes += (key_len + block_len) * size_of::<Register>() + 3 * size_of::<u64>();
        self.hashes.push(hash);
        self.slots.insert_unique(hash, group, |&group| self.hashes[group as usize]);
        self.load(machine, group);
    }

    #[inline]
    fn load(&mut self, machine: &mut [Register], group: u32) {
        self.store_loaded(machine);
        debug_assert!((group as usize) < self.hashes.len(), "a group that there is none of");
        self.swap(machine, group);
        self.loaded = Some(group);
        self.bytes -= self.block_bytes(machine);
    }

    /// Puts the block of the loaded group back; the machine's becomes NULL.
    #[inline]
    fn store_loaded(&mut self, machine: &mut [Register]) {
        if let Some(group) = self.loaded.take() {
            let (start, count) = self.block;
            // Values on a page are copied, because otherwise each group would keep its page in memory.
            machine[start..start + count].iter_mut().for_each(Register::own);
            self.bytes += self.block_bytes(machine);
            self.swap(machine, group);
        }
    }

    fn block_bytes(&self, machine: &[Register]) -> usize {
        let (start, count) = self.block;
        machine[start..start + count].iter().map(Register::owned_bytes).sum()
    }

    #[inline]
    fn swap(&mut self, machine: &mut [Register], group: u32) {
        let (start, count) = self.block;
        let at = group as usize * self.stride() + self.key_len();
        machine[start..start + count].swap_with_slice(&mut self.registers[at..at + count]);
    }

    /// Sorts the groups, after the last row.
    pub fn sort(&mut self, machine: &mut [Register]) {
        self.store_loaded(machine);
        assert_eq!(self.registers.len(), self.hashes.len() * self.stride(), "a stretch of registers for each group");
        let column = self.key.columns().first();
        let bits = |group| match (column, self.key_of(group).first()) {
            (Some(column), Some(first)) => {
                let Prefix { bits, .. } = prefix(first.as_ref(), column);
                bits
            }
            _ => 0,
        };
        let mut order: Vec<(u64, u32)> = (0..self.hashes.len() as u32).map(|group| (bits(group), group)).collect();
        order.sort_unstable_by(|(a_bits, a), (b_bits, b)| {
            a_bits.cmp(b_bits).then_with(|| compare(self.key_of(*a), self.key_of(*b), &self.key))
        });
        self.order = order;
        self.next = 0;
    }

    /// Loads the next group and puts its key into the registers from `start` on. False if there is none, or none before the key
    /// in the registers from `limit` on.
    pub fn next(&mut self, machine: &mut [Register], start: usize, limit: Option<usize>) -> bool {
        let Some(&(_, group)) = self.order.get(self.next) else { return false };
        let key_len = self.key_len();
        if let Some(limit) = limit
            && compare(self.key_of(group), &machine[limit..limit + key_len], &self.key).is_ge()
        {
            return false;
        }
        self.next += 1;
        self.load(machine, group);
        for (at, dst) in machine[start..start + key_len].iter_mut().enumerate() {
            dst.set(self.key_of(group)[at].as_ref());
        }
        true
    }
}

#[inline]
fn compare(left: &[Register], right: &[Register], key: &KeyInfo) -> Ordering {
    for ((left, right), column) in left.iter().zip(right).zip(key.columns()) {
        let order = compare_column(left.as_ref(), right.as_ref(), column);
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

impl Register {
    /// About how much memory the register has beyond its own.
    #[inline]
    fn owned_bytes(&self) -> usize {
        match self {
            Register::OwnedText { memory, .. } | Register::OwnedBlob { memory, .. } => memory.len(),
            Register::Sum(_) => STATE_BYTES,
            Register::Extreme(extreme) => STATE_BYTES + extreme.bytes(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_btree::KeyColumn;
    use lithe_value::{Collation, ValueRef};

    /// Counts the values, a group each, in register 1; register 0 has the key.
    fn counts(values: &[ValueRef<'_>], column: KeyColumn, budget: usize) -> (Vec<(String, i64)>, usize) {
        let key = Arc::new(KeyInfo::new(vec![column], Default::default()));
        let mut groups = GroupsCursor::new(key, 1, 1, budget);
        let mut machine: Vec<Register> = std::iter::repeat_with(Register::default).take(4).collect();
        let mut refused = 0;
        for value in values {
            machine[0].set(*value);
            match groups.find(&mut machine, 0) {
                Found::New => machine[1].set_integer(1),
                Found::Known => {
                    let count = machine[1].integer() + 1;
                    machine[1].set_integer(count);
                }
                Found::Full => refused += 1,
            }
        }
        groups.sort(&mut machine);
        let mut found = Vec::new();
        while groups.next(&mut machine, 2, None) {
            found.push((machine[2].as_ref().to_string(), machine[1].integer()));
        }
        (found, refused)
    }

    #[test]
    fn equal_keys_are_one_group_and_come_in_order() {
        use ValueRef::{Integer, Null, Real, Text};
        let values = [Text(b"b"), Integer(1), Null, Text(b"B"), Real(1.0), Null, Text(b"b"), Integer(-5)];
        let words = |pairs: &[(ValueRef<'_>, i64)]| -> Vec<(String, i64)> {
            pairs.iter().map(|(value, count)| (value.to_string(), *count)).collect()
        };
        let binary = words(&[(Null, 2), (Integer(-5), 1), (Integer(1), 2), (Text(b"B"), 1), (Text(b"b"), 2)]);
        assert_eq!(counts(&values, KeyColumn::default(), 1 << 20), (binary, 0));
        let column = KeyColumn { collation: Collation::NoCase, descending: true, nulls_large: false };
        let nocase = words(&[(Text(b"b"), 3), (Integer(1), 2), (Integer(-5), 1), (Null, 2)]);
        assert_eq!(counts(&values, column, 1 << 20), (nocase, 0));
    }

    #[test]
    fn groups_of_single_rows_are_left_to_the_sorter() {
        let numbers = |count: usize| (0..count as i64).chain(0..10).map(ValueRef::Integer).collect::<Vec<_>>();
        let (groups, refused) = counts(&numbers(3 * GROUPS_MANY), KeyColumn::default(), 1 << 30);
        assert_eq!((groups.len(), refused), (GROUPS_MANY, 2 * GROUPS_MANY));
        assert_eq!(groups.iter().filter(|(_, count)| *count == 2).count(), 10);
        let pairs: Vec<_> = numbers(3 * GROUPS_MANY).into_iter().flat_map(|number| [number; 2]).collect();
        let (groups, refused) = counts(&pairs, KeyColumn::default(), 1 << 30);
        assert_eq!((groups.len(), refused), (3 * GROUPS_MANY, 0));
    }

    #[test]
    fn a_group_that_did_not_fit_once_is_not_added_later() {
        let key = Arc::new(KeyInfo::new(vec![KeyColumn::default()], Default::default()));
        let mut groups = GroupsCursor::new(key, 1, 1, 20_000);
        let mut machine: Vec<Register> = std::iter::repeat_with(Register::default).take(2).collect();
        let mut find = |number: i64, block: &[u8]| {
            machine[0].set_integer(number);
            let found = groups.find(&mut machine, 0);
            machine[1].set(ValueRef::Blob(block));
            found
        };
        let long = vec![0; 50_000];
        assert_eq!(find(1, b"short"), Found::New);
        assert_eq!(find(2, &long), Found::New);
        assert_eq!(find(1, b"short"), Found::Known);
        assert_eq!(find(3, b"short"), Found::Full);
        // The long block is in the machine now, and does not count.
        assert_eq!(find(2, &long), Found::Known);
        assert_eq!(find(3, b"short"), Found::Full);
    }

    #[test]
    fn beyond_the_budget_only_known_groups_grow() {
        let keys: Vec<String> =
            (0..3000).map(|n| format!("a key that is long enough for memory {}", n % 1000)).collect();
        let values: Vec<ValueRef<'_>> = keys.iter().map(|key| ValueRef::Text(key.as_bytes())).collect();
        let (groups, refused) = counts(&values, KeyColumn::default(), 20_000);
        assert!(groups.len() > 50 && groups.len() < 500, "{}", groups.len());
        assert!(groups.iter().all(|(_, count)| *count == 3));
        assert_eq!(refused, 3000 - 3 * groups.len());
        assert!(groups.is_sorted());
    }
}
