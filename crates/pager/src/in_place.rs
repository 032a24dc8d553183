//! Transactions without a journal: pages go to their place as soon as there are too many, before the commit.
//!
//! `journal_mode=OFF` gives up ROLLBACK, and so a page that is written need not wait for the commit in a temporary
//! file. What it takes is that nobody else reads, and that nobody of this connection holds a reference to the place
//! that changes:
//!
//! ```text
//!   begin (nothing is read yet)      too many dirty pages            commit, rollback
//!   May: clean pages are copied ---> EXCLUSIVE, Done: written -----> Never: mapped again
//!                               ---> somebody reads: Never, they go to a temporary file
//! ```
//!
//! Page 1 waits for the commit: until then the database has the size that its header tells. A savepoint would want
//! pages back, and while one is open nothing is written in place.

use std::ops::Range;
use std::sync::Arc;

use lithe_format::PageNo;
use lithe_vfs::LockLevel;

use crate::dirty::SlotId;
use crate::error::Result;
use crate::file_store::{FileStore, Reading};
use crate::options::JournalMode;
use crate::page_ref::PageRef;
use crate::pager::{Pager, Store, WriteTxn};

/// Whether a transaction writes pages to their place before it commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InPlace {
    #[default]
    Never,
    May,
    /// It has: there is no way back.
    Done,
}

impl Pager {
    /// For a transaction that begins; `was_idle` says that nothing of the snapshot was read before.
    pub(crate) fn may_write_in_place(&self, was_idle: bool) -> InPlace {
        let Store::File(file) = &self.store else { return InPlace::Never };
        let without_journal = !file.is_wal() && self.journal_mode() == JournalMode::Off;
        if !without_journal || !(was_idle || file.mmap_size() == 0) {
            return InPlace::Never;
        }
        file.set_reading(Reading::Copied);
        self.look_twice();
        InPlace::May
    }

    /// Whether pages go to their place now.
    pub(crate) fn writes_in_place(&self, file: &FileStore, txn: &mut WriteTxn) -> bool {
        if txn.in_place == InPlace::Never || txn.savepoints.len() > 0 || txn.shape_before.is_some() {
            return false;
        }
        if file.lock(LockLevel::Exclusive).is_err() {
            txn.in_place = InPlace::Never;
        }
        txn.in_place != InPlace::Never
    }

    /// Writes pages, which are given by number, to their place, neighbours in one go.
    pub(crate) fn put_in_place(&self, file: &FileStore, txn: &mut WriteTxn, victims: &[SlotId]) -> Result<()> {
        txn.in_place = InPlace::Done;
        file.set_reading(Reading::Called);
        let WriteTxn { dirty, temp, added, pages_before, .. } = txn;
        let pages = victims.iter().map(|&id| dirty.slot(id)).filter(|slot| slot.no != PageNo::FIRST);
        let pages: Vec<(PageNo, &[u8])> =
            pages.map(|slot| (slot.no, &**slot.bytes.as_ref().expect("cold pages are not being written"))).collect();
        file.write_added(self, &pages)?;
        let written: Vec<PageNo> = pages.into_iter().map(|(no, _)| no).collect();
        file.database.pool.forget(written.iter().copied());
        for no in written {
            added.insert(no, *pages_before);
            temp.forget(no);
            dirty.remove(no);
        }
        Ok(())
    }

    /// Whether this transaction can only be half undone.
    pub(crate) fn wrote_in_place(&self) -> bool {
        self.txn.borrow().in_place == InPlace::Done
    }

    /// The page `no` to be copied right away: if it is clean, from the mapping even if nobody may keep a reference to it.
    pub(crate) fn page_to_copy(&self, no: PageNo) -> Result<PageRef> {
        let Store::File(file) = &self.store else { return self.page(no) };
        if self.txn.borrow().in_place != InPlace::May || self.is_written(no) {
            return self.page(no);
        }
        self.check_page_no(no)?;
        file.mapped_page(&self.view, no).map_or_else(|| self.page(no), Ok)
    }

    /// A copy of `clean`, which is page `no`; or the bytes themselves, if the pool lets them go, which has no use for them once
    /// pages are written in place, and nobody else refers to them.
    pub(crate) fn private(&self, txn: &mut WriteTxn, no: PageNo, clean: PageRef) -> Arc<[u8]> {
        let taken = match &self.store {
            Store::File(file) if txn.in_place == InPlace::Done => {
                file.take_from_pool(no).filter(|bytes| clean.is_of(bytes))
            }
            _ => None,
        };
        let Some(bytes) = taken else { return txn.dirty.buffer(&clean) };
        drop(clean);
        if Arc::strong_count(&bytes) == 1 { bytes } else { txn.dirty.buffer(&bytes) }
    }

    /// A copy of the clean page `no` but for the bytes `anew`, which are anything, once pages are written in place: what is to be
    /// overwritten is not read.
    pub(crate) fn copy_from_file(&self, txn: &mut WriteTxn, no: PageNo, anew: Range<usize>) -> Result<Arc<[u8]>> {
        self.check_page_no(no)?;
        let mut page = txn.dirty.blank(self.page_size().bytes());
        if let Store::File(file) = &self.store {
            let offset = no.offset(self.page_size().get());
            if anew.start > 0 {
                file.file.read_at(&mut page[..anew.start], offset)?;
            }
            if anew.end < page.len() {
                file.file.read_at(&mut page[anew.end..], offset + anew.end as u64)?;
            }
        }
        Ok(page.into_shared())
    }
}
