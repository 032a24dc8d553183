//! Writing to the log: frames, and the header that commits them.

use std::io::IoSlice;
use std::time::Duration;

use lithe_format::locks::{READ_MARKS, read_slots_from};
use lithe_format::wal::{FrameHeader, HEADER_LEN, Salts, Sum, SumOrder, WalHeader, frame_len, frame_offset};
use lithe_format::wal_index::{IndexHeader, READ_MARK_UNUSED};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{DeviceCharacteristics, ResultCode, SyncFlags, Vfs};

use super::Wal;
use super::commit_queue::Base;
use super::index::HeaderState;
use super::snapshot::Begun;
use crate::error::{Error, Result};
use crate::page_map::PageMap;
use crate::spill::SpillMark;

/// How many frames go into one write.
const BATCH: usize = 512;

/// What a write transaction has appended so far.
#[derive(Debug)]
pub(super) struct Tail {
    /// The commit that the transaction is built on, if that is not published yet.
    pub(super) base: Option<Base>,
    /// The last frame before the transaction's own.
    pub(super) first_frame: u32,
    pub(super) last_frame: u32,
    pub(super) sum: Sum,
    /// The pages of the frames that are not in the index yet.
    unindexed: Vec<PageNo>,
    /// The frame of the newest image of each page that this transaction has spilled.
    spilled: PageMap,
    /// This transaction has restarted the log.
    pub(super) restarted: bool,
    /// The checksum of the header, if this transaction has written it before its first frame.
    pub(super) header_sum: Option<Sum>,
    /// Pages go past the log: the lock of checkpointers is held.
    pub(super) past_log: bool,
    /// No reader can begin: the locks of all read marks are held.
    pub(super) readers_locked_out: bool,
    /// The offset at which the writer of padding frames syncs the log, and how.
    sync_at: Option<(u64, SyncFlags)>,
}

impl Tail {
    /// Whether the transaction is built on a published commit, whose last frame this is, and has appended nothing.
    pub(super) fn is_untouched(&self, last_frame: u32) -> bool {
        self.base.is_none() && self.last_frame == last_frame
    }
}

/// How the log is synced and limited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    /// The header of a restarted log is synced before frames overwrite older ones.
    pub(crate) sync_header: bool,
    /// The frames are synced before a commit is published.
    pub(crate) sync_frames: bool,
    pub(crate) flags: SyncFlags,
    /// How long the file may stay when the log is restarted.
    pub(crate) size_limit: Option<u64>,
}

impl Wal {
    /// Becomes the writer. A snapshot that is held must be the newest one, because otherwise the transaction cannot be
    /// built on it. Without a snapshot the connection begins to read, and this answers as [`Wal::begin_read`] does.
    pub(crate) fn begin_write(&self, holds_snapshot: bool, patience: Duration) -> Result<Begun> {
        let base = match self.become_writer(patience) {
            Err(Error::Busy) if !holds_snapshot => return Err(self.busy_error()),
            taken => taken?,
        };
        let begun = if holds_snapshot { self.check_newest(base) } else { self.begin_read_newest(base) };
        match begun {
            Ok(begun) if self.is_writable() => {
                self.start_tail(base);
                Ok(begun)
            }
            Ok(_) => {
                self.stop_writing();
                Err(Error::ReadOnly(ResultCode::READONLY))
            }
            Err(error) => {
                self.stop_writing();
                Err(error)
            }
        }
    }

    /// The error for a busy write lock: another process may be recovering the index.
    fn busy_error(&self) -> Error {
        let has_no_header =
            matches!(self.index.open(), Ok(true)) && matches!(self.index.header(), Ok(HeaderState::Unreadable));
        if has_no_header && let Err(error) = self.wait_for_header_writer() {
            return error;
        }
        Error::Busy
    }

    fn start_tail(&self, base: Option<Base>) {
        assert!(self.is_writer.get(), "only the writer appends");
        assert!(self.tail.borrow().is_none(), "one transaction after the other");
        assert!(self.mark.get().is_some(), "who writes has a snapshot");
        let header = self.header.get();
        self.tail.replace(Some(Tail {
            base,
            first_frame: header.last_frame,
            last_frame: header.last_frame,
            sum: header.sum,
            unindexed: Vec::new(),
            spilled: PageMap::default(),
            restarted: false,
            header_sum: None,
            past_log: false,
            readers_locked_out: false,
            sync_at: None,
        }));
    }

