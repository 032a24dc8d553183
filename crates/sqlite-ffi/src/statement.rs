//! A compiled statement, its parameters and its rows.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};

use crate::connection::{Connection, OK, length};
use crate::error::{Error, Result};

const ROW: c_int = 100;
const DONE: c_int = 101;

impl Connection {
    /// Runs all statements of `sql`; rows are ignored.
    ///
    /// # Errors
    /// The error of the first statement that fails.
    pub fn run(&self, sql: &str) -> Result<()> {
        let mut rest = sql;
        while !rest.is_empty() {
            let (statement, tail) = self.compile(rest)?;
            if let Some(mut statement) = statement {
                while statement.step()? {}
            }
            rest = &rest[tail..];
        }
        Ok(())
    }

    /// Compiles the first statement of `sql`.
    ///
    /// # Errors
    /// The error of compiling.
    pub fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        self.compile(sql)?.0.ok_or_else(|| Error::argument("no statement"))
    }

    /// The first statement, if there is one, and the offset behind it.
    fn compile(&self, sql: &str) -> Result<(Option<Statement<'_>>, usize)> {
        let (start, len) = (sql.as_ptr().cast::<c_char>(), length(sql.len())?);
        let (mut handle, mut tail) = (null_mut(), null());
        // SAFETY: the text has `len` bytes; handle and tail are written to.
        let code = unsafe { (self.symbols.prepare_v2)(self.handle.as_ptr(), start, len, &mut handle, &mut tail) };
        self.check(code)?;
        let behind = if tail.is_null() { sql.len() } else { (tail as usize).saturating_sub(start as usize) };
        let statement = NonNull::new(handle).map(|handle| Statement::new(self, handle));
        Ok((statement, behind.clamp(usize::from(!sql.is_empty()), sql.len())))
    }
}

/// Storage classes by their numbers.
const INTEGER: c_int = 1;
const FLOAT: c_int = 2;
const TEXT: c_int = 3;
const BLOB: c_int = 4;

/// An SQL value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'v> {
    /// NULL.
    Null,
    /// INTEGER.
    Integer(i64),
    /// REAL.
    Real(f64),
    /// TEXT.
    Text(&'v [u8]),
    /// BLOB.
    Blob(&'v [u8]),
}

/// A compiled statement.
pub struct Statement<'c> {
    connection: &'c Connection,
    handle: NonNull<c_void>,
}

impl<'c> Statement<'c> {
    pub(crate) fn new(connection: &'c Connection, handle: NonNull<c_void>) -> Statement<'c> {
        Statement { connection, handle }
    }

    /// Runs the statement with these parameters to its end, calls `each` with every row, and returns the number of
    /// rows.
    ///
    /// # Errors
    /// The error of the statement, or the first error of `each`.
    pub fn each<E: From<crate::Error>>(
        &mut self,
        parameters: &[Value<'_>],
        mut each: impl FnMut(&Statement<'c>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let result = self.run(parameters, &mut each);
        let reset = self.reset();
        let count = result?;
        reset?;
        Ok(count)
    }

    fn run<E: From<crate::Error>>(
        &mut self,
        parameters: &[Value<'_>],
        each: &mut impl FnMut(&Statement<'c>) -> Result<(), E>,
    ) -> Result<usize, E> {
        for (at, value) in parameters.iter().enumerate() {
            self.bind(at + 1, *value)?;
        }
        let mut count = 0;
        while self.step()? {
            each(self)?;
            count += 1;
        }
        Ok(count)
    }

    /// Binds a value as SQLITE_STATIC: its bytes must be valid as long as they are bound. [`Statement::each`], the only
    /// caller, clears the binding before it returns.
    fn bind(&mut self, number: usize, value: Value<'_>) -> Result<()> {
        let (symbols, handle, number) = (self.connection.symbols, self.handle.as_ptr(), length(number)?);
        // SAFETY: the statement is live, and the bytes are valid until `reset`.
        let code = unsafe {
            match value {
                Value::Null => (symbols.bind_null)(handle, number),
                Value::Integer(integer) => (symbols.bind_int64)(handle, number, integer),
                Value::Real(real) => (symbols.bind_double)(handle, number, real),
                Value::Text(text) => {
                    (symbols.bind_text)(handle, number, text.as_ptr().cast(), length(text.len())?, None)
                }
                Value::Blob(blob) => {
                    (symbols.bind_blob)(handle, number, blob.as_ptr().cast(), length(blob.len())?, None)
                }
            }
        };
        self.connection.check(code)
    }

    /// Steps to the next row; false if there is none.
    pub(crate) fn step(&mut self) -> Result<bool> {
        // SAFETY: the statement is live.
        match unsafe { (self.connection.symbols.step)(self.handle.as_ptr()) } {
            ROW => Ok(true),
            DONE => Ok(false),
            _ => Err(self.connection.error()),
        }
    }

    fn reset(&mut self) -> Result<()> {
        // SAFETY: the statement is live.
        let code = unsafe {
            let code = (self.connection.symbols.reset)(self.handle.as_ptr());
            (self.connection.symbols.clear_bindings)(self.handle.as_ptr());
            code
        };
        if code == OK { Ok(()) } else { Err(self.connection.error()) }
    }

    /// How many columns a row has.
    pub fn width(&self) -> usize {
        // SAFETY: the statement is live.
        usize::try_from(unsafe { (self.connection.symbols.column_count)(self.handle.as_ptr()) }).unwrap_or(0)
    }

    /// A column of the row. The value is valid until the next step, which takes the statement mutably.
    pub fn value(&self, column: usize) -> Value<'_> {
        let (symbols, handle) = (self.connection.symbols, self.handle.as_ptr());
        let Ok(column) = length(column) else { return Value::Null };
        // SAFETY: the statement is live; a missing column is NULL.
        unsafe {
            match (symbols.column_type)(handle, column) {
                INTEGER => Value::Integer((symbols.column_int64)(handle, column)),
                FLOAT => Value::Real((symbols.column_double)(handle, column)),
                TEXT => Value::Text(self.bytes((symbols.column_text)(handle, column), column)),
                BLOB => Value::Blob(self.bytes((symbols.column_blob)(handle, column), column)),
                _ => Value::Null,
            }
        }
    }

    /// # Safety
    /// `start` is the library's last result for the column.
    unsafe fn bytes(&self, start: *const u8, column: c_int) -> &[u8] {
        // SAFETY: the statement is live; the bytes are valid until it is stepped or reset, both of which take it
        // mutably, and no other form of the column is requested.
        unsafe {
            let len = (self.connection.symbols.column_bytes)(self.handle.as_ptr(), column);
            match usize::try_from(len) {
                Ok(len) if !start.is_null() && len > 0 => std::slice::from_raw_parts(start, len),
                _ => &[],
            }
        }
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is finalized only here.
        unsafe { (self.connection.symbols.finalize)(self.handle.as_ptr()) };
    }
}
