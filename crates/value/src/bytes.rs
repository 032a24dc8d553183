//! Byte strings: their order, and parts of them by bounds that come from data, which are never out of bounds.

use std::cmp::Ordering;

/// The bytes behind the first `at`; none if there are no more.
#[inline]
pub fn after(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// The first `at` bytes; all if there are no more.
#[inline]
pub fn up_to(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(..at).unwrap_or(bytes)
}

/// The order of two byte strings. Most differ within the first eight bytes, which are compared as one number.
#[inline]
pub fn compare_bytes(left: &[u8], right: &[u8]) -> Ordering {
    match (left.split_first_chunk::<8>(), right.split_first_chunk::<8>()) {
        (Some((left, left_rest)), Some((right, right_rest))) => {
            let order = u64::from_be_bytes(*left).cmp(&u64::from_be_bytes(*right));
            if order.is_ne() { order } else { left_rest.cmp(right_rest) }
        }
        _ => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_compare_as_slices_do() {
        let strings: [&[u8]; 9] =
            [b"", b"a", b"abcdefg", b"abcdefgh", b"abcdefgh\0", b"abcdefghi", b"abcdefgi", b"\xffbcdefgh", b"\xff"];
        for left in strings {
            for right in strings {
                assert_eq!(compare_bytes(left, right), left.cmp(right), "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn parts() {
        assert_eq!((up_to(b"abc", 2), after(b"abc", 2)), (&b"ab"[..], &b"c"[..]));
        assert_eq!((up_to(b"abc", 3), after(b"abc", 3)), (&b"abc"[..], &b""[..]));
        assert_eq!((up_to(b"abc", 9), after(b"abc", usize::MAX)), (&b"abc"[..], &b""[..]));
    }
}
