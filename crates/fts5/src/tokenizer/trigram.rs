//! The tokenizer `trigram`: each three characters in a row are a token, so that parts of words are found.
//!
//! `case_sensitive` is 0 or 1, `remove_diacritics` 0 to 2, of which 1 and 2 mean the same.

use lithe_tokenize::unicode::{self, RemoveMarks};
use lithe_vtab::FunctionError;

use super::{Flow, Patterns, Purpose, Sink, Token, Tokenizer};
use crate::Result;

/// How many characters a token has.
pub const LEN: usize = 3;

/// The tokenizer.
#[derive(Clone, Debug)]
pub struct Trigram {
    /// Whether capital and small letters are the same, and which marks go.
    fold: Option<RemoveMarks>,
}

impl Trigram {
    /// With options, as pairs of a name and a value.
    ///
    /// # Errors
    /// SQLITE_ERROR: a name or a value that is none, a name without a value, or options that contradict each other.
    pub fn new<S: AsRef<[u8]>>(options: &[S]) -> Result<Trigram> {
        let (pairs, odd) = options.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(wrong());
        }
        let (mut is_case_sensitive, mut removes) = (false, false);
        for [name, value] in pairs {
            match (name.as_ref().to_ascii_lowercase().as_slice(), value.as_ref()) {
                (b"case_sensitive", b"0") => is_case_sensitive = false,
                (b"case_sensitive", b"1") => is_case_sensitive = true,
                (b"remove_diacritics", b"0") => removes = false,
                (b"remove_diacritics", b"1" | b"2") => removes = true,
                _ => return Err(wrong()),
            }
        }
        match (is_case_sensitive, removes) {
            (true, true) => Err(wrong()),
            (true, false) => Ok(Trigram { fold: None }),
            (false, true) => Ok(Trigram { fold: Some(RemoveMarks::All) }),
            (false, false) => Ok(Trigram { fold: Some(RemoveMarks::No) }),
        }
    }

    /// The next character that counts, and where it begins. None at the end.
    fn next(&self, text: &[u8], at: &mut usize) -> Option<(usize, u32)> {
        loop {
            let start = *at;
            let code = unicode::read(text, at)?;
            if code == 0 {
                continue;
            }
            match self.fold {
                None => return Some((start, code)),
                Some(remove) => {
                    if let Some(code) = unicode::fold(code, remove) {
                        return Some((start, code));
                    }
                }
            }
        }
    }
}

impl Tokenizer for Trigram {
    fn tokenize(&self, text: &[u8], _: Purpose, _: Option<&[u8]>, sink: &mut Sink<'_>) -> Result {
        let mut at = 0;
        let mut token = Vec::with_capacity(4 * LEN);
        // Where the three characters of the token begin, and how long they are in it.
        let mut starts = [0; LEN];
        let mut lens = [0; LEN];
        let mut count = 0;
        while let Some((start, code)) = self.next(text, &mut at) {
            if count == LEN {
                token.drain(..lens[0]);
                starts.rotate_left(1);
                lens.rotate_left(1);
                count -= 1;
            }
            let before = token.len();
            unicode::push(&mut token, code);
            if let (Some(own), Some(len)) = (starts.get_mut(count), lens.get_mut(count)) {
                *own = start;
                *len = token.len() - before;
            }
            count += 1;
            let found = || Token { text: &token, range: starts[0]..at, is_colocated: false };
            if count == LEN && sink(found())? == Flow::Enough {
                break;
            }
        }
        Ok(())
    }

    fn patterns(&self) -> Patterns {
        match self.fold {
            None => Patterns::Glob,
            Some(RemoveMarks::No) => Patterns::LikeAndGlob,
            Some(_) => Patterns::None,
        }
    }
}

fn wrong() -> FunctionError {
    FunctionError::new("")
}
