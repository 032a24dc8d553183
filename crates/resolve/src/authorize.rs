//! The authorizer: the application's callback that decides whether a statement may be compiled
//! (`sqlite3_set_authorizer`).
//!
//! The resolver calls it while it resolves names, about what a statement reads; the compiler calls it first, about everything else. The
//! calls are methods of the environment (`environment::authorize`).

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use lithe_base::ResultCode;
use lithe_catalog::{CompileError, Result};

/// The actions of statements, by SQLite's numbers.
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

/// The arguments of one call of the authorizer. The action decides what the two details are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'r> {
    /// The action.
    pub action: Action,
    /// The first detail: a table, index, pragma, …
    pub first: Option<&'r str>,
    /// The second: a column, the value of a pragma, …
    pub second: Option<&'r str>,
    /// The database.
    pub database: Option<&'r str>,
    /// The innermost view or trigger that the action is part of; none if it is part of the statement itself.
    pub within: Option<&'r str>,
}

/// The result of the authorizer callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// SQLITE_OK
    Allow,
    /// SQLITE_DENY: the statement is not compiled.
    Deny,
    /// SQLITE_IGNORE: the statement is compiled without the action. A column that may not be read is NULL.
    Ignore,
    /// Another result: an error.
    Malfunction,
}

/// The application's callback.
pub type Callback = Rc<dyn Fn(&Request<'_>) -> Permission>;

/// The authorizer callback, if there is one.
#[derive(Clone, Default)]
pub struct Authorizer(pub Option<Callback>, Silence);

/// Whether the callback is not called.
type Silence = Cell<bool>;

impl fmt::Debug for Authorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Authorizer(set)" } else { "Authorizer(none)" })
    }
}

impl From<Option<Callback>> for Authorizer {
    fn from(callback: Option<Callback>) -> Authorizer {
        Authorizer(callback, Silence::default())
    }
}

impl Authorizer {
    /// Runs `f`, in which nothing is asked: it resolves texts of the schema.
    pub fn silent<T>(&self, f: impl FnOnce() -> T) -> T {
        let outer = self.1.replace(true);
        let result = f();
        self.1.set(outer);
        result
    }

    /// Calls the authorizer. False: the action is left out (SQLITE_IGNORE). A denied action is an error.
    pub fn call(&self, request: &Request<'_>) -> Result<bool> {
        let Some(callback) = self.0.as_ref().filter(|_| !self.1.get()) else { return Ok(true) };
        match callback(request) {
            Permission::Allow => Ok(true),
            Permission::Ignore => Ok(false),
            Permission::Deny => Err(denied("not authorized")),
            Permission::Malfunction => Err(CompileError::new("authorizer malfunction")),
        }
    }
}

/// An error with SQLITE_AUTH.
pub fn denied(message: impl Into<String>) -> CompileError {
    CompileError::new(message).with_code(ResultCode::AUTH)
}
