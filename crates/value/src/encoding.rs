//! The three encodings of text, and how SQLite converts between them.
//!
//! The engine works with UTF-8. A database may store UTF-16, and C programs may request it. No text is refused: UTF-16
//! that ends in half a character loses it, a surrogate takes any unit that follows as its other half, and a lone unit
//! is written as three bytes of UTF-8.

use crate::buffer::Buffer;
use crate::bytes;
use crate::utf8;

/// The encoding of a database's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-16, low byte first.
    Utf16le,
    /// UTF-16, high byte first.
    Utf16be,
}

impl Encoding {
    /// UTF-16 in the byte order of this machine.
    pub const UTF16_NATIVE: Encoding = if cfg!(target_endian = "big") { Encoding::Utf16be } else { Encoding::Utf16le };

    /// The name that PRAGMA encoding shows.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16le => "UTF-16le",
            Encoding::Utf16be => "UTF-16be",
        }
    }

    /// Appends `text`, which has this encoding, as UTF-8.
    pub fn decode(self, text: &[u8], out: &mut Buffer) {
        match self {
            Encoding::Utf8 => out.extend(text),
            Encoding::Utf16le => decode_utf16(text, u16::from_le_bytes, out),
            Encoding::Utf16be => decode_utf16(text, u16::from_be_bytes, out),
        }
    }

    /// Appends `text`, as an application passed it, as UTF-8. A byte order mark of UTF-16 decides the byte order and is
    /// dropped.
    pub fn decode_with_mark(self, text: &[u8], out: &mut Buffer) {
        let (encoding, text) = match (self, text) {
            (Encoding::Utf8, _) => (self, text),
            (_, [0xff, 0xfe, rest @ ..]) => (Encoding::Utf16le, rest),
            (_, [0xfe, 0xff, rest @ ..]) => (Encoding::Utf16be, rest),
            _ => (self, text),
        };
        encoding.decode(text, out);
    }

    /// Appends `text`, which is UTF-8, in this encoding.
    pub fn encode(self, text: &[u8], out: &mut Buffer) {
        match self {
            Encoding::Utf8 => out.extend(text),
            Encoding::Utf16le => encode_utf16(text, u16::to_le_bytes, out),
            Encoding::Utf16be => encode_utf16(text, u16::to_be_bytes, out),
        }
    }

    /// The length in bytes of the UTF-8 `text` in this encoding.
    pub fn encoded_len(self, text: &[u8]) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16le | Encoding::Utf16be => {
                characters(text).map(|character| if character < 0x1_0000 { 2 } else { 4 }).sum()
            }
        }
    }
}

fn characters(mut text: &[u8]) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let (character, len) = utf8::decode(text)?;
        text = bytes::after(text, len);
        Some(character)
    })
}

fn decode_utf16(text: &[u8], unit: fn([u8; 2]) -> u16, out: &mut Buffer) {
    out.reserve(text.len());
    let (pairs, _half) = text.as_chunks::<2>();
    let mut units = pairs.iter().map(|&pair| u32::from(unit(pair)));
    while let Some(first) = units.next() {
        if !is_surrogate(first) {
            utf8::encode(first, out);
            continue;
        }
        match units.next() {
            Some(second) => utf8::encode(0x1_0000 + ((first & 0x3ff) << 10) + (second & 0x3ff), out),
            None => utf8::encode(first, out),
        }
    }
}

fn is_surrogate(unit: u32) -> bool {
    (0xd800..0xe000).contains(&unit)
}

fn encode_utf16(text: &[u8], bytes: fn(u16) -> [u8; 2], out: &mut Buffer) {
    out.reserve(text.len().saturating_mul(2));
    for character in characters(text) {
        if let Ok(unit) = u16::try_from(character) {
            out.extend(&bytes(unit));
            continue;
        }
        // Numbers past U+10FFFF, which only malformed text yields, wrap as they do in SQLite.
        let offset = character - 0x1_0000;
        out.extend(&bytes(0xd800 | (offset >> 10 & 0x3ff) as u16));
        out.extend(&bytes(0xdc00 | (offset & 0x3ff) as u16));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn unhex(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// What SQLite answers when these bytes are bound as UTF-16 and read as UTF-8.
    #[track_caller]
    fn check_decode(encoding: Encoding, utf16: &str, utf8: &str) {
        let mut out = Buffer::new();
        encoding.decode_with_mark(&unhex(utf16), &mut out);
        assert_eq!(hex(out.as_slice()), utf8, "{utf16}");
    }

    /// What SQLite answers when these bytes are bound as UTF-8 and read as UTF-16.
    #[track_caller]
    fn check_encode(utf8: &str, utf16: &str) {
        let mut out = Buffer::new();
        Encoding::Utf16le.encode(&unhex(utf8), &mut out);
        assert_eq!(hex(out.as_slice()), utf16, "{utf8}");
        assert_eq!(Encoding::Utf16be.encoded_len(&unhex(utf8)) * 2, utf16.len());
    }

    #[test]
    fn from_utf16() {
        for (utf16, utf8) in [
            ("4100", "41"),
            ("4100e9", "41"),
            ("fffe4100", "41"),
            ("feff0041", "41"),
            ("00d8", "eda080"),
            ("00dc", "edb080"),
            ("00d800dc", "f0908080"),
            ("00d84100", "f0908181"),
            ("00dc00d8", "f0908080"),
            ("fdff", "efbfbd"),
            ("ffff", "efbfbf"),
            ("ffdfff", "edbfbf"),
            ("00004100", "0041"),
        ] {
            check_decode(Encoding::Utf16le, utf16, utf8);
        }
        check_decode(Encoding::Utf16be, "0041", "41");
        check_decode(Encoding::Utf16be, "fffe4100", "41");
    }

    #[test]
    fn to_utf16() {
        for (utf8, utf16) in [
            ("41", "4100"),
            ("80", "8000"),
            ("c1a1", "fdff"),
            ("eda080", "fdff"),
            ("efbfbe", "feff"),
            ("f09f9880", "3dd800de"),
            ("f4908080", "00d800dc"),
            ("f7bfbfbf", "bfdbffdf"),
            ("f8888080", "0080"),
            ("e28241", "82004100"),
            ("e282aca9", "cad929df"),
            ("f5808080", "c0d800dc"),
        ] {
            check_encode(utf8, utf16);
        }
    }
}
