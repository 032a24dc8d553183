//! The state of a statement that is read without its connection's mutex: properties of its text, fixed when it is
//! prepared, and the state of its run, which the steps update. A thread may read them while another one runs the
//! statement, as in SQLite.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, Ordering};

use lithe_engine::{ParameterName, ParameterNames, SqlText, Statement};

/// Not started, at its end, or reset.
const IDLE: u8 = 0;
/// A step is under way, or has found a database locked.
const STEPPING: u8 = 1;
/// On a row.
const ON_ROW: u8 = 2;

/// The published state of one statement.
pub(crate) struct Published {
    /// Whether the statement changes no database.
    pub is_read_only: bool,
    /// How many parameters the statement has.
    pub parameter_count: c_int,
    parameters: ParameterNames,
    /// How many columns its rows have; a recompilation may change the number.
    column_count: AtomicI32,
    /// The number of the program of which these are the properties.
    program: AtomicU32,
    /// 1 for EXPLAIN, 2 for EXPLAIN QUERY PLAN.
    explain: AtomicU8,
    run: AtomicU8,
}

impl Published {
    /// The state of a statement that has just been compiled.
    pub fn new(statement: &Statement) -> Published {
        Published {
            is_read_only: statement.is_read_only(),
            parameter_count: statement.parameter_count() as c_int,
            parameters: ParameterNames::default(),
            column_count: AtomicI32::new(statement.column_count() as c_int),
            program: AtomicU32::new(statement.program_number()),
            explain: AtomicU8::new(statement.explain()),
            run: AtomicU8::new(IDLE),
        }
    }

    /// The name of a parameter of the statement, whose text is `sql`, with its prefix and a NUL.
    pub fn parameter_name(&self, sql: &SqlText, number: c_int) -> Option<&str> {
        let is_it = |parameter: &ParameterName<'_>| usize::try_from(number) == Ok(parameter.number());
        self.named_parameters(sql).find(is_it).map(ParameterName::name_with_nul)
    }

    /// The number of the parameter of that name.
    pub fn parameter_index(&self, sql: &SqlText, name: &[u8]) -> Option<c_int> {
        let is_it = |parameter: &ParameterName<'_>| parameter.name().as_bytes() == name;
        self.named_parameters(sql).find(is_it).map(|parameter| parameter.number() as c_int)
    }

    fn named_parameters(&self, sql: &SqlText) -> impl Iterator<Item = ParameterName<'_>> {
        let names = (self.parameter_count > 0).then(|| self.parameters.of(sql));
        names.into_iter().flatten()
    }

    /// How many columns its rows have.
    pub fn column_count(&self) -> c_int {
        self.column_count.load(Ordering::Relaxed)
    }

    /// How many values the current row has; 0 if there is no row.
    pub fn data_count(&self) -> c_int {
        if self.run.load(Ordering::Relaxed) == ON_ROW { self.column_count() } else { 0 }
    }

    /// Whether the statement has begun to run, and is neither at its end nor reset.
    pub fn is_running(&self) -> bool {
        self.run.load(Ordering::Relaxed) != IDLE
    }

    /// Whether the statement lists its program or its plan.
    pub fn explain(&self) -> c_int {
        self.explain.load(Ordering::Relaxed).into()
    }

    /// A run has begun, for which the statement may have been compiled again.
    #[inline]
    pub fn begin_run(&self, statement: &Statement) {
        if self.program.load(Ordering::Relaxed) != statement.program_number() {
            self.set_columns(statement);
        }
    }

    /// The statement was compiled again, or lists something else.
    pub fn set_columns(&self, statement: &Statement) {
        self.program.store(statement.program_number(), Ordering::Relaxed);
        self.explain.store(statement.explain(), Ordering::Relaxed);
        self.column_count.store(statement.column_count() as c_int, Ordering::Relaxed);
    }

    /// The step has found a database locked, before it did anything; the next one tries again.
    pub fn wait(&self) {
        self.run.store(STEPPING, Ordering::Relaxed);
    }

    /// A step begins.
    #[inline]
    pub fn begin_step(&self) {
        self.run.store(STEPPING, Ordering::Relaxed);
    }

    /// The step has ended, on a row or not.
    #[inline]
    pub fn end_step(&self, is_on_row: bool) {
        self.run.store(if is_on_row { ON_ROW } else { IDLE }, Ordering::Relaxed);
    }
}
