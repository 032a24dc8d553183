//! xFileControl of the engine's own files: the verbs that SQLite's files handle on Unix.

use std::ffi::{c_char, c_int, c_void};

use lithe_engine::vfs::DeviceCharacteristics;

use super::our_file::{code_of, with};
use super::sqlite3_file;
use crate::code;

// SQLITE_FCNTL_*
const LOCKSTATE: c_int = 1;
const SIZE_HINT: c_int = 5;
const CHUNK_SIZE: c_int = 6;
const PERSIST_WAL: c_int = 10;
const VFSNAME: c_int = 12;
const POWERSAFE_OVERWRITE: c_int = 13;
const TEMPFILENAME: c_int = 16;
const MMAP_SIZE: c_int = 18;
const HAS_MOVED: c_int = 20;
const EXTERNAL_READER: c_int = 40;

/// A switch that the application sets or, with a negative number, reads. Returns whether it was set.
///
/// # Safety
/// `arg` is a number that can be read and written.
unsafe fn exchange(arg: *mut c_void, switch: &mut bool) -> bool {
    // SAFETY: our caller's promise.
    unsafe {
        let arg = arg.cast::<c_int>();
        if *arg < 0 {
            *arg = (*switch).into();
            return false;
        }
        *switch = *arg != 0;
    }
    true
}

/// xFileControl.
pub(super) unsafe extern "C" fn file_control(handle: *mut sqlite3_file, op: c_int, arg: *mut c_void) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |ours, file| match op {
            LOCKSTATE => {
                *arg.cast::<c_int>() = ours.level as c_int;
                code::OK
            }
            SIZE_HINT => code_of(file.size_hint((*arg.cast::<i64>()).cast_unsigned())),
            CHUNK_SIZE => {
                file.set_chunk_size(u64::try_from(*arg.cast::<c_int>()).unwrap_or(0));
                code::OK
            }
            PERSIST_WAL => {
                exchange(arg, &mut ours.keeps_log);
                code::OK
            }
            POWERSAFE_OVERWRITE => {
                let mut is_on = file.characteristics().contains(DeviceCharacteristics::POWERSAFE_OVERWRITE);
                if exchange(arg, &mut is_on) {
                    file.set_powersafe_overwrite(is_on);
                }
                code::OK
            }
            TEMPFILENAME => match lithe_engine::vfs::temporary_path() {
                Some(path) => {
                    *arg.cast::<*mut c_char>() = crate::memory::copy_text(path.as_os_str().as_encoded_bytes());
                    code::OK
                }
                None => code::ERROR,
            },
            VFSNAME => {
                *arg.cast::<*mut c_char>() = crate::memory::copy_text(ours.vfs.as_bytes());
                code::OK
            }
            HAS_MOVED => code_of(file.has_moved().map(|has| {
                *arg.cast::<c_int>() = has.into();
            })),
            MMAP_SIZE => {
                let size = arg.cast::<i64>();
                let before = ours.mmap_size;
                if *size >= 0 {
                    ours.mmap_size = *size;
                }
                *size = before;
                code::OK
            }
            EXTERNAL_READER => code_of(file.shm_has_reader_elsewhere().map(|has| {
                *arg.cast::<c_int>() = has.into();
            })),
            _ => code::NOTFOUND,
        })
    }
}
