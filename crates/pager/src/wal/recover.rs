//! Building the WAL index from the log: the first connection finds no index, or one that a crash has left half written.
//! Also the end of a recovered log, on a device where a torn write harms its neighbours on the sector.
//!
//! On such a device a commit repeats its last frame until it ends on a later sector than the first of these copies: the next commit may
//! be torn, and the first copy is whole. The log that is left then lacks this protection:
//!
//! ```text
//!   sector       |                       |                       |
//!   log              A | A | A | A | A | A | A | B | B |               B is torn
//!   what is left     A | A | A | A |                                   and C, which comes next, may harm all copies of A
//! ```
//!
//! The next commit cannot begin on a later sector, because frames have no gaps. So the log that is left is copied into
//! the database at once, and the next commit restarts the log.

use lithe_format::PageSize;
use lithe_format::bytes::at_u32;
use lithe_format::locks::{CHECKPOINT_SLOT, READ_MARKS, read_slot};
use lithe_format::wal::{
    DB_SIZE_AT, FORMAT, FRAME_HEADER_LEN, FrameHeader, HEADER_LEN, Sum, WalHeader, frame_len, frame_offset,
};
use lithe_format::wal_index::{IndexHeader, READ_MARK_UNUSED};
use lithe_vfs::{DeviceCharacteristics, File, ResultCode, SyncFlags};

use super::Wal;
use super::checkpoint::Copying;
use super::index::HeaderWords;
use crate::error::{Error, Result, zeros};

/// How much of the log is read at once.
const CHUNK: usize = 1 << 20;

impl Wal {
    /// Rebuilds the index, and answers its header. The caller holds the write lock. If a connection is checkpointing,
    /// nothing happens, and there is no header yet.
    pub(super) fn recover(&self) -> Result<Option<(IndexHeader, HeaderWords)>> {
        let slots = CHECKPOINT_SLOT..read_slot(0);
        if !self.lock_alone(slots.clone())? {
            return Ok(None);
        }
        let recovered = self.rebuild_index();
        self.unlock_alone(slots)?;
        self.recovered.set(true);
        if let Ok((header, _)) = &recovered
            && header.page_count > 0
        {
            let path = self.shared.path().display();
            let message = format!("recovered {} frames from WAL file {path}", header.last_frame);
            lithe_vfs::log_error(ResultCode::NOTICE_RECOVER_WAL.0, message.as_bytes());
        }
        recovered.map(Some)
    }

    fn rebuild_index(&self) -> Result<(IndexHeader, HeaderWords)> {
        let header = self.index_frames()?;
        self.index.set_backfilled(0);
        self.index.set_backfill_attempted(header.last_frame);
        self.index.set_read_mark(0, 0);
        // A VFS of the application gets the header before the calls for the marks, as from SQLite.
        let published = (!self.calls.shares_log).then(|| self.index.publish(&header));
        let mut is_read = false;
        for mark in 1..READ_MARKS {
            let slot = read_slot(mark)..read_slot(mark) + 1;
            // A mark that is in use stays unchanged.
            if self.lock_alone(slot.clone())? {
                let first = mark == 1 && header.last_frame > 0;
                self.index.set_read_mark(mark, if first { header.last_frame } else { READ_MARK_UNUSED });
                self.unlock_alone(slot)?;
            } else {
                is_read = true;
            }
        }
        if let Some(words) = published {
            return Ok((header, words));
        }
        if !is_read {
            self.mend_torn_end(&header)?;
        }
        Ok((header, self.index.publish(&header)))
    }

    /// Adds all valid frames, and answers the header for the last one that commits.
    fn index_frames(&self) -> Result<IndexHeader> {
        let log = self.shared.file();
        let mut header = IndexHeader::EMPTY;
        let mut bytes = [0; HEADER_LEN];
        let size = log.size()?;
        if size <= HEADER_LEN as u64 || log.read_at(&mut bytes, 0)? < HEADER_LEN {
            return Ok(header);
        }
        let Some((wal, sum)) = WalHeader::read(&bytes) else { return Ok(header) };
        if WalHeader::format_of(&bytes) != FORMAT {
            return Err(Error::CantOpen(ResultCode::CANTOPEN));
        }
        self.sequence.set(wal.sequence);
        header.order = wal.order;
        header.salts = wal.salts;
        header.page_size = Some(wal.page_size);
        header.sum = sum;
        let chunk = if !self.calls.joins_neighbours { wal.frame_len() as usize } else { CHUNK };
        let mut frames = Frames::new(log, size, wal, sum, chunk)?;
        let mut number = 0;
        while let Some((frame, sum)) = frames.next()? {
            number += 1;
            self.index.append(number, frame.no)?;
            if frame.db_size > 0 {
                header.last_frame = number;
                header.page_count = frame.db_size;
                header.sum = sum;
            }
        }
        assert!(header.last_frame <= number, "a commit behind the last frame");
        self.index.truncate(header.last_frame)?;
        Ok(header)
    }
}

