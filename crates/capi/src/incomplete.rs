//! `sqlite3_incomplete`: what a text lacks to be complete statements.
//!
//! ```text
//!   63          32 31     24 23      16 15       8 7        0
//!   | open ( s    |    0    | closes it | how it   | SQLITE_ |
//!   |             |         | ' " ` ] / | could    | ERROR,  |
//!   |             |         | - or 0    | end      | EMPTY   |
//! ```
//!
//! How it could end: 1 with `;`, 2 with `END;`, 3 with `; END;`. What closes it: `/` stands for a comment between `/*`
//! and `*/`, `-` for a comment up to the end of the line.

use lithe_engine::sql;

use crate::code;

/// SQLITE_EMPTY
const EMPTY: i64 = 16;

/// 0 for a text that is complete.
pub(crate) fn missing(text: &[u8]) -> i64 {
    if sql::is_complete(text) {
        return code::OK.into();
    }
    let scan = scan(text);
    if !scan.has_content && scan.open == 0 {
        return EMPTY;
    }
    let before = scan.open_at.map_or(text, |at| &text[..at]);
    i64::from(code::ERROR) | i64::from(ending(before)) << 8 | i64::from(scan.open) << 16 | scan.depth << 32
}

struct Scan {
    /// The byte that would close the string or comment that is open at the end; 0 for none.
    open: u8,
    /// Where the open string or comment begins.
    open_at: Option<usize>,
    len: usize,
    depth: i64,
    has_content: bool,
}

fn scan(text: &[u8]) -> Scan {
    let mut found = Scan { open: 0, open_at: None, len: text.len(), depth: 0, has_content: false };
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        let len = match byte {
            b'-' if rest.get(1) == Some(&b'-') => closed(rest, 2, b"\n", b'-', &mut found),
            b'/' if rest.get(1) == Some(&b'*') => closed(rest, 2, b"*/", b'/', &mut found),
            b'\'' | b'"' | b'`' => {
                found.has_content = true;
                closed(rest, 1, &[byte], byte, &mut found)
            }
            b'[' => {
                found.has_content = true;
                closed(rest, 1, b"]", b']', &mut found)
            }
            _ => {
                found.has_content |= !byte.is_ascii_whitespace();
                found.depth += i64::from(byte == b'(') - i64::from(byte == b')' && found.depth > 0);
                1
            }
        };
        rest = &rest[len..];
    }
    found
}

/// The length of a string or comment that ends with `end`; if it is not closed, notes that.
fn closed(rest: &[u8], from: usize, end: &[u8], closes: u8, found: &mut Scan) -> usize {
    match rest[from..].windows(end.len()).position(|window| window == end) {
        Some(at) => from + at + end.len(),
        None => {
            found.open = closes;
            found.open_at = Some(found.len - rest.len());
            rest.len()
        }
    }
}

/// The end that a text lacks in which nothing is open; 0 if it lacks none, or is empty.
fn ending(text: &[u8]) -> u8 {
    if sql::is_complete(text) || !scan(text).has_content {
        return 0;
    }
    let is_complete_with = |end: &[u8]| sql::is_complete(&[text, end].concat());
    let ends: [(u8, &[u8]); 3] = [(1, b";"), (2, b" END;"), (3, b"; END;")];
    ends.into_iter().find(|(_, end)| is_complete_with(end)).map_or(1, |(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn as_sqlite_says_it() {
        let check = |text: &str, expected: i64| assert_eq!(missing(text.as_bytes()), expected, "{text}");
        check("", 0x10);
        check("select 1", 0x101);
        check("select 1;", 0);
        check("select 'a", 0x27_0101);
        check("select \"a", 0x22_0101);
        check("select [a", 0x5d_0101);
        check("select `a", 0x60_0101);
        check("/* x", 0x2f_0001);
        check("-- x", 0x2d_0001);
        check("create trigger a", 0x301);
        check("create trigger t after insert on a begin select 1;", 0x201);
        check("create trigger t after insert on a begin select 1; end", 0x101);
        check(";", 0);
        check("select 1; /*", 0x2f_0001);
        check("create temp trigger", 0x301);
        check("explain create trigger x", 0x301);
        check("select (", 0x1_0000_0101);
        check("create trigger t begin 'x", 0x27_0301);
        check("select 1 --", 0x2d_0101);
        check("-", 0x101);
        check("'", 0x27_0001);
    }
}
