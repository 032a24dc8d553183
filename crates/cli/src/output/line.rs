//! One value on each line, after its column's name.

use std::io::{self, Write};

use lithe::Row;
use unicode_width::UnicodeWidthStr;

use super::aligned::{cut, shortened, wrapped};
use super::{Printer, Style, cell, text};

pub struct Lines<'s> {
    style: &'s Style,
    columns: Vec<String>,
    width: usize,
    has_begun: bool,
}

impl<'s> Lines<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Lines<'s> {
        let shown = |name: &String| {
            shortened(String::from_utf8_lossy(&text::title(style, name)).into_owned(), style.limits.title)
        };
        let columns: Vec<String> = columns.iter().map(shown).collect();
        let width = columns.iter().map(|name| name.width()).max().unwrap_or(0);
        Lines { style, columns, width, has_begun: false }
    }
}

impl Lines<'_> {
    /// A value after its name, in lines that fit the screen.
    fn write_wrapped(&self, out: &mut dyn Write, value: &[u8], columns: usize) -> io::Result<()> {
        let before = self.width + self.style.column_separator.width();
        let text = String::from_utf8_lossy(value);
        let width = columns.saturating_sub(before).max(1);
        let lines = if self.style.word_wrap { wrapped(&text, width, true) } else { cut(&text, width) };
        for (at, line) in lines.iter().enumerate() {
            if at > 0 {
                write!(out, "\n{}", " ".repeat(before))?;
            }
            out.write_all(line.trim_end().as_bytes())?;
        }
        Ok(())
    }
}

impl Printer for Lines<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            writeln!(out)?;
        }
        for (i, name) in self.columns.iter().enumerate() {
            let separator = &self.style.column_separator;
            write!(out, "{}{name}{separator}", " ".repeat(self.width - name.width()))?;
            let value = cell(self.style, row.get_ref(i));
            match self.style.screen_columns() {
                Some(columns) => self.write_wrapped(out, &value, columns)?,
                None => out.write_all(&value)?,
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
