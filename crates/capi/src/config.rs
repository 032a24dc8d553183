//! Settings of the process: `sqlite3_config`, the error log, shared cache, `sqlite3_test_control`.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::error_log;
use crate::ffi_guard::{api, guard};
use crate::memory;
use crate::mutex;
use crate::temp_directory;
use crate::threading::{self, MULTI_THREAD, SERIALIZED, SINGLE_THREAD};
use crate::variadic::{Arguments, CArgs};

/// `sqlite3_initialize` was called, or a connection was opened, and `sqlite3_shutdown` was not called since:
/// `sqlite3_config` is an error.
static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// Notes that the library is in use, or was shut down.
pub(crate) fn set_initialized(is: bool) {
    lithe_engine::set_memory_gauge(memory::used);
    lithe_engine::set_error_log(|code, message| error_log::write(code, &[message]));
    lithe_engine::keep_temp_directory(temp_directory::KEPT_IN_C);
    INITIALIZED.store(is, Ordering::Relaxed);
}

static URI: AtomicBool = AtomicBool::new(false);

/// Whether filenames are URIs even without SQLITE_OPEN_URI.
pub(crate) fn uri_everywhere() -> bool {
    URI.load(Ordering::Relaxed)
}

/// `sqlite3_config`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_config(op: c_int, args: *mut CArgs) -> c_int {
    guard(|| {
        // SAFETY: the C half passes on its own arguments.
        let mut args = unsafe { Arguments::new(args) };
        if INITIALIZED.load(Ordering::Relaxed) && !matches!(op, 16 | 24) {
            return code::MISUSE;
        }
        match op {
            SINGLE_THREAD | MULTI_THREAD | SERIALIZED => threading::set(op),
            // SAFETY: the verb has a pointer to the methods.
            4 => unsafe { memory::set_methods(args.pointer()) },
            // SAFETY: the verb has a pointer to be written.
            5 => match unsafe { args.pointer::<memory::sqlite3_mem_methods>().as_mut() } {
                Some(out) => *out = memory::methods(),
                None => return code::MISUSE,
            },
            16 => {
                let function = args.pointer::<c_void>();
                error_log::set(function, args.pointer());
            }
            17 => URI.store(args.int() != 0, Ordering::Relaxed),
            // SAFETY: the verb has a pointer to be written.
            11 => match unsafe { args.pointer::<mutex::sqlite3_mutex_methods>().as_mut() } {
                Some(out) => *out = mutex::METHODS,
                None => return code::MISUSE,
            },
            // Page caches, lookaside, statistics: nothing here corresponds to these settings.
            9 => memory::set_counted(args.int() != 0),
            7 | 13 | 14 | 18 | 20 | 22 | 25 | 26 | 27 | 29 => {}
            // ROWID_IN_VIEW: views have none.
            // SAFETY: the verb has a pointer to be written.
            30 => match unsafe { args.pointer::<c_int>().as_mut() } {
                Some(out) => *out = 0,
                None => return code::MISUSE,
            },
            // SAFETY: the verb has a pointer to be written.
            24 => match unsafe { args.pointer::<c_int>().as_mut() } {
                Some(out) => *out = 0,
                None => return code::MISUSE,
            },
            // Mutexes, page caches or a heap of the application's own, and verbs that SQLite has only with options of
            // its build.
            _ => return code::ERROR,
        }
        code::OK
    })
}

/// `sqlite3_test_control`, behind its C half. Verbs without a counterpart here return 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_test_control(op: c_int, args: *mut CArgs) -> c_int {
    guard(|| {
        // SAFETY: the C half passes on its own arguments.
        let mut args = unsafe { Arguments::new(args) };
        match op {
            // PENDING_BYTE: moves the lock bytes; returns their offset before.
            11 => {
                let before = lithe_engine::pending_byte();
                if let Ok(to) = u32::try_from(args.int()) {
                    lithe_engine::move_pending_byte(to);
                }
                before.cast_signed()
            }
            // INTERNAL_FUNCTIONS of a connection: makes them callable, or hides them again.
            17 => {
                // SAFETY: the verb has a connection.
                if let Ok(db) = unsafe { live(args.pointer::<sqlite3>()) } {
                    db.finish(db.core().toggle_internal_functions());
                }
                0
            }
            // LOCALTIME_FAULT: as if the rules of local time could not be read.
            18 => {
                lithe_engine::fail_local_time(args.int() != 0);
                0
            }
            // ASSERT and ALWAYS.
            12 => 0,
            13 => args.int(),
            // BYTEORDER
            22 if cfg!(target_endian = "little") => 123_410,
            22 => 432_101,
            _ => 0,
        }
    })
}

api! {
    fn sqlite3_enable_shared_cache(on: c_int) -> c_int {
        lithe_engine::enable_shared_cache(on != 0);
        code::OK
    }
}
