//! Limits that an application may lower (`sqlite3_limit`).

use lithe_vm::connection_state::ConnectionState;

use super::Settings;

/// A limit, by SQLite's numbers (SQLITE_LIMIT_*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Limit {
    /// Bytes of a text, blob or row.
    Length = 0,
    /// Bytes of a statement.
    SqlLength = 1,
    /// Columns of a table, index, result or clause.
    Column = 2,
    /// The height of an expression.
    ExprDepth = 3,
    /// Terms of a compound SELECT.
    CompoundSelect = 4,
    /// Instructions of a program.
    VdbeOp = 5,
    /// Arguments of a function.
    FunctionArg = 6,
    /// Attached databases.
    Attached = 7,
    /// Bytes of a pattern of LIKE or GLOB.
    LikePatternLength = 8,
    /// The largest number of a parameter.
    VariableNumber = 9,
    /// How deep triggers fire triggers.
    TriggerDepth = 10,
    /// Helper threads of a statement. None are used.
    WorkerThreads = 11,
    /// The depth of the parser's stack.
    ParserDepth = 12,
    /// Objects of a schema. Not bounded here.
    Schema = 13,
    /// Statements of a trigger. Not bounded here.
    TriggerSteps = 14,
}

/// Every limit with its maximum, which is also its initial value.
const MAXIMA: [(Limit, i32); 15] = [
    (Limit::Length, 1_000_000_000),
    (Limit::SqlLength, 1_000_000_000),
    (Limit::Column, 2000),
    (Limit::ExprDepth, 1000),
    (Limit::CompoundSelect, 500),
    (Limit::VdbeOp, 250_000_000),
    (Limit::FunctionArg, 1000),
    (Limit::Attached, 10),
    (Limit::LikePatternLength, 50_000),
    (Limit::VariableNumber, 32_766),
    (Limit::TriggerDepth, 1000),
    (Limit::WorkerThreads, 8),
    (Limit::ParserDepth, 2500),
    (Limit::Schema, 10_000_000),
    (Limit::TriggerSteps, 65_000),
];

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const _: () = {
    let mut at = 0;
    while at < MAXIMA.len() {
        assert!(MAXIMA[at].0 as usize == at, "each limit stands at the place of its number");
        at += 1;
    }
};

/// The smallest limit on lengths, because messages and headers need that much.
const LENGTH_MIN: i32 = 30;

/// The limits that are only stored.
#[derive(Clone, Copy)]
pub(crate) struct OtherLimits {
    attached: i32,
    vdbe_op: i32,
    worker_threads: i32,
    schema: i32,
    trigger_steps: i32,
}

impl Default for OtherLimits {
    fn default() -> OtherLimits {
        OtherLimits { attached: 10, vdbe_op: 250_000_000, worker_threads: 0, schema: 10_000_000, trigger_steps: 65_000 }
    }
}

impl Limit {
    /// The limit of that number.
    pub fn from_number(number: i32) -> Option<Limit> {
        MAXIMA.iter().map(|(limit, _)| *limit).find(|limit| *limit as i32 == number)
    }

    fn max(self) -> i32 {
        MAXIMA[self as usize].1
    }
}

impl Settings {
    /// The value of a limit. `state` has the limits that running programs read.
    pub(crate) fn limit(&self, limit: Limit, state: &ConnectionState) -> i32 {
        let (limits, others) = (self.limits.get(), self.other_limits.get());
        let value = match limit {
            Limit::Length => state.length_max.get(),
            Limit::SqlLength => limits.sql_length,
            Limit::Column => limits.columns,
            Limit::ExprDepth => limits.expr_depth,
            Limit::CompoundSelect => limits.compound_select,
            Limit::VdbeOp => return others.vdbe_op,
            Limit::FunctionArg => limits.function_args,
            Limit::Attached => return others.attached,
            Limit::LikePatternLength => state.like_pattern_length_max.get(),
            Limit::VariableNumber => limits.variable_number,
            Limit::TriggerDepth => state.trigger_depth_max.get(),
            Limit::WorkerThreads => return others.worker_threads,
            Limit::ParserDepth => limits.parser_depth,
            Limit::Schema => return others.schema,
            Limit::TriggerSteps => return others.trigger_steps,
        };
        i32::try_from(value).unwrap_or(i32::MAX)
    }

    /// Sets a limit, to its maximum at most, and returns the value before. A negative value changes nothing.
    pub(crate) fn set_limit(&self, limit: Limit, value: i32, state: &ConnectionState) -> i32 {
        let before = self.limit(limit, state);
        if value < 0 {
            return before;
        }
        let least = if limit == Limit::Length { LENGTH_MIN } else { 0 };
        let value = value.clamp(least, limit.max());
        debug_assert!(before <= limit.max(), "a limit is above its maximum");
        let count = value.unsigned_abs();
        let (mut limits, mut others) = (self.limits.get(), self.other_limits.get());
        match limit {
            Limit::Length => state.length_max.set(count),
            Limit::SqlLength => limits.sql_length = count,
            Limit::Column => limits.columns = count,
            Limit::ExprDepth => limits.expr_depth = count,
            Limit::CompoundSelect => limits.compound_select = count,
            Limit::VdbeOp => others.vdbe_op = value,
            Limit::FunctionArg => limits.function_args = count,
            Limit::Attached => others.attached = value,
            Limit::LikePatternLength => state.like_pattern_length_max.set(count),
            Limit::VariableNumber => limits.variable_number = count,
            Limit::TriggerDepth => state.trigger_depth_max.set(count),
            Limit::WorkerThreads => others.worker_threads = value,
            Limit::ParserDepth => limits.parser_depth = count,
            Limit::Schema => others.schema = value,
            Limit::TriggerSteps => others.trigger_steps = value,
        }
        self.limits.set(limits);
        self.other_limits.set(others);
        // Texts that were compiled under other limits may fail now. Statements keep their programs.
        self.generation.add();
        before
    }
}
