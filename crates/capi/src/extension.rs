//! Extensions: shared libraries that are loaded at run time (off by default), and functions that are called for every
//! new connection.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use crate::api_routines;
use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::memory;
use crate::text;

/// The entry point of an extension.
type Entry = unsafe extern "C" fn(*mut sqlite3, *mut *mut c_char, *const c_void) -> c_int;
/// An entry point as `sqlite3_auto_extension` gets it.
type AnyEntry = unsafe extern "C" fn();

static AUTOMATIC: Mutex<Vec<AnyEntry>> = Mutex::new(Vec::new());

fn automatic() -> std::sync::MutexGuard<'static, Vec<AnyEntry>> {
    AUTOMATIC.lock().unwrap_or_else(PoisonError::into_inner)
}

fn table() -> *const c_void {
    std::ptr::from_ref(&api_routines::TABLE).cast()
}

/// Calls an entry point; its message is the error.
///
/// # Safety
/// `entry` is an entry point, and `db` a connection.
unsafe fn call(entry: Entry, db: *mut sqlite3) -> Result<c_int, String> {
    let mut message: *mut c_char = null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        let code = entry(db, &mut message, table());
        let text = text::name(message).unwrap_or_default();
        memory::free(message.cast());
        if code == code::OK || code == OK_LOAD_PERMANENTLY { Ok(code) } else { Err(text) }
    }
}

/// The extension stays in the process when its connection closes.
const OK_LOAD_PERMANENTLY: c_int = 256;

/// Calls the automatic extensions for a new connection.
///
/// # Safety
/// `db` has just been opened.
pub(crate) unsafe fn load_automatic(db: *mut sqlite3) -> c_int {
    // An automatic extension may register another one, which is called, too.
    let mut at = 0;
    while let Some(entry) = { automatic().get(at).copied() } {
        at += 1;
        // SAFETY: the application has registered an entry point; all entry points have this type.
        unsafe {
            let entry = std::mem::transmute::<AnyEntry, Entry>(entry);
            if let Err(message) = call(entry, db) {
                let text = format!("automatic extension loading failed: {message}");
                return (*db).fail_with(code::ERROR, &text);
            }
        }
    }
    code::OK
}

/// The name of a file's entry point: `sqlite3_X_init` for `/path/libX.so`, with the letters of X in lower case.
fn entry_name(file: &str) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    let base = if base.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("lib")) { &base[3..] } else { base };
    let stem = base.split('.').next().unwrap_or(base);
    let letters: String = stem.chars().filter(char::is_ascii_alphabetic).collect();
    format!("sqlite3_{}_init", letters.to_ascii_lowercase())
}

/// Loads a library. It stays loaded, because pointers to its functions may be stored anywhere.
fn open_library(file: &str) -> Result<*mut c_void, String> {
    for name in [file.to_owned(), format!("{file}.so")] {
        let path = CString::new(name).map_err(|_| "a file name with a NUL".to_owned())?;
        // SAFETY: the path ends with NUL.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if !library.is_null() {
            return Ok(library);
        }
    }
    // SAFETY: the message ends with NUL, and is valid until the next call.
    Err(unsafe { text::name(libc::dlerror()) }.unwrap_or_default())
}

fn find_entry(library: *mut c_void, names: &[String]) -> Option<Entry> {
    names.iter().find_map(|name| {
        let name = CString::new(name.as_str()).ok()?;
        // SAFETY: the library is loaded, and the symbol is an entry point, if the extension is one.
        unsafe { std::mem::transmute::<*mut c_void, Option<Entry>>(libc::dlsym(library, name.as_ptr())) }
    })
}

/// # Safety
/// `handle` is a connection.
unsafe fn load(handle: *mut sqlite3, file: &str, entry: Option<String>) -> Result<(), String> {
    let library = open_library(file)?;
    let names = match entry {
        Some(name) => vec![name],
        None => vec!["sqlite3_extension_init".to_owned(), entry_name(file)],
    };
    let found = find_entry(library, &names);
    let wanted = names.last().cloned().unwrap_or_default();
    let entry = found.ok_or_else(|| {
        // SAFETY: the message ends with NUL, and is valid until the next call.
        let reason = unsafe { text::name(libc::dlerror()) };
        reason.unwrap_or_else(|| format!("no entry point [{wanted}] in shared library [{file}]"))
    })?;
    // SAFETY: our caller's promise.
    unsafe { call(entry, handle) }.map(|_| ()).map_err(|message| format!("error during initialization: {message}"))
}

/// Makes `load_extension()` load extensions, once the application has enabled this.
///
/// # Safety
/// `handle` has just been opened.
pub(crate) unsafe fn serve_sql(handle: *mut sqlite3) {
    let loader = move |file: &[u8], entry: Option<&[u8]>| {
        // SAFETY: the connection calls this, so it lives.
        let db = unsafe { &*handle };
        if !db.can_load_by_sql.get() {
            return Err("not authorized".to_owned());
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // SAFETY: as above.
        unsafe { load(handle, &text(file), entry.map(text)) }
    };
    // SAFETY: our caller's promise.
    unsafe { (*handle).core().set_extension_loader(Some(Rc::new(loader))) };
}

api! {
    fn sqlite3_load_extension(
        handle: *mut sqlite3, file: *const c_char, entry: *const c_char, message: *mut *mut c_char,
    ) -> c_int {
        let (Ok(db), Some(file)) = (live(handle), text::name(file)) else { return code::MISUSE };
        let result = if db.can_load_extensions.get() {
            load(handle, &file, text::name(entry))
        } else {
            Err("not authorized".to_owned())
        };
        match result {
            Ok(()) => db.ok(),
            Err(text) => {
                if let Some(message) = message.as_mut() {
                    *message = memory::copy_text(text.as_bytes());
                }
                // As in SQLite, the connection's last error is not changed.
                code::ERROR
            }
        }
    }

    fn sqlite3_enable_load_extension(db: *mut sqlite3, on: c_int) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        db.can_load_extensions.set(on != 0);
        db.can_load_by_sql.set(on != 0);
        code::OK
    }

    fn sqlite3_auto_extension(entry: Option<AnyEntry>) -> c_int {
        let Some(entry) = entry else { return code::MISUSE };
        let mut all = automatic();
        if !all.iter().any(|known| *known as usize == entry as usize) {
            all.push(entry);
        }
        code::OK
    }

    fn sqlite3_cancel_auto_extension(entry: Option<AnyEntry>) -> c_int {
        let mut all = automatic();
        let found = all.iter().position(|known| entry.is_some_and(|entry| *known as usize == entry as usize));
        found.map(|at| all.remove(at)).is_some().into()
    }

    fn sqlite3_reset_auto_extension() {
        automatic().clear();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn entry_points_are_named_after_their_files() {
        let check = |file: &str, name: &str| assert_eq!(super::entry_name(file), name);
        check("/usr/lib/libmyExt.so.1.2", "sqlite3_myext_init");
        check("regexp", "sqlite3_regexp_init");
        check("./json1-2.so", "sqlite3_json_init");
    }
}
