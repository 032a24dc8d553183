//! The version of SQLite that the library matches.

use std::ffi::CStr;

/// As text for C: `sqlite3_libversion()`.
pub const SQLITE_VERSION_C: &CStr = c"3.54.1";

/// As text: `sqlite_version()`.
pub const SQLITE_VERSION: &str = match SQLITE_VERSION_C.to_str() {
    Ok(version) => version,
    Err(_) => panic!("the version is ASCII"),
};

/// As a number: 1,000,000 times the first part, 1,000 times the second and the third. A commit writes it into the header of the file.
pub const SQLITE_VERSION_NUMBER: u32 = number_of(SQLITE_VERSION.as_bytes());

const fn number_of(version: &[u8]) -> u32 {
    let (mut number, mut part, mut at) = (0, 0, 0);
    while at < version.len() {
        match version[at] {
            b'.' => (number, part) = ((number + part) * 1000, 0),
            digit => part = part * 10 + (digit - b'0') as u32,
        }
        at += 1;
    }
    number + part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_one_number() {
        assert_eq!(number_of(b"3.54.1"), 3_054_001);
        assert_eq!(number_of(b"3.7.17"), 3_007_017);
    }
}
