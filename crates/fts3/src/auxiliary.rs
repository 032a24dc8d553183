//! The auxiliary functions, on the current row of a scan: snippet, offsets, matchinfo, optimize.
//!
//! Their first argument is the hidden column that is named like the table, a pointer to the scan.

mod matchinfo;
mod offsets;
mod snippet;

use std::cell::RefMut;
use std::sync::{Arc, OnceLock};

use lithe_value::cast;
use lithe_value::grow::copied;
use lithe_vtab::{
    Arity, Context, Flags, Function, FunctionError, FunctionKind, Overloaded, ScalarFunction, SqlConnection, ValueRef,
    code,
};

use crate::Result;
use crate::cursor::{CursorState, POINTER_KIND, SharedState};
use crate::tokenizer::{Flow, Token};

/// The functions, with the most arguments that each takes.
const FUNCTIONS: [(&str, usize, Body); 4] = [
    ("snippet", 6, snippet::snippet),
    ("offsets", 1, offsets::offsets),
    ("matchinfo", 2, matchinfo::matchinfo),
    ("optimize", 1, optimize),
];

/// The code of a function; its arguments are those after the table.
type Body = fn(&mut Call<'_, '_, '_>) -> Result;

/// A call of a function.
struct Call<'a, 'c, 's> {
    context: &'a mut Context<'c>,
    state: RefMut<'s, CursorState>,
    arguments: &'a [ValueRef<'a>],
    connection: &'s dyn SqlConnection,
}

/// The functions as a call without a full-text table finds them: each call fails.
pub fn unusable() -> &'static [Arc<Function>] {
    static ALL: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let arities = [
            ("offsets", Arity::Exactly(1)),
            ("matchinfo", Arity::Exactly(1)),
            ("matchinfo", Arity::Exactly(2)),
            ("optimize", Arity::Exactly(1)),
            ("snippet", Arity::AtLeast(0)),
        ];
        arities.into_iter().map(|(name, arity)| Arc::new(Function::unusable(name, arity))).collect()
    })
}

/// The function of that name for a call whose first argument is a column of a full-text table (xFindFunction).
pub fn overloaded(name: &str) -> Option<Overloaded> {
    let (name, arguments_max, body) = *FUNCTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
    let kind = FunctionKind::CustomScalar(Arc::new(Bound { name, arguments_max, body }));
    Some(Overloaded { function: Arc::new(Function::custom(name, Arity::AtLeast(0), Flags::INNOCUOUS, kind)), op: None })
}

/// A function in the form that SQL calls.
struct Bound {
    name: &'static str,
    arguments_max: usize,
    body: Body,
}

impl ScalarFunction for Bound {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        if args.len() > self.arguments_max {
            return Err(FunctionError::new(format!("wrong number of arguments to function {}()", self.name)));
        }
        let pointer = context.arg_pointer(0, POINTER_KIND).and_then(|pointer| pointer.downcast_ref::<SharedState>());
        let Some(state) = pointer.cloned() else {
            return Err(FunctionError::new(format!("illegal first argument to {}", self.name)));
        };
        let shared = context.connection;
        let connection = shared.sql().ok_or_else(|| FunctionError::unusable(self.name))?;
        let state = state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
        let arguments = args.get(1..).unwrap_or_default();
        (self.body)(&mut Call { context, state, arguments, connection })
    }
}

/// `optimize(t)`.
fn optimize(call: &mut Call<'_, '_, '_>) -> Result {
    let table = Arc::clone(&call.state.table);
    call.connection.execute("SAVEPOINT fts3").map_err(FunctionError::silent)?;
    match table.optimize(call.connection) {
        Ok(is_new) => {
            call.connection.execute("RELEASE fts3").map_err(FunctionError::silent)?;
            let text = if is_new { "Index optimized" } else { "Index already optimal" };
            call.context.answer(ValueRef::Text(text.as_bytes()))
        }
        Err(error) => {
            // The first error is the one to report.
            let _ = call.connection.execute("ROLLBACK TO fts3; RELEASE fts3");
            Err(error)
        }
    }
}

impl Call<'_, '_, '_> {
    /// An argument as an integer, or the default if the argument is missing.
    fn integer(&self, index: usize, default: i64) -> i64 {
        self.arguments.get(index).map_or(default, |value| i64::from(cast::to_integer(*value) as i32))
    }

    /// An argument as a text, or the default if the argument is missing.
    fn text(&self, index: usize, default: &str) -> Result<Vec<u8>> {
        match self.arguments.get(index) {
            None => Ok(default.as_bytes().to_vec()),
            Some(ValueRef::Null) => Err(FunctionError::out_of_memory()),
            Some(value) => Ok(copied(&cast::to_text(*value))?),
        }
    }

    /// The text of a column of the row. None if it is NULL.
    fn document(&mut self, column: usize) -> Result<Option<Vec<u8>>> {
        let value = self.state.column(self.connection, 1 + column)?;
        let value = value.as_ref();
        Ok((!value.is_null()).then(|| copied(&cast::to_text(value))).transpose()?)
    }
}

impl CursorState {
    /// Passes the tokens of a text to `f` until `f` answers `Enough`; answers whether it did.
    fn tokenize(&self, text: &[u8], mut f: impl FnMut(&Token<'_>) -> Result<Flow>) -> Result<bool> {
        let language = self.search.as_ref().map_or(0, |search| search.language);
        let mut has_enough = false;
        self.table.tokenizer.tokenize(text, language, &mut |token| {
            let flow = f(&token)?;
            has_enough = flow == Flow::Enough;
            Ok(flow)
        })?;
        Ok(has_enough)
    }
}
