//! Committing the databases that a transaction has written.

use std::rc::Rc;

use lithe_btree::{Btree, Sizes};
use lithe_pager::{Pager, commit_multi_file};
use lithe_vm::operand::Db;

use crate::error::Result;

/// Returns how many free pages a commit removes from a database.
pub(crate) type HowMany<'a> = &'a dyn Fn(Db, Sizes) -> u32;

/// Commits the transaction of these databases: those of a connection that are open, main first. If only one was
/// written, its pager commits alone; several commit together by a super-journal, all or none.
pub(crate) fn commit(databases: &[(Db, Rc<Btree>)], how_many: Option<HowMany<'_>>) -> Result<()> {
    let auto_vacuum = |db: Db, btree: &Btree| match how_many {
        Some(how_many) => btree.auto_vacuum_commit(Some(&|sizes| how_many(db, sizes))),
        None => btree.auto_vacuum_commit(None),
    };
    let mut written = databases.iter().filter(|(_, btree)| btree.pager().is_writing());
    let (first, second) = (written.next(), written.next());
    let Some((db, first)) = first else { return Ok(()) };
    auto_vacuum(*db, first)?;
    let Some((db, second)) = second else { return Ok(first.commit()?) };
    auto_vacuum(*db, second)?;
    written.try_for_each(|(db, btree)| auto_vacuum(*db, btree))?;
    let pagers: Vec<&Pager> = databases.iter().map(|(_, btree)| btree.pager()).collect();
    Ok(commit_multi_file(&pagers)?)
}
