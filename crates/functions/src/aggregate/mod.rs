//! Aggregate functions.
//!
//! Built-in aggregates run as a [`BuiltinAccumulator`], a plain enum in a register of the machine, without a box or a virtual
//! call. Aggregates of the application run as a box with an [`AggregateState`].
//!
//! Windows use the same states: [`BuiltinAccumulator::inverse`] removes the oldest row from a state that was created by
//! [`for_window`](BuiltinAccumulator::for_window).
//!
//! | module | its one subject |
//! | --- | --- |
//! | `sum` | sum, total, avg: integers exactly, reals with their rounding errors |
//! | `extreme` | min, max |
//! | `concat` | group_concat, string_agg |

mod concat;
mod extreme;
mod sum;

use lithe_value::{Collation, Value, ValueRef};

pub use concat::Concat;
pub use extreme::Extreme;
pub use sum::Sum;

use crate::context::Context;
use crate::error::{FunctionError, Result};
use crate::signature::{Arity, arg};

/// The built-in aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinAggregate {
    /// count(*)
    CountRows,
    /// count(x)
    Count,
    /// sum(x)
    Sum,
    /// total(x)
    Total,
    /// avg(x)
    Avg,
    /// min(x)
    Min,
    /// max(x)
    Max,
    /// group_concat(x), group_concat(x, separator), string_agg(x, separator)
    GroupConcat,
}

/// One entry of a table of aggregate functions.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate {
    /// The name, in small letters.
    pub name: &'static str,
    /// How many arguments.
    pub args: Arity,
    /// What it computes.
    pub kind: BuiltinAggregate,
}

/// The table.
pub(crate) const AGGREGATES: [Aggregate; 10] = [
    Aggregate { name: "avg", args: Arity::Exactly(1), kind: BuiltinAggregate::Avg },
    Aggregate { name: "count", args: Arity::Exactly(0), kind: BuiltinAggregate::CountRows },
    Aggregate { name: "count", args: Arity::Exactly(1), kind: BuiltinAggregate::Count },
    Aggregate { name: "group_concat", args: Arity::Exactly(1), kind: BuiltinAggregate::GroupConcat },
    Aggregate { name: "group_concat", args: Arity::Exactly(2), kind: BuiltinAggregate::GroupConcat },
    Aggregate { name: "max", args: Arity::Exactly(1), kind: BuiltinAggregate::Max },
    Aggregate { name: "min", args: Arity::Exactly(1), kind: BuiltinAggregate::Min },
    Aggregate { name: "string_agg", args: Arity::Exactly(2), kind: BuiltinAggregate::GroupConcat },
    Aggregate { name: "sum", args: Arity::Exactly(1), kind: BuiltinAggregate::Sum },
    Aggregate { name: "total", args: Arity::Exactly(1), kind: BuiltinAggregate::Total },
];

/// The state of a built-in aggregate.
#[derive(Clone, Debug)]
pub enum BuiltinAccumulator {
    /// count(*)
    CountRows(i64),
    /// count(x)
    Count(i64),
    /// sum(x)
    Sum(Sum),
    /// total(x)
    Total(Sum),
    /// avg(x)
    Avg(Sum),
    /// min(x) and max(x)
    Extreme(Extreme),
    /// group_concat and string_agg
    Concat(Concat),
}

impl BuiltinAccumulator {
    /// The state for no rows.
    pub fn new(kind: BuiltinAggregate) -> BuiltinAccumulator {
        match kind {
            BuiltinAggregate::CountRows => BuiltinAccumulator::CountRows(0),
            BuiltinAggregate::Count => BuiltinAccumulator::Count(0),
            BuiltinAggregate::Sum => BuiltinAccumulator::Sum(Sum::default()),
            BuiltinAggregate::Total => BuiltinAccumulator::Total(Sum::default()),
            BuiltinAggregate::Avg => BuiltinAccumulator::Avg(Sum::default()),
            BuiltinAggregate::Min => BuiltinAccumulator::Extreme(Extreme::smallest()),
            BuiltinAggregate::Max => BuiltinAccumulator::Extreme(Extreme::largest()),
            BuiltinAggregate::GroupConcat => BuiltinAccumulator::Concat(Concat::default()),
        }
    }

