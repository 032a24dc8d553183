//! The state that handles of one database file in this process share: descriptors, and locks.
//!
//! POSIX locks belong to the process, so locks among connections of one process are kept here, in memory, and the
//! process's lock on the file is the strongest that one of them holds. Closing any descriptor of the file would drop
//! the lock; therefore the descriptors belong to the inode, and are closed with its last handle.

use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use lithe_format::locks::{SHARED_SIZE, pending_byte, reserved_byte, shared_first};

use super::guard;
use super::posix_lock::{self, Hold};
use super::shm::ShmNode;
use crate::error::{Op, Result};
use crate::{FileId, LockLevel};

/// One database file, as this process knows it.
#[derive(Debug)]
pub(super) struct Inode {
    id: FileId,
    state: Mutex<State>,
    /// The shared memory of the database, while a handle uses it.
    shm: Mutex<Weak<ShmNode>>,
}

#[derive(Debug, Default)]
struct State {
    /// Opened for reading and writing.
    writable: Option<Arc<OwnedFd>>,
    /// Opened for reading.
    readable: Option<Arc<OwnedFd>>,
    /// Descriptors that are not used, but that cannot be closed while locks are held.
    extra: Vec<OwnedFd>,
    locks: LockTable,
}

/// The locks of the process on one file.
#[derive(Debug, Default)]
struct LockTable {
    /// The level that the process holds.
    level: LockLevel,
    /// How many handles hold `Shared` or more.
    sharers: usize,
    /// How many of these stand aside: they need not be waited for.
    aside: usize,
    /// The process keeps the file locked for itself, until its last handle is closed.
    is_kept: bool,
}

/// The process and the file. A forked child finds the entries of its parent here, whose locks it does not hold.
type Key = (u32, FileId);

/// All database files that this process has open.
static INODES: Mutex<Option<HashMap<Key, Weak<Inode>>>> = Mutex::new(None);

fn key(id: FileId) -> Key {
    (std::process::id(), id)
}

impl Inode {
    /// The inode of a file that was opened as `fd`, and the descriptor to use for it: an older one if there is one.
    pub(super) fn adopt(id: FileId, fd: OwnedFd, writable: bool) -> (Arc<Inode>, Arc<OwnedFd>) {
        let mut all = guard(&INODES);
        let all = all.get_or_insert_with(HashMap::new);
        let inode = match all.get(&key(id)).and_then(Weak::upgrade) {
            Some(inode) => inode,
            None => {
                all.retain(|_, inode| inode.strong_count() > 0);
                let inode = Arc::new(Inode { id, state: Mutex::default(), shm: Mutex::default() });
                all.insert(key(id), Arc::downgrade(&inode));
                inode
            }
        };
        let fd = guard(&inode.state).keep(fd, writable);
        (inode, fd)
    }

    /// The inode `id` and a descriptor that serves, if this process has the file open already: opening it again would
    /// only make a descriptor that cannot be closed.
    pub(super) fn known(id: FileId, writable: bool) -> Option<(Arc<Inode>, Arc<OwnedFd>)> {
        let inode = guard(&INODES).as_ref()?.get(&key(id))?.upgrade()?;
        let fd = guard(&inode.state).find(writable)?;
        Some((inode, fd))
    }
}

impl State {
    fn find(&self, writable: bool) -> Option<Arc<OwnedFd>> {
        if writable { self.writable.clone() } else { self.readable.clone().or(self.writable.clone()) }
    }

    fn keep(&mut self, fd: OwnedFd, writable: bool) -> Arc<OwnedFd> {
        if let Some(older) = self.find(writable) {
            self.extra.push(fd);
            return older;
        }
        let fd = Arc::new(fd);
        let place = if writable { &mut self.writable } else { &mut self.readable };
        place.insert(fd).clone()
    }
}

/// One handle's part of an inode.
#[derive(Debug)]
pub(super) struct InodeHandle {
    inode: Arc<Inode>,
    fd: Arc<OwnedFd>,
    /// The level that this handle holds. Changed under the inode's mutex only.
    level: Mutex<LockLevel>,
    /// The handle holds `Shared`, and no writer waits for it. Changed under both mutexes.
    is_aside: AtomicBool,
    /// The handle's first lock keeps the file for the process.
    keeps_file: bool,
}

impl InodeHandle {
    pub(super) fn new(inode: Arc<Inode>, fd: Arc<OwnedFd>) -> InodeHandle {
        let (level, is_aside) = (Mutex::new(LockLevel::None), AtomicBool::new(false));
        InodeHandle { inode, fd, level, is_aside, keeps_file: false }
    }

    /// A handle whose first lock keeps all other processes out until the last handle of the file is closed.
    pub(super) fn keeping_file(mut self) -> InodeHandle {
        self.keeps_file = true;
        self
    }

