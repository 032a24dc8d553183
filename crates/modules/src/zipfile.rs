//! `zipfile`: the members of a ZIP archive.
//!
//! ```sql
//! SELECT name, sz FROM zipfile('a.zip');                  -- a file or a BLOB, read-only
//! CREATE VIRTUAL TABLE temp.z USING zipfile('a.zip');     -- a file, readable and writable
//! SELECT zipfile(name, data) FROM documents;              -- an archive as a BLOB
//! ```
//!
//! | module | subject |
//! | --- | --- |
//! | `format` | an archive as bytes |
//! | `archive` | the members of an archive: reading, making, appending |
//! | `member` | members made from SQL values |
//! | `aggregate` | the aggregate `zipfile()`, and `zipfile_cds()` |
//!
//! Changes are kept in memory until the transaction commits. They are then appended to the file, followed by a new central directory, so
//! that after a crash the file is the old archive or the new one.

mod aggregate;
mod archive;
mod format;
mod member;

use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::rc::Rc;
use std::sync::Arc;

use lithe_value::cast::to_text;
use lithe_vtab::{
    Change, ColumnContext, ConnectRequest, Connected, FunctionError, Grow, IndexInfo, Module, ModuleKind, OnConflict,
    Pointer, Result, Risk, Scan, ScanPlan, SqlConnection, ValueRef, Values, VirtualCursor, VirtualTable, code,
    constraint, copied, lossy,
};

use crate::function::{dequoted, possible};
pub use aggregate::functions;
use archive::{Member, Source};

const DECLARATION: &str =
    "CREATE TABLE x(name PRIMARY KEY, mode, mtime, sz, rawdata, data, method, z HIDDEN) WITHOUT ROWID";

/// The columns.
const NAME: usize = 0;
const MODE: usize = 1;
const MTIME: usize = 2;
const SIZE: usize = 3;
const RAW_DATA: usize = 4;
const DATA: usize = 5;
const METHOD: usize = 6;
const ARCHIVE: usize = 7;

/// The kind of the pointer that is the hidden column's value: an `Arc<Member>`.
const POINTER_KIND: &[u8] = b"zipfile-member";

/// The module.
pub struct ZipFile;

impl Module for ZipFile {
    fn kind(&self) -> ModuleKind {
        ModuleKind::Eponymous
    }

    fn connect(&self, _: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        let file = match request.arguments {
            // The eponymous table has no file of its own.
            [] if request.table.eq_ignore_ascii_case(request.module) => None,
            [file] if !file.trim_ascii().is_empty() => Some(dequoted(&lossy(file)?)?),
            _ => return Err(FunctionError::new("zipfile constructor requires one argument")),
        };
        let table = ZipTable { file, ..ZipTable::default() };
        Ok(Connected { table: Box::new(table), declaration: DECLARATION.to_owned(), risk: Risk::DirectOnly })
    }
}

type Members = Vec<Arc<Member>>;

#[derive(Default)]
struct ZipTable {
    /// The name of the archive; None if each scan gets it as an argument.
    file: Option<String>,
    /// The current members, in a transaction that has changed the table.
    changed: RefCell<Option<Members>>,
    /// Whether the current members differ from the file.
    is_dirty: Cell<bool>,
    /// The members at each open savepoint, with the savepoint's number.
    savepoints: RefCell<Vec<(i32, Option<Members>)>>,
}

impl ZipTable {
    fn file(&self) -> Result<&str> {
        let missing = || FunctionError::new("zipfile: missing filename");
        self.file.as_deref().ok_or_else(missing)
    }

    /// The current members.
    fn members(&self) -> Result<Members> {
        match &*self.changed.borrow() {
            Some(members) => Ok(copied(members)?),
            None => Source::open(self.file()?)?.members(),
        }
    }

    /// Creates the file if it does not exist, and reads its members.
    fn begin_changes(&self) -> Result {
        let file = self.file()?;
        let unwritable =
            |_| FunctionError::quoting(code::ERROR, format_args!("zipfile: failed to open file {file} for writing"));
        let opened = possible(file.as_ref()).and_then(|file| OpenOptions::new().append(true).create(true).open(file));
        opened.map_err(unwritable)?;
        let members = Source::open(file)?.members()?;
        self.changed.replace(Some(members));
        Ok(())
    }

    fn forget(&self) {
        self.changed.take();
        self.savepoints.take();
        self.is_dirty.set(false);
    }
}

