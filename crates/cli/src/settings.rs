//! What the user has set.

use crate::output::Mode;

/// Settings of a shell.
#[derive(Clone, Debug)]
pub struct Settings {
    pub mode: Mode,
    pub headers: bool,
    pub column_separator: String,
    pub row_separator: String,
    pub null: String,
    /// Column widths for the aligned modes: 0 fits the content, negative aligns to the right.
    pub widths: Vec<i32>,
    /// The table that mode `insert` names.
    pub insert_table: String,
    pub echo: bool,
    pub bail: bool,
    pub changes: bool,
    pub timer: bool,
    /// Show the query plan before each statement.
    pub eqp: bool,
    pub prompt: String,
    pub continuation: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            mode: Mode::List,
            headers: false,
            column_separator: "|".to_owned(),
            row_separator: "\n".to_owned(),
            null: String::new(),
            widths: Vec::new(),
            insert_table: "table".to_owned(),
            echo: false,
            bail: false,
            changes: false,
            timer: false,
            eqp: false,
            prompt: "lithe> ".to_owned(),
            continuation: "   ...> ".to_owned(),
        }
    }
}

impl Settings {
    /// Changes the mode, and with it the separators and headers that belong to it.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        let (column, row) = match mode {
            Mode::Csv => (",", "\r\n"),
            Mode::Tabs => ("\t", "\n"),
            Mode::Ascii => ("\x1f", "\x1e"),
            Mode::Quote => (",", "\n"),
            _ => ("|", "\n"),
        };
        self.column_separator = column.to_owned();
        self.row_separator = row.to_owned();
        if matches!(mode, Mode::Column | Mode::Box | Mode::Table | Mode::Markdown) {
            self.headers = true;
        }
    }
}
