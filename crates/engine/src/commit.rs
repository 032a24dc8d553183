//! Committing the databases that a transaction has written.

use std::rc::Rc;

use lithe_btree::Btree;
use lithe_pager::{Pager, commit_together};

use crate::error::Result;

/// Makes the transaction of these databases durable: those of a connection that are open, main first. With one that was
/// written this is the pager's business alone; several join in a super-journal, and commit all or none.
pub(crate) fn commit(databases: &[Rc<Btree>]) -> Result<()> {
    let mut written = databases.iter().filter(|btree| btree.pager().is_writing());
    let (first, second) = (written.next(), written.next());
    let Some(first) = first else { return Ok(()) };
    first.auto_vacuum_commit()?;
    let Some(second) = second else { return Ok(first.pager().commit()?) };
    second.auto_vacuum_commit()?;
    written.try_for_each(|btree| btree.auto_vacuum_commit())?;
    let pagers: Vec<&Pager> = databases.iter().map(|btree| btree.pager()).collect();
    Ok(commit_together(&pagers)?)
}
