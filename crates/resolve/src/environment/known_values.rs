//! Values that are known while a statement is compiled: those of bound parameters, and of calls with constant arguments.

use std::cell::Cell;
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

/// The parameters on whose values the plan depends, or would depend if they were bound.
#[derive(Clone, Debug, Default)]
pub struct PlannedParameters(Cell<u32>);

impl PlannedParameters {
    /// The bit of a parameter, by its number from 1. As in SQLite, all parameters from the 32nd on share the last bit.
    pub fn bit(number: usize) -> u32 {
        const LAST: usize = 31;
        1 << number.saturating_sub(1).min(LAST)
    }

    /// The bits of the parameters.
    pub fn bits(&self) -> u32 {
        self.0.get()
    }
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
        let planned = &self.planned_parameters.0;
        planned.set(planned.get() | PlannedParameters::bit(number));
        self.parameters.get(number.checked_sub(1)?)
    }
}
