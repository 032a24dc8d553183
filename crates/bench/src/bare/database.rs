//! A file of pages, and the random bytes that go into it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::frame::{Context, Result};

/// Page numbers begin at 1.
pub type Page = u32;

/// The default page size, which the experiments with a limit use.
pub const PAGE_LEN: usize = 4096;

/// The most bytes of one write call.
const PIECE_LEN: usize = 1 << 20;

/// The number of random bytes: more than the caches of a processor core hold.
const POOL_LEN: usize = 8 * PIECE_LEN;

/// A database of random pages. It is removed when it is dropped.
pub struct Database {
    path: PathBuf,
    file: File,
    /// Its folder. New names in the folder are durable after a sync of it.
    folder: File,
    pool: Pool,
}

impl Database {
    /// Creates one with that many pages, in ascending order.
    pub fn create(path: &Path, pages: Page) -> Result<Database> {
        let file = File::create(path).context("create", path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let folder = File::open(folder).context("open", folder)?;
        let database = Database { path: path.to_owned(), file, folder, pool: Pool::new() };
        database.write_run(1, pages as usize)?;
        Ok(database)
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes pages in ascending order: adjacent ones in one call.
    pub fn write(&self, pages: &[Page]) -> Result<()> {
        pages.chunk_by(|page, next| page + 1 == *next).try_for_each(|run| self.write_run(run[0], run.len()))
    }

    fn write_run(&self, first: Page, count: usize) -> Result<()> {
        let offset = (u64::from(first) - 1) * PAGE_LEN as u64;
        self.pool.write(&self.file, offset, count * PAGE_LEN).context("write", &self.path)
    }

    /// Makes all written bytes durable.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().context("sync", &self.path)
    }

    /// Makes the names of the files beside it durable.
    pub fn sync_folder(&self) -> Result<()> {
        self.folder.sync_all().context("sync the folder of", &self.path)
    }

    /// Creates a file beside it.
    pub fn beside(&self, suffix: &str) -> Result<Beside<'_>> {
        let mut path = self.path.clone().into_os_string();
        path.push(suffix);
        let path = PathBuf::from(path);
        let file = File::create(&path).context("create", &path)?;
        Ok(Beside { path, file, pool: &self.pool })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // The temporary folder is removed in any case; this only frees the space early.
        let _ = fs::remove_file(&self.path);
    }
}

/// A journal or log beside a database.
pub struct Beside<'d> {
    path: PathBuf,
    file: File,
    pool: &'d Pool,
}

impl Beside<'_> {
    /// Writes that many bytes.
    pub fn write(&self, offset: u64, len: usize) -> Result<()> {
        self.pool.write(&self.file, offset, len).context("write", &self.path)
    }

    /// Makes all written bytes durable.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().context("sync", &self.path)
    }

    /// Removes the file, which ends a transaction.
    pub fn unlink(&self) -> Result<()> {
        fs::remove_file(&self.path).context("remove", &self.path)
    }
}

/// Random bytes; every call writes different ones.
struct Pool {
    bytes: Vec<u8>,
    next: AtomicUsize,
}

impl Pool {
    fn new() -> Pool {
        let mut bytes = vec![0; POOL_LEN];
        fastrand::fill(&mut bytes);
        Pool { bytes, next: AtomicUsize::new(0) }
    }

    fn write(&self, file: &File, mut offset: u64, mut len: usize) -> std::io::Result<()> {
        while len > 0 {
            let piece = len.min(PIECE_LEN);
            let at = self.next.fetch_add(piece, Ordering::Relaxed) % (POOL_LEN - PIECE_LEN);
            file.write_all_at(&self.bytes[at..at + piece], offset)?;
            offset += piece as u64;
            len -= piece;
        }
        Ok(())
    }
}
