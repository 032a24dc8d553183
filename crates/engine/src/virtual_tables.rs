//! Virtual tables: the application's modules, the connected tables, and the tables' part in transactions.
//!
//! ```text
//!   create_module ──► modules            by name
//!   the compiler meets a table           VirtualState::Unconnected: compiling stops,
//!        └─► connect ──► module          the table gets its columns, and a number under which plans and programs know it,
//!                                        and the statement is compiled again
//! ```
//!
//! A table is disconnected when the catalog no longer has it, because its schema was read again, it was dropped, or its
//! module was removed. A running statement that uses the table keeps it until its end.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use lithe_catalog::{
    Catalog, ConnectedTable, NameBuf, Schema, Table, TableKind, VirtualState, VirtualTable as Definition, connect_table,
};
use lithe_functions::SqlConnection;
use lithe_resolve::environment::ShadowTables;
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::{Db, VirtualId};
use lithe_vm::virtual_table::{
    ConnectRequest, Connected, Module, ModuleKind, Risk, VirtualTable, VirtualTables as ConnectedTables,
};

use crate::definitions::Definitions;
use crate::error::{Error, Result};
use crate::settings::Settings;

/// The virtual tables of a connection.
#[derive(Default)]
pub(crate) struct VirtualTables {
    /// By name in lower case.
    modules: RefCell<Modules>,
    pub(crate) connected: ConnectedTables,
    /// Whether tables are disconnected that statements which run may still open.
    pub(crate) has_replaced: Cell<bool>,
    /// The tables that take part in the transaction.
    joined: RefCell<Vec<Rc<Joined>>>,
    /// The number of calls of module methods under way, without those of scans and changes.
    within: Cell<u32>,
    /// Tables that are being connected.
    connecting: RefCell<Vec<(Db, String)>>,
    /// The number of tables that are being dropped: their modules drop the shadow tables by statements of their own.
    destroying: Cell<usize>,
}

/// What virtual tables need from their connection.
#[derive(Clone, Copy)]
pub(crate) struct ModuleContext<'c> {
    /// The connection, as modules use it.
    pub(crate) connection: &'c dyn SqlConnection,
    pub(crate) definitions: &'c Definitions,
    pub(crate) settings: &'c Settings,
}

impl ModuleContext<'_> {
    /// The catalog's definition of a virtual table.
    fn definition(&self, db: Db, name: Name<'_>) -> Result<Table> {
        let catalog = self.definitions.catalog();
        let of_schema = catalog.schema(db).table(name);
        let found = of_schema.or_else(|| catalog.table_function(name));
        let table = found.filter(|table| table.virtual_table().is_some());
        table.map(|table| Table::clone(table)).ok_or_else(|| Error::generic(format!("no such table: {name}")))
    }

    fn database_name(&self, db: Db) -> String {
        self.definitions.catalog().database_name(db).to_string()
    }
}

/// A table that takes part in the transaction.
struct Joined {
    id: VirtualId,
    table: Rc<dyn VirtualTable>,
    /// The number of savepoints that the module has been told to open.
    savepoints: Cell<i32>,
}

/// How many modules the C interface brings.
const USUAL_MODULES: usize = 20;

type Modules = HashMap<String, Rc<dyn Module>>;

fn find_module<'m>(modules: &'m Modules, name: &NameBuf) -> Option<&'m Rc<dyn Module>> {
    modules.get(&name.name().to_str_lossy().to_ascii_lowercase())
}

/// Whether a table of that name would be a shadow table `x_suffix` of some module's virtual table `x`.
fn is_shadow_name(schema: &Schema, modules: &Modules, name: &[u8]) -> bool {
    shadow_owner(schema, modules, name).is_some_and(|(module, suffix)| module.is_shadow_name(&suffix))
}

/// The module of the virtual table `x`, if the name is `x_suffix`, and the suffix.
fn shadow_owner<'n>(schema: &Schema, modules: &Modules, name: &'n [u8]) -> Option<(Rc<dyn Module>, Cow<'n, str>)> {
    let at = name.iter().rposition(|byte| *byte == b'_')?;
    let table = schema.table(Name::new(&name[..at]))?;
    let module = find_module(modules, &table.virtual_table()?.module)?;
    Some((Rc::clone(module), String::from_utf8_lossy(&name[at + 1..])))
}

