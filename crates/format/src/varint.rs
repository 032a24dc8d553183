//! Variable-length integers: one to nine bytes, big-endian, seven bits a byte.
//!
//! ```text
//!   1xxxxxxx 1xxxxxxx ... 0xxxxxxx     up to eight bytes of seven bits, the last without the high bit
//!   1xxxxxxx * 8          xxxxxxxx     the ninth byte, where there is one, has eight bits of the value
//! ```
//!
//! Nearly every varint of a database is one or two bytes long (serial types, payload lengths), and rowids are three or
//! four: these lengths have fast paths.

/// The most bytes that a varint takes.
pub const MAX_LEN: usize = 9;

/// The varint at the start of `bytes` and its length, or `None` if `bytes` ends inside it.
#[inline]
pub fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    match *bytes {
        [a, ..] if a < 0x80 => Some((u64::from(a), 1)),
        [a, b, ..] if b < 0x80 => Some((u64::from(a & 0x7f) << 7 | u64::from(b), 2)),
        _ => read_long(bytes),
    }
}

/// The varint at `at`, and the offset after it.
#[inline]
pub fn read_at(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let (value, len) = read(bytes.get(at..)?)?;
    Some((value, at + len))
}

/// [`read`] for values that are seldom small, such as rowids. Up to three bytes have fast paths: rowids that are read one
/// after the other mostly have one length, so that the branches are predicted. All longer ones take the same time.
#[inline]
pub(crate) fn read_wide(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes.first_chunk() {
        Some(&[a, _, _]) if a < 0x80 => Some((u64::from(a), 1)),
        Some(&[a, b, _]) if b < 0x80 => Some((u64::from(a & 0x7f) << 7 | u64::from(b), 2)),
        Some(&[a, b, c]) if c < 0x80 => Some((u64::from(a & 0x7f) << 14 | u64::from(b & 0x7f) << 7 | u64::from(c), 3)),
        _ => read_long(bytes),
    }
}

/// A varint of any length, without a branch on the length.
#[inline(never)]
fn read_long(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes.first_chunk::<8>() {
        Some(chunk) => {
            let word = u64::from_be_bytes(*chunk);
            let stops = !word & HIGH_BITS;
            if stops == 0 {
                let last = *bytes.get(8)?;
                return Some((compress(word) << 8 | u64::from(last), MAX_LEN));
            }
            let len = stops.leading_zeros() as usize / 8 + 1;
            Some((compress(word >> (64 - 8 * len)), len))
        }
        None => read_at_end(bytes),
    }
}

/// Reads a varint where fewer than eight bytes are left, so that it must stop within them.
#[cold]
fn read_at_end(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Closes the gaps that the eight high bits leave: pairs of seven bits become fourteen, then 28, 56.
#[inline]
fn compress(word: u64) -> u64 {
    let x = word & !HIGH_BITS;
    let x = (x & 0x7f00_7f00_7f00_7f00) >> 1 | (x & 0x007f_007f_007f_007f);
    let x = (x & 0x3fff_0000_3fff_0000) >> 2 | (x & 0x0000_3fff_0000_3fff);
    (x & 0x0fff_ffff_0000_0000) >> 4 | (x & 0x0000_0000_0fff_ffff)
}

/// The length of the varint at the start of `bytes`, or `None` if `bytes` ends inside it.
#[inline]
pub fn skip(bytes: &[u8]) -> Option<usize> {
    match bytes.first_chunk::<8>() {
        Some(chunk) => {
            let stops = !u64::from_be_bytes(*chunk) & HIGH_BITS;
            let len = stops.leading_zeros() as usize / 8 + 1;
            (len <= 8 || bytes.len() > 8).then_some(len)
        }
        None => read_at_end(bytes).map(|(_, len)| len),
    }
}

/// The number of bytes that `value` takes.
#[inline]
pub fn len(value: u64) -> usize {
    if value < 0x80 {
        return 1;
    }
    let bits = 64 - value.leading_zeros() as usize;
    bits.div_ceil(7).min(MAX_LEN)
}

/// Writes `value` at the start of `out` and answers its length.
///
/// # Panics
/// If `out` is too short: the caller provides [`MAX_LEN`] bytes or has called [`len`].
#[inline]
#[expect(clippy::indexing_slicing, reason = "see Panics")]
pub fn write(out: &mut [u8], value: u64) -> usize {
    if value < 0x80 {
        out[0] = value as u8;
        return 1;
    }
    if value < 0x4000 {
        out[..2].copy_from_slice(&[(value >> 7) as u8 | 0x80, value as u8 & 0x7f]);
        return 2;
    }
    write_long(out, value)
}

/// Appends `value` to `out`.
#[inline]
pub fn push(out: &mut Vec<u8>, value: u64) {
    if value < 0x80 {
        out.push(value as u8);
    } else {
        let mut bytes = [0; MAX_LEN];
        let len = write(&mut bytes, value);
        out.extend_from_slice(bytes.get(..len).unwrap_or(&bytes));
    }
}

#[expect(clippy::indexing_slicing, reason = "as above")]
fn write_long(out: &mut [u8], value: u64) -> usize {
    let len = len(value);
    if len == MAX_LEN {
        out[..8].copy_from_slice(&(expand(value >> 8) | HIGH_BITS).to_be_bytes());
        out[8] = value as u8;
        return MAX_LEN;
    }
    // All bytes but the last have the high bit.
    let word = (expand(value) | HIGH_BITS) & !0x80;
    out[..len].copy_from_slice(&word.to_be_bytes()[8 - len..]);
    len
}

/// The reverse of [`compress`].
#[inline]
fn expand(value: u64) -> u64 {
    let x = (value & 0x00ff_ffff_f000_0000) << 4 | (value & 0x0fff_ffff);
    let x = (x & 0x0fff_c000_0fff_c000) << 2 | (x & 0x0000_3fff_0000_3fff);
    (x & 0x3f80_3f80_3f80_3f80) << 1 | (x & 0x007f_007f_007f_007f)
}

/// The bytes of one varint, for a header that is built on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Encoded {
    bytes: [u8; MAX_LEN],
    len: u8,
}

