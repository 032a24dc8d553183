//! Big-endian integers inside byte slices. All of the file format is big-endian, except the checksums of a WAL, which
//! states its byte order.
//!
//! Two families: `get_*` answers `None` outside the slice and is for offsets that were read from a file; `at_*` and
//! `put_*` panic there and are for fixed offsets.

/// The two-byte integer at `at`, or `None` if it does not lie within `bytes`.
#[inline]
pub fn get_u16(bytes: &[u8], at: usize) -> Option<u16> {
    let tail = bytes.get(at..)?;
    tail.first_chunk().map(|chunk| u16::from_be_bytes(*chunk))
}

/// The four-byte integer at `at`, or `None` if it does not lie within `bytes`.
#[inline]
pub fn get_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let tail = bytes.get(at..)?;
    tail.first_chunk().map(|chunk| u32::from_be_bytes(*chunk))
}

/// The two-byte integer at the fixed offset `at`.
#[inline]
#[track_caller]
#[expect(clippy::indexing_slicing, reason = "a caller owes bytes beyond a fixed offset")]
pub fn at_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The four-byte integer at the fixed offset `at`.
#[inline]
#[track_caller]
#[expect(clippy::panic, reason = "as above")]
pub fn at_u32(bytes: &[u8], at: usize) -> u32 {
    match get_u32(bytes, at) {
        Some(value) => value,
        None => panic!("offset {at} outside {} bytes", bytes.len()),
    }
}

/// Stores a two-byte integer at the fixed offset `at`.
#[inline]
#[track_caller]
#[expect(clippy::indexing_slicing, reason = "as above")]
pub fn put_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// Stores a four-byte integer at the fixed offset `at`.
#[inline]
#[track_caller]
#[expect(clippy::indexing_slicing, reason = "as above")]
pub fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_and_outside() {
        let mut bytes = [0u8; 6];
        put_u16(&mut bytes, 0, 0x1234);
        put_u32(&mut bytes, 2, 0xdead_beef);
        assert_eq!(at_u16(&bytes, 0), 0x1234);
        assert_eq!(at_u32(&bytes, 2), 0xdead_beef);
        assert_eq!(get_u16(&bytes, 4), Some(0xbeef));
        assert_eq!(get_u16(&bytes, 5), None);
        assert_eq!(get_u32(&bytes, 3), None);
        assert_eq!(get_u32(&bytes, usize::MAX), None);
    }
}