/// The error of a module.
fn failed(error: lithe_functions::FunctionError) -> Error {
    let code = ResultCode(error.code);
    if error.message.is_empty() { Error::from_code(code) } else { Error::new(code, error.into_message()) }
}

impl VirtualTables {
    /// Adds a module for virtual tables, in place of one of the same name (`None`: removes that one). Its eponymous
    /// tables exist at once.
    pub(crate) fn create_module(
        &self,
        definitions: &Definitions,
        name: &str,
        module: Option<Box<dyn Module>>,
        is_idle: bool,
    ) {
        let key = name.to_ascii_lowercase();
        let is_eponymous = module.as_ref().is_some_and(|module| module.kind() != ModuleKind::Ordinary);
        let before = {
            let mut modules = self.modules.borrow_mut();
            if modules.is_empty() {
                modules.reserve(USUAL_MODULES);
            }
            match module {
                Some(module) => modules.insert(key, Rc::from(module)),
                None => modules.remove(&key),
            }
        };
        definitions.change_catalog(|catalog| {
            if before.is_some() && !is_eponymous {
                catalog.remove_table_function(Name::new(name.as_bytes()));
            }
            if is_eponymous {
                let module = NameBuf::from(name);
                let definition = Definition { module: module.clone(), ..Definition::default() };
                let kind = TableKind::Virtual(definition);
                catalog.add_table_function(Table { name: module, kind, ..Table::default() });
            }
        });
        self.disconnect_unknown(definitions, is_idle);
        // Dropped when nothing is borrowed, because a destructor may call the connection.
        drop(before);
    }

    /// Removes all modules but these.
    pub(crate) fn drop_modules(&self, definitions: &Definitions, keep: &[&str], is_idle: bool) {
        let names: Vec<String> = self.modules.borrow().keys().cloned().collect();
        for name in names.iter().filter(|name| !keep.iter().any(|kept| kept.eq_ignore_ascii_case(name))) {
            self.create_module(definitions, name, None, is_idle);
        }
    }

    /// The names of all modules.
    pub(crate) fn module_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.modules.borrow().keys().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Whether the table of `db` is a shadow table `x_suffix` of some module's virtual table `x`.
    pub(crate) fn is_shadow_table(&self, catalog: &Catalog, db: Db, name: &[u8]) -> bool {
        // The module is called when nothing is borrowed, because it may call the connection.
        let owner = shadow_owner(catalog.schema(db), &self.modules.borrow(), name);
        owner.is_some_and(|(module, suffix)| module.is_shadow_name(&suffix))
    }

    /// The shadow tables of virtual tables, for a defensive connection: only statements that methods of modules run may
    /// write them.
    pub(crate) fn shadow_tables(&self, catalog: Arc<Catalog>) -> ShadowTables {
        let modules = self.modules.borrow().clone();
        ShadowTables::protected(move |name| {
            catalog.databases().iter().any(|database| is_shadow_name(&database.schema, &modules, name.as_bytes()))
        })
    }

    /// Whether a method of a module is under way, other than those of scans and changes.
    pub(crate) fn is_within_method(&self) -> bool {
        self.within.get() > 0
    }

    /// How many tables are being dropped.
    pub(crate) fn destroying(&self) -> usize {
        self.destroying.get()
    }

    /// Calls a method of a module and counts it, because the method may run statements of its own: a commit at the end of a
    /// statement calls methods when no step is under way any more.
    fn within_method<T>(&self, call: impl FnOnce() -> T) -> T {
        self.within.set(self.within.get() + 1);
        let result = call();
        self.within.set(self.within.get() - 1);
        result
    }

    fn module(&self, name: &NameBuf) -> Option<Rc<dyn Module>> {
        find_module(&self.modules.borrow(), name).cloned()
    }

