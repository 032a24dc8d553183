//! INSERT statements.

use std::io::{self, Write};

use lithe::{Row, ValueRef};

use super::{Printer, Style, text};
use crate::quote;

pub struct Insert<'s> {
    style: &'s Style,
    columns: Vec<String>,
    /// The length of the unfinished statement.
    open: usize,
}

/// The separator between the rows of a statement.
const BETWEEN_ROWS: &str = ",\n  ";

impl<'s> Insert<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Insert<'s> {
        Insert { style, columns, open: 0 }
    }
}

impl Printer for Insert<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        let mut values = b"(".to_vec();
        for i in 0..row.column_count() {
            values.extend_from_slice(if i > 0 { b"," } else { b"" });
            match row.get_ref(i) {
                ValueRef::Null => values.extend_from_slice(b"NULL"), // regardless of .nullvalue
                value => values.extend_from_slice(&text::shown(self.style, value)),
            }
        }
        values.push(b')');
        if self.open > 0 && self.open < self.style.multi_insert {
            out.write_all(BETWEEN_ROWS.as_bytes())?;
            self.open += BETWEEN_ROWS.len();
        } else {
            self.end(out)?;
            self.open += self.begin(out)?;
        }
        self.open += values.len();
        out.write_all(&values)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::take(&mut self.open) > 0 { out.write_all(b";\n") } else { Ok(()) }
    }
}

impl Insert<'_> {
    /// Begins a statement; answers its length so far.
    fn begin(&self, out: &mut dyn Write) -> io::Result<usize> {
        let mut text = format!("INSERT INTO {}", quote::identifier(&self.style.insert_table));
        if self.style.has_titles() {
            let names: Vec<String> = self.columns.iter().map(|name| quote::identifier(name)).collect();
            text.push_str(&format!("({})", names.join(",")));
        }
        text.push_str(" VALUES");
        out.write_all(text.as_bytes())?;
        Ok(text.len())
    }
}
