//! FTS3's tokenizers in C: the SQL function `fts3_tokenizer()`.
//!
//! ```text
//!   fts3_tokenizer(name)             the address of a sqlite3_tokenizer_module, as a BLOB
//!   fts3_tokenizer(name, address)    registers that module under the name, for tables that are connected later
//! ```
//!
//! The structures are those of `fts3_tokenizer.h`, with the same layout. The library's own tokenizers have modules, too
//! ([`tokenizer::OWN`]), so that an application can give them other names or wrap them.
//!
//! An address in the text of a statement is dangerous, because SQL alone could make the library call any address. An
//! address in a bound parameter comes from the application. Other values are accepted only if they are addresses of
//! modules that the connection knows.

mod tokenizer;

use std::cell::RefCell;
use std::sync::Arc;

use lithe_engine::Config;
use lithe_engine::function::{self, Arity, Context, Flags, Function, FunctionError, Kind, ScalarFunction};
use lithe_engine::value::{ValueRef, cast};
use lithe_fts3::registry;

use crate::connection::sqlite3;
use tokenizer::{Module, sqlite3_tokenizer_module};

/// The modules that the application has registered on a connection, the newest last.
#[derive(Default)]
pub(crate) struct Fts3State {
    modules: RefCell<Vec<(String, Module)>>,
}

impl Fts3State {
    fn find(&self, name: &str) -> Option<Module> {
        let named = self.modules.borrow().iter().rev().find(|(known, _)| known == name).map(|(_, module)| *module);
        named.or_else(|| tokenizer::own(name))
    }

    fn knows(&self, module: Module) -> bool {
        module.own_name().is_some() || self.modules.borrow().iter().any(|(_, known)| *known == module)
    }
}

/// The function `fts3_tokenizer()` of a connection, with one argument or two.
pub(crate) fn functions(db: *mut sqlite3) -> [Function; 2] {
    [1, 2].map(|count| {
        let kind = Kind::CustomScalar(Arc::new(TokenizerFunction(db)));
        Function::custom("fts3_tokenizer", Arity::Exactly(count), Flags::DIRECT_ONLY, kind)
    })
}

struct TokenizerFunction(*mut sqlite3);

// SAFETY: only its connection calls it, and only one thread at a time uses that: its mutex, or the application, makes
// sure.
unsafe impl Send for TokenizerFunction {}
// SAFETY: as above.
unsafe impl Sync for TokenizerFunction {}

impl ScalarFunction for TokenizerFunction {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> function::Result {
        // SAFETY: the connection calls this, so it lives.
        let db = unsafe { &*self.0 };
        let is_enabled = db.core().config(Config::EnableFts3Tokenizer);
        let name = args.first().copied().unwrap_or_default();
        let has_name = !name.is_null();
        let name = String::from_utf8_lossy(&cast::to_text(name)).into_owned();
        let module = match args.get(1) {
            None => {
                let printed = name.split('\0').next().unwrap_or_default();
                let found = db.kept::<Fts3State>().find(&name).filter(|_| has_name);
                found.ok_or_else(|| FunctionError::new(format!("unknown tokenizer: {printed}")))?
            }
            Some(address) => {
                let is_bound = context.arguments.is_bound(1);
                if !is_enabled && !is_bound {
                    return Err(FunctionError::new("fts3tokenize disabled"));
                }
                let module = module_of(*address).filter(|_| has_name);
                let module = module.filter(|module| is_bound || db.kept::<Fts3State>().knows(*module));
                let module = module.ok_or_else(|| FunctionError::new("argument type mismatch"))?;
                add(db, name, module);
                module
            }
        };
        if is_enabled || context.arguments.is_bound(0) {
            context.answer(ValueRef::Blob(&module.address()))
        } else {
            context.answer(ValueRef::Null)
        }
    }
}

/// The module whose address the value is.
fn module_of(value: ValueRef<'_>) -> Option<Module> {
    let (ValueRef::Blob(bytes) | ValueRef::Text(bytes)) = value else { return None };
    let address = usize::from_ne_bytes(bytes.try_into().ok()?);
    (address != 0).then(|| Module::new(address as *const sqlite3_tokenizer_module))
}

fn add(db: &sqlite3, name: String, module: Module) {
    registry::add_tokenizer(db.core(), &name, tokenizer::constructor(module));
    let state = db.kept::<Fts3State>();
    let mut modules = state.modules.borrow_mut();
    modules.retain(|(known, _)| *known != name);
    modules.push((name, module));
}