    /// Connects the table, unless it is connected.
    pub(crate) fn connect(&self, context: ModuleContext<'_>, db: Db, name: Name<'_>) -> Result<()> {
        let table = context.definition(db, name)?;
        let is_connected = |connected: &ConnectedTable| self.connected.get(connected.id.0).is_some();
        if table.connected().is_some_and(is_connected) {
            return Ok(());
        }
        self.make(context, db, &table, false).map(|_| ())
    }

    /// Connects the table if it is virtual, so that its columns are known.
    pub(crate) fn connect_if_virtual(&self, context: ModuleContext<'_>, db: Db, table: &Table) -> Result<()> {
        match table.virtual_table().map(|table| table.state) {
            Some(VirtualState::Unconnected) => self.connect(context, db, table.name.name()),
            _ => Ok(()),
        }
    }

    /// CREATE VIRTUAL TABLE: the table takes part in the transaction from the beginning.
    ///
    /// `savepoints` is the number of open savepoints, as virtual tables count them.
    pub(crate) fn create(&self, context: ModuleContext<'_>, db: Db, name: Name<'_>, savepoints: i32) -> Result<()> {
        let table = context.definition(db, name)?;
        let id = self.make(context, db, &table, true)?;
        self.join(context.connection, id, savepoints, |_| Ok(()))
    }

    /// Calls the module to create or connect a table, and puts the table into the catalog.
    fn make(&self, context: ModuleContext<'_>, db: Db, table: &Table, is_new: bool) -> Result<VirtualId> {
        let Some(definition) = table.virtual_table() else { return Err(Error::from_code(ResultCode::INTERNAL)) };
        let name = table.name.to_string();
        let is_eponymous = context.definitions.catalog().schema(db).table(table.name.name()).is_none();
        let module = self.module(&definition.module).filter(|module| match module.kind() {
            ModuleKind::Ordinary | ModuleKind::Eponymous => true,
            ModuleKind::EponymousOnly => is_eponymous,
        });
        let Some(module) = module else { return Err(Error::no_such_module(&definition.module)) };
        let key = (db, name.to_ascii_lowercase());
        if self.connecting.borrow().contains(&key) {
            return Err(Error::new(ResultCode::LOCKED, format!("vtable constructor called recursively: {name}")));
        }
        let depth = self.connecting.borrow().len();
        self.connecting.borrow_mut().push(key);
        let asked = self.call_module(context, &*module, (db, &name), definition, is_new);
        // After a panic within the module its entry is still there, and is removed, too.
        self.connecting.borrow_mut().truncate(depth);
        let Connected { table: made, declaration, risk } = asked.map_err(|error| {
            let code = ResultCode(error.code);
            let message = if error.message.is_empty() {
                format!("vtable constructor failed: {name}")
            } else {
                error.into_message().into_owned()
            };
            Error::new(code, message)
        })?;
        if declaration.is_empty() {
            return Err(Error::generic(format!("vtable constructor did not declare schema: {name}")));
        }
        let is_writable = made.is_writable();
        let id = VirtualId(self.connected.add(made));
        let connected = ConnectedTable { id, is_writable, key: None, risk };
        let limits = context.settings.limits();
        let table = connect_table(table, declaration.as_bytes(), connected, &limits).map_err(|error| {
            self.connected.retain(|known| known != id.0);
            let error = Error::from(error);
            let message = module.declaration_error(&declaration, error.message());
            Error::new(error.code(), message.unwrap_or_else(|| format!("vtable constructor failed: {name}")))
        })?;
        context.definitions.change_catalog(|catalog| match is_eponymous {
            true => catalog.add_table_function(table),
            false => catalog.schema_mut(db).replace_table(table),
        });
        Ok(id)
    }

    fn call_module(
        &self,
        context: ModuleContext<'_>,
        module: &dyn Module,
        (db, name): (Db, &str),
        definition: &Definition,
        is_new: bool,
    ) -> lithe_vm::virtual_table::Result<Connected> {
        let database = context.database_name(db);
        let connection = context.connection;
        let module_name = definition.module.to_string();
        let arguments: Vec<&[u8]> = definition.arguments.iter().map(|argument| &**argument).collect();
        let request = ConnectRequest { module: &module_name, database: &database, table: name, arguments: &arguments };
        self.within_method(|| match is_new {
            true => module.create(connection, &request),
            false => module.connect(connection, &request),
        })
    }

