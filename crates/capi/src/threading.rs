//! The threading mode of the process, as `sqlite3_config` sets it.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

use lithe_engine::OpenFlags;

/// SQLITE_CONFIG_SINGLETHREAD 1, MULTITHREAD 2, SERIALIZED 3.
static THREADING: AtomicI32 = AtomicI32::new(SERIALIZED);
pub(crate) const SINGLE_THREAD: c_int = 1;
pub(crate) const MULTI_THREAD: c_int = 2;
pub(crate) const SERIALIZED: c_int = 3;

/// Sets the mode: [`SINGLE_THREAD`], [`MULTI_THREAD`] or [`SERIALIZED`].
pub(crate) fn set(mode: c_int) {
    THREADING.store(mode, Ordering::Relaxed);
}

/// Whether a connection with these flags gets a mutex.
pub(crate) fn wants_mutex(flags: OpenFlags) -> bool {
    match THREADING.load(Ordering::Relaxed) {
        SINGLE_THREAD => false,
        _ if flags.contains(OpenFlags::NOMUTEX) => false,
        _ if flags.contains(OpenFlags::FULLMUTEX) => true,
        threading => threading == SERIALIZED,
    }
}

/// Whether single-threaded mode is set.
pub(crate) fn is_single_threaded() -> bool {
    THREADING.load(Ordering::Relaxed) == SINGLE_THREAD
}
