//! Commits through a rollback journal beside readers of the same cache: nobody reads while the file is written.

use std::collections::BTreeSet;
use std::sync::Arc as StdArc;

use lithe_vfs::{File, LockLevel};
use loom::cell::UnsafeCell;

#[allow(dead_code, unused_imports)]
mod source {
    include!(concat!(env!("OUT_DIR"), "/readers.rs"));

    /// What `Pager` does with its reader state, as far as it concerns others.
    pub(super) struct Connection<'c> {
        pub(super) readers: &'c Readers,
        pub(super) own: Arc<ReaderState>,
    }

    impl<'c> Connection<'c> {
        pub(super) fn new(readers: &'c Readers, file: &Arc<dyn File>) -> Connection<'c> {
            Connection { readers, own: readers.join(file) }
        }

        fn wait_while(is_busy: impl Fn() -> bool) {
            while is_busy() {
                loom::thread::yield_now();
            }
        }

        pub(super) fn wait_for_commit(&self) {
            Self::wait_while(|| self.readers.is_closed.load(Ordering::SeqCst));
        }

        pub(super) fn note_read_begin(&self) {
            self.own.note_thread();
            self.own.state.store(ACTIVE, Ordering::SeqCst);
        }

        pub(super) fn note_read_end(&self) {
            self.own.state.store(IDLE, Ordering::SeqCst);
        }

        pub(super) fn pause(&self) {
            assert!(self.own.swap(ACTIVE, PAUSED));
        }

        pub(super) fn resume(&self) {
            self.own.note_thread();
            Self::wait_while(|| self.readers.is_closed.load(Ordering::SeqCst) || !self.own.swap(PAUSED, ACTIVE));
        }

        /// Answers whether it has the lock: by one try, with a reader in its way it gives up.
        pub(super) fn lock_to_commit(&self, file: &dyn File) -> bool {
            self.readers.is_closed.store(true, Ordering::SeqCst);
            let is_locked = self.readers.freeze(&self.own).is_ok() && file.lock(LockLevel::Exclusive).unwrap();
            if !is_locked {
                self.readers.open();
            }
            is_locked
        }

        pub(super) fn let_readers_resume(&self) {
            self.readers.commits.fetch_add(1, Ordering::SeqCst);
            self.readers.open();
        }
    }
}

use self::source::{Connection, Readers};

/// Who has which lock on the file.
#[derive(Debug, Default)]
struct Locks {
    readers: BTreeSet<usize>,
    aside: BTreeSet<usize>,
    is_exclusive: bool,
}

#[derive(Debug)]
struct Handle {
    number: usize,
    locks: StdArc<loom::sync::Mutex<Locks>>,
}

impl File for Handle {
    fn read_at(&self, _: &mut [u8], _: u64) -> lithe_vfs::Result<usize> {
        Ok(0)
    }

    fn write_at(&self, _: &[u8], _: u64) -> lithe_vfs::Result<()> {
        Ok(())
    }

    fn truncate(&self, _: u64) -> lithe_vfs::Result<()> {
        Ok(())
    }

    fn sync(&self, _: lithe_vfs::SyncFlags) -> lithe_vfs::Result<()> {
        Ok(())
    }

    fn size(&self) -> lithe_vfs::Result<u64> {
        Ok(0)
    }

    fn lock(&self, level: LockLevel) -> lithe_vfs::Result<bool> {
        let mut locks = self.locks.lock().unwrap();
        if locks.is_exclusive {
            return Ok(false);
        }
        if level == LockLevel::Shared {
            locks.readers.insert(self.number);
            return Ok(true);
        }
        locks.is_exclusive = locks.readers.iter().all(|reader| *reader == self.number || locks.aside.contains(reader));
        Ok(locks.is_exclusive)
    }

    fn unlock(&self, level: LockLevel) -> lithe_vfs::Result<()> {
        let mut locks = self.locks.lock().unwrap();
        locks.is_exclusive = false;
        if level == LockLevel::None {
            locks.readers.remove(&self.number);
        }
        Ok(())
    }

    fn stand_aside(&self, aside: bool) {
        let mut locks = self.locks.lock().unwrap();
        if aside {
            locks.aside.insert(self.number);
        } else {
            locks.aside.remove(&self.number);
        }
    }
}

/// The bytes of the file: loom reports a thread that reads them while they are written.
struct World {
    readers: Readers,
    locks: StdArc<loom::sync::Mutex<Locks>>,
    content: UnsafeCell<u32>,
}

// SAFETY: what this test asks.
unsafe impl Send for World {}
// SAFETY: what this test asks.
unsafe impl Sync for World {}

impl World {
    fn handle(&self, number: usize) -> StdArc<dyn File> {
        StdArc::new(Handle { number, locks: StdArc::clone(&self.locks) })
    }

    fn read(&self) -> u32 {
        // SAFETY: what this test asks.
        self.content.with(|content| unsafe { *content })
    }

    /// Two steps of a statement, with a rest between them.
    fn reader(&self) {
        let file = self.handle(1);
        let connection = Connection::new(&self.readers, &file);
        connection.wait_for_commit();
        if !file.lock(LockLevel::Shared).unwrap() {
            return;
        }
        connection.note_read_begin();
        let before = self.read();
        connection.pause();
        connection.resume();
        assert!(self.read() >= before);
        connection.note_read_end();
        file.unlock(LockLevel::None).unwrap();
    }

    /// A commit, if nobody is in its way.
    fn writer(&self) {
        let file = self.handle(2);
        let connection = Connection::new(&self.readers, &file);
        assert!(file.lock(LockLevel::Shared).unwrap());
        if connection.lock_to_commit(&*file) {
            // SAFETY: what this test asks.
            self.content.with_mut(|content| unsafe { *content += 1 });
            file.unlock(LockLevel::Shared).unwrap();
            connection.let_readers_resume();
        }
        file.unlock(LockLevel::None).unwrap();
    }
}

#[test]
fn nobody_reads_while_the_file_is_written() {
    loom::model(|| {
        let world = StdArc::new(World {
            readers: Readers::default(),
            locks: StdArc::default(),
            content: UnsafeCell::new(0),
        });
        let writer = {
            let world = StdArc::clone(&world);
            loom::thread::spawn(move || world.writer())
        };
        world.reader();
        writer.join().unwrap();
    });
}
