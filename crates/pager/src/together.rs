//! Committing several databases at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lithe_vfs::Vfs;

use crate::error::Result;
use crate::options::Synchronous;
use crate::pager::{Pager, Store};
use crate::rollback::SuperJournal;

/// Commits the write transactions of `pagers`: all of them or none, even if the power fails, as far as they have
/// rollback journals in files and the first database has a file. A log commits on its own: what has one is
/// durable when phase one ends.
///
/// After an error all of them are still to be rolled back, unless it is "busy": then the transactions
/// go on, and the commit can be tried again. Databases in WAL mode come last, because theirs is the part that
/// cannot be taken back.
pub fn commit_together(pagers: &[&Pager]) -> Result<()> {
    let writing: Vec<&Pager> = pagers.iter().copied().filter(|pager| pager.is_writing()).collect();
    let (logs, others): (Vec<&Pager>, Vec<&Pager>) = writing.iter().partition(|pager| pager.log_frames().is_some());
    let super_journal = create_super_journal(pagers, &others)?;
    let prepared = prepare(&others, &logs, super_journal.as_ref());
    if let Err(error) = prepared {
        if let Some(super_journal) = super_journal {
            super_journal.abandon();
        }
        return Err(error);
    }
    if let Some(super_journal) = super_journal {
        super_journal.commit()?;
    }
    writing.iter().try_for_each(|pager| pager.commit_phase_two())
}

fn prepare(others: &[&Pager], logs: &[&Pager], super_journal: Option<&SuperJournal>) -> Result<()> {
    let name = super_journal.map(SuperJournal::name).transpose()?;
    for pager in others {
        let joins = journal_of(pager).is_some();
        pager.commit_phase_one(name.filter(|_| joins))?;
    }
    logs.iter().try_for_each(|pager| pager.commit_phase_one(None))
}

/// A super-journal, if there are several journals that it could join, and a main database to lie beside.
fn create_super_journal(pagers: &[&Pager], others: &[&Pager]) -> Result<Option<SuperJournal>> {
    let journals: Vec<PathBuf> = others.iter().filter_map(|pager| journal_of(pager)).map(Path::to_path_buf).collect();
    let main = pagers.first().and_then(|main| Some((vfs_of(main)?, main.path()?)));
    match main {
        Some((vfs, path)) if journals.len() > 1 => SuperJournal::create(vfs, path, &journals).map(Some),
        _ => Ok(None),
    }
}

/// The journal of a transaction that has something to journal and cares for power losses.
fn journal_of(pager: &Pager) -> Option<&Path> {
    let matters = pager.synchronous() > Synchronous::Off && pager.has_changes();
    pager.journal_path().filter(|_| matters)
}

fn vfs_of(pager: &Pager) -> Option<&Arc<dyn Vfs>> {
    match &pager.store {
        Store::Memory(_) => None,
        Store::File(file) => Some(&file.vfs),
    }
}