impl Wal {
    /// Copies the log into the database during a recovery, if no commit may be appended to it. No reader is active
    /// meanwhile.
    fn mend_torn_end(&self, header: &IndexHeader) -> Result<()> {
        let last = header.last_frame;
        let Some(page_size) = header.page_size.filter(|_| last > 0) else { return Ok(()) };
        if self.end_is_whole(page_size, last)? || !self.lock_alone(read_slot(0)..read_slot(0) + 1)? {
            return Ok(());
        }
        self.header.set(*header);
        let to = Copying { database: &*self.file, sync: Some(SyncFlags::NORMAL), interrupted: None };
        let copied = self.copy_frames(&to, page_size, 1, last);
        if copied.is_ok() {
            self.index.set_backfilled(last);
        }
        self.unlock_alone(read_slot(0)..read_slot(0) + 1)
    }

    /// Whether a copy of the last frame survives a torn write behind it.
    fn end_is_whole(&self, page_size: PageSize, last: u32) -> Result<bool> {
        let log = self.shared.file();
        if log.characteristics().contains(DeviceCharacteristics::POWERSAFE_OVERWRITE) {
            return Ok(true);
        }
        let end_of = |frame| frame_offset(frame, page_size) + frame_len(page_size);
        let end = end_of(last);
        let harmed_from = end - end % u64::from(log.sector_size().max(1));
        let mut frame = last;
        while end_of(frame) > harmed_from {
            if frame == 1 || !self.is_repeated(page_size, frame)? {
                return Ok(false);
            }
            frame -= 1;
        }
        Ok(true)
    }

    /// Whether the frame before this one commits the same image of the same page.
    fn is_repeated(&self, page_size: PageSize, frame: u32) -> Result<bool> {
        let len = FRAME_HEADER_LEN + page_size.bytes();
        let mut both = zeros(2 * len)?;
        self.shared.file().read_at(&mut both, frame_offset(frame - 1, page_size))?;
        let (before, after) = both.split_at(len);
        let commits = at_u32(after, DB_SIZE_AT) > 0;
        Ok(commits
            && before[..DB_SIZE_AT + 4] == after[..DB_SIZE_AT + 4]
            && before[FRAME_HEADER_LEN..] == after[FRAME_HEADER_LEN..])
    }
}

/// The valid frames of a log, in order.
struct Frames<'f> {
    log: &'f dyn File,
    wal: WalHeader,
    sum: Sum,
    /// The length of the log.
    size: u64,
    chunk: Vec<u8>,
    /// The part of the chunk that is filled and not used yet.
    ready: std::ops::Range<usize>,
    at: u64,
}

impl<'f> Frames<'f> {
    /// The frames of a log of `size` bytes, read in pieces of about `chunk` bytes.
    fn new(log: &'f dyn File, size: u64, wal: WalHeader, sum: Sum, chunk: usize) -> Result<Frames<'f>> {
        let frame_len = wal.frame_len() as usize;
        let in_log = usize::try_from(size / wal.frame_len()).unwrap_or(usize::MAX);
        let chunk = zeros((chunk / frame_len).min(in_log).max(1) * frame_len)?;
        Ok(Frames { log, wal, sum, size, chunk, ready: 0..0, at: HEADER_LEN as u64 })
    }

    fn next(&mut self) -> Result<Option<(FrameHeader, Sum)>> {
        let frame_len = self.wal.frame_len() as usize;
        assert!(self.ready.end <= self.chunk.len() && frame_len <= self.chunk.len(), "a frame fits the chunk");
        if self.ready.len() < frame_len {
            if self.at + frame_len as u64 > self.size {
                return Ok(None);
            }
            let filled = self.log.read_at(&mut self.chunk, self.at)?;
            self.ready = 0..filled;
            self.at += filled as u64;
            if filled < frame_len {
                return Ok(None);
            }
        }
        let frame = &self.chunk[self.ready.start..][..frame_len];
        self.ready.start += frame_len;
        let (header, page) = frame.split_first_chunk::<FRAME_HEADER_LEN>().expect("a frame is longer than its header");
        let Some((header, sum)) = FrameHeader::read(&self.wal, self.sum, header, page) else { return Ok(None) };
        self.sum = sum;
        Ok(Some((header, sum)))
    }
}