    /// The state for no rows, which also keeps the data for [`inverse`](Self::inverse).
    pub fn for_window(kind: BuiltinAggregate) -> BuiltinAccumulator {
        match BuiltinAccumulator::new(kind) {
            BuiltinAccumulator::Extreme(extreme) => BuiltinAccumulator::Extreme(extreme.for_window()),
            BuiltinAccumulator::Concat(concat) => BuiltinAccumulator::Concat(concat.for_window()),
            other => other,
        }
    }

    /// Adds a row. `length_max` bounds the text that group_concat builds.
    #[inline]
    pub fn step(&mut self, args: &[ValueRef<'_>], collation: &Collation, length_max: usize) -> Result {
        match self {
            BuiltinAccumulator::CountRows(count) => *count += 1,
            BuiltinAccumulator::Count(count) => *count += i64::from(!arg(args, 0).is_null()),
            BuiltinAccumulator::Sum(sum) | BuiltinAccumulator::Total(sum) | BuiltinAccumulator::Avg(sum) => {
                sum.step(arg(args, 0));
            }
            BuiltinAccumulator::Extreme(extreme) => {
                extreme.step(arg(args, 0), collation);
            }
            BuiltinAccumulator::Concat(concat) => {
                return concat.step(arg(args, 0), args.get(1).copied(), length_max);
            }
        }
        Ok(())
    }

    /// Removes the oldest row.
    pub fn inverse(&mut self, args: &[ValueRef<'_>]) {
        match self {
            BuiltinAccumulator::CountRows(count) => *count -= 1,
            BuiltinAccumulator::Count(count) => *count -= i64::from(!arg(args, 0).is_null()),
            BuiltinAccumulator::Sum(sum) | BuiltinAccumulator::Total(sum) | BuiltinAccumulator::Avg(sum) => {
                sum.inverse(arg(args, 0));
            }
            BuiltinAccumulator::Extreme(extreme) => extreme.inverse(),
            BuiltinAccumulator::Concat(concat) => concat.inverse(arg(args, 0)),
        }
    }

    /// The result for the rows so far; more may follow.
    pub fn value(&self, out: &mut Value) -> Result {
        match self {
            BuiltinAccumulator::CountRows(count) | BuiltinAccumulator::Count(count) => out.set_integer(*count),
            BuiltinAccumulator::Sum(sum) => match sum.sum() {
                Ok(value) => out.set(value),
                Err(sum::Overflow) => return Err(FunctionError::new("integer overflow")),
            },
            BuiltinAccumulator::Total(sum) => out.set_real(sum.total()),
            BuiltinAccumulator::Avg(sum) => out.set(sum.average()),
            BuiltinAccumulator::Extreme(extreme) => out.set(extreme.value()),
            BuiltinAccumulator::Concat(concat) => concat.value(out)?,
        }
        Ok(())
    }
}

/// An aggregate function of the application.
pub trait AggregateFunction {
    /// The state for no rows.
    fn start(&self) -> Box<dyn AggregateState>;

    /// Whether states can remove rows (xInverse), so that OVER may follow the function.
    fn has_inverse(&self) -> bool {
        false
    }

    /// As [`ScalarFunction::removed`](crate::signature::ScalarFunction::removed).
    fn removed(&self) {}
}

/// The state of an aggregate of the application after the rows so far.
pub trait AggregateState {
    /// Adds a row.
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result;

    /// Removes the oldest row. Only called for functions whose `has_inverse` is true.
    fn inverse(&mut self, _context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
        Err(FunctionError::new("aggregate without an inverse used as a window function"))
    }

    /// Stores the result for the rows so far in [`Context::out`]; more rows may follow.
    fn value(&mut self, context: &mut Context<'_>) -> Result;

    /// Stores the result for all rows; no row follows.
    fn finish(&mut self, context: &mut Context<'_>) -> Result {
        self.value(context)
    }
}
