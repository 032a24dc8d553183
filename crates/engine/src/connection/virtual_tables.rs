//! Virtual tables: the application's modules, the tables that they are connected to, and those tables' part in transactions.
//!
//! ```text
//!   create_module ──► modules            by name
//!   the compiler meets a table           VirtualState::Unconnected: compiling stops,
//!        └─► connect ──► module          the table gets its columns, and a number under which plans and programs know it,
//!                                        and the statement is compiled again
//! ```
//!
//! A table is disconnected when the catalog no longer has it: its schema was read anew, it was dropped, its module was removed. A
//! user of the table, such as a running statement, keeps it until it is done.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hashbrown::HashMap;
use lithe_catalog::{
    ConnectedTable, NameBuf, Schema, Table, TableKind, VirtualState, VirtualTable as Definition, connect_table,
};
use lithe_resolve::environment::ShadowTables;
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::{Db, VirtualId};
use lithe_vm::virtual_table::{
    ConnectRequest, Connected, Module, ModuleKind, Risk, VirtualTable, VirtualTables as ConnectedTables,
};

use crate::connection::Connection;
use crate::error::{Error, Result};

/// The virtual tables of a connection.
#[derive(Default)]
pub(crate) struct VirtualTables {
    /// By name in small letters.
    modules: RefCell<Modules>,
    pub(crate) connected: ConnectedTables,
    /// Those that have joined the transaction.
    joined: RefCell<Vec<Rc<Joined>>>,
    /// Methods of modules that are being called at the moment, but for those of scans and changes.
    within: Cell<u32>,
    /// Tables whose modules are being asked at the moment.
    connecting: RefCell<Vec<(Db, String)>>,
}

/// A table that takes part in the transaction.
struct Joined {
    id: VirtualId,
    table: Rc<dyn VirtualTable>,
    /// So many savepoints it has been told of.
    savepoints: Cell<i32>,
}

impl From<Error> for lithe_functions::FunctionError {
    fn from(error: Error) -> Self {
        lithe_functions::FunctionError { code: error.code().0, message: error.message().to_owned().into() }
    }
}

type Modules = HashMap<String, Rc<dyn Module>>;

fn find_module<'m>(modules: &'m Modules, name: &NameBuf) -> Option<&'m Rc<dyn Module>> {
    modules.get(&name.name().to_str_lossy().to_ascii_lowercase())
}

/// Whether a table of that name would be one in which the virtual table `x` of some module stores what it has: `x_suffix`.
fn is_shadow_name(schema: &Schema, modules: &Modules, name: &[u8]) -> bool {
    let Some(at) = name.iter().rposition(|byte| *byte == b'_') else { return false };
    let (owner, suffix) = (Name::new(&name[..at]), String::from_utf8_lossy(&name[at + 1..]));
    let table = schema.table(owner);
    let module = table.and_then(|table| find_module(modules, &table.virtual_table()?.module));
    module.is_some_and(|module| module.is_shadow_name(&suffix))
}

/// The error of a module.
fn failed(error: lithe_functions::FunctionError) -> Error {
    let code = ResultCode(error.code);
    if error.message.is_empty() { Error::from_code(code) } else { Error::new(code, error.message) }
}

impl Connection {
    /// Adds a module for virtual tables, in place of one of the same name (`None`: removes that one). Tables that are made
    /// without CREATE VIRTUAL TABLE are there at once.
    pub fn create_module(&self, name: &str, module: Option<Box<dyn Module>>) {
        let key = name.to_ascii_lowercase();
        let is_eponymous = module.as_ref().is_some_and(|module| module.kind() != ModuleKind::Ordinary);
        let before = {
            let mut modules = self.virtual_tables.modules.borrow_mut();
            match module {
                Some(module) => modules.insert(key, Rc::from(module)),
                None => modules.remove(&key),
            }
        };
        self.change_catalog(|catalog| {
            if before.is_some() || is_eponymous {
                catalog.remove_table_function(Name::new(name.as_bytes()));
            }
            if is_eponymous {
                let module = NameBuf::from(name);
                let definition = Definition { module: module.clone(), ..Definition::default() };
                let kind = TableKind::Virtual(definition);
                catalog.add_table_function(Table { name: module, kind, ..Table::default() });
            }
        });
        self.let_go_of_virtual_tables();
        // Dropped when nothing is borrowed any more: its end may come back to the connection.
        drop(before);
    }

    /// Removes all modules but these.
    pub fn drop_modules(&self, keep: &[&str]) {
        let names: Vec<String> = self.virtual_tables.modules.borrow().keys().cloned().collect();
        for name in names.iter().filter(|name| !keep.iter().any(|kept| kept.eq_ignore_ascii_case(name))) {
            self.create_module(name, None);
        }
    }

