//! The part of a connection that compiled statements need: two databases in memory and a catalog.
//!
//! It is stricter than a real one in one point: a statement that ends with ABORT without a statement journal must have changed
//! nothing.

#![allow(dead_code)] // Not all tests that share this file use all of it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use bumpalo::Bump;
use lithe_btree::{Btree, Cursor};
use lithe_catalog::{BuildOptions, Catalog, NewObject, Schema, SchemaRow};
use lithe_codegen::CompileRequest;
use lithe_format::PageNo;
use lithe_format::db_header::Meta;
use lithe_format::record;
use lithe_pager::{BeginKind, OpenOptions, Pager};
use lithe_resolve::environment::{Environment, Flags, PlannedParameters};
use lithe_sql::ast::{Name, Statement};
use lithe_sql::{Limits, parse_statement};
use lithe_value::{Value, ValueRef};
use lithe_vfs::File;
use lithe_vm::connection_state::ConnectionState;
use lithe_vm::error::Error;
use lithe_vm::host::Host;
use lithe_vm::operand::{Db, OnConflict};
use lithe_vm::program::SchemaCheck;
use lithe_vm::vm::{Step, Vm};

/// The name and the declared type of a column.
pub type OutputColumn = (String, Option<String>);

pub struct Connection {
    btrees: [Rc<Btree>; 2],
    catalog: RefCell<Arc<Catalog>>,
    state: ConnectionState,
    has_journal: Cell<bool>,
    pub flags: Cell<Flags>,
}

/// A value of a row, or a message.
pub type Outcome = Result<Vec<Vec<Value>>, String>;

impl Connection {
    pub fn new() -> Connection {
        Connection {
            btrees: [memory_btree(), memory_btree()],
            catalog: RefCell::new(Arc::new(Catalog::new())),
            state: ConnectionState::default(),
            has_journal: Cell::new(false),
            flags: Cell::new(Flags::default()),
        }
    }

    /// Runs one statement.
    pub fn run(&self, sql: &str) -> Outcome {
        let arena = Bump::new();
        let environment = self.environment();
        let parsed = parse_statement(sql.as_bytes(), &arena, &environment.limits).map_err(|error| error.message)?;
        let Some(statement) = parsed.statement else { return Ok(Vec::new()) };
        let program = lithe_codegen::compile(&request(&statement, sql), &arena, &environment);
        let program = program.map_err(|error| error.into_report().message)?;
        if std::env::var_os("CHANGES_EXPLAIN").is_some() {
            eprintln!("-- {sql}");
            for (at, insn) in program.insns.iter().enumerate() {
                eprintln!("{at:4} {insn:?}");
            }
        }
        self.has_journal.set(false);
        let before = self.versions();
        for btree in &self.btrees {
            btree.pager().savepoint().unwrap();
        }
        let mut vm = Vm::new(program);
        let result = rows(&mut vm, self);
        drop(vm);
        if let Err(error) = &result
            && error.policy() != OnConflict::Fail
        {
            let is_unchanged = self.versions() == before;
            let is_abort = matches!(error, Error::Constraint(_)) && error.policy() == OnConflict::Abort;
            assert!(!is_abort || is_unchanged || self.has_journal.get(), "{sql}: changes without a statement journal");
            for btree in &self.btrees {
                btree.pager().rollback_to(0).unwrap();
            }
        }
        for btree in &self.btrees {
            btree.pager().release(0).unwrap();
        }
        result.map_err(|error| error.to_string())
    }

    /// The names and declared types of a statement's columns; or the message and the place of its error.
    pub fn columns(&self, sql: &str) -> Result<Vec<OutputColumn>, (String, Option<u32>)> {
        let arena = Bump::new();
        let environment = self.environment();
        let parsed = parse_statement(sql.as_bytes(), &arena, &environment.limits)
            .map_err(|error| (error.message, error.offset))?;
        let Some(statement) = parsed.statement else { return Ok(Vec::new()) };
        let program = lithe_codegen::compile(&request(&statement, sql), &arena, &environment);
        let program = program.map_err(|error| {
            let report = error.into_report();
            (report.message, report.offset)
        })?;
        Ok(program
            .columns
            .iter()
            .map(|column| (column.name.to_owned(), column.declared_type.map(str::to_owned)))
            .collect())
    }

