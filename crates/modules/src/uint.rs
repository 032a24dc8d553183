//! The collation `uint`: runs of digits in a text compare as numbers of any length.

use std::cmp::Ordering;

/// Compares two texts.
pub fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        match (one.split_first(), other.split_first()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some((a, _)), Some((b, _))) if a.is_ascii_digit() && b.is_ascii_digit() => {
                let ((number, rest), (its, its_rest)) = (number(one), number(other));
                match number.len().cmp(&its.len()).then(number.cmp(its)) {
                    Ordering::Equal => (one, other) = (rest, its_rest),
                    unequal => return unequal,
                }
            }
            (Some((a, rest)), Some((b, its_rest))) => match a.cmp(b) {
                Ordering::Equal => (one, other) = (rest, its_rest),
                unequal => return unequal,
            },
        }
    }
}

/// The digits at the beginning without leading zeros, and the rest of the text.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    let (number, rest) = text.split_at_checked(digits).unwrap_or((text, &[]));
    (number.get(zeros..).unwrap_or_default(), rest)
}
