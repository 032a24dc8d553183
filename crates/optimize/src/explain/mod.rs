//! EXPLAIN QUERY PLAN: the plan as lines of text in SQLite's words.
//!
//! Lines come in the order in which code is generated, and hang under whatever was open at that moment. When nobody
//! asked for the plan no text is made at all: callers give a closure.
//!
//! ```text
//!   COMPOUND QUERY                    open
//!     LEFT-MOST SUBQUERY              open
//!       SCAN t                        line (close)
//!     UNION USING TEMP B-TREE         open
//!       SEARCH u USING INDEX i (a=?)  line (close, close)
//! ```

mod path;

use crate::access::LogEst;

pub use path::{describe_branch, describe_filter, describe_loop};

/// One line of EXPLAIN QUERY PLAN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanLine {
    /// Number of the line's node.
    pub id: i32,
    /// The number of the node above, 0 for the root.
    pub parent: i32,
    /// The estimated cost of a loop; 0 on other lines.
    pub cost: LogEst,
    /// The text, in SQLite's words.
    pub detail: String,
}

/// The lines so far.
#[derive(Debug, Default)]
pub struct Explain {
    is_on: bool,
    rows: Vec<PlanLine>,
    /// The lines that are open, from the outermost to the innermost.
    open: Vec<i32>,
}

impl Explain {
    /// Lines are collected.
    pub fn on() -> Explain {
        Explain { is_on: true, ..Explain::default() }
    }

    /// Nobody wants to know.
    pub fn off() -> Explain {
        Explain::default()
    }

    /// Whether lines are collected.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Adds a line under the innermost open one.
    pub fn line(&mut self, text: impl FnOnce() -> String) {
        if self.is_on {
            self.push(text(), LogEst::default());
        }
    }

    /// Adds the line of a loop.
    pub fn loop_line(&mut self, cost: LogEst, text: impl FnOnce() -> String) {
        if self.is_on {
            self.push(text(), cost);
        }
    }

    /// Adds a line under which the next ones hang, until [`Explain::close`].
    pub fn open(&mut self, text: impl FnOnce() -> String) {
        if self.is_on {
            let id = self.push(text(), LogEst::default());
            self.open.push(id);
        }
    }

    /// Ends what [`Explain::open`] began.
    pub fn close(&mut self) {
        if self.is_on {
            self.open.pop().expect("close follows open");
        }
    }

    /// The finished plan.
    pub fn finish(self) -> Vec<PlanLine> {
        self.rows
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
        let mut explain = Explain::on();
        explain.line(|| "a".into());
        explain.open(|| "b".into());
        explain.line(|| "c".into());
        explain.open(|| "d".into());
        explain.line(|| "e".into());
        explain.close();
        explain.close();
        explain.line(|| "f".into());
        let rows = explain.finish();
        let tree: Vec<_> = rows.iter().map(|row| (row.id, row.parent, &*row.detail)).collect();
        assert_eq!(tree, [(1, 0, "a"), (2, 0, "b"), (3, 2, "c"), (4, 2, "d"), (5, 4, "e"), (6, 0, "f")]);
    }

    #[test]
    fn no_text_is_made_when_nobody_asked() {
        let mut explain = Explain::off();
        explain.open(|| unreachable!());
        explain.line(|| unreachable!());
        explain.close();
        assert!(explain.finish().is_empty());
    }
}
