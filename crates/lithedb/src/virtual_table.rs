//! Virtual tables of the application: a [`Module`] creates and connects tables, a [`VirtualTable`] tells how it can be
//! searched, and a [`VirtualCursor`] iterates over its rows.
//!
//! ```
//! use lithe::{Connection, ValueRef};
//! use lithe::virtual_table::{
//!     ColumnContext, ConnectRequest, Connected, IndexInfo, Module, ModuleKind, Result, Risk, Scan, ScanPlan, SqlConnection, Values,
//!     VirtualCursor, VirtualTable, constraint,
//! };
//!
//! /// The numbers from 1 to the argument: `SELECT value FROM numbers(3)`.
//! struct Numbers;
//!
//! impl Module for Numbers {
//!     fn kind(&self) -> ModuleKind {
//!         ModuleKind::EponymousOnly
//!     }
//!     fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
//!         let declaration = "CREATE TABLE x(value INTEGER, last INTEGER HIDDEN)".to_owned();
//!         Ok(Connected { table: Box::new(Numbers), declaration, risk: Risk::Innocuous })
//!     }
//! }
//!
//! impl VirtualTable for Numbers {
//!     fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
//!         for (constraint, usage) in info.constraints.iter().zip(&mut info.usage) {
//!             if constraint.column == 1 && constraint.op == constraint::EQ && constraint.usable {
//!                 (usage.argument, usage.omit) = (1, true);
//!                 info.estimated_cost = 10.0;
//!                 return Ok(true);
//!             }
//!         }
//!         Ok(false) // without its argument it is not to be called
//!     }
//!     fn open(&self) -> Result<Box<dyn VirtualCursor>> {
//!         Ok(Box::new(Count { at: 0, last: 0 }))
//!     }
//! }
//!
//! struct Count {
//!     at: i64,
//!     last: i64,
//! }
//!
//! impl VirtualCursor for Count {
//!     fn filter(&mut self, _: &Scan<'_>, _: &ScanPlan, arguments: &Values<'_>) -> Result {
//!         self.at = 1;
//!         self.last = if let Some(ValueRef::Integer(last)) = arguments.values.first() { *last } else { 0 };
//!         Ok(())
//!     }
//!     fn next(&mut self, _: &Scan<'_>) -> Result {
//!         self.at += 1;
//!         Ok(())
//!     }
//!     fn eof(&self) -> bool {
//!         self.at > self.last
//!     }
//!     fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
//!         answer.context.out.set_integer(if column == 0 { self.at } else { self.last });
//!         Ok(())
//!     }
//!     fn rowid(&mut self) -> Result<i64> {
//!         Ok(self.at)
//!     }
//! }
//!
//! let connection = Connection::open_in_memory()?;
//! connection.create_module("numbers", Numbers);
//! assert_eq!(connection.query_row("SELECT sum(value) FROM numbers(4)", [], |row| row.get::<i64>(0))?, 10);
//! # Ok::<(), lithe::Error>(())
//! ```

pub use lithe_engine::virtual_table::*;

use crate::connection::Connection;

impl Connection {
    /// Adds a module for virtual tables, in place of one of the same name: `CREATE VIRTUAL TABLE t USING name(…)`, or
    /// `SELECT … FROM name(…)` if its [`Module::kind`] says so.
    ///
    /// Does not block. The example of this module adds one.
    pub fn create_module(&self, name: &str, module: impl Module + 'static) {
        self.core.create_module(name, Some(Box::new(module)));
    }

    /// Adds a function in the form that modules use: it gets the whole [`Context`], with pointers and the connection.
    ///
    /// Does not block. [`Connection::create_scalar_function`](crate::Connection::create_scalar_function) has an example of a simpler function.
    ///
    /// # Errors
    /// SQLITE_BUSY if it would replace one while statements run; SQLITE_MISUSE for a name or number of arguments out of bounds.
    pub fn create_function(&self, function: Function) -> crate::Result<()> {
        self.core.create_function(function)
    }

    /// Removes a module. Its tables cannot be used any more.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.remove_module("fts5");
    /// assert!(connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)", []).is_err());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn remove_module(&self, name: &str) {
        self.core.create_module(name, None);
    }
}
