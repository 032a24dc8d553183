//! `sqlite3_temp_directory`: the folder for temporary files that the application chooses, in a variable of its own or by
//! `PRAGMA temp_store_directory`.

use std::ffi::{CStr, c_char};

use lithe_engine::TempDirectory;

use crate::memory;

/// The folder for temporary files; null: the system chooses. Applications set it while no other thread uses the library.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static mut sqlite3_temp_directory: *mut c_char = std::ptr::null_mut();

/// The engine reads and sets the variable.
pub(crate) const KEPT_IN_C: TempDirectory = TempDirectory { get, set };

fn get() -> Option<Vec<u8>> {
    // SAFETY: as SQLite documents, the variable is null or a text, and nobody writes it while another thread uses the library.
    unsafe {
        let folder = sqlite3_temp_directory;
        (!folder.is_null() && *folder != 0).then(|| CStr::from_ptr(folder).to_bytes().to_vec())
    }
}

fn set(folder: Option<&[u8]>) {
    let new = folder.map_or(std::ptr::null_mut(), memory::copy_text);
    // SAFETY: as above; the text that was set before comes from `sqlite3_malloc`, as SQLite requires.
    unsafe {
        let old = (&raw mut sqlite3_temp_directory).replace(new);
        memory::free(old.cast());
    }
}
