//! The arguments of CREATE VIRTUAL TABLE … USING rtree(id, min0, max0, …, +auxiliary …).

use crate::bounds::{CoordinateType, MAX_DIMENSIONS};
use crate::error::{Error, Result};

/// The most arguments.
const ARGUMENTS_MAX: usize = 100;

/// The columns of an R-Tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The names as they are written: of the id and of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of auxiliary columns as they are written.
    pub auxiliary: Vec<String>,
}

impl Columns {
    /// Parses the arguments.
    ///
    /// # Errors
    /// If there are too few or too many of them, or they are in the wrong order.
    pub fn parse(arguments: &[&[u8]]) -> Result<Columns> {
        let too_few = || Error::new("Too few columns for an rtree table");
        let too_many = || Error::new("Too many columns for an rtree table");
        if arguments.len() > ARGUMENTS_MAX {
            return Err(too_many());
        }
        if arguments.len() < 3 {
            return Err(too_few());
        }
        let mut columns = Columns { coordinates: Vec::new(), auxiliary: Vec::new() };
        for (at, argument) in arguments.iter().enumerate() {
            match argument.strip_prefix(b"+") {
                Some(name) if at > 0 => columns.auxiliary.push(first_token(name)),
                _ if !columns.auxiliary.is_empty() => return Err(Error::new("Auxiliary rtree columns must be last")),
                _ => columns.coordinates.push(first_token(argument)),
            }
        }
        // An argument that is not a name is reported before the columns are counted, because SQLite declares the table first.
        if let Some(bad) = columns.coordinates.iter().chain(&columns.auxiliary).find(|name| !is_name(name)) {
            let near = if bad.trim().is_empty() { ")" } else { bad };
            return Err(Error::new(format!("near \"{near}\": syntax error")));
        }
        match columns.coordinates.len() - 1 {
            ..2 => Err(too_few()),
            count if count > 2 * MAX_DIMENSIONS => Err(too_many()),
            count if count % 2 == 1 => Err(Error::new("Wrong number of columns for an rtree table")),
            _ => Ok(columns),
        }
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.coordinates.len() / 2
    }

    /// The CREATE TABLE that declares the columns.
    pub fn declaration(&self, coordinates: CoordinateType) -> String {
        let kind = match coordinates {
            CoordinateType::Float => "REAL",
            CoordinateType::Integer => "INT",
        };
        let column = |(at, name): (usize, &String)| format!("{name} {}", if at == 0 { "INT" } else { kind });
        let all = self.coordinates.iter().enumerate().map(column).chain(self.auxiliary.iter().cloned());
        format!("CREATE TABLE x({})", all.collect::<Vec<_>>().join(","))
    }

    /// The name of a coordinate's column (0: the minimum of the first dimension) without quotes.
    pub fn name(&self, coordinate: usize) -> String {
        self.coordinates.get(coordinate + 1).map_or_else(String::new, |name| unquoted(name))
    }

    /// The name of the id without quotes.
    pub fn id_name(&self) -> String {
        self.coordinates.first().map_or_else(String::new, |name| unquoted(name))
    }
}

/// The first token of an argument. The rest, for example a type, is ignored.
fn first_token(text: &[u8]) -> String {
    let text = &*String::from_utf8_lossy(text);
    let close = match text.chars().next() {
        Some(quote @ ('"' | '`' | '\'')) => Some(quote),
        Some('[') => Some(']'),
        _ => None,
    };
    let end = match close {
        Some(close) => end_of_quoted(text, close),
        None => text
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()))
            .unwrap_or(text.len()),
    };
    // White space is a token, too.
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\x0c' | '\r');
    let end = match text.chars().next() {
        Some(c) if end == 0 && is_space(c) => text.find(|c| !is_space(c)).unwrap_or(text.len()),
        Some(c) if end == 0 => c.len_utf8(),
        _ => end,
    };
    text.get(..end).unwrap_or_default().to_owned()
}

/// Whether a token can be the name of a column, keywords aside.
fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '"' | '`' | '\'' | '[') || !c.is_ascii())
}

/// Where a quoted name ends; a doubled quote within it stands for one.
fn end_of_quoted(text: &str, close: char) -> usize {
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        if c == close {
            match rest.peek() {
                Some((_, next)) if *next == close && close != ']' => _ = rest.next(),
                _ => return at + close.len_utf8(),
            }
        }
    }
    text.len()
}

fn unquoted(name: &str) -> String {
    let inner = |open: &str, close: &str| name.strip_prefix(open)?.strip_suffix(close).map(str::to_owned);
    let doubled = |quote: &str| inner(quote, quote).map(|name| name.replace(&quote.repeat(2), quote));
    doubled("\"")
        .or_else(|| doubled("`"))
        .or_else(|| doubled("'"))
        .or_else(|| inner("[", "]"))
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<String, String> {
        let arguments: Vec<&[u8]> = arguments.iter().map(|argument| argument.as_bytes()).collect();
        Columns::parse(&arguments)
            .map(|columns| columns.declaration(CoordinateType::Float))
            .map_err(|error| error.into_message().into_owned())
    }

    #[test]
    fn columns_and_what_is_wrong_with_them() {
        let declared = "CREATE TABLE x(id INT,a REAL,\"b c\" REAL,note)";
        assert_eq!(parse(&["id", "a INT", "\"b c\" whatever", "+note TEXT"]), Ok(declared.to_owned()));
        assert_eq!(parse(&["id", "a"]), Err("Too few columns for an rtree table".to_owned()));
        assert_eq!(parse(&["id", "a", "b", "c"]), Err("Wrong number of columns for an rtree table".to_owned()));
        assert_eq!(parse(&["id", "a", "+b", "c"]), Err("Auxiliary rtree columns must be last".to_owned()));
        assert_eq!(parse(&["id"; 12]), Err("Too many columns for an rtree table".to_owned()));
    }
}