    /// Becomes the writer for a transaction that worked without the writer slot, and moves its snapshot to the newest
    /// commit, unless `conflicts` holds for a page that was written since. Answers whether the snapshot moved.
    pub(crate) fn begin_commit(&self, patience: Duration, conflicts: &dyn Fn(PageNo) -> bool) -> Result<bool> {
        let base = self.become_writer(patience)?;
        let moved =
            if self.is_writable() { self.move_on(base, conflicts) } else { Err(Error::ReadOnly(ResultCode::READONLY)) };
        match &moved {
            Ok(_) => self.start_tail(base),
            Err(_) => self.stop_writing(),
        }
        moved
    }

    fn move_on(&self, base: Option<Base>, conflicts: &dyn Fn(PageNo) -> bool) -> Result<bool> {
        let newest = match base {
            Some(base) => base.header,
            None => match self.index.header()? {
                HeaderState::Good(header, _) => header,
                HeaderState::Unreadable => return Err(Error::Busy),
            },
        };
        let before = self.header.get();
        if newest == before {
            return Ok(false);
        }
        // A log that was restarted had no frame that this snapshot lacks, because this connection holds a read mark.
        let same_run = newest.salts == before.salts;
        let first_new = if same_run { before.last_frame.saturating_add(1) } else { 1 };
        self.index.ensure_frame(newest.last_frame, false)?;
        for frame in first_new..=newest.last_frame {
            if self.index.page_of(frame).is_none_or(conflicts) {
                return Err(Error::BusySnapshot);
            }
        }
        if !same_run {
            self.frames.set((1, 0));
        }
        self.advance_to(newest, false)?;
        Ok(true)
    }

    fn check_newest(&self, base: Option<Base>) -> Result<Begun> {
        let words = self.words.get();
        let newest = match base {
            Some(base) => base.header.write() == words,
            None => self.index.header_is(&words),
        };
        if newest { Ok(Begun::AsBefore) } else { Err(Error::BusySnapshot) }
    }

    fn begin_read_newest(&self, base: Option<Base>) -> Result<Begun> {
        if base.is_some() && matches!(self.index.header(), Ok(HeaderState::Unreadable)) {
            // Another process has torn the header. The next commit, which waits for its sync, writes it again.
            self.shared.commits.wait_until_settled();
        }
        self.reads_as_writer.set(true);
        let begun = self.begin_read();
        self.reads_as_writer.set(false);
        let begun = begun?;
        let Some(base) = base else { return Ok(begun) };
        self.advance_to(base.header, false)?;
        Ok(begun.max(Begun::Changed))
    }

    /// As [`Wal::advance_to`], for the commit of another connection of the same shared cache, which is published.
    pub(crate) fn advance_to_shared(&self, newest: IndexHeader) -> Result<()> {
        if newest.salts != self.header.get().salts {
            // A log that was restarted had no frame that this snapshot lacks, because this connection holds a read
            // mark.
            self.frames.set((1, 0));
        }
        self.advance_to(newest, false)
    }

    /// Moves the snapshot to a commit of this process. The read mark stays: it is older, and protects more than is
    /// needed.
    ///
    /// `written`: the commit's frames are known to be in the file, because this connection has just written them.
    fn advance_to(&self, header: IndexHeader, written: bool) -> Result<()> {
        assert!(self.mark.get().is_some(), "who goes on has a snapshot");
        let (first, last) = self.frames.get();
        let first = if first > last { self.index.backfilled().saturating_add(1) } else { first };
        self.index.ensure_frame(header.last_frame, false)?;
        self.map_up_to(&header, header.last_frame, written)?;
        self.header.set(header);
        self.words.set(header.write());
        self.frames.set((first, header.last_frame));
        self.outgrown.set(true);
        Ok(())
    }

