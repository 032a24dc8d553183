//! The meaning of names in SQL on a connection: the catalog, functions and collations.
//!
//! The catalog, the functions and the chosen collations are immutable snapshots: a holder of one is not affected by
//! changes. A change makes a new snapshot, and makes compiled programs stale.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use hashbrown::HashMap;
use lithe_catalog::Catalog;
use lithe_functions::{Arity, Function, Lookup, Registry};
use lithe_sql::ast::Name;
use lithe_value::{Collation, Encoding};
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::collations::Collations;
use crate::error::{Error, Result};
use crate::generation::Generation;

/// The longest name of a function, in bytes.
const NAME_LEN_MAX: usize = 255;

/// SQLITE_MAX_FUNCTION_ARG.
const ARGUMENTS_MAX: u16 = 1000;

/// The definitions of a connection.
pub(crate) struct Definitions {
    catalog: RefCell<Arc<Catalog>>,
    functions: RefCell<Arc<Registry>>,
    collations: RefCell<Collations>,
    /// A database of the connection has an encoding, so that the connection's encoding cannot change.
    pub(crate) is_encoding_fixed: Cell<bool>,
    /// The schema tables may have been written by hand since the schemas were read, because statements were compiled
    /// under `writable_schema`.
    pub(crate) may_have_written_schema: Cell<bool>,
    generation: Generation,
}

impl Definitions {
    /// The built-in functions and collations, and this catalog.
    pub(crate) fn new(catalog: Catalog, generation: Generation) -> Definitions {
        Definitions {
            catalog: RefCell::new(Arc::new(catalog)),
            functions: RefCell::new(Arc::new(Registry::builtin())),
            collations: RefCell::default(),
            is_encoding_fixed: Cell::new(false),
            may_have_written_schema: Cell::new(false),
            generation,
        }
    }

    // ---- the catalog ----

