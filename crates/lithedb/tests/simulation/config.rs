//! How a simulated run keeps its databases.

use std::path::PathBuf;

use lithe::vfs::{Loss, Random};

/// How a run keeps its databases.
#[derive(Clone, Debug)]
pub struct Config {
    pub journal: &'static str,
    pub synchronous: &'static str,
    pub auto_vacuum: &'static str,
    pub page_size: u32,
    pub cache_pages: u32,
    /// Pages are read from a mapping.
    pub mapped: bool,
    /// Writing a part of a sector leaves the rest of it alone.
    pub powersafe: bool,
    /// PRAGMA locking_mode=EXCLUSIVE
    pub exclusive: bool,
    /// There is a second database, aux.
    pub attached: bool,
    /// There is a second connection.
    pub two: bool,
    /// The VFS is the application's own.
    pub foreign: bool,
}

const JOURNALS: [&str; 8] = ["DELETE", "DELETE", "TRUNCATE", "PERSIST", "WAL", "WAL", "WAL", "MEMORY"];
const SYNCHRONOUS: [&str; 5] = ["NORMAL", "FULL", "FULL", "EXTRA", "OFF"];
const LOSSES: [Loss; 6] = [Loss::DropAll, Loss::KeepAll, Loss::KeepPrefix, Loss::Torn, Loss::Torn, Loss::Torn];

pub fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

/// Whether a crash on a VFS of the application keeps the promise. The engine makes SQLite's calls there, and does nothing against
/// what they leave open: a journal of before that comes back in the modes without one, and the end of a log that was torn
/// with its sector.
fn is_promised_on_foreign_vfs(journal: &str, powersafe: bool) -> bool {
    has_journal_file(journal) && (powersafe || journal != "WAL")
}

/// The journal of this mode survives the process.
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
            // Without a journal, what exceeds the cache cannot be undone.
            cache_pages: if is_small { 4 + random.below(6) as u32 } else { 2000 },
            mapped: !random.one_in(3),
            powersafe,
            exclusive,
            attached: random.one_in(4),
            two: !exclusive && random.one_in(2),
            foreign: random.one_in(3) && is_promised_on_foreign_vfs(journal, powersafe),
        }
    }

    /// The configuration of the next generation, which opens the same files in the way of `other`.
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

    /// The journal survives the process.
    pub fn has_journal_file(&self) -> bool {
        has_journal_file(self.journal)
    }

    /// Commits over two files are one: that takes rollback journals, which a super-journal joins.
    pub fn is_atomic_over_files(&self) -> bool {
        self.has_journal_file() && !self.is_wal() && self.synchronous != "OFF"
    }

    /// What may become of unsynced writes, as far as anything is promised then.
    ///
    /// With synchronous OFF nothing is promised but for the death of the process. With NORMAL, the records
    /// of a rollback journal and their number are synced together, and the checksum of a record, which
    /// samples it, does not see every torn one. SQLite's documentation says so: "a very small (though
    /// non-zero) chance". Torn sectors would find it. The way into WAL mode goes through a rollback journal, too.
    pub fn losses(&self, is_setting_up: bool) -> &'static [Loss] {
        match self.synchronous {
            "OFF" => &LOSSES[1..2],
            "NORMAL" if !self.is_wal() || is_setting_up => &LOSSES[..3],
            _ => &LOSSES,
        }
    }

    /// Where the files of a run are, on the simulated machine, and when SQLite is to look at them, on the
    /// real one: super-journals are found by their paths.
    pub fn folder(seed: u64) -> PathBuf {
        std::env::temp_dir().join(format!("lithe-simulation-{}-{seed}", std::process::id()))
    }
}
