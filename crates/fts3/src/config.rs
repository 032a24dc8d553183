//! The arguments of CREATE VIRTUAL TABLE.
//!
//! ```text
//!   argument := name type…              a column
//!             | tokenize[=]words        the tokenizer
//!             | option=value            FTS4 only
//! ```

use lithe_vtab::FunctionError;

use crate::doclist::Order;
use crate::{Result, words};

/// The arguments of CREATE VIRTUAL TABLE, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// FTS4, which stores sizes and has options.
    pub is_fts4: bool,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// Which of them have no terms in the index.
    pub not_indexed: Vec<bool>,
    /// The tokenizer's name and its arguments.
    pub tokenizer: Vec<String>,
    /// The lengths of the prefix indexes, in bytes.
    pub prefixes: Vec<usize>,
    /// Whether `x_docsize` is left out (`matchinfo=fts3`).
    pub has_no_sizes: bool,
    /// The functions through which content is written and read.
    pub compression: Option<Compression>,
    /// The order of docids in doclists.
    pub order: Order,
    /// Where documents are stored.
    pub content: Content,
    /// The hidden column with the language.
    pub language: Option<String>,
}

/// The functions through which content is written and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Applied to a value when it is written.
    pub compress: String,
    /// Applied to a value when it is read.
    pub uncompress: String,
}

/// Where documents are stored.
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

/// The arguments as they are read, before they are checked.
#[derive(Default)]
struct Arguments {
    columns: Vec<String>,
    tokenizer: Option<Vec<u8>>,
    prefix: Option<String>,
    compress: Option<String>,
    uncompress: Option<String>,
    content: Option<String>,
    language: Option<String>,
    not_indexed: Vec<String>,
    has_no_sizes: bool,
    order: Order,
}

impl Config {
    /// Reads the arguments. `columns_of` names the columns of a content table; `make_tokenizer` is called with the words of the tokenizer
    /// where they stand among the arguments, because the first argument that is wrong is reported.
    ///
    /// # Errors
    /// SQLite's messages, and those of `columns_of` and `make_tokenizer`.
    pub fn parse(
        is_fts4: bool,
        arguments: &[&str],
        columns_of: &dyn Fn(&str) -> Result<Vec<String>>,
        make_tokenizer: &mut dyn FnMut(&[String]) -> Result,
    ) -> Result<Config> {
        let mut read = Arguments::default();
        for argument in arguments {
            let had_tokenizer = read.tokenizer.is_some();
            read.read(argument, is_fts4)?;
            if let Some(words) = read.tokenizer.as_deref().filter(|_| !had_tokenizer) {
                make_tokenizer(&tokenizer_words(words))?;
            }
        }
        let content = match &read.content {
            None => Content::Own,
            Some(name) if name.is_empty() => Content::None,
            Some(name) => Content::External(name.clone()),
        };
        if content != Content::Own {
            (read.compress, read.uncompress) = (None, None);
        }
        if let (Content::External(name), true) = (&content, read.columns.is_empty()) {
            read.columns = columns_of(name)?;
            let language = read.language.as_deref().unwrap_or_default();
            if let Some(at) = read.columns.iter().position(|column| column.eq_ignore_ascii_case(language)) {
                read.columns.remove(at);
            }
        }
        if read.columns.is_empty() {
            read.columns.push("content".to_owned());
        }
        let tokenizer = tokenizer_words(read.tokenizer.as_deref().unwrap_or(b"simple"));
        let prefixes = prefixes(read.prefix.as_deref())?;
        let not_indexed = not_indexed(&read.columns, read.not_indexed)?;
        let missing = |what: &str| FunctionError::new(format!("missing {what} parameter in fts4 constructor"));
        let compression = match (read.compress, read.uncompress) {
            (None, None) => None,
            (Some(compress), Some(uncompress)) => Some(Compression { compress, uncompress }),
            (None, Some(_)) => return Err(missing("compress")),
            (Some(_), None) => return Err(missing("uncompress")),
        };
        Ok(Config {
            is_fts4,
            columns: read.columns,
            not_indexed,
            tokenizer,
            prefixes,
            has_no_sizes: read.has_no_sizes,
            compression,
            order: read.order,
            content,
            language: read.language,
        })
    }

