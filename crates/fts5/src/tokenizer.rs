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

    /// Which patterns its tokens can find.
    fn patterns(&self) -> Patterns {
        Patterns::None
    }
}

/// Which patterns an index can find that has trigrams for tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patterns {
    /// None.
    #[default]
    None,
    /// Those of GLOB: capital and small letters differ.
    Glob,
    /// Those of LIKE and GLOB.
    LikeAndGlob,
}

/// Makes tokenizers from the words behind their name.
pub type Constructor = dyn Fn(&dyn SqlConnection, &[String]) -> Result<Box<dyn Tokenizer>> + Send + Sync;
