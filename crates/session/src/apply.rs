//! Applies a changeset to a database; a handler of the application decides about conflicts.
//!
//! ```text
//!   change ── statement ──► applied
//!                 ├─ no row has the old values ──► the row exists:        DATA     ─┐
//!                 │                                it does not exist:     NOTFOUND  ├─► handler: OMIT, REPLACE, ABORT
//!                 └─ a constraint fails ─────────► the key exists:        CONFLICT  │
//!                                                  otherwise set aside; later       ┘  CONSTRAINT
//! ```
//!
//! Changes that were set aside are tried again after the other changes of the table, and again as long as some succeed. UPDATEs that block
//! each other, because they swap unique values, are made by way of a temporary value (see [`deferred`]).

use std::rc::Rc;

use lithe_vtab::{FunctionError, Grow, Result, RowOperation, SqlConnection, Value, code};

use crate::corrupt;
use crate::header::{Format, TableHeader, is_same_key};
use crate::input::Input;
use crate::iterator::{Change, ChangesetIterator};
use crate::record::{self, fields, is_defined};
use crate::schema::Schema;

mod deferred;
mod target;

use target::{Outcome, Target};

/// Why the handler is called, by SQLite's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Conflict {
    /// SQLITE_CHANGESET_DATA: the row of an UPDATE or DELETE has other values than the change's old ones.
    Data = 1,
    /// SQLITE_CHANGESET_NOTFOUND: the row does not exist.
    NotFound = 2,
    /// SQLITE_CHANGESET_CONFLICT: a row with the key of an INSERT exists.
    Conflict = 3,
    /// SQLITE_CHANGESET_CONSTRAINT: another constraint fails.
    Constraint = 4,
    /// SQLITE_CHANGESET_FOREIGN_KEY: foreign keys are violated at the end.
    ForeignKey = 5,
}

/// The answer of a handler, by SQLite's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Answer {
    /// SQLITE_CHANGESET_OMIT: the change is left out.
    Omit = 0,
    /// SQLITE_CHANGESET_REPLACE: the change is applied nevertheless. Only for [`Conflict::Data`] and [`Conflict::Conflict`].
    Replace = 1,
    /// SQLITE_CHANGESET_ABORT: the changeset is rolled back.
    Abort = 2,
}

/// Callbacks of the application while a changeset is applied.
pub trait Handler {
    /// Whether changes of a table are applied. Called once, before its first change.
    fn wants_table(&mut self, _table: &str) -> bool {
        true
    }

    /// Whether a change is applied.
    fn wants_change(&mut self, _change: &ChangesetIterator<'_>) -> bool {
        true
    }

    /// Decides about a conflict. `None`, or an answer that the conflict does not allow, is SQLITE_MISUSE.
    fn conflict(&mut self, conflict: Conflict, change: &ChangesetIterator<'_>) -> Option<Answer>;
}

/// Options of [`apply`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apply {
    /// Apply without a savepoint: after an error, the changes applied so far stay.
    pub no_savepoint: bool,
    /// Apply the inverse of the changeset.
    pub inverted: bool,
    /// Call no handler if the database is already as the change would make it.
    pub ignore_noop: bool,
    /// All foreign keys act as NO ACTION.
    pub foreign_keys_no_action: bool,
    /// Collect no rebase data.
    pub no_rebase: bool,
    /// Report UPDATEs that swap unique values as conflicts.
    pub no_update_loop: bool,
}

/// Applies a changeset or patchset to the main database. Answers the data for [`crate::Rebaser`], if there were conflicts.
///
/// # Errors
/// SQLITE_ABORT if the handler answers so, SQLITE_CONSTRAINT if foreign keys are violated at the end, SQLITE_CORRUPT for bytes that are not
/// a changeset, and those of statements. The changeset is rolled back then, unless [`Apply::no_savepoint`] is set.
pub fn apply(
    connection: &dyn SqlConnection,
    input: Input<'_>,
    handler: &mut dyn Handler,
    options: Apply,
) -> Result<Option<Vec<u8>>> {
    let before = options.foreign_keys_no_action.then(|| connection.set_foreign_keys_no_action(true));
    let applied = in_savepoint(connection, options, || {
        let mut applier = Applier {
            connection,
            changes: ChangesetIterator::new(input, options.inverted),
            handler,
            options,
            table: None,
            deferred: Vec::new(),
            defers: true,
            rebase: Vec::new(),
        };
        applier.apply_all()?;
        Ok(applier.rebase)
    });
    if let Some(before) = before {
        connection.set_foreign_keys_no_action(before);
    }
    applied.map(|rebase| (!rebase.is_empty()).then_some(rebase))
}

