//! The checkpoint after a commit that has left a long log: how the log comes to an end while others write.
//!
//! ```text
//!   frames    ... limit ............... last            last
//!   this one          | copies ............. | waits | copies the rest |
//!   others    commit   commit   commit  commit       |  wait           | begin the log anew
//! ```
//!
//! A log begins anew when the database has all of it and no reader uses it. Where several writers of one
//! process follow each other closely, that moment never comes by itself: a checkpointer that has copied all frames finds
//! newer ones behind them, and every commit would copy a few frames, at two syncs each. So one of them copies while
//! the others go on, and then becomes the writer; the others wait while it copies the rest, which is short.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Wal;
use super::checkpoint::{CheckpointMode, Checkpointer};
use crate::error::{Error, Result};

/// How long one wait for the writer slot lasts. Among short transactions that is long; if somebody writes much, the
/// log can wait.
const PATIENCE: Duration = Duration::from_millis(1);

/// A connection that has just committed needs a moment to leave its snapshot; a reader may stay for long, and is not waited for.
const PAUSES_MAX: u32 = 20;
const PAUSE: Duration = Duration::from_micros(50);

/// Where others keep the log from beginning anew, it is tried again after so many frames: this part of the limit.
const TRY_AGAIN_AFTER: u32 = 4;

impl Wal {
    /// Copies the log, which is longer than `limit`, as far as that goes without waiting for readers. What is
    /// left to do is done after another commit.
    pub(crate) fn checkpoint_long_log(&self, work: &Checkpointer<'_>, limit: u32) -> Result<()> {
        let frames = self.last_frame();
        let among_writers = self.shared.commits.are_in_use();
        let step = limit / TRY_AGAIN_AFTER;
        if among_writers && !self.is_time_to_try(frames, step) {
            return Ok(());
        }
        let done = self.checkpoint(work)?;
        let copied = done.checkpointed_frames.unwrap_or(0);
        // If readers keep much from being copied, or somebody else is copying, the writer slot would be held for nothing.
        if !among_writers || copied.saturating_add(step.max(1)) < frames {
            return Ok(());
        }
        let done = self.copy_the_rest(work)?;
        self.shared.next_try.store(done.saturating_add(step), Ordering::Relaxed);
        Ok(())
    }

    /// Whether the log has grown enough since the last try, or has begun anew.
    fn is_time_to_try(&self, frames: u32, step: u32) -> bool {
        let next = self.shared.next_try.load(Ordering::Relaxed);
        frames >= next || frames.saturating_add(step) < next
    }

    /// Copies the rest while no other writer appends. Answers how far the log goes.
    fn copy_the_rest(&self, work: &Checkpointer<'_>) -> Result<u32> {
        let pauses = Cell::new(0);
        let wait = |attempt: &mut dyn FnMut() -> Result<()>| loop {
            match attempt() {
                Err(Error::Busy) if pauses.get() < PAUSES_MAX => {
                    pauses.set(pauses.get() + 1);
                    work.vfs.sleep(PAUSE);
                }
                outcome => return outcome,
            }
        };
        let work = Checkpointer { mode: CheckpointMode::Full, patience: PATIENCE, wait: &wait, ..*work };
        self.checkpoint(&work)?;
        Ok(self.last_frame())
    }
}
