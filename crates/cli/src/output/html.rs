//! Rows of an HTML table.

use std::borrow::Cow;
use std::io::{self, Write};

use lithe::Row;

use super::{Printer, Style, text};

pub struct Html<'s> {
    style: &'s Style,
    columns: Vec<String>,
    has_begun: bool,
}

impl<'s> Html<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Html<'s> {
        Html { style, columns, has_begun: false }
    }
}

fn write_row<'c>(out: &mut dyn Write, tag: &str, cells: impl Iterator<Item = Cow<'c, [u8]>>) -> io::Result<()> {
    write!(out, "<TR>")?;
    for cell in cells {
        write!(out, "<{tag}>")?;
        out.write_all(&cell)?;
        writeln!(out, "</{tag}>")?;
    }
    writeln!(out, "</TR>")
}

impl Printer for Html<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        let style = self.style;
        if !std::mem::replace(&mut self.has_begun, true) && style.has_titles() {
            write_row(out, "TH", self.columns.iter().map(|name| text::title(style, name)))?;
        }
        write_row(out, "TD", (0..row.column_count()).map(|i| text::shown(style, row.get_ref(i))))
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
