//! Bulk loads in WAL mode: pages that the database file has never had go to their place, past the log.
//!
//! ```text
//!   database file   0             the file's end
//!                   | pages of the database | pages that this transaction adds
//!                     into the log            to their place: written once, synced before the commit
//!   log             header | frames ... | the frame that commits
//! ```
//!
//! Through the log, everything that is added is summed up, written twice and read once. Behind the end of the file it can be
//! written once, as other databases do in a table that the transaction has made: no snapshot reaches that far, until
//! the commit in the log says that the database is longer. Before that, the pages are forced to the device, whatever
//! `synchronous` says of the log itself (but for OFF): else the commit could survive a power loss, and the pages not.
//!
//! What it takes:
//!
//! * No page up to the end of the file goes past the log: others may see it in an older snapshot.
//! * The log begins anew before the first page: with new salts, and cut. Who follows the log, to replicate the database, has to take
//!   a copy of the database then, whatever becomes of the transaction. A log that the database lacks, or that somebody reads, cannot
//!   begin anew: all pages go through it.
//! * No other process uses the database, neither when the first page goes past the log nor at the commit, and nobody begins to read
//!   while the commit is made; should somebody have come meanwhile, the pages go into the log as well (`wal::bypass`).
//! * The VFS is our own: others see the calls that SQLite makes.
//! * The connection checkpoints by itself (`wal_autocheckpoint`). If not, the log is somebody else's business.
//! * The lock of checkpointers is held until the transaction ends: they cut the file to the size that they know.
//! * Page 1 says where the database ends, not the size of the file, which a crash leaves too long.
//!
//! It begins when a transaction has so many pages in memory that an automatic checkpoint would follow it.

use lithe_format::PageNo;

use crate::dirty::{FINISHED_MAX, SlotId};
use crate::error::{Result, zeros};
use crate::file_store::FileStore;
use crate::options::Synchronous;
use crate::pager::{Pager, Store, WriteTxn};
use crate::wal::Wal;

/// Whether a transaction puts pages past the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bypass {
    /// It has not come to that.
    #[default]
    Undecided,
    Never,
    /// Those behind this one.
    Behind(u32),
}

/// Smaller transactions are better off with a single sync: as many pages as let an automatic checkpoint follow by default.
const BULK: usize = 1000;

impl Pager {
    /// Sets whether pages that make the database much longer may go past the log, into the file: not, unless this says so.
    pub fn set_may_bypass_log(&self, may: bool) {
        self.settings.may_bypass_log.set(may);
    }

    /// Whether the last transaction has put pages past the log.
    pub fn has_bypassed_log(&self) -> bool {
        matches!(&self.store, Store::File(file) if file.is_wal() && file.bypassed_log.get())
    }

    /// How many finished pages are worth to be put away.
    pub(crate) fn finished_enough(&self, txn: &WriteTxn) -> usize {
        let is_wal = matches!(&self.store, Store::File(file) if self.spills_into_log(file));
        let is_undecided = txn.bypass == Bypass::Undecided && !txn.spilled;
        let may_come = is_wal && is_undecided && self.settings.may_bypass_log.get();
        let batch = if may_come { BULK } else { FINISHED_MAX };
        batch.min(txn.dirty_max / 2)
    }

    /// Behind which page those that are spilled go to their place, if they do: decided by the first that are.
    pub(crate) fn bypass(&self, file: &FileStore, txn: &mut WriteTxn) -> Result<Option<u32>> {
        if txn.bypass == Bypass::Undecided {
            txn.bypass = self.decide_bypass(file, txn)?;
        }
        Ok(match txn.bypass {
            Bypass::Behind(end) => Some(end),
            _ => None,
        })
    }

    fn decide_bypass(&self, file: &FileStore, txn: &WriteTxn) -> Result<Bypass> {
        let page_size = self.page_size();
        let is_ours = !file.file.is_foreign();
        let is_plain = is_ours && txn.shape_before.is_none() && !file.sectors(page_size).are_shared();
        if !self.settings.may_bypass_log.get() || !is_plain || !file.may_be_longer(txn.pages_before) {
            return Ok(Bypass::Never);
        }
        let policy = file.log_policy(self);
        if !file.with_wal(|wal| wal.begin_bypass(&*file.vfs, page_size, &policy))? {
            return Ok(Bypass::Never);
        }
        let in_file = file.file.size()?.div_ceil(u64::from(page_size.get()));
        let in_file = u32::try_from(in_file).unwrap_or(u32::MAX);
        Ok(Bypass::Behind(in_file.max(txn.pages_before)))
    }

    /// Before the commit: whatever went past the log is on the device, or after all in the log.
    pub(crate) fn settle_bypass(&self, file: &FileStore) -> Result<()> {
        let txn = &mut *self.txn.borrow_mut();
        if txn.added.is_empty() {
            return Ok(());
        }
        if file.with_wal(Wal::is_followed)? {
            return self.log_added(file, txn);
        }
        let rest = self.rest_behind(file, txn)?;
        self.put_elsewhere(txn, &*file.vfs, &rest)?;
        if self.synchronous() > Synchronous::Off {
            file.file.sync(self.sync_flags())?;
        }
        if !file.with_wal(Wal::lock_readers_out)? {
            // Somebody has come during the sync.
            return self.log_added(file, txn);
        }
        Ok(())
    }

    /// What can go the same way of what is still in memory, by number.
    fn rest_behind(&self, file: &FileStore, txn: &mut WriteTxn) -> Result<Vec<SlotId>> {
        let end = self.placed_behind(file, txn)?;
        let goes = |no: &PageNo| no.get() <= self.page_count() && self.is_placed(*no, end);
        let mut pages: Vec<PageNo> = txn.dirty.iter().map(|(no, _)| no).filter(goes).collect();
        pages.sort_unstable();
        Ok(pages.into_iter().filter_map(|no| txn.dirty.find(no)).collect())
    }

    /// Somebody has come who may follow the log.
    fn log_added(&self, file: &FileStore, txn: &mut WriteTxn) -> Result<()> {
        const BATCH: usize = 128;
        let page_size = self.page_size().bytes();
        let is_newest = |no: &PageNo| {
            no.get() <= self.page_count() && txn.dirty.find(*no).is_none() && file.spilled_frame(*no).is_none()
        };
        let mut added = txn.added.page_numbers(txn.pages_before).filter(is_newest).peekable();
        let mut buf = zeros(BATCH * page_size)?;
        while added.peek().is_some() {
            let batch: Vec<PageNo> = added.by_ref().take(BATCH).collect();
            for (no, page) in batch.iter().zip(buf.chunks_exact_mut(page_size)) {
                file.read_added(*no, page)?;
            }
            let pages: Vec<(PageNo, &[u8])> = batch.into_iter().zip(buf.chunks_exact(page_size)).collect();
            file.spill_wal(self, &pages)?;
        }
        drop(added);
        txn.added.clear();
        Ok(())
    }

    /// A rollback, while nobody else can write: the file is as long as before. Too long is no harm.
    pub(crate) fn undo_bypass(&self, file: &FileStore) {
        let txn = self.txn.borrow();
        if let (Bypass::Behind(end), false) = (txn.bypass, txn.added.is_empty())
            && file.with_wal(Wal::is_bypassed)
        {
            let _ = file.cut_to(self, end);
        }
    }
}