fn in_savepoint<T>(connection: &dyn SqlConnection, options: Apply, run: impl FnOnce() -> Result<T>) -> Result<T> {
    if !options.no_savepoint {
        connection.execute("SAVEPOINT changeset_apply")?;
    }
    let run = connection.execute("PRAGMA defer_foreign_keys = 1").and_then(|()| run());
    let ended = connection.execute("PRAGMA defer_foreign_keys = 0");
    if options.no_savepoint {
        return run.and_then(|value| ended.map(|()| value));
    }
    match run {
        Ok(value) => {
            connection.execute("RELEASE changeset_apply")?;
            Ok(value)
        }
        Err(error) => {
            // The first error is the one to report.
            let _ = connection.execute("ROLLBACK TO changeset_apply; RELEASE changeset_apply");
            Err(error)
        }
    }
}

/// The table of the current changes.
struct Current {
    header: Rc<TableHeader>,
    /// `None`: its changes are skipped.
    target: Option<Target>,
    /// Whether its header has been written to the rebase data.
    is_in_rebase: bool,
}

struct Applier<'a, 'i> {
    connection: &'a dyn SqlConnection,
    changes: ChangesetIterator<'i>,
    handler: &'a mut dyn Handler,
    options: Apply,
    table: Option<Current>,
    /// Changes of the table that failed a constraint.
    deferred: Vec<Change>,
    /// Whether such changes are set aside; otherwise the handler is called.
    defers: bool,
    rebase: Vec<u8>,
}

impl Applier<'_, '_> {
    fn apply_all(&mut self) -> Result {
        while self.changes.advance()? {
            if self.changes.is_empty() {
                continue;
            }
            let change = self.changes.change().map(Change::copied).transpose()?;
            let (Some(header), Some(change)) = (self.changes.table().cloned(), change) else {
                continue;
            };
            let is_same = self.table.as_ref().is_some_and(|table| table.header.is_like(&header));
            if !is_same {
                self.finish_table()?;
                self.begin_table(header)?;
            }
            let is_wanted = self.table.as_ref().is_some_and(|table| table.target.is_some());
            if is_wanted && self.handler.wants_change(&self.changes) {
                self.apply_change(&change)?;
            }
        }
        self.finish_table()?;
        self.check_foreign_keys()
    }

    fn begin_table(&mut self, header: Rc<TableHeader>) -> Result {
        let name = header.name().into_owned();
        let is_wanted = self.handler.wants_table(&name);
        let target = if is_wanted { self.find_table(&header, &name)? } else { None };
        self.table = Some(Current { header, target, is_in_rebase: false });
        Ok(())
    }

    /// The table, if it exists and has the columns and key of the changes.
    fn find_table(&self, header: &TableHeader, name: &str) -> Result<Option<Target>> {
        let schema = Schema::read(self.connection, "main", name, true)?;
        let (wanted, columns) = (header.column_count(), schema.as_ref().map_or(0, |schema| schema.columns.len()));
        let fits = |schema: &Schema| is_same_key(&header.primary_key, &schema.primary_key);
        let message = match schema {
            None => format!("sqlite3changeset_apply(): no such table: {name}"),
            Some(_) if columns < wanted => {
                format!("sqlite3changeset_apply(): table {name} has {columns} columns, expected {wanted} or more")
            }
            Some(schema) if fits(&schema) => return Ok(Some(Target::new(name, header, schema))),
            Some(_) => format!("sqlite3changeset_apply(): primary key mismatch for table {name}"),
        };
        self.connection.log(code::SCHEMA, &message);
        Ok(None)
    }

    fn check_foreign_keys(&mut self) -> Result {
        // Negative if rows that violated a foreign key before have got their parents.
        if self.connection.deferred_violations() <= 0 {
            return Ok(());
        }
        // SQLite's count is always 1.
        self.changes.fk_conflicts = Some(1);
        let answer = self.handler.conflict(Conflict::ForeignKey, &self.changes);
        self.changes.fk_conflicts = None;
        match answer {
            Some(Answer::Omit) => Ok(()),
            _ => Err(FunctionError::of_code(code::CONSTRAINT)),
        }
    }

    fn target(&mut self) -> Result<&mut Target> {
        let target = self.table.as_mut().and_then(|table| table.target.as_mut());
        target.ok_or(FunctionError::of_code(code::INTERNAL))
    }

    fn format(&self) -> Format {
        self.changes.format()
    }

    /// Whether a change has all values that its statement needs.
    fn is_whole(&self, change: &Change) -> bool {
        let Some(table) = &self.table else { return false };
        let is_needed = |column| self.format() == Format::Changeset || table.header.is_key(column);
        match change.operation {
            RowOperation::Insert => fields(&change.new).all(is_defined),
            RowOperation::Delete => {
                fields(&change.old).enumerate().all(|(column, old)| is_defined(old) || !is_needed(column))
            }
            // (As in SQLite, an UPDATE of a patchset changes something, and one of a changeset may change nothing.)
            RowOperation::Update => {
                let has_key = |(column, old)| !table.header.is_key(column) || is_defined(old);
                let changes = |(column, new)| !table.header.is_key(column) && is_defined(new);
                fields(&change.old).enumerate().all(has_key)
                    && (self.format() == Format::Changeset || fields(&change.new).enumerate().any(changes))
            }
        }
    }

