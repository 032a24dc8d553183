//! SQL literals and identifiers.

use lithe::ValueRef;

/// A value as an SQL literal that reads back as the same value.
pub fn literal(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) if real.is_infinite() => if real > 0.0 { "9.0e+999" } else { "-9.0e+999" }.to_owned(),
        ValueRef::Real(real) => lithe::real_to_text(real),
        ValueRef::Text(text) => text_literal_on_one_line(text),
        ValueRef::Blob(blob) => blob_literal(blob),
    }
}

/// `x'00ff'`
pub fn blob_literal(blob: &[u8]) -> String {
    let digits: String = blob.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{digits}'")
}

/// `'it''s'`
pub fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A literal without control characters other than line ends and tabs: it uses `unistr('…\u001b…')` for them.
pub fn text_literal(bytes: &[u8]) -> String {
    escaped(bytes, |byte| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t'))
}

/// A literal without any control characters.
pub fn text_literal_on_one_line(bytes: &[u8]) -> String {
    escaped(bytes, |byte| byte < b' ')
}

/// Escapes a text. A text that is not UTF-8 has no literal: it is a cast of its bytes.
fn escaped(bytes: &[u8], is_escaped: impl Fn(u8) -> bool) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return format!("CAST({} AS TEXT)", blob_literal(bytes)) };
    if !bytes.iter().any(|byte| is_escaped(*byte)) {
        return string(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) if is_escaped(byte) => out.push_str(&format!("\\u{byte:04x}")),
            Ok(b'\\') => out.push_str("\\\\"),
            _ => out.push(c),
        }
    }
    format!("unistr({})", string(&out))
}

/// A name, in double quotes if it needs them.
pub fn identifier(name: &str) -> String {
    let plain =
        name.bytes().enumerate().all(|(i, b)| b == b'_' || b.is_ascii_alphabetic() || (i > 0 && b.is_ascii_digit()));
    if plain && !name.is_empty() && !lithe::is_keyword(name) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Adds IF NOT EXISTS for a table whose name is quoted, as `sqlite3` does.
pub fn if_not_exists(sql: &str) -> String {
    match sql.strip_prefix("CREATE TABLE ") {
        Some(rest) if rest.starts_with(['"', '\'']) => format!("CREATE TABLE IF NOT EXISTS {rest}"),
        _ => sql.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(literal(ValueRef::Text(b"it's")), "'it''s'");
        assert_eq!(literal(ValueRef::Blob(&[0, 255])), "x'00ff'");
        assert_eq!(text_literal(b"a\nb"), "'a\nb'");
        assert_eq!(text_literal_on_one_line(b"a\nb\\"), "unistr('a\\u000ab\\\\')");
        assert_eq!(text_literal(b"a\0'"), "unistr('a\\u0000''')");
        assert_eq!(text_literal(b"caf\xe9"), "CAST(x'636166e9' AS TEXT)");
        assert_eq!(identifier("a_1"), "a_1");
        assert_eq!(identifier("1 a\"b"), "\"1 a\"\"b\"");
        assert_eq!(identifier("select"), "\"select\"");
    }
}
