//! Spans, names and identifiers.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A range of bytes of the statement's text. SQL is at most 1,000,000,000 bytes long, so 32 bits do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// From the start of this span to the end of `last`.
    pub const fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end }
    }

    /// The text of the span in `sql`, the text that was parsed. Empty if the span is outside of `sql`.
    pub fn text(self, sql: &[u8]) -> &[u8] {
        sql.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A name without its quotes: the bytes as written, usually but not always UTF-8.
///
/// Two names that differ at most in the case of ASCII letters are equal, and have the same hash.
#[derive(Clone, Copy)]
pub struct Name<'a>(&'a [u8]);

impl<'a> Name<'a> {
    /// The name made of these bytes.
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Name<'a> {
        Name(bytes)
    }

    /// The bytes, in the case as written.
    #[inline]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text of the name, if it is UTF-8.
    pub fn as_str(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }

    /// The text of the name, for messages; bytes that are not UTF-8 become replacement characters.
    pub fn to_str_lossy(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }

    /// Whether the name is `other`, ignoring the case of ASCII letters.
    pub fn is(self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other.as_bytes())
    }
}

impl PartialEq for Name<'_> {
    /// Most unequal names differ in length or in their first letter, which is checked without a call; most equal ones are written alike.
    #[inline]
    fn eq(&self, other: &Name<'_>) -> bool {
        self.0.len() == other.0.len()
            && match (self.0, other.0) {
                ([one, rest @ ..], [another, others @ ..]) => {
                    one.eq_ignore_ascii_case(another)
                        && (rest.is_empty() || rest == others || rest.eq_ignore_ascii_case(others))
                }
                _ => true,
            }
    }
}

impl Eq for Name<'_> {}

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (words, rest) = self.0.as_chunks();
        words.iter().for_each(|word| state.write_u64(lowercase(u64::from_le_bytes(*word))));
        let last = rest.iter().rev().fold(0, |last, byte| last << 8 | u64::from(*byte));
        state.write_u64(lowercase(last));
        state.write_usize(self.0.len()); // keeps ("a", "bc") and ("ab", "c") apart
    }
}

/// Eight bytes with their ASCII letters in lower case.
#[inline]
pub(crate) const fn lowercase(bytes: u64) -> u64 {
    const fn each(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    // The highest bit of each byte is the result; sums of seven-bit values below 128 do not carry into the next byte.
    let low = bytes & each(0x7f);
    let from_a = low + each(0x80 - b'A');
    let past_z = low + each(0x7f - b'Z');
    let is_upper = (from_a ^ past_z) & !bytes & each(0x80);
    bytes | is_upper >> 2
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_str_lossy())
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str_lossy(), f)
    }
}

/// How an identifier was quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// Unquoted.
    None,
    /// `"x"`: in an expression, a string if there is no such column.
    Double,
    /// `[x]` or `` `x` ``: always an identifier.
    Other,
    /// `'x'`: a string literal where the grammar accepts one as a name.
    Single,
}

/// An identifier with its position in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ident<'a> {
    /// The name, unquoted.
    pub name: Name<'a>,
    start: u32,
    /// The length of the token in the low 30 bits (1,000,000,000 fits), the [`Quote`] in the bits above.
    length_and_quote: u32,
}

const LENGTH_BITS: u32 = 30;
const LENGTH_MASK: u32 = (1 << LENGTH_BITS) - 1;
const _: () = assert!(crate::limits::SQL_LENGTH_MAX <= LENGTH_MASK);

impl<'a> Ident<'a> {
    /// The identifier `name`, written at `span` in these quotes.
    pub fn new(name: Name<'a>, span: Span, quote: Quote) -> Ident<'a> {
        let length = span.end.saturating_sub(span.start) & LENGTH_MASK;
        Ident { name, start: span.start, length_and_quote: length | (quote as u32) << LENGTH_BITS }
    }

    /// The position of the token, quotes included.
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start.saturating_add(self.length_and_quote & LENGTH_MASK))
    }

    /// How the identifier was quoted.
    pub fn quote(&self) -> Quote {
        match self.length_and_quote >> LENGTH_BITS {
            0 => Quote::None,
            1 => Quote::Double,
            2 => Quote::Other,
            _ => Quote::Single,
        }
    }
}

impl fmt::Debug for Ident<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)
    }
}

/// `name` or `schema.name`.
#[derive(Clone, Copy, Debug)]
pub struct QualifiedName<'a> {
    /// The attached database, if written.
    pub schema: Option<Ident<'a>>,
    /// The object.
    pub name: Ident<'a>,
}

impl QualifiedName<'_> {
    /// From the schema, if any, to the end of the name.
    pub fn span(&self) -> Span {
        self.schema.map_or(self.name.span(), |schema| schema.span().to(self.name.span()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_case_of_eight_bytes() {
        for byte in 0..=u8::MAX {
            let bytes = [byte, b'@', b'A', b'Z', b'[', 0xc1, byte, b'z'];
            assert_eq!(lowercase(u64::from_le_bytes(bytes)), u64::from_le_bytes(bytes.map(|b| b.to_ascii_lowercase())));
        }
    }

    #[test]
    fn names_that_are_equal_hash_alike() {
        let hash = |text: &str| {
            let mut hasher = std::hash::DefaultHasher::new();
            Name::new(text.as_bytes()).hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash("A_rather_LONG_name"), hash("a_RATHER_long_NAME"));
        assert_eq!(hash("Id"), hash("iD"));
        assert_ne!(hash("a_rather_long_name"), hash("a_rather_long_nama"));
        assert_ne!(hash("a"), hash("a\0"));
    }
}