    /// The catalog as it is now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.borrow())
    }

    /// The database of that name.
    pub(crate) fn find_database(&self, name: Name<'_>) -> Option<Db> {
        self.catalog.borrow().find_database(name)
    }

    /// Whether this is the catalog as it is now.
    pub(crate) fn is_current(&self, catalog: &Arc<Catalog>) -> bool {
        Arc::ptr_eq(catalog, &self.catalog.borrow())
    }

    /// Replaces the catalog.
    pub(crate) fn set_catalog(&self, catalog: Arc<Catalog>) {
        let _old = self.catalog.replace(catalog);
        self.generation.change_schema();
    }

    /// Changes the catalog.
    pub(crate) fn change_catalog<T>(&self, change: impl FnOnce(&mut Catalog) -> T) -> T {
        let result = change(Arc::make_mut(&mut self.catalog.borrow_mut()));
        self.generation.change_schema();
        result
    }

    /// About how many bytes the catalog takes.
    pub(crate) fn schema_memory(&self) -> u64 {
        self.catalog().databases().iter().map(|database| database.schema.memory_used()).sum()
    }

    // ---- functions ----

    /// The functions that are registered now.
    pub(crate) fn functions(&self) -> Arc<Registry> {
        Arc::clone(&self.functions.borrow())
    }

    /// Changes the functions. Cached programs hold replaced functions: the caller empties the cache.
    pub(crate) fn change_functions<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        let result = change(Arc::make_mut(&mut self.functions.borrow_mut()));
        self.generation.expire_programs();
        result
    }

    /// Adds a function, in place of one of the same name, arguments and encoding, which is returned if it is one of the application.
    ///
    /// # Errors
    /// SQLITE_BUSY if it would replace one while statements run; SQLITE_MISUSE for a name or number of arguments out of bounds.
    pub(crate) fn create_function(&self, function: Function, statements_run: bool) -> Result<Option<Arc<Function>>> {
        let (name, args) = (function.name().as_bytes(), function.args());
        if name.len() > NAME_LEN_MAX || matches!(args, Arity::Exactly(count) if count > ARGUMENTS_MAX) {
            return Err(Error::from_code(ResultCode::MISUSE));
        }
        self.check_function_is_free(name, args, function.encoding(), statements_run)?;
        let replaces = self.functions().has_exactly(name, args, function.encoding());
        let old = Arc::make_mut(&mut self.functions.borrow_mut()).define(Arc::new(function));
        self.generation.define(replaces);
        Ok(old)
    }

    /// Whether a call with this name and arity finds a function.
    pub(crate) fn has_function(&self, name: &str, args: Arity) -> bool {
        match args {
            Arity::Exactly(args) => matches!(self.functions().find(name.as_bytes(), args.into()), Lookup::Found(_)),
            _ => self.functions().has(name.as_bytes()),
        }
    }

    /// Removes a function, which may be a built-in one, and returns one of the application. Nothing happens if there is none.
    ///
    /// # Errors
    /// SQLITE_BUSY while statements run.
    pub(crate) fn remove_function(
        &self,
        name: &str,
        args: Arity,
        encoding: Encoding,
        statements_run: bool,
    ) -> Result<Option<Arc<Function>>> {
        self.check_function_is_free(name.as_bytes(), args, encoding, statements_run)?;
        if !self.functions().has_exactly(name.as_bytes(), args, encoding) {
            return Ok(None);
        }
        Ok(self.change_functions(|registry| registry.remove(name.as_bytes(), args, encoding)))
    }

    fn check_function_is_free(&self, name: &[u8], args: Arity, encoding: Encoding, statements_run: bool) -> Result<()> {
        if statements_run && self.functions().has_exactly(name, args, encoding) {
            return Err(Error::new(ResultCode::BUSY, "unable to delete/modify user-function due to active statements"));
        }
        Ok(())
    }

    // ---- collations ----

    /// The application's collations that statements use, by name in lower case.
    pub(crate) fn collations(&self) -> Arc<HashMap<String, Collation>> {
        Arc::clone(self.collations.borrow().chosen())
    }

    /// Adds, replaces (`Some`) or removes (`None`) a collation that takes its texts in the encoding `of`; returns the
    /// replaced one. If several collations have one name, the databases' encoding `own` decides which one is used.
    ///
    /// # Errors
    /// SQLITE_BUSY if there is one of that name and statements run.
    pub(crate) fn set_collation(
        &self,
        name: &str,
        of: Encoding,
        collation: Option<Collation>,
        own: Encoding,
        statements_run: bool,
    ) -> Result<Option<Collation>> {
        let key = name.to_ascii_lowercase();
        if statements_run && self.collations.borrow().has(&key, of) {
            let message = "unable to delete/modify collation sequence due to active statements";
            return Err(Error::new(ResultCode::BUSY, message));
        }
        let replaces = self.collations.borrow().has(&key, of);
        let old = self.collations.borrow_mut().set(&key, of, collation, own);
        self.generation.define(replaces);
        Ok(old)
    }

    /// The databases have another encoding, which decides which of several functions or collations of one name is used.
    pub(crate) fn encoding_changed(&self, encoding: Encoding) {
        self.collations.borrow_mut().choose(encoding);
        self.change_functions(|registry| registry.set_encoding(encoding));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_vm::operand::Db;

    fn definitions() -> (Definitions, Generation) {
        let generation = Generation::default();
        (Definitions::new(Catalog::new(), generation.clone()), generation)
    }

    #[test]
    fn a_catalog_stays_as_it_was_in_its_holders_hands() {
        let (definitions, generation) = definitions();
        let (held, before) = (definitions.catalog(), generation.number());
        definitions.change_catalog(|catalog| catalog.schema_mut(Db::MAIN).cookie = 7);
        assert_eq!((held.schema(Db::MAIN).cookie, definitions.catalog().schema(Db::MAIN).cookie), (0, 7));
        assert_ne!(generation.number(), before);
        assert!(!definitions.is_current(&held));
        definitions.set_catalog(Arc::clone(&held));
        assert!(definitions.is_current(&held));
    }

    #[test]
    fn a_function_is_not_replaced_while_statements_run() {
        let (definitions, _) = definitions();
        let function = || Function::unusable("f", Arity::Exactly(1));
        definitions.create_function(function(), true).unwrap();
        assert!(definitions.has_function("f", Arity::Exactly(1)) && !definitions.has_function("f", Arity::Exactly(2)));
        let refused = definitions.create_function(function(), true).unwrap_err();
        assert_eq!(refused.code(), ResultCode::BUSY);
        definitions.create_function(function(), false).unwrap();
        definitions.remove_function("f", Arity::Exactly(1), Encoding::Utf8, false).unwrap();
        assert!(!definitions.has_function("f", Arity::Exactly(1)));
        let long = Function::unusable(&"f".repeat(NAME_LEN_MAX + 1), Arity::Exactly(1));
        assert_eq!(definitions.create_function(long, false).unwrap_err().code(), ResultCode::MISUSE);
    }

    #[test]
    fn a_collation_is_not_replaced_while_statements_run() {
        let (definitions, _) = definitions();
        let set = |collation, run| definitions.set_collation("C", Encoding::Utf8, collation, Encoding::Utf8, run);
        assert!(set(Some(Collation::NoCase), true).unwrap().is_none());
        assert!(definitions.collations().contains_key("c"));
        assert_eq!(set(None, true).unwrap_err().code(), ResultCode::BUSY);
        assert!(set(None, false).unwrap().is_some());
        assert!(definitions.collations().is_empty());
    }
}
