//! The offset of local time, by the C library: it knows the zones of the system and the forms of the variable TZ, and so answers what SQLite
//! and the rest of the program answer.

use std::mem::MaybeUninit;

unsafe extern "C" {
    fn tzset();
}

/// How many seconds local time is ahead of UTC at a time in seconds since 1970; `None` if the C library does not know.
pub fn local_offset(unix_seconds: i64) -> Option<i32> {
    if cfg!(miri) {
        return Some(0);
    }
    let mut fields = MaybeUninit::<libc::tm>::uninit();
    // SAFETY: both functions are called as documented; a pointer that is not null says that all fields are set.
    let fields = unsafe {
        // TZ may have changed since the last call, which `localtime_r` alone need not notice.
        tzset();
        libc::localtime_r(&unix_seconds, fields.as_mut_ptr()).as_ref()
    }?;
    i32::try_from(fields.tm_gmtoff).ok()
}
