//! `carray`: an array of the application as a table of one column.
//!
//! ```text
//!   SELECT value FROM carray(?1)            sqlite3_carray_bind: the array with its length and type
//!   SELECT value FROM carray(?1, 10, 'double')   sqlite3_bind_pointer(…, "carray", …): the address alone
//! ```

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use lithe_engine::function::FunctionError;
use lithe_engine::value::{ValueRef, cast};
use lithe_engine::virtual_table::{
    ColumnContext, ConnectRequest, Connected, IndexInfo, Module, ModuleKind, Result, Risk, Scan, ScanPlan,
    SqlConnection, Values, VirtualCursor, VirtualTable, constraint,
};

use crate::bind::sqlite3_bind_pointer;
use crate::code;
use crate::connection::statement::sqlite3_stmt;
use crate::context::application_pointer;
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};

/// The kinds of pointers: an array with its length and type, and an address alone.
const BOUND: &CStr = c"carray-bind";
const ADDRESS: &CStr = c"carray";

/// Columns of the table.
const VALUE: usize = 0;
const COUNT: usize = 2;
const TYPE: usize = 3;

/// The type of the elements, by the numbers of `SQLITE_CARRAY_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Int32,
    Int64,
    Double,
    Text,
    Blob,
}

/// The names of the types, by their numbers.
const TYPES: [(&str, Type); 5] = [
    ("int32", Type::Int32),
    ("int64", Type::Int64),
    ("double", Type::Double),
    ("char*", Type::Text),
    ("struct iovec", Type::Blob),
];

/// An array in the application's memory.
#[derive(Clone, Copy)]
struct Array {
    data: *const c_void,
    count: i64,
    kind: Type,
}

impl Array {
    /// An element; `index` is within the array.
    ///
    /// # Safety
    /// The application keeps the array, and what it points to, while a statement uses it.
    unsafe fn element<'a>(&self, index: usize) -> ValueRef<'a> {
        if self.data.is_null() {
            return ValueRef::Null;
        }
        // SAFETY: our caller's promise. The array may have any alignment.
        unsafe {
            match self.kind {
                Type::Int32 => ValueRef::Integer(self.data.cast::<i32>().add(index).read_unaligned().into()),
                Type::Int64 => ValueRef::Integer(self.data.cast::<i64>().add(index).read_unaligned()),
                Type::Double => ValueRef::Real(self.data.cast::<f64>().add(index).read_unaligned()),
                Type::Text => match self.data.cast::<*const c_char>().add(index).read_unaligned() {
                    text if text.is_null() => ValueRef::Null,
                    text => ValueRef::Text(CStr::from_ptr(text).to_bytes()),
                },
                Type::Blob => {
                    let bytes = self.data.cast::<libc::iovec>().add(index).read_unaligned();
                    if bytes.iov_base.is_null() {
                        return ValueRef::Null;
                    }
                    ValueRef::Blob(std::slice::from_raw_parts(bytes.iov_base.cast(), bytes.iov_len))
                }
            }
        }
    }
}

/// The value of a parameter that is bound to an array. It begins with the structure of SQLite's own extension `carray`,
/// whose table reads it if a program loads that extension.
#[repr(C)]
struct Bound {
    data: *const c_void,
    count: c_int,
    flags: c_int,
    owner: Rc<Owner>,
}

/// Frees the data. A scan holds a reference, too, so that binding the parameter again does not free them.
struct Owner {
    destructor: Destructor,
    argument: *mut c_void,
    /// The data, if they are a copy.
    _copy: Option<Copy>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destructor, self.argument) };
    }
}

/// A deep copy of an array (SQLITE_TRANSIENT): the numbers, or the addresses of texts and BLOBs and those themselves.
struct Copy {
    elements: Box<[u64]>,
    _contents: Vec<Box<[u8]>>,
}

impl Copy {
    /// # Safety
    /// The array can be read.
    unsafe fn of(array: Array) -> Copy {
        let count = usize::try_from(array.count).unwrap_or(0);
        let (mut words, mut contents) = (Vec::with_capacity(count), Vec::new());
        let mut halves: Vec<u32> = Vec::new();
        let mut keep = |bytes: &[u8], end: &[u8]| {
            contents.push([bytes, end].concat().into_boxed_slice());
            contents.last().map_or(0, |kept| kept.as_ptr().expose_provenance() as u64)
        };
        for index in 0..count {
            // SAFETY: our caller's promise.
            match (array.kind, unsafe { array.element(index) }) {
                (Type::Int32, value) => halves.push(cast::to_integer(value) as u32),
                (Type::Int64, value) => words.push(cast::to_integer(value).cast_unsigned()),
                (Type::Double, value) => words.push(cast::to_real(value).to_bits()),
                (Type::Text, ValueRef::Text(text)) => words.push(keep(text, b"\0")),
                (Type::Text, _) => words.push(0),
                // A BLOB without bytes is not NULL, even without an address.
                (Type::Blob, ValueRef::Blob(blob)) => words.extend([keep(blob, b"\0"), blob.len() as u64]),
                (Type::Blob, _) => words.extend([keep(b"", b"\0"), 0]),
            }
        }
        let pair = |pair: &[u32]| {
            let (first, second) = (pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0));
            let bytes = [first.to_ne_bytes(), second.to_ne_bytes()].concat();
            u64::from_ne_bytes(bytes.try_into().unwrap_or_default())
        };
        words.extend(halves.chunks(2).map(pair));
        Copy { elements: words.into_boxed_slice(), _contents: contents }
    }
}

/// An address and a length are two words.
const _: () = assert!(size_of::<libc::iovec>() == 16 && size_of::<*const c_char>() == 8);

