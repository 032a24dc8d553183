//! One database of a connection: main, temp, or an attached one.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::Btree;
use lithe_format::PageSize;
use lithe_pager::{BeginKind, CacheSize, OpenOptions, Pager, Synchronous};
use lithe_vfs::{ResultCode, Vfs};

use crate::busy::BusyHandler;
use crate::error::{Error, Result};
use crate::open::{OpenFlags, Target};
use crate::shared_cache::{Share, SharedCache};

/// A database of a connection.
pub(crate) struct Database {
    /// Opened at the first use, if it is the temporary database.
    btree: OnceCell<Rc<Btree>>,
    /// The catalog has the schema that the file's schema table describes.
    is_loaded: Cell<bool>,
    /// The file as it was named; empty for databases without one.
    file_name: PathBuf,
    /// The parameters of the URI that the database was opened by.
    parameters: Vec<(Vec<u8>, Vec<u8>)>,
    /// For the temporary database: the VFS of the file to which it spills.
    temporary_files: Option<Arc<dyn Vfs>>,
    /// The cache that the database shares with other connections of the process.
    shared: Option<Share>,
    /// A backup writes the database. It belongs to the backup until the backup ends.
    pub(crate) is_backup_target: Cell<bool>,
    /// The backup that writes the database has taken its first step: every other access answers SQLITE_BUSY.
    pub(crate) is_locked_by_backup: Cell<bool>,
    /// How many backups read the database.
    pub(crate) backups: Cell<usize>,
    /// The database was made from bytes (`sqlite3_deserialize`); `size_max` is its largest size in bytes.
    pub(crate) is_image: Cell<bool>,
    pub(crate) size_max: Cell<u64>,
    /// PRAGMA cache_size has set the size of the cache, so that the size in the header is ignored.
    pub(crate) has_cache_size: Cell<bool>,
    wished_page_size: Cell<Option<PageSize>>,
    /// The connection has committed to the database since it last released its read lock.
    pub(crate) has_committed: Cell<bool>,
    /// Commits of this connection so far.
    pub(crate) commits: Cell<u32>,
}

impl Database {
    /// Opens the database of `target`.
    pub(crate) fn open(target: &Target, vfs: &Arc<dyn Vfs>, busy: &Rc<BusyHandler>) -> Result<Database> {
        let options = options(target);
        let path = path_of(&target.path)?;
        if target.is_in_memory() && target.is_shared() {
            return Database::open_shared_memory(target, &options, busy);
        }
        let pager = if target.is_in_memory() {
            Pager::open_in_memory(&options)
        } else if target.path.is_empty() {
            Pager::open_temporary(Arc::clone(vfs), &options)
        } else {
            Pager::open(Arc::clone(vfs), path, &options).map_err(cannot_open)?
        };
        let file_name = pager.path().map(Path::to_path_buf).unwrap_or_default();
        let is_file = pager.path().is_some() && target.is_shared();
        let shared = is_file.then(|| Share::new(SharedCache::of_file(file_name.as_os_str().as_encoded_bytes())));
        if let Some(share) = &shared {
            pager.join_cache(share.members());
        }
        let parameters = target.parameters.clone();
        Ok(Database { file_name, parameters, shared, ..Database::with_pager(pager, busy) })
    }

    /// A database in memory that several connections of this process share. It has a log, so that readers and the
    /// writer do not block each other.
    fn open_shared_memory(target: &Target, options: &OpenOptions, busy: &Rc<BusyHandler>) -> Result<Database> {
        let share = Share::new(SharedCache::of_memory(&target.path));
        let Some(files) = share.memory() else { return Err(Error::from_code(ResultCode::INTERNAL)) };
        let options = OpenOptions { always_log: true, create: true, read_only: false, ..options.clone() };
        let pager = Pager::open(Arc::clone(files) as Arc<dyn Vfs>, Path::new("/main"), &options)?;
        pager.set_synchronous(Synchronous::Off);
        pager.join_cache(share.members());
        Ok(Database { shared: Some(share), ..Database::with_pager(pager, busy) })
    }

    /// The database of this pager, without a name.
    pub(crate) fn with_pager(pager: Pager, busy: &Rc<BusyHandler>) -> Database {
        busy.serve(&pager);
        let btree = OnceCell::from(Rc::new(Btree::new(pager)));
        Database { btree, ..Database::temporary(None) }
    }

    /// The cache that the database shares with other connections.
    pub(crate) fn shared(&self) -> Option<&Share> {
        self.shared.as_ref()
    }

    /// Whether it is a database in memory that several connections share.
    pub(crate) fn is_shared_memory(&self) -> bool {
        self.shared.as_ref().is_some_and(|share| share.memory().is_some())
    }

    /// The temporary database, not opened yet. Without a VFS for files it stays in memory.
    pub(crate) fn temporary(files: Option<Arc<dyn Vfs>>) -> Database {
        Database {
            btree: OnceCell::new(),
            is_loaded: Cell::new(false),
            file_name: PathBuf::new(),
            parameters: Vec::new(),
            temporary_files: files,
            shared: None,
            is_backup_target: Cell::new(false),
            is_locked_by_backup: Cell::new(false),
            backups: Cell::new(0),
            is_image: Cell::new(false),
            size_max: Cell::new(0),
            has_cache_size: Cell::new(false),
            wished_page_size: Cell::new(None),
            has_committed: Cell::new(false),
            commits: Cell::new(0),
        }
    }

