//! Files in memory: for databases that are shared within the process and never stored, and as the disk of the
//! simulation.
//!
//! | module | subject |
//! | --- | --- |
//! | `inode` | a file's content, locks and shared memory |
//! | `file` | one handle on it |
//! | `locks` | lock levels and slots among handles, by counting |

mod file;
mod inode;
mod locks;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) use self::file::MemoryFile;
pub(crate) use self::inode::MemoryInode;

use crate::error::{Error, Op, Result};
use crate::unix::guard;
use crate::{Access, Links, OpenFlags, Opened, ResultCode, UnixVfs, Vfs};

/// The largest length of a file.
const FILE_LEN_MAX: usize = 64 << 30;

/// A VFS whose files are in memory. They live until they are deleted, or the VFS is dropped.
#[derive(Debug)]
pub struct MemoryVfs {
    files: Mutex<HashMap<PathBuf, Arc<MemoryInode>>>,
    /// The largest length of a file.
    file_len_max: usize,
}

impl MemoryVfs {
    /// A VFS without files.
    pub fn new() -> MemoryVfs {
        MemoryVfs::with_capacity(FILE_LEN_MAX)
    }

    /// A VFS without files, each of which may grow to `file_len_max` bytes.
    pub fn with_capacity(file_len_max: usize) -> MemoryVfs {
        MemoryVfs { files: Mutex::default(), file_len_max }
    }
}

impl Default for MemoryVfs {
    fn default() -> MemoryVfs {
        MemoryVfs::new()
    }
}

impl Vfs for MemoryVfs {
    fn name(&self) -> &str {
        "memdb"
    }

    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened> {
        let inode = match path {
            None => Arc::new(MemoryInode::new(self.file_len_max)?),
            Some(path) => {
                let mut files = guard(&self.files);
                match files.get(path) {
                    Some(_) if flags.contains(OpenFlags::EXCLUSIVE) => return Err(Error::new(Op::Open).at(path)),
                    Some(inode) => inode.clone(),
                    // A database is created even without the flag, because no other program could have created it.
                    None if !flags.contains(OpenFlags::CREATE) && !flags.contains(OpenFlags::MAIN_DB) => {
                        return Err(Error::new(Op::Open).at(path));
                    }
                    None => {
                        let inode = Arc::new(MemoryInode::new(self.file_len_max)?);
                        files.insert(path.to_path_buf(), inode.clone());
                        inode
                    }
                }
            }
        };
        if let Some(path) = path.filter(|_| flags.contains(OpenFlags::DELETEONCLOSE)) {
            guard(&self.files).remove(path);
        }
        Ok(Opened { file: Arc::new(MemoryFile::new(inode)), flags })
    }

    fn delete(&self, path: &Path, _sync_folder: bool) -> Result<()> {
        match guard(&self.files).remove(path) {
            Some(_) => Ok(()),
            None => Err(Error::with_code(Op::Delete, ResultCode::IOERR_DELETE_NOENT).at(path)),
        }
    }

    fn access(&self, path: &Path, _what: Access) -> Result<bool> {
        Ok(guard(&self.files).get(path).is_some_and(|inode| inode.size() > 0))
    }

    fn full_path(&self, path: &Path, _: Links) -> Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    fn randomness(&self, buf: &mut [u8]) {
        UnixVfs.randomness(buf);
    }

    fn sleep(&self, duration: Duration) {
        UnixVfs.sleep(duration);
    }

    fn julian_millis(&self) -> i64 {
        UnixVfs.julian_millis()
    }
}
