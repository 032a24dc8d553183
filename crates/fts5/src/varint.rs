//! SQLite's integers of one to nine bytes: seven bits a byte, the most significant first, the eighth bit says that more
//! follow; the ninth byte carries eight.

/// The longest one.
pub const LEN_MAX: usize = 9;

/// Reads one at `at`, and moves `at` behind it. None if the bytes end first.
pub fn read(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0u64;
    for index in 0..LEN_MAX {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if index + 1 == LEN_MAX {
            return Some(value << 8 | u64::from(byte));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            break;
        }
    }
    Some(value)
}

/// Appends one.
pub fn write(out: &mut Vec<u8>, value: u64) {
    let mut buffer = [0u8; LEN_MAX];
    let is_long = value >> 56 != 0;
    let mut rest = value;
    let mut len = 0;
    for (index, place) in buffer.iter_mut().rev().enumerate() {
        let bits = if is_long && index == 0 { 8 } else { 7 };
        let more = if index == 0 { 0 } else { 0x80 };
        let low = (rest & ((1 << bits) - 1)) as u8;
        *place = if is_long && index == 0 { low } else { low | more };
        rest >>= bits;
        len += 1;
        if rest == 0 && (!is_long || len == LEN_MAX) {
            break;
        }
    }
    out.extend(buffer.iter().skip(LEN_MAX - len));
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
