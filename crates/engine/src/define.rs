//! The application's functions and collations.

use std::sync::Arc;

use hashbrown::HashMap;
use lithe_functions::{Arity, Function, Lookup, Registry};
use lithe_value::{Collation, Encoding, Value};
use lithe_vfs::ResultCode;

use crate::connection::Connection;
use crate::connection::program_cache::ProgramCache;
use crate::connection::statement::command::CommandRow;
use crate::error::{Error, Result};

/// The longest name of a function, in bytes.
const NAME_LEN_MAX: usize = 255;

/// SQLITE_MAX_FUNCTION_ARG.
const ARGUMENTS_MAX: u16 = 1000;

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
        self.create_function(Function::unusable(name, args))
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
        Arc::clone(self.collations.borrow().chosen())
    }

    /// Adds, replaces (`Some`) or removes (`None`) a collation of texts in UTF-8.
    ///
    /// # Errors
    /// SQLITE_BUSY if there is one of that name and statements run.
    pub fn set_collation(&self, name: &str, collation: Option<Collation>) -> Result<()> {
        self.set_collation_for(name, Encoding::Utf8, collation)
    }

    /// As [`Connection::set_collation`], of a collation that wants its texts in this encoding. Of several of one name the
    /// database's encoding decides which one is used.
    ///
    /// # Errors
    /// As [`Connection::set_collation`].
    pub fn set_collation_for(&self, name: &str, encoding: Encoding, collation: Option<Collation>) -> Result<()> {
        let key = name.to_ascii_lowercase();
        if self.transaction.has_active() && self.collations.borrow().has(&key, encoding) {
            return Err(Error::new(
                ResultCode::BUSY,
                "unable to delete/modify collation sequence due to active statements",
            ));
        }
        let old = self.collations.borrow_mut().set(&key, encoding, collation, self.facts.encoding.get());
        self.expire_programs();
        self.forget_programs();
        if let Some(Collation::Custom(old)) = old {
            old.removed();
        }
        Ok(())
    }

    /// The database has another encoding: of functions and collations with several of one name, others are used.
    pub(crate) fn encoding_changed(&self) {
        let encoding = self.facts.encoding.get();
        self.collations.borrow_mut().choose(encoding);
        self.change_functions(|registry| registry.set_encoding(encoding));
    }

    /// Programs that are kept, but not running, would hold the function or collation that was replaced: its destructor is due now.
    pub(crate) fn forget_programs(&self) {
        let forgotten = self.programs.replace(ProgramCache::new());
        // Dropped when nothing is borrowed any more: a destructor may come back to the connection.
        drop(forgotten);
    }
}

/// The rows of PRAGMA function_list: one a function, number of arguments and encoding.
pub(crate) fn list(registry: &Registry) -> Vec<CommandRow> {
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
