//! Beginning and ending a read transaction, and the state of the file that is known in between.

use std::sync::Arc;

use lithe_format::db_header::{CHANGE_COUNTER_AT, DbHeader, FileVersion, HEADER_LEN};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{Access, LockLevel, Mapping};

use super::{FileStore, LogUse};
use crate::error::{Error, Result};
use crate::page_ref::{MappedFile, PageRef};
use crate::pool::{Changes, Written};
use crate::snapshot::{Change, Fingerprint, Shape, Snapshot, SnapshotId, View, fingerprint_in};
use crate::wal::Wal;

/// The parameters of a read transaction.
pub(crate) struct Beginning<'b> {
    /// The page size and reserved bytes of a database that is empty.
    pub(crate) shape: Shape,
    /// Whether the SHARED lock may be taken beside a commit of the same shared cache, which waits for readers of other
    /// caches to end.
    pub(crate) may_join_readers: &'b dyn Fn() -> bool,
}

/// The result of reading the state of the file.
enum Found {
    /// A database without a log.
    Rollback(Snapshot),
    /// A database with a log, which knows the page count.
    Log(Shape),
}

impl FileStore {
    /// Begins to read. Changes since the snapshot before are counted in `uncounted_changes`, also after an error.
    pub(crate) fn begin_read(&self, beginning: &Beginning<'_>) -> Result<Snapshot> {
        self.adopt_mmap_size();
        if self.is_wal() {
            return self.begin_read_wal(beginning.shape);
        }
        let had_entered_wal = self.has_entered_wal();
        let begun = self.try_begin_read(beginning);
        if begun.is_err() && had_entered_wal && !self.is_wal() {
            self.log.usage.set(LogUse::Entered); // the database was not read
        }
        if begun.is_err() && !self.settings.keeps_locks() && !self.is_wal() {
            self.unlock(LockLevel::None)?;
        }
        begun
    }

    fn try_begin_read(&self, beginning: &Beginning<'_>) -> Result<Snapshot> {
        // A lock that was kept proves that no other connection has written: EXCLUSIVE, or in SQLite's order of calls any
        // lock.
        let kept = if self.calls.reads_header_alone { LockLevel::Exclusive } else { LockLevel::Shared };
        let alone = self.level.get() >= kept;
        if let Some(known) = self.last.known().filter(|_| alone) {
            return Ok(known.or_of_shape(beginning.shape));
        }
        if alone && self.has_entered_wal() && !self.calls.reads_header_alone {
            self.log.usage.set(LogUse::AsHeaderSays);
            self.open_wal()?;
            return self.begin_read_wal(beginning.shape);
        }
        self.lock_shared(beginning.may_join_readers)?;
        if !alone && !self.access.immutable {
            self.roll_back_hot_journal()?;
        }
        match self.read_state_or_find_log(beginning.shape)? {
            Found::Rollback(snapshot) if !self.access.always_log => Ok(snapshot),
            Found::Rollback(Snapshot { shape, .. }) | Found::Log(shape) => {
                self.open_wal()?;
                self.begin_read_wal(shape)
            }
        }
    }

    /// Takes the lock for reading.
    fn lock_shared(&self, may_join_readers: &dyn Fn() -> bool) -> Result<()> {
        match self.lock(LockLevel::Shared) {
            Err(Error::Busy) if may_join_readers() && self.joins_readers()? => Ok(()),
            locked => locked,
        }
    }

    /// As [`FileStore::read_state`]. On a device that does not write sectors atomically, a checkpoint that a power loss
    /// interrupted may have left an invalid header: then the log has page 1.
    fn read_state_or_find_log(&self, shape: Shape) -> Result<Found> {
        if self.has_entered_wal() {
            self.log.usage.set(LogUse::AsHeaderSays);
        }
        if !self.calls.reads_header_alone {
            return self.read_state_through_page_1(shape);
        }
        if self.last.ignores_content.get() && !self.ignores_log() && self.vfs.access(&self.log.path, Access::Exists)? {
            return Ok(Found::Log(shape));
        }
        let known = self.last.known().map(|known| known.id);
        match self.read_file_state(shape) {
            // SQLite uses a log that exists, whatever page 1 says. Only another connection can have put one beside a file without a log,
            // so a state that is known needs no look.
            Ok(Found::Rollback(found)) if known != Some(found.id) && self.has_stray_log(&found)? => {
                self.last.forget();
                Ok(Found::Log(found.shape))
            }
            Err(Error::NotADb) if !self.ignores_log() && self.vfs.access(&self.log.path, Access::Exists)? => {
                Ok(Found::Log(shape))
            }
            looked => looked,
        }
    }