unsafe extern "C" fn free_bound(bound: *mut c_void) {
    // SAFETY: `sqlite3_carray_bind_v2` has made it, and the pointer that owns it goes.
    drop(unsafe { Box::from_raw(bound.cast::<Bound>()) });
}

api! {
    fn sqlite3_carray_bind_v2(
        statement: *mut sqlite3_stmt, number: c_int, data: *mut c_void, count: c_int, flags: c_int,
        destructor: Destructor, argument: *mut c_void,
    ) -> c_int {
        let Some((_, kind)) = usize::try_from(flags).ok().and_then(|at| TYPES.get(at)) else {
            memory::destroy(destructor, argument);
            return code::ERROR;
        };
        let array = Array { data, count: count.into(), kind: *kind };
        let is_copied = memory::is_transient(destructor);
        // As in SQLite, whose memory for a copy of nothing cannot be had.
        if is_copied && count == 0 {
            return code::NOMEM;
        }
        let copy = (is_copied && !data.is_null()).then(|| Copy::of(array));
        let data = copy.as_ref().map_or(data.cast_const(), |copy| copy.elements.as_ptr().cast());
        let destructor = destructor.filter(|_| !is_copied);
        let owner = Rc::new(Owner { destructor, argument, _copy: copy });
        let bound = Bound { data, count, flags, owner };
        let bound = Box::into_raw(Box::new(bound)).cast();
        // (`free_bound` also runs if the array cannot be bound.)
        sqlite3_bind_pointer(statement, number, bound, BOUND.as_ptr(), Some(free_bound))
    }

    fn sqlite3_carray_bind(
        statement: *mut sqlite3_stmt, number: c_int, data: *mut c_void, count: c_int, flags: c_int,
        destructor: Destructor,
    ) -> c_int {
        sqlite3_carray_bind_v2(statement, number, data, count, flags, destructor, data)
    }
}

/// The module.
pub(crate) struct CArray;

impl Module for CArray {
    fn kind(&self) -> ModuleKind {
        ModuleKind::EponymousOnly
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        let declaration = "CREATE TABLE x(value, pointer HIDDEN, count HIDDEN, ctype HIDDEN)".to_owned();
        Ok(Connected { table: Box::new(CArray), declaration, risk: Risk::Normal })
    }
}

impl VirtualTable for CArray {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        const NO_ARRAY: i64 = 0x7fff_ffff;
        let given = |column: i32| {
            let mut all = info.constraints.iter();
            all.position(|of| of.usable && of.column == column && of.op == constraint::EQ)
        };
        // A pointer, a count only with a pointer, a type only with a count.
        let arguments: Vec<usize> = (1..=3).map_while(given).collect();
        for (argument, at) in arguments.iter().enumerate() {
            let Some(usage) = info.usage.get_mut(*at) else { continue };
            (usage.argument, usage.omit) = (argument as u32 + 1, true);
        }
        info.plan.number = arguments.len() as i32;
        info.estimated_rows = if arguments.is_empty() { NO_ARRAY } else { 100 };
        info.estimated_cost = if arguments.is_empty() { NO_ARRAY as f64 } else { 1.0 };
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(CArrayCursor { array: EMPTY, at: 0, _owner: None }))
    }
}

const EMPTY: Array = Array { data: null_mut(), count: 0, kind: Type::Int32 };

struct CArrayCursor {
    array: Array,
    at: usize,
    _owner: Option<Rc<Owner>>,
}

/// The address in a pointer of that kind.
fn address(arguments: &Values<'_>, kind: &CStr) -> Option<*mut c_void> {
    let pointer = arguments.attributes.pointer(0).filter(|pointer| *pointer.kind == *kind.to_bytes())?;
    application_pointer(pointer).map(|pointer| pointer.address)
}

fn type_named(value: ValueRef<'_>) -> Result<Type> {
    let name = cast::to_text(value);
    let known = TYPES.iter().find(|(known, _)| !value.is_null() && known.as_bytes().eq_ignore_ascii_case(&name));
    known.map(|(_, kind)| *kind).ok_or_else(|| {
        let name = String::from_utf8_lossy(&name).replace('\'', "''");
        let name = if value.is_null() { "NULL".to_owned() } else { format!("'{name}'") };
        FunctionError::new(format!("unknown datatype: {name}"))
    })
}

impl VirtualCursor for CArrayCursor {
    fn filter(&mut self, _: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        *self = CArrayCursor { array: EMPTY, at: 0, _owner: None };
        if plan.number == 1 {
            let Some(bound) = address(arguments, BOUND) else { return Ok(()) };
            // SAFETY: a pointer of this kind is the address of such a structure.
            let bound = unsafe { &*bound.cast::<Bound>() };
            let kind = TYPES.get((bound.flags & 7) as usize).map_or(Type::Int32, |(_, kind)| *kind);
            self.array = Array { data: bound.data, count: bound.count.into(), kind };
            self._owner = Some(Rc::clone(&bound.owner));
            return Ok(());
        }
        let kind = arguments.values.get(2).map_or(Ok(Type::Int32), |name| type_named(*name))?;
        if let (Some(data), Some(count)) = (address(arguments, ADDRESS), arguments.values.get(1)) {
            self.array = Array { data, count: cast::to_integer(*count), kind };
        }
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        usize::try_from(self.array.count).map_or(true, |count| self.at >= count)
    }

    fn column(&mut self, _: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let name = |kind| TYPES.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| *name);
        context.context.answer(match column {
            // SAFETY: the cursor is on an element, and the application keeps its array.
            VALUE => unsafe { self.array.element(self.at) },
            COUNT => ValueRef::Integer(self.array.count),
            TYPE => ValueRef::Text(name(self.array.kind).as_bytes()),
            _ => ValueRef::Null,
        })
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at as i64 + 1)
    }
}
