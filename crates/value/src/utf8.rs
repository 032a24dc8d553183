//! Characters of text that was not validated.
//!
//! SQLite never refuses a text, and its functions agree on the meaning of malformed UTF-8:
//!
//! ```text
//!   00..7f   is a character
//!   80..bf   is a character of that number, if it does not continue one before it
//!   c0..ff   begins a character and takes all bytes 80..bf behind it, six bits each
//! ```
//!
//! A character that is encoded longer than ASCII needs, or is half of a surrogate pair, is U+FFFD.

use crate::buffer::Buffer;
use crate::bytes;

/// The character that malformed text is read as.
pub const REPLACEMENT: u32 = 0xfffd;

/// Whether `byte` continues a character.
#[inline]
pub fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// The first character and its length in bytes; `None` at the end.
#[inline]
pub fn decode(text: &[u8]) -> Option<(u32, usize)> {
    let &first = text.first()?;
    if first < 0xc0 {
        return Some((u32::from(first), 1));
    }
    Some(decode_long(first, text))
}

fn decode_long(first: u8, text: &[u8]) -> (u32, usize) {
    let start = match first {
        0xc0..=0xdf => first & 0x1f,
        0xe0..=0xef => first & 0x0f,
        0xf0..=0xf7 => first & 0x07,
        0xf8..=0xfb => first & 0x03,
        // No character begins with these; SQLite reads them so.
        0xfd => 0x01,
        _ => 0x00,
    };
    let taken = bytes::after(text, 1).iter().take_while(|&&byte| is_continuation(byte));
    let (mut character, mut len) = (u32::from(start), 1);
    for &byte in taken {
        character = character << 6 | u32::from(byte & 0x3f);
        len += 1;
    }
    if character < 0x80 || character & 0xffff_f800 == 0xd800 {
        character = REPLACEMENT;
    }
    (character, len)
}

/// Appends a character, or half of a surrogate pair, in UTF-8. Of a number greater than U+1FFFFF only the low bits
/// count.
pub fn encode(character: u32, out: &mut Buffer) {
    let low6 = |shift: u32| 0x80 | (character >> shift & 0x3f) as u8;
    match character {
        0..0x80 => out.push(character as u8),
        0x80..0x800 => out.extend(&[0xc0 | (character >> 6) as u8, low6(0)]),
        0x800..0x1_0000 => out.extend(&[0xe0 | (character >> 12) as u8, low6(6), low6(0)]),
        _ => out.extend(&[0xf0 | (character >> 18 & 0x07) as u8, low6(12), low6(6), low6(0)]),
    }
}

/// The bytes before the first NUL: text as a C string, which many functions read.
#[inline]
pub fn until_nul(text: &[u8]) -> &[u8] {
    match memchr::memchr(0, text) {
        Some(end) => bytes::up_to(text, end),
        None => text,
    }
}

/// The length of the beginning of `text` that is ASCII without NUL.
#[inline]
pub fn plain_len(text: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; WORD_LEN]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; WORD_LEN]);
    let mut rest = text;
    while let Some((word, behind)) = rest.split_first_chunk() {
        let word = u64::from_ne_bytes(*word);
        // A byte of 0 borrows from the one above it.
        if (word | word.wrapping_sub(ONES)) & HIGHS != 0 {
            break;
        }
        rest = behind;
    }
    let tail = rest.iter().take_while(|&&byte| matches!(byte, 1..0x80)).count();
    text.len() - rest.len() + tail
}

/// The number of characters before the first NUL, as [`count`] counts them.
#[inline]
pub fn count_until_nul(text: &[u8]) -> usize {
    let plain = plain_len(text);
    // What follows ASCII counts as it does at the beginning.
    if plain == text.len() { plain } else { plain + count(until_nul(bytes::after(text, plain))) }
}

/// The length in bytes of the character at the start of `text`, which is not empty, as `substr` and `length` count
/// characters: any byte that is not ASCII takes the continuations behind it, so that a run of stray ones is one
/// character.
#[inline]
pub(crate) fn char_len(text: &[u8]) -> usize {
    match text {
        [0..=0x7f, ..] => 1,
        _ => 1 + bytes::after(text, 1).iter().take_while(|&&byte| is_continuation(byte)).count(),
    }
}

