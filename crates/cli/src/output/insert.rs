//! INSERT statements.

use std::io::{self, Write};

use lithe::Row;

use super::Printer;
use crate::quote;
use crate::settings::Settings;

pub struct Insert<'s> {
    settings: &'s Settings,
    columns: Vec<String>,
}

impl<'s> Insert<'s> {
    pub fn new(settings: &'s Settings, columns: Vec<String>) -> Insert<'s> {
        Insert { settings, columns }
    }
}

impl Printer for Insert<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        write!(out, "INSERT INTO {}", quote::identifier(&self.settings.insert_table))?;
        if self.settings.headers {
            let names: Vec<String> = self.columns.iter().map(|name| quote::identifier(name)).collect();
            write!(out, "({})", names.join(","))?;
        }
        let values: Vec<String> = (0..row.column_count()).map(|i| quote::literal(row.get_ref(i))).collect();
        writeln!(out, " VALUES({});", values.join(","))
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
