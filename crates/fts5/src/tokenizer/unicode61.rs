//! The tokenizer `unicode61`: tokens are runs of letters and digits of all scripts, in small letters.
//!
//! | option | value |
//! | --- | --- |
//! | `categories` | the general categories that belong to tokens, `L* N* Co` if nothing is said |
//! | `tokenchars` | more characters that do |
//! | `separators` | characters that do not |
//! | `remove_diacritics` | 0: letters keep their marks, 1: Latin letters with one mark lose it, 2: with several, too |

use lithe_tokenize::unicode::{CategorySet, RemoveMarks};
use lithe_tokenize::unicode61::Unicode61 as Tokens;
use lithe_vtab::FunctionError;

use super::{Flow, Purpose, Sink, Token, Tokenizer};
use crate::Result;

/// The tokenizer.
#[derive(Clone, Debug)]
pub struct Unicode61(Tokens);

impl Unicode61 {
    /// With options, as pairs of a name and a value.
    ///
    /// # Errors
    /// SQLITE_ERROR: a name or a value that is none, or a name without a value.
    pub fn new<S: AsRef<[u8]>>(options: &[S]) -> Result<Unicode61> {
        let (pairs, odd) = options.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(wrong());
        }
        let pairs = || pairs.iter().map(|[name, value]| (name.as_ref().to_ascii_lowercase(), value.as_ref()));
        let mut categories = b"L* N* Co".as_slice();
        // The categories come first, wherever they stand.
        pairs().filter(|(name, _)| name == b"categories").for_each(|(_, value)| categories = value);
        let mut tokens = Tokens::new(parse_categories(categories)?);
        for (name, value) in pairs() {
            match name.as_slice() {
                b"tokenchars" => tokens.add(value, true),
                b"separators" => tokens.add(value, false),
                b"remove_diacritics" => tokens.remove = parse_remove(value)?,
                b"categories" => {}
                _ => return Err(wrong()),
            }
        }
        Ok(Unicode61(tokens))
    }
}

impl Tokenizer for Unicode61 {
    fn tokenize(&self, text: &[u8], _: Purpose, _: Option<&[u8]>, sink: &mut Sink<'_>) -> Result {
        let mut folded = Vec::with_capacity(64);
        let mut at = 0;
        loop {
            // Most tokens are small letters already: they are handed on where they lie.
            let token = match self.0.next_plain(text, &mut at) {
                Some(range) => Token { text: text.get(range.clone()).unwrap_or_default(), range, is_colocated: false },
                None => match self.0.next(text, &mut at, &mut folded).map_err(|_| FunctionError::out_of_memory())? {
                    Some(range) => Token { text: &folded, range, is_colocated: false },
                    None => return Ok(()),
                },
            };
            if sink(token)? == Flow::Enough {
                return Ok(());
            }
        }
    }
}

/// A list of categories with spaces or tabs between them. Of each, two letters count.
fn parse_categories(list: &[u8]) -> Result<CategorySet> {
    let mut names = list.split(|byte| matches!(byte, b' ' | b'\t')).filter(|name| !name.is_empty());
    names.try_fold(CategorySet::NONE, |set, name| {
        let name = name.first_chunk::<2>().ok_or_else(wrong)?;
        set.with(*name).ok_or_else(wrong)
    })
}

fn parse_remove(value: &[u8]) -> Result<RemoveMarks> {
    match value {
        b"0" => Ok(RemoveMarks::No),
        b"1" => Ok(RemoveMarks::Single),
        b"2" => Ok(RemoveMarks::All),
        _ => Err(wrong()),
    }
}

fn wrong() -> FunctionError {
    FunctionError::new("")
}
