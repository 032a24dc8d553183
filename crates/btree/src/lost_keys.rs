//! Keys of deleted index entries that cursors may still stand on.
//!
//! A cursor seeks its entry again by the entry's columns, which it reads from the old version of the page, which its
//! path keeps alive. Only if these columns do not fit into the local part of the payload are they lost with the
//! overflow chain, whose pages may be reused at once. Such long keys are rare; each is remembered here when its chain
//! is freed, for the cursors that stand on it.

use lithe_format::PageNo;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// The keys that were deleted last.
#[derive(Debug, Default)]
pub(crate) struct LostKeys {
    keys: RefCell<VecDeque<LostKey>>,
    /// The total length of the records in `keys`.
    bytes: Cell<usize>,
    /// For each tree, the last version whose keys are not all kept any more.
    forgotten: RefCell<Vec<(PageNo, u64)>>,
}

#[derive(Debug)]
struct LostKey {
    root: PageNo,
    /// The first page of its overflow chain.
    chain: PageNo,
    /// The last version of the tree that had the key.
    version: u64,
    record: Vec<u8>,
}

/// The most bytes that are kept: the oldest keys are dropped first.
const BYTES_MAX: usize = 16 << 20;

impl LostKeys {
    pub fn remember(&self, root: PageNo, chain: PageNo, version: u64, record: Vec<u8>) {
        assert!(!record.is_empty(), "an entry with a chain has a key");
        let mut keys = self.keys.borrow_mut();
        let mut bytes = self.bytes.get() + record.len();
        keys.push_back(LostKey { root, chain, version, record });
        while bytes > BYTES_MAX && keys.len() > 1 {
            let Some(oldest) = keys.pop_front() else { break };
            bytes -= oldest.record.len();
            self.forget(&oldest);
        }
        self.bytes.set(bytes);
    }

    fn forget(&self, key: &LostKey) {
        let mut forgotten = self.forgotten.borrow_mut();
        match forgotten.iter_mut().find(|(root, _)| *root == key.root) {
            Some((_, version)) => *version = key.version.max(*version),
            None => forgotten.push((key.root, key.version)),
        }
    }

    /// Whether the key of an entry that a cursor came to at `version` may have been deleted and dropped.
    pub fn may_be_forgotten(&self, root: PageNo, version: u64) -> bool {
        self.forgotten.borrow().iter().any(|(of, last)| *of == root && *last >= version)
    }

    /// Copies to `record` the entry whose chain began at `chain` in the tree's version `version`, if it was deleted
    /// since. Answers whether it was.
    pub fn recall(&self, root: PageNo, chain: PageNo, version: u64, record: &mut Vec<u8>) -> bool {
        let keys = self.keys.borrow();
        // The first deletion after the cursor came is that of its entry; later ones are of entries that got the page
        // afterwards.
        let lost = keys.iter().find(|key| key.root == root && key.chain == chain && key.version >= version);
        if let Some(lost) = lost {
            record.clone_from(&lost.record);
        }
        lost.is_some()
    }
}
