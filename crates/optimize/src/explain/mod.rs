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

use crate::access::LogEst;

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

/// What has a line of its own whose costs can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A loop of a join, a branch of an OR, or VALUES.
    Loop,
    /// The second loop over the right source of a RIGHT JOIN.
    Unjoined,
    /// The rows that a window reads from the window before it, or that come from the last window.
    Window,
    /// The automatic index of a loop, while it is made.
    Index,
    /// The sorter of ORDER BY.
    Order,
    /// The sorter of GROUP BY.
    Group,
    /// A query in an expression that gives one row.
    Row,
    /// A query in FROM that is materialised.
    Table,
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
    /// The lines of parts of the plan, by the address of these in memory.
    of_parts: HashMap<(Part, usize), i32>,
    /// Whether the lines are those of a statement that is measured.
    measures: bool,
    shown_values: ShownValues,
}

impl Explain {
    /// Lines are collected.
    pub fn on() -> Explain {
        Explain { lines: Some(Box::default()) }
    }

    /// Lines are collected for measuring: automatic indexes have a line of their own, and rows that are counted without being
    /// visited have none.
    pub fn measuring() -> Explain {
        Explain { lines: Some(Box::new(Lines { measures: true, ..Lines::default() })) }
    }

    /// Lines are not collected.
    pub fn off() -> Explain {
        Explain { lines: None }
    }

    /// Whether lines are collected.
    pub fn is_on(&self) -> bool {
        self.lines.is_some()
    }

    /// The number of the line of a part, once the plan that it belongs to has been printed.
    pub fn line_of<T>(&self, part: Part, of: &T) -> Option<i32> {
        self.lines.as_ref()?.of_parts.get(&(part, ptr::from_ref(of).addr())).copied()
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

    /// Notes that the last line is that of a part.
    fn mark<T>(&mut self, part: Part, of: &T) {
        let line = i32::try_from(self.rows.len()).expect("a plan has fewer than 2^31 lines");
        self.of_parts.insert((part, ptr::from_ref(of).addr()), line);
    }

    /// Adds the line of a loop.
    fn loop_line(&mut self, cost: LogEst, text: String) {
        self.push(text, cost);
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
