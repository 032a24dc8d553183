//! The style of rows: the modes, and the options that `.mode` and its relatives set for one.

/// An output mode: a layout, and its default options.
#[derive(Debug)]
pub struct Mode {
    pub name: &'static str,
    pub layout: Layout,
    pub column_separator: &'static str,
    pub row_separator: &'static str,
    pub null: &'static str,
    pub quote: Quote,
    /// Whether column names are shown.
    pub titles: bool,
}

/// The layout of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Separated,
    Box,
    Table,
    Markdown,
    Column,
    Split,
    Line,
    Html,
    Json,
    /// One JSON object on each line.
    JsonLines,
    Insert,
    Count,
    Off,
}

/// The quotes and escapes of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// Texts are unchanged.
    Off,
    /// Only control characters are escaped.
    Plain,
    /// SQL literals for texts that look like other values: numbers, NULL, BLOBs.
    Relaxed,
    Sql,
    Csv,
    Html,
    Tcl,
    Json,
}

/// The quotes by name.
pub const QUOTES: &[(&str, Quote)] = &[
    ("csv", Quote::Csv),
    ("html", Quote::Html),
    ("json", Quote::Json),
    ("off", Quote::Plain),
    ("on", Quote::Sql),
    ("relaxed", Quote::Relaxed),
    ("sql", Quote::Sql),
    ("tcl", Quote::Tcl),
];

const fn separated(
    name: &'static str,
    column_separator: &'static str,
    row_separator: &'static str,
    null: &'static str,
    quote: Quote,
) -> Mode {
    Mode { name, layout: Layout::Separated, column_separator, row_separator, null, quote, titles: false }
}

const fn other(name: &'static str, layout: Layout, null: &'static str, quote: Quote, titles: bool) -> Mode {
    Mode { name, layout, column_separator: "|", row_separator: "\n", null, quote, titles }
}

const LINE: Mode = Mode { column_separator: ": ", ..other("line", Layout::Line, "", Quote::Plain, false) };

/// The modes by name.
pub static MODES: &[Mode] = &[
    separated("ascii", "\x1f", "\x1e", "", Quote::Off),
    separated("batch", "|", "\n", "", Quote::Plain),
    other("box", Layout::Box, "", Quote::Plain, true),
    separated("c", ",", "\n", "NULL", Quote::Tcl),
    other("column", Layout::Column, "", Quote::Plain, true),
    other("count", Layout::Count, "", Quote::Plain, false),
    separated("csv", ",", "\r\n", "", Quote::Csv),
    other("html", Layout::Html, "", Quote::Html, false),
    other("insert", Layout::Insert, "NULL", Quote::Sql, false),
    separated("jatom", ",", "\n", "null", Quote::Json),
    other("jobject", Layout::JsonLines, "null", Quote::Json, false),
    other("json", Layout::Json, "null", Quote::Json, false),
    LINE,
    separated("list", "|", "\n", "", Quote::Plain),
    other("markdown", Layout::Markdown, "", Quote::Plain, true),
    other("off", Layout::Off, "", Quote::Plain, false),
    other("psql", Layout::Table, "", Quote::Plain, true),
    other("qbox", Layout::Box, "NULL", Quote::Sql, true),
    separated("quote", ",", "\n", "NULL", Quote::Sql),
    other("split", Layout::Split, "", Quote::Plain, false),
    other("table", Layout::Table, "", Quote::Plain, true),
    separated("tabs", "\t", "\n", "", Quote::Off),
    separated("tcl", " ", "\n", "", Quote::Tcl),
    other("tty", Layout::Box, "NULL", Quote::Relaxed, true),
];

impl Mode {
    /// The mode of that name; an unambiguous prefix suffices.
    pub fn named(name: &str) -> Option<&'static Mode> {
        let exact = MODES.iter().find(|mode| mode.name == name);
        let mut beginning = MODES.iter().filter(|mode| !name.is_empty() && mode.name.starts_with(name));
        let only = match (beginning.next(), beginning.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        };
        exact.or(only)
    }

    /// A mode whose name is a literal in this program.
    ///
    /// # Panics
    /// If the table has no such mode.
    pub fn known(name: &'static str) -> &'static Mode {
        Mode::named(name).expect("the table has this mode")
    }

    /// Whether the output is for human readers, so that a query plan may be drawn as a tree.
    pub fn is_for_people(&self) -> bool {
        matches!(self.quote, Quote::Plain | Quote::Relaxed) || self.name == "qbox"
    }
}

/// When column names are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Titles {
    Off,
    /// Only with rows.
    On,
    Always,
}

impl Titles {
    /// The name for `.mode --titles` and `.headers`.
    pub fn name(self) -> &'static str {
        match self {
            Titles::Off => "off",
            Titles::On => "on",
            Titles::Always => "always",
        }
    }
}

/// The alignment of a value in a wider column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Center,
    Right,
}

/// The width that a table must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// No limit.
    Any,
    /// The width of the terminal, if there is one.
    Terminal,
    Columns(usize),
}

