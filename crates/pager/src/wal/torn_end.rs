//! The end of a log that was recovered, where a write that is torn harms its neighbours on the sector.
//!
//! There a commit repeats its last frame until it ends on a later sector than the first of these copies: the next commit may
//! be torn, and the first copy is whole. What is left then has nothing of the kind:
//!
//! ```text
//!   sector       |                       |                       |
//!   log              A | A | A | A | A | A | A | B | B |               B is torn
//!   what is left     A | A | A | A |                                   and C, which comes next, may harm all copies of A
//! ```
//!
//! No place to go on from is safe, as frames have no gaps. So what is left is copied into the database at once, and then
//! the next commit begins the log anew.

use lithe_format::PageSize;
use lithe_format::bytes::at_u32;
use lithe_format::locks::read_slot;
use lithe_format::wal::{DB_SIZE_AT, FRAME_HEADER_LEN, frame_len, frame_offset};
use lithe_format::wal_index::IndexHeader;
use lithe_vfs::{DeviceCharacteristics, SyncFlags};

use super::Wal;
use super::checkpoint::Copying;
use crate::error::{Result, zeros};

impl Wal {
    /// Within a recovery: copies the log into the database if it must not be gone on with. Nobody reads meanwhile.
    pub(super) fn mend_torn_end(&self, header: &IndexHeader) -> Result<()> {
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

    /// Whether a write behind the last frame leaves a copy of it alone.
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