    fn apply_change(&mut self, change: &Change) -> Result {
        let (connection, by_key) = (self.connection, self.format() == Format::Patchset);
        if !self.is_whole(change) {
            return Err(corrupt());
        }
        match self.target()?.run(connection, change, by_key)? {
            Outcome::Done => Ok(()),
            Outcome::Unchanged => self.not_as_expected(change),
            Outcome::Constraint if change.operation == RowOperation::Insert => self.insert_refused(change),
            Outcome::Constraint => self.constraint_failed(change),
        }
    }

    /// Handles a change for which no row has the key and the old values.
    fn not_as_expected(&mut self, change: &Change) -> Result {
        let connection = self.connection;
        let row = self.target()?.row(connection, change)?;
        if self.is_noop(change, row.is_some())? {
            self.note_for_rebase(change, Answer::Omit)?;
            return Ok(());
        }
        let Some(row) = row else {
            return self.ask(Conflict::NotFound, change, None).map(drop);
        };
        match self.ask(Conflict::Data, change, Some(&row))? {
            Answer::Replace => match self.target()?.run(connection, change, true)? {
                Outcome::Done => Ok(()),
                Outcome::Unchanged => self.ask(Conflict::NotFound, change, None).map(drop),
                Outcome::Constraint => self.constraint_failed(change),
            },
            _ => Ok(()),
        }
    }

    /// Handles an INSERT that fails a constraint.
    fn insert_refused(&mut self, change: &Change) -> Result {
        let connection = self.connection;
        let Some(row) = self.target()?.row(connection, change)? else { return self.constraint_failed(change) };
        if self.is_noop(change, true)? {
            self.note_for_rebase(change, Answer::Omit)?;
            return Ok(());
        }
        if self.ask(Conflict::Conflict, change, Some(&row))? != Answer::Replace {
            return Ok(());
        }
        let target = self.target()?;
        target.delete_by_key(connection, change)?;
        match target.run(connection, change, false)? {
            // As in SQLite, the old row stays deleted even if the new one is omitted later.
            Outcome::Constraint => self.constraint_failed(change),
            _ => Ok(()),
        }
    }

    /// Whether the database is already as the change would make it, and the options exclude such a conflict.
    fn is_noop(&mut self, change: &Change, has_row: bool) -> Result<bool> {
        if !self.options.ignore_noop {
            return Ok(false);
        }
        match has_row {
            false => Ok(change.operation == RowOperation::Delete),
            true => {
                let connection = self.connection;
                self.target()?.has_new_values(connection, change)
            }
        }
    }

    fn constraint_failed(&mut self, change: &Change) -> Result {
        if self.defers {
            return Ok(self.deferred.try_push(change.copied()?)?);
        }
        self.ask(Conflict::Constraint, change, None).map(drop)
    }

    /// Calls the handler; `row` is the record of the conflicting row.
    fn ask(&mut self, conflict: Conflict, change: &Change, row: Option<&[u8]>) -> Result<Answer> {
        let values = |row: &[u8]| fields(row).map(record::owned_value).collect::<std::result::Result<Vec<Value>, _>>();
        self.changes.conflict = row.map(values).transpose()?;
        let answer = self.handler.conflict(conflict, &self.changes);
        self.changes.conflict = None;
        match answer {
            Some(Answer::Abort) => Err(FunctionError::of_code(code::ABORT)),
            Some(Answer::Omit) => {
                self.note_for_rebase(change, Answer::Omit)?;
                Ok(Answer::Omit)
            }
            Some(Answer::Replace) if row.is_some() => {
                self.note_for_rebase(change, Answer::Replace)?;
                Ok(Answer::Replace)
            }
            _ => Err(FunctionError::of_code(code::MISUSE)),
        }
    }

    /// Adds the resolution of a conflict to the rebase data: the change, with an indirect byte that says whether it was applied.
    fn note_for_rebase(&mut self, change: &Change, answer: Answer) -> Result {
        let Some(table) = &mut self.table else { return Ok(()) };
        if self.options.no_rebase || self.changes.format() == Format::Patchset {
            return Ok(());
        }
        self.rebase.try_grow(2 + change.old.len() + change.new.len())?;
        if !table.is_in_rebase {
            table.header.push(&mut self.rebase, Format::Changeset)?;
            table.is_in_rebase = true;
        }
        let is_delete = change.operation == RowOperation::Delete;
        let operation = if is_delete { RowOperation::Delete } else { RowOperation::Insert };
        self.rebase.try_append(&[operation as i32 as u8, answer as i32 as u8])?;
        match change.operation {
            RowOperation::Delete => self.rebase.try_append(&change.old)?,
            RowOperation::Insert => self.rebase.try_append(&change.new)?,
            RowOperation::Update => {
                for (column, (old, new)) in fields(&change.old).zip(fields(&change.new)).enumerate() {
                    self.rebase.try_append(if table.header.is_key(column) { old } else { new })?;
                }
            }
        }
        Ok(())
    }
}
