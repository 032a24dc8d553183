//! Beginning and ending to read, and what is known of the file in between.

use lithe_format::PageNo;
use lithe_format::bytes::at_u32;
use lithe_format::db_header::{CHANGE_COUNTER_AT, DbHeader, FileVersion, HEADER_LEN};
use lithe_vfs::{Access, LockLevel};

use super::FileStore;
use crate::error::{Error, Result};
use crate::page_ref::{MappedFile, PageRef};
use crate::pager::Pager;
use crate::pool::{Changes, Identity, Written};
use crate::wal::Wal;

/// The part of page 1 that changes with every transaction: change counter, size, freelist.
pub(super) type Fingerprint = [u8; 16];

/// What the last look at the file found. As long as fingerprint and size are the same, so is the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(super) valid: bool,
    fingerprint: Fingerprint,
    pub(super) file_size: u64,
    pub(super) page_count: u32,
    pub(super) direct: u32,
    /// Page 1 says how many pages there are, and is believed.
    pub(super) counts_pages: bool,
    /// Its write version is one that only later libraries write.
    pub(super) is_from_the_future: bool,
}

impl Known {
    pub(crate) const NOTHING: Known = Known {
        valid: false,
        fingerprint: [0; 16],
        file_size: 0,
        page_count: 0,
        direct: 0,
        counts_pages: false,
        is_from_the_future: false,
    };
}

impl FileStore {
    pub(crate) fn begin_read(&self, pager: &Pager) -> Result<()> {
        self.adopt_mmap_size();
        if self.is_wal() {
            return self.begin_read_wal(pager);
        }
        let begun = self.try_begin_read(pager);
        if begun.is_err() && !self.keeps_locks(pager) && !self.is_wal() {
            self.unlock(LockLevel::None)?;
        }
        begun
    }

    fn try_begin_read(&self, pager: &Pager) -> Result<()> {
        // A lock that was kept says that nobody has written; in the order of calls of a VFS of the application, any does.
        let kept = if self.calls.reads_header_alone { LockLevel::Exclusive } else { LockLevel::Shared };
        let alone = self.level.get() >= kept;
        let known = self.known.get();
        if alone && known.valid {
            pager.view.page_count.set(known.page_count);
            pager.view.direct.set(known.direct);
            return Ok(());
        }
        if alone && self.enters_wal.get() && !self.calls.reads_header_alone {
            self.enters_wal.set(false);
            self.open_wal(pager)?;
            return self.begin_read_wal(pager);
        }
        self.lock_shared(pager)?;
        if !alone && !self.immutable {
            self.roll_back_hot_journal(pager)?;
        }
        if self.look_for_version(pager)? == FileVersion::Wal || self.always_log {
            self.open_wal(pager)?;
            return self.begin_read_wal(pager);
        }
        Ok(())
    }

    /// As [`FileStore::look`]. A checkpoint that the power cut short may have left a header that is none, on a device
    /// that does not write sectors whole: then the log has page 1.
    fn look_for_version(&self, pager: &Pager) -> Result<FileVersion> {
        self.enters_wal.set(false);
        if !self.calls.reads_header_alone {
            return self.look_through_page_1(pager);
        }
        if self.is_void.get() && !self.ignores_wal.get() && self.vfs.access(&self.wal_path, Access::Exists)? {
            return Ok(FileVersion::Wal);
        }
        match self.look(pager) {
            Err(Error::NotADb) if !self.ignores_wal.get() && self.vfs.access(&self.wal_path, Access::Exists)? => {
                Ok(FileVersion::Wal)
            }
            looked => looked,
        }
    }

    /// As [`FileStore::look`], in SQLite's order: the change counter if the file was looked at before, whether there is a log, how
    /// long the file is, and page 1 if it has changed. A log that is there counts, whatever page 1 says.
    fn look_through_page_1(&self, pager: &Pager) -> Result<FileVersion> {
        let before = self.known.get();
        let mut fingerprint = Fingerprint::default();
        if self.has_looked.replace(true) {
            self.file.read_at(&mut fingerprint, CHANGE_COUNTER_AT as u64)?;
        }
        let has_log = !self.immutable && self.vfs.access(&self.wal_path, Access::Exists)? && !self.ignores_wal.get();
        let size = self.file.size()?;
        let same_size = before.counts_pages || before.file_size == size;
        if before.valid && same_size && before.fingerprint == fingerprint {
            pager.view.page_count.set(before.page_count);
            return Ok(if has_log && size > 0 { FileVersion::Wal } else { FileVersion::Rollback });
        }
        self.known.set(Known::NOTHING);
        pager.view.page_count.set(0);
        if self.seen.get() != Some(fingerprint) {
            self.database.pool.expire();
            self.adopt_pool_state(pager, &identity_of(&fingerprint, size));
            pager.note_foreign_change();
        }
        if has_log && size > 0 {
            return Ok(FileVersion::Wal);
        }
        self.know_page_1(pager, size)
    }

