//! The sizes of the trees that joins use, where ANALYZE has not counted them: measured by a look at a few of their pages
//! when a join is compiled, and kept for a while.

use std::sync::Arc;

use lithe_btree::Btree;
use lithe_btree::estimate::{self, Estimate};
use lithe_catalog::{CompileError, LARGE, Measure, Measures, Tree};
use lithe_resolve::environment::Environment;

use crate::connection::Connection;
use crate::database::while_reading;
use crate::error::Result;

/// For so many compilations sizes are good.
const USES: u32 = 256;

/// What a connection knows about the sizes of its trees.
#[derive(Default)]
pub(crate) struct Measured {
    measures: Arc<Measures>,
    /// Of which catalog they are.
    generation: u64,
    /// After how many changes by this connection they are too old.
    changes_max: u64,
    /// For how many compilations they are still good.
    uses_left: u32,
}

impl Measured {
    /// The sizes.
    pub(crate) fn measures(&self) -> Arc<Measures> {
        Arc::clone(&self.measures)
    }
}

impl Connection {
    /// Compiles; if the planner would like to know more about large trees, these are measured and it compiles again.
    pub(crate) fn compile_measured<T>(
        &self,
        compile: impl Fn(&Environment) -> std::result::Result<T, CompileError>,
    ) -> std::result::Result<T, CompileError> {
        self.forget_old_measures();
        let environment = self.environment();
        let program = compile(&environment)?;
        let wanted = environment.wanted.take();
        // What cannot be read now stays unknown: the statement will say why when it runs.
        if wanted.is_empty() || !self.measure(&wanted).unwrap_or(false) {
            return Ok(program);
        }
        compile(&self.environment())
    }

    fn forget_old_measures(&self) {
        let mut measured = self.measured.borrow_mut();
        let (generation, changes) = (self.generation(), self.total_changes());
        if measured.uses_left == 0 || measured.generation != generation || changes > measured.changes_max {
            *measured =
                Measured { measures: Arc::default(), generation, changes_max: changes + LARGE / 2, uses_left: USES };
        }
        measured.uses_left -= 1;
    }

    /// Measures trees, indexes only beside large tables; false if no table is large.
    fn measure(&self, wanted: &[Tree]) -> Result<bool> {
        let (tables, indexes): (Vec<Tree>, Vec<Tree>) = wanted.iter().partition(|tree| tree.is_table);
        if self.measure_trees(&tables)? < LARGE {
            return Ok(false);
        }
        self.measure_trees(&indexes)?;
        Ok(true)
    }

    /// Measures trees and notes what was found; gives the number of rows of the largest.
    fn measure_trees(&self, trees: &[Tree]) -> Result<u64> {
        let mut rows_max = 0;
        for (db, database) in self.databases() {
            let mut own = trees.iter().filter(|tree| tree.db == db).peekable();
            if own.peek().is_none() {
                continue;
            }
            let btree = database.btree();
            // One snapshot for all, so that a busy database is waited for once.
            while_reading(btree.pager(), || {
                for tree in own {
                    rows_max = rows_max.max(self.measure_tree(btree, tree)?);
                }
                Ok(())
            })?;
        }
        Ok(rows_max)
    }

    /// Measures a tree and notes what was found; gives the number of its rows.
    fn measure_tree(&self, btree: &Btree, tree: &Tree) -> Result<u64> {
        let Estimate { rows, equal_rows, distinct, is_clustered } = match tree.columns {
            0 => estimate::table(btree, tree.root)?,
            columns => estimate::index(btree, tree.root, columns)?,
        };
        let mut measured = self.measured.borrow_mut();
        Arc::make_mut(&mut measured.measures).set(*tree, Measure { rows, equal_rows, distinct, is_clustered });
        Ok(rows)
    }
}
