//! What the texts of settings say, in pragmas and URIs: numbers, switches, levels. Most settings read 32 bits, and take what does not fit for 0.

/// The number of 32 bits at the beginning of a text; 0 without one.
pub(crate) fn integer(text: &[u8]) -> i64 {
    fitting_integer(text).map_or(0, i64::from)
}

/// The number of 32 bits at the beginning of a text: decimal with a sign, or hexadecimal without.
pub(crate) fn fitting_integer(text: &[u8]) -> Option<i32> {
    let number = match hexadecimal(text) {
        Some((digits, _)) => Some(u32::from_str_radix(digits, 16).ok()?.into()),
        None => decimal(text).0,
    };
    i32::try_from(number?).ok()
}

/// The text as a number of 64 bits, if it is one as a whole.
pub(crate) fn whole_integer(text: &[u8]) -> Option<i64> {
    long_integer(text).1
}

/// The number at the beginning of a text, or the largest or smallest of 64 bits if it does not fit.
pub(crate) fn clamped_integer(text: &[u8]) -> i64 {
    long_integer(text).0
}

/// The number at the beginning of a text, with blanks before it, clamped to 64 bits; and the number if it is the whole text and fits. A hexadecimal number
/// has at most 64 bits, the first of which is the sign.
fn long_integer(text: &[u8]) -> (i64, Option<i64>) {
    if let Some((digits, is_whole)) = hexadecimal(text) {
        let bits = u64::from_str_radix(digits, 16).ok().map(u64::cast_signed);
        return (bits.unwrap_or(0), bits.filter(|_| is_whole));
    }
    let text = text.trim_ascii();
    let (number, is_whole) = decimal(text);
    let Some(number) = number else { return (0, None) };
    match i64::try_from(number) {
        Ok(number) => (number, Some(number).filter(|_| is_whole)),
        Err(_) => (if number < 0 { i64::MIN } else { i64::MAX }, None),
    }
}

/// The digits behind `0x`, and whether nothing follows them.
fn hexadecimal(text: &[u8]) -> Option<(&str, bool)> {
    let rest = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"))?;
    let len = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let digits = rest.get(..len).and_then(|digits| std::str::from_utf8(digits).ok())?;
    (len > 0).then_some((digits, len == rest.len()))
}

/// The decimal number at the beginning of a text, saturated, and whether it is the whole text.
fn decimal(text: &[u8]) -> (Option<i128>, bool) {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    let len = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let add = |number: i128, digit: &u8| number.saturating_mul(10).saturating_add(i128::from(digit - b'0'));
    let number = (len > 0).then(|| sign * digits[..len].iter().fold(0, add));
    (number, len == digits.len())
}

/// What a switch of a pragma or of a URI says: on, yes, true, off, no, false or a number; `default` for anything else.
pub fn boolean(text: &[u8], default: bool) -> bool {
    if text.first().is_some_and(u8::is_ascii_digit) {
        return integer(text) != 0;
    }
    level_of_word(text).filter(|level| *level < 2).map_or(default, |level| level == 1)
}

/// The levels of `synchronous`: off 0, on 1, full 2, extra 3, or a number; `default` for anything else.
pub(crate) fn safety_level(text: &[u8], default: u8) -> u8 {
    if text.first().is_some_and(u8::is_ascii_digit) {
        return integer(text) as u8;
    }
    level_of_word(text).unwrap_or(default)
}

/// The level that a word stands for: off/no/false 0, on/yes/true 1, full 2, extra 3.
fn level_of_word(text: &[u8]) -> Option<u8> {
    let words: [(&str, u8); 8] =
        [("on", 1), ("yes", 1), ("true", 1), ("off", 0), ("no", 0), ("false", 0), ("full", 2), ("extra", 3)];
    words.iter().find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes())).map(|(_, level)| *level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_32_bits() {
        let cases: [(&[u8], Option<i32>); 10] = [
            (b"12", Some(12)),
            (b"+7x", Some(7)),
            (b"-2147483648", Some(i32::MIN)),
            (b"2147483648", None),
            (b"0x7fffffff", Some(i32::MAX)),
            (b"0x80000000", None),
            (b"0x0000000000012", Some(0x12)),
            (b"-0x10", Some(0)),
            (b" 12", None),
            (b"abc", None),
        ];
        for (text, number) in cases {
            assert_eq!(fitting_integer(text), number, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn of_64_bits() {
        let clamped = (clamped_integer(b"99999999999999999999"), clamped_integer(b"-99999999999999999999"));
        assert_eq!((clamped, clamped_integer(b"x"), clamped_integer(b"1e3")), ((i64::MAX, i64::MIN), 0, 1));
        assert_eq!((whole_integer(b"0x1f"), whole_integer(b"1e3"), whole_integer(b"")), (Some(31), None, None));
        assert_eq!((whole_integer(b" 12 "), whole_integer(b"9223372036854775808")), (Some(12), None));
    }

    #[test]
    fn switches_and_levels() {
        assert!(boolean(b"YES", false) && boolean(b"2", false) && boolean(b"256", false) && !boolean(b"maybe", false));
        assert!(!boolean(b"full", false) && boolean(b"extra", true) && !boolean(b"off", true));
        assert_eq!((safety_level(b"normal", 1), safety_level(b"EXTRA", 1), safety_level(b"0", 1)), (1, 3, 0));
    }
}