    /// Whether rows have their sizes in `x_docsize`.
    pub fn has_sizes(&self) -> bool {
        self.is_fts4 && !self.has_no_sizes
    }

    /// Whether documents are in `x_content`.
    pub fn has_own_content(&self) -> bool {
        self.content == Content::Own
    }

    /// Whether a column has terms in the index.
    pub fn is_indexed(&self, column: usize) -> bool {
        !self.not_indexed.get(column).copied().unwrap_or(false)
    }
}

impl Arguments {
    fn read(&mut self, argument: &str, is_fts4: bool) -> Result {
        const TOKENIZE: usize = "tokenize".len();
        let bytes = argument.as_bytes();
        let is_tokenize = bytes.get(..TOKENIZE).is_some_and(|start| start.eq_ignore_ascii_case(b"tokenize"));
        let separator = bytes.get(TOKENIZE).copied();
        if self.tokenizer.is_none() && is_tokenize && separator.is_some_and(|byte| !words::is_identifier(byte)) {
            self.tokenizer = bytes.get(TOKENIZE + 1..).map(<[u8]>::to_vec);
            return Ok(());
        }
        if let Some((key, value)) = argument.split_once('=').filter(|_| is_fts4) {
            let value = String::from_utf8_lossy(&words::dequoted(value.as_bytes())).into_owned();
            return self.set(argument, key, value);
        }
        let word = words::next(bytes, &mut 0).map(words::dequoted).unwrap_or_default();
        self.columns.push(String::from_utf8_lossy(&word).into_owned());
        Ok(())
    }

    fn set(&mut self, argument: &str, key: &str, value: String) -> Result {
        match key.to_ascii_lowercase().as_str() {
            "matchinfo" if value.eq_ignore_ascii_case("fts3") => self.has_no_sizes = true,
            "matchinfo" => return Err(FunctionError::new(format!("unrecognized matchinfo: {value}"))),
            "prefix" => self.prefix = Some(value),
            "compress" => self.compress = Some(value),
            "uncompress" => self.uncompress = Some(value),
            "order" if value.eq_ignore_ascii_case("asc") => self.order = Order::Ascending,
            "order" if value.eq_ignore_ascii_case("desc") => self.order = Order::Descending,
            "order" => return Err(FunctionError::new(format!("unrecognized order: {value}"))),
            "content" => self.content = Some(value),
            "languageid" => self.language = Some(value),
            "notindexed" => self.not_indexed.push(value),
            _ => return Err(FunctionError::new(format!("unrecognized parameter: {argument}"))),
        }
        Ok(())
    }
}

/// The words after `tokenize`.
pub fn tokenizer_words(text: &[u8]) -> Vec<String> {
    let mut at = 0;
    let words = std::iter::from_fn(|| words::next(text, &mut at));
    words.map(|word| String::from_utf8_lossy(&words::dequoted(word)).into_owned()).collect()
}

/// The lengths in a list: numbers with one byte between them. A length of 0 is ignored.
fn prefixes(list: Option<&str>) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    let Some(list) = list.filter(|list| !list.is_empty()) else { return Ok(found) };
    let wrong = || FunctionError::new(format!("error parsing prefix parameter: {list}"));
    let count = 1 + list.bytes().filter(|byte| *byte == b',').count();
    let mut rest = list.as_bytes();
    for _ in 0..count {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, behind) = rest.split_at_checked(digits).ok_or_else(wrong)?;
        if number.is_empty() {
            return Err(wrong());
        }
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<usize>().ok());
        found.extend(number.filter(|number| (1..=i32::MAX as usize).contains(number)));
        rest = behind.get(1..).unwrap_or_default();
    }
    Ok(found)
}

fn not_indexed(columns: &[String], mut names: Vec<String>) -> Result<Vec<bool>> {
    let mut is_left_out = |column: &String| {
        let found = names.iter().position(|name| name.eq_ignore_ascii_case(column));
        let mut is_left_out = false;
        if found.is_some() {
            names.retain(|name| !name.eq_ignore_ascii_case(column));
            is_left_out = true;
        }
        is_left_out
    };
    let flags = columns.iter().map(&mut is_left_out).collect();
    match names.first() {
        Some(name) => Err(FunctionError::new(format!("no such column: {name}"))),
        None => Ok(flags),
    }
}
