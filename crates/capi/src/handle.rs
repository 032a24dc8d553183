//! A handle of the C interface for a connection of the engine that Rust code uses: so extensions made in C can be loaded into it.

use std::ops::Deref;
use std::ptr::NonNull;

use lithe_engine::{Connection, Error, OpenFlags, Result, ResultCode};

use crate::code;
use crate::connection::{self, sqlite3};
use crate::open::extend;
use crate::threading;

/// A `sqlite3*` that owns its connection. Dropping it closes the connection; if C code still holds a statement, the last one does so.
///
/// `load_extension()` is enabled. An extension runs in this process, as a program that is started does: what it does is up to it.
pub struct Handle(NonNull<sqlite3>);

// SAFETY: one thread at a time uses the connection, for which the owner of the handle answers, and the handle has a mutex for
// the calls that come from C. The `Rc`s in the connection are owned by it and its statements, which are part of it.
unsafe impl Send for Handle {}

impl Handle {
    /// Adds the C interface's modules and the automatic extensions to a connection.
    ///
    /// # Errors
    /// That of an automatic extension.
    pub fn new(core: Connection) -> Result<Handle> {
        let flags = OpenFlags::DEFAULT;
        let db = Box::into_raw(Box::new(sqlite3::new(Some(core), flags, threading::wants_mutex(flags))));
        let handle = Handle(NonNull::new(db).expect("a box is not null"));
        let db = handle.0.as_ptr();
        // SAFETY: just made.
        unsafe {
            (*db).can_load_extensions.set(true);
            (*db).can_load_by_sql.set(true);
            match extend(db) {
                code::OK => Ok(handle),
                _ => Err(Error::new(ResultCode::ERROR, String::from_utf8_lossy(&(*db).message_bytes()))),
            }
        }
    }
}

impl Deref for Handle {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        // SAFETY: the handle lives as long as this.
        unsafe { self.0.as_ref() }.core()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: it was made by `Handle::new`, and is not used any more.
        let code = unsafe { connection::close(self.0.as_ptr(), true) };
        debug_assert_eq!(code, code::OK, "a handle that is not open");
    }
}
