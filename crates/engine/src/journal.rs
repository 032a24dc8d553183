//! Journal modes and checkpoints, as pragmas and the API ask for them.

use lithe_pager::{CheckpointMode, JournalMode, Pager};
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::database::Database;
use crate::error::{Error, Result};

/// What a checkpoint answers.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint {
    /// It could not finish because others read or write.
    pub is_busy: bool,
    /// Frames in the log; -1 if the database is not in WAL mode.
    pub log_frames: i64,
    /// Frames that are in the database file now.
    pub checkpointed_frames: i64,
}

impl Connection {
    /// Changes a database's journal mode, and answers the one in force afterwards: a database that cannot change
    /// now keeps its mode.
    pub(crate) fn set_journal_mode(
        &self,
        database: &Database,
        mode: JournalMode,
        run: &StatementRun,
    ) -> Result<JournalMode> {
        if database.is_shared_memory() {
            return Ok(JournalMode::Memory); // how it is made durable is nobody's business
        }
        let pager = database.btree().pager();
        let is_wal = pager.journal_mode() == JournalMode::Wal;
        // The first write to an empty database writes its first page.
        if pager.is_writing() && (pager.has_ever_changed() || pager.page_count() == 0) {
            return Ok(pager.journal_mode());
        }
        if database.shared().is_some_and(|share| share.is_written_by_others(self.id)) {
            return Ok(pager.journal_mode());
        }
        let is_alone = self.is_autocommit() && self.transaction.active_count() <= 1;
        if is_wal != (mode == JournalMode::Wal) && !is_alone && pager.path().is_some() {
            let way = if is_wal { "out of" } else { "into" };
            return Err(Error::generic(format!("cannot change {way} wal mode from within a transaction")));
        }
        // A database in memory without shared memory has no log.
        if mode == JournalMode::Wal && pager.vfs().is_some_and(|vfs| vfs.name() == "memdb") {
            return Ok(pager.journal_mode());
        }
        if is_wal != (mode == JournalMode::Wal)
            && let Some(share) = database.shared()
        {
            share.begin_write(self.id, true)?;
        }
        if mode == JournalMode::Wal && pager.enters_wal_by_transaction() {
            // The statement commits it, after its row.
            self.begin_exclusively(database, run)?;
            if pager.page_count() == 0 {
                database.btree().initialise()?;
            }
            pager.enter_wal_at_commit()?;
            return Ok(mode);
        }
        Ok(pager.set_journal_mode_of_new(mode, || database.btree().initialise())?)
    }

    /// A checkpoint of the database of that name, or of all: then the numbers are those of main. Nothing is compiled, and no
    /// authorizer asked. Of a database that was not read yet it is not known that it has a log.
    ///
    /// # Errors
    /// SQLITE_ERROR without such a database, SQLITE_LOCKED within a transaction of this connection, SQLITE_INTERRUPT
    /// where the interrupt handle has stopped it: the next one begins where the last whole one ended.
    pub fn wal_checkpoint(&self, schema: Option<&str>, mode: CheckpointMode) -> Result<Checkpoint> {
        let db = schema.map(|schema| {
            let unknown = || Error::generic(format!("unknown database: {schema}"));
            self.catalog().find_database(Name::new(schema.as_bytes())).ok_or_else(unknown)
        });
        let done = self.checkpoint(db.transpose()?, mode, |pager| pager.has_looked());
        if !self.transaction.has_active() {
            self.interrupts.clear();
        }
        done
    }

    /// Sets how many frames the log may have before a commit is followed by a checkpoint; 0 means any number. It takes the
    /// place of the hook of commits to the log.
    pub fn set_wal_autocheckpoint(&self, frames: u32) {
        self.set_wal_hook(None);
        self.settings.wal_autocheckpoint.set(frames.min(i32::MAX.unsigned_abs()));
    }

    /// PRAGMA wal_checkpoint.
    pub(crate) fn checkpoint_as_pragma(&self, db: Option<Db>, mode: Option<&str>) -> Result<Checkpoint> {
        let mode = match mode.map(str::to_ascii_lowercase).as_deref() {
            Some("full") => CheckpointMode::Full,
            Some("restart") => CheckpointMode::Restart,
            Some("truncate") => CheckpointMode::Truncate,
            Some("noop") => CheckpointMode::Noop,
            _ => CheckpointMode::Passive,
        };
        self.load_schemas()?;
        self.checkpoint(db, mode, |_| true)
    }

    fn checkpoint(&self, db: Option<Db>, mode: CheckpointMode, counts: impl Fn(&Pager) -> bool) -> Result<Checkpoint> {
        let mut answer = Checkpoint { is_busy: false, log_frames: -1, checkpointed_frames: -1 };
        let mut is_first = true;
        for (at, database) in self.databases() {
            if db.is_some_and(|wanted| wanted != at) || !database.opened().is_some_and(|btree| counts(btree.pager())) {
                continue;
            }
            if database.shared().is_some_and(|share| share.is_used_by_others(self.id)) {
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
}