/// The number of characters, as [`char_len`] delimits them.
pub fn count(text: &[u8]) -> usize {
    let mut starts = 0;
    // A byte that is not a continuation begins a character; a continuation does so after ASCII, or at the beginning.
    let mut after_ascii = true;
    let mut rest = text;
    while let Some((word, behind)) = rest.split_first_chunk::<16>() {
        if word.is_ascii() {
            starts += word.len();
            after_ascii = true;
        } else {
            starts += count_starts(word, &mut after_ascii);
        }
        rest = behind;
    }
    starts + count_starts(rest, &mut after_ascii)
}

#[inline]
fn count_starts(text: &[u8], after_ascii: &mut bool) -> usize {
    let mut starts = 0;
    for &byte in text {
        starts += usize::from(!is_continuation(byte) | *after_ascii);
        *after_ascii = byte < 0x80;
    }
    starts
}

/// The number of bytes that are read together.
const WORD_LEN: usize = size_of::<u64>();

/// The offset of the character number `index`, the first being 0; the length of `text` if there are fewer characters.
pub fn offset(text: &[u8], index: usize) -> usize {
    if index >= text.len() {
        return text.len(); // a character has at least one byte
    }
    let (mut at, mut left) = (0, index);
    // Eight bytes of ASCII are eight characters.
    while left >= WORD_LEN
        && let Some(word) = bytes::after(text, at).first_chunk::<WORD_LEN>()
        && word.is_ascii()
    {
        (at, left) = (at + WORD_LEN, left - WORD_LEN);
    }
    while left > 0 && at < text.len() {
        at += char_len(bytes::after(text, at));
        left -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], character: u32, len: usize) {
        assert_eq!(decode(text), Some((character, len)), "{text:x?}");
    }

    #[test]
    fn well_formed() {
        for character in ['a', '\0', '\u{7f}', '\u{80}', 'ä', '€', '\u{fffe}', '\u{ffff}', '😀', '\u{10ffff}'] {
            let mut text = [0; 5];
            let len = character.encode_utf8(&mut text).len();
            text[len] = b'x';
            check(&text[..=len], u32::from(character), len);
        }
    }

    #[test]
    fn malformed() {
        check(b"\x80\x80", 0x80, 1);
        check(b"\xbf", 0xbf, 1);
        check(b"\xc0", REPLACEMENT, 1);
        check(b"\xc0\x80", REPLACEMENT, 2);
        check(b"\xc1\xa1", REPLACEMENT, 2);
        check(b"\xe0\x83\xa9", 0xe9, 3);
        check(b"\xed\xa0\x80", REPLACEMENT, 3);
        check(b"\xc3\xa9\xa9", 14953, 3);
        check(b"\xf4\x90\x80\x80", 0x11_0000, 4);
        check(b"\xf9\x80\x80\x80", 262_144, 4);
        check(b"\xfc\x80\x80\x80", REPLACEMENT, 4);
        check(b"\xfd\x80\x80\x80", 262_144, 4);
        check(b"\xff\xbf", REPLACEMENT, 2);
    }

    #[test]
    fn counting() {
        for (text, characters) in [
            (&b""[..], 0),
            (b"abc", 3),
            ("äöü€😀".as_bytes(), 5),
            (b"\x80\x80\x80", 1),
            (b"A\x80\x80", 2),
            (b"\x80\xc3\xa9", 2),
            (b"\x80\x80A\x80", 3),
            (b"\xc3\x80\x80\x80\xc1", 2),
            ("0123456789abcdeä0123456789abcdefä".as_bytes(), 33),
        ] {
            assert_eq!(count(text), characters, "{text:x?}");
            assert_eq!(offset(text, characters), text.len());
        }
        assert_eq!(offset("aäb".as_bytes(), 2), 3);
        // The offset depends only on the characters before it, whatever they are.
        let pieces: [&[u8]; 4] = [b"abcdefghi", "ä€😀".as_bytes(), b"\x80\x81", b"x"];
        for order in 0..4usize.pow(4) {
            let text: Vec<u8> =
                (0..4).flat_map(|place| pieces[order / 4usize.pow(place) % 4].iter().copied()).collect();
            let mut at = 0;
            for index in 0..=text.len() {
                assert_eq!(offset(&text, index), at, "{text:x?}, {index}");
                at += if at < text.len() { char_len(&text[at..]) } else { 0 };
            }
        }
    }
}
