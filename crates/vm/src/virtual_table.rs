//! Virtual tables: tables whose rows a module makes up, of the application or of an extension.
//!
//! ```text
//!   Module ── connect ──► VirtualTable ── open ──► VirtualCursor ── filter ──► rows
//!                              │                         ▲
//!                              └─ best_index: IndexInfo ─┘  what the planner asks, what the scan is told
//! ```
//!
//! The planner asks [`VirtualTable::best_index`] what a scan under some constraints would cost; the answer it likes best
//! goes into the program as a [`ScanPlan`], and back to [`VirtualCursor::filter`] when the scan begins. Every method takes
//! `&self` or belongs to one scan: a module may run SQL on the connection it is called from.

use std::any::Any;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use lithe_functions::{Arguments, Context, Function, FunctionError, Pointer};
use lithe_value::{Value, ValueRef};

use crate::operand::OnConflict;

/// What modules return: a code and a message, or no message for that of the code.
pub type Result<T = (), E = FunctionError> = std::result::Result<T, E>;

/// Which tables a module can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleKind {
    /// Those that CREATE VIRTUAL TABLE makes.
    Ordinary,
    /// Those, and one that is there without being created, under the module's name.
    Eponymous,
    /// Only the one that is there without being created.
    EponymousOnly,
}

/// Makes virtual tables.
pub trait Module: Send {
    /// Which ones.
    fn kind(&self) -> ModuleKind {
        ModuleKind::Ordinary
    }

    /// Makes a table that is not there yet, with what it stores.
    ///
    /// # Errors
    /// If the arguments make no sense, or what it stores cannot be made.
    fn create(&self, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.connect(request)
    }

    /// Connects to a table that was made earlier.
    ///
    /// # Errors
    /// If what it has stored is not there.
    fn connect(&self, request: &ConnectRequest<'_>) -> Result<Connected>;

    /// Whether a table called `x_suffix` belongs to the table `x` of this module. (In defensive mode nobody else writes it.)
    fn is_shadow_name(&self, suffix: &str) -> bool {
        let _ = suffix;
        false
    }
}

/// The table that a module is asked for.
#[derive(Clone, Copy)]
pub struct ConnectRequest<'r> {
    /// The module's name as CREATE VIRTUAL TABLE has it.
    pub module: &'r str,
    /// The name of the database.
    pub database: &'r str,
    /// The table's name.
    pub table: &'r str,
    /// The arguments as they are written.
    pub arguments: &'r [&'r [u8]],
}

/// A table that a module has made.
pub struct Connected {
    /// The table.
    pub table: Box<dyn VirtualTable>,
    /// Its columns, as a CREATE TABLE statement. The name in it does not matter; a type with the word HIDDEN makes a column
    /// that `*` does not show, which is also an argument of the table if it is called as a function.
    pub declaration: String,
    /// Where it may be used.
    pub risk: Risk,
}

/// Where a virtual table may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Risk {
    /// Anywhere if the schema is trusted.
    #[default]
    Normal,
    /// Anywhere: it can do no harm.
    Innocuous,
    /// In statements of the application only, not in triggers and views.
    DirectOnly,
}

/// A virtual table of a connection. It is dropped when the connection lets go of it.
pub trait VirtualTable: Send {
    /// Says how a scan under these constraints would be made and what it would cost. `false`: it cannot be made.
    ///
    /// # Errors
    /// Ends the compilation of the statement.
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool>;

    /// A cursor, not yet on any row.
    ///
    /// # Errors
    /// Ends the statement.
    fn open(&self) -> Result<Box<dyn VirtualCursor>>;

    /// Whether rows can be inserted, updated and deleted.
    fn is_writable(&self) -> bool {
        false
    }

    /// Whether a change that fails with SQLITE_CONSTRAINT has changed nothing, so that ON CONFLICT means what it says.
    fn supports_constraints(&self) -> bool {
        false
    }

    /// Inserts, updates or deletes a row; the rowid of one that was inserted.
    ///
    /// # Errors
    /// Undoes the statement, or what the conflict policy says if the code is SQLITE_CONSTRAINT.
    fn update(&self, change: &Change<'_>) -> Result<Option<i64>> {
        let _ = change;
        Err(FunctionError::new("the virtual table is read-only"))
    }

