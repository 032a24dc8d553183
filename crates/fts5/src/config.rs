//! The arguments of CREATE VIRTUAL TABLE.
//!
//! ```text
//!   argument := name [UNINDEXED]           a column
//!             | option '=' value           an option, which may be shortened
//! ```
//!
//! A name or value is a bareword, or in quotes of any of SQL's kinds. Tokenizers are named here, not constructed.

use lithe_vtab::FunctionError;

use crate::{Result, is_bareword};

/// The largest number of prefix indexes, and the longest prefix.
const PREFIXES_MAX: usize = 31;
const PREFIX_LEN_MAX: u32 = 999;
/// The names of options, in the order in which a shortened one is looked up.
const OPTIONS: [&str; 10] = [
    "prefix",
    "tokenize",
    "content",
    "contentless_delete",
    "contentless_unindexed",
    "content_rowid",
    "columnsize",
    "locale",
    "detail",
    "tokendata",
];

/// The options of CREATE VIRTUAL TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The columns.
    pub columns: Vec<Column>,
    /// The prefix indexes: the number of characters of each.
    pub prefixes: Vec<u32>,
    /// The tokenizer's name and its arguments. Empty: the default.
    pub tokenizer: Vec<String>,
    /// Where the text of documents is stored.
    pub content: Content,
    /// The column of the content table that is the rowid.
    pub content_rowid: String,
    /// Whether the sizes of columns are stored.
    pub column_size: bool,
    /// Whether rows of a contentless table can be deleted.
    pub contentless_delete: bool,
    /// Whether a contentless table stores its unindexed columns.
    pub contentless_unindexed: bool,
    /// Whether values have locales.
    pub locale: bool,
    /// Whether tokens have data behind a NUL.
    pub token_data: bool,
    /// How much the index stores of a token's positions.
    pub detail: Detail,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Whether it is not UNINDEXED.
    pub is_indexed: bool,
}

/// Where the text of documents is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// In the shadow table `x_content`.
    #[default]
    Own,
    /// Nowhere.
    None,
    /// In a table or view of the application.
    External(String),
}

/// How much the index stores of a token's positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Columns and offsets.
    #[default]
    Full,
    /// Columns.
    Columns,
    /// Rows only.
    None,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            columns: Vec::new(),
            prefixes: Vec::new(),
            tokenizer: Vec::new(),
            content: Content::Own,
            content_rowid: "rowid".to_owned(),
            column_size: true,
            contentless_delete: false,
            contentless_unindexed: false,
            locale: false,
            token_data: false,
            detail: Detail::Full,
        }
    }
}

/// The options that were given, of those that may be given only once.
#[derive(Default)]
struct Seen {
    tokenizer: bool,
    content: bool,
    content_rowid: bool,
}

impl Config {
    /// Reads the arguments for the table of that name.
    ///
    /// # Errors
    /// SQLite's messages.
    pub fn parse(table: &str, arguments: &[&str]) -> Result<Config> {
        if table.eq_ignore_ascii_case("rank") {
            return Err(error(format!("reserved fts5 table name: {table}")));
        }
        let mut config = Config::default();
        let mut seen = Seen::default();
        for argument in arguments {
            match Argument::parse(argument).ok_or_else(|| error(format!("parse error in \"{argument}\"")))? {
                Argument::Column { name, option } => config.add_column(name, &option)?,
                Argument::Option { name, value } => config.set(&name, &value, &mut seen)?,
            }
        }
        config.check()?;
        Ok(config)
    }

