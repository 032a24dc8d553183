//! Paths as C strings, for system calls. A commit makes several of them; the paths of most databases are short.

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::{Errno, Result};

/// Paths shorter than this take no memory.
const SHORT: usize = 256;

/// Calls `call` with the path as a C string.
#[inline]
pub(super) fn with_c_path<T>(path: &Path, call: impl FnOnce(&CStr) -> Result<T>) -> Result<T> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() >= SHORT {
        return with_long_path(bytes, call);
    }
    let mut buffer = [0; SHORT];
    buffer[..bytes.len()].copy_from_slice(bytes);
    // SAFETY: the last byte of the buffer is 0.
    let path = unsafe { CStr::from_ptr(buffer.as_ptr().cast()) };
    // A path with a NUL in it is refused.
    if path.count_bytes() == bytes.len() { call(path) } else { with_long_path(bytes, call) }
}

#[cold]
fn with_long_path<T>(bytes: &[u8], call: impl FnOnce(&CStr) -> Result<T>) -> Result<T> {
    let path = CString::new(bytes).map_err(|_| Errno::INVAL)?;
    call(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_through() {
        let lengths = [0, 1, 7, SHORT - 1, SHORT, SHORT + 1, 5000];
        for text in lengths.map(|len| "x".repeat(len)) {
            let path = with_c_path(Path::new(&text), |path| Ok(path.to_owned())).unwrap();
            assert_eq!(path.to_bytes(), text.as_bytes());
        }
        for text in ["\0", "a\0b", "ab\0"] {
            assert_eq!(with_c_path(Path::new(text), |_| Ok(())), Err(Errno::INVAL));
        }
    }
}
