//! The settings of a connection, made before it is used: the same pragmas for every library.

use std::fmt::Write;

use clap::ValueEnum;

/// The settings; `None` means the library's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `page_size`, for an empty database.
    pub page_size: Option<usize>,
    /// `journal_mode`.
    pub journal_mode: Option<JournalMode>,
    /// `synchronous`.
    pub synchronous: Option<Synchronous>,
    /// `mmap_size`, in bytes.
    pub mmap_size: Option<u64>,
    /// `cache_size`: pages, or kibibytes if negative.
    pub cache_size: Option<i64>,
    /// `wal_autocheckpoint`, in frames; 0 means never.
    pub wal_autocheckpoint: Option<u32>,
    /// How long a statement waits for a lock, in milliseconds.
    pub busy_timeout: Option<u32>,
    /// Whether connections of the process share one page cache.
    pub shared_cache: bool,
}

impl Settings {
    /// The pragmas that make these settings.
    pub fn sql(&self) -> String {
        // The SQLite that `rusqlite` bundles has foreign keys on, SQLite's default is off: off for every library.
        let mut sql = String::from("PRAGMA foreign_keys=OFF;");
        let mut set = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(sql, "PRAGMA {name}={value};");
            }
        };
        set("busy_timeout", self.busy_timeout.map(|v| v.to_string()));
        set("page_size", self.page_size.map(|v| v.to_string()));
        set("mmap_size", self.mmap_size.map(|v| v.to_string()));
        set("cache_size", self.cache_size.map(|v| v.to_string()));
        set("journal_mode", self.journal_mode.map(|v| v.name().to_owned()));
        set("synchronous", self.synchronous.map(|v| v.name().to_owned()));
        set("wal_autocheckpoint", self.wal_autocheckpoint.map(|v| v.to_string()));
        sql
    }
}

/// `PRAGMA journal_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JournalMode {
    /// A rollback journal, deleted at commit: the default of SQLite and Lithe.
    Delete,
    /// A rollback journal, truncated at commit.
    Truncate,
    /// A rollback journal, its header cleared at commit.
    Persist,
    /// A rollback journal in memory.
    Memory,
    /// A write-ahead log.
    Wal,
    /// No journal: a crash destroys the database.
    Off,
}

impl JournalMode {
    /// The value for the pragma.
    pub fn name(self) -> &'static str {
        match self {
            JournalMode::Delete => "delete",
            JournalMode::Truncate => "truncate",
            JournalMode::Persist => "persist",
            JournalMode::Memory => "memory",
            JournalMode::Wal => "wal",
            JournalMode::Off => "off",
        }
    }
}

/// `PRAGMA synchronous`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Synchronous {
    /// The system decides when to write.
    Off,
    /// Safe against crashes of the program; in WAL mode a power cut may undo the last commits.
    Normal,
    /// A commit survives a power cut.
    Full,
}

impl Synchronous {
    /// The value for the pragma.
    pub fn name(self) -> &'static str {
        match self {
            Synchronous::Off => "off",
            Synchronous::Normal => "normal",
            Synchronous::Full => "full",
        }
    }
}
