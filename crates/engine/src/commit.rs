//! Committing the databases that a transaction has written.

use std::rc::Rc;

use lithe_btree::Btree;

use crate::error::Result;

/// Makes the transaction of these databases durable. With one database this is the pager's business alone.
///
/// With several, all are brought to the point where only the last step is missing before any takes it: what can go
/// wrong has gone wrong by then.
pub(crate) fn commit(databases: &[Rc<Btree>]) -> Result<()> {
    for btree in databases {
        btree.auto_vacuum_commit()?;
        btree.pager().commit_phase_one(None)?;
    }
    for btree in databases {
        btree.pager().commit_phase_two()?;
    }
    Ok(())
}
