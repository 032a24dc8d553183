//! One value a line, the names in front.

use std::io::{self, Write};

use lithe::Row;
use unicode_width::UnicodeWidthStr;

use super::{Printer, Style, cell, text};

pub struct Lines<'s> {
    style: &'s Style,
    columns: Vec<String>,
    width: usize,
    has_begun: bool,
}

/// Names are aligned to at least this width.
const NAME_WIDTH_MIN: usize = 5;

impl<'s> Lines<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Lines<'s> {
        let shown = |name: &String| String::from_utf8_lossy(&text::title(style, name)).into_owned();
        let columns: Vec<String> = columns.iter().map(shown).collect();
        let width = columns.iter().map(|name| name.width()).max().unwrap_or(0).max(NAME_WIDTH_MIN);
        Lines { style, columns, width, has_begun: false }
    }
}

impl Printer for Lines<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            writeln!(out)?;
        }
        for (i, name) in self.columns.iter().enumerate() {
            write!(out, "{}{name} = ", " ".repeat(self.width - name.width()))?;
            out.write_all(&cell(self.style, row.get_ref(i)))?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
