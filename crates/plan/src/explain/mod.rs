//! EXPLAIN QUERY PLAN: the plan in SQLite's words.

use lithe_vm::program::QueryPlanRow;

/// Collects the lines of EXPLAIN QUERY PLAN while code is generated.
#[derive(Debug, Default)]
pub struct Explain {
    is_wanted: bool,
    rows: Vec<QueryPlanRow>,
    parent: i32,
}

impl Explain {
    /// A collector; it drops everything unless the lines are wanted.
    pub fn new(is_wanted: bool) -> Explain {
        Explain { is_wanted, ..Explain::default() }
    }

    /// Adds a line under the node that is open.
    pub fn line(&mut self, detail: impl FnOnce() -> String) {
        if self.is_wanted {
            let id = self.rows.len() as i32 + 1;
            self.rows.push(QueryPlanRow { id, parent: self.parent, detail: detail() });
        }
    }

    /// Adds a line and opens it: what follows hangs under it until [`Explain::close`], which takes what is given back.
    pub fn open(&mut self, detail: impl FnOnce() -> String) -> i32 {
        self.line(detail);
        let outer = self.parent;
        if self.is_wanted {
            self.parent = self.rows.len() as i32;
        }
        outer
    }

    /// Closes the node.
    pub fn close(&mut self, outer: i32) {
        self.parent = outer;
    }

    /// All lines.
    pub fn into_rows(self) -> Vec<QueryPlanRow> {
        self.rows
    }
}
