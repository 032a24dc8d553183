//! Authorizer calls about what a statement reads and calls.

use lithe_base::Db;
use lithe_base::ResultCode;
use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::Name;

use super::Environment;
use crate::authorize::{Action, Request, denied};

impl Environment {
    /// Calls the authorizer about an action on what `first` and `second` name.
    pub fn authorize(
        &self,
        action: Action,
        first: Option<Name<'_>>,
        second: Option<Name<'_>>,
        db: Option<Db>,
        within: Option<Name<'_>>,
    ) -> Result<bool> {
        let database = db.map(|db| self.catalog.database_name(db).name());
        self.ask(action, [first, second, database, within])
    }

    /// As [`Environment::authorize`]; `names` are the two details, the database and the object within which it happens.
    fn ask(&self, action: Action, names: [Option<Name<'_>>; 4]) -> Result<bool> {
        if self.authorizer.0.is_none() {
            return Ok(true);
        }
        let names = names.map(|name| name.map(|name| name.to_str_lossy()));
        let [first, second, database, within] = names.each_ref().map(|name| name.as_deref());
        self.authorizer.call(&Request { action, first, second, database, within })
    }

    /// Calls the authorizer about a table of which rows, but no columns, are read: under the names by which the statement knows it.
    pub fn authorize_rows(&self, table: Name<'_>, database: Option<Name<'_>>, within: Option<Name<'_>>) -> Result<()> {
        self.ask(Action::Read, [Some(table), Some(Name::new(b"")), database, within]).map(drop)
    }

    /// Calls the authorizer about reading a column. False (SQLITE_IGNORE): the column is NULL.
    pub fn authorize_read(&self, table: Name<'_>, column: Name<'_>, db: Db, within: Option<Name<'_>>) -> Result<bool> {
        let answer = self.authorize(Action::Read, Some(table), Some(column), Some(db), within);
        answer.map_err(|error| match error.code {
            ResultCode::AUTH if db != Db::MAIN || self.catalog.databases().len() > 2 => {
                let database = self.catalog.database_name(db);
                denied(format!("access to {database}.{table}.{column} is prohibited"))
            }
            ResultCode::AUTH => denied(format!("access to {table}.{column} is prohibited")),
            _ => error,
        })
    }

    /// Calls the authorizer about a function call. False (SQLITE_IGNORE): the call is NULL.
    pub fn authorize_function(&self, function: &str, within: Option<Name<'_>>) -> Result<bool> {
        let answer = self.authorize(Action::Function, None, Some(Name::new(function.as_bytes())), None, within);
        answer.map_err(|error| match error.code {
            // SQLite's code is the general one here.
            ResultCode::AUTH => CompileError::new(format!("not authorized to use function: {function}")),
            _ => error,
        })
    }
}