    /// Whether there is a log beside a database whose header says that it has none: one that a copy of another state of the file left.
    fn has_stray_log(&self, found: &Snapshot) -> Result<bool> {
        Ok(found.file_size > 0
            && !self.access.immutable
            && !self.ignores_log()
            && self.vfs.access(&self.log.path, Access::Exists)?)
    }

    /// As [`FileStore::read_state`], in SQLite's order: the change counter if it was read before, whether a log exists, the length of
    /// the file, and page 1 if it has changed. A log that exists is used, whatever page 1 says.
    fn read_state_through_page_1(&self, shape: Shape) -> Result<Found> {
        let before = self.last.known();
        let mut fingerprint = Fingerprint::default();
        if self.last.has_read_fingerprint.replace(true) {
            self.file.read_at(&mut fingerprint, CHANGE_COUNTER_AT as u64)?;
        }
        let has_log = !self.access.immutable && self.vfs.access(&self.log.path, Access::Exists)? && !self.ignores_log();
        let size = self.file.size()?;
        if has_log && size == 0 && !self.is_read_only() {
            self.delete_log_of_nothing()?;
        }
        let is_as_before = |known: &Snapshot| {
            (known.counts_pages || known.file_size == size)
                && matches!(known.id, SnapshotId::File(before, _) if before == fingerprint)
        };
        if let Some(known) = before.filter(is_as_before) {
            let known = known.or_of_shape(shape);
            return Ok(if has_log && size > 0 { Found::Log(known.shape) } else { Found::Rollback(known) });
        }
        self.last.forget();
        if self.last.fingerprint() != Some(fingerprint) {
            self.forget_fetched()?;
            self.database.pool.expire();
            self.adopt_into_pool(SnapshotId::File(fingerprint, size), shape.page_size);
            self.add_change(Change { moved: false, foreign: 1 });
        }
        if has_log && size > 0 {
            return Ok(Found::Log(shape));
        }
        self.read_page_1(shape, size)
    }

    /// Learns the state of a file that has no log from page 1, read through the pool.
    fn read_page_1(&self, shape: Shape, size: u64) -> Result<Found> {
        if size == 0 || self.last.ignores_content.get() {
            return Ok(self.remember_empty(shape));
        }
        let id = self.last.id();
        let candidate = Snapshot { id, page_count: 1, file_size: size, ..Snapshot::empty(shape) };
        let (page, _) = self.first_page(&candidate)?;
        let header = DbHeader::read(&page).map_err(|_| Error::NotADb)?;
        let found = self.remember_header(&header, &page, size);
        // Page 1 was read into the pool before the snapshot's id was known.
        self.advance_pool(&id, SnapshotId::File(fingerprint_in(&page), size), Changes::Pages(Vec::new()));
        found
    }

    /// Page 1 as the file or the log has it, and the page size and reserved bytes that it states. Another connection may have
    /// recreated the database with another page size since this one last read it.
    pub(super) fn first_page(&self, candidate: &Snapshot) -> Result<(PageRef, Shape)> {
        let page = self.page(&View::of(candidate), PageNo::FIRST)?;
        let Ok(header) = DbHeader::read(&page) else { return Ok((page, candidate.shape)) };
        let shape = Shape { page_size: header.page_size, reserved: header.reserved };
        if self.calls.reads_header_alone || header.page_size == candidate.shape.page_size {
            return Ok((page, candidate.shape));
        }
        self.database.pool.expire();
        self.adopt_into_pool(candidate.id, shape.page_size);
        Ok((self.page(&View::of(&Snapshot { shape, ..*candidate }), PageNo::FIRST)?, shape))
    }

    /// Ends a read transaction.
    pub(crate) fn end_read(&self) -> Result<()> {
        if self.is_wal() {
            return self.end_read_wal();
        }
        if self.settings.keeps_locks() {
            return Ok(());
        }
        self.give_up_lock(LockLevel::None)
    }