    /// changes() and last_insert_rowid().
    pub fn counters(&self) -> (i64, i64) {
        (self.state.changes.get(), self.state.last_insert_rowid.get())
    }

    /// Faults of the main database: of its pages, and of indexes that do not have one entry for each row that belongs there.
    pub fn integrity_check(&self) -> Vec<String> {
        let catalog = Arc::clone(&self.catalog.borrow());
        let mut roots = Vec::new();
        let mut counted = Vec::new();
        for table in catalog.schema(Db::MAIN).tables() {
            let Some(root) = table.root else { continue };
            roots.push(root);
            let of_table = roots.len() - 1;
            for index in table.indexes.iter().filter(|index| index.root != table.root) {
                roots.extend(index.root);
                let rows = index.filter.as_ref().map(|filter| self.count(&table.name.to_string(), filter));
                counted.push((index.name.to_string(), of_table, roots.len() - 1, rows));
            }
        }
        let report = self.btrees[0].integrity_check(&roots, false, 10).unwrap();
        let mut messages = report.messages;
        for (name, table, index, rows) in counted {
            if rows.unwrap_or(report.counts[table]) != report.counts[index] {
                messages.push(format!("wrong # of entries in index {name}"));
            }
        }
        messages
    }

    fn count(&self, table: &str, filter: &[u8]) -> u64 {
        let filter = String::from_utf8_lossy(filter);
        let rows = self.run(&format!("select count(*) from {table} not indexed where {filter}")).unwrap();
        match rows[0][0].as_ref() {
            ValueRef::Integer(count) => count as u64,
            other => panic!("a count is an integer, not {other}"),
        }
    }

    fn environment(&self) -> Environment {
        Environment {
            catalog: Arc::clone(&self.catalog.borrow()),
            functions: Arc::default(),
            collations: Arc::default(),
            missing_collations: Vec::new(),
            limits: Limits::default(),
            flags: self.flags.get(),
            authorizer: Default::default(),
            shadow_tables: Default::default(),
            virtual_tables: Default::default(),
            overloaded: Default::default(),
            parameters: Vec::new(),
            planned_parameters: PlannedParameters::default(),
            measures: Default::default(),
            wanted: Default::default(),
        }
    }

    fn versions(&self) -> [u64; 2] {
        self.btrees.each_ref().map(|btree| btree.pager().write_version())
    }

    fn change_catalog(&self, change: impl FnOnce(&mut Catalog)) {
        change(Arc::make_mut(&mut self.catalog.borrow_mut()));
    }

    fn load(&self, db: Db, wanted: impl Fn(&SchemaRow<'_>) -> bool) {
        let btree = &self.btrees[usize::from(db.0)];
        let limits = Limits { loading_schema: true, ..Limits::default() };
        let options = BuildOptions::of_stored(&limits);
        let mut cursor = Cursor::table(PageNo::FIRST);
        let mut is_on_row = cursor.first(btree).unwrap();
        while is_on_row {
            let mut payload = vec![0; cursor.row(btree).unwrap().len() as usize];
            cursor.read_payload(btree, 0, &mut payload).unwrap();
            let values = record::values(&payload).unwrap();
            let text = |at: usize| values[at].bytes();
            let ValueRef::Integer(root) = values[3] else { panic!("a root page is an integer") };
            let row =
                SchemaRow { kind: text(0), name: text(1), table_name: text(2), root_page: Some(root), sql: text(4) };
            if wanted(&row) {
                self.change_catalog(|catalog| catalog.load_row(db, &row, 0, &options).unwrap());
            }
            is_on_row = cursor.next(btree).unwrap();
        }
    }
}

fn rows(vm: &mut Vm, host: &dyn Host) -> Result<Vec<Vec<Value>>, Error> {
    let mut rows = Vec::new();
    while vm.step(host)? == Step::Row {
        rows.push((0..vm.column_count()).map(|at| Value::from(vm.column(at))).collect());
    }
    Ok(rows)
}

fn memory_btree() -> Rc<Btree> {
    let pager = Pager::open_in_memory(&OpenOptions::default());
    pager.begin_read().unwrap();
    pager.begin_write(BeginKind::Immediate).unwrap();
    let btree = Btree::new(pager);
    btree.initialise().unwrap();
    Rc::new(btree)
}

impl Host for Connection {
    fn btree(&self, db: Db) -> Result<Rc<Btree>, Error> {
        Ok(Rc::clone(&self.btrees[usize::from(db.0)]))
    }