impl VirtualTable for ZipTable {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        (info.estimated_cost, info.estimated_rows) = (1000.0, 100);
        let is_it = |of: &lithe_vtab::IndexConstraint| of.column == ARCHIVE as i32 && of.op == constraint::EQ;
        if let Some(at) = info.constraints.iter().position(is_it) {
            if info.constraints.get(at).is_some_and(|of| !of.usable) {
                return Ok(false);
            }
            info.pass(at, 1, true);
            info.plan.number = 1;
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Scanned::default()))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn supports_constraints(&self) -> bool {
        true
    }

    fn begin(&self, _: &dyn SqlConnection) -> Result {
        self.begin_changes()
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        // The engine does not call `begin` in the transaction that creates the table.
        if self.changed.borrow().is_none() {
            self.begin_changes()?;
        }
        let mut members = self.members()?;
        let old = match change.old_key() {
            None => None,
            Some(name) => {
                let name = to_text(name);
                members.iter().position(|member| member.entry.name == *name)
            }
        };
        if change.columns().is_none() {
            old.map(|at| members.remove(at));
        } else {
            let made = member::made(change, old.and_then(|at| members.get(at)), connection.length_max())?;
            let is_made = |member: &Arc<Member>| member.entry.name == made.entry.name;
            let mut old = old;
            if let Some(other) = members.iter().position(is_made).filter(|other| Some(*other) != old) {
                if change.policy != OnConflict::Replace {
                    let name = String::from_utf8_lossy(&made.entry.name).into_owned();
                    return Err(FunctionError::with_code(code::CONSTRAINT, format!("duplicate name: \"{name}\"")));
                }
                members.remove(other);
                old = old.map(|at| if other < at { at - 1 } else { at });
            }
            match old.and_then(|at| members.get_mut(at)) {
                Some(place) => *place = Arc::new(made),
                None => members.try_push(Arc::new(made))?,
            }
        }
        self.changed.replace(Some(members));
        self.is_dirty.set(true);
        Ok(None)
    }

    fn sync(&self, _: &dyn SqlConnection) -> Result {
        let changed = self.changed.borrow();
        let Some(members) = changed.as_ref().filter(|_| self.is_dirty.get()) else { return Ok(()) };
        let unwritable = |_| FunctionError::new("error in fwrite()");
        let file = OpenOptions::new().read(true).write(true).open(self.file()?).map_err(unwritable)?;
        archive::append(&file, members)
    }

    fn commit(&self, _: &dyn SqlConnection) {
        self.forget();
    }

    fn rollback(&self, _: &dyn SqlConnection) {
        self.forget();
    }

    fn savepoint(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        let members = self.changed.borrow().as_deref().map(copied).transpose()?;
        self.savepoints.borrow_mut().push((savepoint, members));
        Ok(())
    }

    fn release(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        self.savepoints.borrow_mut().retain(|(number, _)| *number < savepoint);
        Ok(())
    }

    fn rollback_to(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        let mut savepoints = self.savepoints.borrow_mut();
        if let Some(at) = savepoints.iter().position(|(number, _)| *number >= savepoint) {
            savepoints.truncate(at + 1);
            if let Some((_, members)) = savepoints.last() {
                self.changed.replace(members.as_deref().map(copied).transpose()?);
            }
        }
        Ok(())
    }

    fn rename(&self, _: &dyn SqlConnection, _: &str) -> Result {
        Ok(())
    }
}

#[derive(Default)]
struct Scanned {
    members: Members,
    at: usize,
}

impl VirtualCursor for Scanned {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let table = scan.table::<ZipTable>()?;
        self.at = 0;
        self.members = match (arguments.values.first().filter(|_| plan.number == 1), &table.file) {
            (_, Some(_)) => table.members()?,
            (Some(ValueRef::Blob(bytes)), None) => Source::Bytes(Arc::new(copied(bytes)?)).members()?,
            (Some(file), None) => Source::open(&lossy(&to_text(*file))?)?.members()?,
            (None, None) => return Err(FunctionError::new("zipfile() function requires an argument")),
        };
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.members.len()
    }

    fn column(&mut self, scan: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some(member) = self.members.get(self.at) else { return Ok(()) };
        if answer.is_unchanged && column != NAME {
            answer.leaves_out = true;
            return Ok(());
        }
        let limit = scan.connection.length_max();
        let entry = &member.entry;
        let context = &mut *answer.context;
        match column {
            NAME => context.answer(ValueRef::Text(&entry.name)),
            MODE => context.answer(ValueRef::Integer(i64::from(entry.mode()))),
            MTIME => context.answer(ValueRef::Integer(entry.mtime())),
            SIZE => context.answer(ValueRef::Integer(i64::from(entry.size))),
            RAW_DATA | DATA if entry.is_directory() => context.answer(ValueRef::Null),
            RAW_DATA => context.answer(ValueRef::Blob(&member.raw(limit)?)),
            DATA => match member.data(limit)? {
                Some(data) => context.answer(ValueRef::Blob(&data)),
                None => context.answer(ValueRef::Null),
            },
            METHOD => context.answer(ValueRef::Integer(i64::from(entry.method))),
            _ => {
                let value = Box::new(Arc::clone(member));
                context.pointer = Some(Rc::new(Pointer { kind: POINTER_KIND.into(), value, number: None }));
                context.answer(ValueRef::Null)
            }
        }
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at as i64 + 1)
    }
}
