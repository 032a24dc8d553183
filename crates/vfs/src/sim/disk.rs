//! What is on the simulated disk when the power fails.
//!
//! A file is what it was at its last sync, and the list of what was done to it since. A power loss
//! keeps some of that and drops the rest, in the grain of sectors of 512 bytes, in any combination
//! that the chosen [`Loss`] allows; nothing is promised about the order in which unsynced writes
//! reach a disk. Names come and go the same way.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::random::Random;
use crate::memory::MemoryInode;

/// The unit that a disk writes whole or not at all.
const SECTOR: u64 = 512;

/// What a power loss does to what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All of it is gone.
    DropAll,
    /// All of it is there: the disk was quick, or only the process died.
    KeepAll,
    /// What was done first is there, up to some moment.
    KeepPrefix,
    /// Of each operation, of each sector, any part may be there.
    Torn,
}

/// Something done to a file since its last sync.
#[derive(Debug)]
enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Truncate(u64),
}

/// A file as the disk has it.
#[derive(Debug, Default)]
struct Stored {
    synced: Vec<u8>,
    since: Vec<Change>,
}

/// A name that appeared or disappeared since the folder was synced.
#[derive(Debug)]
struct Renaming {
    path: PathBuf,
    to: Option<Arc<MemoryInode>>,
}

/// Everything that survives in some way.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// The names as the system shows them.
    names: HashMap<PathBuf, Arc<MemoryInode>>,
    synced_names: HashMap<PathBuf, Arc<MemoryInode>>,
    since: Vec<Renaming>,
    stored: HashMap<u64, Stored>,
}

impl Disk {
    pub(super) fn find(&self, path: &Path) -> Option<&Arc<MemoryInode>> {
        self.names.get(path)
    }

    pub(super) fn add_name(&mut self, path: &Path, inode: Arc<MemoryInode>) {
        self.names.insert(path.to_path_buf(), inode.clone());
        self.since.push(Renaming { path: path.to_path_buf(), to: Some(inode) });
    }

    pub(super) fn remove_name(&mut self, path: &Path) -> bool {
        let existed = self.names.remove(path).is_some();
        if existed {
            self.since.push(Renaming { path: path.to_path_buf(), to: None });
        }
        existed
    }

    pub(super) fn sync_names(&mut self) {
        self.since.clear();
        self.synced_names = self.names.clone();
    }

    pub(super) fn note_write(&mut self, inode: &MemoryInode, offset: u64, bytes: &[u8]) {
        let change = Change::Write { offset, bytes: bytes.to_vec() };
        self.stored.entry(inode.id().inode).or_default().since.push(change);
    }

    pub(super) fn note_truncate(&mut self, inode: &MemoryInode, size: u64) {
        self.stored.entry(inode.id().inode).or_default().since.push(Change::Truncate(size));
    }

    pub(super) fn note_sync(&mut self, inode: &MemoryInode) {
        let stored = self.stored.entry(inode.id().inode).or_default();
        stored.since.clear();
        stored.synced.resize(inode.size() as usize, 0);
        inode.read_at(&mut stored.synced, 0);
    }

    /// The files that are there after a power loss, and their content.
    pub(super) fn after_power_loss(&self, loss: Loss, random: &mut Random) -> Vec<(PathBuf, Vec<u8>)> {
        let mut names = self.synced_names.clone();
        let kept = keep(loss, self.since.len(), random);
        for (renaming, kept) in self.since.iter().zip(kept) {
            match &renaming.to {
                _ if !kept => {}
                Some(inode) => drop(names.insert(renaming.path.clone(), inode.clone())),
                None => drop(names.remove(&renaming.path)),
            }
        }
        let mut files: Vec<_> = names.into_iter().collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let empty = Stored::default();
        files
            .into_iter()
            .map(|(path, inode)| {
                let stored = self.stored.get(&inode.id().inode).unwrap_or(&empty);
                (path, stored.after_power_loss(loss, random))
            })
            .collect()
    }
}

/// Which of `n` operations survive whole or in part.
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
    fn after_power_loss(&self, loss: Loss, random: &mut Random) -> Vec<u8> {
        let mut content = self.synced.clone();
        for (change, kept) in self.since.iter().zip(keep(loss, self.since.len(), random)) {
            match change {
                // What is written after a cut goes to new places on the disk, which belong to the file
                // only together with the cut: file systems keep their own books in order.
                Change::Truncate(_) if !kept => break,
                Change::Truncate(size) => content.resize(*size as usize, 0),
                Change::Write { offset, bytes } if kept && loss == Loss::Torn && random.one_in(4) => {
                    write_torn(&mut content, *offset, bytes, random);
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

/// Each sector of the write is there or not. The size may have grown either way.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synced_content_survives() {
        let mut disk = Disk::default();
        let inode = Arc::new(MemoryInode::new(1 << 20).unwrap());
        let path = Path::new("a");
        disk.add_name(path, inode.clone());
        for (at, byte) in [(0u64, 1u8), (600, 2)] {
            inode.write_at(&[byte; 600], at).unwrap();
            disk.note_write(&inode, at, &[byte; 600]);
        }
        let mut random = Random::new(1);
        assert_eq!(disk.after_power_loss(Loss::DropAll, &mut random), []);
        disk.sync_names();
        assert_eq!(disk.after_power_loss(Loss::DropAll, &mut random), [(path.to_path_buf(), vec![])]);
        let all = [[1; 600], [2; 600]].concat();
        assert_eq!(disk.after_power_loss(Loss::KeepAll, &mut random)[0].1, all);
        disk.note_sync(&inode);
        inode.truncate(0).unwrap();
        disk.note_truncate(&inode, 0);
        disk.remove_name(path);
        for loss in [Loss::DropAll, Loss::KeepPrefix, Loss::Torn] {
            for file in disk.after_power_loss(loss, &mut random) {
                assert!(file.1 == all || (loss != Loss::DropAll && file.1.is_empty()));
            }
        }
        assert_eq!(disk.after_power_loss(Loss::KeepAll, &mut random), []);
    }
}
