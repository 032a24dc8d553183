//! The contestant without a database: BLOBs as plain files, all in one folder or in a tree of at most 100 entries a folder.
//!
//! ```text
//!   folder   root/012345
//!   tree     root/01/23/45
//! ```

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use rustix::fs::fstat;

use crate::frame::{Context, Result};

/// How the files lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// All in one folder.
    Folder,
    /// At most 100 entries a folder.
    Tree,
}

/// The method of overwriting a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Truncated and rewritten, as most programs do.
    Truncate,
    /// Its bytes replaced in place.
    InPlace,
    /// As `Truncate`, and synced to the disk before the next file.
    TruncateAndSync,
}

/// Files by number.
#[derive(Clone, Debug)]
pub struct Files {
    root: PathBuf,
    layout: Layout,
    /// The number of digits of a name, always even.
    digits: usize,
}

impl Files {
    /// Files 1 to `count` below `root`.
    pub fn new(root: &Path, layout: Layout, count: usize) -> Files {
        let digits = count.to_string().len();
        Files { root: root.to_owned(), layout, digits: digits + digits % 2 }
    }

    /// A generator of their names that does not allocate.
    pub fn names(&self) -> Names<'_> {
        let path = format!("{}/", self.root.display());
        Names { files: self, root_len: path.len(), path }
    }

    /// Creates the folders and the files.
    pub fn create(&self, count: usize, mut content: impl FnMut(usize, &mut Vec<u8>) -> Result<()>) -> Result<()> {
        let (mut names, mut bytes) = (self.names(), Vec::new());
        fs::create_dir_all(&self.root).context("create", &self.root)?;
        for key in 1..=count {
            content(key, &mut bytes)?;
            let path = Path::new(names.of(key));
            if self.layout == Layout::Tree
                && let Some(folder) = path.parent()
            {
                fs::create_dir_all(folder).context("create", folder)?;
            }
            fs::write(path, &bytes).context("write", path)?;
        }
        Ok(())
    }

    /// The disk space of the files and folders in bytes, as `du` reports it.
    pub fn disk_bytes(&self) -> Result<u64> {
        disk_bytes(&self.root)
    }
}

/// Generates the names of files in a buffer of its own.
pub struct Names<'a> {
    files: &'a Files,
    root_len: usize,
    path: String,
}

impl Names<'_> {
    /// The path of file `key`.
    pub fn of(&mut self, key: usize) -> &str {
        let digits = self.files.digits;
        self.path.truncate(self.root_len);
        match self.files.layout {
            Layout::Folder => {
                let _ = write!(self.path, "{key:0digits$}");
            }
            Layout::Tree => {
                for level in (0..digits / 2).rev() {
                    let slash = if level == 0 { "" } else { "/" };
                    let _ = write!(self.path, "{:02}{slash}", key / 100_usize.pow(level as u32) % 100);
                }
            }
        }
        &self.path
    }

    /// Opens a file, queries its size, reads it into the beginning of `buffer` (which grows if it is too small), and closes it: the four
    /// system calls of reading a file. Answers the number of bytes.
    pub fn read(&mut self, key: usize, buffer: &mut Vec<u8>) -> Result<usize> {
        let path = self.of(key);
        read_file(path, buffer).context("read", path)
    }

    /// Overwrites a file.
    pub fn overwrite(&mut self, key: usize, how: Overwrite, bytes: &[u8]) -> Result<()> {
        let path = self.of(key);
        overwrite_file(path, how, bytes).context("write", path)
    }
}

/// As [`Names::read`], for any path.
pub fn read_file(path: &str, buffer: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut file = File::open(path)?;
    let size = usize::try_from(fstat(&file)?.st_size).unwrap_or(0);
    if buffer.len() < size {
        buffer.resize(size, 0);
    }
    file.read_exact(&mut buffer[..size])?;
    Ok(size)
}

fn overwrite_file(path: &str, how: Overwrite, bytes: &[u8]) -> std::io::Result<()> {
    if how == Overwrite::InPlace {
        return OpenOptions::new().write(true).open(path)?.write_all_at(bytes, 0);
    }
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    if how == Overwrite::TruncateAndSync {
        file.sync_all()?;
    }
    Ok(())
}

/// The disk space of a file, or of a folder with all its content, in bytes.
pub fn disk_bytes(path: &Path) -> Result<u64> {
    use std::os::unix::fs::MetadataExt;
    /// `st_blocks` counts these, whatever the file system's blocks are.
    const BLOCK_LEN: u64 = 512;
    let metadata = fs::symlink_metadata(path).context("look at", path)?;
    let mut bytes = metadata.blocks() * BLOCK_LEN;
    if metadata.is_dir() {
        for entry in fs::read_dir(path).context("list", path)? {
            bytes += disk_bytes(&entry.context("list", path)?.path())?;
        }
    }
    Ok(bytes)
}

/// Waits until all writes to the file system of `path` are on the disk, so that no turn pays for the writes of an earlier one.
pub fn settle(path: &Path) -> Result<()> {
    let folder = File::open(path).context("open", path)?;
    rustix::fs::syncfs(&folder).context("write everything on the disk of", path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::scratch::Scratch;

    #[test]
    fn names() {
        check(Layout::Folder, 100_000, 12_345, "/r/012345");
        check(Layout::Tree, 100_000, 12_345, "/r/01/23/45");
        check(Layout::Tree, 99, 7, "/r/07");
    }

    fn check(layout: Layout, count: usize, key: usize, name: &str) {
        assert_eq!(Files::new(Path::new("/r"), layout, count).names().of(key), name);
    }

    #[test]
    fn files_keep_what_is_written() {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        let files = Files::new(&scratch.file("tree"), Layout::Tree, 200);
        let fill = |key: usize, bytes: &mut Vec<u8>| {
            *bytes = vec![key as u8; key];
            Ok(())
        };
        files.create(200, fill).unwrap();
        let (mut names, mut buffer) = (files.names(), Vec::new());
        assert_eq!(names.read(150, &mut buffer).unwrap(), 150);
        assert_eq!(buffer, [150; 150]);
        for how in [Overwrite::Truncate, Overwrite::InPlace, Overwrite::TruncateAndSync] {
            names.overwrite(150, how, &[how as u8; 150]).unwrap();
            assert_eq!(names.read(150, &mut buffer).unwrap(), 150);
            assert_eq!(buffer, [how as u8; 150]);
        }
        fs::write(scratch.file("tree/large"), [1; 100_000]).unwrap();
        assert!(files.disk_bytes().unwrap() >= 100_000);
        assert!(names.read(999, &mut buffer).unwrap_err().to_string().contains("cannot read"));
    }
}
