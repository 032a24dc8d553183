//! A step: to the next row, or to the end of the run.
//!
//! ```text
//!   step ──► step_usually     nothing is out of the ordinary: one look decides that
//!        └─► step_otherwise   begin ──► advance ──► conclude ──► finish; compiled again for another schema
//! ```
//!
//! A statement that is run again and again finds everything as its last run left it, and most of what a step has to heed never happens.

use lithe_vfs::ResultCode;
use lithe_vm::operand::OnConflict;

use super::{Body, Runner, Statement, Step};
use crate::connection::Connection;
use crate::connection::host::RunHost;
use crate::connection::under_way::UnderWay;
use crate::error::{Error, Result};

/// How often a statement is compiled again when other connections keep changing the schema.
const RECOMPILE_MAX: usize = 50;

impl Statement {
    /// Goes on to the next row, starting over after the end or an error.
    pub fn step(&mut self, connection: &Connection) -> Result<Step> {
        let under_way = UnderWay::begin(&connection.transaction);
        let stepped = self.step_on(connection);
        connection.step_ends();
        under_way.end();
        stepped?;
        Ok(if self.is_on_row { Step::Row } else { Step::Done })
    }

    /// Goes on to the next row (`is_on_row`), or to the end.
    #[inline]
    fn step_on(&mut self, connection: &Connection) -> Result<()> {
        self.assert_statement_state();
        self.is_on_row = false;
        match self.step_usually(connection) {
            None => self.step_otherwise(connection, 0),
            Some(Err(error)) if error.code() == ResultCode::SCHEMA => {
                self.follow_schema(connection)?;
                self.step_otherwise(connection, 1)
            }
            Some(result) => result,
        }
    }

    /// The next step, if it is a usual one. `None`, and nothing has happened, if it is not.
    #[inline]
    pub(super) fn step_usually(&mut self, connection: &Connection) -> Option<Result<()>> {
        let goes_on = if self.is_running { self.goes_on_usually(connection) } else { self.begins_usually(connection) };
        if !goes_on || !connection.is_usual() {
            return None;
        }
        let Runner::Program(vm) = &mut self.runner else { return None };
        let run = &self.run;
        if !self.is_running {
            connection.run_begins(run);
            run.is_stale.set(false);
            (self.is_running, self.has_begun) = (true, true);
        }
        connection.transaction.enter_step();
        if !vm.program().is_read_only {
            connection.state.note_write();
        }
        let advanced = connection.settings.with_real_digits(|| vm.advance(&RunHost { connection, run }));
        connection.transaction.leave_step();
        Some(match advanced {
            Ok(()) if connection.databases.has_no_new_faults() => {
                if vm.is_on_row() {
                    self.is_on_row = true;
                    Ok(())
                } else {
                    self.finish_usually(connection)
                }
            }
            advanced => {
                let is_row = vm.is_on_row();
                let policy = advanced.as_ref().map_or_else(|error| error.policy(), |()| OnConflict::Abort);
                self.conclude(connection, is_row, policy, advanced.err().map(|error| Error::from(*error)))
            }
        })
    }

    /// Whether a run begins for which [`Statement::begin`] has nothing to do but to note that it begins.
    #[inline]
    fn begins_usually(&self, connection: &Connection) -> bool {
        debug_assert!(!self.is_on_row && !self.is_under_locks, "the run before has ended");
        let is_current = !self.is_stale(connection) && !self.is_expired(connection) && !self.has_new_values;
        is_current && self.too_many_zeros == 0
    }

    /// Whether the run goes on from a row as if nothing had happened since.
    #[inline]
    fn goes_on_usually(&self, connection: &Connection) -> bool {
        !self.run.waits.get() && !connection.transaction.has_rolled_back_since(&self.run)
    }

    /// The program has come to its end.
    #[inline]
    fn finish_usually(&mut self, connection: &Connection) -> Result<()> {
        debug_assert!(self.is_running && !self.run.waits.get(), "a run that waits is not at its end");
        self.release_rows();
        if !connection.goes_on_after(&self.run) {
            return self.finish(connection, Ok(()));
        }
        connection.kept.end_orphaned(connection);
        self.is_running = false;
        self.leave_locks(connection);
        connection.statement_leaves(&self.run);
        Ok(())
    }

    /// The same, whatever the state. The statement was compiled again so many times.
    #[inline(never)]
    fn step_otherwise(&mut self, connection: &Connection, mut recompiled: usize) -> Result<()> {
        loop {
            if !self.is_running {
                self.begin(connection)?;
            } else if self.run.waits.take() {
                self.run.is_stale.set(self.is_stale(connection));
            }
            match self.advance(connection) {
                Err(error) if error.code() == ResultCode::SCHEMA && recompiled < RECOMPILE_MAX => {
                    recompiled += 1;
                    self.follow_schema(connection)?;
                }
                result => {
                    self.assert_statement_state();
                    return result;
                }
            }
        }
    }

    /// The invariants between two calls.
    #[track_caller]
    fn assert_statement_state(&self) {
        assert!(self.is_running || !self.is_on_row, "on a row of a run that has ended");
        assert!(self.is_running || !self.is_under_locks, "locks on tables of a run that has ended");
    }

