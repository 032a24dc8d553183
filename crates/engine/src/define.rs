//! The application's functions and collations.

use std::sync::Arc;

use hashbrown::HashMap;
use lithe_functions::{Arity, Context, Flags, Function, FunctionError, Kind, Lookup, Registry, ScalarFunction};
use lithe_value::{Collation, Encoding, Value, ValueRef};
use lithe_vfs::ResultCode;

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::native::NativeRow;
use crate::program_cache::ProgramCache;

/// The longest name of a function, in bytes.
const NAME_LEN_MAX: usize = 255;

/// SQLITE_MAX_FUNCTION_ARG.
const ARGUMENTS_MAX: u16 = 1000;

/// A function that only virtual tables give a meaning.
struct Unusable(Box<str>);

impl ScalarFunction for Unusable {
    fn call(&self, _: &mut Context<'_>, _: &[ValueRef<'_>]) -> std::result::Result<(), FunctionError> {
        Err(FunctionError::new(format!("unable to use function {} in the requested context", self.0)))
    }
}

impl Connection {
    /// Adds a function, in place of one of the same name, arguments and encoding.
    ///
    /// # Errors
    /// SQLITE_BUSY if it would replace one while statements run; SQLITE_MISUSE for a name or number of arguments out of bounds.
    pub fn create_function(&self, function: Function) -> Result<()> {
        let (name, args) = (function.name().as_bytes(), function.args());
        if name.len() > NAME_LEN_MAX || matches!(args, Arity::Exactly(count) if count > ARGUMENTS_MAX) {
            return Err(Error::from_code(ResultCode::MISUSE));
        }
        self.check_function_is_free(name, args, function.encoding())?;
        self.change_functions(|registry| registry.define(Arc::new(function)));
        Ok(())
    }

    /// Makes sure that there is a function of this name: one that virtual tables put theirs in the place of, and that is an error
    /// elsewhere.
    ///
    /// # Errors
    /// As [`Connection::create_function`].
    pub fn overload_function(&self, name: &str, args: Arity) -> Result<()> {
        let is_known = match args {
            Arity::Exactly(args) => matches!(self.functions().find(name.as_bytes(), args.into()), Lookup::Found(_)),
            _ => self.functions().has(name.as_bytes()),
        };
        if is_known {
            return Ok(());
        }
        let kind = Kind::CustomScalar(Arc::new(Unusable(name.into())));
        self.create_function(Function::custom(name, args, Flags::default(), kind))
    }

    /// Removes a function, which may be a built-in one. Nothing happens if there is none.
    ///
    /// # Errors
    /// SQLITE_BUSY while statements run.
    pub fn remove_function(&self, name: &str, args: Arity, encoding: Encoding) -> Result<()> {
        self.check_function_is_free(name.as_bytes(), args, encoding)?;
        self.change_functions(|registry| registry.remove(name.as_bytes(), args, encoding));
        Ok(())
    }

    fn check_function_is_free(&self, name: &[u8], args: Arity, encoding: Encoding) -> Result<()> {
        if self.transaction.has_active() && self.functions().has_exactly(name, args, encoding) {
            return Err(Error::new(ResultCode::BUSY, "unable to delete/modify user-function due to active statements"));
        }
        Ok(())
    }

    /// The functions as they are now.
    pub fn functions(&self) -> Arc<Registry> {
        Arc::clone(&self.functions.borrow())
    }

    pub(crate) fn change_functions(&self, change: impl FnOnce(&mut Registry)) {
        change(Arc::make_mut(&mut self.functions.borrow_mut()));
        self.expire_programs();
        self.forget_programs();
    }

    /// The application's collations, by name in lower case.
    pub fn collations(&self) -> Arc<HashMap<String, Collation>> {
        Arc::clone(&self.collations.borrow())
    }

    /// Adds, replaces (`Some`) or removes (`None`) a collation.
    ///
    /// # Errors
    /// SQLITE_BUSY if there is one of that name and statements run.
    pub fn set_collation(&self, name: &str, collation: Option<Collation>) -> Result<()> {
        let key = name.to_ascii_lowercase();
        if self.transaction.has_active() && self.collations().contains_key(&key) {
            return Err(Error::new(
                ResultCode::BUSY,
                "unable to delete/modify collation sequence due to active statements",
            ));
        }
        let old = {
            let mut collations = self.collations.borrow_mut();
            let collations = Arc::make_mut(&mut collations);
            match collation {
                Some(collation) => collations.insert(key, collation),
                None => collations.remove(&key),
            }
        };
        self.expire_programs();
        self.forget_programs();
        drop(old);
        Ok(())
    }

    /// Programs that nobody runs would keep what was replaced: whoever gave it wants to hear now that it is gone.
    pub(crate) fn forget_programs(&self) {
        let forgotten = self.programs.replace(ProgramCache::new());
        // Dropped when nothing is borrowed any more: a destructor may come back to the connection.
        drop(forgotten);
    }
}

/// The rows of PRAGMA function_list: one a function, number of arguments and encoding.
pub(crate) fn list(registry: &Registry) -> Vec<NativeRow> {
    let row = |function: &Function| {
        vec![
            Value::from(function.name()),
            Value::from(function.is_builtin()),
            Value::from(function.kind_letter()),
            Value::from(match function.encoding() {
                Encoding::Utf8 => "utf8",
                Encoding::Utf16le => "utf16le",
                Encoding::Utf16be => "utf16be",
            }),
            Value::from(i64::from(function.argument_count())),
            Value::from(i64::from(function.public_flags())),
        ]
    };
    registry.iter().map(|function| row(function)).collect()
}