/// The representation of control characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// `^X`
    Ascii,
    /// U+2400 and following
    Symbol,
    /// Unchanged.
    Off,
}

impl Escape {
    /// The representation of that name.
    pub fn named(name: &str) -> Result<Escape, String> {
        Ok(match name {
            "auto" | "ascii" => Escape::Ascii,
            "symbol" => Escape::Symbol,
            "off" => Escape::Off,
            _ => return Err(format!("unknown escape: {name}")),
        })
    }
}

/// The representation of BLOBs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobQuote {
    /// Follows the quotes of texts.
    Auto,
    Text,
    Sql,
    Hex,
    Tcl,
    Json,
    Size,
}

/// The greatest length of a value that is shown in full; 0 means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub lines: usize,
    pub characters: usize,
    pub title: usize,
}

/// The default limits on a terminal.
pub const LIMITS_ON: Limits = Limits { lines: 5, characters: 300, title: 20 };

/// The default length of a multi-row INSERT on a terminal, in bytes.
const MULTI_INSERT_ON_TERMINAL: usize = 3000;

/// The style of rows.
#[derive(Clone, Debug)]
pub struct Style {
    pub mode: &'static Mode,
    /// The user's choice; None means the mode's default.
    pub titles: Option<Titles>,
    /// The quotes of column names; None means those of the mode.
    pub title_quote: Option<Quote>,
    /// Whether the number of rows is shown after them.
    pub row_count: bool,
    /// In mode `insert`, the length up to which rows are put into one statement, in bytes.
    pub multi_insert: usize,
    /// The formats of integers and reals, as in SQL's `format()`; empty for none.
    pub integer_format: String,
    pub real_format: String,
    pub column_separator: String,
    pub row_separator: String,
    /// The user's text for NULL; None means the mode's.
    pub null: Option<String>,
    pub quote: Quote,
    pub blob: BlobQuote,
    pub escape: Escape,
    /// Column widths: 0 means that of the content, a negative one aligns to the right.
    pub widths: Vec<i32>,
    pub align: Vec<Align>,
    /// The width at which columns are wrapped; 0 means never.
    pub wrap: usize,
    /// Whether lines are wrapped only between words, however short they become.
    pub word_wrap: bool,
    pub limits: Limits,
    pub screen: Screen,
    /// Whether a table has outer lines.
    pub border: bool,
    /// Whether JSONB BLOBs are shown as JSON text.
    pub text_jsonb: bool,
    /// The table's name in mode `insert`.
    pub insert_table: String,
}

impl Default for Style {
    fn default() -> Style {
        let mode = Mode::known("list");
        Style {
            mode,
            titles: None,
            title_quote: None,
            row_count: false,
            multi_insert: 0,
            integer_format: String::new(),
            real_format: String::new(),
            column_separator: mode.column_separator.to_owned(),
            row_separator: mode.row_separator.to_owned(),
            null: None,
            quote: mode.quote,
            blob: BlobQuote::Auto,
            escape: Escape::Ascii,
            widths: Vec::new(),
            align: Vec::new(),
            wrap: 0,
            word_wrap: false,
            limits: Limits::default(),
            screen: Screen::Any,
            border: true,
            text_jsonb: false,
            insert_table: "table".to_owned(),
        }
    }
}

impl Style {
    /// Sets the mode, with its default options. The user's choices for titles, NULL and widths stay.
    pub fn set_mode(&mut self, mode: &'static Mode) {
        let is_terminal = mode.name == "tty";
        *self = Style {
            mode: match mode.name {
                "tty" => Mode::known("qbox"),
                "batch" => Mode::known("list"),
                _ => mode,
            },
            titles: self.titles,
            title_quote: self.title_quote,
            row_count: mode.name == "psql",
            multi_insert: if is_terminal { MULTI_INSERT_ON_TERMINAL } else { 0 },
            word_wrap: mode.layout == Layout::Line,
            column_separator: mode.column_separator.to_owned(),
            row_separator: mode.row_separator.to_owned(),
            null: self.null.take(),
            quote: mode.quote,
            widths: std::mem::take(&mut self.widths),
            limits: if is_terminal { LIMITS_ON } else { Limits::default() },
            screen: if is_terminal { Screen::Terminal } else { Screen::Any },
            border: mode.name != "psql",
            text_jsonb: is_terminal,
            ..Style::default()
        };
    }

    /// When column names are shown.
    pub fn titles(&self) -> Titles {
        self.titles.unwrap_or(if self.mode.titles { Titles::Always } else { Titles::Off })
    }

    /// Whether column names are shown above rows.
    pub fn has_titles(&self) -> bool {
        self.titles() != Titles::Off
    }

    pub fn null(&self) -> &str {
        match &self.null {
            Some(null) if self.mode.name != "quote" => null, // in mode quote, NULL is SQL like every value
            _ => self.mode.null,
        }
    }

    /// The greatest width of a table, in columns of the terminal.
    pub fn screen_columns(&self) -> Option<usize> {
        match self.screen {
            Screen::Any => None,
            Screen::Terminal => console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns)),
            Screen::Columns(columns) => Some(columns),
        }
    }
}