    /// The table is about to be changed for the first time in this transaction.
    ///
    /// # Errors
    /// Ends the statement.
    fn begin(&self) -> Result {
        Ok(())
    }

    /// The first half of a commit: it can still fail.
    ///
    /// # Errors
    /// Rolls the transaction back.
    fn sync(&self) -> Result {
        Ok(())
    }

    /// The transaction was committed.
    fn commit(&self) {}

    /// The transaction was rolled back.
    fn rollback(&self) {}

    /// Savepoint number `savepoint` was opened; numbers count up from 0.
    ///
    /// # Errors
    /// Ends the statement.
    fn savepoint(&self, savepoint: i32) -> Result {
        let _ = savepoint;
        Ok(())
    }

    /// This savepoint and those above it are gone, what was changed stays.
    ///
    /// # Errors
    /// Ends the statement.
    fn release(&self, savepoint: i32) -> Result {
        let _ = savepoint;
        Ok(())
    }

    /// What was changed since this savepoint was opened is undone; since the transaction began if the number is -1.
    ///
    /// # Errors
    /// Ends the statement.
    fn rollback_to(&self, savepoint: i32) -> Result {
        let _ = savepoint;
        Ok(())
    }

    /// ALTER TABLE RENAME.
    ///
    /// # Errors
    /// Undoes the statement.
    fn rename(&self, name: &str) -> Result {
        let _ = name;
        Ok(())
    }

    /// DROP TABLE: what the table stores goes, too.
    ///
    /// # Errors
    /// The table stays.
    fn destroy(&self) -> Result {
        Ok(())
    }

    /// What a function means when a column of this table is its first argument (or the second one of `LIKE` and the like).
    fn find_function(&self, name: &str, arguments: usize) -> Option<Overloaded> {
        let _ = (name, arguments);
        None
    }

    /// What is wrong with what the table stores (PRAGMA integrity_check).
    ///
    /// # Errors
    /// Ends the check.
    fn integrity(&self, database: &str, table: &str, is_quick: bool) -> Result<Option<String>> {
        let _ = (database, table, is_quick);
        Ok(None)
    }
}

/// A function as a virtual table has it.
pub struct Overloaded {
    /// The function.
    pub function: Arc<Function>,
    /// The constraint that a call of it is to [`VirtualTable::best_index`], if any: at least 150.
    pub op: Option<u8>,
}

/// One scan of a virtual table.
pub trait VirtualCursor {
    /// Begins the scan again, on its first row.
    ///
    /// # Errors
    /// Ends the statement.
    fn filter(&mut self, plan: &ScanPlan, arguments: &Values<'_>) -> Result;

    /// Goes to the next row.
    ///
    /// # Errors
    /// Ends the statement.
    fn next(&mut self) -> Result;

    /// Whether there is no row (any more).
    fn eof(&self) -> bool;

    /// Puts a column of the row into `context.out`.
    ///
    /// # Errors
    /// Ends the statement.
    fn column(&mut self, context: &mut ColumnContext<'_, '_>, column: usize) -> Result;

    /// The rowid of the row.
    ///
    /// # Errors
    /// Ends the statement.
    fn rowid(&mut self) -> Result<i64>;
}

/// Where a column's value goes.
pub struct ColumnContext<'a, 'c> {
    /// The result, as a function's.
    pub context: &'a mut Context<'c>,
    /// The value is only wanted to be written back by an UPDATE that does not change it: it may be left out.
    pub is_unchanged: bool,
    /// The value was left out.
    pub leaves_out: bool,
}

/// Values with what is known of them besides.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The values.
    pub values: &'a [ValueRef<'a>],
    /// Their subtypes and pointers.
    pub facts: &'a dyn Arguments,
}

/// The kind of the pointer that stands for all values of an IN.
const VALUE_LIST: &[u8] = b"ValueList";
/// The kind of the pointer that stands for a value that an UPDATE leaves alone.
const UNCHANGED: &[u8] = b"Unchanged";

