//! The content of the simulated disk after a power loss.
//!
//! A file has its content at its last sync, and a list of the changes since. A power loss keeps some of them and drops
//! the rest, by sectors of 512 bytes, in any combination that the chosen [`Loss`] allows; the order in which unsynced
//! writes reach a disk is not defined. Names are created and deleted in the same way.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::random::Random;

/// The unit that a disk writes completely or not at all.
const SECTOR: u64 = 512;

/// The effect of a power loss on changes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All changes are lost.
    DropAll,
    /// All changes are kept: the disk was quick, or only the process died.
    KeepAll,
    /// The changes up to some moment are kept.
    KeepPrefix,
    /// Any part of each change, by sectors, may be kept.
    Torn,
}

/// A change of the disk. Files are identified by a number, because their names may change.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A file has new bytes.
    Write { file: u64, offset: u64, bytes: Arc<[u8]> },
    /// A file has a new size.
    Truncate { file: u64, size: u64 },
    /// The first `until` changes of a file are durable: those that were made before the sync began.
    Sync { file: u64, until: u64 },
    /// A name was created or deleted.
    Name { path: PathBuf, to: Option<u64> },
    /// The changes of names are durable.
    SyncNames,
}

/// A change of a file since its last sync.
#[derive(Clone, Debug)]
enum Change {
    Write { offset: u64, bytes: Arc<[u8]> },
    Truncate(u64),
}

/// A file as the disk has it.
#[derive(Clone, Debug, Default)]
struct Stored {
    synced: Vec<u8>,
    /// How many changes `synced` includes.
    changes: u64,
    since: Vec<Change>,
}

/// A name that was created or deleted since the folder was synced.
#[derive(Clone, Debug)]
struct Renaming {
    path: PathBuf,
    to: Option<u64>,
}

/// The state that a power loss may keep in part.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    /// The names as the system shows them.
    names: HashMap<PathBuf, u64>,
    synced_names: HashMap<PathBuf, u64>,
    since: Vec<Renaming>,
    stored: HashMap<u64, Stored>,
    /// The size of the sectors that a torn write may harm as a whole; 0: it harms nothing else.
    harmed: u64,
}

impl Disk {
    /// Sets that a torn write harms the whole sector of `bytes` bytes; 0: no more than it writes.
    pub(super) fn set_harmed(&mut self, bytes: u64) {
        self.harmed = bytes;
    }

    /// The number of the file of that name.
    pub(super) fn find(&self, path: &Path) -> Option<u64> {
        self.names.get(path).copied()
    }

    /// How many changes were made to a file.
    pub(super) fn changes(&self, file: u64) -> u64 {
        self.stored.get(&file).map_or(0, |stored| stored.changes + stored.since.len() as u64)
    }

    /// The names as the system shows them.
    pub(super) fn names(&self) -> impl Iterator<Item = (&PathBuf, u64)> {
        self.names.iter().map(|(path, &file)| (path, file))
    }

    pub(super) fn apply(&mut self, event: &Event) {
        match event {
            Event::Write { file, offset, bytes } => {
                let change = Change::Write { offset: *offset, bytes: bytes.clone() };
                self.stored.entry(*file).or_default().since.push(change);
            }
            Event::Truncate { file, size } => {
                self.stored.entry(*file).or_default().since.push(Change::Truncate(*size));
            }
            Event::Sync { file, until } => self.stored.entry(*file).or_default().sync(*until),
            Event::Name { path, to } => self.rename(path, *to),
            Event::SyncNames => self.sync_names(),
        }
    }

    fn rename(&mut self, path: &Path, to: Option<u64>) {
        set_name(&mut self.names, path, to);
        self.since.push(Renaming { path: path.to_path_buf(), to });
    }

    fn sync_names(&mut self) {
        self.since.clear();
        self.synced_names = self.names.clone();
        // A file without a durable name cannot come back.
        let named: Vec<u64> = self.names.values().copied().collect();
        self.stored.retain(|file, _| named.contains(file));
    }

    /// The files that exist after a power loss, and their content.
    pub(super) fn after_power_loss(&self, loss: Loss, random: &mut Random) -> Vec<(PathBuf, Vec<u8>)> {
        let mut names = self.synced_names.clone();
        let kept = keep(loss, self.since.len(), random);
        for (renaming, _) in self.since.iter().zip(kept).filter(|(_, kept)| *kept) {
            set_name(&mut names, &renaming.path, renaming.to);
        }
        let mut files: Vec<_> = names.into_iter().collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let empty = Stored::default();
        files
            .into_iter()
            .map(|(path, file)| {
                let stored = self.stored.get(&file).unwrap_or(&empty);
                (path, stored.after_power_loss(loss, self.harmed, random))
            })
            .collect()
    }
}

fn set_name(names: &mut HashMap<PathBuf, u64>, path: &Path, to: Option<u64>) {
    match to {
        Some(file) => names.insert(path.to_path_buf(), file),
        None => names.remove(path),
    };
}

