//! One value a line, the names in front.

use std::io::{self, Write};

use lithe::Row;

use super::{Printer, text, texts};
use crate::settings::Settings;

pub struct Lines<'s> {
    settings: &'s Settings,
    columns: Vec<String>,
    width: usize,
    has_begun: bool,
}

/// Names are aligned to at least this width.
const NAME_WIDTH_MIN: usize = 5;

impl<'s> Lines<'s> {
    pub fn new(settings: &'s Settings, columns: Vec<String>) -> Lines<'s> {
        let width = columns.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(NAME_WIDTH_MIN);
        Lines { settings, columns, width, has_begun: false }
    }
}

impl Printer for Lines<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            writeln!(out)?;
        }
        for (name, value) in self.columns.iter().zip(texts(self.settings, row)) {
            writeln!(out, "{name:>width$} = {}", text::harmless(&value), width = self.width)?;
        }
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
