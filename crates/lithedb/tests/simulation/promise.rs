//! The promises after a crash: which commits must be present, and which may be.
//!
//! ```text
//!   commits      0        1             2       3
//!   recording  --|----[...a]---------[..a]-----[.. crash
//!                     begun, acknowledged      begun: may be present or not
//!                     ^ durable from here on, or later, by the journal mode
//! ```
//!
//! The recovered state must be that of a commit that was begun, and not of one before the last durable one.

use lithe::vfs::Done;

use crate::config::Config;
use crate::state::State;

/// A commit with its moments: the number of operations on the disk before it began, and when it was acknowledged.
#[derive(Clone, Debug)]
pub struct Commit {
    pub state: State,
    pub begun: usize,
    pub acknowledged: usize,
}

/// A change of the journal mode.
#[derive(Clone, Copy, Debug)]
pub struct ModeChange {
    pub from: usize,
    pub journal: &'static str,
}

/// The journal mode at a moment.
pub fn mode_at(modes: &[ModeChange], at: usize) -> &'static str {
    modes.iter().rfind(|mode| mode.from <= at).expect("there is one from the beginning").journal
}

/// When an acknowledged commit survives a power loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lasts {
    AtOnce,
    /// From the next commit on, because the journal may reappear until then.
    FromNextCommit,
    /// The same, for each file separately.
    FromNextCommitInFile,
    /// From the next sync of the log on.
    FromLogSync,
}

fn lasts(config: &Config, journal: &str) -> Lasts {
    let full = matches!(config.synchronous, "FULL" | "EXTRA");
    match journal {
        "WAL" if full => Lasts::AtOnce,
        "WAL" => Lasts::FromLogSync,
        // With exclusive locking the journal file stays, and the commit syncs the clearing of its header.
        "DELETE" if config.synchronous == "FULL" && !config.exclusive => Lasts::FromNextCommit,
        "MEMORY" | "OFF" => Lasts::AtOnce,
        _ if full => Lasts::AtOnce,
        _ => Lasts::FromNextCommit,
    }
}

/// The promises, as a recording advances.
pub struct Promise<'c> {
    config: &'c Config,
    modes: &'c [ModeChange],
    commits: &'c [Commit],
    lasts: Lasts,
    atomic: bool,
    /// The number of operations so far.
    at: usize,
    /// The last commit that is durable, for each database.
    durable: [usize; 2],
}

impl<'c> Promise<'c> {
    pub fn new(config: &'c Config, modes: &'c [ModeChange], commits: &'c [Commit]) -> Promise<'c> {
        let lasts = lasts(config, config.journal);
        // The unsynced truncation of a journal is durable from the next commit in the same file on.
        let per_file = config.attached && config.journal == "TRUNCATE" && lasts == Lasts::FromNextCommit;
        let lasts = if per_file { Lasts::FromNextCommitInFile } else { lasts };
        let atomic = !config.attached || (config.is_atomic_over_files() && !per_file);
        Promise { config, modes, commits, lasts, atomic, at: 0, durable: [0; 2] }
    }

    /// Advances by an operation.
    pub fn advance(&mut self, done: Done<'_>) {
        // A sync covers the commits that were acknowledged before it.
        if let (Lasts::FromLogSync, Done::Synced(Some(path))) = (self.lasts, done) {
            let acknowledged = self.acknowledged();
            for (durable, log) in self.durable.iter_mut().zip(["main.db-wal", "aux.db-wal"]) {
                if path.ends_with(log) {
                    *durable = acknowledged;
                }
            }
        }
        self.at += 1;
        match self.lasts {
            Lasts::AtOnce | Lasts::FromNextCommit => self.durable = [self.last_durable(); 2],
            Lasts::FromNextCommitInFile => self.durable = [self.before_last_change(0), self.before_last_change(1)],
            Lasts::FromLogSync => {}
        }
    }

    /// The last acknowledged commit, or the one before it, depending on the journal mode.
    fn last_durable(&self) -> usize {
        let last = self.acknowledged();
        let journal = mode_at(self.modes, self.commits[last].begun);
        if lasts(self.config, journal) == Lasts::AtOnce { last } else { last.saturating_sub(1) }
    }

    /// The last acknowledged commit before the last change of a database.
    fn before_last_change(&self, db: usize) -> usize {
        let commits = &self.commits[..=self.acknowledged()];
        let changed = (1..commits.len()).rev().find(|&at| commits[at].state[db] != commits[at - 1].state[db]);
        changed.map_or(0, |at| at - 1)
    }

    /// The last acknowledged commit.
    fn acknowledged(&self) -> usize {
        self.commits.iter().rposition(|commit| commit.acknowledged <= self.at).unwrap_or(0)
    }

    /// The commits that may be found, for each database; after the mere death of a process, the last acknowledged commit must be present.
    fn window(&self, only_process: bool) -> [std::ops::Range<usize>; 2] {
        let end = self.commits.iter().rposition(|commit| commit.begun <= self.at).map_or(0, |last| last + 1);
        let first = if only_process { [self.acknowledged(); 2] } else { self.durable };
        first.map(|first| first..end)
    }

    /// Whether `found` is an allowed state.
    pub fn allows(&self, found: State, only_process: bool) -> bool {
        let window = self.window(only_process);
        if self.atomic {
            return self.commits[window[0].clone()].iter().any(|commit| commit.state == found);
        }
        (0..2).all(|db| self.commits[window[db].clone()].iter().any(|commit| commit.state[db] == found[db]))
    }

    /// The expected commits, and those that `found` equals.
    pub fn explain(&self, found: State, only_process: bool) -> String {
        let places = |db: usize| -> Vec<usize> {
            (0..self.commits.len()).filter(|&at| self.commits[at].state[db] == found[db]).collect()
        };
        format!(
            "after {} things were done: found the states of commits {:?} (main) and {:?} (aux), allowed {:?}, of {}",
            self.at,
            places(0),
            places(1),
            self.window(only_process),
            self.commits.len()
        )
    }
}
