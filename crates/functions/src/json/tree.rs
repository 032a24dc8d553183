//! A JSON value as a tree. Numbers and strings keep their original bytes, so that unchanged parts are written out unchanged.

use std::borrow::Cow;

use lithe_value::buffer::OutOfMemory;

use super::output::{self, Output};

/// How deep arrays and objects may be nested.
pub const DEPTH_MAX: usize = 1000;

/// How the bytes of a string are to be interpreted; each variant is a JSONB element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// No escapes: the bytes are the string, in JSON and in SQL.
    None,
    /// Those of JSON.
    Json,
    /// Those of JSON5, among them bytes that JSON does not allow in strings.
    Json5,
    /// The bytes are the string in SQL, and need escapes in JSON.
    Raw,
}

/// A string, without its quotes.
#[derive(Debug)]
pub struct Text<'a> {
    /// How `bytes` is to be interpreted.
    pub escapes: Escapes,
    /// The bytes.
    pub bytes: Cow<'a, [u8]>,
}

/// A JSON value.
#[derive(Debug)]
pub enum Json<'a> {
    /// null
    Null,
    /// true
    True,
    /// false
    False,
    /// An integer in decimal digits.
    Integer(Cow<'a, [u8]>),
    /// A hexadecimal integer.
    Hex(Cow<'a, [u8]>),
    /// A number with a fraction or an exponent.
    Real(Cow<'a, [u8]>),
    /// A number without a digit before or after its point.
    BareReal(Cow<'a, [u8]>),
    /// A string.
    Text(Text<'a>),
    /// An array.
    Array(Vec<Json<'a>>),
    /// An object, its labels in the order as written.
    Object(Vec<(Text<'a>, Json<'a>)>),
    /// The end of a JSONB array or object that cannot be decoded. A function that does not read this part does not fail.
    Damaged(&'a [u8]),
    /// JSONB that was made of a text, and so is sound: a part that is passed on as it is needs no tree.
    Binary(&'a [u8]),
}

impl<'a> Json<'a> {
    /// A copy.
    ///
    /// # Errors
    /// If the memory for the copy cannot be allocated.
    pub fn try_clone(&self) -> Result<Json<'a>, OutOfMemory> {
        Ok(match self {
            Json::Null => Json::Null,
            Json::True => Json::True,
            Json::False => Json::False,
            Json::Integer(digits) => Json::Integer(try_clone(digits)?),
            Json::Hex(digits) => Json::Hex(try_clone(digits)?),
            Json::Real(digits) => Json::Real(try_clone(digits)?),
            Json::BareReal(digits) => Json::BareReal(try_clone(digits)?),
            Json::Text(text) => Json::Text(text.try_clone()?),
            Json::Array(items) => Json::Array(output::collect(items.iter().map(Json::try_clone))?),
            Json::Object(members) => {
                let copies = members.iter().map(|(label, value)| Ok((label.try_clone()?, value.try_clone()?)));
                Json::Object(output::collect(copies)?)
            }
            Json::Damaged(bytes) => Json::Damaged(bytes),
            Json::Binary(bytes) => Json::Binary(bytes),
        })
    }
}

impl<'a> Text<'a> {
    /// The bytes of an SQL text, escaped where JSON requires it.
    pub fn from_sql(text: &'a [u8]) -> Result<Text<'a>, OutOfMemory> {
        if !text.iter().any(|&byte| needs_escape(byte)) {
            return Ok(Text { escapes: Escapes::None, bytes: Cow::Borrowed(text) });
        }
        let mut bytes = Output::default();
        text.iter().for_each(|&byte| push_escaped(byte, &mut bytes));
        Ok(Text { escapes: Escapes::Json, bytes: Cow::Owned(bytes.finish()?.into_vec()) })
    }

    /// The string without escapes.
    pub fn to_sql(&self) -> Result<Cow<'_, [u8]>, OutOfMemory> {
        Ok(match self.escapes {
            Escapes::None | Escapes::Raw => Cow::Borrowed(&self.bytes),
            Escapes::Json | Escapes::Json5 => {
                let mut out = Vec::new();
                out.try_reserve_exact(self.bytes.len()).map_err(|_| OutOfMemory)?;
                unescape(&self.bytes, |bytes| out.extend_from_slice(bytes));
                if ends_in_continued_line(&self.bytes) {
                    out.push(0); // as in SQLite
                }
                Cow::Owned(out)
            }
        })
    }

    /// Whether the string without escapes is `other`.
    pub fn is(&self, other: &[u8]) -> bool {
        if matches!(self.escapes, Escapes::None | Escapes::Raw) {
            return *self.bytes == *other;
        }
        let mut rest = Some(other);
        unescape(&self.bytes, |bytes| rest = rest.and_then(|rest| rest.strip_prefix(bytes)));
        rest.is_some_and(<[u8]>::is_empty)
    }

    /// A copy.
    ///
    /// # Errors
    /// If the memory for the copy cannot be allocated.
    pub fn try_clone(&self) -> Result<Text<'a>, OutOfMemory> {
        Ok(Text { escapes: self.escapes, bytes: try_clone(&self.bytes)? })
    }
}

fn try_clone<'a>(bytes: &Cow<'a, [u8]>) -> Result<Cow<'a, [u8]>, OutOfMemory> {
    Ok(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(*bytes),
        Cow::Owned(bytes) => Cow::Owned(output::copy(bytes)?),
    })
}

/// Whether JSON requires an escape for the byte.
pub fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Appends the byte to `out`, escaped if JSON requires it.
pub fn push_escaped(byte: u8, out: &mut Output) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        0..0x20 => {
            out.extend(format!("\\u{byte:04x}").as_bytes());
            return;
        }
        _ => {
            out.push(byte);
            return;
        }
    };
    out.extend(&[b'\\', letter]);
}

