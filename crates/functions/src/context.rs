//! What a function gets besides its arguments: where to put the result, and what it may know of the connection.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use lithe_value::{Buffer, Collation, Encoding, Value, ValueRef};

use crate::error::{FunctionError, Result};
use crate::sql::SqlConnection;

/// The connection, as functions see it. The machine implements it.
pub trait Connection {
    /// `changes()`.
    fn changes(&self) -> i64;
    /// `total_changes()`.
    fn total_changes(&self) -> i64;
    /// `last_insert_rowid()`.
    fn last_insert_rowid(&self) -> i64;
    /// How the database stores text: `hex()` and CAST see those bytes.
    fn encoding(&self) -> Encoding;
    /// SQLITE_LIMIT_LENGTH.
    fn length_max(&self) -> usize;
    /// SQLITE_LIMIT_LIKE_PATTERN_LENGTH.
    fn like_pattern_length_max(&self) -> usize;
    /// PRAGMA case_sensitive_like.
    fn case_sensitive_like(&self) -> bool;
    /// The time in milliseconds since the Julian epoch, the same during one step of a statement.
    fn now(&self) -> i64;
    /// How many seconds local time is ahead of UTC at a time given in seconds since 1970; `None` if the time zone is unknown.
    fn local_offset(&self, unix_seconds: i64) -> Option<i32>;
    /// Fills `bytes` with randomness.
    fn randomness(&self, bytes: &mut [u8]);
    /// Writes to the error log, if there is one (`sqlite_log()`).
    fn log(&self, _code: i32, _message: &[u8]) {}

    /// Loads an extension (`load_extension()`); without a file it only says whether it may. The error is its message.
    fn load_extension(&self, _file: Option<&[u8]>, _entry: Option<&[u8]>) -> std::result::Result<(), String> {
        Err("not authorized".to_owned())
    }

    /// SQL on the connection, for functions that run statements of their own.
    fn sql(&self) -> Option<&dyn SqlConnection> {
        None
    }
}

/// What is known of the arguments of a call besides their values.
pub trait Arguments {
    /// The subtype of an argument.
    fn subtype(&self, index: usize) -> u8;

    /// The pointer that an argument carries: its value is NULL.
    fn pointer(&self, index: usize) -> Option<&Pointer>;

    /// Whether an argument is a bound parameter.
    fn is_bound(&self, _index: usize) -> bool {
        false
    }
}

/// Arguments of which nothing is known but their values.
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

/// Something of the application that travels between its functions, and into them from bound parameters. SQL sees NULL.
pub struct Pointer {
    /// What it is: a function takes only pointers of the kind that it knows.
    pub kind: Box<[u8]>,
    /// The thing.
    pub value: Box<dyn Any>,
}

impl fmt::Debug for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pointer({})", String::from_utf8_lossy(&self.kind))
    }
}

/// What a call site keeps between two calls of the same statement: a pattern taken apart, for instance.
///
/// What is kept outlives the run of the statement, so another thread may be the one to drop it. What functions of the
/// application keep does not: a run stays on its thread.
#[derive(Default)]
pub struct CallSite {
    kept: Option<Box<dyn Any + Send>>,
    /// What functions of the application keep, each by the argument that it was made from.
    auxiliary: Vec<(i32, Rc<dyn Any>)>,
}

impl CallSite {
    /// A call site that keeps nothing yet.
    pub const fn new() -> CallSite {
        CallSite { kept: None, auxiliary: Vec::new() }
    }

    /// Drops the values kept for arguments that may differ in the next call. `constant` has a bit for each argument
    /// that may not; what was kept for no argument (a negative number) stays.
    pub fn keep_constant(&mut self, constant: u32) {
        let is_constant = |index: i32| index < 0 || (index < 32 && constant & (1 << index) != 0);
        self.auxiliary.retain(|(index, _)| is_constant(*index));
    }

    /// Drops all values that functions of the application keep.
    pub fn forget(&mut self) {
        self.auxiliary.clear();
    }

