//! What a write transaction has written and not committed.

use std::cell::RefCell;

use hashbrown::HashSet;
use lithe_format::{PageNo, PageSize};

use crate::dirty::{DirtySet, PageHashes};
use crate::error::{Error, Result, listed};
use crate::savepoint::Savepoints;
use crate::snapshot::{Shape, View};
use crate::spill::Spill;

/// A write transaction.
#[derive(Debug, Default)]
pub(crate) struct WriteTxn {
    /// The written pages that are in memory.
    pub(crate) dirty: DirtySet,
    pub(crate) savepoints: Savepoints,
    /// The written pages that have left memory.
    pub(crate) spill: Spill,
    /// How many pages may be dirty in memory.
    pub(crate) dirty_max: usize,
    /// The page count when the transaction began.
    pub(crate) pages_before: u32,
    /// ROLLBACK TO has undone changes: a commit writes the pages in `undone`, with their old contents, as SQLite's does.
    pub(crate) has_undone: bool,
    /// Pages that ROLLBACK TO has taken out of the dirty set.
    pub(crate) undone: HashSet<PageNo, PageHashes>,
    /// The shape of pages when the transaction began, if it has changed the shape.
    pub(crate) shape_before: Option<Shape>,
    /// Pages that have changed since the last overlay was made; `None`: there is no overlay, or any page may have
    /// changed.
    pub(crate) changed: Option<Vec<PageNo>>,
    /// Memory for the lists of the pages that a commit writes.
    list: RefCell<Vec<PageNo>>,
}

/// A longer list is not kept for the next commit.
const LIST_MAX: usize = 1 << 10;

/// The longest list of changed pages.
const CHANGED_MAX: usize = 1 << 16;

impl WriteTxn {
    /// Records that page `no` came into the dirty set, or that its buffer was replaced there.
    #[inline]
    pub(crate) fn note_change(&mut self, no: PageNo) {
        if let Some(changed) = &mut self.changed {
            changed.push(no);
            if changed.len() > CHANGED_MAX {
                self.changed = None;
            }
        }
    }

    /// The pages that are in memory, and those that went to a temporary file or to their place in the database file. Pages in
    /// frames of the log are known to the log only.
    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = PageNo> {
        let in_memory = self.dirty.iter().map(|(no, _)| no);
        in_memory.chain(self.spill.temp.page_numbers()).chain(self.spill.placed.page_numbers(self.pages_before))
    }

    /// Whether a page was put into its place behind the end of the database.
    pub(crate) fn is_placed(&self, no: PageNo) -> bool {
        self.spill.placed.contains(no, self.pages_before)
    }

    /// The pages that a commit through a rollback journal writes, in order, of a database of `page_count` pages.
    pub(crate) fn pages_to_write(&self, page_count: u32) -> Result<Vec<PageNo>> {
        let is_within = |no: &PageNo| no.get() <= page_count;
        let mut pages = self.list.take();
        pages.clear();
        pages.try_reserve(self.dirty.len()).map_err(|_| Error::NoMem)?;
        pages.extend(self.dirty.iter().map(|(no, _)| no).filter(is_within));
        if !self.spill.temp.is_empty() {
            let spilled = listed(self.spill.temp.page_numbers().filter(is_within))?;
            pages.try_reserve(spilled.len()).map_err(|_| Error::NoMem)?;
            pages.extend(spilled);
        }
        pages.sort_unstable();
        pages.dedup();
        Ok(pages)
    }

    /// Takes a list back that is not used any more.
    pub(crate) fn give_list(&self, list: Vec<PageNo>) {
        if list.capacity() <= LIST_MAX {
            self.list.replace(list);
        }
    }

    /// Ends the transaction.
    pub(crate) fn clear(&mut self) {
        self.dirty.drain(|_, bytes| Some(bytes));
        self.spill.clear();
        self.has_undone = false;
        self.undone = HashSet::default();
        self.shape_before = None;
        self.changed = None;
    }
}

/// A write transaction with its view: the parameters of a commit.
#[derive(Clone, Copy)]
pub(crate) struct Pending<'t> {
    pub(crate) txn: &'t WriteTxn,
    pub(crate) view: &'t View,
}

impl Pending<'_> {
    /// The size of a page.
    pub(crate) fn page_size(&self) -> PageSize {
        self.view.page_size.get()
    }

    /// The page count of the database after the commit.
    pub(crate) fn page_count(&self) -> u32 {
        self.view.page_count.get()
    }

    /// The size that pages had when the transaction began.
    pub(crate) fn page_size_before(&self) -> PageSize {
        self.txn.shape_before.map_or(self.page_size(), |shape| shape.page_size)
    }

    /// Whether the transaction changes the page size.
    pub(crate) fn is_reshaped(&self) -> bool {
        self.txn.shape_before.is_some()
    }
}
