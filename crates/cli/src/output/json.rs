//! JSON: an array of objects, or one object on each line.

use std::io::{self, Write};

use lithe::Row;

use super::style::Layout;
use super::{Printer, Style, text};

pub struct Json<'s> {
    style: &'s Style,
    columns: Vec<String>,
    has_begun: bool,
}

impl<'s> Json<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Json<'s> {
        Json { style, columns, has_begun: false }
    }
}

impl Printer for Json<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        let is_array = self.style.mode.layout == Layout::Json;
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        out.write_all(match (is_array, has_begun) {
            (true, true) => b",\n{",
            (true, false) => b"[{",
            (false, _) => b"{",
        })?;
        for (i, name) in self.columns.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(out, "{comma}{}:", text::json(name.chars()))?;
            match row.get_ref(i) {
                lithe::ValueRef::Null => out.write_all(b"null")?,
                value => out.write_all(&text::shown(self.style, value))?,
            }
        }
        out.write_all(if is_array { b"}" } else { b"}\n" })
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.has_begun && self.style.mode.layout == Layout::Json { out.write_all(b"]\n") } else { Ok(()) }
    }
}
