//! Applying a changeset to a database, and asking what to do about conflicts.
//!
//! ```text
//!   change ── statement ──► applied
//!                 ├─ no row has the old values ──► the row is there: DATA      ─┐
//!                 │                                it is not:        NOTFOUND   ├─► handler: OMIT, REPLACE, ABORT
//!                 └─ a constraint fails ─────────► the key is there: CONFLICT   │
//!                                                  otherwise put aside; later   ┘   CONSTRAINT
//! ```
//!
//! What was put aside is tried again when the other changes of the table are made, and again as long as that helps. UPDATEs that
//! wait for one another, because they swap unique values, are made by way of another value (see [`waiting`]).

use std::rc::Rc;

use lithe_vtab::{FunctionError, Result, RowOperation, SqlConnection, code};

use crate::header::{Format, TableHeader, is_same_key};
use crate::input::Input;
use crate::iterator::{Change, ChangesetIterator};
use crate::record::{self, fields};
use crate::schema::Schema;

mod target;
mod waiting;

use target::{Outcome, Target};

/// Why a handler is asked, by SQLite's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Conflict {
    /// SQLITE_CHANGESET_DATA: the row that an UPDATE or DELETE is about has other values than it should have.
    Data = 1,
    /// SQLITE_CHANGESET_NOTFOUND: there is no such row.
    NotFound = 2,
    /// SQLITE_CHANGESET_CONFLICT: a row with the key of an INSERT is there.
    Conflict = 3,
    /// SQLITE_CHANGESET_CONSTRAINT: another constraint fails.
    Constraint = 4,
    /// SQLITE_CHANGESET_FOREIGN_KEY: in the end, foreign keys are violated.
    ForeignKey = 5,
}

/// What a handler answers, by SQLite's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Answer {
    /// SQLITE_CHANGESET_OMIT: the change is left out.
    Omit = 0,
    /// SQLITE_CHANGESET_REPLACE: the change is made all the same. Only for [`Conflict::Data`] and [`Conflict::Conflict`].
    Replace = 1,
    /// SQLITE_CHANGESET_ABORT: nothing of the changeset is applied.
    Abort = 2,
}

/// Asked while a changeset is applied.
pub trait Handler {
    /// Whether changes of a table are applied. Asked once, before its first change.
    fn wants_table(&mut self, _table: &str) -> bool {
        true
    }

    /// Whether a change is applied.
    fn wants_change(&mut self, _change: &ChangesetIterator<'_>) -> bool {
        true
    }

    /// What to do about a conflict. `None`, and what does not fit the conflict, is SQLITE_MISUSE.
    fn conflict(&mut self, conflict: Conflict, change: &ChangesetIterator<'_>) -> Option<Answer>;
}

/// How a changeset is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apply {
    /// Not within a savepoint: after an error, what was applied stays.
    pub no_savepoint: bool,
    /// The changeset that undoes this one is applied.
    pub inverted: bool,
    /// No handler is asked where the database is already as the change would make it.
    pub ignore_noop: bool,
    /// All foreign keys behave as if they said NO ACTION.
    pub foreign_keys_no_action: bool,
    /// Not asked for here: changesets are not rebased later.
    pub no_rebase: bool,
    /// UPDATEs that swap unique values among themselves are conflicts.
    pub no_update_loop: bool,
}

/// Applies a changeset or patchset to the main database. Answers what [`crate::Rebaser`] needs, if there were conflicts.
///
/// # Errors
/// SQLITE_ABORT if a handler says so, SQLITE_CONSTRAINT if foreign keys are violated in the end, SQLITE_CORRUPT for bytes that
/// are no changeset, and those of statements. Nothing is applied then, unless [`Apply::no_savepoint`] is set.
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
            set_aside: Vec::new(),
            puts_aside: true,
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
            // The first error counts.
            let _ = connection.execute("ROLLBACK TO changeset_apply; RELEASE changeset_apply");
            Err(error)
        }
    }
}

/// The table that changes are about.
struct Current {
    header: Rc<TableHeader>,
    /// `None`: its changes are left out.
    target: Option<Target>,
    /// What rebasing needs to know of this table begins with its header.
    is_in_rebase: bool,
}

struct Applier<'a, 'i> {
    connection: &'a dyn SqlConnection,
    changes: ChangesetIterator<'i>,
    handler: &'a mut dyn Handler,
    options: Apply,
    table: Option<Current>,
    /// Changes of the table that a constraint did not allow.
    set_aside: Vec<Change>,
    /// Whether such changes are put aside; otherwise the handler is asked.
    puts_aside: bool,
    rebase: Vec<u8>,
}

