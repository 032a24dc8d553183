//! Comparing and matching strings, completeness of SQL, keywords.

use std::cmp::Ordering;
use std::ffi::{c_char, c_int, c_uint, c_void};

use lithe_engine::sql;
use lithe_engine::value::collation::fold;
use lithe_engine::value::pattern::{Dialect, Pattern};

use crate::code;
use crate::ffi_guard::api;
use crate::text;

/// Compares as C's strcmp, ignoring the case of ASCII letters.
fn compare(left: &[u8], right: &[u8]) -> c_int {
    for (&a, &b) in left.iter().zip(right) {
        if fold(a) != fold(b) {
            return c_int::from(fold(a)) - c_int::from(fold(b));
        }
    }
    match left.len().cmp(&right.len()) {
        Ordering::Equal => 0,
        Ordering::Less => -c_int::from(fold(right[left.len()])),
        Ordering::Greater => c_int::from(fold(left[right.len()])),
    }
}

/// A null pointer comes before every string.
fn compare_null(left: Option<&[u8]>, right: Option<&[u8]>) -> c_int {
    match (left, right) {
        (Some(left), Some(right)) => compare(left, right),
        (None, None) => 0,
        (None, Some(_)) => -1,
        (Some(_), None) => 1,
    }
}

/// 0 for a match, as the documentation says. As in SQLite, 2 where what is before the first wildcard for any number of characters matches, and
/// 1 where it does not.
fn matches(pattern: &[u8], text: &[u8], dialect: Dialect, escape: Option<u32>) -> c_int {
    let pattern = Pattern::new(pattern, dialect, escape);
    match pattern.matches(text) {
        true => 0,
        false => 1 + c_int::from(pattern.begins(text)),
    }
}

fn first(text: Option<&[u8]>, n: c_int) -> Option<&[u8]> {
    let n = usize::try_from(n).unwrap_or(0);
    text.map(|text| &text[..text.len().min(n)])
}

api! {
    fn sqlite3_stricmp(left: *const c_char, right: *const c_char) -> c_int {
        compare_null(text::bytes(left), text::bytes(right))
    }

    fn sqlite3_strnicmp(left: *const c_char, right: *const c_char, n: c_int) -> c_int {
        let bounded = |text: *const c_char| {
            let n = usize::try_from(n).unwrap_or(0);
            (!text.is_null()).then(|| std::slice::from_raw_parts(text.cast::<u8>(), libc::strnlen(text, n)))
        };
        compare_null(first(bounded(left), n), first(bounded(right), n))
    }

    fn sqlite3_strglob(pattern: *const c_char, string: *const c_char) -> c_int {
        match (text::bytes(pattern), text::bytes(string)) {
            (Some(pattern), Some(string)) => matches(pattern, string, Dialect::Glob, None),
            (pattern, string) => (pattern != string).into(),
        }
    }

    fn sqlite3_strlike(pattern: *const c_char, string: *const c_char, escape: c_uint) -> c_int {
        match (text::bytes(pattern), text::bytes(string)) {
            (Some(pattern), Some(string)) => {
                matches(pattern, string, Dialect::Like, (escape != 0).then_some(escape))
            }
            (pattern, string) => (pattern != string).into(),
        }
    }

    fn sqlite3_complete(text: *const c_char) -> c_int {
        text::bytes(text).is_some_and(sql::is_complete).into()
    }

    fn sqlite3_complete16(text: *const c_void) -> c_int {
        text::utf16_string(text).is_some_and(|text| sql::is_complete(&text)).into()
    }

    fn sqlite3_incomplete(text: *const c_char) -> i64 {
        text::bytes(text).map_or(code::MISUSE.into(), crate::incomplete::missing)
    }

    fn sqlite3_keyword_count() -> c_int {
        sql::keywords().len() as c_int
    }

    fn sqlite3_keyword_name(index: c_int, name: *mut *const c_char, len: *mut c_int) -> c_int {
        let keyword = usize::try_from(index).ok().and_then(|index| sql::keywords().get(index));
        match (keyword, name.as_mut(), len.as_mut()) {
            (Some(keyword), Some(name), Some(len)) => {
                *name = keyword.text.as_ptr().cast();
                *len = keyword.text.len() as c_int;
                code::OK
            }
            _ => code::ERROR,
        }
    }

    fn sqlite3_keyword_check(word: *const c_char, n: c_int) -> c_int {
        let word = text::sized(word.cast(), n.max(0).into());
        sql::keywords().iter().any(|keyword| keyword.text.as_bytes().eq_ignore_ascii_case(word)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_of_ascii_letters_does_not_matter() {
        assert_eq!(compare(b"abc", b"ABC"), 0);
        assert!(compare(b"ab", b"ABC") < 0 && compare(b"b", b"ABC") > 0);
        assert!(compare(b"a_", b"aB") < 0);
        assert_eq!(compare_null(None, Some(b"")), -1);
    }
}
