//! The tokenizer `porter`: the stems of English words.
//!
//! A word with a character that is not an ASCII letter, or longer than 20, is not stemmed: only its beginning and its end are kept.

use lithe_tokenize::porter::stem_of;

use super::{Sink, Tokenizer, runs};
use crate::Result;

/// The lengths of words that are stemmed.
const STEM_LEN: std::ops::RangeInclusive<usize> = 3..=20;
/// The number of bytes kept at each end of other words.
const KEPT_LEN: usize = 10;
/// The same, for a word with a digit.
const KEPT_LEN_WITH_DIGITS: usize = 3;

/// The tokenizer.
#[derive(Clone, Copy, Debug)]
pub struct Porter;

impl Tokenizer for Porter {
    fn tokenize(&self, text: &[u8], _: i32, sink: &mut Sink<'_>) -> Result {
        runs(text, |byte| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii(), fold, sink)
    }
}

fn fold(word: &[u8], folded: &mut Vec<u8>) {
    folded.extend(word.iter().map(u8::to_ascii_lowercase));
    if STEM_LEN.contains(&word.len()) && word.iter().all(u8::is_ascii_alphabetic) {
        stem_of(folded, true);
        return;
    }
    let has_digit = word.iter().any(u8::is_ascii_digit);
    let kept = if has_digit { KEPT_LEN_WITH_DIGITS } else { KEPT_LEN };
    if folded.len() > 2 * kept {
        folded.drain(kept..folded.len() - kept);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_that_are_cut() {
        for (word, expected) in [
            ("internationalizations", "internatioalizations"),
            ("abc1234567", "abc567"),
            ("Running", "run"),
            ("ies", "i"),
            ("at", "at"),
        ] {
            let mut folded = Vec::new();
            super::fold(word.as_bytes(), &mut folded);
            assert_eq!(String::from_utf8_lossy(&folded), expected);
        }
    }
}
