//! What an application adds to the FTS5 of a connection: tokenizers of its own.
//!
//! Names do not tell capital from small letters. The newest of a name counts, and goes before what is always there.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lithe_vtab::SqlConnection;

use crate::tokenizer::{self, Constructor};

/// The name under which a connection keeps its [`Registry`].
const CLIENT_DATA: &str = "fts5";

/// What a connection knows beside what is always there.
#[derive(Default)]
struct Registry {
    tokenizers: Mutex<HashMap<String, Arc<Constructor>>>,
}

fn with<T>(connection: &dyn SqlConnection, f: impl Fn(&Registry) -> T) -> Option<T> {
    let mut result = None;
    let make = || Box::new(Registry::default()) as Box<dyn Any + Send>;
    connection.with_client_data(CLIENT_DATA, &make, &mut |data| result = data.downcast_ref().map(&f));
    result
}

/// Adds a tokenizer, for tables that are connected from now on.
pub fn add_tokenizer(connection: &dyn SqlConnection, name: &str, constructor: Arc<Constructor>) {
    let name = name.to_ascii_lowercase();
    with(connection, |registry| {
        let mut all = registry.tokenizers.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(name.clone(), Arc::clone(&constructor));
    });
}

/// The tokenizer of that name.
pub fn find_tokenizer(connection: &dyn SqlConnection, name: &str) -> Option<Arc<Constructor>> {
    let own = with(connection, |registry| {
        let all = registry.tokenizers.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&name.to_ascii_lowercase()).cloned()
    });
    own.flatten().or_else(|| tokenizer::built_in(name))
}
