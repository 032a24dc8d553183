//! EXPLAIN QUERY PLAN: the plan as lines of text in SQLite's format.
//!
//! The lines are made from the plan alone, part by part in the order in which the parts are run. Without EXPLAIN QUERY PLAN no text is
//! made.
//!
//! ```text
//!   COMPOUND QUERY                    open
//!     LEFT-MOST SUBQUERY              open
//!       SCAN t                        line (close)
//!     UNION USING TEMP B-TREE         open
//!       SEARCH u USING INDEX i (a=?)  line (close, close)
//! ```

mod path;
mod query;

use std::collections::HashMap;
use std::ptr;

use crate::access::{LogEst, Loop, OrBranch};

use query::ShownValues;

/// One line of EXPLAIN QUERY PLAN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanLine {
    /// Number of the line's node.
    pub id: i32,
    /// The number of the node above, 0 for the root.
    pub parent: i32,
    /// The estimated cost of a loop; 0 on other lines.
    pub cost: LogEst,
    /// The text, in SQLite's format.
    pub detail: String,
}

/// The lines so far, if the plan is wanted.
#[derive(Debug)]
pub struct Explain {
    lines: Option<Box<Lines>>,
}

#[derive(Debug, Default)]
struct Lines {
    rows: Vec<PlanLine>,
    /// The lines that are open, from the outermost to the innermost.
    open: Vec<i32>,
    /// The lines of loops and of branches of an OR, by the address of these in memory.
    of_loops: HashMap<usize, i32>,
    shown_values: ShownValues,
}

impl Explain {
    /// Lines are collected.
    pub fn on() -> Explain {
        Explain { lines: Some(Box::default()) }
    }

    /// Lines are not collected.
    pub fn off() -> Explain {
        Explain { lines: None }
    }

    /// Whether lines are collected.
    pub fn is_on(&self) -> bool {
        self.lines.is_some()
    }

    /// The number of a loop's line, once the plan that the loop is part of has been printed.
    pub fn line_of_loop(&self, planned: &Loop<'_>) -> Option<i32> {
        self.line_of(ptr::from_ref(planned).addr())
    }

    /// As [`Explain::line_of_loop`], of a branch of an OR.
    pub fn line_of_branch(&self, branch: &OrBranch<'_>) -> Option<i32> {
        self.line_of(ptr::from_ref(branch).addr())
    }

    fn line_of(&self, place: usize) -> Option<i32> {
        self.lines.as_ref()?.of_loops.get(&place).copied()
    }

    /// The finished plan.
    pub fn take_lines(&mut self) -> Vec<PlanLine> {
        self.lines.take().map(|lines| lines.rows).unwrap_or_default()
    }
}

impl Lines {
    /// Adds a line under the innermost open one.
    fn line(&mut self, text: String) {
        self.push(text, LogEst::default());
    }

    /// Adds the line of a loop.
    fn loop_line(&mut self, cost: LogEst, text: String) -> i32 {
        self.push(text, cost)
    }

    /// Adds a line under which the next ones hang, until [`Lines::close`].
    fn open(&mut self, text: String) {
        let id = self.push(text, LogEst::default());
        self.open.push(id);
    }

    /// Ends what [`Lines::open`] began.
    fn close(&mut self) {
        self.open.pop().expect("close follows open");
    }

    fn push(&mut self, detail: String, cost: LogEst) -> i32 {
        let id = i32::try_from(self.rows.len() + 1).expect("a plan has fewer than 2^31 lines");
        let parent = self.open.last().copied().unwrap_or(0);
        self.rows.push(PlanLine { id, parent, cost, detail });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hang_under_what_is_open() {
        let mut lines = Lines::default();
        lines.line("a".into());
        lines.open("b".into());
        lines.line("c".into());
        lines.open("d".into());
        lines.line("e".into());
        lines.close();
        lines.close();
        lines.line("f".into());
        let tree: Vec<_> = lines.rows.iter().map(|row| (row.id, row.parent, &*row.detail)).collect();
        assert_eq!(tree, [(1, 0, "a"), (2, 0, "b"), (3, 2, "c"), (4, 2, "d"), (5, 4, "e"), (6, 0, "f")]);
    }
}
