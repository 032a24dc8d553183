//! The text of a MATCH.
//!
//! ```text
//!   query   := query OR query | query [AND] query | query NOT query | phrase NEAR[/n] phrase | ( query ) | phrase
//!   phrase  := [column:] token | "token token …"            token := [^] text [*]
//! ```
//!
//! NEAR binds tightest, then NOT, AND, OR; all of them from left to right. Keywords are in capitals. What is neither keyword,
//! parenthesis nor quote is cut by the table's tokenizer.

mod balance;
mod parser;

use lithe_vtab::FunctionError;

use crate::Result;
use crate::tokenizer::Tokenizer;

/// How deep the tree of a query may be.
pub const DEPTH_MAX: usize = 12;

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A phrase.
    Phrase(Phrase),
    /// The second phrase is near the last phrase of the first expression, which is a phrase or NEAR itself: at most so many
    /// tokens are between them.
    Near(Box<Expr>, Phrase, i64),
    /// The first but not the second.
    Not(Box<Expr>, Box<Expr>),
    /// Both.
    And(Box<Expr>, Box<Expr>),
    /// One or both.
    Or(Box<Expr>, Box<Expr>),
}

/// Tokens that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The tokens.
    pub tokens: Vec<QueryToken>,
    /// The column in which they are.
    pub column: Option<usize>,
}

/// A token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueryToken {
    /// Its text.
    pub text: Vec<u8>,
    /// `*`: tokens may go on after it.
    pub is_prefix: bool,
    /// `^`: it is the first of its column.
    pub is_first: bool,
    /// Its doclist is not read: documents that have the other tokens are searched for it.
    pub is_deferred: bool,
}

/// What a query is read with.
pub struct Dialect<'d> {
    /// What cuts its texts.
    pub tokenizer: &'d dyn Tokenizer,
    /// The language of its texts.
    pub language: i32,
    /// The names of the columns.
    pub columns: &'d [String],
    /// The column that is searched where the query names none.
    pub column: Option<usize>,
    /// Whether `^` means something.
    pub is_fts4: bool,
}

/// Why a text is no query.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wrong {
    /// It makes no sense.
    Malformed,
    /// Its tree is too deep.
    TooDeep,
    /// The tokenizer has failed.
    Tokenizer(FunctionError),
}

/// Reads a query. None if there is nothing to search for.
///
/// # Errors
/// SQLite's messages; those of the tokenizer.
pub fn parse(text: &[u8], dialect: &Dialect<'_>) -> Result<Option<Expr>> {
    let tree = parser::parse(text, dialect).and_then(|tree| tree.map(balance::balanced).transpose());
    tree.map_err(|wrong| match wrong {
        Wrong::Malformed => {
            FunctionError::new(format!("malformed MATCH expression: [{}]", String::from_utf8_lossy(text)))
        }
        Wrong::TooDeep => FunctionError::new(format!("FTS expression tree is too large (maximum depth {DEPTH_MAX})")),
        Wrong::Tokenizer(error) => error,
    })
}

#[cfg(test)]
mod tests;
