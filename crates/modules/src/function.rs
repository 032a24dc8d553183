//! Helpers of this crate's modules: functions, their arguments, arguments of CREATE VIRTUAL TABLE, paths, streams.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use lithe_vtab::{
    Arity, Flags, Function, FunctionError, FunctionKind, Grow, Lossy, OutOfMemory, Result, ScalarFn, SqlConnection,
    ValueRef, copied_text, formatted,
};

/// A function whose result depends on its arguments alone.
pub fn scalar(name: &str, arity: Arity, eval: ScalarFn) -> Arc<Function> {
    with_flags(name, arity, Flags::DETERMINISTIC.with(Flags::INNOCUOUS), eval)
}

/// A function that only statements of the application may call, because its effects go beyond the database.
pub fn direct_only(name: &str, arity: Arity, eval: ScalarFn) -> Arc<Function> {
    with_flags(name, arity, Flags::DIRECT_ONLY, eval)
}

fn with_flags(name: &str, arity: Arity, flags: Flags, eval: ScalarFn) -> Arc<Function> {
    Arc::new(Function::custom(name, arity, flags, FunctionKind::CustomScalar(Arc::new(eval))))
}

/// An argument; NULL if it is missing.
pub fn argument<'a>(args: &[ValueRef<'a>], at: usize) -> ValueRef<'a> {
    args.get(at).copied().unwrap_or_default()
}

/// The database that has the name, which ends at its first NUL, as in C.
pub fn database_named(connection: &dyn SqlConnection, name: &[u8]) -> Option<String> {
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    connection.databases().into_iter().find(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

/// An argument of CREATE VIRTUAL TABLE without its quotes; a doubled quote inside stands for one.
pub fn dequoted(text: &str) -> Result<String, OutOfMemory> {
    let text = text.trim();
    for quote in [b'\'', b'"'] {
        if let Some(inner) = text.as_bytes().strip_prefix(&[quote]).and_then(|rest| rest.strip_suffix(&[quote])) {
            return formatted(format_args!("{}", Dequoted { inner, quote }));
        }
    }
    copied_text(text)
}

/// The text between two quotes.
struct Dequoted<'t> {
    inner: &'t [u8],
    quote: u8,
}

impl fmt::Display for Dequoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.inner;
        while let Some(at) = rest.windows(2).position(|two| two == [self.quote; 2]) {
            let (before, behind) = rest.split_at_checked(at + 1).unwrap_or((rest, &[]));
            Lossy(before).fmt(f)?;
            rest = behind.get(1..).unwrap_or_default();
        }
        Lossy(rest).fmt(f)
    }
}

/// A file name of a system call is no longer: with a longer one, the call would fail.
const PATH_LEN_MAX: usize = 4096;

/// The path, if a file can have it. (The standard library copies a path before it looks at its length.)
pub fn possible(path: &Path) -> std::io::Result<&Path> {
    if path.as_os_str().len() <= PATH_LEN_MAX { Ok(path) } else { Err(ErrorKind::InvalidFilename.into()) }
}

/// A vector as the end of a stream: writing fails where it cannot grow.
#[derive(Default)]
pub struct Written(pub Vec<u8>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.try_append(bytes).map_err(|_| ErrorKind::OutOfMemory)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A compressor. (Its state takes some 320 KB; where these are missing, the crate that makes it panics, as its functions have no error for
/// that.)
pub fn compressor<C>(make: impl FnOnce() -> C) -> Result<C> {
    catch_unwind(AssertUnwindSafe(make)).map_err(|_| FunctionError::out_of_memory())
}

/// The error of a stream: SQLITE_NOMEM if that is why, else this message.
pub fn failed(error: &std::io::Error, message: &'static str) -> FunctionError {
    if error.kind() == ErrorKind::OutOfMemory { FunctionError::out_of_memory() } else { FunctionError::new(message) }
}
