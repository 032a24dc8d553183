//! Transactions with a write-ahead log: the textbook's group commit, and a checkpoint that the committing thread runs, beside other
//! commits, once the log is long enough.
//!
//! ```text
//!   0        32         4,152
//!   | header | frame    | frame    ...      a frame: header of 24 bytes, page image
//! ```

use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::database::Beside;
use super::{Database, PAGE_LEN, Page, Transaction};
use crate::frame::Result;

const HEADER_LEN: usize = 32;
const FRAME_LEN: usize = 24 + PAGE_LEN;

/// The default of `wal_autocheckpoint`.
const CHECKPOINT_FRAMES: u32 = 1_000;

/// The log of a database. It is removed when it is dropped.
pub struct Log<'d> {
    database: &'d Database,
    file: Beside<'d>,
    is_durable: bool,
    /// The number of frames that triggers a checkpoint; 0 means never.
    checkpoint_frames: usize,
    state: Mutex<State>,
    /// Signals that a sync has ended.
    synced: Condvar,
}

#[derive(Default)]
struct State {
    /// The offset of the next frame; 0 if the log must be restarted.
    end: u64,
    is_named_durably: bool,
    /// The number of transactions in the log, and the number of them that are known to be durable.
    appended: u64,
    durable: u64,
    is_syncing: bool,
    /// The pages of frames that no checkpoint has written to the database yet.
    frames: Vec<Page>,
    is_checkpointing: bool,
}

impl<'d> Log<'d> {
    /// Creates a log.
    pub fn create(database: &'d Database, is_durable: bool, autocheckpoint: Option<u32>) -> Result<Log<'d>> {
        let file = database.beside("-wal")?;
        let checkpoint_frames = autocheckpoint.unwrap_or(CHECKPOINT_FRAMES) as usize;
        let (state, synced) = (Mutex::new(State::default()), Condvar::new());
        Ok(Log { database, file, is_durable, checkpoint_frames, state, synced })
    }

    /// Appends a transaction; if commits are to be durable, waits until it is.
    pub fn commit(&self, transaction: &Transaction) -> Result<()> {
        let mut state = self.lock();
        self.append(&mut state, transaction)?;
        if self.is_durable {
            state = self.wait_until_durable(state)?;
        }
        let is_due = self.checkpoint_frames > 0 && state.frames.len() >= self.checkpoint_frames;
        if is_due && !state.is_checkpointing { self.checkpoint(state) } else { Ok(()) }
    }

    fn append(&self, state: &mut State, transaction: &Transaction) -> Result<()> {
        if state.end == 0 {
            self.begin(state)?;
        }
        let len = transaction.pages.len() * FRAME_LEN;
        self.file.write(state.end, len)?;
        state.end += len as u64;
        state.appended += 1;
        state.frames.extend(&transaction.pages);
        Ok(())
    }

    /// Restarts the log. The header is durable before the first frame, so that an old frame cannot be mistaken for a new one.
    fn begin(&self, state: &mut State) -> Result<()> {
        self.file.write(0, HEADER_LEN)?;
        if self.is_durable {
            self.file.sync()?;
            if !mem::replace(&mut state.is_named_durably, true) {
                self.database.sync_folder()?;
            }
        }
        state.end = HEADER_LEN as u64;
        Ok(())
    }

    /// Group commit: one thread syncs all transactions appended so far; a thread that appends later waits for the next sync.
    fn wait_until_durable<'s>(&'s self, mut state: MutexGuard<'s, State>) -> Result<MutexGuard<'s, State>> {
        let wanted = state.appended;
        while state.durable < wanted {
            if state.is_syncing {
                state = self.synced.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.is_syncing = true;
            let covered = state.appended;
            drop(state);
            let result = self.file.sync();
            state = self.lock();
            state.is_syncing = false;
            self.synced.notify_all();
            result?;
            state.durable = covered;
        }
        Ok(state)
    }

    /// Writes the pages of the log to the database, while other threads continue to append. If no thread has appended, the log restarts.
    fn checkpoint(&self, mut state: MutexGuard<'_, State>) -> Result<()> {
        state.is_checkpointing = true;
        let mut pages = mem::take(&mut state.frames);
        drop(state);
        let result = self.take_into_database(&mut pages);
        let mut state = self.lock();
        state.is_checkpointing = false;
        if state.frames.is_empty() {
            state.end = 0;
        }
        result
    }

    fn take_into_database(&self, pages: &mut Vec<Page>) -> Result<()> {
        self.file.sync()?;
        pages.sort_unstable();
        pages.dedup();
        self.database.write(pages)?;
        self.database.sync()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Log<'_> {
    fn drop(&mut self) {
        // The file may be gone together with its temporary folder.
        let _ = self.file.unlink();
    }
}
