//! The options a database is opened with, and the values of its pragmas.

use lithe_format::PageSize;

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The database is only read.
    pub read_only: bool,
    /// The file is created if it does not exist.
    pub create: bool,
    /// The file cannot change: the pager takes no locks and checks for no journal and no log.
    pub immutable: bool,
    /// No locks are taken: the application promises that no other connection uses the file.
    pub no_lock: bool,
    /// Symbolic links are refused.
    pub no_follow: bool,
    /// The database has a write-ahead log whatever its header says, and never leaves WAL mode: for files that only this
    /// process uses.
    pub always_log: bool,
    /// A write that a power loss interrupts may harm its neighbours in the sector.
    pub torn_sectors: bool,
    /// The shared-memory file of the log is only read.
    pub read_only_shm: bool,
    /// The page size of a new database.
    pub page_size: PageSize,
    /// How many bytes of the file may be mapped; 0 reads through buffers.
    pub mmap_size: u64,
    /// How much memory the page cache may take.
    pub cache_size: CacheSize,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            read_only: false,
            create: true,
            immutable: false,
            no_lock: false,
            no_follow: false,
            always_log: false,
            torn_sectors: false,
            read_only_shm: false,
            page_size: PageSize::DEFAULT,
            mmap_size: u64::MAX,
            cache_size: CacheSize::default(),
        }
    }
}

/// `PRAGMA cache_size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheSize {
    /// A number of pages.
    Pages(u32),
    /// A number of KiB, whatever the size of pages.
    KiB(u32),
}

impl CacheSize {
    /// The size as a number of pages.
    pub fn pages(self, page_size: PageSize) -> usize {
        match self {
            CacheSize::Pages(n) => n as usize,
            CacheSize::KiB(n) => (u64::from(n) * 1024 / u64::from(page_size.get())) as usize,
        }
    }
}

impl Default for CacheSize {
    fn default() -> CacheSize {
        CacheSize::KiB(2000)
    }
}

/// `PRAGMA journal_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JournalMode {
    /// The journal is deleted at commit.
    #[default]
    Delete,
    /// The journal is truncated to nothing at commit.
    Truncate,
    /// The journal's header is zeroed at commit.
    Persist,
    /// The journal is kept in memory: a crash during commit damages the database.
    Memory,
    /// There is no journal: rollback is not possible once the file is written.
    Off,
    /// A write-ahead log.
    Wal,
}

impl JournalMode {
    /// Whether the mode has a rollback journal in a file.
    pub(crate) fn has_journal_file(self) -> bool {
        matches!(self, JournalMode::Delete | JournalMode::Truncate | JournalMode::Persist)
    }

    /// Whether the journal's file stays when a transaction has ended.
    pub(crate) fn leaves_journal(self) -> bool {
        matches!(self, JournalMode::Truncate | JournalMode::Persist)
    }
}

/// `PRAGMA synchronous`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Synchronous {
    /// Nothing is forced to the device.
    Off,
    /// At the critical moments; a log not at every commit.
    Normal,
    /// Every commit is durable when it is reported.
    #[default]
    Full,
    /// The disappearance of a journal is durable too.
    Extra,
}

/// `PRAGMA locking_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LockingMode {
    /// Locks are released at the end of a transaction.
    #[default]
    Normal,
    /// Locks once taken are kept.
    Exclusive,
}

/// How a write transaction begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BeginKind {
    /// Other connections may still read: `BEGIN IMMEDIATE`, or the first write of a transaction.
    Immediate,
    /// In rollback mode no other connection may read: `BEGIN EXCLUSIVE`.
    Exclusive,
    /// In WAL mode other connections may write as well, and the first commit wins: `BEGIN CONCURRENT`. It has to come
    /// before the first read.
    Concurrent,
}
