//! Values that go in and out of virtual tables: columns of a row, arguments of a scan, changes of a row.

use std::any::Any;
use std::rc::Rc;

use lithe_functions::{Arguments, Context, Pointer};
use lithe_value::{Value, ValueRef};

/// What is done about a constraint that does not hold. The numbers stand in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OnConflict {
    /// Roll the transaction back.
    Rollback = 1,
    /// Undo what the statement has done.
    Abort = 2,
    /// Stop; what is done stays.
    Fail = 3,
    /// Skip the row. As a failure only in a trigger: RAISE(IGNORE).
    Ignore = 4,
    /// Delete the rows that are in the way. Never a failure: it is compiled into deletions.
    Replace = 5,
}

impl OnConflict {
    /// The policy with that number; ABORT, which is the default, for any other.
    pub const fn from_u8(number: u8) -> OnConflict {
        match number {
            1 => OnConflict::Rollback,
            3 => OnConflict::Fail,
            4 => OnConflict::Ignore,
            5 => OnConflict::Replace,
            _ => OnConflict::Abort,
        }
    }
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
    pub attributes: &'a dyn Arguments,
}

/// The kind of the pointer that stands for all values of an IN.
const VALUE_LIST: &[u8] = b"ValueList";
/// The kind of the pointer that stands for a value that an UPDATE leaves alone.
const UNCHANGED: &[u8] = b"Unchanged";

impl Values<'_> {
    fn pointer(&self, index: usize, kind: &[u8]) -> Option<&dyn Any> {
        let pointer = self.attributes.pointer(index)?;
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
pub fn list_pointer(values: Vec<Value>) -> Rc<Pointer> {
    Rc::new(Pointer { kind: VALUE_LIST.into(), value: Box::new(values) })
}

/// In the place of a value that an UPDATE leaves alone.
pub fn unchanged_pointer() -> Rc<Pointer> {
    Rc::new(Pointer { kind: UNCHANGED.into(), value: Box::new(()) })
}

/// Whether this stands for a value that an UPDATE leaves alone.
pub fn is_unchanged_pointer(pointer: &Pointer) -> bool {
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
        let &key = self.values.values.first()?;
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
