//! The BLOBs, and those that a turn touches: the same for every contestant.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::blobs::Options;
use crate::content::{Content, Order, keys};
use crate::files::{Files, Layout};
use crate::frame::scratch::Scratch;
use crate::frame::turns::Round;
use crate::frame::{Error, Result};
use crate::sql::{Library, Settings};

/// The BLOBs and their files.
pub struct Workload {
    /// The options.
    pub options: Options,
    /// The content of the BLOBs.
    pub content: Content,
    scratch: Scratch,
    newest_version: AtomicU32,
}

impl Workload {
    /// The BLOBs of the options, in a folder with enough free space.
    pub fn new(options: &Options) -> Result<Workload> {
        let options = options.clone();
        let content = Content::new(options.common.seed, options.size, options.variance);
        // Three databases (one of them the limit's), two sets of files, and a write-ahead log; every file uses whole blocks.
        let each = (options.size + 4096) as u64;
        let scratch = Scratch::new(&options.common.folder(), 6 * each * options.count as u64)?;
        Ok(Workload { options, content, scratch, newest_version: AtomicU32::new(0) })
    }

    /// The temporary folder.
    pub fn folder(&self) -> &std::path::Path {
        self.scratch.path()
    }

    /// The database of a library.
    pub fn database<L: Library>(&self) -> PathBuf {
        self.scratch.file(&format!("{}.db", L::SIDE.name().to_lowercase()))
    }

    /// The files in that layout.
    pub fn files(&self, layout: Layout) -> Files {
        let name = match layout {
            Layout::Folder => "folder",
            Layout::Tree => "tree",
        };
        Files::new(&self.scratch.file(name), layout, self.options.count)
    }

    /// The keys that a turn of this round reads.
    pub fn keys(&self, round: Round) -> Vec<usize> {
        self.some_keys(round, round.reads.unwrap_or(self.options.reads()))
    }

    /// The first `wanted` keys of a random order of all.
    pub fn some_keys(&self, round: Round, wanted: usize) -> Vec<usize> {
        keys(Order::Random, self.options.count, wanted, round.seed)
    }

    /// An unused version of the content. (Version 0 is the initial content of databases and files.) Every turn writes another version,
    /// because a contestant that finds the same bytes on the page has nothing to do.
    pub fn new_version(&self) -> u32 {
        self.newest_version.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The total length of these keys' BLOBs.
    pub fn bytes(&self, keys: &[usize]) -> u64 {
        keys.iter().map(|&key| self.content.size(key) as u64).sum()
    }

    /// Fails if a turn has read another number of bytes than the BLOBs have.
    pub fn check_total(&self, keys: &[usize], read: u64) -> Result<()> {
        let wanted = self.bytes(keys);
        if read == wanted {
            return Ok(());
        }
        Err(Error::WrongContent(format!("{read} bytes read instead of {wanted}")))
    }

    /// The settings of a database that is created here.
    pub fn settings(&self) -> Settings {
        Settings { page_size: Some(self.options.page_size), ..Settings::default() }
    }
}
