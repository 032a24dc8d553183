//! The version of the library, and its compile-time options.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;
use std::sync::OnceLock;

use crate::code;
use crate::ffi_guard::api;
use crate::text;

const VERSION: &CStr = lithe_base::SQLITE_VERSION_C;
const VERSION_NUMBER: c_int = lithe_base::SQLITE_VERSION_NUMBER as c_int;
/// Programs print it, and compare it with that of the header with which they were compiled.
const SOURCE_ID: &CStr = include_source_id();

const fn include_source_id() -> &'static CStr {
    c"2026-10-16 14:45:20 lithe"
}

/// The version as a string in the library's data.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static sqlite3_version: [c_char; 7] = {
    let mut version = [0; 7];
    let bytes = VERSION.to_bytes_with_nul();
    let mut at = 0;
    while at < bytes.len() {
        version[at] = bytes[at] as c_char;
        at += 1;
    }
    version
};

/// Used on Windows only.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static mut sqlite3_data_directory: *mut c_char = std::ptr::null_mut();

/// The compile-time options of SQLite for features that this library has beyond the engine.
const EXTENSIONS: [&str; 17] = [
    "ENABLE_API_ARMOR",
    "ENABLE_BYTECODE_VTAB",
    "ENABLE_CARRAY",
    "ENABLE_DBPAGE_VTAB",
    "ENABLE_DBSTAT_VTAB",
    "ENABLE_FTS3",
    "ENABLE_FTS3_PARENTHESIS",
    "ENABLE_FTS4",
    "ENABLE_FTS5",
    "ENABLE_GEOPOLY",
    "ENABLE_NORMALIZE",
    "ENABLE_PERCENTILE",
    "ENABLE_PREUPDATE_HOOK",
    "ENABLE_RTREE",
    "ENABLE_SESSION",
    "ENABLE_SNAPSHOT",
    "ENABLE_STMTVTAB",
];

/// Adds these options to the engine's, before the options are read.
pub(crate) fn introduce_extensions() {
    lithe_engine::add_compile_options(&EXTENSIONS);
}

fn options() -> &'static [std::ffi::CString] {
    static OPTIONS: OnceLock<Vec<std::ffi::CString>> = OnceLock::new();
    OPTIONS.get_or_init(|| {
        introduce_extensions();
        lithe_engine::compile_options().iter().map(|option| crate::text::c_string(option.as_bytes())).collect()
    })
}

api! {
    fn sqlite3_libversion() -> *const c_char {
        VERSION.as_ptr()
    }

    fn sqlite3_libversion_number() -> c_int {
        VERSION_NUMBER
    }

    fn sqlite3_sourceid() -> *const c_char {
        SOURCE_ID.as_ptr()
    }

    fn sqlite3_threadsafe() -> c_int {
        1
    }

    fn sqlite3_compileoption_get(index: c_int) -> *const c_char {
        usize::try_from(index).ok().and_then(|index| options().get(index)).map_or(null(), |option| option.as_ptr())
    }

    fn sqlite3_compileoption_used(name: *const c_char) -> c_int {
        let Some(name) = text::bytes(name) else { return 0 };
        let prefix = b"SQLITE_";
        let has_prefix = name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        let name = if has_prefix { &name[prefix.len()..] } else { name };
        let is_used = |option: &[u8]| {
            let (start, rest) = option.split_at(name.len().min(option.len()));
            start.eq_ignore_ascii_case(name) && rest.first().is_none_or(|byte| *byte == b'=')
        };
        options().iter().any(|option| is_used(option.to_bytes())).into()
    }

    /// Nothing is initialized here: everything is initialized at its first use.
    fn sqlite3_initialize() -> c_int {
        crate::config::set_initialized(true);
        code::OK
    }

    fn sqlite3_shutdown() -> c_int {
        crate::config::set_initialized(false);
        crate::memory::note_shutdown();
        code::OK
    }

    fn sqlite3_os_init() -> c_int {
        code::OK
    }

    fn sqlite3_os_end() -> c_int {
        code::OK
    }

    fn sqlite3_global_recover() -> c_int {
        code::OK
    }

    fn sqlite3_thread_cleanup() {}
}
