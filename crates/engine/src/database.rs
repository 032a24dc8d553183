//! One database of a connection: main, temp, or an attached one.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::Btree;
use lithe_format::db_header::Meta;
use lithe_pager::{BeginKind, OpenOptions, Pager};
use lithe_vfs::{ResultCode, Vfs};

use crate::busy::BusyHandler;
use crate::error::{Error, Result};
use crate::open::{OpenFlags, Target};

/// A database of a connection.
pub(crate) struct Database {
    /// The temporary database is opened when somebody first uses it.
    btree: OnceCell<Rc<Btree>>,
    /// The catalog has what the file's schema table says.
    is_loaded: Cell<bool>,
    /// The file as it was named; empty for databases without one.
    file_name: PathBuf,
}

impl Database {
    /// Opens the database that `target` means.
    pub(crate) fn open(target: &Target, vfs: &Arc<dyn Vfs>, busy: &Rc<BusyHandler>) -> Result<Database> {
        let options = options(target);
        let path = path_of(&target.path)?;
        let is_in_memory = target.path == b":memory:" || target.flags.contains(OpenFlags::MEMORY);
        let pager = if is_in_memory || target.path.is_empty() {
            Pager::open_in_memory(&options)
        } else {
            Pager::open(Arc::clone(vfs), path, &options).map_err(cannot_open)?
        };
        let busy = Rc::clone(busy);
        pager.set_busy_handler(Some(Rc::new(move |asked| busy.should_retry(asked))));
        let file_name = pager.path().map(Path::to_path_buf).unwrap_or_default();
        let btree = OnceCell::from(Rc::new(Btree::new(pager)));
        Ok(Database { btree, is_loaded: Cell::new(false), file_name })
    }

    /// The temporary database, not opened yet.
    pub(crate) fn temporary() -> Database {
        Database { btree: OnceCell::new(), is_loaded: Cell::new(false), file_name: PathBuf::new() }
    }

    /// The B-trees. Opens the temporary database if this is it.
    pub(crate) fn btree(&self) -> &Rc<Btree> {
        self.btree.get_or_init(|| {
            self.is_loaded.set(true); // it is empty, and the catalog's schema of it too
            Rc::new(Btree::new(Pager::open_in_memory(&OpenOptions::default())))
        })
    }

    /// The B-trees if they are open.
    pub(crate) fn opened(&self) -> Option<&Rc<Btree>> {
        self.btree.get()
    }

    /// Whether the catalog has the schema. A database that is not open has none.
    pub(crate) fn is_loaded(&self) -> bool {
        self.is_loaded.get() || self.btree.get().is_none()
    }

    pub(crate) fn set_loaded(&self, is_loaded: bool) {
        self.is_loaded.set(is_loaded);
    }

    /// The file's absolute path; empty without a file.
    pub(crate) fn file_name(&self) -> &Path {
        &self.file_name
    }

    /// The schema cookie in the file.
    pub(crate) fn schema_cookie(&self) -> Result<u32> {
        Ok(self.btree().meta(Meta::SchemaCookie)?)
    }

    /// Whether a write transaction is open on it.
    pub(crate) fn is_writing(&self) -> bool {
        self.opened().is_some_and(|btree| btree.pager().is_writing())
    }
}

fn options(target: &Target) -> OpenOptions {
    let flags = target.flags;
    OpenOptions {
        read_only: !flags.contains(OpenFlags::READWRITE),
        create: flags.contains(OpenFlags::CREATE),
        immutable: target.boolean("immutable", false),
        no_lock: target.boolean("nolock", false),
        no_follow: flags.contains(OpenFlags::NOFOLLOW),
        ..OpenOptions::default()
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Result<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Result<&Path> {
    std::str::from_utf8(bytes).map(Path::new).map_err(|_| Error::from_code(ResultCode::CANTOPEN))
}

/// Whatever keeps a file from being opened is SQLITE_CANTOPEN to the application.
fn cannot_open(error: lithe_pager::Error) -> Error {
    let code = error.code();
    if code.primary() == ResultCode::CANTOPEN || code.primary() == ResultCode::IOERR {
        return Error::new(code, ResultCode::CANTOPEN.text());
    }
    Error::from(error)
}

/// A private B-tree for what one statement puts aside.
pub(crate) fn temporary_btree() -> Result<Rc<Btree>> {
    let btree = Btree::new(Pager::open_in_memory(&OpenOptions::default()));
    btree.pager().begin_write(BeginKind::Exclusive)?;
    Ok(Rc::new(btree))
}
