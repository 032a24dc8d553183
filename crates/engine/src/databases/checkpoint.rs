//! Checkpoints: they copy the frames of a log into the database file.

use lithe_pager::{CheckpointMode, Pager};
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use super::Databases;
use crate::database::Database;
use crate::error::{Error, Result};

/// The result of a checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint {
    /// The checkpoint could not finish because other connections read or write.
    pub is_busy: bool,
    /// Frames in the log; -1 if the database is not in WAL mode.
    pub log_frames: i64,
    /// Frames of the log that are in the database file now.
    pub checkpointed_frames: i64,
}

impl Databases {
    /// Checkpoints `db`, or all databases, and then returns the numbers of the first. Databases for which `counts` is
    /// false are skipped.
    pub(crate) fn checkpoint(
        &self,
        db: Option<Db>,
        mode: CheckpointMode,
        counts: impl Fn(&Pager) -> bool,
    ) -> Result<Checkpoint> {
        let mut answer = Checkpoint { is_busy: false, log_frames: -1, checkpointed_frames: -1 };
        let mut is_first = true;
        for (at, database) in self.iter() {
            if db.is_some_and(|wanted| wanted != at) || !database.opened().is_some_and(|btree| counts(btree.pager())) {
                continue;
            }
            if self.is_used_by_others(&database) {
                return Err(Error::new(ResultCode::LOCKED, "database table is locked"));
            }
            match database.btree().pager().checkpoint(mode) {
                Ok(done) => {
                    answer.is_busy |= done.busy;
                    if is_first {
                        answer.log_frames = done.log_frames.map_or(-1, i64::from);
                        answer.checkpointed_frames = done.checkpointed_frames.map_or(-1, i64::from);
                    }
                }
                Err(error) if error.is_busy() => answer.is_busy = true,
                Err(error) => return Err(error.into()),
            }
            is_first = false;
        }
        Ok(answer)
    }

    /// The automatic checkpoint, after a commit that has left a long log. The checkpoint copies what it can without
    /// waiting; the next commit tries again to copy the other frames.
    pub(crate) fn checkpoint_after_commit(&self, database: &Database, pager: &Pager) {
        if !database.has_committed.take() {
            return;
        }
        let limit = self.settings.wal_autocheckpoint.get();
        if pager.has_appended_past_log() {
            // The log is truncated, so that the next large commit finds a log that can be restarted. This may fail,
            // because a reader of the log has seen the new salts already.
            let _ = pager.checkpoint_at_once(CheckpointMode::Truncate);
        } else if limit > 0 && pager.log_frames().is_some_and(|frames| frames >= limit) {
            let _ = pager.checkpoint_long_log(limit);
        }
    }
}
