//! Strings between C and Rust: with NUL or a length, in UTF-8 or UTF-16.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use lithe_engine::value::{Buffer, Encoding};

/// The bytes of a C string; `None` for a null pointer.
///
/// # Safety
/// `text` is null, or ends with NUL and is valid for `'a`.
pub(crate) unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    if text.is_null() {
        return None;
    }
    // SAFETY: our caller's promise.
    Some(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// As [`bytes`], for names: invalid UTF-8 is replaced.
///
/// # Safety
/// As [`bytes`].
pub(crate) unsafe fn name(text: *const c_char) -> Option<String> {
    // SAFETY: our caller's promise.
    unsafe { bytes(text) }.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// The `len` bytes at `text`, or those up to the NUL if `len` is negative.
///
/// # Safety
/// The bytes are valid for `'a`; a null pointer has no bytes.
pub(crate) unsafe fn sized<'a>(text: *const c_void, len: i64) -> &'a [u8] {
    // SAFETY: our caller's promise.
    unsafe {
        match usize::try_from(len) {
            _ if text.is_null() => &[],
            Ok(len) => std::slice::from_raw_parts(text.cast(), len),
            Err(_) => CStr::from_ptr(text.cast()).to_bytes(),
        }
    }
}

/// The `len` bytes of UTF-16 at `text`, or those up to the double NUL if `len` is negative.
///
/// # Safety
/// As [`sized`].
pub(crate) unsafe fn sized16<'a>(text: *const c_void, len: i64) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    let len = match usize::try_from(len) {
        Ok(len) => len & !1,
        Err(_) => {
            let mut len = 0;
            // SAFETY: our caller's promise: there is a double NUL somewhere.
            while unsafe { text.cast::<[u8; 2]>().byte_add(len).read_unaligned() } != [0, 0] {
                len += 2;
            }
            len
        }
    };
    // SAFETY: our caller's promise.
    unsafe { std::slice::from_raw_parts(text.cast(), len) }
}

/// Converts UTF-16 to UTF-8. A byte order mark decides the byte order, else `encoding`.
pub(crate) fn from_utf16(text: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut buffer = Buffer::new();
    encoding.decode_with_mark(text, &mut buffer);
    buffer.into_vec()
}

/// A UTF-16 string of the application as UTF-8; `None` for a null pointer.
///
/// # Safety
/// `text` is null or ends with a double NUL.
pub(crate) unsafe fn utf16_string(text: *const c_void) -> Option<Vec<u8>> {
    // SAFETY: our caller's promise.
    (!text.is_null()).then(|| from_utf16(unsafe { sized16(text, -1) }, Encoding::UTF16_NATIVE))
}

/// Converts UTF-8 to UTF-16 with a double NUL at the end.
pub(crate) fn to_utf16(text: &[u8], encoding: Encoding) -> Vec<u16> {
    let mut buffer = Buffer::new();
    encoding.encode(text, &mut buffer);
    let units = buffer.as_slice().chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
    units.chain([0]).collect()
}

/// The encoding of a number of the C interface.
pub(crate) fn encoding(number: c_int) -> Option<Encoding> {
    match number {
        crate::code::UTF8 | crate::code::UTF8_ZT | crate::code::ANY => Some(Encoding::Utf8),
        crate::code::UTF16LE => Some(Encoding::Utf16le),
        crate::code::UTF16BE => Some(Encoding::Utf16be),
        crate::code::UTF16 | crate::code::UTF16_ALIGNED => Some(Encoding::UTF16_NATIVE),
        _ => None,
    }
}

/// The number of the C interface for an encoding.
pub(crate) fn representation(encoding: Encoding) -> c_int {
    match encoding {
        Encoding::Utf8 => crate::code::UTF8,
        Encoding::Utf16le => crate::code::UTF16LE,
        Encoding::Utf16be => crate::code::UTF16BE,
    }
}

/// How many bytes of UTF-16 the first `chars` characters of `text` take.
pub(crate) fn utf16_len(text: &[u8]) -> usize {
    Encoding::UTF16_NATIVE.encoded_len(text)
}

/// The bytes up to the first NUL, because a C program would not see more.
pub(crate) fn c_string(bytes: &[u8]) -> CString {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    let mut text = Vec::with_capacity(end + 1);
    text.extend_from_slice(&bytes[..end]);
    // SAFETY: there is no NUL in the text. (The standard library would search for one again, and slowly: a statement
    // may be long.)
    unsafe { CString::from_vec_unchecked(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for text in ["", "abc", "zwölf", "𝄞 clef"] {
            let mut wide = to_utf16(text.as_bytes(), Encoding::UTF16_NATIVE);
            assert_eq!(wide.pop(), Some(0));
            let bytes: Vec<u8> = wide.iter().flat_map(|unit| unit.to_ne_bytes()).collect();
            assert_eq!(from_utf16(&bytes, Encoding::UTF16_NATIVE), text.as_bytes());
            assert_eq!(utf16_len(text.as_bytes()), bytes.len());
        }
    }
}
