//! The tokenizers of a connection: the built-in ones, and those that the application registers.
//!
//! Names are case-sensitive. A registered tokenizer replaces an earlier or built-in one of the same name.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lithe_vtab::{FunctionError, SqlConnection, code};

use crate::Result;
use crate::tokenizer::{self, Constructor, Tokenizer};

/// The name under which a connection keeps its [`Registry`].
const CLIENT_DATA: &str = "fts3";

/// The tokenizers that the application has registered with a connection.
#[derive(Default)]
pub struct Registry {
    tokenizers: Mutex<HashMap<String, Arc<Constructor>>>,
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
        let own = all.get(name).cloned();
        own.or_else(|| tokenizer::built_in(name))
    }
}

/// Registers a tokenizer, for tables that are connected later.
pub fn add_tokenizer(connection: &dyn SqlConnection, name: &str, constructor: Arc<Constructor>) {
    let registry = Registry::of(connection);
    let mut all = registry.tokenizers.lock().unwrap_or_else(PoisonError::into_inner);
    all.insert(name.to_owned(), constructor);
}

/// The tokenizer that `words` name, with its arguments.
///
/// # Errors
/// `unknown tokenizer: …`; `unknown tokenizer` if its constructor rejects the arguments without a message.
pub fn make(connection: &dyn SqlConnection, words: &[String]) -> Result<Box<dyn Tokenizer>> {
    make_silently(connection, words).map_err(|error| match (error.code, error.message.is_empty()) {
        (code::NOMEM, _) | (_, false) => error,
        (code, true) => FunctionError::with_code(code, "unknown tokenizer"),
    })
}

/// The same, but an error of the constructor without a message stays without one.
///
/// # Errors
/// `unknown tokenizer: …`; those of the constructor.
pub(crate) fn make_silently(connection: &dyn SqlConnection, words: &[String]) -> Result<Box<dyn Tokenizer>> {
    let (name, arguments) = words.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    let constructor = Registry::of(connection).tokenizer(name);
    let message = format_args!("unknown tokenizer: {name}");
    let constructor = constructor.ok_or_else(|| FunctionError::quoting(code::ERROR, message))?;
    constructor(connection, arguments)
}
