//! The context of a function call besides its arguments: the result, and the connection.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use lithe_value::{Buffer, Collation, Encoding, Value, ValueRef};

use crate::error::{FunctionError, Result};
use crate::sql::SqlConnection;

/// The connection, as functions use it. The machine implements it.
pub trait Connection {
    /// `changes()`.
    fn changes(&self) -> i64;
    /// `total_changes()`.
    fn total_changes(&self) -> i64;
    /// `last_insert_rowid()`.
    fn last_insert_rowid(&self) -> i64;
    /// The encoding of text in the database: `hex()` and CAST read bytes in it.
    fn encoding(&self) -> Encoding;
    /// SQLITE_LIMIT_LENGTH.
    fn length_max(&self) -> usize;
    /// SQLITE_LIMIT_LIKE_PATTERN_LENGTH.
    fn like_pattern_length_max(&self) -> usize;
    /// PRAGMA case_sensitive_like.
    fn case_sensitive_like(&self) -> bool;
    /// The time in milliseconds since the Julian epoch, the same during one step of a statement.
    fn now(&self) -> i64;
    /// The offset of local time from UTC in seconds, at a time given in seconds since 1970; `None` if the time zone is unknown.
    fn local_offset(&self, unix_seconds: i64) -> Option<i32>;
    /// Fills `bytes` with randomness.
    fn randomness(&self, bytes: &mut [u8]);
    /// Writes to the error log, if there is one (`sqlite_log()`).
    fn log(&self, _code: i32, _message: &[u8]) {}

    /// Loads an extension (`load_extension()`); without a file it only checks whether loading is allowed. The error is a message.
    fn load_extension(&self, _file: Option<&[u8]>, _entry: Option<&[u8]>) -> std::result::Result<(), String> {
        Err("not authorized".to_owned())
    }

    /// SQL on the connection, for functions that run statements of their own.
    fn sql(&self) -> Option<&dyn SqlConnection> {
        None
    }
}

/// Properties of the arguments of a call besides their values.
pub trait Arguments {
    /// The subtype of an argument.
    fn subtype(&self, index: usize) -> u8;

    /// The pointer of an argument, whose value is NULL then.
    fn pointer(&self, index: usize) -> Option<&Pointer>;

    /// Whether an argument is a bound parameter.
    fn is_bound(&self, _index: usize) -> bool {
        false
    }
}

/// Arguments without properties besides their values.
#[derive(Clone, Copy, Debug)]
pub struct PlainArguments;

impl Arguments for PlainArguments {
    fn subtype(&self, _index: usize) -> u8 {
        0
    }

    fn pointer(&self, _index: usize) -> Option<&Pointer> {
        None
    }
}

/// A pointer of the application, which its functions pass to each other and which may be bound to parameters. SQL reads it as
/// NULL, or as the number that it has.
pub struct Pointer {
    /// Its type: a function accepts only pointers of its own type.
    pub kind: Box<[u8]>,
    /// The object.
    pub value: Box<dyn Any>,
    /// What SQL reads.
    pub number: Option<i64>,
}

impl fmt::Debug for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pointer({})", String::from_utf8_lossy(&self.kind))
    }
}

/// The data that a call site keeps between two calls of the same statement: a parsed pattern, for instance.
///
/// The data is kept beyond the run of the statement, so another thread may drop it. The auxiliary data of functions of the
/// application is dropped at the end of the run, which stays on its thread.
#[derive(Default)]
pub struct CallSite {
    kept: Option<Box<dyn Any + Send>>,
    /// The auxiliary data of functions of the application, each with its argument.
    auxiliary: Vec<(i32, Rc<dyn Any>)>,
}

impl CallSite {
    /// A call site without data.
    pub const fn new() -> CallSite {
        CallSite { kept: None, auxiliary: Vec::new() }
    }

    /// Drops the auxiliary data of arguments that may differ in the next call. `constant` has a bit for each argument that
    /// cannot; data for no argument (a negative number) stays.
    pub fn keep_constant(&mut self, constant: u32) {
        let is_constant = |index: i32| index < 0 || (index < 32 && constant & (1 << index) != 0);
        self.auxiliary.retain(|(index, _)| is_constant(*index));
    }

    /// Drops the auxiliary data of functions of the application.
    pub fn forget(&mut self) {
        self.auxiliary.clear();
    }

    /// The kept data, if it is a `T` that `fits`; otherwise the result of `make`, which is then kept.
    pub fn get_or_make<T: Send + 'static>(
        &mut self,
        fits: impl FnOnce(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> &mut T {
        let has = self.kept.as_ref().and_then(|kept| kept.downcast_ref()).is_some_and(fits);
        if !has {
            self.kept = Some(Box::new(make()));
        }
        #[expect(clippy::expect_used, reason = "it was there, or was just put there")]
        self.get_mut().expect("a value that was kept")
    }

    /// The kept data, if it is a `T`, to be read.
    #[inline]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.kept.as_ref()?.downcast_ref()
    }