    /// The shared memory of the database at `path`, opened by the first handle of the process that uses it.
    pub(super) fn join_shared_memory(&self, path: &Path, read_only: bool) -> Result<Arc<ShmNode>> {
        let mut known = guard(&self.inode.shm);
        if let Some(node) = known.upgrade() {
            return Ok(node);
        }
        let opened = if self.keeps_file { ShmNode::private() } else { ShmNode::open(path, read_only)? };
        let node = Arc::new(opened);
        *known = Arc::downgrade(&node);
        Ok(node)
    }

    pub(super) fn id(&self) -> FileId {
        self.inode.id
    }

    /// Raises this handle's lock. `false`: another handle or process holds a lock that conflicts.
    pub(super) fn lock(&self, wanted: LockLevel) -> Result<bool> {
        let mut level = guard(&self.level);
        if *level >= wanted {
            return Ok(true);
        }
        let mut state = guard(&self.inode.state);
        let locks = &mut state.locks;
        let another_writes = *level != locks.level && (locks.level >= LockLevel::Pending || wanted > LockLevel::Shared);
        if another_writes {
            return Ok(false);
        }
        match wanted {
            // A handle passes through PENDING on its way to EXCLUSIVE, and cannot take that level by itself.
            LockLevel::None | LockLevel::Pending => Ok(false),
            LockLevel::Shared => self.lock_shared(locks, &mut level),
            LockLevel::Reserved => self.lock_reserved(locks, &mut level),
            LockLevel::Exclusive => self.lock_exclusive(locks, &mut level),
        }
    }

    /// A reader checks the pending byte, so that a waiting writer is not starved, and takes the shared lock. The check
    /// comes first: a writer that locks the pending byte after the check finds the shared lock as if it had been there
    /// before.
    fn lock_shared(&self, locks: &mut LockTable, level: &mut LockLevel) -> Result<bool> {
        if locks.level == LockLevel::None {
            let fd = self.fd.as_fd();
            if !locks.is_kept
                && posix_lock::held_by_others(fd, u64::from(pending_byte()), 1, Op::ReadLock)? == Hold::Write
            {
                return Ok(false);
            }
            if !self.set(locks, Hold::Read, shared_first(), SHARED_SIZE, Op::ReadLock)? {
                return Ok(false);
            }
            locks.level = LockLevel::Shared;
        }
        locks.sharers += 1;
        *level = LockLevel::Shared;
        Ok(true)
    }

    fn lock_reserved(&self, locks: &mut LockTable, level: &mut LockLevel) -> Result<bool> {
        assert!(*level == LockLevel::Shared, "RESERVED is asked for by readers only");
        if !self.set(locks, Hold::Write, reserved_byte(), 1, Op::Lock)? {
            return Ok(false);
        }
        locks.level = LockLevel::Reserved;
        *level = LockLevel::Reserved;
        Ok(true)
    }

    /// A writer locks the pending byte first, so that no new reader comes. A connection that goes directly from SHARED
    /// to EXCLUSIVE (to roll back a hot journal, or to close a log) does not wait for readers.
    fn lock_exclusive(&self, locks: &mut LockTable, level: &mut LockLevel) -> Result<bool> {
        assert!(*level >= LockLevel::Shared, "EXCLUSIVE is asked for by readers only");
        if *level == LockLevel::Reserved {
            if !self.set(locks, Hold::Write, u64::from(pending_byte()), 1, Op::Lock)? {
                return Ok(false);
            }
            locks.level = LockLevel::Pending;
            *level = LockLevel::Pending;
        }
        if locks.sharers - locks.aside > 1 || !self.set(locks, Hold::Write, shared_first(), SHARED_SIZE, Op::Lock)? {
            return Ok(false);
        }
        locks.level = LockLevel::Exclusive;
        *level = LockLevel::Exclusive;
        Ok(true)
    }

    /// Takes `Shared` beside a handle at `Pending`: the process has the lock that readers need.
    pub(super) fn join_readers(&self) -> bool {
        let mut level = guard(&self.level);
        let locks = &mut guard(&self.inode.state).locks;
        let joins = *level == LockLevel::None && locks.level == LockLevel::Pending;
        if joins {
            locks.sharers += 1;
            *level = LockLevel::Shared;
        }
        joins
    }

    /// Sets whether the handle stands aside.
    pub(super) fn stand_aside(&self, aside: bool) {
        let level = guard(&self.level);
        let locks = &mut guard(&self.inode.state).locks;
        if aside && *level != LockLevel::Shared {
            return;
        }
        match (self.is_aside.swap(aside, Ordering::Relaxed), aside) {
            (false, true) => locks.aside += 1,
            (true, false) => locks.aside -= 1,
            _ => {}
        }
    }

