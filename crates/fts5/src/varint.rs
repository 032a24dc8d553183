//! SQLite's integers of one to nine bytes, as records have them, read one after the other.

use lithe_format::varint;
pub use lithe_format::varint::push as write;

/// Reads an integer at `at`, and moves `at` behind it. `None` if the bytes end first.
#[inline]
pub fn read(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let (value, behind) = varint::read_at(bytes, *at)?;
    *at = behind;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: u64, expected: &[u8]) {
        let mut out = Vec::new();
        write(&mut out, value);
        assert_eq!(out, expected, "{value:#x}");
        let mut at = 0;
        assert_eq!(read(expected, &mut at), Some(value));
        assert_eq!(at, expected.len());
        for short in 0..expected.len() {
            assert_eq!(read(&expected[..short], &mut 0), None);
        }
    }

    #[test]
    fn bytes_are_those_of_records() {
        check(0, &[0]);
        check(0x7f, &[0x7f]);
        check(0x80, &[0x81, 0x00]);
        check(0x3fff, &[0xff, 0x7f]);
        check(0x4000, &[0x81, 0x80, 0x00]);
        check((1 << 56) - 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
        check(1 << 56, &[0x80, 0xc0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]);
        check(u64::MAX, &[0xff; 9]);
    }
}
