//! The changes that a machine made to its disk, call by call, and the disk at any moment of them.
//!
//! A test records one run of a workload, and then checks every moment at which the power could have failed: [`Replay`]
//! advances from one to the next, and each gives the files for a new machine ([`super::Sim::with_files`]). So no run is
//! repeated to get to the next crash.

use std::path::{Path, PathBuf};

use super::Random;
use super::disk::{Disk, Event, Loss};

/// The changes of a disk since its recording began.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub(super) start: Disk,
    pub(super) events: Vec<Event>,
}

/// The kind of a change, and its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done<'r> {
    /// Bytes were written to a file.
    Wrote {
        /// The file, if it has a name.
        file: Option<&'r Path>,
        /// The offset in the file.
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
    /// How many changes were recorded.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether no change was recorded.
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
    /// Advances by one change, and passes it to `look`; `None` at the end.
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

    /// The files that exist if the power fails at this moment.
    pub fn lose_power(&self, loss: Loss, random: &mut Random) -> Vec<(PathBuf, Vec<u8>)> {
        self.disk.after_power_loss(loss, random)
    }
}