    /// Learns from page 1, through the pool, what is known of a file that has no log.
    fn know_page_1(&self, pager: &Pager, size: u64) -> Result<FileVersion> {
        if size == 0 || self.is_void.get() {
            self.known.set(Known { valid: true, ..Known::NOTHING });
            return Ok(FileVersion::Rollback);
        }
        let page = self.first_page(pager)?;
        let header = DbHeader::read(&page).map_err(|_| Error::NotADb)?;
        self.seen.set(Some(fingerprint_in(&page)));
        self.know_header(pager, &header, &page, size)
    }

    /// Page 1 as the file or the log has it. Others may have made the database with another size of pages since this connection
    /// last looked.
    pub(super) fn first_page(&self, pager: &Pager) -> Result<PageRef> {
        let page = self.page(&pager.view, PageNo::FIRST)?;
        let Ok(header) = DbHeader::read(&page) else { return Ok(page) };
        if self.calls.reads_header_alone || header.page_size == pager.page_size() {
            return Ok(page);
        }
        pager.adopt_page_size(header.page_size, header.reserved);
        self.database.pool.expire();
        self.pool_state.set(self.database.pool.newest());
        self.page(&pager.view, PageNo::FIRST)
    }

    /// Ends to read.
    pub(crate) fn end_read(&self, pager: &Pager) -> Result<()> {
        if self.is_wal() {
            return self.end_read_wal(pager);
        }
        if self.keeps_locks(pager) {
            return Ok(());
        }
        self.give_up_lock(pager, LockLevel::None)
    }

    /// Learns size and shape of the database, unless it is as we left it.
    pub(crate) fn look(&self, pager: &Pager) -> Result<FileVersion> {
        let size = self.file.size()?;
        let known = self.known.get();
        let fingerprint = self.fingerprint(pager, size)?;
        if known.valid && known.file_size == size && known.fingerprint == fingerprint {
            pager.view.page_count.set(known.page_count);
            pager.view.direct.set(known.direct);
            return Ok(FileVersion::Rollback);
        }
        let version = self.look_closely(pager, size)?;
        self.removal_may_not_last.set(true);
        self.adopt_pool_state(pager, &identity_of(&self.known.get().fingerprint, size));
        pager.note_foreign_change();
        Ok(version)
    }

    /// Read through the mapping where there is one: no system call.
    fn fingerprint(&self, pager: &Pager, size: u64) -> Result<Fingerprint> {
        let mut fingerprint = Fingerprint::default();
        if size < HEADER_LEN as u64 {
            return Ok(fingerprint);
        }
        let mapped = pager.view.mapped.get();
        if self.known.get().valid && mapped.valid() >= HEADER_LEN {
            mapped.read(CHANGE_COUNTER_AT, &mut fingerprint);
        } else {
            self.file.read_at(&mut fingerprint, CHANGE_COUNTER_AT as u64)?;
        }
        Ok(fingerprint)
    }

    fn look_closely(&self, pager: &Pager, size: u64) -> Result<FileVersion> {
        self.known.set(Known::NOTHING);
        pager.view.page_count.set(0);
        pager.view.direct.set(0);
        if size == 0 || self.is_void.get() {
            self.known.set(Known { valid: true, ..Known::NOTHING });
            return Ok(FileVersion::Rollback);
        }
        let mut bytes = [0; HEADER_LEN];
        let mapped = pager.view.mapped.get();
        if mapped.valid() >= HEADER_LEN && size >= HEADER_LEN as u64 {
            mapped.read(0, &mut bytes);
        } else {
            self.file.read_at(&mut bytes, 0)?;
        }
        let header = DbHeader::read(&bytes).map_err(|_| Error::NotADb)?;
        self.know_header(pager, &header, &bytes, size)
    }

    /// What the header says is known from now on, if the database has no log: of a file of `size` bytes that begins with `bytes`.
    fn know_header(&self, pager: &Pager, header: &DbHeader, bytes: &[u8], size: u64) -> Result<FileVersion> {
        if matches!(header.read_version, FileVersion::Unknown(_)) {
            return Err(Error::NotADb);
        }
        pager.adopt_page_size(header.page_size, header.reserved);
        if header.read_version == FileVersion::Wal && !self.ignores_wal.get() {
            // What else is to be known of it is found through the log.
            return Ok(FileVersion::Wal);
        }
        let pages_in_file = u32::try_from(size.div_ceil(u64::from(header.page_size.get()))).unwrap_or(u32::MAX);
        let page_count = header.trusted_page_count().unwrap_or(pages_in_file);
        if page_count > pages_in_file {
            return Err(Error::corrupt("the file is shorter than its header says"));
        }
        pager.view.page_count.set(page_count);
        let direct = self.map(pager, size)?;
        let fingerprint = fingerprint_in(bytes);
        let is_from_the_future = matches!(header.write_version, FileVersion::Unknown(_));
        let counts_pages = header.trusted_page_count().is_some();
        self.known.set(Known {
            valid: true,
            fingerprint,
            file_size: size,
            page_count,
            direct,
            counts_pages,
            is_from_the_future,
        });
        Ok(FileVersion::Rollback)
    }

