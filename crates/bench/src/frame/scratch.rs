//! A temporary folder that is removed on every exit: at the end, on an error, on a panic, and on Ctrl-C.
//!
//! Dropping the folder removes it. A separate thread handles Ctrl-C (and SIGTERM, SIGHUP): it stops the servers, removes the folders that
//! are registered here, and ends the process, wherever the main thread is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, exit};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::statvfs;

use crate::frame::{Context, Error, Result};

/// The folders and servers to remove when the process is interrupted.
static CLUTTER: Mutex<Clutter> = Mutex::new(Clutter { folders: Vec::new(), servers: Vec::new() });

struct Clutter {
    folders: Vec<PathBuf>,
    servers: Vec<Child>,
}

fn clutter() -> MutexGuard<'static, Clutter> {
    CLUTTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The exit code after Ctrl-C, as shells report it.
const EXIT_INTERRUPTED: i32 = 130;

/// Makes Ctrl-C remove folders and servers before it ends the process.
pub fn clear_up_on_interrupt() -> Result<()> {
    let handler = || {
        // The lock is held until the exit. If the main thread now fails because its files vanish, it blocks in `Scratch::drop` or
        // `wait_if_interrupted`, and does not report the failure.
        let mut clutter = clutter();
        eprintln!("\ninterrupted: removing temporary files");
        for server in &mut clutter.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
        clutter.folders.iter().for_each(|folder| remove(folder));
        exit(EXIT_INTERRUPTED);
    };
    ctrlc::set_handler(handler).map_err(|e| Error::setup(format!("cannot listen for Ctrl-C: {e}")))
}

/// Returns at once, unless Ctrl-C is ending the process: then it blocks until the exit.
pub fn wait_if_interrupted() {
    drop(clutter());
}

/// Removes a folder. Retries, because another thread may still be creating files in it.
fn remove(folder: &Path) {
    for _ in 0..20 {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    eprintln!("cannot remove {}: please remove it yourself", folder.display());
}

/// A temporary folder, removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Creates a folder inside `parent`, whose file system must have `bytes_needed` free bytes.
    pub fn new(parent: &Path, bytes_needed: u64) -> Result<Scratch> {
        if !parent.is_dir() {
            return Err(Error::setup(format!("no folder {}: name one that exists with --folder", parent.display())));
        }
        let free = free_bytes(parent)?;
        if free < bytes_needed {
            return Err(Error::setup(format!(
                "{} has {} free, and about {} are needed: name a folder on a larger disk with --folder, or ask for less \
                 with --quick",
                parent.display(),
                megabytes(free),
                megabytes(bytes_needed)
            )));
        }
        let mut clutter = clutter();
        let folder =
            tempfile::Builder::new().prefix("lithe-bench-").tempdir_in(parent).context("create a folder in", parent)?;
        // An absolute path stays valid if the working folder changes.
        let path = folder.keep();
        let path = fs::canonicalize(&path).context("find", &path)?;
        clutter.folders.push(path.clone());
        Ok(Scratch { path })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut clutter = clutter();
        remove(&self.path);
        clutter.folders.retain(|folder| *folder != self.path);
    }
}

/// The free bytes for files of this user.
pub fn free_bytes(folder: &Path) -> Result<u64> {
    let free = statvfs(folder).context("ask for the free space of", folder)?;
    Ok(free.f_bavail.saturating_mul(free.f_frsize))
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// A server process that ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    id: u32,
}

impl Server {
    /// Takes over a process.
    pub fn new(child: Child) -> Server {
        let id = child.id();
        clutter().servers.push(child);
        Server { id }
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&self) -> bool {
        let mut clutter = clutter();
        let child = clutter.servers.iter_mut().find(|child| child.id() == self.id);
        child.is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut clutter = clutter();
        if let Some(at) = clutter.servers.iter().position(|child| child.id() == self.id) {
            let mut child = clutter.servers.swap_remove(at);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_gone_when_dropped() {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        let path = scratch.path().to_owned();
        fs::write(scratch.file("x"), b"x").unwrap();
        assert!(path.is_dir());
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn a_missing_folder_and_a_full_disk_have_messages() {
        let missing = Scratch::new(Path::new("/no/such/folder"), 1).unwrap_err().to_string();
        assert!(missing.contains("no folder /no/such/folder"), "{missing}");
        let full = Scratch::new(&std::env::temp_dir(), u64::MAX).unwrap_err().to_string();
        assert!(full.contains("are needed"), "{full}");
    }
}