impl Encoded {
    /// Encodes `value`.
    #[inline]
    pub fn new(value: u64) -> Encoded {
        let mut bytes = [0; MAX_LEN];
        let len = write(&mut bytes, value) as u8;
        Encoded { bytes, len }
    }

    /// The encoded bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: u64, bytes: &[u8]) {
        let mut out = [0xaa; 12];
        assert_eq!(write(&mut out, value), bytes.len(), "{value:#x}");
        assert_eq!(&out[..bytes.len()], bytes, "{value:#x}");
        assert_eq!(len(value), bytes.len(), "{value:#x}");
        assert_eq!(Encoded::new(value).as_slice(), bytes);
        let mut pushed = Vec::new();
        push(&mut pushed, value);
        assert_eq!(pushed, bytes);
        for slack in [0, 1, 20] {
            let mut long = bytes.to_vec();
            long.resize(bytes.len() + slack, 0xff);
            assert_eq!(read(&long), Some((value, bytes.len())), "{value:#x} with {slack} bytes after");
            assert_eq!(read_wide(&long), read(&long));
            assert_eq!(skip(&long), Some(bytes.len()));
        }
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut]), None, "{value:#x} cut to {cut}");
            assert_eq!(skip(&bytes[..cut]), None, "{value:#x} cut to {cut}");
        }
    }

    #[test]
    fn known_encodings() {
        check(0, &[0]);
        check(0x7f, &[0x7f]);
        check(0x80, &[0x81, 0x00]);
        check(0x3fff, &[0xff, 0x7f]);
        check(0x4000, &[0x81, 0x80, 0x00]);
        check(0x1f_ffff, &[0xff, 0xff, 0x7f]);
        check(1 << 56, &[0x80, 0xc0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]);
        check((1 << 56) - 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
        check(u64::MAX, &[0xff; 9]); // the ninth byte carries eight bits
        check(-1i64 as u64, &[0xff; 9]);
    }

    #[test]
    fn every_length_comes_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, (1 << shift) | 1] {
                let bytes = Encoded::new(value);
                check(value, bytes.as_slice());
            }
        }
    }

    #[test]
    fn long_forms_are_read() {
        // A writer may pad with leading 0x80 bytes; every reader accepts that.
        assert_eq!(read(&[0x80, 0x01]), Some((1, 2)));
        assert_eq!(read(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x05]), Some((5, 9)));
        assert_eq!(read_at(&[0x01, 0x81, 0x00], 1), Some((128, 3)));
        assert_eq!(read_at(&[0x01], 4), None);
    }
}
