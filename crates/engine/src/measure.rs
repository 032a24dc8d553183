//! The sizes of the trees that joins use, where ANALYZE has not counted them: measured by a look at a few of their pages
//! when a join is compiled, and kept for a while.

use std::cell::Cell;
use std::sync::Arc;

use lithe_btree::estimate;
use lithe_plan::CompileError;
use lithe_plan::catalog::{LARGE, Measure, Measures, Tree};
use lithe_plan::environment::Environment;

use crate::connection::Connection;
use crate::error::Result;

/// So many joins are compiled with the same sizes.
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
    uses_left: Cell<u32>,
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
        if wanted.is_empty() || !self.measure(&wanted) {
            return Ok(program);
        }
        compile(&self.environment())
    }

    fn forget_old_measures(&self) {
        let mut measured = self.measured.borrow_mut();
        let uses = measured.uses_left.get();
        measured.uses_left.set(uses.saturating_sub(1));
        if uses == 0 || measured.generation != self.generation() || self.total_changes() > measured.changes_max {
            measured.measures = Arc::default();
            measured.generation = self.generation();
            measured.changes_max = self.total_changes() + LARGE / 2;
            measured.uses_left.set(USES);
        }
    }

    /// Measures trees; false if none of their tables is large. What cannot be read now stays unknown: the statement will say why
    /// when it runs.
    fn measure(&self, wanted: &[Tree]) -> bool {
        let mut rows_max = 0;
        for tree in wanted.iter().filter(|tree| tree.is_table) {
            rows_max = rows_max.max(self.measure_tree(tree, 0).unwrap_or(0));
        }
        if rows_max < LARGE {
            return false;
        }
        for tree in wanted.iter().filter(|tree| tree.columns > 0) {
            if self.measure_tree(tree, tree.columns).is_err() {
                return false;
            }
        }
        true
    }

    /// Measures a tree and notes it; gives the number of its rows.
    fn measure_tree(&self, tree: &Tree, columns: usize) -> Result<u64> {
        let database = self.database(tree.db)?;
        let btree = database.btree();
        let was_reading = btree.pager().is_reading();
        btree.pager().begin_read()?;
        let estimate = match tree.columns {
            0 => estimate::table(btree, tree.root),
            _ => estimate::index(btree, tree.root, columns),
        };
        if !was_reading {
            btree.pager().end_read()?;
        }
        let estimate = estimate?;
        let rows = estimate.rows;
        let measure = Measure {
            rows,
            equal_rows: estimate.equal_rows,
            distinct: estimate.distinct,
            is_clustered: estimate.is_clustered,
        };
        let mut measured = self.measured.borrow_mut();
        Arc::make_mut(&mut measured.measures).set(*tree, measure);
        Ok(rows)
    }
}
