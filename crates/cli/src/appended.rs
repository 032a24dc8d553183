//! Databases appended to another file, such as a program: the VFS that SQLite calls `apndvfs`.
//!
//! ```text
//!   | other bytes, zeros | pages of the database | "Start-Of-SQLite3-" | the offset of page 1, 8 bytes |
//!   0                    ^ a multiple of 4096    ^ 25 bytes before the end
//! ```
//!
//! An empty file, and a file that begins with a database, are opened as ordinary databases.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lithe::ResultCode;
use lithe::vfs::{
    Access, DeviceCharacteristics, Error, File, FileEvent, Links, LockLevel, Op, OpenFlags, Opened, Result, SyncFlags,
    Vfs,
};

/// The mark after the database; the offset of the database follows, in eight bytes.
pub const MARK: &[u8; 17] = b"Start-Of-SQLite3-";
pub const TRAILER_LEN: u64 = MARK.len() as u64 + 8;
/// The first bytes of every database.
const DATABASE_MARK: &[u8; 16] = b"SQLite format 3\0";
/// A new database begins at a multiple of this.
const ALIGNMENT: u64 = 4096;
/// The greatest size of the file.
const SIZE_MAX: u64 = 0x4000_0000;

/// Opens databases that are appended to files of another VFS.
#[derive(Debug)]
pub struct AppendVfs {
    base: Arc<dyn Vfs>,
}

impl AppendVfs {
    pub fn over(base: Arc<dyn Vfs>) -> AppendVfs {
        AppendVfs { base }
    }
}

impl Vfs for AppendVfs {
    fn name(&self) -> &str {
        "apndvfs"
    }

    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened> {
        let opened = self.base.open(path, flags)?;
        if !flags.contains(OpenFlags::MAIN_DB) {
            return Ok(opened);
        }
        let size = opened.file.size()?;
        let start = match start_of(&*opened.file, size)? {
            Some(start) => start,
            None if size == 0 || begins_as_database(&*opened.file)? => return Ok(opened),
            None if opened.flags.contains(OpenFlags::CREATE) => size.next_multiple_of(ALIGNMENT),
            None => return Err(Error::with_code(Op::Open, ResultCode::CANTOPEN)),
        };
        Ok(Opened { file: Arc::new(AppendedFile { base: opened.file, start }), flags: opened.flags })
    }

    fn delete(&self, path: &Path, sync_folder: bool) -> Result<()> {
        self.base.delete(path, sync_folder)
    }

    fn access(&self, path: &Path, what: Access) -> Result<bool> {
        self.base.access(path, what)
    }

    fn full_path(&self, path: &Path, links: Links) -> Result<PathBuf> {
        self.base.full_path(path, links)
    }

    fn randomness(&self, buf: &mut [u8]) {
        self.base.randomness(buf);
    }

    fn sleep(&self, duration: Duration) {
        self.base.sleep(duration);
    }

    fn julian_millis(&self) -> i64 {
        self.base.julian_millis()
    }
}

/// The offset of the database, if the file ends with a trailer.
fn start_of(file: &dyn File, size: u64) -> Result<Option<u64>> {
    let Some(at) = size.checked_sub(TRAILER_LEN) else { return Ok(None) };
    let mut trailer = [0; TRAILER_LEN as usize];
    file.read_at(&mut trailer, at)?;
    let (mark, start) = trailer.split_at(MARK.len());
    let start = start.first_chunk().map_or(u64::MAX, |start| u64::from_be_bytes(*start));
    Ok(Some(start).filter(|start| mark == MARK && *start <= at && start % 512 == 0))
}

fn begins_as_database(file: &dyn File) -> Result<bool> {
    let mut first = [0; DATABASE_MARK.len()];
    file.read_at(&mut first, 0)?;
    Ok(first == *DATABASE_MARK)
}

/// A database from the offset `start` on.
#[derive(Debug)]
struct AppendedFile {
    base: Arc<dyn File>,
    start: u64,
}

impl AppendedFile {
    fn write_trailer(&self, size: u64) -> Result<()> {
        let trailer = [&MARK[..], &self.start.to_be_bytes()].concat();
        self.base.write_at(&trailer, self.start + size)
    }
}

impl File for AppendedFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let there = self.size()?.saturating_sub(offset).min(buf.len() as u64) as usize;
        buf[there..].fill(0);
        self.base.read_at(&mut buf[..there], self.start + offset)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<()> {
        let end = offset + buf.len() as u64;
        if self.start + end + TRAILER_LEN > SIZE_MAX {
            return Err(Error::with_code(Op::Write, ResultCode::FULL));
        }
        // The new trailer is written first, so that the file ends with one even if the write fails.
        if end > self.size()? {
            self.write_trailer(end)?;
        }
        self.base.write_at(buf, self.start + offset)
    }

    fn truncate(&self, size: u64) -> Result<()> {
        self.write_trailer(size)?;
        self.base.truncate(self.start + size + TRAILER_LEN)
    }

    fn sync(&self, flags: SyncFlags) -> Result<()> {
        self.base.sync(flags)
    }

    fn size(&self) -> Result<u64> {
        Ok(self.base.size()?.saturating_sub(self.start + TRAILER_LEN))
    }

    fn lock(&self, level: LockLevel) -> Result<bool> {
        self.base.lock(level)
    }

    fn unlock(&self, level: LockLevel) -> Result<()> {
        self.base.unlock(level)
    }

    fn check_reserved(&self) -> Result<bool> {
        self.base.check_reserved()
    }

    fn sector_size(&self) -> u32 {
        self.base.sector_size()
    }

    fn characteristics(&self) -> DeviceCharacteristics {
        self.base.characteristics()
    }

    fn has_moved(&self) -> Result<bool> {
        self.base.has_moved()
    }

    fn event(&self, event: FileEvent<'_>) -> Result<()> {
        self.base.event(event)
    }
}