    /// Stops writing without a commit.
    pub(crate) fn roll_back(&self) {
        let Some(tail) = self.tail.take() else { return };
        assert!(tail.last_frame >= tail.first_frame, "a transaction ends before it began");
        if tail.last_frame > tail.first_frame {
            // Entries that stay in the index are removed by the next append.
            let _ = self.index.truncate(tail.first_frame);
        }
        self.end_tail(&tail);
    }

    /// Ends a write transaction. A commit has ended it already; a transaction that had nothing to commit has appended nothing.
    pub(crate) fn end_write(&self) {
        let Some(tail) = self.tail.take() else { return };
        assert!(tail.last_frame == tail.first_frame, "a commit leaves frames behind that it does not publish");
        self.end_tail(&tail);
    }

    fn end_tail(&self, tail: &Tail) {
        let _ = self.end_past_log(tail);
        self.forget_unpublished_header();
        self.stop_writing();
    }

    /// Restores the published header: restarting a log changes its salts, which do not count without a commit.
    fn forget_unpublished_header(&self) {
        if let Some(published) = IndexHeader::read(&self.words.get()) {
            self.header.set(published);
        }
    }

    /// Appends pages without a commit. The index has their frames, but no reader reads that far.
    pub(crate) fn spill(
        &self,
        vfs: &dyn Vfs,
        pages: &[(PageNo, &[u8])],
        page_size: PageSize,
        policy: &Policy,
    ) -> Result<()> {
        let tail = &mut *self.tail.borrow_mut();
        let tail = tail.as_mut().expect("only a writer spills");
        assert!(!pages.is_empty(), "pages are spilled");
        self.restart_log_if_possible(tail, vfs)?;
        self.append(tail, vfs, pages, page_size, 0, policy)?;
        let first = tail.last_frame + 1 - pages.len() as u32;
        for ((no, _), frame) in pages.iter().zip(first..) {
            tail.spilled.insert(*no, frame);
        }
        self.index_tail(tail)
    }

    /// The newest frame of a page that this transaction has spilled.
    pub(crate) fn find_spilled(&self, no: PageNo) -> Option<u32> {
        self.tail.borrow().as_ref()?.spilled.get(no)
    }

    /// The memory of the map of spilled pages, in bytes.
    pub(crate) fn memory_of_spilled(&self) -> usize {
        self.tail.borrow().as_ref().map_or(0, |tail| tail.spilled.memory())
    }

    /// The pages that this transaction has spilled.
    pub(crate) fn spilled_pages(&self) -> Vec<PageNo> {
        self.tail.borrow().as_ref().map_or(Vec::new(), |tail| tail.spilled.page_numbers().collect())
    }

    /// The last frame before this transaction's own, and the last that it has spilled.
    pub(crate) fn spilled_frames(&self) -> (u32, u32) {
        self.tail.borrow().as_ref().map_or((0, 0), |tail| (tail.first_frame, tail.last_frame))
    }

    pub(crate) fn has_spilled(&self) -> bool {
        self.tail.borrow().as_ref().is_some_and(|tail| tail.last_frame > tail.first_frame)
    }

    pub(crate) fn spill_mark(&self) -> SpillMark {
        let tail = self.tail.borrow();
        let mark =
            tail.as_ref().map(|tail| SpillMark { len: tail.last_frame, sum: tail.sum, restarted: tail.restarted });
        mark.unwrap_or_default()
    }

    /// Forgets the frames that were spilled after `mark`.
    pub(crate) fn spill_back_to(&self, mark: SpillMark) -> Result<()> {
        let tail = &mut *self.tail.borrow_mut();
        let tail = tail.as_mut().expect("only a writer goes back");
        // If the log was restarted since, all of its frames came after the mark.
        let same_run = mark.restarted == tail.restarted;
        let (last, sum) = if same_run { (mark.len, mark.sum) } else { (0, Sum::default()) };
        assert!(last <= tail.last_frame, "the log goes back, and not on");
        if last == tail.last_frame {
            return Ok(());
        }
        (tail.last_frame, tail.sum) = (last, sum);
        tail.unindexed.clear();
        self.index.truncate(last)?;
        tail.spilled.clear();
        let left = tail.first_frame + 1..=last;
        for (no, frame) in left.filter_map(|frame| Some((self.index.page_of(frame)?, frame))) {
            tail.spilled.insert(no, frame);
        }
        Ok(())
    }

