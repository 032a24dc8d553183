//! Text to tokens.
//!
//! A [`Tokenizer`] hands each token of a text to a sink, with the bytes of the text that it stands for. Tokenizers that wrap
//! others ([`porter`]) change tokens on their way.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use lithe_vtab::{FunctionError, SqlConnection, code};

use crate::Result;
use crate::registry::Registry;

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

/// The tokenizer that a table's option `tokenize` names, with its arguments; the default if there is no name.
///
/// # Errors
/// `no such tokenizer: …`; `error in tokenizer constructor`.
pub fn make(connection: &dyn SqlConnection, words: &[String]) -> Result<Box<dyn Tokenizer>> {
    let (name, arguments) = words.split_first().map_or((DEFAULT, &[][..]), |(name, rest)| (name.as_str(), rest));
    let constructor = Registry::of(connection).tokenizer(name);
    let constructor = constructor.ok_or_else(|| FunctionError::new(format!("no such tokenizer: {name}")))?;
    constructor(connection, arguments).map_err(|error| match error.code {
        code::NOMEM => error,
        code => FunctionError::with_code(code, "error in tokenizer constructor"),
    })
}

/// Makes tokenizers from the words behind their name.
pub type Constructor = dyn Fn(&dyn SqlConnection, &[String]) -> Result<Box<dyn Tokenizer>> + Send + Sync;

/// The constructor of a tokenizer that is always there. It is always the same.
pub(crate) fn built_in(name: &str) -> Option<Arc<Constructor>> {
    static ALL: LazyLock<[(&str, Arc<Constructor>); 4]> = LazyLock::new(|| {
        [
            (DEFAULT, Arc::new(|_, arguments| Ok(Box::new(unicode61::Unicode61::new(arguments)?)))),
            ("ascii", Arc::new(|_, arguments| Ok(Box::new(ascii::Ascii::new(arguments)?)))),
            ("trigram", Arc::new(|_, arguments| Ok(Box::new(trigram::Trigram::new(arguments)?)))),
            ("porter", Arc::new(make_porter)),
        ]
    });
    let found = ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, constructor)| Arc::clone(constructor))
}

/// `porter` on top of the tokenizer that its first argument names, with the others.
fn make_porter(connection: &dyn SqlConnection, arguments: &[String]) -> Result<Box<dyn Tokenizer>> {
    let (name, rest) = arguments.split_first().map_or((DEFAULT, &[][..]), |(name, rest)| (name.as_str(), rest));
    let base = Registry::of(connection).tokenizer(name).ok_or_else(|| FunctionError::new(""))?;
    Ok(Box::new(porter::Porter::new(base(connection, rest)?)))
}
