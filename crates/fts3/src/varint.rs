//! FTS3's variable-length integers: seven bits a byte, the low ones first, bit 7 set on every byte but the last.

/// The most bytes of an integer.
pub const LEN_MAX: usize = 10;

/// Appends an integer.
pub fn write(out: &mut Vec<u8>, value: i64) {
    let mut rest = value as u64;
    while rest > 0x7f {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// The number of bytes of an integer.
pub fn len(value: i64) -> usize {
    let bits = 64 - (value as u64 | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// Reads the integer at `at`, and advances `at` past it. None if the bytes end within it.
#[inline]
pub fn read(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let mut value = 0u64;
    for index in 0..LEN_MAX {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f).wrapping_shl(7 * index as u32);
        if byte < 0x80 {
            break;
        }
    }
    Some(value as i64)
}

/// Reads a length or a count, which must fit into 31 bits.
pub fn read_len(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let value = read(bytes, at)?;
    i32::try_from(value).ok().and_then(|value| usize::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for value in [0, 1, 127, 128, 300, 1 << 35, i64::MAX, -1, i64::MIN] {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            assert_eq!(bytes.len(), len(value), "{value}");
            let mut at = 0;
            assert_eq!((read(&bytes, &mut at), at), (Some(value), bytes.len()));
        }
        let mut bytes = Vec::new();
        write(&mut bytes, 300);
        assert_eq!(bytes, [0xac, 0x02]);
        assert_eq!(read(&[0x80], &mut 0), None);
    }
}
