//! One connection's list of the newest frame of each page.
//!
//! The shared index has the same information, but as a hash table in which every frame of a page that is written again
//! and again (the root of a tree, the last leaf) takes a slot of one long row, and a search walks all of it. A
//! connection that searches often therefore lists the frames for itself, once, and adds those of each new commit. The
//! list is only made when searches in the shared index have cost as much.

use hashbrown::HashMap;
use lithe_format::PageNo;
use lithe_format::wal::Salts;

use super::index::WalIndex;
use crate::dirty::PageHashes;
use crate::error::{Error, Result};

/// More frames than this are not listed: the memory of a connection has a bound, the log has none.
const FRAMES_MAX: u32 = 1 << 18;

/// The newest frame of each page among the frames `from..=to` of one run of the log.
#[derive(Debug, Default)]
pub(super) struct FrameMap {
    newest: HashMap<PageNo, u32, PageHashes>,
    salts: Salts,
    /// The first frame that is listed, or would be.
    from: u32,
    /// The last frame that is listed.
    to: u32,
    /// How many slots searches have read since frames were last listed.
    searched: u32,
}

impl FrameMap {
    /// The newest frame of `no` among `first..=last` of the log with these salts.
    #[inline]
    pub(super) fn find(
        &mut self,
        index: &WalIndex,
        salts: Salts,
        no: PageNo,
        (first, last): (u32, u32),
    ) -> Result<Option<u32>> {
        let is_listed = self.to == last && self.from <= first && self.salts == salts;
        if is_listed || self.catch_up(index, salts, (first, last))? {
            return Ok(self.newest.get(&no).copied().filter(|&frame| first <= frame));
        }
        let (found, looks) = index.search(no, first, last)?;
        self.searched = self.searched.saturating_add(looks);
        Ok(found)
    }

    /// Lists the frames up to `last`, if searches have cost enough by now.
    #[cold]
    fn catch_up(&mut self, index: &WalIndex, salts: Salts, (first, last): (u32, u32)) -> Result<bool> {
        if self.salts != salts || last < self.to || first < self.from {
            let searched = self.searched;
            *self = FrameMap { newest: std::mem::take(&mut self.newest), salts, from: first, to: first - 1, searched };
            self.newest.clear();
        }
        let missing = last - self.to;
        if missing > self.searched.max(FEW) || last - self.from >= FRAMES_MAX {
            return Ok(false);
        }
        for frame in self.to + 1..=last {
            let no = index.page_of(frame).ok_or_else(|| Error::corrupt("the WAL index has a frame of no page"))?;
            self.newest.insert(no, frame);
        }
        self.to = last;
        self.searched = 0;
        Ok(true)
    }
}

/// This many frames, about those of a commit or two, are listed without a search before.
const FEW: u32 = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn no(n: u32) -> PageNo {
        PageNo::new(n).unwrap()
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn the_list_says_what_the_index_says() {
        let index = WalIndex::private();
        assert!(index.open().unwrap());
        let page_of = |frame: u32| frame * frame % 61 % 23 + 1;
        for frame in 1..=9_000u32 {
            index.append(frame, no(page_of(frame))).unwrap();
        }
        let mut map = FrameMap::default();
        // Snapshots move forward, and back (another run, a restarted log), and so do their first frames.
        let (one, other) = (Salts([1, 2]), Salts([2, 7]));
        let snapshots = [
            (one, 1, 20),
            (one, 1, 21),
            (one, 1, 5000),
            (one, 300, 9000),
            (one, 40, 9000),
            (one, 1, 3),
            (other, 1, 60),
        ];
        for (salts, first, last) in snapshots {
            for _ in 0..50 {
                for page in 1..=24 {
                    let found = map.find(&index, salts, no(page), (first, last)).unwrap();
                    let expected = (first..=last).rev().find(|&frame| page_of(frame) == page);
                    assert_eq!(found, expected, "page {page} in {first}..={last}");
                }
            }
            assert_eq!(map.to, last, "asked that often, it lists {first}..={last}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn who_asks_once_lists_nothing() {
        let index = WalIndex::private();
        index.open().unwrap();
        for frame in 1..=4_000u32 {
            index.append(frame, no(frame)).unwrap();
        }
        let mut map = FrameMap::default();
        assert_eq!(map.find(&index, Salts([1, 1]), no(70), (1, 4_000)).unwrap(), Some(70));
        assert!(map.newest.is_empty());
    }
}
