//! EXPLAIN QUERY PLAN: the plan as lines of text in SQLite's words.
//!
//! The lines are made from the plan alone, part by part in the order in which the parts are run. When nobody asked for the plan no text is
//! made at all: callers give a closure.
//!
//! ```text
//!   COMPOUND QUERY                    open
//!     LEFT-MOST SUBQUERY              open
//!       SCAN t                        line (close)
//!     UNION USING TEMP B-TREE         open
//!       SEARCH u USING INDEX i (a=?)  line (close, close)
//! ```

mod number;
mod path;
mod query;

use lithe_resolve::ir::Query;
use lithe_vm::program::QueryPlanRow;

use crate::access::LogEst;

use number::SelectNumbers;
use query::ShownValues;

/// The lines so far.
#[derive(Debug, Default)]
pub struct Explain {
    is_on: bool,
    rows: Vec<QueryPlanRow>,
    /// The lines that are open, from the outermost to the innermost.
    open: Vec<i32>,
    numbers: SelectNumbers,
    shown_values: ShownValues,
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

    /// Numbers the SELECTs of a query of the statement: before any line that names one.
    pub fn number_selects(&mut self, query: &Query<'_>) {
        if self.is_on {
            self.numbers.add(query);
        }
    }

    /// Adds a line under the innermost open one.
    fn line(&mut self, text: impl FnOnce() -> String) {
        if self.is_on {
            self.push(text(), LogEst::default());
        }
    }

    /// Adds the line of a loop.
    fn loop_line(&mut self, cost: LogEst, text: impl FnOnce() -> String) {
        if self.is_on {
            self.push(text(), cost);
        }
    }

    /// Adds a line under which the next ones hang, until [`Explain::close`].
    fn open(&mut self, text: impl FnOnce() -> String) {
        if self.is_on {
            let id = self.push(text(), LogEst::default());
            self.open.push(id);
        }
    }

    /// Ends what [`Explain::open`] began.
    fn close(&mut self) {
        if self.is_on {
            self.open.pop().expect("close follows open");
        }
    }

    /// The finished plan.
    pub fn finish(self) -> Box<[QueryPlanRow]> {
        self.rows.into()
    }

    fn push(&mut self, detail: String, cost: LogEst) -> i32 {
        let id = i32::try_from(self.rows.len() + 1).expect("a plan has fewer than 2^31 lines");
        let parent = self.open.last().copied().unwrap_or(0);
        self.rows.push(QueryPlanRow { id, parent, cost: i32::from(cost.0), detail });
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
