//! The super-journal: while it exists, none of the databases that name it has committed; deleting it
//! commits them all.
//!
//! The file holds the paths of their journals, each ended by a zero byte.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lithe_vfs::{Access, DeviceCharacteristics, File, OpenFlags, ResultCode, SyncFlags, Vfs};

use super::playback::super_journal_of;
use crate::error::{Error, Result, zeros};

/// A super-journal that was created and not deleted yet.
///
/// A commit of several databases creates one with the paths of their journals
/// ([`crate::Pager::journal_path`]), passes its name to phase one of each, commits it, and ends with
/// phase two of each.
#[derive(Debug)]
pub struct SuperJournal {
    vfs: Arc<dyn Vfs>,
    path: PathBuf,
    /// Open until it is deleted.
    file: Option<Arc<dyn File>>,
}

/// Longer lists are damage.
const LIST_BYTES_MAX: u64 = 1 << 24;

impl SuperJournal {
    /// Creates a super-journal beside the database `main`, and makes it durable.
    pub fn create(vfs: &Arc<dyn Vfs>, main: &Path, journals: &[PathBuf]) -> Result<SuperJournal> {
        let path = unused_name(&**vfs, main)?;
        let flags = OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::SUPER_JOURNAL;
        let file = vfs.open(Some(&path), flags)?.file;
        let created = SuperJournal { vfs: vfs.clone(), path, file: Some(Arc::clone(&file)) };
        match write_list(&*file, journals) {
            Ok(()) => Ok(created),
            Err(error) => {
                drop(file);
                created.abandon();
                Err(error)
            }
        }
    }

    /// The file's name, for phase one of each database.
    pub fn name(&self) -> Result<&str> {
        text_of(&self.path)
    }

    /// Commits all databases that name the super-journal. After an error they are not committed; the inner result is
    /// the error of a commit that was made, but may not survive a power loss.
    pub fn commit(&mut self) -> Result<Result<()>> {
        self.file = None;
        match self.vfs.delete(&self.path, true) {
            Ok(()) => Ok(Ok(())),
            Err(error) if matches!(self.vfs.access(&self.path, Access::Exists), Ok(false)) => Ok(Err(error.into())),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes the file after a failure, when the databases are rolled back.
    pub fn abandon(mut self) {
        self.file = None;
        // A file that cannot be deleted is removed by a later recovery.
        let _ = self.vfs.delete(&self.path, false);
    }
}

/// The paths of the journals, each ended by a zero byte; durably, unless the device keeps the order of writes.
fn write_list(file: &dyn File, journals: &[PathBuf]) -> Result<()> {
    let mut at = 0;
    for journal in journals {
        let name = [text_of(journal)?.as_bytes(), &[0]].concat();
        file.write_at(&name, at)?;
        at += name.len() as u64;
    }
    if !file.characteristics().contains(DeviceCharacteristics::SEQUENTIAL) {
        file.sync(SyncFlags::NORMAL)?;
    }
    Ok(())
}

/// Names end in `-mj`, six random digits, a `9`, and two more digits.
fn unused_name(vfs: &dyn Vfs, main: &Path) -> Result<PathBuf> {
    const NAMES_TRIED_MAX: usize = 100;
    for _ in 0..NAMES_TRIED_MAX {
        let mut random = [0; 4];
        vfs.randomness(&mut random);
        let random = u32::from_ne_bytes(random);
        let mut name = main.as_os_str().to_os_string();
        name.push(format!("-mj{:06X}9{:02X}", random >> 8, random & 0xff));
        let path = PathBuf::from(name);
        if !vfs.access(&path, Access::Exists)? {
            return Ok(path);
        }
    }
    Err(Error::CantOpen(ResultCode::CANTOPEN))
}

/// Names in journals are text.
fn text_of(path: &Path) -> Result<&str> {
    path.to_str().ok_or(Error::CantOpen(ResultCode::CANTOPEN))
}

/// Deletes the super-journal `path` if no other journal still names it, after one of its databases was rolled back or
/// found committed.
pub(crate) fn delete_if_unused(vfs: &dyn Vfs, path: &Path) -> Result<()> {
    let Ok(opened) = vfs.open(Some(path), OpenFlags::READONLY | OpenFlags::SUPER_JOURNAL) else { return Ok(()) };
    let len = opened.file.size()?.min(LIST_BYTES_MAX);
    let mut list = zeros(len as usize)?;
    opened.file.read_at(&mut list, 0)?;
    drop(opened);
    for journal in list.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let Ok(journal) = std::str::from_utf8(journal) else { continue };
        if names(vfs, Path::new(journal), path)? {
            return Ok(());
        }
    }
    vfs.delete(path, false)?;
    Ok(())
}

/// Whether the journal at `journal` exists and names the super-journal at `path`.
fn names(vfs: &dyn Vfs, journal: &Path, path: &Path) -> Result<bool> {
    if !vfs.access(journal, Access::Exists)? {
        return Ok(false);
    }
    let opened = vfs.open(Some(journal), OpenFlags::READONLY | OpenFlags::MAIN_JOURNAL)?;
    let named = super_journal_of(&*opened.file)?;
    Ok(named.is_some_and(|name| Path::new(&name) == path))
}