    fn index_tail(&self, tail: &mut Tail) -> Result<()> {
        assert!(tail.unindexed.len() <= tail.last_frame as usize, "more frames than there are in the log");
        let mut frame = tail.last_frame - tail.unindexed.len() as u32;
        for &no in &tail.unindexed {
            frame += 1;
            self.index.append(frame, no)?;
        }
        tail.unindexed.clear();
        Ok(())
    }

    /// Appends the last pages of a transaction, of which there is at least one, and publishes all of it. The connection is not the
    /// writer afterwards, whatever the outcome. The commit is made if the outer result is `Ok`; the inner one says whether this
    /// connection can read on from its own commit.
    pub(crate) fn commit(
        &self,
        vfs: &dyn Vfs,
        pages: &[(PageNo, &[u8])],
        page_size: PageSize,
        page_count: u32,
        policy: &Policy,
    ) -> Result<Result<()>> {
        let mut tail = self.tail.take().expect("only a writer commits");
        let committed = match self.append_commit(&mut tail, vfs, pages, page_size, page_count, policy) {
            Ok(header) => self.publish(&tail, header, policy),
            Err(error) => {
                self.stop_writing();
                Err(error)
            }
        };
        let ended = self.end_past_log(&tail);
        let header = committed.inspect_err(|_| self.forget_unpublished_header())?;
        Ok(ended.and_then(|()| self.advance_to(header, true)))
    }

    /// Leaves the writer slot, and waits until the commit is durable and published.
    fn publish(&self, tail: &Tail, header: IndexHeader, policy: &Policy) -> Result<IndexHeader> {
        assert!(self.is_writer.get(), "only the writer publishes");
        debug_assert_eq!(header.last_frame, tail.last_frame, "the last frame is the one that commits");
        self.is_writer.set(false);
        let wants_sync = policy.sync_frames && self.calls.shares_log;
        let ticket = self.shared.commits.append(tail.base, header, wants_sync)?;
        self.shared.commits.settle(ticket, &self.index, self.shared.file(), policy.flags)?;
        Ok(header)
    }

    fn append_commit(
        &self,
        tail: &mut Tail,
        vfs: &dyn Vfs,
        pages: &[(PageNo, &[u8])],
        page_size: PageSize,
        page_count: u32,
        policy: &Policy,
    ) -> Result<IndexHeader> {
        assert!(!pages.is_empty() && page_count > 0, "a commit has a page, and so has the database");
        self.restart_log_if_possible(tail, vfs)?;
        self.append(tail, vfs, pages, page_size, page_count, policy)?;
        let (_, last) = pages.split_at(pages.len() - 1);
        // SQLite omits the padding where nothing is synced.
        let is_padded = policy.sync_frames || self.calls.shares_log;
        let padded = if is_padded { self.end_of_padding(tail.last_frame, page_size) } else { 0 };
        let end = |tail: &Tail| frame_offset(tail.last_frame, page_size) + frame_len(page_size);
        let syncs_here = policy.sync_frames && !self.calls.shares_log;
        if syncs_here && end(tail) == padded {
            self.shared.file().sync(policy.flags)?;
        }
        tail.sync_at = syncs_here.then_some((padded, policy.flags));
        while end(tail) < padded {
            self.append(tail, vfs, last, page_size, page_count, policy)?;
        }
        if tail.restarted {
            self.limit_size(page_size, tail.last_frame, policy);
        }
        self.index_tail(tail)?;
        let before = self.header.get();
        Ok(IndexHeader {
            changes: before.changes.wrapping_add(1),
            page_size: Some(page_size),
            last_frame: tail.last_frame,
            page_count,
            sum: tail.sum,
            ..before
        })
    }

