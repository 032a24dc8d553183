//! Compiling a statement again: for another schema, and as an EXPLAIN of itself.

use std::sync::Arc;

use lithe_sql::ast::Explain;
use lithe_value::Value;
use lithe_vfs::ResultCode;

use crate::connection::Connection;
use crate::connection::statement::{Body, Compiled, Runner, Statement};
use crate::error::{Error, Result};

impl Statement {
    /// Makes the statement behave as one of `sqlite3_prepare`: when it has expired, or the schema has changed, it is not compiled again
    /// but fails with SQLITE_SCHEMA.
    pub fn set_legacy(&mut self) {
        self.is_legacy = true;
    }

    /// Whether functions, collations, the authorizer or settings have changed since the statement was compiled, or its last run has found
    /// that the schema has, or has used the statement up.
    #[inline]
    pub fn is_expired(&self, connection: &Connection) -> bool {
        let known = self.compiled.stamp.expirations + self.run.own_expirations.get();
        self.found_other_schema || self.run.is_used_up.get() || known != connection.generation.stamp().expirations
    }

    /// Whether the schema has changed since the statement was compiled.
    pub(super) fn is_stale(&self, connection: &Connection) -> bool {
        self.compiled.stamp.schema != connection.generation.stamp().schema
    }

    /// Returns SQLITE_SCHEMA if the statement's schemas have changed. The old interface does not report other changes that make programs
    /// stale (limits, the pre-update hook).
    #[cold]
    fn refresh_legacy(&mut self, connection: &Connection) -> Result<()> {
        let schema_error = || Error::from_code(ResultCode::SCHEMA);
        let compiled = self.compile_text(connection, self.compiled.explain).map_err(|_| schema_error())?;
        if let (Body::Program(before), Body::Program(now)) = (&self.compiled.body, &compiled.body)
            && before.schema_cookies != now.schema_cookies
        {
            return Err(schema_error());
        }
        self.take_program(compiled)
    }

    /// The run has found another schema: compiles the statement again.
    #[cold]
    pub(super) fn follow_schema(&mut self, connection: &Connection) -> Result<()> {
        self.found_other_schema = true;
        self.run.late_error.take().map_or(Ok(()), Err)?;
        if self.is_legacy { self.refresh_legacy(connection) } else { self.recompile(connection) }
    }

    /// Compiles the statement again if it has expired, because functions or settings have changed, as the first step of a run does. (If
    /// only the schema has changed, the step begins the transaction first.)
    ///
    /// # Errors
    /// Those of compiling; SQLITE_SCHEMA for a statement of the old interface.
    #[inline]
    pub fn make_current(&mut self, connection: &Connection) -> Result<()> {
        debug_assert!(
            self.compiled.stamp.changes <= connection.generation.number(),
            "a statement of another connection"
        );
        if self.is_expired(connection) {
            if self.is_legacy {
                return Err(Error::from_code(ResultCode::SCHEMA));
            }
            self.refresh(connection)?;
        } else if self.has_new_values || self.is_stale_command(connection) {
            self.refresh(connection)?;
        }
        Ok(())
    }

    #[cold]
    fn refresh(&mut self, connection: &Connection) -> Result<()> {
        self.is_refused = true;
        self.recompile(connection)?;
        self.is_refused = false;
        Ok(())
    }

    /// Whether this is a command that was compiled for another schema.
    fn is_stale_command(&self, connection: &Connection) -> bool {
        matches!(&self.compiled.body, Body::Command(command) if command.uses_schema() && self.is_stale(connection))
    }

    /// Turns the statement into EXPLAIN (1) or EXPLAIN QUERY PLAN (2) of itself, or back (0). Bound values stay.
    ///
    /// # Errors
    /// SQLITE_ERROR for other numbers, SQLITE_BUSY while it runs, and the errors of compiling.
    pub fn set_explain(&mut self, connection: &Connection, mode: i32) -> Result<()> {
        const MODES: [Explain; 3] = [Explain::No, Explain::Program, Explain::QueryPlan];
        let mode = usize::try_from(mode).ok().and_then(|mode| MODES.get(mode));
        let mode = *mode.ok_or_else(|| Error::from_code(ResultCode::ERROR))?;
        if self.compiled.explain == mode {
            return Ok(());
        }
        if self.is_running() {
            return Err(Error::from_code(ResultCode::BUSY));
        }
        self.compile_again(connection, mode)
    }

    /// Compiles the text again, for the schema as it is now; bound values stay.
    pub(crate) fn recompile(&mut self, connection: &Connection) -> Result<()> {
        self.compile_again(connection, self.compiled.explain)?;
        self.reprepares += 1;
        Ok(())
    }

    fn compile_again(&mut self, connection: &Connection, explain: Explain) -> Result<()> {
        self.has_begun = false;
        self.end(connection, None)?;
        connection.check_interrupts()?;
        let compiled = self.compile_text(connection, explain)?;
        self.take_program(compiled)
    }

    /// Compiles the text against the current schema.
    fn compile_text(&self, connection: &Connection, explain: Explain) -> Result<Arc<Compiled>> {
        let values = self.planned_values(connection);
        let compile = || connection.compile_for(self.sql_text().as_bytes(), Some(explain), &values);
        let (compiled, _) = match self.compiled.no_virtual_tables {
            true => connection.settings.without_virtual_tables(compile)?,
            false => compile()?,
        };
        compiled.ok_or_else(|| Error::from_code(ResultCode::SCHEMA))
    }

    /// Replaces the program; bound values stay.
    fn take_program(&mut self, compiled: Arc<Compiled>) -> Result<()> {
        assert!(!self.is_running(), "a program is replaced while it runs");
        assert!(compiled.stamp.changes >= self.compiled.stamp.changes, "a program is replaced by an older one");
        let mut runner = Runner::new(&compiled);
        match (&mut self.runner, &mut runner) {
            (Runner::Program(old), Runner::Program(new)) => {
                new.take_bindings(old);
                *new.counters_mut() = *old.counters();
            }
            (Runner::Command(old), Runner::Command(new)) => new.take_bindings(old),
            // The engine runs an EXPLAIN; the machine runs the explained statement.
            (Runner::Program(old), Runner::Command(new)) => {
                (1..=compiled.parameter_count).for_each(|number| new.bind(number, Value::from(old.bound(number))));
            }
            (Runner::Command(old), Runner::Program(new)) => {
                for number in 1..=compiled.parameter_count {
                    new.bind(number, old.bound(number))?;
                }
            }
        }
        self.compiled = compiled;
        self.programs = self.programs.wrapping_add(1);
        self.own_sql = None;
        self.has_new_values = false;
        self.found_other_schema = false;
        self.run.own_expirations.set(0);
        self.run.is_used_up.set(false);
        self.runner = runner;
        Ok(())
    }
}