    fn begin(&mut self, connection: &Connection) -> Result<()> {
        assert!(!self.is_running, "a run begins within another");
        (self.has_begun, self.is_refused) = (false, false);
        connection.transaction.check_unbroken()?;
        connection.check_memory()?;
        if self.too_many_zeros != 0 {
            return Err(Error::from_code(ResultCode::TOOBIG));
        }
        self.make_current(connection)?;
        connection.state.now.set(None);
        connection.run_begins(&self.run);
        self.run.is_stale.set(self.is_stale(connection));
        (self.is_running, self.has_begun) = (true, true);
        if connection.databases.shares_cache()
            && let Err(error) = self.lock_tables(connection)
        {
            let _ = self.end(connection, Some(&error));
            return Err(error);
        }
        Ok(())
    }

    /// Takes the locks on the tables of shared caches.
    #[cold]
    fn lock_tables(&mut self, connection: &Connection) -> Result<()> {
        let Body::Program(program) = &self.compiled.body else { return Ok(()) };
        let tables = connection.table_uses.of(program, &connection.catalog(), connection.generation.number());
        self.is_under_locks = connection.databases.lock_tables(&tables)?;
        if self.is_under_locks {
            connection.transaction.enter_locks();
        }
        Ok(())
    }

    fn advance(&mut self, connection: &Connection) -> Result<()> {
        debug_assert!(self.is_running && !self.is_on_row, "a run that has not begun goes on");
        connection.transaction.check_unbroken()?;
        if connection.transaction.notice_rollback(&self.run) {
            match &mut self.runner {
                Runner::Program(vm) => vm.trip(),
                Runner::Command(command) => command.trip(),
            }
        }
        if connection.databases.shares_cache() {
            connection.state.note_write(); // other connections of the cache may have written
            if let Err(error) = connection.databases.resume_shared() {
                let _ = self.end(connection, Some(&error));
                return Err(error);
            }
        }
        if let Err(error) = connection.databases.check_mappings() {
            let _ = self.end(connection, Some(&error));
            return Err(error);
        }
        let run = &self.run;
        let host = RunHost { connection, run };
        connection.transaction.enter_step();
        if !matches!(&self.runner, Runner::Program(vm) if vm.program().is_read_only) {
            connection.state.note_write();
        }
        let (mut policy, mut is_row) = (OnConflict::Abort, false);
        let failure = if connection.interrupts.is_set() {
            // A statement that begins or continues after an interruption, before all statements have stopped, is interrupted, too.
            if matches!(&self.compiled.body, Body::Program(program) if program.counts_changes) {
                connection.state.set_changes(0);
            }
            Some(Error::interrupted())
        } else {
            self.runner.run(&host, &mut is_row, &mut policy)
        };
        connection.transaction.leave_step();
        self.conclude(connection, is_row, policy, failure)
    }

    /// The machine has stopped: on a row, at the end, or with a failure.
    fn conclude(
        &mut self,
        connection: &Connection,
        is_row: bool,
        mut policy: OnConflict,
        failure: Option<Error>,
    ) -> Result<()> {
        // Pages that were read may have been zeros, so that neither a row nor another error is reliable.
        let failure = match connection.databases.check_mappings() {
            Ok(()) => failure,
            Err(error) => {
                policy = OnConflict::Abort;
                Some(error)
            }
        };
        let result = match failure {
            None if is_row => {
                self.is_on_row = true;
                return Ok(());
            }
            None => Ok(()),
            // As SQLite documents: interrupting a writer rolls its whole transaction back.
            Some(error) if error.code() == ResultCode::INTERRUPT && !self.is_read_only() => {
                Err((OnConflict::Rollback, error))
            }
            Some(error) => Err((policy, error)),
        };
        self.finish(connection, result)
    }

    fn finish(&mut self, connection: &Connection, result: Result<(), (OnConflict, Error)>) -> Result<()> {
        debug_assert!(self.is_running, "a run ends twice");
        self.release_rows();
        if self.run.waits.get() && self.can_wait && !connection.databases.shares_cache() {
            connection.note_waiting(&self.run, !self.is_read_only());
            return result.map_err(|(_, error)| error);
        }
        if self.run.waits.get() && self.counts_changes() {
            connection.state.set_changes(0);
        }
        connection.kept.end_orphaned(connection);
        self.is_running = false;
        self.leave_locks(connection);
        let run = &self.run;
        let changes = connection.state.changes.get();
        let has_run = result.is_ok();
        let result = result.and_then(|()| connection.statement_succeeds(run).map_err(|e| (OnConflict::Abort, e)));
        if self.counts_changes() {
            // What virtual tables have written for the commit is not the statement's.
            connection.state.changes.set(changes);
        }
        let result = match result {
            Ok(()) => Ok(()),
            Err((policy, error)) => {
                let undone = connection.statement_fails(run, error.code(), policy);
                if self.counts_changes() {
                    connection.state.changes.set(changes); // As above: OR FAIL may commit.
                }
                // The changes that were counted at the end of the program were rolled back, because the transaction
                // could not be committed.
                if self.counts_changes() && (has_run || undone.is_err()) {
                    connection.state.take_back_changes(changes);
                }
                match undone {
                    Err(why)
                        if why.code().primary() == ResultCode::BUSY
                            || why.code() == ResultCode::CONSTRAINT_COMMITHOOK =>
                    {
                        // The changes that OR FAIL keeps could not be committed. The message is still that of the
                        // violation, but not the code.
                        Err(Error::new(why.code(), error.message()))
                    }
                    undone => undone.and(Err(error)),
                }
            }
        };
        result?;
        connection.call_wal_hook()
    }

    pub(super) fn leave_locks(&mut self, connection: &Connection) {
        if std::mem::take(&mut self.is_under_locks) {
            connection.transaction.leave_locks();
        }
    }
}
