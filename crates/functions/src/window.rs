//! Functions that need a window: ranks, and values of other rows.
//!
//! Each function has its own fixed frame, whatever frame the statement declares, and the machine steps it accordingly:
//!
//! | function | frame | answer |
//! | --- | --- | --- |
//! | row_number | ROWS, start to current row | steps |
//! | rank, dense_rank | RANGE, start to current row | once for each group of peers |
//! percent_rank | GROUPS, current row to end | removed rows, of the other rows |
//! cume_dist | GROUPS, 1 following to end | removed rows, of all rows |
//! | ntile | ROWS, current row to end | the bucket of the row |
//!
//! The machine looks up the rows of lead, lag, first_value, last_value and nth_value; these functions have no state here.

use lithe_value::{Value, ValueRef, cast};

use crate::error::{FunctionError, Result};
use crate::signature::{Arity, arg};

/// One entry of a table of functions that need a window.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The name, in lower case.
    pub name: &'static str,
    /// The number of arguments.
    pub args: Arity,
    /// The function itself.
    pub kind: WindowFunction,
}

/// The built-in window functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowFunction {
    /// row_number()
    RowNumber,
    /// rank()
    Rank,
    /// dense_rank()
    DenseRank,
    /// percent_rank()
    PercentRank,
    /// cume_dist()
    CumeDist,
    /// ntile(n)
    Ntile,
    /// first_value(x)
    FirstValue,
    /// last_value(x)
    LastValue,
    /// nth_value(x, n)
    NthValue,
    /// lead(x), lead(x, offset), lead(x, offset, default)
    Lead,
    /// lag(x), lag(x, offset), lag(x, offset, default)
    Lag,
}

/// The table.
pub(crate) const WINDOWS: [Window; 15] = [
    entry("cume_dist", 0, WindowFunction::CumeDist),
    entry("dense_rank", 0, WindowFunction::DenseRank),
    entry("first_value", 1, WindowFunction::FirstValue),
    entry("lag", 1, WindowFunction::Lag),
    entry("lag", 2, WindowFunction::Lag),
    entry("lag", 3, WindowFunction::Lag),
    entry("last_value", 1, WindowFunction::LastValue),
    entry("lead", 1, WindowFunction::Lead),
    entry("lead", 2, WindowFunction::Lead),
    entry("lead", 3, WindowFunction::Lead),
    entry("nth_value", 2, WindowFunction::NthValue),
    entry("ntile", 1, WindowFunction::Ntile),
    entry("percent_rank", 0, WindowFunction::PercentRank),
    entry("rank", 0, WindowFunction::Rank),
    entry("row_number", 0, WindowFunction::RowNumber),
];

const fn entry(name: &'static str, args: u16, kind: WindowFunction) -> Window {
    Window { name, args: Arity::Exactly(args), kind }
}

/// The state of a ranking function within one partition.
#[derive(Clone, Debug)]
pub struct Ranking {
    kind: WindowFunction,
    /// The number of added rows.
    added: i64,
    /// The number of removed rows.
    removed: i64,
    /// The number of groups of peers (dense_rank), or the number of the first row of the last group (rank).
    rank: i64,
    /// No row was added since the last call of [`Ranking::value`].
    is_answered: bool,
    /// The argument of ntile.
    buckets: i64,
}

impl Ranking {
    /// The state at the start of a partition; `None` for a function that is not a ranking.
    pub fn new(kind: WindowFunction) -> Option<Ranking> {
        match kind {
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumeDist
            | WindowFunction::Ntile => {
                Some(Ranking { kind, added: 0, removed: 0, rank: 0, is_answered: true, buckets: 0 })
            }
            WindowFunction::FirstValue
            | WindowFunction::LastValue
            | WindowFunction::NthValue
            | WindowFunction::Lead
            | WindowFunction::Lag => None,
        }
    }

    /// Adds a row to the frame.
    pub fn step(&mut self, args: &[ValueRef<'_>]) -> Result {
        if self.kind == WindowFunction::Ntile && self.added == 0 {
            self.buckets = cast::to_integer(arg(args, 0));
            if self.buckets <= 0 {
                return Err(FunctionError::new("argument of ntile must be a positive integer"));
            }
        }
        self.added += 1;
        if self.is_answered {
            self.is_answered = false;
            self.rank = if self.kind == WindowFunction::DenseRank { self.rank + 1 } else { self.added };
        }
        Ok(())
    }

    /// Removes a row from the frame.
    pub fn inverse(&mut self) {
        self.removed += 1;
    }

    /// The result for the current row, or for the current group of peers.
    pub fn value(&mut self, out: &mut Value) {
        self.is_answered = true;
        match self.kind {
            WindowFunction::RowNumber => out.set_integer(self.added),
            WindowFunction::Ntile => out.set_integer(self.bucket()),
            WindowFunction::CumeDist => out.set_real(self.removed as f64 / self.added as f64),
            WindowFunction::PercentRank if self.added > 1 => {
                out.set_real(self.removed as f64 / (self.added - 1) as f64);
            }
            WindowFunction::PercentRank => out.set_real(0.0),
            _ => out.set_integer(self.rank),
        }
    }

    /// If the rows cannot be divided evenly, the first buckets have one row more than the other ones.
    fn bucket(&self) -> i64 {
        let (size, larger) = (self.added / self.buckets, self.added % self.buckets);
        if size == 0 {
            return self.removed + 1;
        }
        let in_larger = larger * (size + 1);
        if self.removed < in_larger {
            1 + self.removed / (size + 1)
        } else {
            1 + larger + (self.removed - in_larger) / size
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_ten_rows() {
        for (count, expected) in [
            (1, [1; 10]),
            (3, [1, 1, 1, 1, 2, 2, 2, 3, 3, 3]),
            (4, [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]),
            (20, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ] {
            let mut ntile = Ranking::new(WindowFunction::Ntile).unwrap();
            (0..10).for_each(|_| ntile.step(&[ValueRef::Integer(count)]).unwrap());
            let mut out = Value::NULL;
            let answers = expected.map(|_| {
                ntile.value(&mut out);
                ntile.inverse();
                cast::to_integer(out.as_ref())
            });
            assert_eq!(answers, expected);
        }
    }

    #[test]
    fn peers_share_their_rank() {
        let groups = [2, 1, 3];
        for (kind, expected) in [(WindowFunction::Rank, [1, 3, 4]), (WindowFunction::DenseRank, [1, 2, 3])] {
            let mut ranking = Ranking::new(kind).unwrap();
            let mut out = Value::NULL;
            let answers = groups.map(|peers| {
                (0..peers).for_each(|_| ranking.step(&[]).unwrap());
                ranking.value(&mut out);
                cast::to_integer(out.as_ref())
            });
            assert_eq!(answers, expected);
        }
    }
}
