//! The tokenizer `porter`: takes English words to their stems (M. F. Porter, 1980), on top of another tokenizer.

use lithe_tokenize::porter::stem;

use super::{Purpose, Sink, Token, Tokenizer};
use crate::Result;

/// Shorter words stay as they are.
const LEN_MIN: usize = 3;
/// Longer ones too.
const LEN_MAX: usize = 64;

/// The tokenizer, with the one below it.
pub struct Porter {
    base: Box<dyn Tokenizer>,
}

impl Porter {
    /// Stems the tokens of `base`.
    pub fn new(base: Box<dyn Tokenizer>) -> Porter {
        Porter { base }
    }
}

impl Tokenizer for Porter {
    fn tokenize(&self, text: &[u8], purpose: Purpose, locale: Option<&[u8]>, sink: &mut Sink<'_>) -> Result {
        let mut word = Vec::with_capacity(LEN_MAX + 1);
        self.base.tokenize(text, purpose, locale, &mut |token| {
            if !(LEN_MIN..=LEN_MAX).contains(&token.text.len()) {
                return sink(token);
            }
            word.clear();
            word.extend_from_slice(token.text);
            stem(&mut word);
            sink(Token { text: &word, ..token })
        })
    }
}
