//! Rows of an HTML table.

use std::io::{self, Write};

use lithe::Row;

use super::{Printer, texts};
use crate::settings::Settings;

pub struct Html<'s> {
    settings: &'s Settings,
    columns: Vec<String>,
    has_begun: bool,
}

impl<'s> Html<'s> {
    pub fn new(settings: &'s Settings, columns: Vec<String>) -> Html<'s> {
        Html { settings, columns, has_begun: false }
    }
}

fn write_row(out: &mut dyn Write, tag: &str, cells: &[String]) -> io::Result<()> {
    write!(out, "<TR>")?;
    for cell in cells {
        writeln!(out, "<{tag}>{}</{tag}>", escaped(cell))?;
    }
    writeln!(out, "</TR>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

impl Printer for Html<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_begun, true) && self.settings.headers {
            write_row(out, "TH", &self.columns)?;
        }
        write_row(out, "TD", &texts(self.settings, row))
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