    /// The names of all modules.
    pub(crate) fn module_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.virtual_tables.modules.borrow().keys().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Whether the table of `db` is one in which the virtual table `x` of some module stores what it has: `x_suffix`.
    pub(crate) fn is_shadow_table(&self, db: Db, name: &[u8]) -> bool {
        is_shadow_name(self.catalog().schema(db), &self.virtual_tables.modules.borrow(), name)
    }

    /// A defensive connection leaves the tables in which virtual tables store what they have to these: to statements that
    /// their methods run.
    pub(crate) fn shadow_tables(&self) -> ShadowTables {
        if !self.compile_flags.get().defensive || self.may_be_within_method() {
            return ShadowTables::default();
        }
        let (catalog, modules) = (self.catalog(), self.virtual_tables.modules.borrow().clone());
        ShadowTables::protected(move |name| {
            catalog.databases().iter().any(|database| is_shadow_name(&database.schema, &modules, name.as_bytes()))
        })
    }

    /// Whether what is compiled now may be a method's own statement: a step is under way, or a method is.
    fn may_be_within_method(&self) -> bool {
        self.transaction.executing.get() > 0 || self.virtual_tables.within.get() > 0
    }

    /// Calls a method of a module, which may run statements of its own: a commit at the end of a statement does so when
    /// no step is under way any more.
    fn within_method<T>(&self, call: impl FnOnce() -> T) -> T {
        let within = &self.virtual_tables.within;
        within.set(within.get() + 1);
        let result = call();
        within.set(within.get() - 1);
        result
    }

    /// Whether what is compiled now may do what the same text may not at other times.
    pub(crate) fn is_privileged(&self) -> bool {
        self.compile_flags.get().defensive && self.may_be_within_method()
    }

    fn module(&self, name: &NameBuf) -> Option<Rc<dyn Module>> {
        find_module(&self.virtual_tables.modules.borrow(), name).cloned()
    }

    /// The definition of a virtual table that the catalog has.
    fn virtual_definition(&self, db: Db, name: Name<'_>) -> Result<Table> {
        let catalog = self.catalog();
        let of_schema = catalog.schema(db).table(name);
        let found = of_schema.or_else(|| catalog.table_function(name));
        let table = found.filter(|table| table.virtual_table().is_some());
        table.map(|table| Table::clone(table)).ok_or_else(|| Error::generic(format!("no such table: {name}")))
    }

    /// Asks the table's module for it, if that has not been done.
    pub(crate) fn connect_virtual(&self, db: Db, name: Name<'_>) -> Result<()> {
        let table = self.virtual_definition(db, name)?;
        let is_connected = |connected: &ConnectedTable| self.virtual_tables.connected.get(connected.id.0).is_some();
        if table.connected().is_some_and(is_connected) {
            return Ok(());
        }
        self.make_virtual(db, &table, false).map(|_| ())
    }

    /// The table's columns are wanted: if it is a virtual one, its module is asked what they are.
    pub(crate) fn connect_if_virtual(&self, db: Db, table: &Table) -> Result<()> {
        match table.virtual_table().map(|table| table.state) {
            Some(VirtualState::Unconnected) => self.connect_virtual(db, table.name.name()),
            _ => Ok(()),
        }
    }

    /// CREATE VIRTUAL TABLE: the table takes part in the transaction from the beginning.
    pub(crate) fn create_virtual(&self, db: Db, name: Name<'_>) -> Result<()> {
        let table = self.virtual_definition(db, name)?;
        let id = self.make_virtual(db, &table, true)?;
        self.join(id, |_| Ok(()))
    }

    /// Asks the module for a table, new or old, and puts it into the catalog.
    fn make_virtual(&self, db: Db, table: &Table, is_new: bool) -> Result<VirtualId> {
        let Some(definition) = table.virtual_table() else { return Err(Error::from_code(ResultCode::INTERNAL)) };
        let name = table.name.to_string();
        let is_eponymous = self.catalog().schema(db).table(table.name.name()).is_none();
        let module = self.module(&definition.module).filter(|module| match module.kind() {
            ModuleKind::Ordinary | ModuleKind::Eponymous => true,
            ModuleKind::EponymousOnly => is_eponymous,
        });
        let Some(module) = module else { return Err(Error::no_such_module(&definition.module)) };
        let key = (db, name.to_ascii_lowercase());
        if self.virtual_tables.connecting.borrow().contains(&key) {
            return Err(Error::new(ResultCode::LOCKED, format!("vtable constructor called recursively: {name}")));
        }
        self.virtual_tables.connecting.borrow_mut().push(key);
        let asked = self.ask_module(&*module, db, &name, definition, is_new);
        self.virtual_tables.connecting.borrow_mut().pop();
        let Connected { table: made, declaration, risk } = asked.map_err(|error| {
            let code = ResultCode(error.code);
            let message = if error.message.is_empty() {
                format!("vtable constructor failed: {name}")
            } else {
                error.message.into_owned()
            };
            Error::new(code, message)
        })?;
        if declaration.is_empty() {
            return Err(Error::generic(format!("vtable constructor did not declare schema: {name}")));
        }
        let is_writable = made.is_writable();
        let id = VirtualId(self.virtual_tables.connected.add(made));
        let connected = ConnectedTable { id, is_writable, key: None, risk };
        let limits = self.limits.get();
        let table = connect_table(table, declaration.as_bytes(), connected, &limits).inspect_err(|_| {
            self.virtual_tables.connected.retain(|known| known != id.0);
        })?;
        self.change_catalog(|catalog| match is_eponymous {
            true => catalog.add_table_function(table),
            false => catalog.schema_mut(db).replace_table(table),
        });
        Ok(id)
    }

