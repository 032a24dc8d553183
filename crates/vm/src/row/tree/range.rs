//! The end of a range of entries of an index, which is sought once on a leaf instead of compared with each entry there.
//!
//! ```text
//!   leaf   | e | e | e | e | e | e | e | e | e |
//!            compared      ▲ then sought     ▲ the first beyond the range: up to there, two indexes are compared
//! ```
//!
//! The key of the bound does not change while the cursor steps from entry to entry.

use lithe_btree::SearchKey;

use super::TreeCursor;
use crate::operand::Reg;

/// So many entries of a leaf are compared with the bound before its place is sought: a search costs as much as a few comparisons.
const COMPARED_FIRST: u8 = 4;

/// The bound behind which a range ends: its key in some registers, and whether an entry that begins with the key is beyond it. One number, so
/// that two are compared at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeBound(u64);

impl RangeBound {
    /// The bound whose key is in `count` registers from `start` on.
    #[inline]
    pub fn new(start: Reg, count: u16, excludes_equal: bool) -> RangeBound {
        RangeBound(u64::from(start.0) << 32 | u64::from(count) << 1 | u64::from(excludes_equal))
    }

    /// The first register of the key.
    pub fn start(self) -> Reg {
        Reg((self.0 >> 32) as u32)
    }

    /// How many registers the key has.
    pub fn count(self) -> u16 {
        (self.0 as u32 >> 1) as u16
    }

    /// An entry that begins with the key is beyond the bound.
    pub fn excludes_equal(self) -> bool {
        self.0 & 1 != 0
    }
}

/// Where a range ends on the leaf that a loop goes over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RangeEnd {
    /// The bound whose place is known; 0 is none, because a key has a register.
    bound: u64,
    /// The first cell of the leaf that is beyond that bound.
    beyond: u16,
    /// How many entries of the leaf were compared with the bound.
    compared: u8,
}

impl TreeCursor {
    /// Whether the entry is beyond the bound, if that is known for the leaf. Writes to the tree leave the loop the page that it goes over, and
    /// this answer true.
    #[inline(always)]
    pub fn is_beyond(&self, bound: RangeBound) -> Option<bool> {
        let inner = &*self.inner;
        let is_known = inner.range_end.bound == bound.0 && inner.leaf.count != 0;
        is_known.then_some(inner.leaf.index >= inner.range_end.beyond)
    }

    /// Counts an entry that was compared with the bound of a range; whether the bound should be sought now.
    #[inline]
    pub fn wants_range_end(&mut self) -> bool {
        if self.inner.leaf.count == 0 {
            return false;
        }
        let compared = &mut self.inner.range_end.compared;
        *compared = compared.saturating_add(1);
        *compared == COMPARED_FIRST
    }

    /// Seeks the first entry of the leaf that is beyond the bound, which is where `key` belongs. Where that fails, entries are compared as
    /// before.
    pub fn find_range_end(&mut self, bound: RangeBound, key: &SearchKey<'_>) {
        if let Some(beyond) = self.inner.cursor.place_on_leaf(&self.btree, key) {
            debug_assert!(beyond > self.inner.leaf.index, "the entry under the cursor is within the range");
            self.inner.range_end = RangeEnd { bound: bound.0, beyond, compared: COMPARED_FIRST };
        }
    }
}
