//! Asking the application whether a statement may do what it says (`sqlite3_set_authorizer`).
//!
//! It is asked while the statement is compiled: of what is read, where names are resolved; of the rest, at the start.

mod schema;

use std::fmt;
use std::rc::Rc;

use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::environment::Environment;
use crate::error::{CompileError, Result};

/// What a statement wants to do, by SQLite's numbers.
#[allow(missing_docs)] // the names say it: they are those of the SQLITE_* action codes
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Action {
    CreateIndex = 1,
    CreateTable = 2,
    CreateTempIndex = 3,
    CreateTempTable = 4,
    CreateTempTrigger = 5,
    CreateTempView = 6,
    CreateTrigger = 7,
    CreateView = 8,
    Delete = 9,
    DropIndex = 10,
    DropTable = 11,
    DropTempIndex = 12,
    DropTempTable = 13,
    DropTempTrigger = 14,
    DropTempView = 15,
    DropTrigger = 16,
    DropView = 17,
    Insert = 18,
    Pragma = 19,
    Read = 20,
    Select = 21,
    Transaction = 22,
    Update = 23,
    Attach = 24,
    Detach = 25,
    AlterTable = 26,
    Reindex = 27,
    Analyze = 28,
    CreateVirtualTable = 29,
    DropVirtualTable = 30,
    Function = 31,
    Savepoint = 32,
    Recursive = 33,
}

/// A question to the authorizer. What the two details are depends on the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'r> {
    /// What is wanted.
    pub action: Action,
    /// The first detail: a table, index, pragma, …
    pub first: Option<&'r str>,
    /// The second: a column, the value of a pragma, …
    pub second: Option<&'r str>,
    /// The database.
    pub database: Option<&'r str>,
    /// The innermost view or trigger that wants it; none is the statement itself.
    pub within: Option<&'r str>,
}

/// The application's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// SQLITE_OK
    Allow,
    /// SQLITE_DENY: the statement is not compiled.
    Deny,
    /// SQLITE_IGNORE: the statement is compiled without it. A column that may not be read is NULL.
    Ignore,
    /// Something else: an error.
    Malfunction,
}

/// Answers questions.
pub type Callback = Rc<dyn Fn(&Request<'_>) -> Permission>;

/// Who is asked, if anybody.
#[derive(Clone, Default)]
pub struct Authorizer(pub Option<Callback>);

impl fmt::Debug for Authorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Authorizer(set)" } else { "Authorizer(none)" })
    }
}

impl Authorizer {
    /// Asks. The answer is whether it shall be done; what may not be done at all is an error.
    pub fn ask(&self, request: &Request<'_>) -> Result<bool> {
        let Some(callback) = &self.0 else { return Ok(true) };
        match callback(request) {
            Permission::Allow => Ok(true),
            Permission::Ignore => Ok(false),
            Permission::Deny => Err(denied("not authorized")),
            Permission::Malfunction => Err(CompileError::new("authorizer malfunction")),
        }
    }
}

fn denied(message: impl Into<String>) -> CompileError {
    CompileError::new(message).with_code(ResultCode::AUTH)
}

impl Environment {
    /// Asks whether something may be done to what `first` and `second` name.
    pub(crate) fn ask(
        &self,
        action: Action,
        first: Option<Name<'_>>,
        second: Option<Name<'_>>,
        db: Option<Db>,
        within: Option<Name<'_>>,
    ) -> Result<bool> {
        if self.authorizer.0.is_none() {
            return Ok(true);
        }
        let database = db.map(|db| self.catalog.database_name(db).to_string());
        let [first, second, within] = [first, second, within].map(|name| name.map(|name| name.to_str_lossy()));
        self.authorizer.ask(&Request {
            action,
            first: first.as_deref(),
            second: second.as_deref(),
            database: database.as_deref(),
            within: within.as_deref(),
        })
    }

    /// Asks whether a column may be read; without permission it is NULL.
    pub(crate) fn ask_read(&self, table: Name<'_>, column: Name<'_>, db: Db, within: Option<Name<'_>>) -> Result<bool> {
        let answer = self.ask(Action::Read, Some(table), Some(column), Some(db), within);
        answer.map_err(|error| match error.code {
            ResultCode::AUTH if db != Db::MAIN || self.catalog.databases().len() > 2 => {
                let database = self.catalog.database_name(db);
                denied(format!("access to {database}.{table}.{column} is prohibited"))
            }
            ResultCode::AUTH => denied(format!("access to {table}.{column} is prohibited")),
            _ => error,
        })
    }

    /// Asks whether a function may be called; without permission the call is NULL.
    pub(crate) fn ask_function(&self, function: &str, within: Option<Name<'_>>) -> Result<bool> {
        let answer = self.ask(Action::Function, None, Some(Name::new(function.as_bytes())), None, within);
        answer.map_err(|error| match error.code {
            // SQLite's code is the general one here.
            ResultCode::AUTH => CompileError::new(format!("not authorized to use function: {function}")),
            _ => error,
        })
    }
}
