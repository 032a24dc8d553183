//! Tokenizers: what cuts texts into tokens.

pub mod porter;
pub mod simple;
pub mod unicode61;

use std::ops::Range;
use std::sync::Arc;

use lithe_vtab::{FunctionError, SqlConnection};

use crate::Result;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its text as the index has it.
    pub text: &'t [u8],
    /// The bytes of the document that it stands for.
    pub range: Range<usize>,
    /// How many positions are in front of it.
    pub position: i64,
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
    /// Hands the tokens of a text in that language to `sink`, in order.
    ///
    /// # Errors
    /// Those of the sink, and of a tokenizer that the application has made.
    fn tokenize(&self, text: &[u8], language: i32, sink: &mut Sink<'_>) -> Result;
}

/// Makes tokenizers from the words behind their name.
pub type Constructor = dyn Fn(&dyn SqlConnection, &[String]) -> Result<Box<dyn Tokenizer>> + Send + Sync;

/// The names of the tokenizers that are always there.
const BUILT_IN: [&str; 3] = ["simple", "porter", "unicode61"];

/// The constructor of a tokenizer that is always there.
pub fn built_in(name: &str) -> Option<Arc<Constructor>> {
    let name = *BUILT_IN.iter().find(|known| **known == name)?;
    Some(Arc::new(move |_, arguments| make_built_in(name, arguments)))
}

/// A tokenizer that is always there.
///
/// # Errors
/// `unknown tokenizer: …`; SQLITE_ERROR if the arguments make no sense to it.
pub fn make_built_in(name: &str, arguments: &[String]) -> Result<Box<dyn Tokenizer>> {
    Ok(match name {
        "simple" => Box::new(simple::Simple::new(arguments)?),
        "porter" => Box::new(porter::Porter),
        "unicode61" => Box::new(unicode61::Unicode::new(arguments)?),
        _ => return Err(FunctionError::new(format!("unknown tokenizer: {name}"))),
    })
}

/// Hands runs of bytes that belong to tokens to `sink`; `fold` writes what the index has for a run.
fn runs(text: &[u8], belongs: impl Fn(u8) -> bool, fold: impl Fn(&[u8], &mut Vec<u8>), sink: &mut Sink<'_>) -> Result {
    let mut folded = Vec::with_capacity(64);
    let (mut at, mut position) = (0, 0);
    while let Some(skipped) = text.get(at..).unwrap_or_default().iter().position(|byte| belongs(*byte)) {
        let start = at + skipped;
        let rest = text.get(start..).unwrap_or_default();
        let run = rest.split(|byte| !belongs(*byte)).next().unwrap_or_default();
        at = start + run.len();
        folded.clear();
        fold(run, &mut folded);
        if sink(Token { text: &folded, range: start..at, position })? == Flow::Enough {
            break;
        }
        position += 1;
    }
    Ok(())
}