    /// A table that is connected, by its name in the catalog.
    fn connected_table(
        &self,
        context: ModuleContext<'_>,
        db: Db,
        name: Name<'_>,
    ) -> Result<(VirtualId, Rc<dyn VirtualTable>)> {
        self.connect(context, db, name)?;
        let table = context.definition(db, name)?;
        let found = table.connected().and_then(|connected| Some((connected.id, self.connected.get(connected.id.0)?)));
        found.ok_or_else(|| Error::generic(format!("no such table: {name}")))
    }

    /// The virtual table of that name; connects it if it is not connected.
    pub(crate) fn table(&self, context: ModuleContext<'_>, db: Db, name: Name<'_>) -> Result<Rc<dyn VirtualTable>> {
        Ok(self.connected_table(context, db, name)?.1)
    }

    /// DROP TABLE: the module deletes the table's content.
    pub(crate) fn destroy(&self, context: ModuleContext<'_>, db: Db, name: Name<'_>) -> Result<()> {
        let (id, table) = self.connected_table(context, db, name)?;
        let is_joined = self.joined.borrow().iter().any(|joined| joined.id == id);
        // The references of the list of connected tables, of this function and of the transaction.
        let own = 2 + usize::from(is_joined);
        if Rc::strong_count(&table) > own {
            return Err(Error::new(ResultCode::LOCKED, ResultCode::LOCKED.text()));
        }
        self.destroying.set(self.destroying.get() + 1);
        let destroyed = self.within_method(|| table.destroy(context.connection)).map_err(failed);
        self.destroying.set(self.destroying.get() - 1);
        destroyed
    }

    /// ALTER TABLE RENAME. The statements by which the module renames its own tables leave the views alone: those that name the virtual table
    /// could not be resolved before all is done.
    pub(crate) fn rename(&self, context: ModuleContext<'_>, db: Db, name: Name<'_>, to: &str) -> Result<()> {
        let (_, table) = self.connected_table(context, db, name)?;
        let rename = || self.within_method(|| table.rename(context.connection, to));
        context.settings.with_legacy_alter_table(rename).map_err(failed)
    }

    /// The fault that the module finds in the table's content, if there is one.
    pub(crate) fn check(
        &self,
        context: ModuleContext<'_>,
        db: Db,
        name: Name<'_>,
        is_quick: bool,
    ) -> Result<Option<String>> {
        let (_, table) = self.connected_table(context, db, name)?;
        let database = context.database_name(db);
        let name = name.to_str_lossy();
        let checked = self.within_method(|| table.integrity(context.connection, &database, &name, is_quick));
        // (The code alone is told, as in SQLite.)
        checked.map_err(|error| Error::from_code(ResultCode(error.code)))
    }

    /// Disconnects the tables that are not in the catalog any more. Unless the connection is idle, statements that run may still open
    /// them: a rollback that has read the schema again does not end them.
    pub(crate) fn disconnect_unknown(&self, definitions: &Definitions, is_idle: bool) {
        if self.connected.is_empty() {
            return;
        }
        let catalog = definitions.catalog();
        let known: Vec<u32> = catalog.virtual_tables().map(|connected| connected.id.0).collect();
        if is_idle {
            self.connected.retain(|id| known.contains(&id));
        } else {
            self.has_replaced.set(self.connected.replace_unless(|id| known.contains(&id)));
        }
    }

    /// No statement runs any more.
    #[cold]
    pub(crate) fn drop_replaced(&self) {
        self.has_replaced.set(false);
        self.connected.drop_replaced();
    }

    /// Disconnects all tables. A table is connected again when a statement uses it again.
    pub(crate) fn disconnect_all(&self) {
        self.connected.retain(|_| false);
        self.drop_replaced();
    }