    /// The offset at which the padding of a commit may stop. Where a write can harm its neighbours on the sector, no
    /// part of a commit may be on the sector where the next commit begins. So the last frame is repeated until it ends
    /// on a later sector than the first copy, which completes the commit.
    fn end_of_padding(&self, last_frame: u32, page_size: PageSize) -> u64 {
        let log = self.shared.file();
        let end = frame_offset(last_frame, page_size) + frame_len(page_size);
        if log.characteristics().contains(DeviceCharacteristics::POWERSAFE_OVERWRITE) {
            return end;
        }
        end.next_multiple_of(u64::from(log.sector_size().max(1)))
    }

    /// Restarts the log if the database file has all of it and no reader reads from it: new frames overwrite the old
    /// ones, which the new salts invalidate.
    fn restart_log_if_possible(&self, tail: &mut Tail, vfs: &dyn Vfs) -> Result<()> {
        let header = self.header.get();
        let all_backfilled = header.last_frame > 0 && self.index.backfilled() == header.last_frame;
        let may_begin = tail.is_untouched(header.last_frame) && all_backfilled && self.needs_nothing_of_log();
        if may_begin && self.lock_alone(read_slots_from(1))? {
            self.restart_log(vfs);
            self.unlock_alone(read_slots_from(1))?;
            (tail.first_frame, tail.last_frame, tail.sum, tail.restarted) = (0, 0, Sum::default(), true);
        }
        if !self.calls.shares_log && self.mark.get() == Some(0) && !self.index.is_private() {
            self.leave_first_mark()?;
        }
        Ok(())
    }

    /// Whether this connection reads no frame: pages that are borrowed from the mapped log must not be overwritten.
    pub(super) fn needs_nothing_of_log(&self) -> bool {
        (self.mark.get() == Some(0) || self.index.is_private()) && self.is_fully_checkpointed()
    }

    /// Moves the writer from mark 0, which is for readers that need nothing of the log, to another mark, as SQLite does. The
    /// writer holds the write lock, and the database has all of the log: nothing changes meanwhile.
    fn leave_first_mark(&self) -> Result<()> {
        self.read_lock.unlock(0)?;
        self.mark.set(None);
        self.take_mark_of_log()
    }

    /// Empties the log. The caller holds the write lock and the locks of all read marks but the first.
    pub(super) fn restart_log(&self, vfs: &dyn Vfs) {
        assert!(self.is_writer.get() || self.index.is_private(), "only the writer begins the log anew");
        let before = self.header.get();
        let [salt, _] = before.salts.0;
        let header = IndexHeader {
            last_frame: 0,
            sum: Sum::default(),
            salts: Salts([salt.wrapping_add(1), random(vfs)]),
            order: SumOrder::NATIVE,
            ..before
        };
        let words = self.index.publish(&header);
        self.index.set_backfilled(0);
        self.index.set_backfill_attempted(0);
        self.index.set_read_mark(1, 0);
        for mark in 2..READ_MARKS {
            self.index.set_read_mark(mark, READ_MARK_UNUSED);
        }
        self.sequence.set(self.sequence.get().wrapping_add(1));
        self.header.set(header);
        self.words.set(words);
        self.frames.set((1, 0));
    }

    fn append(
        &self,
        tail: &mut Tail,
        vfs: &dyn Vfs,
        pages: &[(PageNo, &[u8])],
        page_size: PageSize,
        page_count: u32,
        policy: &Policy,
    ) -> Result<()> {
        if tail.last_frame == 0 {
            tail.sum = match tail.header_sum {
                Some(sum) => sum,
                None => self.write_header(vfs, page_size, policy)?,
            };
        }
        let commits_at = if page_count > 0 { pages.len() - 1 } else { usize::MAX };
        for (batch, pages) in pages.chunks(BATCH).enumerate() {
            self.write_frames(
                tail,
                pages,
                page_size,
                |at| if batch * BATCH + at == commits_at { page_count } else { 0 },
            )?;
        }
        Ok(())
    }