    /// Lowers this handle's lock to `Shared` or `None`.
    pub(super) fn unlock(&self, wanted: LockLevel) -> Result<()> {
        assert!(wanted <= LockLevel::Shared, "locks are lowered to SHARED or NONE");
        let mut level = guard(&self.level);
        if *level <= wanted {
            return Ok(());
        }
        let mut state = guard(&self.inode.state);
        if *level > LockLevel::Shared {
            self.stop_writing(&mut state.locks, &mut level)?;
        }
        if wanted == LockLevel::None {
            return self.leave(&mut state.locks, &mut level);
        }
        Ok(())
    }

    /// Lowers the lock to SHARED. The read lock replaces the write lock in one step, so that no other process takes a
    /// lock in between.
    fn stop_writing(&self, locks: &mut LockTable, level: &mut LockLevel) -> Result<()> {
        if *level == LockLevel::Exclusive {
            self.set(locks, Hold::Read, shared_first(), SHARED_SIZE, Op::ReadLock)?;
        }
        self.set(locks, Hold::Nothing, u64::from(pending_byte()), 2, Op::Unlock)?;
        locks.level = LockLevel::Shared;
        *level = LockLevel::Shared;
        Ok(())
    }

    fn leave(&self, locks: &mut LockTable, level: &mut LockLevel) -> Result<()> {
        *level = LockLevel::None;
        locks.sharers -= 1;
        locks.aside -= usize::from(self.is_aside.swap(false, Ordering::Relaxed));
        if locks.sharers > 0 {
            return Ok(());
        }
        locks.level = LockLevel::None;
        self.set(locks, Hold::Nothing, 0, 0, Op::Unlock).map(|_| ())
    }

    /// Changes the process's lock, unless the process keeps the whole file: then only the locks in memory change.
    fn set(&self, locks: &mut LockTable, hold: Hold, start: u64, len: u64, op: Op) -> Result<bool> {
        let fd = self.fd.as_fd();
        if locks.is_kept {
            return Ok(true);
        }
        if self.keeps_file && hold != Hold::Nothing {
            locks.is_kept = posix_lock::set(fd, Hold::Write, shared_first(), SHARED_SIZE, Op::Lock)?;
            return Ok(locks.is_kept);
        }
        posix_lock::set(fd, hold, start, len, op)
    }

    /// Whether a handle of any process holds RESERVED, PENDING or EXCLUSIVE.
    pub(super) fn check_reserved(&self) -> Result<bool> {
        let state = guard(&self.inode.state);
        if state.locks.level > LockLevel::Shared {
            return Ok(true);
        }
        Ok(posix_lock::held_by_others(self.fd.as_fd(), reserved_byte(), 1, Op::CheckReserved)? != Hold::Nothing)
    }
}

impl Drop for InodeHandle {
    fn drop(&mut self) {
        // Drop cannot report an error; closing the last descriptor drops the locks anyway.
        let _ = self.unlock(LockLevel::None);
    }
}

#[cfg(test)]
mod tests {
    use crate::{File, LockLevel, OpenFlags, UnixVfs, Vfs};
    use std::sync::Arc;

    fn check(file: &Arc<dyn File>, level: LockLevel, expected: bool) {
        assert_eq!(file.lock(level).unwrap(), expected, "{level:?}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls of the system that Miri does not know")]
    fn standing_aside() {
        use LockLevel::{Exclusive, None, Reserved, Shared};
        let path = std::env::temp_dir().join(format!("lithe-inode-{}", std::process::id()));
        let open = || {
            let flags = OpenFlags::MAIN_DB | OpenFlags::READWRITE | OpenFlags::CREATE;
            UnixVfs.open(Some(&path), flags).unwrap().file
        };
        let [writer, reader, other] = [open(), open(), open()];
        std::fs::remove_file(&path).unwrap();
        assert!(!other.join_readers().unwrap(), "nobody waits");
        for file in [&writer, &reader, &other] {
            check(file, Shared, true);
        }
        check(&writer, Reserved, true);
        reader.stand_aside(true);
        reader.stand_aside(true);
        check(&writer, Exclusive, false);
        other.unlock(None).unwrap();
        check(&other, Shared, false);
        assert!(other.join_readers().unwrap());
        check(&writer, Exclusive, false);
        other.unlock(None).unwrap();
        check(&writer, Exclusive, true);
        assert!(!other.join_readers().unwrap(), "it is further");
        reader.unlock(None).unwrap();
        writer.unlock(Shared).unwrap();
        // A handle that unlocks does not stand aside any more.
        check(&reader, Shared, true);
        check(&writer, Reserved, true);
        check(&writer, Exclusive, false);
        reader.stand_aside(true);
        reader.stand_aside(false);
        check(&writer, Exclusive, false);
        reader.unlock(None).unwrap();
        check(&writer, Exclusive, true);
        other.stand_aside(true);
        writer.unlock(None).unwrap();
        check(&other, Shared, true);
        check(&writer, Shared, true);
        check(&writer, Exclusive, false);
    }
}
