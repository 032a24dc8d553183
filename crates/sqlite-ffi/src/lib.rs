//! Any `libsqlite3.so`, loaded at run time: SQLite's own, Lithe's, or another one, behind the same safe interface.
//!
//! ```text
//!   path ──► Library ──► Connection ──► Statement ──► rows
//!             │              └────────► Blob
//!             └ sqlite3_libversion, sqlite3_sourceid: which one it is
//! ```
//!
//! Read first: [`Library`], [`Connection`], [`Statement`]. The crate knows the C interface of `sqlite3.h` and must not know anything else: no
//! engine, no SQL. A library stays loaded until the
//! process ends, so that its objects need no lifetime for it.
//!
//! # Why the calls are sound
//!
//! Symbols have the types of the header ([`symbols`]). A handle is valid from the call that returns it until the call
//! that closes it, which only `Drop` makes; an object of a connection borrows the connection. Texts and BLOBs of a row
//! are valid until the statement is stepped again: they borrow the statement. A connection may be sent to another
//! thread, but only one thread at a time uses it.

mod blob;
mod connection;
mod error;
mod statement;
mod symbols;

use std::ffi::{CStr, c_char};
use std::path::Path;

pub use blob::Blob;
pub use connection::{Connection, OpenFlags};
pub use error::{Error, Result};
pub use statement::{Statement, Value};

use symbols::Symbols;

/// A loaded library.
#[derive(Clone, Copy)]
pub struct Library {
    symbols: &'static Symbols,
}

impl Library {
    /// Loads the library at `path`, which must implement `sqlite3.h`: this cannot be checked.
    ///
    /// # Errors
    /// If the library cannot be loaded, or lacks a function.
    pub fn load(path: &Path) -> Result<Library> {
        Ok(Library { symbols: Box::leak(Box::new(Symbols::load(path)?)) })
    }

    /// `sqlite3_libversion`.
    pub fn version(&self) -> String {
        // SAFETY: the function has no arguments, and returns a static string.
        unsafe { static_text((self.symbols.libversion)()) }
    }

    /// `sqlite3_sourceid`.
    pub fn source_id(&self) -> String {
        // SAFETY: as above.
        unsafe { static_text((self.symbols.sourceid)()) }
    }

    /// Opens a database.
    ///
    /// # Errors
    /// As `sqlite3_open_v2`.
    pub fn open(&self, path: &Path, flags: OpenFlags) -> Result<Connection> {
        Connection::open(self.symbols, path, flags)
    }
}

/// # Safety
/// `text` is null or ends with NUL.
unsafe fn static_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: our caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
