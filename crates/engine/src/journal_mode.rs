//! PRAGMA journal_mode.

use lithe_pager::{BeginKind, JournalMode};

use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::database::Database;
use crate::error::{Error, Result};

/// Changes a database's journal mode, and returns the one in force afterwards: a database that cannot change now keeps
/// its mode.
pub(crate) fn set(
    connection: &Connection,
    database: &Database,
    mode: JournalMode,
    run: &StatementRun,
) -> Result<JournalMode> {
    if database.is_shared_memory() {
        return Ok(JournalMode::Memory); // SQLite reports no WAL mode there
    }
    let pager = database.btree().pager();
    let is_wal = pager.journal_mode() == JournalMode::Wal;
    if pager.is_writing() && pager.has_changes() {
        return Ok(pager.journal_mode());
    }
    if connection.databases.is_written_by_others(database) {
        return Ok(pager.journal_mode());
    }
    let is_alone = connection.is_autocommit() && connection.transaction.user_count() <= usize::from(run.is_user());
    if is_wal != (mode == JournalMode::Wal) && !is_alone && pager.path().is_some() {
        let way = if is_wal { "out of" } else { "into" };
        return Err(Error::generic(format!("cannot change {way} wal mode from within a transaction")));
    }
    // A database in memory cannot have a log unless it has shared memory.
    if mode == JournalMode::Wal && pager.vfs().is_some_and(|vfs| vfs.name() == "memdb") {
        return Ok(pager.journal_mode());
    }
    if is_wal != (mode == JournalMode::Wal) {
        connection.databases.begin_shared_write(database, BeginKind::Exclusive)?;
    }
    if mode == JournalMode::Wal && pager.enters_wal_by_transaction() {
        // The statement commits the change, after its row.
        connection.begin_exclusively(database, run)?;
        pager.enter_wal_at_commit()?;
        return Ok(mode);
    }
    Ok(pager.set_journal_mode_of_new(mode, || database.btree().initialise())?)
}