    /// Learns size and shape of a database that has no log. If its fingerprint is the known one, the known snapshot is
    /// answered.
    pub(crate) fn read_state(&self, shape: Shape) -> Result<Snapshot> {
        match self.read_file_state(shape)? {
            Found::Rollback(snapshot) => Ok(snapshot),
            // The header says so, but this connection has not opened the log: this transaction reads the file.
            Found::Log(shape) => Ok(Snapshot::empty(shape)),
        }
    }

    fn read_file_state(&self, shape: Shape) -> Result<Found> {
        let size = self.file.size()?;
        let known = self.last.known();
        let fingerprint = self.fingerprint(size)?;
        if let Some(known) = known.filter(|known| known.id == SnapshotId::File(fingerprint, size)) {
            return Ok(Found::Rollback(known.or_of_shape(shape)));
        }
        let found = self.read_state_from_header(shape, size)?;
        self.journal.kept.set_may_come_back(true);
        if let Found::Rollback(snapshot) = &found {
            self.adopt_into_pool(snapshot.id, snapshot.shape.page_size);
        }
        self.add_change(Change { moved: false, foreign: 1 });
        Ok(found)
    }

    /// The change counter and file size, read through the mapping if the file is mapped, which takes no system call.
    fn fingerprint(&self, size: u64) -> Result<Fingerprint> {
        let mut fingerprint = Fingerprint::default();
        if size < HEADER_LEN as u64 {
            return Ok(fingerprint);
        }
        match self.last.known() {
            Some(known) if known.mapped.valid() >= HEADER_LEN => known.mapped.read(CHANGE_COUNTER_AT, &mut fingerprint),
            _ => drop(self.file.read_at(&mut fingerprint, CHANGE_COUNTER_AT as u64)?),
        }
        Ok(fingerprint)
    }

    fn read_state_from_header(&self, shape: Shape, size: u64) -> Result<Found> {
        let before = self.last.take();
        if size == 0 || self.last.ignores_content.get() {
            return Ok(self.remember_empty(shape));
        }
        let mut bytes = [0; HEADER_LEN];
        match before {
            Some(known) if known.mapped.valid() >= HEADER_LEN && size >= HEADER_LEN as u64 => {
                known.mapped.read(0, &mut bytes);
            }
            _ => drop(self.file.read_at(&mut bytes, 0)?),
        }
        let header = DbHeader::read(&bytes).map_err(|_| Error::NotADb)?;
        self.remember_header(&header, &bytes, size)
    }

    fn remember_empty(&self, shape: Shape) -> Found {
        let empty = Snapshot::empty(shape);
        self.last.remember(empty);
        Found::Rollback(empty)
    }

    /// Remembers the state that the header states, if the database has no log. The file has `size` bytes and begins with `bytes`.
    fn remember_header(&self, header: &DbHeader, bytes: &[u8], size: u64) -> Result<Found> {
        if matches!(header.read_version, FileVersion::Unknown(_)) {
            return Err(Error::NotADb);
        }
        let shape = Shape { page_size: header.page_size, reserved: header.reserved };
        if header.read_version == FileVersion::Wal && !self.ignores_log() {
            // The page count and the rest are found through the log.
            return Ok(Found::Log(shape));
        }
        let pages_in_file = pages_in(size, header.page_size);
        let page_count = header.trusted_page_count().unwrap_or(pages_in_file);
        if page_count > pages_in_file {
            return Err(Error::corrupt("the file is shorter than its header says"));
        }
        let snapshot = Snapshot {
            id: SnapshotId::File(fingerprint_in(bytes), size),
            shape,
            page_count,
            file_size: size,
            mapped: self.map(size)?,
            direct: 0,
            counts_pages: header.trusted_page_count().is_some(),
            has_newer_write_version: matches!(header.write_version, FileVersion::Unknown(_)),
        };
        let snapshot = Snapshot { direct: snapshot.mapped_pages(), ..snapshot };
        self.last.remember(snapshot);
        Ok(Found::Rollback(snapshot))
    }

    /// Maps the first `size` bytes of the file, as far as it may be mapped.
    pub(super) fn map(&self, size: u64) -> Result<MappedFile> {
        let size = size.min(self.mmap_size());
        self.mapping.last.show(size, || self.longest_mapping(size))
    }

    /// A mapping that shows the first `size` bytes of the file, or as many of them as the system grants.
    pub(super) fn longest_mapping(&self, size: u64) -> Result<Option<Arc<Mapping>>> {
        self.database.mappings.covering(&*self.file, size)
    }

