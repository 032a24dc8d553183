//! The tokens of `unicode61`: runs of letters and digits of all scripts, in small letters.

use std::collections::TryReserveError;
use std::ops::Range;

use crate::unicode::{self, CategorySet, RemoveMarks};

/// Characters below this one are looked up in a table of bits.
const TABLE_END: u32 = 0x1_0000;
const WORD_BITS: u32 = u64::BITS;

/// The characters that belong to tokens, and their folding.
#[derive(Clone, Debug)]
pub struct Unicode61 {
    /// Which characters below [`TABLE_END`] belong to tokens: a bit each.
    table: Box<[u64]>,
    /// The categories of the other characters that belong to tokens …
    categories: CategorySet,
    /// … except for these characters, for which the opposite is true. Sorted.
    exceptions: Vec<u32>,
    /// The marks that are removed from letters.
    pub remove: RemoveMarks,
    /// The folded form of each ASCII character of tokens; 0: the character belongs to no token, or is not ASCII.
    folded: [u8; 256],
    /// What each byte is where most tokens lie: small letters with spaces between them.
    classes: [Class; 256],
}

/// What a byte is to [`Unicode61::next_plain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// An ASCII character that belongs to no token, and is not NUL.
    Between,
    /// An ASCII character of tokens that is its own folded form, and is not NUL.
    Plain,
    /// Any other.
    Other,
}

impl Unicode61 {
    /// The characters of these categories belong to tokens; single marks of Latin letters are removed.
    pub fn new(categories: CategorySet) -> Unicode61 {
        let mut table = vec![0; (TABLE_END / WORD_BITS) as usize].into_boxed_slice();
        categories.each_below(TABLE_END, |code| set_bit(&mut table, code, true));
        set_bit(&mut table, 0, false);
        let (exceptions, remove) = (Vec::new(), RemoveMarks::default());
        let classes = [Class::Other; 256];
        let mut made = Unicode61 { table, categories, exceptions, remove, folded: [0; 256], classes };
        made.fold_ascii();
        made
    }

    fn fold_ascii(&mut self) {
        for byte in 0..0x80u8 {
            let folded = if self.is_token(u32::from(byte)) { byte.to_ascii_lowercase() } else { 0 };
            let class = match folded {
                _ if byte == 0 => Class::Other,
                0 => Class::Between,
                same if same == byte => Class::Plain,
                _ => Class::Other,
            };
            if let (Some(place), Some(of)) =
                (self.folded.get_mut(usize::from(byte)), self.classes.get_mut(usize::from(byte)))
            {
                (*place, *of) = (folded, class);
            }
        }
    }

    #[inline]
    fn class(&self, byte: u8) -> Class {
        self.classes.get(usize::from(byte)).copied().unwrap_or(Class::Other)
    }

    /// Makes characters belong to tokens, or not. Marks do not change.
    pub fn add(&mut self, chars: &[u8], belongs: bool) {
        let mut at = 0;
        while let Some(code) = unicode::read(chars, &mut at) {
            if code < 0x80 {
                set_bit(&mut self.table, code, belongs);
            } else if self.categories.contains(code) != belongs && !unicode::is_mark(code) {
                // SQLite lists the exceptions, and a character that was added to the list stays on it.
                if code < TABLE_END {
                    set_bit(&mut self.table, code, belongs);
                } else if let Err(at) = self.exceptions.binary_search(&code) {
                    self.exceptions.insert(at, code);
                }
            }
        }
        self.fold_ascii();
    }

    /// The folded form of an ASCII character of tokens; 0 for all others.
    #[inline]
    fn fold(&self, byte: u8) -> u8 {
        self.folded.get(usize::from(byte)).copied().unwrap_or(0)
    }

    #[inline]
    fn is_token(&self, code: u32) -> bool {
        if code < TABLE_END {
            let word = self.table.get((code / WORD_BITS) as usize).copied().unwrap_or(0);
            return word >> (code % WORD_BITS) & 1 != 0;
        }
        self.categories.contains(code) != self.exceptions.binary_search(&code).is_ok()
    }

    /// Skips ASCII characters that belong to no token, and the token behind them if it is all ASCII and unchanged by folding:
    /// answers the token's bytes. `None`: the token at `at` is another one, or the text ends.
    #[inline]
    pub fn next_plain(&self, text: &[u8], at: &mut usize) -> Option<Range<usize>> {
        let mut start = *at;
        let first = loop {
            let class = self.class(*text.get(start)?);
            if class != Class::Between {
                break class;
            }
            start += 1;
        };
        *at = start;
        if first != Class::Plain {
            return None;
        }
        let mut len = 1;
        while let Some(byte) = text.get(start + len) {
            match self.class(*byte) {
                Class::Plain => len += 1,
                Class::Between => break,
                Class::Other => return None,
            }
        }
        *at = start + len;
        Some(start..*at)
    }

    /// Reads the next token at or behind `at`, and moves `at` behind it: the folded token is written to `folded`, and the
    /// answer is its range in the text. `None` at the end.
    ///
    /// # Errors
    /// If the memory is short.
    #[inline]
    pub fn next(
        &self,
        text: &[u8],
        at: &mut usize,
        folded: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, TryReserveError> {
        let start = loop {
            let start = *at;
            match unicode::read(text, at) {
                Some(code) if self.is_token(code) => break start,
                Some(_) => {}
                None => return Ok(None),
            }
        };
        *at = start;
        folded.clear();
        self.token(text, at, folded)?;
        Ok(Some(start..*at))
    }

    /// Reads a token that begins at `at`, and moves `at` behind it.
    fn token(&self, text: &[u8], at: &mut usize, folded: &mut Vec<u8>) -> Result<(), TryReserveError> {
        while let Some(byte) = text.get(*at) {
            if byte.is_ascii() {
                let rest = text.get(*at..).unwrap_or_default();
                let len = rest.iter().take_while(|byte| self.fold(**byte) != 0).count();
                folded.try_reserve(len.max(1))?;
                folded.extend(rest.iter().take(len).map(|byte| self.fold(*byte)));
                *at += len;
                if len == 0 {
                    // A NUL that belongs to tokens folds to 0, which for all other characters means that they belong to
                    // no token.
                    if *byte != 0 || !self.is_token(0) {
                        break;
                    }
                    folded.push(0);
                    *at += 1;
                }
                continue;
            }
            let mut behind = *at;
            let Some(code) = unicode::read(text, &mut behind) else { break };
            if !self.is_token(code) && !unicode::is_mark(code) {
                break;
            }
            if let Some(code) = unicode::fold(code, self.remove) {
                folded.try_reserve(unicode::LEN_MAX)?;
                unicode::push(folded, code);
            }
            *at = behind;
        }
        Ok(())
    }
}

fn set_bit(table: &mut [u64], code: u32, is_set: bool) {
    if let Some(word) = table.get_mut((code / WORD_BITS) as usize) {
        let bit = 1 << (code % WORD_BITS);
        *word = if is_set { *word | bit } else { *word & !bit };
    }
}
