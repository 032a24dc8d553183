//! Auxiliary functions: their results depend on the current row of a scan, and on the query that has found it.
//!
//! ```text
//!   SELECT highlight(t, 0, '<', '>') FROM t WHERE t MATCH 'word'
//!                    │
//!                    └─ the hidden column named like the table: a pointer to the scan ── Api ── AuxiliaryFunction
//! ```
//!
//! [`api::Api`] is what a function may ask (SQLite's Fts5ExtensionApi). [`bm25`], [`highlight`] and [`snippet`] use
//! nothing else; an application adds functions of its own by [`crate::registry::add_function`].

pub mod api;
pub mod bm25;
pub mod highlight;
mod sizes_ahead;
pub mod snippet;
pub mod state;

use std::sync::{Arc, LazyLock};

use lithe_vtab::{
    Arguments, Context, FunctionError, PlainArguments, Pointer, ScalarFunction, SqlConnection, Value, ValueRef, code,
};

use crate::Result;
use api::Api;
use state::{POINTER_KIND, SharedState};

/// A function of the current row of a scan.
pub trait AuxiliaryFunction: Send + Sync {
    /// Calls the function. The arguments are those behind the table.
    ///
    /// # Errors
    /// End the statement.
    fn call(&self, api: &mut Api<'_>, arguments: &[ValueRef<'_>]) -> Result<Value>;
}

impl<F: Fn(&mut Api<'_>, &[ValueRef<'_>]) -> Result<Value> + Send + Sync> AuxiliaryFunction for F {
    fn call(&self, api: &mut Api<'_>, arguments: &[ValueRef<'_>]) -> Result<Value> {
        self(api, arguments)
    }
}

/// The names of the built-in functions.
pub const BUILT_IN: [&str; 4] = ["bm25", "highlight", "snippet", "fts5_get_locale"];

/// A built-in function. Each call returns the same one, because a function finds its kept data by its address.
pub(crate) fn built_in(name: &str) -> Option<Arc<dyn AuxiliaryFunction>> {
    static FUNCTIONS: LazyLock<[Arc<dyn AuxiliaryFunction>; 4]> = LazyLock::new(|| {
        [Arc::new(bm25::bm25), Arc::new(highlight::highlight), Arc::new(snippet::snippet), Arc::new(get_locale)]
    });
    let found = BUILT_IN.iter().zip(&*FUNCTIONS).find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, function)| Arc::clone(function))
}

/// Calls a function for the current row of a scan.
///
/// # Errors
/// The errors of the function.
pub fn call(
    function: &Arc<dyn AuxiliaryFunction>,
    state: &SharedState,
    connection: &dyn SqlConnection,
    arguments: &[ValueRef<'_>],
) -> Result<Value> {
    let mut state = state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
    function.call(&mut Api::new(&mut state, connection, function, &PlainArguments), arguments)
}

/// The properties of the arguments behind the table.
struct Behind<'a>(&'a dyn Arguments);

impl Arguments for Behind<'_> {
    fn subtype(&self, index: usize) -> u8 {
        self.0.subtype(index + 1)
    }

    fn pointer(&self, index: usize) -> Option<&Pointer> {
        self.0.pointer(index + 1)
    }

    fn is_bound(&self, index: usize) -> bool {
        self.0.is_bound(index + 1)
    }
}

/// An auxiliary function as a function of SQL.
pub(crate) struct Bound {
    pub name: String,
    pub function: Arc<dyn AuxiliaryFunction>,
}

impl ScalarFunction for Bound {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let Some((cursor, arguments)) = args.split_first() else { return Err(FunctionError::unusable(&self.name)) };
        let state = context.arg_pointer(0, POINTER_KIND).and_then(|pointer| pointer.downcast_ref::<SharedState>());
        let Some(state) = state else {
            let id = lithe_value::cast::to_integer(*cursor);
            return Err(FunctionError::new(format!("no such cursor: {id}")));
        };
        let connection = context.connection.sql().ok_or_else(|| FunctionError::unusable(&self.name))?;
        let behind = Behind(context.arguments);
        let mut state = state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
        let mut api = Api::new(&mut state, connection, &self.function, &behind);
        let value = self.function.call(&mut api, arguments)?;
        let answered = std::mem::take(&mut api.answered);
        (context.subtype, context.pointer) = (answered.subtype, answered.pointer);
        context.answer(value.as_ref())
    }
}

/// `wrong number of arguments …`.
fn wrong_number(name: &str) -> FunctionError {
    FunctionError::new(format!("wrong number of arguments to function {name}()"))
}

/// `fts5_get_locale(table, column)`.
fn get_locale(api: &mut Api<'_>, arguments: &[ValueRef<'_>]) -> Result<Value> {
    let [column] = arguments else { return Err(wrong_number("fts5_get_locale")) };
    let ValueRef::Integer(column) = *column else {
        return Err(FunctionError::new("non-integer argument passed to function fts5_get_locale()"));
    };
    let column = usize::try_from(column).ok().filter(|column| *column < api.column_count());
    let column = column.ok_or_else(|| FunctionError::of_code(code::RANGE))?;
    Ok(api.column(column)?.locale.map_or(Value::NULL, Value::text))
}
