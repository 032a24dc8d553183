//! The checkpoint after a commit that has left a long log: how the log is restarted while other connections write.
//!
//! ```text
//!   frames    ... limit ............... last            last
//!   this one          | copies ............. | waits | copies the rest |
//!   others    commit   commit   commit  commit       |  wait           | restart the log
//! ```
//!
//! A log is restarted when the database has all of it and no reader uses it. Where several writers of one process follow
//! each other closely, that moment does not come by itself: a checkpointer that has copied all frames finds newer ones
//! behind them, and every commit would copy a few frames, at two syncs each. So one writer copies while the others
//! continue, and then becomes the writer; the others wait while it copies the rest, which is short.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Wal;
use super::checkpoint::{CheckpointMode, Checkpointer};
use crate::error::{Error, Result};

/// How long one wait for the writer slot lasts. That is long among short transactions; during a long one the checkpoint
/// can wait.
const PATIENCE: Duration = Duration::from_millis(1);

/// The number of pauses for readers. A connection that has just committed needs a moment to end its read transaction; a reader
/// that stays longer is not waited for.
const PAUSES_MAX: u32 = 20;
const PAUSE: Duration = Duration::from_micros(50);

/// After a try that readers kept from restarting the log, the next one comes after this part of the limit in frames.
const TRY_AGAIN_AFTER: u32 = 4;

impl Wal {
    /// Copies the log, which is longer than `limit`, as far as possible without waiting for readers. The rest is copied
    /// after another commit.
    pub(crate) fn checkpoint_long_log(&self, work: &Checkpointer<'_>, limit: u32) -> Result<()> {
        let frames = self.last_frame();
        let among_writers = self.shared.commits.are_in_use();
        let step = limit / TRY_AGAIN_AFTER;
        if among_writers && !self.is_time_to_try(frames, step) {
            return Ok(());
        }
        let done = self.checkpoint(work)?;
        let copied = done.checkpointed_frames.unwrap_or(0);
        // If readers keep much from being copied, or another connection is copying, holding the writer slot would gain
        // nothing.
        if !among_writers || copied.saturating_add(step.max(1)) < frames {
            return Ok(());
        }
        let done = self.copy_the_rest(work)?;
        self.shared.next_try.store(done.saturating_add(step), Ordering::Relaxed);
        Ok(())
    }

    /// Whether the log has grown enough since the last try, or was restarted.
    fn is_time_to_try(&self, frames: u32, step: u32) -> bool {
        let next = self.shared.next_try.load(Ordering::Relaxed);
        frames >= next || frames.saturating_add(step) < next
    }

    /// Copies the rest while no other writer appends. Answers the last frame of the log.
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
