//! What a machine did to its disk, call by call; and the disk at any moment of it.
//!
//! A test runs a workload once, recorded, and then looks at every moment at which the power could have
//! failed: [`Replay`] goes from one to the next, and each gives the files for a machine of its own
//! ([`super::Sim::with_files`]). Nothing is run twice to come to the next crash.

use std::path::{Path, PathBuf};

use super::Random;
use super::disk::{Disk, Event, Loss};

/// What was done to a disk since it began to be recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub(super) start: Disk,
    pub(super) events: Vec<Event>,
}

/// What kind of thing was done, and to which file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done<'r> {
    /// Bytes were written to a file.
    Wrote {
        /// The file, if it has a name.
        file: Option<&'r Path>,
        /// Where in the file.
        offset: u64,
        /// How many bytes.
        len: usize,
    },
    /// A file was made longer or shorter.
    Truncated(Option<&'r Path>),
    /// A file was synced.
    Synced(Option<&'r Path>),
    /// A file was created.
    Created(&'r Path),
    /// A file was deleted.
    Deleted(&'r Path),
    /// The folder was synced.
    SyncedNames,
}

impl Recording {
    /// How many things were done.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The recording from its start.
    pub fn replay(&self) -> Replay<'_> {
        Replay { disk: self.start.clone(), events: &self.events }
    }
}

/// A disk at a moment of a recording.
#[derive(Clone, Debug)]
pub struct Replay<'r> {
    disk: Disk,
    events: &'r [Event],
}

impl<'r> Replay<'r> {
    /// Goes on by one thing that was done, and gives it to `look`; `None` at the end.
    pub fn advance<T>(&mut self, look: impl FnOnce(Done<'_>) -> T) -> Option<T> {
        let (event, rest) = self.events.split_first()?;
        self.events = rest;
        let name = |file: &u64| self.disk.names().find(|(_, other)| other == file).map(|(path, _)| path.as_path());
        let looked = look(match event {
            Event::Write { file, offset, bytes } => Done::Wrote { file: name(file), offset: *offset, len: bytes.len() },
            Event::Truncate { file, .. } => Done::Truncated(name(file)),
            Event::Sync { file, .. } => Done::Synced(name(file)),
            Event::Name { path, to: Some(_) } => Done::Created(path),
            Event::Name { path, to: None } => Done::Deleted(path),
            Event::SyncNames => Done::SyncedNames,
        });
        self.disk.apply(event);
        Some(looked)
    }

    /// The files that are there if the power fails at this moment.
    pub fn lose_power(&self, loss: Loss, random: &mut Random) -> Vec<(PathBuf, Vec<u8>)> {
        self.disk.after_power_loss(loss, random)
    }
}
