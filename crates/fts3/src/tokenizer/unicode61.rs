//! The tokenizer `unicode61`: tokens are runs of letters and digits of all scripts, in small letters.
//!
//! | argument | meaning |
//! | --- | --- |
//! | `tokenchars=…` | more characters that belong to tokens |
//! | `separators=…` | characters that do not |
//! | `remove_diacritics=…` | 0: letters keep their marks, 1: Latin letters with one mark lose it, 2: with several, too |

use lithe_tokenize::unicode::{CategorySet, RemoveMarks};
use lithe_tokenize::unicode61::Unicode61;
use lithe_vtab::FunctionError;

use super::{Flow, Sink, Token, Tokenizer};
use crate::Result;

/// The tokenizer.
#[derive(Clone, Debug)]
pub struct Unicode(Unicode61);

impl Unicode {
    /// Makes the tokenizer from its arguments.
    ///
    /// # Errors
    /// SQLITE_ERROR if an argument is unknown.
    pub fn new(arguments: &[String]) -> Result<Unicode> {
        let categories = [*b"L*", *b"N*", *b"Co"];
        let set = categories.into_iter().try_fold(CategorySet::NONE, CategorySet::with).unwrap_or(CategorySet::NONE);
        let mut tokens = Unicode61::new(set);
        for argument in arguments {
            match argument.split_once('=') {
                Some(("tokenchars", list)) => tokens.add(list.as_bytes(), true),
                Some(("separators", list)) => tokens.add(list.as_bytes(), false),
                Some(("remove_diacritics", "0")) => tokens.remove = RemoveMarks::No,
                Some(("remove_diacritics", "1")) => tokens.remove = RemoveMarks::Single,
                Some(("remove_diacritics", "2")) => tokens.remove = RemoveMarks::All,
                _ => return Err(FunctionError::new("")),
            }
        }
        Ok(Unicode(tokens))
    }
}

impl Tokenizer for Unicode {
    fn tokenize(&self, text: &[u8], _: i32, sink: &mut Sink<'_>) -> Result {
        let mut folded = Vec::with_capacity(64);
        let (mut at, mut position) = (0, 0);
        while let Some(range) = self.0.next(text, &mut at, &mut folded).map_err(|_| FunctionError::out_of_memory())? {
            if sink(Token { text: &folded, range, position })? == Flow::Enough {
                break;
            }
            position += 1;
        }
        Ok(())
    }
}
