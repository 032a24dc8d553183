//! Values that are known while a statement is compiled: those of bound parameters, and of calls with constant arguments.

use std::fmt::Debug;

use lithe_base::Db;
use lithe_format::db_header::TextEncoding;
use lithe_functions::Function;
use lithe_value::{Collation, Encoding, Value, ValueRef};

use super::Environment;

/// Calls functions while a statement is compiled.
pub trait Evaluator: Debug {
    /// The result of the function.
    ///
    /// # Errors
    /// Those of the function.
    fn call(
        &self,
        function: &Function,
        arguments: &[ValueRef<'_>],
        collation: &Collation,
    ) -> lithe_functions::Result<Value>;
}

impl Environment {
    /// The encoding of texts in the main database, which CAST shows.
    pub fn encoding(&self) -> Encoding {
        match self.catalog.schema(Db::MAIN).encoding {
            TextEncoding::Utf8 => Encoding::Utf8,
            TextEncoding::Utf16Le => Encoding::Utf16le,
            TextEncoding::Utf16Be => Encoding::Utf16be,
        }
    }

    /// The value that is bound to the parameter, if it is known. The plan depends on it from now on.
    pub fn bound_value(&self, number: u32) -> Option<&Value> {
        let number = number as usize;
        self.planned_parameters.note_asked(number);
        self.parameters.get(number.checked_sub(1)?)
    }
}
