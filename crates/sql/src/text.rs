//! The values of literals and identifiers: unquoting, integers from digits, bytes from hexadecimal digits.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use memchr::memchr;

use crate::ast::{ExprKind, Quote};
use crate::keyword;
use crate::lexer::Lexer;
use crate::token::KeywordClass;

/// The kind of quotes of an identifier or string, from its first byte.
pub(crate) fn quote_of(token: &[u8]) -> Quote {
    match token.first() {
        Some(b'"') => Quote::Double,
        Some(b'[' | b'`') => Quote::Other,
        Some(b'\'') => Quote::Single,
        _ => Quote::None,
    }
}

/// `token` without its quotes, if there are any; doubled quotes within become single ones. Copies into the arena only if there
/// are doubled quotes.
#[inline]
pub(crate) fn unquote<'a>(token: &'a [u8], arena: &'a Bump) -> &'a [u8] {
    let (Some(&first), [_, inner @ .., _]) = (token.first(), token) else {
        return token;
    };
    match first {
        b'[' => inner,
        b'\'' | b'"' | b'`' if memchr(first, inner).is_some() => undouble(inner, first, arena),
        b'\'' | b'"' | b'`' => inner,
        _ => token,
    }
}

/// The content of the quotes that `text` starts with; all of `text` if it does not start with a quote.
pub fn unquote_start<'a>(text: &'a [u8], arena: &'a Bump) -> &'a [u8] {
    let first = Lexer::new(text).next_token().span.text(text);
    if quote_of(first) == Quote::None { text } else { unquote(first, arena) }
}

/// The text between the first byte of a token and its last: a string without its quotes.
pub fn inside(token: &[u8]) -> &[u8] {
    if let [_, inside @ .., _] = token { inside } else { &[] }
}

/// Removes every second quote of a pair.
fn undouble<'a>(inner: &[u8], quote: u8, arena: &'a Bump) -> &'a [u8] {
    let mut text = ArenaVec::with_capacity_in(inner.len(), arena);
    let mut rest = inner;
    while let Some(at) = memchr(quote, rest) {
        text.extend_from_slice_copy(rest.get(..=at).unwrap_or(rest));
        let second = rest.get(at + 1) == Some(&quote);
        rest = rest.get(at + 1 + usize::from(second)..).unwrap_or_default();
    }
    text.extend_from_slice_copy(rest);
    text.into_bump_slice()
}

/// The bytes of `x'...'`.
pub(crate) fn decode_blob<'a>(token: &[u8], arena: &'a Bump) -> &'a [u8] {
    let [_, _, digits @ .., _] = token else {
        return &[];
    };
    let (pairs, _half) = digits.as_chunks::<2>();
    arena.alloc_slice_fill_iter(pairs.iter().map(|[high, low]| nibble(*high) << 4 | nibble(*low)))
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        b'A'..=b'F' => digit - b'A' + 10,
        _ => 0,
    }
}

/// The literal of an integer token. A literal too large for 64 bits becomes a [`Float`](ExprKind::Float) if decimal,
/// [`HexTooBig`](ExprKind::HexTooBig) if hexadecimal.
#[inline]
pub fn integer(token: &[u8]) -> ExprKind<'_> {
    if let [b'0', b'x' | b'X', digits @ ..] = token {
        return hexadecimal(digits).map_or(ExprKind::HexTooBig(token), ExprKind::Integer);
    }
    let mut value: i64 = 0;
    for digit in token {
        let digit = i64::from(digit.wrapping_sub(b'0'));
        match value.checked_mul(10).and_then(|v| v.checked_add(digit)) {
            Some(next) => value = next,
            None => return ExprKind::Float(token),
        }
    }
    ExprKind::Integer(value)
}

/// Sixteen digits are all bits of an integer, sign included; leading zeros do not count.
fn hexadecimal(digits: &[u8]) -> Option<i64> {
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let digits = digits.get(zeros..)?;
    if digits.len() > 16 {
        return None;
    }
    let bits = digits.iter().fold(0_u64, |bits, &digit| bits << 4 | u64::from(nibble(digit)));
    Some(bits.cast_signed())
}

