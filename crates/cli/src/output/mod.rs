//! How rows are shown: one room a family of modes.
//!
//! | room | modes |
//! | --- | --- |
//! | `separated` | list, csv, tabs, ascii, quote |
//! | `aligned` | column, box, table, markdown |
//! | `line` | line |
//! | `json`, `html`, `insert` | the modes of those names |

mod aligned;
mod html;
mod insert;
mod json;
mod line;
mod separated;
mod text;

use std::io::{self, Write};

use lithe::{Row, Value};

use crate::settings::Settings;

/// The output modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Ascii,
    Box,
    Column,
    Csv,
    Html,
    Insert,
    Json,
    Line,
    List,
    Markdown,
    Quote,
    Table,
    Tabs,
}

/// The modes by name.
pub const MODES: &[(&str, Mode)] = &[
    ("ascii", Mode::Ascii),
    ("box", Mode::Box),
    ("column", Mode::Column),
    ("csv", Mode::Csv),
    ("html", Mode::Html),
    ("insert", Mode::Insert),
    ("json", Mode::Json),
    ("line", Mode::Line),
    ("list", Mode::List),
    ("markdown", Mode::Markdown),
    ("quote", Mode::Quote),
    ("table", Mode::Table),
    ("tabs", Mode::Tabs),
];

impl Mode {
    /// The mode of that name; an unambiguous beginning of it will do.
    pub fn named(name: &str) -> Option<Mode> {
        let exact = MODES.iter().find(|(n, _)| *n == name);
        let mut beginning = MODES.iter().filter(|(n, _)| !name.is_empty() && n.starts_with(name));
        let only = match (beginning.next(), beginning.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        };
        exact.or(only).map(|(_, mode)| *mode)
    }

    /// Whether the output is meant to be read by people, so that a query plan may be drawn as a tree.
    pub fn is_for_people(self) -> bool {
        matches!(self, Mode::List | Mode::Column | Mode::Box | Mode::Table | Mode::Markdown | Mode::Line)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        MODES.iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }
}

/// Shows the rows of one statement.
pub trait Printer {
    /// The next row.
    fn row(&mut self, out: &mut dyn Write, row: &Row<'_>) -> io::Result<()>;
    /// After the last row.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// The printer for a statement with these columns.
pub fn printer<'s>(settings: &'s Settings, columns: Vec<String>) -> Box<dyn Printer + 's> {
    match settings.mode {
        Mode::List | Mode::Csv | Mode::Tabs | Mode::Ascii | Mode::Quote => {
            Box::new(separated::Separated::new(settings, columns))
        }
        Mode::Column | Mode::Box | Mode::Table | Mode::Markdown => Box::new(aligned::Aligned::new(settings, columns)),
        Mode::Line => Box::new(line::Lines::new(settings, columns)),
        Mode::Json => Box::new(json::Json::new(columns)),
        Mode::Html => Box::new(html::Html::new(settings, columns)),
        Mode::Insert => Box::new(insert::Insert::new(settings, columns)),
    }
}

/// The values of a row as texts, NULL as the settings say.
fn texts(settings: &Settings, row: &Row<'_>) -> Vec<String> {
    (0..row.column_count()).map(|i| text::shown(&Value::from(row.get_ref(i)), &settings.null)).collect()
}
