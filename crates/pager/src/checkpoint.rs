//! Checkpoints, as a connection asks for them.

use lithe_vfs::ResultCode;

use crate::error::{Error, Result};
use crate::pager::{Pager, State, Store};
use crate::wal::{Checkpoint, CheckpointMode, Wait};

impl Pager {
    /// Copies frames from the write-ahead log into the database. Outside WAL mode there is nothing to
    /// do.
    pub fn checkpoint(&self, mode: CheckpointMode) -> Result<Checkpoint> {
        self.checkpoint_or_wait(mode, &|attempt| self.retry_while_busy(attempt))
    }

    /// The same, as far as nobody is in the way.
    pub fn checkpoint_at_once(&self, mode: CheckpointMode) -> Result<Checkpoint> {
        self.checkpoint_or_wait(mode, &|attempt| attempt())
    }

    fn checkpoint_or_wait(&self, mode: CheckpointMode, wait: &Wait<'_>) -> Result<Checkpoint> {
        let Store::File(file) = &self.store else { return Ok(Checkpoint::WITHOUT_LOG) };
        if self.state.get() != State::Idle {
            return Err(Error::Locked);
        }
        self.open_log_if_entered(file)?;
        if !file.is_wal() && self.data_version() == 0 {
            // The first look at the file tells whether it has a log.
            self.begin_read()?;
            self.end_read()?;
        }
        if !file.is_wal() {
            return Ok(Checkpoint::WITHOUT_LOG);
        }
        file.checkpoint(self, mode, wait).map_err(|error| match error.code() {
            // Whoever may not even make the log's index cannot do this at all.
            ResultCode::READONLY_CANTINIT => Error::ReadOnly(ResultCode::READONLY),
            _ => error,
        })
    }

    /// Whether anything of the database is known: that it has a log, above all.
    pub fn has_looked(&self) -> bool {
        self.data_version() > 0 || matches!(&self.store, Store::File(file) if file.is_wal() || file.enters_wal.get())
    }

    /// The automatic checkpoint, after a commit that has left `limit` frames or more in the log. It waits for no
    /// reader; what goes wrong is tried again after the next commit.
    pub fn checkpoint_long_log(&self, limit: u32) -> Result<()> {
        match &self.store {
            Store::File(file) if file.is_wal() && self.state.get() == State::Idle => {
                file.checkpoint_long_log(self, limit)
            }
            _ => Ok(()),
        }
    }

    /// How many frames the log has, as far as this connection knows: after a commit, what an automatic
    /// checkpoint is decided by.
    pub fn log_frames(&self) -> Option<u32> {
        match &self.store {
            Store::File(file) if file.is_wal() => Some(file.log_frames()),
            _ => None,
        }
    }
}

impl Checkpoint {
    const WITHOUT_LOG: Checkpoint = Checkpoint { busy: false, log_frames: None, checkpointed_frames: None };
}