impl Values<'_> {
    fn pointer(&self, index: usize, kind: &[u8]) -> Option<&dyn Any> {
        let pointer = self.facts.pointer(index)?;
        (*pointer.kind == *kind).then_some(&*pointer.value)
    }

    /// All values on the right side of an IN, if [`Usage::all_at_once`] has asked for them.
    pub fn list(&self, index: usize) -> Option<&[Value]> {
        self.pointer(index, VALUE_LIST)?.downcast_ref::<Vec<Value>>().map(Vec::as_slice)
    }

    /// Whether an UPDATE leaves the value alone, and the table has left it out.
    pub fn is_unchanged(&self, index: usize) -> bool {
        self.pointer(index, UNCHANGED).is_some()
    }
}

/// All values of an IN, as one.
pub(crate) fn list_pointer(values: Vec<Value>) -> Rc<Pointer> {
    Rc::new(Pointer { kind: VALUE_LIST.into(), value: Box::new(values) })
}

/// In the place of a value that an UPDATE leaves alone.
pub(crate) fn unchanged_pointer() -> Rc<Pointer> {
    Rc::new(Pointer { kind: UNCHANGED.into(), value: Box::new(()) })
}

/// Whether this stands for a value that an UPDATE leaves alone.
pub(crate) fn is_unchanged_pointer(pointer: &Pointer) -> bool {
    *pointer.kind == *UNCHANGED
}

/// A change of a virtual table's row, as `xUpdate` gets it:
///
/// ```text
///   DELETE    old key
///   INSERT    NULL      new rowid or NULL    columns …
///   UPDATE    old key   new key              columns …
/// ```
///
/// A key is a rowid, or the value of a WITHOUT ROWID table's primary key.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    /// The values.
    pub values: Values<'a>,
    /// What happens if the change violates a constraint.
    pub policy: OnConflict,
}

impl<'a> Change<'a> {
    /// The key of the row that is deleted or updated; none of one that is inserted.
    pub fn old_key(&self) -> Option<ValueRef<'a>> {
        let key = self.values.values[0];
        (self.values.values.len() == 1 || !key.is_null()).then_some(key)
    }

    /// The key that the row gets: NULL if the table is to choose one. None if the row is deleted.
    pub fn new_key(&self) -> Option<ValueRef<'a>> {
        self.values.values.get(1).copied()
    }

    /// The columns that the row gets. None if it is deleted.
    pub fn columns(&self) -> Option<&'a [ValueRef<'a>]> {
        self.values.values.get(2..)
    }

    /// Whether an UPDATE leaves the column alone.
    pub fn is_unchanged(&self, column: usize) -> bool {
        self.values.is_unchanged(column + 2)
    }
}

/// The kinds of constraints, by the numbers of `SQLITE_INDEX_CONSTRAINT_*`.
#[allow(missing_docs)] // the names say it
pub mod constraint {
    pub const EQ: u8 = 2;
    pub const GT: u8 = 4;
    pub const LE: u8 = 8;
    pub const LT: u8 = 16;
    pub const GE: u8 = 32;
    pub const MATCH: u8 = 64;
    pub const LIKE: u8 = 65;
    pub const GLOB: u8 = 66;
    pub const REGEXP: u8 = 67;
    pub const NE: u8 = 68;
    pub const ISNOT: u8 = 69;
    pub const ISNOTNULL: u8 = 70;
    pub const ISNULL: u8 = 71;
    pub const IS: u8 = 72;
    pub const LIMIT: u8 = 73;
    pub const OFFSET: u8 = 74;
    /// The first number that [`super::Overloaded::op`] may be.
    pub const FUNCTION: u8 = 150;
}

/// What the planner asks a virtual table, and what the table answers.
#[derive(Debug, Default)]
pub struct IndexInfo {
    /// The constraints.
    pub constraints: Vec<IndexConstraint>,
    /// The order in which the rows are wanted.
    pub order_by: Vec<IndexOrder>,
    /// The columns that are read, one bit each; the highest stands for all from the 64th on.
    pub columns_used: u64,
    /// How the order is wanted.
    pub order_use: OrderUse,
    /// What becomes of each constraint: as many as there are constraints.
    pub usage: Vec<Usage>,
    /// What [`VirtualCursor::filter`] gets.
    pub plan: ScanPlan,
    /// The rows come in the order that is wanted.
    pub order_by_consumed: bool,
    /// What the scan costs; 1 is about reading one row.
    pub estimated_cost: f64,
    /// How many rows it finds.
    pub estimated_rows: i64,
    /// It finds at most one row.
    pub finds_one_row: bool,
    /// EXPLAIN QUERY PLAN shows the number in hexadecimal.
    pub shows_hex: bool,
}

