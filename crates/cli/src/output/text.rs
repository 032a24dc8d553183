//! Values as texts: quotes, BLOBs, control characters.

use std::borrow::Cow;

use lithe::ValueRef;

use super::number;
use super::style::{BlobQuote, Escape, Mode, Quote, Style};
use crate::quote;

/// A value in the style's form. Bytes that are not UTF-8 are kept where the mode changes nothing.
pub fn shown<'v>(style: &Style, value: ValueRef<'v>) -> Cow<'v, [u8]> {
    match value {
        // In mode tcl, all values are quoted.
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) if style.mode.name == "tcl" => {
            let plain = Style { mode: Mode::known("list"), quote: Quote::Plain, ..style.clone() };
            Cow::Owned(tcl(&shown(&plain, value)).into_bytes())
        }
        ValueRef::Null => Cow::Owned(style.null().as_bytes().to_vec()),
        ValueRef::Integer(_) if let Some(text) = number::formatted(&style.integer_format, value) => {
            Cow::Owned(text.into_bytes())
        }
        ValueRef::Real(_) if let Some(text) = number::formatted(&style.real_format, value) => {
            Cow::Owned(text.into_bytes())
        }
        ValueRef::Integer(integer) => Cow::Owned(integer.to_string().into_bytes()),
        ValueRef::Real(_) if matches!(style.quote, Quote::Sql | Quote::Json) => {
            Cow::Owned(quote::literal(value).into_bytes())
        }
        ValueRef::Real(real) => Cow::Owned(lithe::real_to_text(real).into_bytes()),
        ValueRef::Text(bytes) => quoted(style, bytes),
        ValueRef::Blob(bytes) => blob(style, bytes),
    }
}

/// A column's name.
pub fn title<'v>(style: &Style, name: &'v str) -> Cow<'v, [u8]> {
    if let Some(quote) = style.title_quote {
        return quoted(&Style { quote, ..style.clone() }, name.as_bytes());
    }
    match style.quote {
        Quote::Relaxed => control_characters(style.escape, name.as_bytes()),
        _ if style.mode.name == "qbox" => control_characters(style.escape, name.as_bytes()),
        _ => quoted(style, name.as_bytes()),
    }
}

fn quoted<'v>(style: &Style, bytes: &'v [u8]) -> Cow<'v, [u8]> {
    match style.quote {
        Quote::Off => Cow::Borrowed(before_nul(bytes)),
        Quote::Plain => control_characters(style.escape, before_nul(bytes)),
        Quote::Relaxed if looks_like_another(style, bytes) => Cow::Owned(quote::text_literal(bytes).into_bytes()),
        Quote::Relaxed => control_characters(style.escape, before_nul(bytes)),
        Quote::Sql if style.escape == Escape::Off => {
            Cow::Owned(quote::string(&String::from_utf8_lossy(bytes)).into_bytes())
        }
        Quote::Sql if style.mode.name == "insert" => Cow::Owned(quote::text_literal_on_one_line(bytes).into_bytes()),
        Quote::Sql => Cow::Owned(quote::text_literal(bytes).into_bytes()),
        Quote::Csv => csv_field(before_nul(bytes), &style.column_separator),
        Quote::Html => Cow::Owned(html(&String::from_utf8_lossy(before_nul(bytes))).into_bytes()),
        Quote::Tcl => Cow::Owned(tcl(before_nul(bytes)).into_bytes()),
        Quote::Json => Cow::Owned(json(String::from_utf8_lossy(bytes).chars()).into_bytes()),
    }
}

fn blob<'v>(style: &Style, bytes: &'v [u8]) -> Cow<'v, [u8]> {
    if style.text_jsonb
        && let Some(json) = json_of_jsonb(bytes)
    {
        let shown = quoted(style, json.as_bytes()).into_owned();
        return Cow::Owned(match style.quote {
            Quote::Sql => [b"jsonb(", &shown[..], b")"].concat(), // SQL that gives the same value
            _ => shown,
        });
    }
    let how = match (style.blob, style.quote) {
        (BlobQuote::Auto, Quote::Sql | Quote::Relaxed) => BlobQuote::Sql,
        (BlobQuote::Auto, Quote::Json) => BlobQuote::Json,
        (BlobQuote::Auto, _) => BlobQuote::Text,
        (how, _) => how,
    };
    let text = match how {
        BlobQuote::Auto | BlobQuote::Text => return quoted(style, bytes),
        BlobQuote::Sql => quote::blob_literal(bytes),
        BlobQuote::Hex => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        BlobQuote::Tcl => format!("\"{}\"", bytes.iter().map(|byte| format!("\\{byte:03o}")).collect::<String>()),
        BlobQuote::Json => format!("\"{}\"", bytes.iter().map(|byte| format!("\\u{byte:04x}")).collect::<String>()),
        BlobQuote::Size => format!("({}-byte blob)", bytes.len()),
    };
    Cow::Owned(text.into_bytes())
}

