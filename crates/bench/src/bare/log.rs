//! Transactions with a write-ahead log: the textbook's group commit, and the checkpoint that a thread which finds the log long
//! enough does beside the others.
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

/// `wal_autocheckpoint` unless somebody sets it.
const CHECKPOINT_FRAMES: u32 = 1_000;

/// The log of a database. It is removed when it is dropped.
pub struct Log<'d> {
    database: &'d Database,
    file: Beside<'d>,
    is_durable: bool,
    /// How many frames call for a checkpoint; 0: none ever.
    checkpoint_frames: usize,
    state: Mutex<State>,
    /// Somebody's sync has ended.
    synced: Condvar,
}

#[derive(Default)]
struct State {
    /// Where the next frame goes; 0 if the log is to be begun anew.
    end: u64,
    is_named_durably: bool,
    /// How many transactions are in the log, and how many of them are known to be durable.
    appended: u64,
    durable: u64,
    is_syncing: bool,
    /// The pages of frames that no checkpoint has taken yet.
    frames: Vec<Page>,
    is_checkpointing: bool,
}

impl<'d> Log<'d> {
    /// A new one.
    pub fn create(database: &'d Database, is_durable: bool, autocheckpoint: Option<u32>) -> Result<Log<'d>> {
        let file = database.beside("-wal")?;
        let checkpoint_frames = autocheckpoint.unwrap_or(CHECKPOINT_FRAMES) as usize;
        let (state, synced) = (Mutex::new(State::default()), Condvar::new());
        Ok(Log { database, file, is_durable, checkpoint_frames, state, synced })
    }

    /// Appends a transaction and waits until it is durable, if that is wanted.
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

    /// The header is durable before the first frame, so that no old frame can be taken for a new one.
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

    /// One syncs for all who have appended until then; who comes later waits for the next sync.
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

    /// Takes what is in the log into the database, while others go on appending. If nobody has, the log begins anew.
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
        // It lies in a temporary folder, which may be gone already.
        let _ = self.file.unlink();
    }
}
