//! The configuration of a simulated run's databases.

use std::path::PathBuf;

use lithe::vfs::{Loss, Random};

/// The configuration of a run's databases.
#[derive(Clone, Debug)]
pub struct Config {
    pub journal: &'static str,
    pub synchronous: &'static str,
    pub auto_vacuum: &'static str,
    pub page_size: u32,
    pub cache_pages: u32,
    /// Whether pages are read from a mapping.
    pub mapped: bool,
    /// Whether a write of a part of a sector leaves the rest of the sector unchanged.
    pub powersafe: bool,
    /// PRAGMA locking_mode=EXCLUSIVE
    pub exclusive: bool,
    /// Whether there is a second database, aux.
    pub attached: bool,
    /// Whether there is a second connection.
    pub two: bool,
    /// Whether the VFS is one of the application.
    pub foreign: bool,
}

const JOURNALS: [&str; 8] = ["DELETE", "DELETE", "TRUNCATE", "PERSIST", "WAL", "WAL", "WAL", "MEMORY"];
const SYNCHRONOUS: [&str; 5] = ["NORMAL", "FULL", "FULL", "EXTRA", "OFF"];
const LOSSES: [Loss; 6] = [Loss::DropAll, Loss::KeepAll, Loss::KeepPrefix, Loss::Torn, Loss::Torn, Loss::Torn];

pub fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

/// Whether databases on an application's VFS survive a crash as promised. The engine makes SQLite's calls there, and does not handle the
/// cases that these leave open: an older journal that reappears in the modes without a journal file, and the end of a log that is torn with
/// its sector.
fn is_promised_on_foreign_vfs(journal: &str, powersafe: bool) -> bool {
    has_journal_file(journal) && (powersafe || journal != "WAL")
}

/// Whether the journal of this mode survives the process.
pub fn has_journal_file(journal: &str) -> bool {
    !matches!(journal, "MEMORY" | "OFF")
}

impl Config {
    pub fn random(random: &mut Random) -> Config {
        let journal = if random.one_in(12) { "OFF" } else { pick(random, &JOURNALS) };
        let exclusive = random.one_in(8);
        let is_small = random.one_in(2) && journal != "OFF";
        let powersafe = !random.one_in(4);
        Config {
            journal,
            synchronous: pick(random, &SYNCHRONOUS),
            auto_vacuum: pick(random, &["NONE", "FULL", "INCREMENTAL"]),
            page_size: pick(random, &[512, 512, 512, 1024, 1024, 2048, 4096, 8192]),
            // Without a journal, changes that exceed the cache cannot be undone.
            cache_pages: if is_small { 4 + random.below(6) as u32 } else { 2000 },
            mapped: !random.one_in(3),
            powersafe,
            exclusive,
            attached: random.one_in(4),
            two: !exclusive && random.one_in(2),
            foreign: random.one_in(3) && is_promised_on_foreign_vfs(journal, powersafe),
        }
    }

    /// The configuration of the next generation, which opens the same files with the settings of `other`.
    pub fn next_generation(self, other: Config) -> Config {
        Config {
            journal: other.journal,
            synchronous: other.synchronous,
            cache_pages: other.cache_pages,
            mapped: other.mapped,
            exclusive: other.exclusive,
            two: other.two,
            foreign: self.foreign && is_promised_on_foreign_vfs(other.journal, self.powersafe),
            ..self
        }
    }

    pub fn is_wal(&self) -> bool {
        self.journal == "WAL"
    }

    /// Whether the journal survives the process.
    pub fn has_journal_file(&self) -> bool {
        has_journal_file(self.journal)
    }

    /// Whether a commit over two files is atomic, which requires rollback journals, joined by a super-journal.
    pub fn is_atomic_over_files(&self) -> bool {
        self.has_journal_file() && !self.is_wal() && self.synchronous != "OFF"
    }

    /// The losses of unsynced writes under which the databases must survive.
    ///
    /// With synchronous OFF, the databases must survive only the death of the process. With NORMAL, the records of a rollback journal and
    /// their number are synced together, and the checksum of a record, which samples the page, does not detect every torn record. SQLite's
    /// documentation says so: "a very small (though non-zero) chance". Torn sectors would hit it. The switch to WAL mode uses a rollback
    /// journal, too.
    pub fn losses(&self, is_setting_up: bool) -> &'static [Loss] {
        match self.synchronous {
            "OFF" => &LOSSES[1..2],
            "NORMAL" if !self.is_wal() || is_setting_up => &LOSSES[..3],
            _ => &LOSSES,
        }
    }

    /// The folder of a run's files, on the simulated machine, and on the real one when SQLite checks them, because super-journals are found
    /// by their paths.
    pub fn folder(seed: u64) -> PathBuf {
        std::env::temp_dir().join(format!("lithe-simulation-{}-{seed}", std::process::id()))
    }
}
