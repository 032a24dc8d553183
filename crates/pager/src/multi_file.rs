//! Committing several databases at once.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::options::Synchronous;
use crate::pager::Pager;
use crate::rollback::SuperJournal;

/// Commits the write transactions of `pagers`: all of them or none, even if the power fails, as far as they have
/// rollback journals in files and the first database has a file. A database in WAL mode commits on its own: it is
/// durable when phase one ends.
///
/// After an error the caller rolls back the transactions that are still open, unless the error is "busy": then the
/// transactions stay open, and the commit can be retried. Databases in WAL mode commit last, because their commit
/// cannot be undone.
pub fn commit_multi_file(pagers: &[&Pager]) -> Result<()> {
    let writing: Vec<&Pager> = pagers.iter().copied().filter(|pager| pager.is_writing()).collect();
    let (logs, others): (Vec<&Pager>, Vec<&Pager>) = writing.iter().partition(|pager| pager.log_frames().is_some());
    if joined_journals(&others).len() > 1 {
        // A lock of another connection is found here, while no journal names a super-journal yet.
        others.iter().try_for_each(|pager| pager.lock_to_commit())?;
    }
    let Some(mut super_journal) = create_super_journal(pagers, &others)? else {
        prepare(&others, &logs, None)?;
        return writing.iter().try_for_each(|pager| pager.commit_phase_two());
    };
    if let Err(error) = prepare(&others, &logs, Some(&super_journal)) {
        return Err(roll_back_all(error, &others, super_journal));
    }
    let outcome = match super_journal.commit() {
        Err(error) => return Err(roll_back_all(error, &others, super_journal)),
        Ok(outcome) => outcome,
    };
    writing.iter().for_each(|pager| pager.commit_phase_two_decided());
    outcome
}

/// Rolls the transactions back. The super-journal stays until that is done: while it exists, a crash leads back to the
/// state before the transaction.
fn roll_back_all(error: Error, others: &[&Pager], super_journal: SuperJournal) -> Error {
    let mut undone = Ok(());
    for pager in others {
        undone = undone.and(pager.rollback());
    }
    if undone.is_ok() {
        super_journal.abandon();
    }
    // A transaction that was rolled back cannot be retried.
    if error.is_busy() { Error::BusySnapshot } else { error }
}

fn prepare(others: &[&Pager], logs: &[&Pager], super_journal: Option<&SuperJournal>) -> Result<()> {
    let name = super_journal.map(SuperJournal::name).transpose()?;
    for pager in others {
        let joins = journal_of(pager).is_some();
        pager.commit_phase_one(name.filter(|_| joins))?;
    }
    logs.iter().try_for_each(|pager| pager.commit_phase_one(None))
}

fn joined_journals(others: &[&Pager]) -> Vec<PathBuf> {
    others.iter().filter_map(|pager| journal_of(pager)).map(Path::to_path_buf).collect()
}

/// Creates a super-journal, if it would name several journals and the main database has a file.
fn create_super_journal(pagers: &[&Pager], others: &[&Pager]) -> Result<Option<SuperJournal>> {
    let journals = joined_journals(others);
    let main = pagers.first().and_then(|main| Some((main.vfs()?, main.path()?)));
    match main {
        Some((vfs, path)) if journals.len() > 1 => SuperJournal::create(vfs, path, &journals).map(Some),
        _ => Ok(None),
    }
}

/// The journal of a transaction that has changes and syncs. A transaction that enters WAL mode joins no super-journal.
fn journal_of(pager: &Pager) -> Option<&Path> {
    let matters = pager.synchronous() > Synchronous::Off && pager.has_changes() && !pager.enters_wal_now();
    pager.journal_path().filter(|_| matters)
}
