//! SQL literals and identifiers.

use lithe::ValueRef;

/// A value as an SQL literal that reads back as the same value.
pub fn literal(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) if real.is_infinite() => if real > 0.0 { "9.0e+999" } else { "-9.0e+999" }.to_owned(),
        ValueRef::Real(real) => lithe::real_to_text(real),
        ValueRef::Text(text) => string(&String::from_utf8_lossy(text)),
        ValueRef::Blob(blob) => blob_literal(blob),
    }
}

/// `X'00ff'`
pub fn blob_literal(blob: &[u8]) -> String {
    let digits: String = blob.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("X'{digits}'")
}

/// `'it''s'`
pub fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A string literal on one line: line ends are put in by replace() and char().
pub fn string_on_one_line(text: &str) -> String {
    let mut literal = string(text);
    for (end, code, placeholder) in [('\n', 10, "\\n"), ('\r', 13, "\\r")] {
        if !text.contains(end) {
            continue;
        }
        let placeholder = unused(text, placeholder);
        literal = format!("replace({},'{placeholder}',char({code}))", literal.replace(end, &placeholder));
    }
    literal
}

/// A text beginning as `wanted` that does not occur in `text`.
fn unused(text: &str, wanted: &str) -> String {
    if !text.contains(wanted) {
        return wanted.to_owned();
    }
    let numbered = (0..).map(|n| format!("({wanted}{n})"));
    numbered.into_iter().find(|candidate| !text.contains(candidate.as_str())).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(literal(ValueRef::Text(b"it's")), "'it''s'");
        assert_eq!(literal(ValueRef::Blob(&[0, 255])), "X'00ff'");
        assert_eq!(string_on_one_line("a\nb"), "replace('a\\nb','\\n',char(10))");
        assert_eq!(string_on_one_line("\\n\n"), "replace('\\n(\\n0)','(\\n0)',char(10))");
        assert_eq!(identifier("a_1"), "a_1");
        assert_eq!(identifier("1 a\"b"), "\"1 a\"\"b\"");
        assert_eq!(identifier("select"), "\"select\"");
    }
}