    fn add_column(&mut self, name: String, option: &str) -> Result {
        if ["rank", "rowid"].iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return Err(error(format!("reserved fts5 column name: {name}")));
        }
        let is_indexed = option.is_empty();
        if !is_indexed && !option.eq_ignore_ascii_case("unindexed") {
            return Err(error(format!("unrecognized column option: {option}")));
        }
        self.columns.push(Column { name, is_indexed });
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str, seen: &mut Seen) -> Result {
        let is_meant = |option: &&&str| {
            let start = option.as_bytes().get(..name.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        };
        let option = OPTIONS.iter().find(is_meant).copied();
        match option.ok_or_else(|| error(format!("unrecognized option: \"{name}\"")))? {
            "prefix" => self.add_prefixes(value)?,
            "tokenize" => {
                once(&mut seen.tokenizer, "tokenize")?;
                self.tokenizer = words(value).ok_or_else(|| error("parse error in tokenize directive".to_owned()))?;
            }
            "content" => {
                once(&mut seen.content, "content")?;
                self.content = if value.is_empty() { Content::None } else { Content::External(value.to_owned()) };
            }
            "content_rowid" => {
                once(&mut seen.content_rowid, "content_rowid")?;
                self.content_rowid = value.to_owned();
            }
            "contentless_delete" => self.contentless_delete = flag(value, "contentless_delete")?,
            // SQLite names the other option.
            "contentless_unindexed" => self.contentless_unindexed = flag(value, "contentless_delete")?,
            "columnsize" => self.column_size = flag(value, "columnsize")?,
            "locale" => self.locale = flag(value, "locale")?,
            "tokendata" => self.token_data = flag(value, "tokendata")?,
            _ => self.detail = detail(value).ok_or_else(|| malformed("detail"))?,
        }
        Ok(())
    }

    /// Adds prefix indexes: numbers with spaces or one comma between them.
    fn add_prefixes(&mut self, value: &str) -> Result {
        let mut rest = value.trim_start_matches(' ');
        let mut is_first = true;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(',').filter(|_| !is_first) {
                rest = after.trim_start_matches(' ');
            }
            is_first = false;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, after) = rest.split_at_checked(digits).ok_or_else(|| malformed("prefix"))?;
            if number.is_empty() {
                return Err(malformed("prefix"));
            }
            if self.prefixes.len() == PREFIXES_MAX {
                return Err(error(format!("too many prefix indexes (max {PREFIXES_MAX})")));
            }
            let len = number.parse().ok().filter(|len| (1..=PREFIX_LEN_MAX).contains(len));
            let len = len.ok_or_else(|| error(format!("prefix length out of range (max {PREFIX_LEN_MAX})")))?;
            self.prefixes.push(len);
            rest = after.trim_start_matches(' ');
        }
        Ok(())
    }

    /// Checks the options that need each other.
    fn check(&self) -> Result {
        let is_contentless = self.content == Content::None;
        let wrong = if self.contentless_delete && !is_contentless {
            "contentless_delete=1 requires a contentless table"
        } else if self.contentless_delete && !self.column_size {
            "contentless_delete=1 is incompatible with columnsize=0"
        } else if self.contentless_unindexed && !is_contentless {
            "contentless_unindexed=1 requires a contentless table"
        } else {
            return Ok(());
        };
        Err(error(wrong.to_owned()))
    }
}

fn error(message: String) -> FunctionError {
    FunctionError::new(message)
}

fn malformed(option: &str) -> FunctionError {
    error(format!("malformed {option}=... directive"))
}

fn once(seen: &mut bool, option: &str) -> Result {
    if std::mem::replace(seen, true) {
        return Err(error(format!("multiple {option}=... directives")));
    }
    Ok(())
}

fn flag(value: &str, option: &str) -> Result<bool> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(malformed(option)),
    }
}

fn detail(value: &str) -> Option<Detail> {
    let known = [("full", Detail::Full), ("columns", Detail::Columns), ("none", Detail::None)];
    let is_meant = |name: &str| name.get(..value.len()).is_some_and(|start| start.eq_ignore_ascii_case(value));
    known.into_iter().find(|(name, _)| !value.is_empty() && is_meant(name)).map(|(_, detail)| detail)
}

enum Argument {
    Column { name: String, option: String },
    Option { name: String, value: String },
}

impl Argument {
    fn parse(text: &str) -> Option<Argument> {
        let text = text.trim_start_matches(' ');
        let is_quoted = !text.bytes().next().is_some_and(is_bareword);
        let (name, rest) = word(text)?;
        let (is_option, rest) = match rest.strip_prefix('=') {
            Some(rest) => (true, rest.trim_start_matches(' ')),
            None => (false, rest),
        };
        let (second, rest) = if rest.is_empty() { (String::new(), rest) } else { word(rest)? };
        match (is_option, rest.is_empty()) {
            (true, true) if !is_quoted => Some(Argument::Option { name, value: second }),
            (false, true) => Some(Argument::Column { name, option: second }),
            _ => None,
        }
    }
}

/// The word that a text begins with, and what follows it and the spaces behind it.
fn word(text: &str) -> Option<(String, &str)> {
    let first = text.chars().next()?;
    let (word, rest) = match first {
        '\'' | '"' | '`' => quoted(text, first)?,
        '[' => quoted(text, ']')?,
        _ => {
            let len = text.bytes().take_while(|byte| is_bareword(*byte)).count();
            let (word, rest) = text.split_at_checked(len)?;
            (word.to_owned(), rest)
        }
    };
    // A text that begins with neither a bareword's byte nor a quote is no word; an empty text in quotes is one.
    let is_word = !word.is_empty() || matches!(first, '\'' | '"' | '`' | '[');
    is_word.then(|| (word, rest.trim_start_matches(' ')))
}

/// A text in quotes, which ends at the first quote that is not doubled.
fn quoted(text: &str, close: char) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, char)) = chars.next() {
        if char == close && chars.next_if(|(_, next)| *next == close).is_none() {
            return text.get(at + char.len_utf8()..).map(|rest| (word, rest));
        }
        word.push(char);
    }
    None
}

/// Barewords and texts in single quotes, with spaces between them.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    while let Some(first) = rest.bytes().next() {
        if first != b'\'' && !is_bareword(first) {
            return None;
        }
        let (one, after) = word(rest)?;
        words.push(one);
        rest = after;
    }
    Some(words)
}

#[cfg(test)]
mod tests;