    /// What was kept, if it is a `T` that `fits`; otherwise what `make` makes, which is kept.
    pub fn get_or_make<T: Send + 'static>(&mut self, fits: impl FnOnce(&T) -> bool, make: impl FnOnce() -> T) -> &T {
        let has = self.kept.as_ref().and_then(|kept| kept.downcast_ref()).is_some_and(fits);
        if !has {
            self.kept = Some(Box::new(make()));
        }
        #[expect(clippy::expect_used, reason = "it was there, or was just put there")]
        self.kept.as_ref().and_then(|kept| kept.downcast_ref()).expect("a value that was kept")
    }

    /// What was kept, if it is a `T`.
    pub fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.kept.as_mut()?.downcast_mut()
    }

    /// Keeps `value` instead of what was kept.
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
    /// The result. Its buffer is that of an earlier result, to be reused; its value is not defined before the call.
    pub out: &'a mut Value,
    /// The subtype of the result; JSON functions mark theirs with 74.
    pub subtype: u8,
    /// A pointer that goes with a result of NULL.
    pub pointer: Option<Rc<Pointer>>,
    /// What is known of the arguments besides their values.
    pub arguments: &'a dyn Arguments,
    /// The collation of the call: that of the first argument that has one.
    pub collation: &'a Collation,
    /// What this call keeps for the next one.
    pub site: &'a mut CallSite,
    /// The connection.
    pub connection: &'a dyn Connection,
    /// Where the call stands, if its result must never change: "an index", "a CHECK constraint" or "a generated column".
    pub must_be_pure: Option<&'static str>,
}

impl<'a> Context<'a> {
    /// The context of a call with nothing special about it.
    pub fn new(
        out: &'a mut Value,
        collation: &'a Collation,
        site: &'a mut CallSite,
        connection: &'a dyn Connection,
    ) -> Context<'a> {
        let arguments = &PlainArguments;
        Context { out, subtype: 0, pointer: None, arguments, collation, site, connection, must_be_pure: None }
    }

    /// The subtype of an argument.
    pub fn arg_subtype(&self, index: usize) -> u8 {
        self.arguments.subtype(index)
    }

    /// What an argument points to, if it is a pointer of that kind.
    pub fn arg_pointer(&self, index: usize, kind: &[u8]) -> Option<&'a dyn Any> {
        let pointer = self.arguments.pointer(index)?;
        (*pointer.kind == *kind).then_some(&*pointer.value)
    }

    /// What an earlier call here has kept for an argument. It is gone when the argument may be another one, and when the
    /// statement has ended.
    pub fn auxiliary(&self, index: i32) -> Option<Rc<dyn Any>> {
        self.site.auxiliary.iter().find(|(at, _)| *at == index).map(|(_, kept)| Rc::clone(kept))
    }

    /// Keeps something for an argument, in place of what was kept.
    pub fn set_auxiliary(&mut self, index: i32, keep: Rc<dyn Any>) {
        let auxiliary = &mut self.site.auxiliary;
        match auxiliary.iter_mut().find(|(at, _)| *at == index) {
            Some((_, kept)) => *kept = keep,
            None => auxiliary.push((index, keep)),
        }
    }

    /// Fails if a text or blob of that length would be too long.
    #[inline]
    pub fn check_length(&self, length: usize) -> Result {
        if length > self.connection.length_max() { Err(FunctionError::too_big()) } else { Ok(()) }
    }

    /// Reserves `additional` more bytes of a text or blob, if it may be so long and there is memory.
    #[inline]
    pub fn reserve(&self, buffer: &mut Buffer, additional: usize) -> Result {
        self.check_length(buffer.len().saturating_add(additional))?;
        Ok(buffer.try_reserve(additional)?)
    }

    /// Answers a copy of a value.
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

    /// Answers a text built in `buffer`, which should be that of [`Value::take_buffer`].
    #[inline]
    pub fn answer_text(&mut self, buffer: Buffer) -> Result {
        self.check_length(buffer.len())?;
        self.out.set_text_buffer(buffer);
        Ok(())
    }

    /// Answers a blob built in `buffer`.
    #[inline]
    pub fn answer_blob(&mut self, buffer: Buffer) -> Result {
        self.check_length(buffer.len())?;
        self.out.set_blob_buffer(buffer);
        Ok(())
    }

    /// The time of this step, unless the result must never change.
    pub fn now(&self, function: &str) -> Result<i64> {
        self.check_pure(function)?;
        Ok(self.connection.now())
    }

    /// Fails if the result must never change.
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
