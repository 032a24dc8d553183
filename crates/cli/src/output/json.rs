//! An array of objects.

use std::io::{self, Write};

use lithe::{Row, ValueRef};

use super::Printer;

pub struct Json {
    columns: Vec<String>,
    has_begun: bool,
}

impl Json {
    pub fn new(columns: Vec<String>) -> Json {
        Json { columns, has_begun: false }
    }
}

impl Printer for Json {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        out.write_all(if std::mem::replace(&mut self.has_begun, true) { b",\n{" } else { b"[{" })?;
        for (i, name) in self.columns.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(out, "{comma}{}:{}", string(name.chars()), value(row.get_ref(i)))?;
        }
        out.write_all(b"}")
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.has_begun { out.write_all(b"]\n") } else { Ok(()) }
    }
}

fn value(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        // JSON has no infinities: a number too large for a double reads back as one.
        ValueRef::Real(real) if real.is_infinite() => if real > 0.0 { "9.0e+999" } else { "-9.0e+999" }.to_owned(),
        ValueRef::Real(real) => lithe::real_to_text(real),
        ValueRef::Text(text) => string(String::from_utf8_lossy(text).chars()),
        // Bytes that are no text become the characters of the same numbers.
        ValueRef::Blob(blob) => string(blob.iter().map(|b| char::from(*b))),
    }
}

fn string(chars: impl Iterator<Item = char>) -> String {
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
    #[test]
    fn strings() {
        assert_eq!(super::string("a\"\\\n\u{1}ü".chars()), "\"a\\\"\\\\\\n\\u0001ü\"");
    }
}
