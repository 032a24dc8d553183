//! Values with a separator between them: list, csv, tabs, ascii, quote.

use std::borrow::Cow;
use std::io::{self, Write};

use lithe::{Row, Value, ValueRef};

use super::{Mode, Printer, text};
use crate::quote;
use crate::settings::Settings;

pub struct Separated<'s> {
    settings: &'s Settings,
    columns: Vec<String>,
    has_begun: bool,
}

impl<'s> Separated<'s> {
    pub fn new(settings: &'s Settings, columns: Vec<String>) -> Separated<'s> {
        Separated { settings, columns, has_begun: false }
    }

    fn write(&self, out: &mut dyn Write, values: &[String]) -> io::Result<()> {
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                out.write_all(self.settings.column_separator.as_bytes())?;
            }
            out.write_all(value.as_bytes())?;
        }
        out.write_all(self.settings.row_separator.as_bytes())
    }

    fn field<'v>(&self, value: &'v str) -> Cow<'v, str> {
        match self.settings.mode {
            Mode::Csv => csv_field(value, &self.settings.column_separator),
            Mode::List => text::harmless(value),
            _ => Cow::Borrowed(value),
        }
    }
}

impl Printer for Separated<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        let is_quote = self.settings.mode == Mode::Quote;
        if !std::mem::replace(&mut self.has_begun, true) && self.settings.headers {
            let name = |name: &String| if is_quote { quote::string(name) } else { self.field(name).into_owned() };
            let names = self.columns.iter().map(name);
            self.write(out, &names.collect::<Vec<_>>())?;
        }
        if is_quote {
            let literals: Vec<String> = (0..row.column_count()).map(|i| quote::literal(row.get_ref(i))).collect();
            return self.write(out, &literals);
        }
        let fields = (0..row.column_count()).map(|i| match row.get_ref(i) {
            ValueRef::Null => self.settings.null.clone(), // never in quotes: those would make it an empty string
            value => self.field(&text::shown(&Value::from(value), "")).into_owned(),
        });
        self.write(out, &fields.collect::<Vec<_>>())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// In quotes if it holds the separator, a quote, a space, a control character or anything beyond ASCII: what
/// `sqlite3` quotes, so that scripts that compare outputs see the same.
fn csv_field<'v>(value: &'v str, separator: &str) -> Cow<'v, str> {
    let is_special = |b: u8| b <= b' ' || b >= 0x7f || matches!(b, b'"' | b'\'');
    if value.is_empty() || value.bytes().any(is_special) || (!separator.is_empty() && value.contains(separator)) {
        return Cow::Owned(format!("\"{}\"", value.replace('"', "\"\"")));
    }
    Cow::Borrowed(value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn csv_fields() {
        for (value, field) in [("a", "a"), ("a b", "\"a b\""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("", "\"\"")]
        {
            assert_eq!(super::csv_field(value, ","), field);
        }
    }
}
