//! The state of an aggregate between two rows, as a register holds it.

use lithe_functions::{AggregateState, BuiltinAccumulator, Ranking};

/// The state of an aggregate after the rows so far.
pub enum Accumulator {
    /// A built-in aggregate.
    Builtin(BuiltinAccumulator),
    /// A function that needs a window.
    Ranking(Ranking),
    /// An aggregate of the application.
    Custom(Box<dyn AggregateState>),
}
