//! The tokenizer `unicode61`: tokens are runs of letters and digits of all scripts, in small letters.
//!
//! | option | value |
//! | --- | --- |
//! | `categories` | the general categories that belong to tokens, `L* N* Co` if nothing is said |
//! | `tokenchars` | more characters that do |
//! | `separators` | characters that do not |
//! | `remove_diacritics` | 0: letters keep their marks, 1: Latin letters with one mark lose it, 2: with several, too |

use lithe_vtab::FunctionError;

use super::{Flow, Purpose, Sink, Token, Tokenizer};
use crate::Result;
use crate::unicode::{self, CategorySet, RemoveMarks};

/// Characters below are looked up in a table of bits.
const TABLE_END: u32 = 0x1_0000;
const WORD_BITS: u32 = u64::BITS;

/// The tokenizer.
#[derive(Clone, Debug)]
pub struct Unicode61 {
    /// Which characters below [`TABLE_END`] belong to tokens: a bit each.
    table: Box<[u64]>,
    /// Which ones beyond do, by their categories …
    categories: CategorySet,
    /// … but for these, of which the opposite is true. Sorted.
    exceptions: Vec<u32>,
    remove: RemoveMarks,
}

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
        let mut tokenizer = Unicode61::of_categories(parse_categories(categories)?);
        for (name, value) in pairs() {
            match name.as_slice() {
                b"tokenchars" => tokenizer.add(value, true),
                b"separators" => tokenizer.add(value, false),
                b"remove_diacritics" => tokenizer.remove = parse_remove(value)?,
                b"categories" => {}
                _ => return Err(wrong()),
            }
        }
        Ok(tokenizer)
    }

    fn of_categories(categories: CategorySet) -> Unicode61 {
        let mut table = vec![0; (TABLE_END / WORD_BITS) as usize].into_boxed_slice();
        categories.each_below(TABLE_END, |code| set_bit(&mut table, code, true));
        set_bit(&mut table, 0, false);
        Unicode61 { table, categories, exceptions: Vec::new(), remove: RemoveMarks::default() }
    }

    /// Makes characters belong to tokens, or not. Marks stay what they are.
    fn add(&mut self, chars: &[u8], belongs: bool) {
        let mut at = 0;
        while let Some(code) = unicode::read(chars, &mut at) {
            if code < 0x80 {
                set_bit(&mut self.table, code, belongs);
            } else if self.categories.contains(code) != belongs && !unicode::is_mark(code) {
                // SQLite lists the exceptions, and a character that was one stays one.
                if code < TABLE_END {
                    set_bit(&mut self.table, code, belongs);
                } else if let Err(at) = self.exceptions.binary_search(&code) {
                    self.exceptions.insert(at, code);
                }
            }
        }
    }

    #[inline]
    fn is_token(&self, code: u32) -> bool {
        if code < TABLE_END {
            let word = self.table.get((code / WORD_BITS) as usize).copied().unwrap_or(0);
            return word >> (code % WORD_BITS) & 1 != 0;
        }
        self.categories.contains(code) != self.exceptions.binary_search(&code).is_ok()
    }

    /// Reads a token that begins at `at`, and moves `at` behind it.
    fn token(&self, text: &[u8], at: &mut usize, folded: &mut Vec<u8>) {
        while let Some(byte) = text.get(*at) {
            if byte.is_ascii() {
                if !self.is_token(u32::from(*byte)) {
                    break;
                }
                folded.push(byte.to_ascii_lowercase());
                *at += 1;
                continue;
            }
            let mut behind = *at;
            let Some(code) = unicode::read(text, &mut behind) else { break };
            if !self.is_token(code) && !unicode::is_mark(code) {
                break;
            }
            if let Some(code) = unicode::fold(code, self.remove) {
                unicode::push(folded, code);
            }
            *at = behind;
        }
    }
}

impl Tokenizer for Unicode61 {
    fn tokenize(&self, text: &[u8], _: Purpose, _: Option<&[u8]>, sink: &mut Sink<'_>) -> Result {
        let mut folded = Vec::with_capacity(64);
        let mut at = 0;
        loop {
            let mut start = at;
            match unicode::read(text, &mut at) {
                None => return Ok(()),
                Some(code) if !self.is_token(code) => continue,
                Some(_) => at = start,
            }
            folded.clear();
            self.token(text, &mut at, &mut folded);
            let range = std::mem::take(&mut start)..at;
            if sink(Token { text: &folded, range, is_colocated: false })? == Flow::Enough {
                return Ok(());
            }
        }
    }
}

fn set_bit(table: &mut [u64], code: u32, is_set: bool) {
    if let Some(word) = table.get_mut((code / WORD_BITS) as usize) {
        let bit = 1 << (code % WORD_BITS);
        *word = if is_set { *word | bit } else { *word & !bit };
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
