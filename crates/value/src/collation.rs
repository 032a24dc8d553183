//! Collating sequences: the three built-in ones of SQLite, and those of applications.

use crate::bytes;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// How two texts compare.
#[derive(Clone, Debug, Default)]
pub enum Collation {
    /// Bytes, as `memcmp` compares them.
    #[default]
    Binary,
    /// Bytes, the 26 letters of ASCII without their case.
    NoCase,
    /// Bytes, without the spaces at the end.
    RTrim,
    /// A sequence that the application has defined.
    Custom(Arc<dyn CustomCollation + Send + Sync>),
}

/// A collating sequence of an application.
pub trait CustomCollation {
    /// The name under which it was defined.
    fn name(&self) -> &str;

    /// The order of two texts, given in UTF-8.
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering;

    /// Called when the connection has removed the collation. Statements that were compiled with it are never run again.
    fn removed(&self) {}
}

impl Collation {
    /// The built-in sequence of that name, in any case of letters.
    pub fn builtin(name: &str) -> Option<Collation> {
        [Collation::Binary, Collation::NoCase, Collation::RTrim]
            .into_iter()
            .find(|collation| collation.name().eq_ignore_ascii_case(name))
    }

    /// The name, as `PRAGMA collation_list` shows it.
    pub fn name(&self) -> &str {
        match self {
            Collation::Binary => "BINARY",
            Collation::NoCase => "NOCASE",
            Collation::RTrim => "RTRIM",
            Collation::Custom(custom) => custom.name(),
        }
    }

    /// Whether texts compare as their bytes do, so that equal means identical.
    #[inline]
    pub fn is_binary(&self) -> bool {
        matches!(self, Collation::Binary)
    }

    /// The order of two texts.
    #[inline]
    pub fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        match self {
            Collation::Binary => bytes::compare_bytes(left, right),
            Collation::NoCase => compare_nocase(left, right),
            Collation::RTrim => trim_spaces(left).cmp(trim_spaces(right)),
            Collation::Custom(custom) => custom.compare(left, right),
        }
    }
}

impl PartialEq for Collation {
    /// The same sequence: the same built-in, or the same custom object.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Collation::Custom(left), Collation::Custom(right)) => Arc::ptr_eq(left, right),
            (Collation::Custom(_), _) | (_, Collation::Custom(_)) => false,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Debug for dyn CustomCollation + Send + Sync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "collation {}", self.name())
    }
}

/// A byte of text with ASCII's capitals made small.
#[inline]
pub fn fold(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

fn compare_nocase(left: &[u8], right: &[u8]) -> Ordering {
    for (&a, &b) in left.iter().zip(right) {
        if a == b && a != 0 {
            continue;
        }
        // A NUL ends the comparison of characters, and the lengths decide: SQLite compares them as C strings.
        match fold(a).cmp(&fold(b)) {
            Ordering::Equal if a == 0 => break,
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    left.len().cmp(&right.len())
}

fn trim_spaces(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    bytes::up_to(text, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering::{Equal, Greater, Less};

    #[track_caller]
    fn check(name: &str, left: &str, right: &str, expected: Ordering) {
        let collation = Collation::builtin(name).unwrap();
        assert_eq!(collation.compare(left.as_bytes(), right.as_bytes()), expected);
        assert_eq!(collation.compare(right.as_bytes(), left.as_bytes()), expected.reverse());
    }

    #[test]
    fn built_in_sequences() {
        check("binary", "abc", "abd", Less);
        check("binary", "abc", "ABC", Greater);
        check("binary", "ab", "abc", Less);
        check("NoCase", "abc", "ABC", Equal);
        check("nocase", "abc", "ABCD", Less);
        check("nocase", "a_", "aB", Less);
        check("nocase", "ä", "Ä", Greater);
        check("nocase", "a\0b", "A\0c", Equal);
        check("nocase", "a\0b", "A\0cd", Less);
        check("rtrim", "abc  ", "abc", Equal);
        check("rtrim", "  ", "", Equal);
        check("rtrim", " a", "a", Less);
        check("rtrim", "abc\t ", "abc", Greater);
    }
}
