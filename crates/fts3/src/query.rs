//! The text of a MATCH.
//!
//! ```text
//!   query   := query OR query | query [AND] query | query NOT query | phrase NEAR[/n] phrase | ( query ) | phrase
//!   phrase  := [column:] token | "token token …"            token := [^] text [*]
//! ```
//!
//! NEAR binds tightest, then NOT, AND, OR; all are left-associative. Keywords are in capitals. The table's tokenizer splits all text that
//! is not keyword, parenthesis or quote.

mod balance;
mod parser;

use std::sync::Arc;

use lithe_value::buffer::OutOfMemory;
use lithe_vtab::{FunctionError, Lossy, code};

use crate::Result;
use crate::tokenizer::Tokenizer;

/// The greatest depth of a query's tree.
pub const DEPTH_MAX: usize = 12;

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A phrase.
    Phrase(Phrase),
    /// The second phrase is near the last phrase of the first expression, which is a phrase or a NEAR itself: at most that many tokens are
    /// between them.
    Near(Box<Expr>, Phrase, i64),
    /// The first expression matches, the second does not.
    Not(Box<Expr>, Box<Expr>),
    /// Both match.
    And(Box<Expr>, Box<Expr>),
    /// At least one matches.
    Or(Box<Expr>, Box<Expr>),
}

/// Tokens that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The tokens.
    pub tokens: Vec<QueryToken>,
    /// The column that must have them.
    pub column: Option<usize>,
}

/// A token. Copies of it share the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueryToken {
    /// Its text.
    pub text: Arc<Vec<u8>>,
    /// `*`: matches every token with this prefix.
    pub is_prefix: bool,
    /// `^`: matches only the first token of a column.
    pub is_first: bool,
    /// Its doclist is not read: the documents that have the other tokens are searched for it.
    pub is_deferred: bool,
}

/// The settings with which a query is parsed.
pub struct Dialect<'d> {
    /// The tokenizer of its texts.
    pub tokenizer: &'d dyn Tokenizer,
    /// The language of its texts.
    pub language: i32,
    /// The names of the columns.
    pub columns: &'d [String],
    /// The column that is searched where the query names none.
    pub column: Option<usize>,
    /// Whether `^` has a meaning.
    pub is_fts4: bool,
}

/// Why a text cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wrong {
    /// Syntax error.
    Malformed,
    /// Its tree is too deep.
    TooDeep,
    /// The tokenizer has failed.
    Tokenizer(FunctionError),
}

impl From<OutOfMemory> for Wrong {
    fn from(error: OutOfMemory) -> Wrong {
        Wrong::Tokenizer(error.into())
    }
}

/// Parses a query. None if it has no tokens.
///
/// # Errors
/// SQLite's messages; those of the tokenizer.
pub fn parse(text: &[u8], dialect: &Dialect<'_>) -> Result<Option<Expr>> {
    let tree = parser::parse(text, dialect).and_then(|tree| tree.map(balance::balanced).transpose());
    tree.map_err(|wrong| match wrong {
        Wrong::Malformed => {
            FunctionError::quoting(code::ERROR, format_args!("malformed MATCH expression: [{}]", Lossy(text)))
        }
        Wrong::TooDeep => FunctionError::new(format!("FTS expression tree is too large (maximum depth {DEPTH_MAX})")),
        Wrong::Tokenizer(error) => error,
    })
}

#[cfg(test)]
mod tests;
