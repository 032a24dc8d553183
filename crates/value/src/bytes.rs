//! Parts of byte strings, for bounds that come from data: no part is ever out of bounds.

/// What is behind the first `at` bytes; nothing if there are no more.
#[inline]
pub fn behind(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// The first `at` bytes; all if there are no more.
#[inline]
pub fn first(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(..at).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        assert_eq!((first(b"abc", 2), behind(b"abc", 2)), (&b"ab"[..], &b"c"[..]));
        assert_eq!((first(b"abc", 3), behind(b"abc", 3)), (&b"abc"[..], &b""[..]));
        assert_eq!((first(b"abc", 9), behind(b"abc", usize::MAX)), (&b"abc"[..], &b""[..]));
    }
}