    /// The B-trees. Opens the temporary database at the first use.
    pub(crate) fn btree(&self) -> &Rc<Btree> {
        self.btree.get_or_init(|| {
            self.is_loaded.set(true); // the database is empty, and so is the catalog's schema of it
            let mut options = OpenOptions::default();
            options.page_size = self.wished_page_size.get().unwrap_or(options.page_size);
            let pager = temporary_pager(self.temporary_files.clone(), &options);
            pager.set_synchronous(Synchronous::Off);
            Rc::new(Btree::new(pager))
        })
    }

    /// Sets the page size with which the temporary database is opened: that of the last PRAGMA page_size.
    pub(crate) fn wish_page_size(&self, size: PageSize) {
        self.wished_page_size.set(Some(size));
    }

    /// PRAGMA cache_size. In a shared cache the size is set for all connections.
    pub(crate) fn set_cache_size(&self, size: CacheSize) {
        self.has_cache_size.set(true);
        self.btree().pager().set_cache_size(size);
        if let Some(share) = &self.shared {
            share.set_cache_size(size);
        }
    }

    /// Sets the cache size that another connection of a shared cache has set.
    pub(crate) fn adopt_shared_cache_size(&self) {
        if let Some(size) = self.shared.as_ref().and_then(Share::cache_size) {
            self.has_cache_size.set(true);
            self.btree().pager().set_cache_size(size);
        }
    }

    /// The B-trees if they are open.
    pub(crate) fn opened(&self) -> Option<&Rc<Btree>> {
        self.btree.get()
    }

    /// Whether the catalog has the schema. A database that is not open has no schema.
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

    /// Keys and values of the URI that the database was opened with.
    pub(crate) fn parameters(&self) -> &[(Vec<u8>, Vec<u8>)] {
        &self.parameters
    }

    /// The schema cookie in the file.
    pub(crate) fn schema_cookie(&self) -> Result<u32> {
        Ok(self.btree().schema_cookie()?)
    }

    /// The B-trees if they are open and no backup writes them.
    pub(crate) fn in_use(&self) -> Option<&Rc<Btree>> {
        self.opened().filter(|_| !self.is_locked_by_backup.get())
    }

    /// Fails with SQLITE_BUSY while a backup writes the database.
    pub(crate) fn check_free(&self) -> Result<()> {
        if self.is_locked_by_backup.get() { Err(Error::from_code(ResultCode::BUSY)) } else { Ok(()) }
    }

    /// Whether neither a backup writes the database nor another connection shares its cache.
    #[inline]
    pub(crate) fn is_private(&self) -> bool {
        !self.is_locked_by_backup.get() && self.shared.is_none()
    }

    /// Whether a write transaction is open on the database.
    pub(crate) fn is_writing(&self) -> bool {
        self.in_use().is_some_and(|btree| btree.pager().is_writing())
    }
}

fn options(target: &Target) -> OpenOptions {
    let flags = target.flags;
    let immutable = target.boolean("immutable", false);
    OpenOptions {
        read_only: if target.is_in_memory() || target.path.is_empty() {
            flags.contains(OpenFlags::READONLY)
        } else {
            immutable || !flags.contains(OpenFlags::READWRITE)
        },
        create: flags.contains(OpenFlags::CREATE),
        immutable,
        no_lock: target.boolean("nolock", false),
        torn_sectors: !target.boolean("psow", true),
        read_only_shm: target.boolean("readonly_shm", false),
        no_follow: flags.contains(OpenFlags::NOFOLLOW),
        mmap_size: if target.boolean("mmap", true) { OpenOptions::default().mmap_size } else { 0 },
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

/// The error of a file that cannot be opened: its code's text alone, as in SQLite.
fn cannot_open(error: lithe_pager::Error) -> Error {
    let code = error.code();
    if code.primary() == ResultCode::CANTOPEN || code.primary() == ResultCode::IOERR {
        let errno = Error::from(error).system_errno();
        return Error::from_code(code).with_errno(errno);
    }
    Error::from(error)
}

/// Calls `f` within a read transaction: the open one, else one that ends with the call.
pub(crate) fn while_reading<T>(pager: &Pager, f: impl FnOnce() -> Result<T>) -> Result<T> {
    while_reading_schema(pager, 0, f)
}

/// As [`while_reading`], to read a schema while `users` statements use databases. As in SQLite, a transaction that begins here beside two of
/// them is left to them, and ends with the last one.
pub(crate) fn while_reading_schema<T>(pager: &Pager, users: usize, f: impl FnOnce() -> Result<T>) -> Result<T> {
    let (was_reading, was_resting) = (pager.is_reading(), pager.is_paused());
    pager.begin_read()?;
    let result = f();
    if was_resting {
        pager.pause();
    } else if !was_reading && users < 2 {
        pager.end_read()?;
    }
    result
}

/// A private pager for the temporary content of one statement: in memory, and in a file of `files` when it exceeds the
/// cache.
pub(crate) fn temporary_pager(files: Option<Arc<dyn Vfs>>, options: &OpenOptions) -> Pager {
    match files {
        Some(vfs) => Pager::open_temporary(vfs, options),
        None => Pager::open_in_memory(options),
    }
}

/// A private B-tree for the temporary content of one statement, with a cache of this size.
pub(crate) fn temporary_btree(files: Option<Arc<dyn Vfs>>, cache: Option<CacheSize>) -> Result<Rc<Btree>> {
    let btree = Btree::new(temporary_pager(files, &OpenOptions::default()));
    if let Some(cache) = cache {
        btree.pager().set_cache_size(cache);
    }
    btree.pager().begin_write(BeginKind::Exclusive)?;
    Ok(Rc::new(btree))
}