impl IndexInfo {
    /// A question without an answer yet.
    pub fn new(constraints: Vec<IndexConstraint>) -> IndexInfo {
        const NOBODY_KNOWS: f64 = 5e98;
        let usage = vec![Usage::default(); constraints.len()];
        IndexInfo { constraints, usage, estimated_cost: NOBODY_KNOWS, estimated_rows: 25, ..IndexInfo::default() }
    }
}

/// A constraint.
#[derive(Clone, Debug)]
pub struct IndexConstraint {
    /// The column; -1 is the rowid.
    pub column: i32,
    /// Which constraint: one of [`constraint`].
    pub op: u8,
    /// Whether it can be used: its right side is known before the scan begins.
    pub usable: bool,
    /// The collation that texts are compared with.
    pub collation: String,
    /// The right side, if it is known while the statement is compiled.
    pub value: Option<Value>,
    /// It is an IN.
    pub is_in: bool,
}

/// A column by which the rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexOrder {
    /// The column; -1 is the rowid.
    pub column: i32,
    /// DESC.
    pub descending: bool,
}

/// How the rows' order is wanted, by the numbers of `sqlite3_vtab_distinct`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrderUse {
    /// ORDER BY: just this order.
    #[default]
    Sorted = 0,
    /// GROUP BY: rows that are equal in these columns stand together.
    Grouped = 1,
    /// DISTINCT: the same, and of equal rows all but one may be left out.
    Distinct = 2,
    /// DISTINCT and ORDER BY: just this order, and of equal rows all but one may be left out.
    DistinctSorted = 3,
}

/// What becomes of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Its value is this argument of [`VirtualCursor::filter`], counted from 1; 0: it is none.
    pub argument: u32,
    /// The scan makes it true, so that it need not be checked again.
    pub omit: bool,
    /// Of an IN: all values are wanted at once, as one argument. ([`IndexConstraint::is_in`] says where that can be.)
    pub all_at_once: bool,
}

/// What a scan is told about how it is to be made: the table's own words.
#[derive(Clone, Debug, Default)]
pub struct ScanPlan {
    /// A number.
    pub number: i32,
    /// A text.
    pub text: Option<Arc<str>>,
    /// Something else.
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}

/// The tables of a connection that are connected, by the numbers that the catalog and programs have for them.
#[derive(Clone, Default)]
pub struct VirtualTables(Rc<std::cell::RefCell<Tables>>);

#[derive(Default)]
struct Tables {
    next: u32,
    all: Vec<(u32, Rc<dyn VirtualTable>)>,
}

impl VirtualTables {
    /// The table of that number, if it is still connected.
    pub fn get(&self, number: u32) -> Option<Rc<dyn VirtualTable>> {
        let tables = self.0.borrow();
        tables.all.iter().find(|(known, _)| *known == number).map(|(_, table)| Rc::clone(table))
    }

    /// Adds a table; its number.
    pub fn add(&self, table: Box<dyn VirtualTable>) -> u32 {
        let mut tables = self.0.borrow_mut();
        let number = tables.next;
        tables.next += 1;
        tables.all.push((number, Rc::from(table)));
        number
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().all.is_empty()
    }

    /// Lets go of the tables that are not wanted any more. Those that are still in use go when that ends.
    pub fn retain(&self, is_wanted: impl Fn(u32) -> bool) {
        let (kept, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.0.borrow_mut().all).into_iter().partition(|(number, _)| is_wanted(*number));
        {
            let mut tables = self.0.borrow_mut();
            let added = std::mem::replace(&mut tables.all, kept);
            tables.all.extend(added);
        }
        // Dropped when nothing is borrowed any more: a table may come back to the connection.
        drop(gone);
    }
}

impl fmt::Debug for VirtualTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VirtualTables({})", self.0.borrow().all.len())
    }
}
