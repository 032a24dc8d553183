//! Balancing: cells that do not fit on a page, or leave it too empty, are shared with its siblings.
//!
//! ```text
//!   parent          ... | d0 | d1 | ...            ... | e0 | e1 | e2 | ...
//!                      /     |     \        ->        /    /     \     \
//!   siblings         [a]    [b]    [c]              [a']  [b']   [c']  [new]
//! ```
//!
//! A page that is too full keeps its cells, and those that do not fit are *pending*. One step takes up
//! to three siblings and their pending cells, plans how many pages these need and which cell goes
//! where ([`plan`], no I/O), writes the pages, and replaces the dividers in the parent. Dividers that
//! do not fit there are pending in turn, and the next step balances the parent. At the root, which has
//! no siblings, the tree grows or loses a level.
//!
//! Between the steps every page is well-formed, and every cell that is not on a page is pending here. After an error in
//! between, the statement's rollback restores the tree.

mod gather;
mod plan;
mod root;
mod siblings;

use crate::btree::Btree;
use crate::error::{Result, corrupt};
use crate::freeblocks::free_bytes;
use crate::node::MAX_DEPTH;
use lithe_format::PageNo;

/// One page of the way from the root to the page that needs balancing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub no: PageNo,
    /// The index of the child that the path follows; on the last page, that of any cell.
    pub index: usize,
}

/// Cells that wait for space before cell `at` of a page.
#[derive(Debug)]
pub(crate) struct Pending {
    pub at: usize,
    pub cells: CellList,
}

impl Pending {
    /// One cell.
    pub fn one(at: usize, cell: Vec<u8>) -> Pending {
        assert!(!cell.is_empty(), "a cell has bytes");
        let ends = vec![cell.len()];
        Pending { at, cells: CellList { bytes: cell, ends } }
    }
}

/// Some cells, one after the other.
#[derive(Debug, Default)]
pub(crate) struct CellList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl CellList {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// The cells from `count` on.
    pub fn skip(&self, count: usize) -> CellList {
        assert!(count <= self.len(), "more cells are passed over than there are");
        let mut rest = CellList::default();
        for index in count..self.len() {
            rest.push(|bytes| bytes.extend_from_slice(self.get(index)));
        }
        rest
    }

    /// Adds the cell whose bytes `fill` appends.
    pub fn push(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        fill(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }
}

/// Balances the last page of `steps`, on which `pending` cells did not fit, and then its ancestors as far as they have
/// to change.
pub(crate) fn balance(btree: &Btree, steps: &[Step], mut pending: Option<Pending>) -> Result<()> {
    assert!(!steps.is_empty() && steps.len() <= MAX_DEPTH, "a path of {} pages", steps.len());
    let mut steps = steps.to_vec();
    // An insertion makes no page emptier. The almost empty pages that an append begins are filled by later rows.
    let inserts = pending.is_some();
    loop {
        debug_assert!(pending.as_ref().is_none_or(|pending| pending.cells.len() > 0), "no cell waits for space");
        let [.., parent, step] = steps[..] else {
            if pending.is_none() {
                return root::lose_level_if_empty(btree, steps[0].no);
            }
            root::grow_level(btree, &mut steps)?;
            assert_eq!(steps.len(), 2, "the root has a child, which is balanced next");
            continue;
        };
        if pending.is_none() && (inserts || !is_underfull(btree, step.no)?) {
            return Ok(());
        }
        pending = siblings::balance(btree, parent, step, pending)?;
        steps.pop();
    }
}

/// Whether so much of a page is free that it should be merged with its siblings.
fn is_underfull(btree: &Btree, no: PageNo) -> Result<bool> {
    let page = btree.page(no)?;
    let header = btree.header(&page, no)?;
    let free = free_bytes(&page, &header, btree.usable_size()).map_err(|malformed| corrupt(no, malformed.0))?;
    Ok(free * 3 > btree.usable_size() as usize * 2)
}
