//! The sizes of the trees that joins use and that ANALYZE has not counted: estimated from a few of their pages when a
//! join is compiled, and cached.

use std::cell::RefCell;
use std::sync::Arc;

use lithe_btree::Btree;
use lithe_btree::estimate::{self, Estimate};
use lithe_catalog::{LARGE, Measure, Measures, Tree};
use lithe_pager::LockingMode;
use lithe_vfs::LockLevel;

use crate::database::while_reading;
use crate::databases::Databases;
use crate::error::Result;

/// The number of compilations, and of uses of a compiled program, for which the sizes are used.
pub(crate) const USES: u32 = 256;

/// What a connection knows about the sizes of its trees.
#[derive(Default)]
pub(crate) struct Measured(RefCell<Known>);

#[derive(Default)]
struct Known {
    measures: Arc<Measures>,
    /// The generation of the catalog to which the trees belong.
    generation: u64,
    /// The number of changes by this connection at which the sizes expire.
    changes_max: u64,
    /// The number of compilations after which the sizes expire.
    uses_left: u32,
}

impl Measured {
    /// The sizes that are known.
    pub(crate) fn measures(&self) -> Arc<Measures> {
        Arc::clone(&self.0.borrow().measures)
    }

    /// A compilation begins: forgets expired sizes. `changes` is the number of rows that the connection has changed so
    /// far.
    pub(crate) fn forget_old(&self, generation: u64, changes: u64) {
        let mut known = self.0.borrow_mut();
        if known.uses_left == 0 || known.generation != generation || changes > known.changes_max {
            *known = Known { measures: Arc::default(), generation, changes_max: changes + LARGE / 2, uses_left: USES };
        }
        known.uses_left -= 1;
    }

    /// Measures trees; indexes only if a table is large. Returns false if no table is large.
    pub(crate) fn measure(&self, databases: &Databases, wanted: &[Tree]) -> Result<bool> {
        let (tables, indexes): (Vec<Tree>, Vec<Tree>) = wanted.iter().partition(|tree| tree.is_table);
        if self.measure_trees(databases, &tables)? < LARGE {
            return Ok(false);
        }
        self.measure_trees(databases, &indexes)?;
        Ok(true)
    }

    /// Measures trees; returns the number of rows of the largest.
    fn measure_trees(&self, databases: &Databases, trees: &[Tree]) -> Result<u64> {
        let mut rows_max = 0;
        for (db, database) in databases.iter() {
            let mut own = trees.iter().filter(|tree| tree.db == db).peekable();
            if own.peek().is_none() {
                continue;
            }
            let btree = database.btree();
            // The lock that exclusive locking has left behind goes with the next statement that runs, not with one that is only compiled.
            let pager = btree.pager();
            if !pager.is_reading()
                && pager.lock_level() > LockLevel::Shared
                && pager.locking_mode() == LockingMode::Normal
            {
                continue;
            }
            // All trees are read in one snapshot, so that a busy database is waited for once.
            while_reading(btree.pager(), || {
                for tree in own {
                    rows_max = rows_max.max(self.measure_tree(btree, tree)?);
                }
                Ok(())
            })?;
        }
        Ok(rows_max)
    }

    /// Measures a tree; returns the number of its rows.
    fn measure_tree(&self, btree: &Btree, tree: &Tree) -> Result<u64> {
        let Estimate { rows, equal_rows, distinct, is_clustered } = match tree.columns {
            0 => estimate::table(btree, tree.root)?,
            columns => estimate::index(btree, tree.root, columns)?,
        };
        let mut known = self.0.borrow_mut();
        Arc::make_mut(&mut known.measures).set(*tree, Measure { rows, equal_rows, distinct, is_clustered });
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_format::PageNo;
    use lithe_vm::operand::Db;

    #[test]
    fn sizes_are_forgotten_when_they_are_old() {
        let tree = Tree { db: Db::MAIN, root: PageNo::FIRST, columns: 0, is_table: true };
        let measured = Measured::default();
        let learn = || {
            let measure = Measure { rows: 7, ..Measure::default() };
            Arc::make_mut(&mut measured.0.borrow_mut().measures).set(tree, measure);
        };
        let knows = || measured.measures().of(Db::MAIN, Some(PageNo::FIRST)).is_some();
        measured.forget_old(1, 0);
        learn();
        (0..USES - 1).for_each(|_| measured.forget_old(1, LARGE / 2));
        assert!(knows(), "good for so many compilations and changes");
        measured.forget_old(1, 0);
        assert!(!knows(), "used too often");
        learn();
        measured.forget_old(2, 0);
        assert!(!knows(), "of another catalog");
        learn();
        measured.forget_old(2, LARGE / 2 + 1);
        assert!(!knows(), "too many changes");
    }
}
