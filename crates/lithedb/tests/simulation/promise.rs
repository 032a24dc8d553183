//! What may be found after a crash: which commits must be there, and which may.
//!
//! ```text
//!   commits      0        1             2       3
//!   recording  --|----[...a]---------[..a]-----[.. crash
//!                     begun, acknowledged      begun: may be there or not
//!                     ^ durable as of here, or later, as the mode says
//! ```
//!
//! The state found must be that of a commit that was begun, and of none before the last durable one.

use lithe::vfs::Done;

use crate::config::Config;
use crate::state::State;

/// A commit, and when it was made: the number of things done to the disk before it began, and when it was
/// acknowledged.
#[derive(Clone, Debug)]
pub struct Commit {
    pub state: State,
    pub begun: usize,
    pub acknowledged: usize,
}

/// From a moment on, commits go through another journal.
#[derive(Clone, Copy, Debug)]
pub struct ModeChange {
    pub from: usize,
    pub journal: &'static str,
}

/// The journal mode at a moment.
pub fn mode_at(modes: &[ModeChange], at: usize) -> &'static str {
    modes.iter().rfind(|mode| mode.from <= at).expect("there is one from the beginning").journal
}

/// When an acknowledged commit withstands a power loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lasts {
    AtOnce,
    /// The journal may come back until the next commit.
    FromNextCommit,
    /// The same, for each file by itself.
    FromNextCommitInFile,
    /// Once the log has been synced.
    FromLogSync,
}

fn lasts(config: &Config, journal: &str) -> Lasts {
    let full = matches!(config.synchronous, "FULL" | "EXTRA");
    match journal {
        "WAL" if full => Lasts::AtOnce,
        "WAL" => Lasts::FromLogSync,
        // With exclusive locking the journal stays, and what is synced is the end of its header.
        "DELETE" if config.synchronous == "FULL" && !config.exclusive => Lasts::FromNextCommit,
        "MEMORY" | "OFF" => Lasts::AtOnce,
        _ if full => Lasts::AtOnce,
        _ => Lasts::FromNextCommit,
    }
}

/// What may be found, as a recording goes on.
pub struct Promise<'c> {
    config: &'c Config,
    modes: &'c [ModeChange],
    commits: &'c [Commit],
    lasts: Lasts,
    atomic: bool,
    /// How many things have been done.
    at: usize,
    /// The last commit that is durable, for each database.
    durable: [usize; 2],
}

impl<'c> Promise<'c> {
    pub fn new(config: &'c Config, modes: &'c [ModeChange], commits: &'c [Commit]) -> Promise<'c> {
        let lasts = lasts(config, config.journal);
        // The cut of a journal that is not synced lasts from the next commit in the same file.
        let per_file = config.attached && config.journal == "TRUNCATE" && lasts == Lasts::FromNextCommit;
        let lasts = if per_file { Lasts::FromNextCommitInFile } else { lasts };
        let atomic = !config.attached || (config.is_atomic_over_files() && !per_file);
        Promise { config, modes, commits, lasts, atomic, at: 0, durable: [0; 2] }
    }

    /// Something was done.
    pub fn advance(&mut self, done: Done<'_>) {
        // A sync covers what was acknowledged before it.
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

    /// The last acknowledged commit, or the one before, as its journal mode says.
    fn last_durable(&self) -> usize {
        let last = self.acknowledged();
        let journal = mode_at(self.modes, self.commits[last].begun);
        if lasts(self.config, journal) == Lasts::AtOnce { last } else { last.saturating_sub(1) }
    }

    /// The last acknowledged commit but for those since the last change of a database, that one included.
    fn before_last_change(&self, db: usize) -> usize {
        let commits = &self.commits[..=self.acknowledged()];
        let changed = (1..commits.len()).rev().find(|&at| commits[at].state[db] != commits[at - 1].state[db]);
        changed.map_or(0, |at| at - 1)
    }

    /// The last commit that was acknowledged.
    fn acknowledged(&self) -> usize {
        self.commits.iter().rposition(|commit| commit.acknowledged <= self.at).unwrap_or(0)
    }

    /// Which commits may be found, for each database; after the mere death of a process, what was
    /// acknowledged is there.
    fn window(&self, only_process: bool) -> [std::ops::Range<usize>; 2] {
        let end = self.commits.iter().rposition(|commit| commit.begun <= self.at).map_or(0, |last| last + 1);
        let first = if only_process { [self.acknowledged(); 2] } else { self.durable };
        first.map(|first| first..end)
    }

    /// Whether `found` may be there.
    pub fn allows(&self, found: State, only_process: bool) -> bool {
        let window = self.window(only_process);
        if self.atomic {
            return self.commits[window[0].clone()].iter().any(|commit| commit.state == found);
        }
        (0..2).all(|db| self.commits[window[db].clone()].iter().any(|commit| commit.state[db] == found[db]))
    }

    /// What was expected, and how far off it is.
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
