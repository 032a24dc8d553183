//! The tokenizers and auxiliary functions that an application adds to the FTS5 of a connection.
//!
//! Names are compared without regard to the case of ASCII letters. The newest definition of a name counts, and replaces a built-in one.

use std::any::Any;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use lithe_vtab::{FunctionError, SqlConnection, code};

use crate::Result;
use crate::auxiliary::{self, AuxiliaryFunction};
use crate::numbers::CursorNumbers;
use crate::tokenizer::{Constructor, DEFAULT, Tokenizer, ascii, porter, trigram, unicode61};

/// The name under which a connection keeps its [`Registry`].
const CLIENT_DATA: &str = "fts5";

/// The tokenizers and auxiliary functions of a connection beside the built-in ones.
#[derive(Default)]
pub struct Registry {
    tokenizers: Mutex<Named<Constructor>>,
    functions: Mutex<Named<dyn AuxiliaryFunction>>,
    /// The numbers of cursors.
    pub(crate) cursors: Arc<CursorNumbers>,
}

/// Named definitions, the newest last. Older definitions of a name stay as long as the connection: as with SQLite, what an application
/// has registered is destroyed when the connection ends.
struct Named<T: ?Sized>(Vec<(String, Arc<T>)>);

impl<T: ?Sized> Default for Named<T> {
    fn default() -> Named<T> {
        Named(Vec::new())
    }
}

impl<T: ?Sized> Named<T> {
    fn add(&mut self, name: &str, thing: Arc<T>) {
        self.0.push((name.to_owned(), thing));
    }

    fn find(&self, name: &str) -> Option<Arc<T>> {
        let found = self.0.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, thing)| Arc::clone(thing))
    }
}

impl Registry {
    /// The registry of a connection.
    pub fn of(connection: &dyn SqlConnection) -> Arc<Registry> {
        let mut found = Arc::default();
        let make = || Box::new(Arc::<Registry>::default()) as Box<dyn Any + Send>;
        connection.with_client_data(CLIENT_DATA, &make, &mut |data| {
            if let Some(registry) = data.downcast_ref() {
                found = Arc::clone(registry);
            }
        });
        found
    }

    /// The tokenizer of that name.
    pub fn tokenizer(&self, name: &str) -> Option<Arc<Constructor>> {
        let all = self.tokenizers.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.find(name);
        own.or_else(|| built_in(name))
    }

    /// The auxiliary function of that name.
    pub fn function(&self, name: &str) -> Option<Arc<dyn AuxiliaryFunction>> {
        let all = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.find(name);
        own.or_else(|| auxiliary::built_in(name))
    }
}

/// Adds a tokenizer, for tables that are connected from now on.
pub fn add_tokenizer(connection: &dyn SqlConnection, name: &str, constructor: Arc<Constructor>) {
    let registry = Registry::of(connection);
    let mut all = registry.tokenizers.lock().unwrap_or_else(PoisonError::into_inner);
    all.add(name, constructor);
}

/// Adds an auxiliary function, for statements that are compiled from now on.
///
/// # Errors
/// The errors of defining a function of SQL with that name, if there is none.
pub fn add_function(connection: &dyn SqlConnection, name: &str, function: Arc<dyn AuxiliaryFunction>) -> Result {
    let registry = Registry::of(connection);
    let mut all = registry.functions.lock().unwrap_or_else(PoisonError::into_inner);
    all.add(name, function);
    drop(all);
    connection.overload_function(name)
}

/// The tokenizer that a table's option `tokenize` names, with its arguments; the default if there is no name.
///
/// # Errors
/// `no such tokenizer: …`; `error in tokenizer constructor`.
pub fn make(connection: &dyn SqlConnection, words: &[String]) -> Result<Box<dyn Tokenizer>> {
    let (name, arguments) = words.split_first().map_or((DEFAULT, &[][..]), |(name, rest)| (name.as_str(), rest));
    let constructor = Registry::of(connection).tokenizer(name);
    let constructor = constructor.ok_or_else(|| FunctionError::new(format!("no such tokenizer: {name}")))?;
    constructor(connection, arguments).map_err(|error| match error.code {
        code::NOMEM => error,
        code => FunctionError::with_code(code, "error in tokenizer constructor"),
    })
}

/// The constructor of a built-in tokenizer. Each call returns the same one.
fn built_in(name: &str) -> Option<Arc<Constructor>> {
    static ALL: LazyLock<[(&str, Arc<Constructor>); 4]> = LazyLock::new(|| {
        [
            (DEFAULT, Arc::new(|_, arguments| Ok(Box::new(unicode61::Unicode61::new(arguments)?)))),
            ("ascii", Arc::new(|_, arguments| Ok(Box::new(ascii::Ascii::new(arguments)?)))),
            ("trigram", Arc::new(|_, arguments| Ok(Box::new(trigram::Trigram::new(arguments)?)))),
            ("porter", Arc::new(make_porter)),
        ]
    });
    let found = ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, constructor)| Arc::clone(constructor))
}

/// `porter` on top of the tokenizer that its first argument names, with the others.
fn make_porter(connection: &dyn SqlConnection, arguments: &[String]) -> Result<Box<dyn Tokenizer>> {
    let (name, rest) = arguments.split_first().map_or((DEFAULT, &[][..]), |(name, rest)| (name.as_str(), rest));
    let base = Registry::of(connection).tokenizer(name).ok_or_else(|| FunctionError::new(""))?;
    Ok(Box::new(porter::Porter::new(base(connection, rest)?)))
}
