//! The output modes: a module for each family of layouts.
//!
//! | module | subject |
//! | --- | --- |
//! | `style` | the modes by name, and the user's options for one |
//! | `text` | values as texts: quotes, BLOBs, control characters |
//! | `number` | numbers in a format of the user |
//! | `separated` | list, csv, tabs, ascii, quote, tcl |
//! | `aligned` | column, box, qbox, table, markdown |
//! | `split` | split |
//! | `line` | line |
//! | `json`, `html`, `insert` | the modes of those names |
//! | `tally` | count, off |

mod aligned;
mod html;
mod insert;
mod json;
mod line;
pub mod number;
mod separated;
mod split;
pub mod style;
mod tally;
pub mod text;

use std::borrow::Cow;
use std::io::{self, Write};

use lithe::{Row, ValueRef};

pub use style::{Layout, Mode, Style, Titles};

/// Shows the rows of one statement.
pub trait Printer {
    /// The next row.
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()>;
    /// After the last row.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// The printer for a statement with these columns.
pub fn printer<'s>(style: &'s Style, columns: Vec<String>) -> Box<dyn Printer + 's> {
    let printer = printer_of_layout(style, columns);
    match style.row_count {
        true => Box::new(Counted { printer, rows: 0, is_insert: style.mode.layout == Layout::Insert }),
        false => printer,
    }
}

fn printer_of_layout<'s>(style: &'s Style, columns: Vec<String>) -> Box<dyn Printer + 's> {
    match style.mode.layout {
        Layout::Separated => Box::new(separated::Separated::new(style, columns)),
        Layout::Column | Layout::Box | Layout::Table | Layout::Markdown => {
            Box::new(aligned::Aligned::new(style, columns))
        }
        Layout::Split => split::printer(style, columns),
        Layout::Line => Box::new(line::Lines::new(style, columns)),
        Layout::Json | Layout::JsonLines => Box::new(json::Json::new(style, columns)),
        Layout::Html => Box::new(html::Html::new(style, columns)),
        Layout::Insert => Box::new(insert::Insert::new(style, columns)),
        Layout::Count => Box::new(tally::Tally::new(true)),
        Layout::Off => Box::new(tally::Tally::new(false)),
    }
}

/// Prints the number of rows after them.
struct Counted<'s> {
    printer: Box<dyn Printer + 's>,
    rows: u64,
    is_insert: bool,
}

impl Printer for Counted<'_> {
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        self.rows += 1;
        self.printer.row(out, row)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.printer.end(out)?;
        let (rows, plural) = (self.rows, if self.rows == 1 { "" } else { "s" });
        match self.is_insert {
            true => writeln!(out, "/* {rows} row{plural} inserted */"),
            false => writeln!(out, "({rows} row{plural})"),
        }
    }
}

/// A value in the form of mode `list`.
pub fn plain(value: ValueRef<'_>) -> Vec<u8> {
    text::shown(&Style::default(), value).into_owned()
}

/// A value, truncated to the limits of the style.
fn cell<'v>(style: &Style, value: ValueRef<'v>) -> Cow<'v, [u8]> {
    let shown = text::shown(style, value);
    let limits = style.limits;
    if limits.characters == 0 && limits.lines == 0 {
        return shown;
    }
    let text = String::from_utf8_lossy(&shown);
    let within = |limit: usize, mut ends: Box<dyn Iterator<Item = usize> + '_>| match limit {
        0 => text.len(),
        _ => ends.nth(limit - 1).unwrap_or(text.len()),
    };
    let characters = within(limits.characters, Box::new(text.char_indices().map(|(at, c)| at + c.len_utf8())));
    let lines = within(limits.lines, Box::new(text.match_indices('\n').map(|(at, _)| at)));
    let end = characters.min(lines);
    if end == text.len() {
        return shown;
    }
    let dots = if lines < characters { "\n..." } else { "..." };
    Cow::Owned(format!("{}{dots}", &text[..end]).into_bytes())
}
