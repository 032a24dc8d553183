//! Group commit: a commit that is reported is synced and published, whatever failed for other committers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lithe_format::wal_index::IndexHeader;
use lithe_vfs::{File, Op, SyncFlags};

mod error {
    /// The errors of the pager that are met here.
    #[derive(Clone, Debug)]
    pub enum Error {
        Busy,
        #[allow(dead_code)]
        Io(lithe_vfs::Error),
    }

    impl From<lithe_vfs::Error> for Error {
        fn from(error: lithe_vfs::Error) -> Error {
            Error::Io(error)
        }
    }

    pub type Result<T> = std::result::Result<T, Error>;
}

mod waiters {
    include!(concat!(env!("OUT_DIR"), "/waiters.rs"));
}

#[allow(dead_code)]
mod source {
    use super::error::{Error, Result};
    use super::waiters::{Ticket, Waiters};
    use super::{CallPolicy, WalIndex};

    include!(concat!(env!("OUT_DIR"), "/commit_queue.rs"));
}

use self::source::CommitQueue;

/// No other process shares the log.
struct CallPolicy {
    shares_log: bool,
}

impl CallPolicy {
    fn of(_: &dyn File) -> CallPolicy {
        CallPolicy { shares_log: false }
    }
}

/// The log and its index: frames that are appended, synced, published. Plain counters of the world outside: only the order
/// that the queue gives them makes them right.
#[derive(Debug, Default)]
struct WalIndex {
    published: AtomicU32,
    log: Arc<Log>,
}

impl WalIndex {
    fn publish(&self, header: &IndexHeader) {
        assert!(header.last_frame <= self.log.synced.load(Ordering::SeqCst), "published before it was synced");
        let before = self.published.swap(header.last_frame, Ordering::SeqCst);
        assert!(before < header.last_frame, "an older commit is published after a newer one");
    }
}

#[derive(Debug, Default)]
struct Log {
    appended: AtomicU32,
    synced: AtomicU32,
    /// So many syncs fail first.
    failures: AtomicU32,
}

impl File for Log {
    fn read_at(&self, _: &mut [u8], _: u64) -> lithe_vfs::Result<usize> {
        Ok(0)
    }

    fn write_at(&self, _: &[u8], _: u64) -> lithe_vfs::Result<()> {
        Ok(())
    }

    fn truncate(&self, _: u64) -> lithe_vfs::Result<()> {
        Ok(())
    }

    fn sync(&self, _: SyncFlags) -> lithe_vfs::Result<()> {
        if self.failures.load(Ordering::SeqCst) > 0 {
            self.failures.fetch_sub(1, Ordering::SeqCst);
            return Err(lithe_vfs::Error::new(Op::Sync));
        }
        let appended = self.appended.load(Ordering::SeqCst);
        // Others may append while a sync is under way: they are not part of it.
        loom::thread::yield_now();
        self.synced.fetch_max(appended, Ordering::SeqCst);
        Ok(())
    }

    fn size(&self) -> lithe_vfs::Result<u64> {
        Ok(0)
    }
}

struct World {
    queue: CommitQueue,
    index: WalIndex,
    log: Arc<Log>,
}

impl World {
    fn new(failures: u32) -> World {
        let log = Arc::new(Log { failures: AtomicU32::new(failures), ..Log::default() });
        World { queue: CommitQueue::new(None), index: WalIndex { log: Arc::clone(&log), ..WalIndex::default() }, log }
    }

    /// A commit of one frame. Answers whether it is made.
    fn commit(&self) -> bool {
        let base = self.queue.enter(Duration::from_secs(1)).expect("the slot becomes free in time");
        let before = base.as_ref().map_or(self.index.published.load(Ordering::SeqCst), |base| base.header.last_frame);
        let header = IndexHeader { last_frame: before + 1, ..IndexHeader::EMPTY };
        // What was lost is written over.
        self.log.appended.store(header.last_frame, Ordering::SeqCst);
        let Ok(ticket) = self.queue.append(base, header, true) else { return false };
        let settled = self.queue.settle(ticket, &self.index, &*self.log, SyncFlags::default());
        if settled.is_ok() {
            let published = self.index.published.load(Ordering::SeqCst);
            assert!(header.last_frame <= published, "a commit that was reported is not published");
        }
        settled.is_ok()
    }
}

fn check(failures: u32) {
    loom::model(move || {
        let world = Arc::new(World::new(failures));
        let other = {
            let world = Arc::clone(&world);
            loom::thread::spawn(move || u32::from(world.commit()))
        };
        let made = u32::from(world.commit()) + other.join().unwrap();
        assert_eq!(world.index.published.load(Ordering::SeqCst), made, "commits that were reported, and no other");
        assert!(made >= 2_u32.saturating_sub(2 * failures));
        assert!(!world.queue.are_in_use());
    });
}

#[test]
fn what_is_reported_is_synced_and_published() {
    check(0);
}

#[test]
fn a_sync_that_fails_takes_all_with_it_that_waited() {
    check(1);
}
