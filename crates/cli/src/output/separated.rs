//! Values with a separator between them: list, csv, tabs, ascii, quote, tcl.

use std::io::{self, Write};

use lithe::Row;

use super::{Printer, Style, Titles, text};

pub struct Separated<'s> {
    style: &'s Style,
    columns: Vec<String>,
    has_begun: bool,
}

impl<'s> Separated<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Separated<'s> {
        Separated { style, columns, has_begun: false }
    }
}

impl Separated<'_> {
    fn write_titles(&self, out: &mut dyn Write) -> io::Result<()> {
        for (i, name) in self.columns.iter().enumerate() {
            out.write_all(if i > 0 { self.style.column_separator.as_bytes() } else { b"" })?;
            out.write_all(&text::title(self.style, name))?;
        }
        out.write_all(self.style.row_separator.as_bytes())
    }
}

impl Printer for Separated<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        let style = self.style;
        let separator = |i: usize| if i > 0 { style.column_separator.as_bytes() } else { b"" };
        if !std::mem::replace(&mut self.has_begun, true) && style.has_titles() {
            self.write_titles(out)?;
        }
        for i in 0..row.column_count() {
            out.write_all(separator(i))?;
            out.write_all(&text::shown(style, row.get_ref(i)))?;
        }
        out.write_all(style.row_separator.as_bytes())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let is_wanted = !self.has_begun && self.style.titles() == Titles::Always;
        if is_wanted { self.write_titles(out) } else { Ok(()) }
    }
}