    /// The connection is closed: drops all tables and modules.
    pub(crate) fn close(&self, connection: &dyn SqlConnection) {
        self.roll_back(connection);
        self.disconnect_all();
        let modules = self.modules.take();
        drop(modules);
    }

    // ---- transactions ----

    /// The table is about to be changed: begins its part in the transaction, unless it has begun.
    ///
    /// `savepoints` is the number of open savepoints, as virtual tables count them.
    pub(crate) fn begin(&self, connection: &dyn SqlConnection, id: VirtualId, savepoints: i32) -> Result<()> {
        let begin = |table: &dyn VirtualTable| self.within_method(|| table.begin(connection)).map_err(failed);
        self.join(connection, id, savepoints, begin)
    }

    fn join(
        &self,
        connection: &dyn SqlConnection,
        id: VirtualId,
        savepoints: i32,
        begin: impl FnOnce(&dyn VirtualTable) -> Result<()>,
    ) -> Result<()> {
        if self.joined.borrow().iter().any(|joined| joined.id == id) {
            return Ok(());
        }
        let Some(table) = self.connected.get(id.0) else {
            return Err(Error::from_code(ResultCode::SCHEMA));
        };
        assert!(savepoints >= 0, "a table joins a transaction within the savepoint that begins it");
        begin(&*table)?;
        let joined = Joined { id, table: Rc::clone(&table), savepoints: Cell::new(savepoints) };
        self.joined.borrow_mut().push(Rc::new(joined));
        let last = savepoints - 1;
        if last < 0 { Ok(()) } else { self.within_method(|| table.savepoint(connection, last)).map_err(failed) }
    }

    fn joined(&self) -> Vec<Rc<Joined>> {
        self.joined.borrow().clone()
    }

    /// The first phase of a commit. Rows that the tables write now do not count as changes of the statement that
    /// commits: the caller restores that count.
    pub(crate) fn sync(&self, connection: &dyn SqlConnection) -> Result<()> {
        // A table may write to other virtual tables while it writes its deferred changes.
        let mut at = 0;
        while let Some(joined) = { self.joined.borrow().get(at).cloned() } {
            self.within_method(|| joined.table.sync(connection)).map_err(failed)?;
            at += 1;
        }
        Ok(())
    }

    /// The second phase of a commit.
    pub(crate) fn commit(&self, connection: &dyn SqlConnection) {
        let joined = self.joined.take();
        self.within_method(|| joined.iter().for_each(|joined| joined.table.commit(connection)));
    }

    /// The transaction was rolled back.
    pub(crate) fn roll_back(&self, connection: &dyn SqlConnection) {
        let joined = self.joined.take();
        self.within_method(|| joined.iter().for_each(|joined| joined.table.rollback(connection)));
    }

    /// A savepoint was opened. Virtual tables count savepoints from 0; a savepoint that began the transaction does not
    /// count.
    pub(crate) fn open_savepoint(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result<()> {
        for joined in self.joined() {
            joined.savepoints.set(savepoint + 1);
            self.within_method(|| joined.table.savepoint(connection, savepoint)).map_err(failed)?;
        }
        Ok(())
    }

    /// The savepoint and those above it are released.
    pub(crate) fn release(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result<()> {
        self.for_those_that_know(savepoint, |table| table.release(connection, savepoint))
    }

    /// The changes since the savepoint are undone.
    pub(crate) fn roll_back_to(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result<()> {
        self.for_those_that_know(savepoint, |table| table.rollback_to(connection, savepoint))
    }

    fn for_those_that_know(
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

/// Checks a declaration of the columns of a virtual table.
///
/// # Errors
/// What is wrong with the declaration.
pub(crate) fn check_declaration(declaration: &str, settings: &Settings) -> Result<()> {
    let kind = TableKind::Virtual(Definition::default());
    let table = Table { kind, ..Table::default() };
    let connected = ConnectedTable { id: VirtualId(0), is_writable: false, key: None, risk: Risk::default() };
    connect_table(&table, declaration.as_bytes(), connected, &settings.limits())?;
    Ok(())
}
