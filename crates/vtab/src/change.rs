//! Values passed to and from virtual tables: columns of a row, arguments of a scan, changes of a row.

use std::any::Any;
use std::rc::Rc;

use lithe_functions::{Arguments, Context, Pointer};
use lithe_value::{Value, ValueRef};

/// The conflict policy for a violated constraint. Instructions contain these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OnConflict {
    /// The transaction is rolled back.
    Rollback = 1,
    /// The changes of the statement are undone.
    Abort = 2,
    /// The statement stops; its changes so far stay.
    Fail = 3,
    /// The row is skipped. As a failure, only in a trigger: RAISE(IGNORE).
    Ignore = 4,
    /// The conflicting rows are deleted. Never a failure: this policy is compiled into deletions.
    Replace = 5,
}

impl OnConflict {
    /// The policy with that number; ABORT, the default, for any other number.
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

/// The destination of a column's value.
pub struct ColumnContext<'a, 'c> {
    /// The result, as that of a function.
    pub context: &'a mut Context<'c>,
    /// The statement is an UPDATE that does not change the column: the value would only be written back, and may be omitted.
    pub is_unchanged: bool,
    /// The value was omitted.
    pub leaves_out: bool,
}

/// Values with their subtypes and pointers.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The values.
    pub values: &'a [ValueRef<'a>],
    /// The subtypes and pointers of the values.
    pub attributes: &'a dyn Arguments,
}

/// The kind of the pointer to all values of an IN.
const VALUE_LIST: &[u8] = b"ValueList";
/// The kind of the pointer that replaces a value that an UPDATE does not change.
const UNCHANGED: &[u8] = b"Unchanged";

impl Values<'_> {
    fn pointer(&self, index: usize, kind: &[u8]) -> Option<&dyn Any> {
        let pointer = self.attributes.pointer(index)?;
        (*pointer.kind == *kind).then_some(&*pointer.value)
    }

    /// All values on the right side of an IN, if [`Usage::all_at_once`] was set for the constraint.
    pub fn list(&self, index: usize) -> Option<&[Value]> {
        self.pointer(index, VALUE_LIST)?.downcast_ref::<Vec<Value>>().map(Vec::as_slice)
    }

    /// Whether an UPDATE does not change the value, and the table has omitted it.
    pub fn is_unchanged(&self, index: usize) -> bool {
        self.pointer(index, UNCHANGED).is_some()
    }
}

/// All values of an IN, as one argument.
pub fn list_pointer(values: Vec<Value>) -> Rc<Pointer> {
    Rc::new(Pointer { kind: VALUE_LIST.into(), value: Box::new(values), number: None })
}

/// The replacement of a value that an UPDATE does not change.
pub fn unchanged_pointer() -> Rc<Pointer> {
    Rc::new(Pointer { kind: UNCHANGED.into(), value: Box::new(()), number: None })
}

/// Whether `pointer` replaces a value that an UPDATE does not change.
pub fn is_unchanged_pointer(pointer: &Pointer) -> bool {
    *pointer.kind == *UNCHANGED
}

/// A change of a virtual table's row, with the arguments of `xUpdate`:
///
/// ```text
///   DELETE    old key
///   INSERT    NULL      new rowid or NULL    columns …
///   UPDATE    old key   new key              columns …
/// ```
///
/// A key is a rowid, or the value of the primary key of a WITHOUT ROWID table.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    /// The values.
    pub values: Values<'a>,
    /// The policy if the change violates a constraint.
    pub policy: OnConflict,
}

impl<'a> Change<'a> {
    /// The key of the deleted or updated row; `None` for an INSERT.
    pub fn old_key(&self) -> Option<ValueRef<'a>> {
        let &key = self.values.values.first()?;
        (self.values.values.len() == 1 || !key.is_null()).then_some(key)
    }

    /// The new key of the row: NULL if the table must choose a key. `None` for a DELETE.
    pub fn new_key(&self) -> Option<ValueRef<'a>> {
        self.values.values.get(1).copied()
    }

    /// The new columns of the row. `None` for a DELETE.
    pub fn columns(&self) -> Option<&'a [ValueRef<'a>]> {
        self.values.values.get(2..)
    }

    /// Whether an UPDATE does not change the column.
    pub fn is_unchanged(&self, column: usize) -> bool {
        self.values.is_unchanged(column + 2)
    }
}