/// The JSON text of a JSONB BLOB, converted by SQL in an own database.
fn json_of_jsonb(bytes: &[u8]) -> Option<String> {
    thread_local! {
        static SQL: Option<lithe::Connection> = lithe::Connection::open(":memory:").ok();
    }
    SQL.with(|sql| {
        let strictly = "SELECT json(?1) WHERE json_valid(?1, 8)";
        sql.as_ref()?.query_row(strictly, lithe::params![bytes], |row| row.get(0)).ok()
    })
}

/// A text up to its first NUL, for forms that have no length.
fn before_nul(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len())]
}

/// Whether a text could be read as a number, as NULL or as a BLOB.
fn looks_like_another(style: &Style, bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return true };
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) && text.parse::<f64>().is_ok();
    is_number || text.eq_ignore_ascii_case(style.null()) || text.starts_with("x'") || text.starts_with("X'")
}

/// Makes control characters visible, so that data cannot control the terminal. Line ends and tabs stay.
pub fn control_characters(escape: Escape, bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_harmful = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t');
    if escape == Escape::Off || !bytes.iter().any(is_harmful) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len() + 8);
    for byte in bytes {
        match escape {
            Escape::Symbol if is_harmful(byte) => {
                let symbol =
                    if *byte == 0x7f { '\u{2421}' } else { char::from_u32(0x2400 + u32::from(*byte)).unwrap_or('?') };
                out.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ if is_harmful(byte) => out.extend([b'^', byte ^ 0x40]),
            _ => out.push(*byte),
        }
    }
    Cow::Owned(out)
}

/// A field in quotes if it has the separator, a quote, a space, a control character or a character beyond ASCII: `sqlite3` quotes the same,
/// so that scripts that compare outputs work.
fn csv_field<'v>(value: &'v [u8], separator: &str) -> Cow<'v, [u8]> {
    let is_special = |b: &u8| *b <= b' ' || *b >= 0x7f || matches!(b, b'"' | b'\'');
    let separator = separator.as_bytes();
    let has_separator = !separator.is_empty() && value.windows(separator.len()).any(|part| part == separator);
    if !value.is_empty() && !value.iter().any(is_special) && !has_separator {
        return Cow::Borrowed(value);
    }
    let mut field = vec![b'"'];
    for byte in value {
        field.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
    }
    field.push(b'"');
    Cow::Owned(field)
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// A string literal of Tcl, C and similar languages: bytes beyond ASCII in octal.
fn tcl(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            0x0c => out.push_str("\\f"),
            b' '..=b'~' => out.push(char::from(*byte)),
            other => out.push_str(&format!("\\{other:03o}")),
        }
    }
    out.push('"');
    out
}

/// A JSON string.
pub fn json(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::from("\"");
    for c in chars {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(control_characters(Escape::Ascii, b"a\x1b[0m\tb\x7f"), &b"a^[[0m\tb^?"[..]);
        assert_eq!(control_characters(Escape::Symbol, b"\x01\x7f"), "\u{2401}\u{2421}".as_bytes());
    }

    #[test]
    fn csv_fields() {
        for (value, field) in [("a", "a"), ("a b", "\"a b\""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("", "\"\"")]
        {
            assert_eq!(csv_field(value.as_bytes(), ","), field.as_bytes());
        }
    }

    #[test]
    fn strings() {
        assert_eq!(json("a\"\\\n\u{1}ü".chars()), "\"a\\\"\\\\\\n\\u0001ü\"");
        assert_eq!(tcl("a\"\n\u{1}ü".as_bytes()), "\"a\\\"\\n\\001\\303\\274\"");
    }
}
