//! Tokenizers: they split texts into tokens.

pub mod porter;
pub mod simple;
pub mod unicode61;

use std::ops::Range;
use std::sync::Arc;

use lithe_value::Grow;
use lithe_vtab::{FunctionError, SqlConnection};

use crate::Result;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its text, folded as the index has it.
    pub text: &'t [u8],
    /// Its bytes in the document.
    pub range: Range<usize>,
    /// The number of positions before it.
    pub position: i64,
}

/// Whether the tokenizer continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continue.
    More,
    /// Stop.
    Enough,
}

/// Receives the tokens of a text.
pub type Sink<'s> = dyn FnMut(Token<'_>) -> Result<Flow> + 's;

/// Splits texts into tokens.
pub trait Tokenizer: Send + Sync {
    /// Passes the tokens of a text in that language to `sink`, in order.
    ///
    /// # Errors
    /// Those of the sink, and of a tokenizer of the application.
    fn tokenize(&self, text: &[u8], language: i32, sink: &mut Sink<'_>) -> Result;
}

/// Makes a tokenizer from the words after its name.
pub type Constructor = dyn Fn(&dyn SqlConnection, &[String]) -> Result<Box<dyn Tokenizer>> + Send + Sync;

/// The names of the built-in tokenizers.
const BUILT_IN: [&str; 3] = ["simple", "porter", "unicode61"];

/// The constructor of a built-in tokenizer.
pub fn built_in(name: &str) -> Option<Arc<Constructor>> {
    let name = *BUILT_IN.iter().find(|known| **known == name)?;
    Some(Arc::new(move |_, arguments| make_built_in(name, arguments)))
}

/// Makes a built-in tokenizer.
///
/// # Errors
/// `unknown tokenizer: …`; SQLITE_ERROR if an argument is invalid.
pub fn make_built_in(name: &str, arguments: &[String]) -> Result<Box<dyn Tokenizer>> {
    Ok(match name {
        "simple" => Box::new(simple::Simple::new(arguments)?),
        "porter" => Box::new(porter::Porter),
        "unicode61" => Box::new(unicode61::Unicode::new(arguments)?),
        _ => return Err(FunctionError::new(format!("unknown tokenizer: {name}"))),
    })
}

/// Passes each run of bytes that belong to a token to `sink`, as `fold` writes it.
fn runs(text: &[u8], belongs: impl Fn(u8) -> bool, fold: impl Fn(&[u8], &mut Vec<u8>), sink: &mut Sink<'_>) -> Result {
    let mut folded = Vec::with_capacity(64);
    let (mut at, mut position) = (0, 0);
    while let Some(skipped) = text.get(at..).unwrap_or_default().iter().position(|byte| belongs(*byte)) {
        let start = at + skipped;
        let rest = text.get(start..).unwrap_or_default();
        let run = rest.split(|byte| !belongs(*byte)).next().unwrap_or_default();
        at = start + run.len();
        folded.clear();
        folded.try_grow(run.len())?;
        fold(run, &mut folded);
        if sink(Token { text: &folded, range: start..at, position })? == Flow::Enough {
            break;
        }
        position += 1;
    }
    Ok(())
}