/// Decodes one escape of JSON or JSON5, without its backslash: the character (`None` for a line continuation), and the length of
/// the escape in bytes.
pub fn escape(bytes: &[u8]) -> Option<(Option<u32>, usize)> {
    let hex = |bytes: Option<&[u8]>| {
        let bytes = bytes.filter(|bytes| bytes.iter().all(u8::is_ascii_hexdigit))?;
        u32::from_str_radix(std::str::from_utf8(bytes).ok()?, 16).ok()
    };
    let plain = |character: u8| Some((Some(u32::from(character)), 1));
    match *bytes.first()? {
        character @ (b'"' | b'\\' | b'/' | b'\'') => plain(character),
        b'b' => plain(8),
        b'f' => plain(12),
        b'n' => plain(b'\n'),
        b'r' => plain(b'\r'),
        b't' => plain(b'\t'),
        b'v' => plain(11),
        b'0' if !bytes.get(1).is_some_and(u8::is_ascii_digit) => plain(0),
        b'x' => Some((Some(hex(bytes.get(1..3))?), 3)),
        b'u' => Some((Some(hex(bytes.get(1..5))?), 5)),
        b'\r' if bytes.get(1) == Some(&b'\n') => Some((None, 2)),
        b'\r' | b'\n' => Some((None, 1)),
        0xe2 if matches!(bytes.get(1..3), Some([0x80, 0xa8 | 0xa9])) => Some((None, 3)),
        _ => None,
    }
}

/// Whether JSON itself has the escape that begins with this byte.
pub fn is_plain_escape(first: u8) -> bool {
    matches!(first, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u')
}

/// Whether the text ends with a line continuation.
fn ends_in_continued_line(bytes: &[u8]) -> bool {
    let is_last = |end: &&[u8]| bytes.ends_with(end);
    let end = [&b"\\\n"[..], b"\\\r\n", b"\\\r", b"\\\xe2\x80\xa8", b"\\\xe2\x80\xa9"].into_iter().find(is_last);
    let before = end.and_then(|end| bytes.strip_suffix(end));
    before.is_some_and(|before| before.iter().rev().take_while(|&&byte| byte == b'\\').count().is_multiple_of(2))
}

/// Calls `out` with the decoded string, piece by piece. A decoded escape is never longer than the escape itself.
fn unescape(bytes: &[u8], mut out: impl FnMut(&[u8])) {
    let mut rest = bytes;
    while let Some((plain, behind)) = memchr::memchr(b'\\', rest).and_then(|at| rest.split_at_checked(at)) {
        out(plain);
        rest = behind.get(1..).unwrap_or_default();
        // Escapes were validated by the parser: only damaged JSONB contains invalid ones.
        let Some((character, len)) = escape(rest) else { continue };
        rest = rest.get(len..).unwrap_or_default();
        let Some(mut character) = character else { continue };
        if (0xd800..0xdc00).contains(&character)
            && let Some((Some(low @ 0xdc00..=0xdfff), len)) = rest.strip_prefix(b"\\").and_then(escape)
        {
            character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
            rest = rest.get(1 + len..).unwrap_or_default();
        }
        utf8(character, &mut out);
    }
    out(rest);
}

/// A character in UTF-8. Half of a surrogate pair is encoded, too.
fn utf8(character: u32, out: &mut impl FnMut(&[u8])) {
    match char::from_u32(character) {
        Some(character) => out(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out(&[
            0xe0 | (character >> 12) as u8,
            0x80 | (character >> 6 & 0x3f) as u8,
            0x80 | (character & 0x3f) as u8,
        ]),
    }
}