    fn temporary_btree(&self) -> Result<Rc<Btree>, Error> {
        Ok(memory_btree())
    }

    fn temporary_file(&self) -> Result<Arc<dyn File>, Error> {
        Err(Error::unsupported("temporary files"))
    }

    fn memory_budget(&self) -> usize {
        1 << 20
    }

    fn begin(&self, db: Db, _write: u8, check: Option<&SchemaCheck>) -> Result<(), Error> {
        let cookie = self.btrees[usize::from(db.0)].meta(Meta::SchemaCookie)?;
        assert_eq!(
            check.map(|check| check.cookie),
            Some(cookie),
            "every transaction checks the schema it was compiled for"
        );
        Ok(())
    }

    fn open_statement_journal(&self) -> Result<(), Error> {
        self.has_journal.set(true);
        Ok(())
    }

    fn set_cookie(&self, db: Db, index: u8, value: u32) -> Result<(), Error> {
        let meta = match index {
            1 => Meta::SchemaCookie,
            2 => Meta::SchemaFormat,
            5 => Meta::TextEncoding,
            _ => panic!("no statement sets meta value {index}"),
        };
        self.btrees[usize::from(db.0)].set_meta(meta, value)?;
        self.change_catalog(|catalog| match meta {
            Meta::SchemaCookie => catalog.schema_mut(db).cookie = value,
            Meta::SchemaFormat => catalog.schema_mut(db).file_format = value,
            _ => {}
        });
        Ok(())
    }

    fn parse_schema(&self, db: Db, condition: Option<&str>) -> Result<(), Error> {
        let object = condition.map(|condition| NewObject::parse(condition).unwrap());
        if object.is_none() {
            self.change_catalog(|catalog| {
                let old = Arc::clone(catalog.schema(db));
                let mut new = Schema::new(db == Db::TEMP);
                (new.cookie, new.file_format, new.encoding) = (old.cookie, old.file_format, old.encoding);
                catalog.set_schema(db, Arc::new(new));
            });
        }
        self.load(db, |row| object.is_none_or(|object| row.is_about(object)));
        Ok(())
    }

    fn drop_from_catalog(&self, db: Db, kind: u8, name: &str) {
        let name = Name::new(name.as_bytes());
        self.change_catalog(|catalog| {
            let schema = catalog.schema_mut(db);
            match kind {
                0 => drop(schema.remove_table(name)),
                1 => schema.remove_index(name),
                _ => schema.remove_trigger(name),
            }
        });
    }

    fn state(&self) -> &ConnectionState {
        &self.state
    }

    fn julian_millis(&self) -> i64 {
        0
    }

    fn local_offset(&self, _unix_seconds: i64) -> Option<i32> {
        None
    }

    fn randomness(&self, bytes: &mut [u8]) {
        bytes.fill(1);
    }

    fn is_interrupted(&self) -> bool {
        false
    }

    fn has_update_hook(&self) -> bool {
        false
    }

    fn update_hook(&self, _op: i32, _database: &str, _table: &str, _rowid: i64) {}
}

/// The statement, which must not be one of the engine's commands.
fn request<'a>(statement: &Statement<'a>, sql: &'a str) -> CompileRequest<'a> {
    let stmt = statement.program().expect("the tests have no commands");
    let (explain, parameter_count) = (statement.explain, statement.parameters.count);
    CompileRequest {
        stmt,
        sql: sql.as_bytes(),
        explain,
        parameter_count,
        select_count: statement.select_count,
        builders: None,
        evaluator: None,
    }
}