    /// After a commit through a rollback journal, which made `changes` to the snapshot `before`: the snapshot that is read
    /// from now on. `written` are pages that are known to be in the file, page 1 first.
    pub(crate) fn state_after_commit(&self, before: &View, changes: Changes, written: Written) -> Result<Snapshot> {
        let known = self.last.known();
        let size = u64::from(before.page_count.get()) * u64::from(before.page_size.get().get());
        let found = match (written.first(), known) {
            (Some((PageNo::FIRST, page)), _) => {
                self.last.forget();
                let header = DbHeader::read(page).map_err(|_| Error::NotADb)?;
                self.remember_header(&header, page, size)?
            }
            // This commit has not changed page 1.
            (_, Some(known)) if !self.calls.reads_header_alone && !changes.are_unknown() => Found::Rollback(known),
            _ => self.read_state_from_header(before.shape(), self.file.size()?)?,
        };
        let snapshot = match found {
            Found::Rollback(snapshot) => snapshot,
            // The commit has put WAL mode into the header; the log is opened at the next read transaction.
            Found::Log(shape) => {
                let page_1 = written.first().filter(|(no, _)| *no == PageNo::FIRST);
                let fingerprint = page_1.map_or(Fingerprint::default(), |(_, page)| fingerprint_in(page));
                let id = SnapshotId::File(fingerprint, size);
                Snapshot { id, page_count: before.page_count.get(), ..Snapshot::empty(shape) }
            }
        };
        self.advance_pool(&before.id.get(), snapshot.id, changes);
        self.keep_written(&snapshot.id, written);
        Ok(snapshot)
    }

    /// Puts pages that a commit has written into the pool, so that they need not be read again.
    pub(super) fn keep_written(&self, id: &SnapshotId, written: Written) {
        for (no, bytes) in written {
            self.database.pool.put(id, no, bytes);
        }
    }

    /// The snapshot after the rollback of a transaction that did not write to a log: the database is as it was before
    /// the transaction.
    pub(crate) fn state_after_rollback(&self, shape: Shape) -> Result<Snapshot> {
        match self.last.known() {
            // The lock was held throughout, and nothing has reached the file.
            Some(known) if !self.calls.reads_header_alone => Ok(known.or_of_shape(shape)),
            _ => self.read_state(shape),
        }
    }

    /// Adds a change by other connections to those that the pager has not counted yet.
    pub(super) fn add_change(&self, change: Change) {
        let before = self.last.uncounted_changes.get();
        let foreign = before.foreign.wrapping_add(change.foreign);
        self.last.uncounted_changes.set(Change { moved: before.moved || change.moved, foreign });
    }

    /// Makes this snapshot the one whose pages are read into the pool.
    pub(super) fn adopt_into_pool(&self, id: SnapshotId, page_size: PageSize) {
        let pool = &self.database.pool;
        pool.set_size(self.settings.cache_size.get().pages(page_size));
        pool.adopt(&id);
        self.last.set_id(id);
    }

    /// Makes the log's newest snapshot, to which this transaction has moved, the one whose pages are read into the
    /// pool.
    pub(crate) fn adopt_newest_into_pool(&self, page_size: PageSize) -> SnapshotId {
        let id = self.with_wal(Wal::snapshot_id);
        self.adopt_into_pool(id, page_size);
        id
    }

    /// Tells the pool that this connection's commit has made `after` of the snapshot `before`.
    pub(super) fn advance_pool(&self, before: &SnapshotId, after: SnapshotId, changes: Changes) {
        self.database.pool.advance(before, &after, changes);
        self.last.set_id(after);
    }

    /// Whether other connections learn the size of the database from page 1.
    pub(crate) fn counts_pages(&self) -> bool {
        self.last.known().is_some_and(|known| known.counts_pages)
    }

    /// Forgets the known snapshot, so that the next transaction reads the state of the database again.
    pub(crate) fn forget_known(&self) {
        self.last.forget();
    }

    /// The change counter of the file as it was when this transaction began.
    pub(crate) fn change_counter(&self) -> u32 {
        self.last.known().map_or(0, |known| known.id.change_counter())
    }
}

/// How many pages a file of `size` bytes has, the last perhaps cut short.
pub(super) fn pages_in(size: u64, page_size: PageSize) -> u32 {
    u32::try_from(size.div_ceil(u64::from(page_size.get()))).unwrap_or(u32::MAX)
}
