//! INSERT statements.

use std::io::{self, Write};

use lithe::{Row, ValueRef};

use super::{Printer, Style, text};
use crate::quote;

pub struct Insert<'s> {
    style: &'s Style,
    columns: Vec<String>,
}

impl<'s> Insert<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Insert<'s> {
        Insert { style, columns }
    }
}

impl Printer for Insert<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        write!(out, "INSERT INTO {}", quote::identifier(&self.style.insert_table))?;
        if self.style.has_titles() {
            let names: Vec<String> = self.columns.iter().map(|name| quote::identifier(name)).collect();
            write!(out, "({})", names.join(","))?;
        }
        out.write_all(b" VALUES(")?;
        for i in 0..row.column_count() {
            out.write_all(if i > 0 { b"," } else { b"" })?;
            match row.get_ref(i) {
                ValueRef::Null => out.write_all(b"NULL")?, // whatever NULL is to look like elsewhere
                value => out.write_all(&text::shown(self.style, value))?,
            }
        }
        out.write_all(b");\n")
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
