//! Committing the databases that a transaction has written.

use std::rc::Rc;

use lithe_btree::{Btree, Sizes};
use lithe_pager::{Pager, commit_multi_file};
use lithe_vm::operand::Db;

use crate::database::Database;
use crate::error::Result;

/// Returns how many free pages a commit removes from a database.
pub(crate) type HowMany<'a> = &'a dyn Fn(Db, Sizes) -> u32;

/// Commits the transaction of the databases that are `written`. If it is only one, its pager commits alone; several commit together by a
/// super-journal, all or none. `all` returns those of the connection that are open, main first.
pub(crate) fn commit(
    written: &[(Db, Rc<Database>)],
    all: impl FnOnce() -> Vec<Rc<Btree>>,
    how_many: Option<HowMany<'_>>,
) -> Result<()> {
    for (db, database) in written {
        match how_many {
            Some(how_many) => database.btree().auto_vacuum_commit(Some(&|sizes| how_many(*db, sizes)))?,
            None => database.btree().auto_vacuum_commit(None)?,
        }
    }
    match written {
        [] => Ok(()),
        [(_, only)] => Ok(only.btree().commit()?),
        _ => {
            let all = all();
            let pagers: Vec<&Pager> = all.iter().map(|btree| btree.pager()).collect();
            Ok(commit_multi_file(&pagers)?)
        }
    }
}