    /// The kept data, if it is a `T`.
    pub fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.kept.as_mut()?.downcast_mut()
    }

    /// Keeps `value` in place of the earlier data.
    pub fn set<T: Send + 'static>(&mut self, value: T) {
        self.kept = Some(Box::new(value));
    }
}

impl fmt::Debug for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.kept.is_some() { "CallSite(kept)" } else { "CallSite(empty)" })
    }
}

/// One call of a function.
pub struct Context<'a> {
    /// The result. Its buffer may have the memory of an earlier result; its value is undefined before the call.
    pub out: &'a mut Value,
    /// The subtype of the result; JSON functions mark theirs with 74.
    pub subtype: u8,
    /// The pointer of a result that is NULL.
    pub pointer: Option<Rc<Pointer>>,
    /// Properties of the arguments besides their values.
    pub arguments: &'a dyn Arguments,
    /// The collation of the call: that of the first argument that has one.
    pub collation: &'a Collation,
    /// The data that this call site keeps for the next call.
    pub site: &'a mut CallSite,
    /// The connection.
    pub connection: &'a dyn Connection,
    /// The data that all calls of the statement share.
    pub shared: Option<&'a mut CallSite>,
    /// The context of the call, if its result must be deterministic: "an index", "a CHECK constraint" or "a generated column".
    pub must_be_pure: Option<&'static str>,
}

impl<'a> Context<'a> {
    /// The context of a call without arguments that have properties.
    #[inline]
    pub fn new(
        out: &'a mut Value,
        collation: &'a Collation,
        site: &'a mut CallSite,
        connection: &'a dyn Connection,
    ) -> Context<'a> {
        let arguments = &PlainArguments;
        Context {
            out,
            subtype: 0,
            pointer: None,
            arguments,
            collation,
            site,
            connection,
            shared: None,
            must_be_pure: None,
        }
    }

    /// The subtype of an argument.
    pub fn arg_subtype(&self, index: usize) -> u8 {
        self.arguments.subtype(index)
    }

    /// The object that an argument points to, if it is a pointer of that type.
    pub fn arg_pointer(&self, index: usize, kind: &[u8]) -> Option<&'a dyn Any> {
        let pointer = self.arguments.pointer(index)?;
        (*pointer.kind == *kind).then_some(&*pointer.value)
    }

    /// The auxiliary data that an earlier call has set for an argument. It is dropped when the argument may change, and when the
    /// statement ends.
    pub fn auxiliary(&self, index: i32) -> Option<Rc<dyn Any>> {
        self.site.auxiliary.iter().find(|(at, _)| *at == index).map(|(_, kept)| Rc::clone(kept))
    }

    /// Sets the auxiliary data of an argument.
    pub fn set_auxiliary(&mut self, index: i32, keep: Rc<dyn Any>) {
        let auxiliary = &mut self.site.auxiliary;
        match auxiliary.iter_mut().find(|(at, _)| *at == index) {
            Some((_, kept)) => *kept = keep,
            None => auxiliary.push((index, keep)),
        }
    }

    /// Fails if a text or blob of that length exceeds the limit.
    #[inline]
    pub fn check_length(&self, length: usize) -> Result {
        if length > self.connection.length_max() { Err(FunctionError::too_big()) } else { Ok(()) }
    }

    /// Reserves `additional` more bytes of a text or blob; fails if the limit or memory does not allow it.
    #[inline]
    pub fn reserve(&self, buffer: &mut Buffer, additional: usize) -> Result {
        self.check_length(buffer.len().saturating_add(additional))?;
        Ok(buffer.try_reserve(additional)?)
    }

    /// Returns a copy of a value.
    #[inline]
    pub fn answer(&mut self, value: ValueRef<'_>) -> Result {
        if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value {
            let mut buffer = self.out.take_buffer();
            self.reserve(&mut buffer, bytes.len())?;
            self.out.set_blob_buffer(buffer);
        }
        self.out.set(value);
        Ok(())
    }

    /// Returns a text built in `buffer`, which should come from [`Value::take_buffer`].
    #[inline]
    pub fn answer_text(&mut self, buffer: Buffer) -> Result {
        self.check_length(buffer.len())?;
        self.out.set_text_buffer(buffer);
        Ok(())
    }

    /// Returns a blob built in `buffer`.
    #[inline]
    pub fn answer_blob(&mut self, buffer: Buffer) -> Result {
        self.check_length(buffer.len())?;
        self.out.set_blob_buffer(buffer);
        Ok(())
    }

    /// The time of this step. Fails if the result must be deterministic.
    pub fn now(&self, function: &str) -> Result<i64> {
        self.check_pure(function)?;
        Ok(self.connection.now())
    }

    /// Fails if the result must be deterministic.
    pub fn check_pure(&self, function: &str) -> Result {
        match self.must_be_pure {
            None => Ok(()),
            Some(place) => Err(FunctionError::new(format!("non-deterministic use of {function}() in {place}"))),
        }
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("out", &self.out).field("subtype", &self.subtype).finish_non_exhaustive()
    }
}