    fn ask_module(
        &self,
        module: &dyn Module,
        db: Db,
        name: &str,
        definition: &Definition,
        is_new: bool,
    ) -> lithe_vm::virtual_table::Result<Connected> {
        let database = self.catalog().database_name(db).to_string();
        let module_name = definition.module.to_string();
        let arguments: Vec<&[u8]> = definition.arguments.iter().map(|argument| &**argument).collect();
        let request = ConnectRequest { module: &module_name, database: &database, table: name, arguments: &arguments };
        self.within_method(|| if is_new { module.create(self, &request) } else { module.connect(self, &request) })
    }

    /// The table that the catalog has under that name, which is connected.
    fn connected_table(&self, db: Db, name: Name<'_>) -> Result<(VirtualId, Rc<dyn VirtualTable>)> {
        self.connect_virtual(db, name)?;
        let table = self.virtual_definition(db, name)?;
        let found = table
            .connected()
            .and_then(|connected| Some((connected.id, self.virtual_tables.connected.get(connected.id.0)?)));
        found.ok_or_else(|| Error::generic(format!("no such table: {name}")))
    }

    /// The virtual table of that name, which is connected if it was not.
    pub(crate) fn virtual_table_named(&self, db: Db, name: Name<'_>) -> Result<Rc<dyn VirtualTable>> {
        Ok(self.connected_table(db, name)?.1)
    }

    /// DROP TABLE: what the table stores goes.
    pub(crate) fn destroy_virtual(&self, db: Db, name: Name<'_>) -> Result<()> {
        let (id, table) = self.connected_table(db, name)?;
        let is_joined = self.virtual_tables.joined.borrow().iter().any(|joined| joined.id == id);
        // The connection's own, this one, and that of the transaction.
        let own = 2 + usize::from(is_joined);
        if Rc::strong_count(&table) > own {
            return Err(Error::new(ResultCode::LOCKED, ResultCode::LOCKED.text()));
        }
        let destroying = &self.transaction.destroying;
        destroying.set(destroying.get() + 1);
        let destroyed = self.within_method(|| table.destroy(self)).map_err(failed);
        destroying.set(destroying.get() - 1);
        destroyed
    }

    /// ALTER TABLE RENAME.
    pub(crate) fn rename_virtual(&self, db: Db, name: Name<'_>, to: &str) -> Result<()> {
        let (_, table) = self.connected_table(db, name)?;
        self.within_method(|| table.rename(self, to)).map_err(failed)
    }

    /// What is wrong with what a virtual table stores.
    pub(crate) fn check_virtual(&self, db: Db, name: Name<'_>, is_quick: bool) -> Result<Option<String>> {
        let (_, table) = self.connected_table(db, name)?;
        let database = self.catalog().database_name(db).to_string();
        let name = name.to_str_lossy();
        self.within_method(|| table.integrity(self, &database, &name, is_quick)).map_err(failed)
    }

    /// Lets go of the tables that the catalog does not know (any more).
    pub(crate) fn let_go_of_virtual_tables(&self) {
        if self.virtual_tables.connected.is_empty() {
            return;
        }
        let catalog = self.catalog();
        let known: Vec<u32> = catalog.virtual_tables().map(|connected| connected.id.0).collect();
        self.virtual_tables.connected.retain(|id| known.contains(&id));
    }

    /// Whether a module may say that this is what its columns are.
    ///
    /// # Errors
    /// What is wrong with the declaration.
    pub fn check_declaration(&self, declaration: &str) -> Result<()> {
        let kind = TableKind::Virtual(Definition::default());
        let table = Table { kind, ..Table::default() };
        let connected = ConnectedTable { id: VirtualId(0), is_writable: false, key: None, risk: Risk::default() };
        connect_table(&table, declaration.as_bytes(), connected, &self.limits.get())?;
        Ok(())
    }

