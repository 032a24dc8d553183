//! Committing the databases that a transaction has written.

use std::rc::Rc;

use lithe_btree::{Btree, Sizes};
use lithe_pager::{Pager, commit_together};

use crate::error::Result;

/// How many free pages a commit takes out of the database at this position of the list.
pub(crate) type HowMany<'a> = &'a dyn Fn(usize, Sizes) -> u32;

/// Makes the transaction of these databases durable: those of a connection that are open, main first. With one that was
/// written this is the pager's business alone; several join in a super-journal, and commit all or none.
pub(crate) fn commit(databases: &[Rc<Btree>], how_many: Option<HowMany<'_>>) -> Result<()> {
    let auto_vacuum = |at: usize, btree: &Btree| match how_many {
        Some(how_many) => btree.auto_vacuum_commit(Some(&|sizes| how_many(at, sizes))),
        None => btree.auto_vacuum_commit(None),
    };
    let mut written = databases.iter().enumerate().filter(|(_, btree)| btree.pager().is_writing());
    let (first, second) = (written.next(), written.next());
    let Some((at, first)) = first else { return Ok(()) };
    auto_vacuum(at, first)?;
    let Some((at, second)) = second else { return Ok(first.pager().commit()?) };
    auto_vacuum(at, second)?;
    written.try_for_each(|(at, btree)| auto_vacuum(at, btree))?;
    let pagers: Vec<&Pager> = databases.iter().map(|btree| btree.pager()).collect();
    Ok(commit_together(&pagers)?)
}