    /// Maps the file, and answers how many pages can be read directly.
    pub(super) fn map(&self, pager: &Pager, size: u64) -> Result<u32> {
        let limit = self.mmap_size();
        let size = size.min(limit);
        let mapped = self.mapping.show(size, || self.database.mappings.covering(&*self.file, size))?;
        pager.view.mapped.set(mapped);
        let direct = self.direct_pages(pager);
        pager.view.direct.set(direct);
        Ok(direct)
    }

    /// How many pages are wholly in the mapped file.
    fn direct_pages(&self, pager: &Pager) -> u32 {
        let whole_pages = pager.view.mapped.get().valid() / pager.page_size().bytes();
        pager.page_count().min(u32::try_from(whole_pages).unwrap_or(u32::MAX))
    }

    /// After our own commit, which made `changes`: looks anew, without taking it for
    /// somebody else's change. `written` is what is known to be in the file, page 1 first.
    pub(crate) fn look_after_commit(&self, pager: &Pager, changes: Changes, written: Written) -> Result<()> {
        let before = self.pool_state.get();
        let mut seen = self.seen.take();
        let size = match written.first() {
            Some((PageNo::FIRST, page)) => {
                let size = u64::from(pager.page_count()) * u64::from(pager.page_size().get());
                self.known.set(Known::NOTHING);
                let header = DbHeader::read(page).map_err(|_| Error::NotADb)?;
                self.know_header(pager, &header, page, size)?;
                seen = Some(fingerprint_in(page));
                size
            }
            // Page 1 says what it said before.
            _ if !self.calls.reads_header_alone && self.known.get().valid && !changes.are_unknown() => {
                self.known.get().file_size
            }
            _ => {
                let size = self.file.size()?;
                self.look_closely(pager, size)?;
                size
            }
        };
        let identity = identity_of(&self.known.get().fingerprint, size);
        self.pool_state.set(self.database.pool.advance(before, &identity, changes));
        self.keep_written(written);
        self.seen.set(seen);
        Ok(())
    }

    /// Pages that a commit has written need not be read again.
    pub(super) fn keep_written(&self, written: Written) {
        for (no, bytes) in written {
            self.put_into_pool(no, bytes);
        }
    }

    /// After a rollback the database is as it was when the transaction began.
    pub(crate) fn look_after_rollback(&self, pager: &Pager) -> Result<()> {
        if self.is_wal() {
            pager.view.direct.set(self.known.get().direct);
            return Ok(());
        }
        let known = self.known.get();
        if known.valid && !self.calls.reads_header_alone {
            // The lock was held all the time, and nothing has reached the file.
            pager.view.page_count.set(known.page_count);
            return Ok(());
        }
        self.look(pager)?;
        Ok(())
    }

    /// Remembers a snapshot of the log, with a database file of `size` bytes behind it.
    pub(super) fn know_snapshot(&self, pager: &Pager, size: u64, is_from_the_future: bool, counts_pages: bool) {
        let page_count = pager.page_count();
        let direct = if self.with_wal(Wal::is_transparent) { self.direct_pages(pager) } else { 0 };
        pager.view.direct.set(direct);
        self.known.set(Known {
            valid: true,
            fingerprint: Fingerprint::default(),
            file_size: size,
            page_count,
            direct,
            counts_pages,
            is_from_the_future,
        });
    }

    /// The pool's number for the state that we look at.
    pub(super) fn adopt_pool_state(&self, pager: &Pager, identity: &Identity) {
        let pool = &self.database.pool;
        pool.set_size(pager.cache_size().pages(pager.page_size()));
        self.pool_state.set(pool.adopt(identity));
    }

    /// Whether others learn the size of the database from page 1.
    pub(crate) fn counts_pages(&self) -> bool {
        let known = self.known.get();
        known.valid && known.counts_pages
    }

    pub(crate) fn forget_what_is_known(&self) {
        self.known.set(Known::NOTHING);
    }

    /// What tells the state of a file that has no log from others.
    pub(crate) fn fingerprint_words(&self) -> [u32; 4] {
        let fingerprint = &self.known.get().fingerprint;
        [0, 4, 8, 12].map(|at| at_u32(fingerprint, at))
    }

    /// The change counter of the file as it was when this transaction began.
    pub(crate) fn change_counter(&self) -> u32 {
        at_u32(&self.known.get().fingerprint, 0)
    }

    /// The number of the last page that is wholly in the file and mapped.
    pub(super) fn is_mapped(&self, pager_mapped: MappedFile, no: PageNo, page_size: u32) -> bool {
        no.offset(page_size) + u64::from(page_size) <= pager_mapped.valid() as u64
    }
}

fn fingerprint_in(header: &[u8]) -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    fingerprint.copy_from_slice(&header[CHANGE_COUNTER_AT..][..size_of::<Fingerprint>()]);
    fingerprint
}

/// What tells this state of a file from others, without a log.
fn identity_of(fingerprint: &Fingerprint, file_size: u64) -> Identity {
    let mut identity = Identity::default();
    for (word, bytes) in identity.iter_mut().zip(fingerprint.chunks_exact(4)) {
        *word = at_u32(bytes, 0);
    }
    identity[4] = (file_size >> 32) as u32;
    identity[5] = file_size as u32;
    identity
}
