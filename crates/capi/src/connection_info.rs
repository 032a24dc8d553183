//! Values of a connection that applications read and set: counts, names, timeouts, client data.

use std::any::Any;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::time::Duration;

use crate::code;
use crate::connection::{known, live, sqlite3};
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};
use crate::text;

impl sqlite3 {
    /// A name as a C string that is valid as long as the connection.
    pub(crate) fn kept_name(&self, name: &[u8]) -> *const c_char {
        let key = String::from_utf8_lossy(name).into_owned();
        let mut names = self.names.borrow_mut();
        let kept = names.entry(key).or_insert_with(|| [name, b"\0"].concat().into_boxed_slice());
        kept.as_ptr().cast()
    }
}

/// Client data of the application, destroyed when they are replaced or the connection closes.
struct ClientData {
    address: *mut c_void,
    destructor: Destructor,
}

impl Drop for ClientData {
    fn drop(&mut self) {
        if !self.address.is_null() {
            // SAFETY: the application gave both for this.
            unsafe { memory::destroy(self.destructor, self.address) };
        }
    }
}

type NotifyFn = unsafe extern "C" fn(*mut *mut c_void, c_int);

/// A callback for the release of a lock on a shared cache.
struct Notification {
    notify: NotifyFn,
    arg: *mut c_void,
}

// SAFETY: in SQLite, too, the thread that ends the blocking transaction makes the call.
unsafe impl Send for Notification {}

impl Notification {
    fn deliver(self) {
        let mut arg = self.arg;
        // SAFETY: the application's function, called as documented.
        unsafe { (self.notify)(&mut arg, 1) };
    }
}

/// Milliseconds between attempts to take a lock.
pub(crate) fn milliseconds(ms: c_int) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

/// The function that SQLITE_FCNTL_BUSYHANDLER gives to a VFS of the application; returns whether to try again.
///
/// # Safety
/// `db` is the connection that the file of the VFS belongs to.
pub(crate) unsafe extern "C" fn ask_busy_handler(db: *mut c_void) -> c_int {
    // SAFETY: our caller's promise.
    let db = unsafe { live(db.cast::<sqlite3>()) };
    db.map_or(0, |db| db.core().ask_busy_handler().into())
}

api! {
    fn sqlite3_last_insert_rowid(db: *mut sqlite3) -> i64 {
        live(db).map_or(0, |db| db.core().last_insert_rowid())
    }

    fn sqlite3_set_last_insert_rowid(db: *mut sqlite3, rowid: i64) {
        if let Ok(db) = live(db) {
            db.core().set_last_insert_rowid(rowid);
        }
    }

    fn sqlite3_changes(db: *mut sqlite3) -> c_int {
        live(db).map_or(0, |db| db.core().changes() as c_int)
    }

    fn sqlite3_changes64(db: *mut sqlite3) -> i64 {
        live(db).map_or(0, |db| db.core().changes() as i64)
    }

    fn sqlite3_total_changes(db: *mut sqlite3) -> c_int {
        live(db).map_or(0, |db| db.core().total_changes() as c_int)
    }

    fn sqlite3_total_changes64(db: *mut sqlite3) -> i64 {
        live(db).map_or(0, |db| db.core().total_changes() as i64)
    }

    fn sqlite3_get_autocommit(db: *mut sqlite3) -> c_int {
        live(db).map_or(0, |db| db.core().is_autocommit().into())
    }

    /// Another thread calls this while a statement runs, so the connection's mutex is not taken.
    fn sqlite3_interrupt(db: *mut sqlite3) {
        if let Some(interrupt) = db.as_ref().and_then(|db| db.interrupt.as_ref()) {
            interrupt.interrupt();
        }
    }

    fn sqlite3_is_interrupted(db: *mut sqlite3) -> c_int {
        db.as_ref().and_then(|db| db.interrupt.as_ref()).is_some_and(|interrupt| interrupt.is_interrupted()).into()
    }

    fn sqlite3_busy_timeout(db: *mut sqlite3, ms: c_int) -> c_int {
        match live(db) {
            Ok(db) => {
                db.core().set_busy_timeout(milliseconds(ms));
                code::OK
            }
            Err(code) => code,
        }
    }

    fn sqlite3_busy_handler(
        db: *mut sqlite3, handler: Option<unsafe extern "C" fn(*mut c_void, c_int) -> c_int>, arg: *mut c_void,
    ) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        db.core().set_busy_handler(handler.map(|handler| -> lithe_engine::BusyCallback {
            // SAFETY: the application's function, called as documented.
            Rc::new(move |asked| unsafe { handler(arg, asked as c_int) } != 0)
        }));
        code::OK
    }

    /// The system's calls do not wait for locks: the busy timeout is used instead.
    fn sqlite3_setlk_timeout(db: *mut sqlite3, ms: c_int, _flags: c_int) -> c_int {
        if ms < -1 {
            return code::RANGE;
        }
        live(db).map_or_else(|code| code, |_| code::OK)
    }

    fn sqlite3_unlock_notify(db: *mut sqlite3, notify: Option<NotifyFn>, arg: *mut c_void) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let callback = notify.map(|notify| -> lithe_engine::UnlockCallback {
            let notification = Notification { notify, arg };
            Box::new(move || notification.deliver())
        });
        db.finish(db.core().unlock_notify(callback))
    }

    fn sqlite3_db_mutex(db: *mut sqlite3) -> *mut crate::mutex::sqlite3_mutex {
        let Some(db) = known(db) else { return null_mut() };
        db.mutex.as_ref().map_or(null_mut(), |mutex| std::ptr::from_ref(mutex).cast_mut())
    }

    fn sqlite3_db_release_memory(db: *mut sqlite3) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        db.core().release_memory();
        code::OK
    }

    fn sqlite3_get_clientdata(db: *mut sqlite3, name: *const c_char) -> *mut c_void {
        let (Ok(db), Some(name)) = (live(db), text::bytes(name)) else { return null_mut() };
        let data = db.client_data.borrow();
        data.get(name).and_then(|data| data.downcast_ref::<ClientData>()).map_or(null_mut(), |data| data.address)
    }

    fn sqlite3_set_clientdata(
        db: *mut sqlite3, name: *const c_char, address: *mut c_void, destructor: Destructor,
    ) -> c_int {
        let (Ok(db), Some(name)) = (live(db), text::bytes(name)) else { return code::MISUSE };
        let replaced: Option<Box<dyn Any>> = if address.is_null() {
            db.client_data.borrow_mut().remove(name)
        } else {
            let data = Box::new(ClientData { address, destructor });
            db.client_data.borrow_mut().insert(name.to_vec(), data)
        };
        drop(replaced);
        code::OK
    }

    fn sqlite3_sleep(ms: c_int) -> c_int {
        if crate::vfs::registry::is_empty() {
            return 0; // 0, because only a VFS can sleep
        }
        std::thread::sleep(milliseconds(ms));
        ms.max(0)
    }

    fn sqlite3_randomness(n: c_int, bytes: *mut c_void) {
        use lithe_engine::vfs::Vfs;
        if let (Ok(n), false) = (usize::try_from(n), bytes.is_null()) {
            lithe_engine::vfs::UnixVfs.randomness(std::slice::from_raw_parts_mut(bytes.cast(), n));
        }
    }

    fn sqlite3_db_name(db: *mut sqlite3, index: c_int) -> *const c_char {
        let Ok(db) = live(db) else { return null() };
        let name = usize::try_from(index).ok().and_then(|index| db.core().database_name(index));
        name.map_or(null(), |name| db.kept_name(name.as_bytes()))
    }
}
