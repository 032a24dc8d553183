//! Mutexes of the C interface (`sqlite3_mutex_*`): the recursive one of each connection, and those that applications
//! allocate.

use std::ffi::c_int;

use crate::code;
use crate::ffi_guard::api;
use crate::recursive_mutex::RecursiveMutex;
use crate::threading;

/// The handle of the C interface.
#[allow(non_camel_case_types)]
pub type sqlite3_mutex = RecursiveMutex;

const FAST: c_int = 0;
const RECURSIVE: c_int = 1;
/// The first static mutex, and how many there are.
const STATIC_FIRST: c_int = 2;
const STATIC_COUNT: usize = 12;

static STATIC: [RecursiveMutex; STATIC_COUNT] = [const { RecursiveMutex::shared() }; STATIC_COUNT];

fn is_static(mutex: *const sqlite3_mutex) -> bool {
    STATIC.as_ptr_range().contains(&mutex)
}

/// The handle of every mutex in single-threaded mode. Its number is SQLite's, because programs compare it to find out
/// the mode.
const fn no_mutex() -> *mut sqlite3_mutex {
    std::ptr::without_provenance_mut(8)
}

/// The mutex behind a handle, if there is one.
///
/// # Safety
/// `mutex` is null or came from `sqlite3_mutex_alloc`, and was not freed.
unsafe fn real<'a>(mutex: *mut sqlite3_mutex) -> Option<&'a RecursiveMutex> {
    // SAFETY: our caller's promise.
    if mutex == no_mutex() { None } else { unsafe { mutex.as_ref() } }
}

/// SQLITE_CONFIG_GETMUTEX: the functions for mutexes.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct sqlite3_mutex_methods {
    init: unsafe extern "C" fn() -> c_int,
    end: unsafe extern "C" fn() -> c_int,
    alloc: unsafe extern "C" fn(c_int) -> *mut sqlite3_mutex,
    free: unsafe extern "C" fn(*mut sqlite3_mutex),
    enter: unsafe extern "C" fn(*mut sqlite3_mutex),
    try_enter: unsafe extern "C" fn(*mut sqlite3_mutex) -> c_int,
    leave: unsafe extern "C" fn(*mut sqlite3_mutex),
    held: unsafe extern "C" fn(*mut sqlite3_mutex) -> c_int,
    not_held: unsafe extern "C" fn(*mut sqlite3_mutex) -> c_int,
}

unsafe extern "C" fn nothing_to_do() -> c_int {
    code::OK
}

/// The library's own.
pub(crate) const METHODS: sqlite3_mutex_methods = sqlite3_mutex_methods {
    init: nothing_to_do,
    end: nothing_to_do,
    alloc: sqlite3_mutex_alloc,
    free: sqlite3_mutex_free,
    enter: sqlite3_mutex_enter,
    try_enter: sqlite3_mutex_try,
    leave: sqlite3_mutex_leave,
    held: sqlite3_mutex_held,
    not_held: sqlite3_mutex_notheld,
};

api! {
    fn sqlite3_mutex_alloc(kind: c_int) -> *mut sqlite3_mutex {
        match kind {
            FAST | RECURSIVE if threading::is_single_threaded() => no_mutex(),
            FAST | RECURSIVE => Box::into_raw(Box::new(RecursiveMutex::shared())),
            _ => {
                let found = usize::try_from(kind - STATIC_FIRST).ok().and_then(|index| STATIC.get(index));
                found.map_or(std::ptr::null_mut(), |mutex| std::ptr::from_ref(mutex).cast_mut())
            }
        }
    }

    fn sqlite3_mutex_free(mutex: *mut sqlite3_mutex) {
        if !mutex.is_null() && mutex != no_mutex() && !is_static(mutex) {
            drop(Box::from_raw(mutex));
        }
    }

    fn sqlite3_mutex_enter(mutex: *mut sqlite3_mutex) {
        if let Some(mutex) = real(mutex) {
            mutex.enter();
        }
    }

    fn sqlite3_mutex_try(mutex: *mut sqlite3_mutex) -> c_int {
        match real(mutex) {
            Some(mutex) if !mutex.try_enter() => code::BUSY,
            _ => code::OK,
        }
    }

    fn sqlite3_mutex_leave(mutex: *mut sqlite3_mutex) {
        if let Some(mutex) = real(mutex) {
            mutex.leave();
        }
    }

    fn sqlite3_mutex_held(mutex: *mut sqlite3_mutex) -> c_int {
        real(mutex).is_none_or(RecursiveMutex::is_mine).into()
    }

    fn sqlite3_mutex_notheld(mutex: *mut sqlite3_mutex) -> c_int {
        real(mutex).is_none_or(|mutex| !mutex.is_mine()).into()
    }
}