/// Which of `n` operations survive completely or in part.
fn keep(loss: Loss, n: usize, random: &mut Random) -> Vec<bool> {
    match loss {
        Loss::DropAll => vec![false; n],
        Loss::KeepAll => vec![true; n],
        Loss::KeepPrefix => {
            let until = random.below(n as u64 + 1) as usize;
            (0..n).map(|at| at < until).collect()
        }
        // Mostly kept, mostly dropped, or half and half: each finds other mistakes.
        Loss::Torn => {
            let bias = [1, 4, 7][random.below(3) as usize];
            (0..n).map(|_| random.below(8) < bias).collect()
        }
    }
}

impl Stored {
    fn sync(&mut self, until: u64) {
        let count = until.saturating_sub(self.changes).min(self.since.len() as u64);
        self.changes += count;
        for change in self.since.drain(..count as usize) {
            match change {
                Change::Write { offset, bytes } => write(&mut self.synced, offset, &bytes),
                Change::Truncate(size) => self.synced.resize(size as usize, 0),
            }
        }
    }

    fn after_power_loss(&self, loss: Loss, harmed: u64, random: &mut Random) -> Vec<u8> {
        let mut content = self.synced.clone();
        for (change, kept) in self.since.iter().zip(keep(loss, self.since.len(), random)) {
            match change {
                // Writes after a truncation go to new blocks of the disk, which belong to the file only if the
                // truncation survives, because file systems keep their own metadata in order.
                Change::Truncate(_) if !kept => break,
                Change::Truncate(size) => content.resize(*size as usize, 0),
                Change::Write { offset, bytes } if kept && loss == Loss::Torn && random.one_in(4) => {
                    write_torn(&mut content, *offset, bytes, random);
                    if harmed > 0 && random.one_in(2) {
                        harm(&mut content, harmed, *offset, bytes.len() as u64, random);
                    }
                }
                Change::Write { offset, bytes } if kept => write(&mut content, *offset, bytes),
                Change::Write { .. } => {}
            }
        }
        content
    }
}

fn write(content: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let (start, end) = (offset as usize, offset as usize + bytes.len());
    if content.len() < end {
        content.resize(end, 0);
    }
    content[start..end].copy_from_slice(bytes);
}

/// Each sector of the write survives or not. The file may have grown either way.
fn write_torn(content: &mut Vec<u8>, offset: u64, bytes: &[u8], random: &mut Random) {
    let mut at = 0;
    while at < bytes.len() as u64 {
        let until = ((offset + at) / SECTOR + 1) * SECTOR - offset;
        let until = until.min(bytes.len() as u64);
        if random.one_in(2) {
            write(content, offset + at, &bytes[at as usize..until as usize]);
        }
        at = until;
    }
    let end = offset as usize + bytes.len();
    if content.len() < end && random.one_in(2) {
        content.resize(end, 0);
    }
}

/// Changes the bytes before and after a write on its sectors.
fn harm(content: &mut [u8], sector: u64, offset: u64, len: u64, random: &mut Random) {
    let end = offset + len;
    let start_of_sector = offset / sector * sector;
    let end_of_sector = end.next_multiple_of(sector).min(content.len() as u64);
    for range in [start_of_sector..offset, end..end_of_sector] {
        if let Some(bytes) = content.get_mut(range.start as usize..range.end as usize) {
            random.fill(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synced_content_survives() {
        let mut disk = Disk::default();
        let path = Path::new("a");
        disk.apply(&Event::Name { path: path.to_path_buf(), to: Some(1) });
        for (offset, byte) in [(0u64, 1u8), (600, 2)] {
            disk.apply(&Event::Write { file: 1, offset, bytes: Arc::new([byte; 600]) });
        }
        let mut random = Random::new(1);
        assert_eq!(disk.after_power_loss(Loss::DropAll, &mut random), []);
        disk.apply(&Event::SyncNames);
        assert_eq!(disk.after_power_loss(Loss::DropAll, &mut random), [(path.to_path_buf(), vec![])]);
        let all = [[1; 600], [2; 600]].concat();
        assert_eq!(disk.after_power_loss(Loss::KeepAll, &mut random)[0].1, all);
        // A change that is made while a sync runs is not covered by it.
        let mut other = disk.clone();
        other.apply(&Event::Sync { file: 1, until: 1 });
        assert_eq!(other.after_power_loss(Loss::DropAll, &mut random), [(path.to_path_buf(), vec![1; 600])]);
        disk.apply(&Event::Sync { file: 1, until: disk.changes(1) });
        disk.apply(&Event::Truncate { file: 1, size: 0 });
        disk.apply(&Event::Name { path: path.to_path_buf(), to: None });
        for loss in [Loss::DropAll, Loss::KeepPrefix, Loss::Torn] {
            for file in disk.after_power_loss(loss, &mut random) {
                assert!(file.1 == all || (loss != Loss::DropAll && file.1.is_empty()));
            }
        }
        assert_eq!(disk.after_power_loss(Loss::KeepAll, &mut random), []);
    }
}
