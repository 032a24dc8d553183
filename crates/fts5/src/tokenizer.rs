//! Text to tokens.
//!
//! A [`Tokenizer`] hands each token of a text to a sink, with the bytes of the text that it stands for. Tokenizers that wrap
//! others ([`porter`]) change tokens on their way.

use std::ops::Range;

use lithe_vtab::{FunctionError, SqlConnection};

use crate::Result;

pub mod ascii;
pub mod porter;

/// What a text is tokenized for, by the bits of `FTS5_TOKENIZE_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A string of a query.
    Query = 1,
    /// A string of a query whose last token is a prefix.
    QueryPrefix = 3,
    /// A document.
    Document = 4,
    /// An auxiliary function wants it.
    Auxiliary = 8,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its text as the index has it.
    pub text: &'t [u8],
    /// The bytes of the document that it stands for.
    pub range: Range<usize>,
    /// It stands where the token before it stands (FTS5_TOKEN_COLOCATED).
    pub is_colocated: bool,
}

/// Whether there is to be a next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    More,
    /// That is enough.
    Enough,
}

/// Gets the tokens of a text.
pub type Sink<'s> = dyn FnMut(Token<'_>) -> Result<Flow> + 's;

/// Cuts texts into tokens.
pub trait Tokenizer: Send + Sync {
    /// Hands the tokens of a text to `sink`, in order.
    ///
    /// # Errors
    /// Those of the sink, and of a tokenizer that the application has made.
    fn tokenize(&self, text: &[u8], purpose: Purpose, locale: Option<&[u8]>, sink: &mut Sink<'_>) -> Result;
}

/// The tokenizer that a table's option `tokenize` names, with its arguments; the default if there is no name.
///
/// # Errors
/// `no such tokenizer: …`; `error in tokenizer constructor`.
pub fn make(connection: &dyn SqlConnection, words: &[String]) -> Result<Box<dyn Tokenizer>> {
    let _ = connection;
    let wrong = |_| FunctionError::new("error in tokenizer constructor");
    match words.split_first() {
        Some((name, arguments)) if name.eq_ignore_ascii_case("ascii") => {
            Ok(Box::new(ascii::Ascii::new(arguments).map_err(wrong)?))
        }
        Some((name, _)) => Err(FunctionError::new(format!("no such tokenizer: {name}"))),
        None => Err(FunctionError::new("not supported yet: the tokenizer unicode61")),
    }
}