    /// Lets go of all virtual tables: before it is closed a connection does not keep statements that they may have. They
    /// are connected again if they are used again.
    pub fn disconnect_virtual_tables(&self) {
        self.virtual_tables.connected.retain(|_| false);
    }

    /// The connection is closed: it lets go of everything.
    pub(crate) fn close_virtual_tables(&self) {
        let joined = self.virtual_tables.joined.take();
        self.within_method(|| joined.iter().for_each(|joined| joined.table.rollback(self)));
        drop(joined);
        self.virtual_tables.connected.retain(|_| false);
        let modules = self.virtual_tables.modules.take();
        drop(modules);
    }

    // ---- transactions ----

    /// The table is about to be changed: it joins the transaction, if it has not.
    pub(crate) fn begin_virtual(&self, id: VirtualId) -> Result<()> {
        self.join(id, |table| self.within_method(|| table.begin(self)).map_err(failed))
    }

    fn join(&self, id: VirtualId, begin: impl FnOnce(&dyn VirtualTable) -> Result<()>) -> Result<()> {
        if self.virtual_tables.joined.borrow().iter().any(|joined| joined.id == id) {
            return Ok(());
        }
        let Some(table) = self.virtual_tables.connected.get(id.0) else {
            return Err(Error::from_code(ResultCode::SCHEMA));
        };
        begin(&*table)?;
        let last = self.virtual_savepoint(self.transaction.depth()) - 1;
        let joined = Joined { id, table: Rc::clone(&table), savepoints: Cell::new(last + 1) };
        self.virtual_tables.joined.borrow_mut().push(Rc::new(joined));
        if last < 0 { Ok(()) } else { self.within_method(|| table.savepoint(self, last)).map_err(failed) }
    }

    fn joined(&self) -> Vec<Rc<Joined>> {
        self.virtual_tables.joined.borrow().clone()
    }

    /// The first half of a commit. What the tables write now is not what the statement that commits has changed.
    pub(crate) fn sync_virtual_tables(&self) -> Result<()> {
        let changes = self.facts.changes.get();
        // A table may write others while it writes what it has put off.
        let mut at = 0;
        while let Some(joined) = { self.virtual_tables.joined.borrow().get(at).cloned() } {
            self.within_method(|| joined.table.sync(self)).map_err(failed)?;
            at += 1;
        }
        self.facts.changes.set(changes);
        Ok(())
    }

    /// The second half.
    pub(crate) fn commit_virtual_tables(&self) {
        let joined = self.virtual_tables.joined.take();
        self.within_method(|| joined.iter().for_each(|joined| joined.table.commit(self)));
    }

    /// The transaction was rolled back.
    pub(crate) fn roll_back_virtual_tables(&self) {
        let joined = self.virtual_tables.joined.take();
        self.within_method(|| joined.iter().for_each(|joined| joined.table.rollback(self)));
    }

    /// The number that virtual tables have for a savepoint. One that began the transaction does not count.
    fn virtual_savepoint(&self, position: usize) -> i32 {
        i32::try_from(position).unwrap_or(i32::MAX) - i32::from(self.transaction.first_savepoint_began.get())
    }

    /// The savepoint at that position of the stack was opened.
    pub(crate) fn open_virtual_savepoint(&self, position: usize) -> Result<()> {
        let savepoint = self.virtual_savepoint(position);
        for joined in self.joined() {
            joined.savepoints.set(savepoint + 1);
            self.within_method(|| joined.table.savepoint(self, savepoint)).map_err(failed)?;
        }
        Ok(())
    }

    /// The savepoint at that position and those above it are released.
    pub(crate) fn release_virtual_savepoint(&self, position: usize) -> Result<()> {
        let savepoint = self.virtual_savepoint(position);
        self.for_those_told(savepoint, |table| table.release(self, savepoint))
    }

    /// What was done since the savepoint at that position is undone.
    pub(crate) fn roll_back_to_virtual_savepoint(&self, position: usize) -> Result<()> {
        let savepoint = self.virtual_savepoint(position);
        self.for_those_told(savepoint, |table| table.rollback_to(self, savepoint))
    }

    fn for_those_told(
        &self,
        savepoint: i32,
        call: impl Fn(&dyn VirtualTable) -> lithe_vm::virtual_table::Result,
    ) -> Result<()> {
        for joined in self.joined().iter().filter(|joined| joined.savepoints.get() > savepoint) {
            self.within_method(|| call(&*joined.table)).map_err(failed)?;
        }
        Ok(())
    }
}
