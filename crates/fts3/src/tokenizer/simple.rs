//! The tokenizer `simple`: tokens are runs of ASCII letters and digits and of all that is not ASCII, in small letters.
//!
//! With two or more arguments, the second lists the characters that separate tokens instead.

use lithe_vtab::FunctionError;

use super::{Sink, Tokenizer, runs};
use crate::Result;

/// The tokenizer.
#[derive(Clone, Debug)]
pub struct Simple {
    /// The ASCII characters that separate tokens: a bit each.
    separators: u128,
}

impl Simple {
    /// Makes the tokenizer from its arguments.
    ///
    /// # Errors
    /// SQLITE_ERROR if a separator is not ASCII.
    pub fn new(arguments: &[String]) -> Result<Simple> {
        let Some(list) = arguments.get(1) else {
            // (The byte 0 is not a separator, because a text with a length may have it within a token.)
            let all = (1..0x80u8).filter(|byte| !byte.is_ascii_alphanumeric());
            return Ok(Simple { separators: all.fold(0, |bits, byte| bits | 1 << byte) });
        };
        if !list.is_ascii() {
            return Err(FunctionError::new(""));
        }
        Ok(Simple { separators: list.bytes().fold(0, |bits, byte| bits | 1 << byte) })
    }

    fn belongs(&self, byte: u8) -> bool {
        !byte.is_ascii() || self.separators >> byte & 1 == 0
    }
}

impl Tokenizer for Simple {
    fn tokenize(&self, text: &[u8], _: i32, sink: &mut Sink<'_>) -> Result {
        let fold = |run: &[u8], folded: &mut Vec<u8>| folded.extend(run.iter().map(u8::to_ascii_lowercase));
        runs(text, |byte| self.belongs(byte), fold, sink)
    }
}
