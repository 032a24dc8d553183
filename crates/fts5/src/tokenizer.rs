//! Text to tokens.
//!
//! A [`Tokenizer`] hands each token of a text to a sink, with the bytes of the text that it stands for. Tokenizers that wrap
//! others ([`porter`]) change tokens on their way.

use std::ops::Range;

use lithe_vtab::SqlConnection;

use crate::Result;

pub mod ascii;
pub mod porter;
pub mod trigram;
pub mod unicode61;

/// The tokenizer of tables that name none.
pub const DEFAULT: &str = "unicode61";

/// The purpose for which a text is tokenized, by the bits of `FTS5_TOKENIZE_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A string of a query.
    Query = 1,
    /// A string of a query whose last token is a prefix.
    QueryPrefix = 3,
    /// A document.
    Document = 4,
    /// An auxiliary function asks for the tokens.
    Auxiliary = 8,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its text as the index has it.
    pub text: &'t [u8],
    /// The bytes of the document that the token covers.
    pub range: Range<usize>,
    /// The token has the position of the token before it (FTS5_TOKEN_COLOCATED).
    pub is_colocated: bool,
}

/// The answer of a sink: whether the tokenizer continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The sink takes another token.
    More,
    /// The sink takes no more tokens.
    Enough,
}

/// Receives the tokens of a text.
pub type Sink<'s> = dyn FnMut(Token<'_>) -> Result<Flow> + 's;

/// Cuts texts into tokens.
pub trait Tokenizer: Send + Sync {
    /// Passes the tokens of a text to `sink`, in order.
    ///
    /// # Errors
    /// The errors of the sink, and of a tokenizer of the application.
    fn tokenize(&self, text: &[u8], purpose: Purpose, locale: Option<&[u8]>, sink: &mut Sink<'_>) -> Result;

    /// The patterns that the tokens can find.
    fn patterns(&self) -> Patterns {
        Patterns::None
    }
}

/// The patterns that an index of trigrams can find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patterns {
    /// None.
    #[default]
    None,
    /// The patterns of GLOB, which distinguish capital and small letters.
    Glob,
    /// The patterns of LIKE and GLOB.
    LikeAndGlob,
}

/// Makes tokenizers from the words behind their name.
pub type Constructor = dyn Fn(&dyn SqlConnection, &[String]) -> Result<Box<dyn Tokenizer>> + Send + Sync;