/// A number without its separators. If a separator is not between two digits, the error is the token as in SQLite's message: with
/// the digits that were moved to the left before the separator was found.
pub(crate) fn without_separators<'a>(token: &[u8], arena: &'a Bump) -> Result<&'a [u8], &'a [u8]> {
    let text = arena.alloc_slice_copy(token);
    let hexadecimal = matches!(token, [b'0', b'x' | b'X', ..]);
    let digit = |at: Option<usize>| match at.and_then(|at| token.get(at)) {
        Some(byte) if hexadecimal => byte.is_ascii_hexdigit(),
        Some(byte) => byte.is_ascii_digit(),
        None => false,
    };
    let mut length = 0;
    let mut bad = None;
    for (at, &byte) in token.iter().enumerate() {
        if byte != b'_' {
            if let Some(place) = text.get_mut(length) {
                *place = byte;
                length += 1;
            }
        } else if !digit(at.checked_sub(1)) || !digit(Some(at + 1)) {
            bad = Some(arena.alloc_slice_copy(text));
        }
    }
    bad.map_or(Ok(text.get(..length).unwrap_or_default()), |bad| Err(bad))
}

/// Whether these decimal digits are the absolute value of the smallest integer, which fits 64 bits only after a minus.
pub fn is_smallest_integer(digits: &[u8]) -> bool {
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    digits.get(zeros..) == Some(b"9223372036854775808")
}

/// Whether `name` is a keyword of any class.
pub fn is_keyword(name: &[u8]) -> bool {
    keyword::find(name).is_some()
}

/// Whether `name` is a keyword that can never be a name without quotes.
pub fn is_reserved(name: &[u8]) -> bool {
    keyword::find(name).and_then(|kind| kind.keyword()).is_some_and(|keyword| keyword.class == KeywordClass::Reserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unquotes() {
        let arena = Bump::new();
        let check = |token: &str, expected: &str| {
            let token = arena.alloc_str(token).as_bytes();
            assert_eq!(unquote(token, &arena), expected.as_bytes());
        };
        check("a", "a");
        check("''", "");
        check("'a'", "a");
        check("'a''b'", "a'b");
        check("''''", "'");
        check("'a''''b'''", "a''b'");
        check("\"a\"\"b\"", "a\"b");
        check("\"a'b\"", "a'b");
        check("`a``b`", "a`b");
        check("[a'b]", "a'b");
    }

    #[test]
    fn integers() {
        let check = |token: &'static str, expected: Option<i64>| {
            let found = match integer(token.as_bytes()) {
                ExprKind::Integer(value) => Some(value),
                ExprKind::Float(text) | ExprKind::HexTooBig(text) => {
                    assert_eq!(text, token.as_bytes());
                    None
                }
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected);
        };
        check("0", Some(0));
        check("007", Some(7));
        check("9223372036854775807", Some(i64::MAX));
        check("9223372036854775808", None);
        check("0x10", Some(16));
        check("0X7fffffffffffffff", Some(i64::MAX));
        check("0x8000000000000000", Some(i64::MIN));
        check("0x00ffffffffffffffff", Some(-1));
        check("0x10000000000000000", None);
    }

    #[test]
    fn separators() {
        let arena = Bump::new();
        let check = |token: &str, expected: Result<&str, &str>| {
            let found = without_separators(token.as_bytes(), &arena);
            assert_eq!(found, expected.map(str::as_bytes).map_err(str::as_bytes));
        };
        check("1_000", Ok("1000"));
        check("1_0.5_5e1_0", Ok("10.55e10"));
        check("0xf_f", Ok("0xff"));
        check("1__0", Err("1__0"));
        check("1_", Err("1_"));
        check("1_.5", Err("1_.5"));
        check("1._5", Err("1._5"));
        check("1_0_", Err("100_"));
        check("1__0_", Err("10_0_"));
    }

    #[test]
    fn blobs() {
        let arena = Bump::new();
        assert_eq!(decode_blob(b"x''", &arena), b"");
        assert_eq!(decode_blob(b"X'01aFFf'", &arena), [0x01, 0xaf, 0xff]);
    }

    #[test]
    fn reserved_keywords() {
        assert!(is_reserved(b"table") && !is_reserved(b"abort"));
    }
}