    fn write_frames(
        &self,
        tail: &mut Tail,
        pages: &[(PageNo, &[u8])],
        page_size: PageSize,
        db_size: impl Fn(usize) -> u32,
    ) -> Result<()> {
        let header = self.header.get();
        let mut sum = tail.sum;
        let mut headers = Vec::with_capacity(pages.len());
        for (at, &(no, page)) in pages.iter().enumerate() {
            let frame = FrameHeader { no, db_size: db_size(at) };
            let (bytes, after) = frame.write(header.order, header.salts, sum, page);
            headers.push(bytes);
            sum = after;
        }
        let pieces: Vec<IoSlice<'_>> = headers
            .iter()
            .zip(pages)
            .flat_map(|(header, (_, page))| [IoSlice::new(header), IoSlice::new(page)])
            .collect();
        let first = tail.last_frame.checked_add(1).ok_or(Error::Full)?;
        let last = tail.last_frame.checked_add(pages.len() as u32).ok_or(Error::Full)?;
        match tail.sync_at {
            Some(sync_at) => self.write_and_sync(&pieces, frame_offset(first, page_size), sync_at)?,
            None => self.shared.file().write_vectored_at(&pieces, frame_offset(first, page_size))?,
        }
        tail.last_frame = last;
        tail.sum = sum;
        tail.unindexed.extend(pages.iter().map(|(no, _)| *no));
        Ok(())
    }

    /// Writes pieces one by one, and syncs as soon as everything before `sync_at` is written, in the middle of a piece if need
    /// be. What follows is padding, which no committer waits for.
    fn write_and_sync(&self, pieces: &[IoSlice<'_>], offset: u64, (sync_at, flags): (u64, SyncFlags)) -> Result<()> {
        let log = self.shared.file();
        let mut at = offset;
        for piece in pieces {
            let end = at + piece.len() as u64;
            let before = sync_at.checked_sub(at).filter(|before| *before > 0 && sync_at <= end);
            let (front, rest) = piece.split_at(before.map_or(piece.len(), |before| before as usize));
            log.write_at(front, at)?;
            if before.is_some() {
                log.sync(flags)?;
            }
            if !rest.is_empty() {
                log.write_at(rest, at + front.len() as u64)?;
            }
            at = end;
        }
        Ok(())
    }

    /// Writes the header of a restarted log, and answers the checksum that its first frame continues.
    ///
    /// The header is synced before frames overwrite older ones: otherwise a power loss could leave an old header with
    /// some of its old frames, an outdated state.
    pub(super) fn write_header(&self, vfs: &dyn Vfs, page_size: PageSize, policy: &Policy) -> Result<Sum> {
        let log = self.shared.file();
        let sequence = if !self.calls.shares_log { self.sequence.get() } else { self.next_sequence()? };
        let mut header = self.header.get();
        header.order = SumOrder::NATIVE;
        if self.sequence.get() == 0 {
            // An SQLite connection that has not restarted the log itself does the same. Snapshots that were recorded of the
            // empty log are gone.
            header.salts = Salts([random(vfs), random(vfs)]);
        }
        let (bytes, sum) = WalHeader { order: header.order, page_size, sequence, salts: header.salts }.write();
        log.write_at(&bytes, 0)?;
        if policy.sync_header {
            log.sync(policy.flags)?;
        }
        self.header.set(header);
        Ok(sum)
    }

    /// The checkpoint sequence number after that in the log's header.
    fn next_sequence(&self) -> Result<u32> {
        let mut old = [0; HEADER_LEN];
        self.shared.file().read_at(&mut old, 0)?;
        Ok(WalHeader::read(&old).map_or(0, |(old, _)| old.sequence.wrapping_add(1)))
    }

    /// Shortens the file of a restarted log to its limit. The caller still holds the writer slot: behind the frames of this commit
    /// are only those of the log before. The next writer's frames would be cut off, too.
    fn limit_size(&self, page_size: PageSize, last_frame: u32, policy: &Policy) {
        let Some(limit) = policy.size_limit else { return };
        assert!(self.is_writer.get(), "only the writer cuts the log");
        let log = self.shared.file();
        let wanted = limit.max(frame_offset(last_frame, page_size) + frame_len(page_size));
        // If this fails, the file only stays longer than wanted.
        if log.size().is_ok_and(|size| size > wanted) {
            let _ = log.truncate(wanted);
        }
    }
}

fn random(vfs: &dyn Vfs) -> u32 {
    let mut bytes = [0; 4];
    vfs.randomness(&mut bytes);
    u32::from_ne_bytes(bytes)
}
