//! The states of a pager and of its write transaction, and what holds in each.
//!
//! ```text
//!                begin_read                 begin_write
//!      Idle ------------------> Reading ------------------> Writing
//!       no lock that is not     a Snapshot is adopted:      a WriteTxn: dirty set, savepoints, spilled pages
//!       kept, no page           SHARED, or a read mark;     RESERVED, or the writer slot of the log
//!                               reading may be paused
//!       <------------------     <-------------------------
//!            end_read               commit, rollback: a new Snapshot is adopted
//!
//!      Writing, a call has failed half-way: every call but rollback answers the same error
//!      Reading, the rollback has failed: every call but end_read does; the journal stays for the next reader
//! ```
//!
//! | state | pages are read directly | may write beside other writers | reading may be paused | lock on the file | written |
//! | --- | --- | --- | --- | --- | --- |
//! | Idle | none | no | no | any that is kept | nothing |
//! | Reading | perhaps | no | perhaps | SHARED or more | nothing |
//! | Writing | perhaps | perhaps | no | without a log RESERVED or more | as the transaction's state says |
//!
//! A write transaction goes through these states, and back only by a rollback:
//!
//! ```text
//!   rollback journal   open ── page written ──► journal ── commit ──► journal hot, EXCLUSIVE ──► file changed ──► decided
//!                               file open                             (a crash leads back)                       (journal gone)
//!                               pages leave memory: temporary file, or behind the end of the file
//!   log                writer slot ── pages leave memory: frames ── commit ──► all frames appended ──► synced ──► published
//! ```
//!
//! | state of the transaction | what holds |
//! | --- | --- |
//! | open, journal file open | no page that other connections know has changed; nothing is in the journal that a crash would restore |
//! | journal hot | EXCLUSIVE lock before the file changes; the journal has the old version of each page that the commit overwrites |
//! | file changed | the above, and no reference to a mapped page is held |
//! | decided | the journal does not count; only the length of the file and the lock are left to adjust, within one call |
//! | writer slot | frames behind the last commit, which no index header names |
//! | published | this connection is not the writer any more, and has appended nothing that is not published |
//!
//! Every call that begins, ends or marks a transaction asserts its state where it begins, most of them also where they end, and so does
//! every call that puts a page into the dirty set. The assertions of the pager's state read a few cells, which is cheap enough for every
//! build. Those of the transaction's state, and those of all other calls (reading a page, writing it again, checkpoints, journal
//! modes, shared caches), are in debug builds alone. The content of the file is never asserted, only this connection's own state.

use lithe_vfs::LockLevel;

use super::{Pager, Store};
use crate::file_store::FileStore;

/// The state of a connection's transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No transaction.
    Idle,
    /// A snapshot is held.
    Reading,
    /// Pages may be written.
    Writing,
}

/// Asserts what the picture says of the state.
#[inline]
#[track_caller]
pub(super) fn assert_state(pager: &Pager) {
    match pager.state.get() {
        State::Idle => {
            assert!(pager.view.direct.get() == 0, "pages are shown without a snapshot");
            assert!(!pager.is_paused(), "a connection that reads nothing has paused");
            assert!(!pager.concurrent.is_active(), "a concurrent transaction without a snapshot");
        }
        State::Reading => {
            assert!(!pager.concurrent.is_active(), "a concurrent transaction that may not write");
        }
        State::Writing => assert!(!pager.is_paused(), "a connection that writes has paused"),
    }
    if let Store::File(file) = &pager.store {
        assert_lock(pager, file);
        if cfg!(debug_assertions) {
            assert_transaction(pager, file);
        }
    }
}

/// Asserts that the lock on the file is the one that the state needs.
#[inline]
#[track_caller]
fn assert_lock(pager: &Pager, file: &FileStore) {
    let level = file.level.get();
    match pager.state.get() {
        State::Idle => {}
        State::Reading => assert!(level >= LockLevel::Shared, "a snapshot without a lock"),
        State::Writing if file.is_wal() => {
            assert!(level >= LockLevel::Shared, "a snapshot of a log without a lock");
        }
        State::Writing => assert!(level >= LockLevel::Reserved, "a write transaction beside others"),
    }
}

/// Asserts that the files are as far as the transaction's state says. A failed call may stop in the middle.
#[track_caller]
fn assert_transaction(pager: &Pager, file: &FileStore) {
    if pager.failure.borrow().is_some() {
        return;
    }
    let is_writing = pager.state.get() == State::Writing;
    if file.is_wal() {
        assert!(is_writing || !file.is_appending(), "frames are appended outside a write transaction");
    } else {
        file.assert_journal(is_writing);
    }
}