impl Applier<'_, '_> {
    fn apply_all(&mut self) -> Result {
        while self.changes.advance()? {
            let (Some(header), Some(change)) = (self.changes.table().cloned(), self.changes.change().cloned()) else {
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

    /// The table, if it is there and fits.
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
        // Below zero where rows that violated a key before have got their parents.
        if self.connection.deferred_violations() <= 0 {
            return Ok(());
        }
        // SQLite says that there are some, not how many.
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

    fn apply_change(&mut self, change: &Change) -> Result {
        let (connection, by_key) = (self.connection, self.format() == Format::Patchset);
        match self.target()?.run(connection, change, by_key)? {
            Outcome::Done => Ok(()),
            Outcome::Unchanged => self.not_as_expected(change),
            Outcome::Constraint if change.operation == RowOperation::Insert => self.insert_refused(change),
            Outcome::Constraint => self.constraint_failed(change),
        }
    }

    /// No row has the key and the old values.
    fn not_as_expected(&mut self, change: &Change) -> Result {
        let connection = self.connection;
        let row = self.target()?.row(connection, change)?;
        if self.is_noop(change, row.is_some())? {
            self.note_for_rebase(change, Answer::Omit);
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

    /// A constraint keeps a row from being inserted.
    fn insert_refused(&mut self, change: &Change) -> Result {
        let connection = self.connection;
        let Some(row) = self.target()?.row(connection, change)? else { return self.constraint_failed(change) };
        if self.is_noop(change, true)? {
            self.note_for_rebase(change, Answer::Omit);
            return Ok(());
        }
        if self.ask(Conflict::Conflict, change, Some(&row))? != Answer::Replace {
            return Ok(());
        }
        let target = self.target()?;
        target.delete_by_key(connection, change)?;
        match target.run(connection, change, false)? {
            // The old row stays deleted, as in SQLite, even if the new one is left out in the end.
            Outcome::Constraint => self.constraint_failed(change),
            _ => Ok(()),
        }
    }

    /// Whether the database is already as the change would make it, and the application does not want to be asked then.
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
        if self.puts_aside {
            self.set_aside.push(change.clone());
            return Ok(());
        }
        self.ask(Conflict::Constraint, change, None).map(drop)
    }

    /// Asks the handler; `row` is the record of the row that is in the way.
    fn ask(&mut self, conflict: Conflict, change: &Change, row: Option<&[u8]>) -> Result<Answer> {
        let values = |row: &[u8]| fields(row).map(|field| record::owned_value(field).unwrap_or_default()).collect();
        self.changes.conflict = row.map(values);
        let answer = self.handler.conflict(conflict, &self.changes);
        self.changes.conflict = None;
        match answer {
            Some(Answer::Abort) => Err(FunctionError::of_code(code::ABORT)),
            Some(Answer::Omit) => {
                self.note_for_rebase(change, Answer::Omit);
                Ok(Answer::Omit)
            }
            Some(Answer::Replace) if row.is_some() => {
                self.note_for_rebase(change, Answer::Replace);
                Ok(Answer::Replace)
            }
            _ => Err(FunctionError::of_code(code::MISUSE)),
        }
    }

    /// Notes how a conflict was resolved: a change whose indirect byte says whether the change was made.
    fn note_for_rebase(&mut self, change: &Change, answer: Answer) {
        let Some(table) = &mut self.table else { return };
        if self.options.no_rebase || self.changes.format() == Format::Patchset {
            return;
        }
        if !table.is_in_rebase {
            table.header.push(&mut self.rebase, Format::Changeset);
            table.is_in_rebase = true;
        }
        let is_delete = change.operation == RowOperation::Delete;
        let operation = if is_delete { RowOperation::Delete } else { RowOperation::Insert };
        self.rebase.extend([operation as i32 as u8, answer as i32 as u8]);
        match change.operation {
            RowOperation::Delete => self.rebase.extend_from_slice(&change.old),
            RowOperation::Insert => self.rebase.extend_from_slice(&change.new),
            RowOperation::Update => {
                for (column, (old, new)) in fields(&change.old).zip(fields(&change.new)).enumerate() {
                    self.rebase.extend_from_slice(if table.header.is_key(column) { old } else { new });
                }
            }
        }
    }
}
