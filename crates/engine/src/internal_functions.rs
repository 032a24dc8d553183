//! Functions by which SQLite changes its schema. They can be called from SQL only if a test enables them
//! (`SQLITE_TESTCTRL_INTERNAL_FUNCTIONS`).

use std::sync::Arc;

use lithe_functions::{Arity, Context, Flags, Function, FunctionError, Kind, ScalarFunction};
use lithe_sql::ast::Name;
use lithe_value::{Encoding, ValueRef, cast};

use crate::connection::Connection;
use crate::error::{Error, Result};

const QUOTE_FIX: &str = "sqlite_rename_quotefix";
const ARITY: Arity = Arity::Exactly(2);

/// Makes the internal functions callable from SQL, or hides them again.
///
/// # Errors
/// SQLITE_BUSY if statements run and the functions were callable.
pub(crate) fn toggle(connection: &Connection) -> Result<()> {
    if connection.functions().has_exactly(QUOTE_FIX.as_bytes(), ARITY, Encoding::Utf8) {
        return connection.remove_function(QUOTE_FIX, ARITY, Encoding::Utf8);
    }
    let kind = Kind::CustomScalar(Arc::new(QuoteFix));
    connection.create_function(Function::custom(QUOTE_FIX, ARITY, Flags::DIRECT_ONLY, kind))
}

/// A CREATE statement of this database in which strings in double quotes are put into single quotes: see
/// [`lithe_codegen::with_single_quotes`].
pub(crate) fn with_single_quotes(connection: &Connection, database: &str, statement: &[u8]) -> Result<Vec<u8>> {
    let environment = connection.environment();
    let Some(db) = environment.catalog.find_database(Name::new(database.as_bytes())) else {
        return Err(Error::generic(format!("unknown database {database}")));
    };
    Ok(lithe_codegen::with_single_quotes(&environment, db, statement)?)
}

/// `sqlite_rename_quotefix(database, statement)`: the CREATE statement with its double-quoted strings in single quotes.
struct QuoteFix;

impl ScalarFunction for QuoteFix {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> std::result::Result<(), FunctionError> {
        let [database, statement] = [0, 1].map(|at| cast::to_text(args.get(at).copied().unwrap_or(ValueRef::Null)));
        let Some(connection) = context.connection.sql() else { return Ok(()) };
        let fixed = connection.with_single_quotes(&String::from_utf8_lossy(&database), &statement)?;
        context.out.set_text(&fixed);
        Ok(())
    }
}
