//! Modes without rows: `count` prints their number, `off` nothing.

use std::io::{self, Write};

use lithe::Row;

use super::Printer;

pub struct Tally {
    rows: u64,
    is_shown: bool,
}

impl Tally {
    pub fn new(is_shown: bool) -> Tally {
        Tally { rows: 0, is_shown }
    }
}

impl Printer for Tally {
    fn row(&mut self, _: &mut dyn Write, _: &Row<'_>) -> io::Result<()> {
        self.rows += 1;
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.is_shown { writeln!(out, "{} row{}", self.rows, if self.rows == 1 { "" } else { "s" }) } else { Ok(()) }
    }
}
