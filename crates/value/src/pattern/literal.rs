//! Plain ASCII in a pattern.
//!
//! A byte of ASCII is a character at any place, in malformed text too, so bytes can be searched.

use memchr::memmem::Finder;

/// ASCII that stands for itself. Not empty.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    bytes: Box<[u8]>,
    search: Search,
}

/// Texts up to this length are searched eight bytes at a time, because a search of longer ones has a higher fixed cost.
const SHORT: usize = 48;
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

#[derive(Clone, Debug)]
enum Search {
    WithCase(Box<Finder<'static>>),
    /// Without case: by the byte at this index, the least frequent one in text.
    WithoutCase {
        anchor: usize,
    },
}

impl Literal {
    pub(super) fn new(bytes: Vec<u8>, with_case: bool) -> Literal {
        let search = if with_case {
            Search::WithCase(Box::new(Finder::new(&bytes).into_owned()))
        } else {
            let anchor = bytes.iter().enumerate().min_by_key(|(_, byte)| frequency(**byte));
            debug_assert!(anchor.is_some(), "a literal is not empty");
            Search::WithoutCase { anchor: anchor.map_or(0, |(at, _)| at) }
        };
        Literal { bytes: bytes.into(), search }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the literal is at `at`.
    pub(super) fn match_at(&self, text: &[u8], at: usize) -> bool {
        let Some(there) = text.get(at..at + self.bytes.len()) else { return false };
        match self.search {
            Search::WithCase(_) => *there == *self.bytes,
            Search::WithoutCase { .. } => there.eq_ignore_ascii_case(&self.bytes),
        }
    }

    /// The first place at or behind `at` with the literal.
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<usize> {
        let anchor = match &self.search {
            Search::WithCase(finder) => return finder.find(text.get(at..)?).map(|found| at + found),
            Search::WithoutCase { anchor } => *anchor,
        };
        let &byte = self.bytes.get(anchor)?;
        let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
        // The anchor is at `from` or behind it, and before `to`, so that the rest of the literal is within the text.
        let from = at + anchor;
        let to = (text.len() + anchor + 1).checked_sub(self.bytes.len())?;
        if to.saturating_sub(from) <= SHORT {
            return self.find_in_short(text, anchor, from, to);
        }
        memchr::memchr2_iter(lower, upper, text.get(from..to)?)
            .map(|found| at + found)
            .find(|&position| self.match_at(text, position))
    }
}

impl Literal {
    /// The first place with the literal whose anchor is in `from..to`.
    fn find_in_short(&self, text: &[u8], anchor: usize, from: usize, to: usize) -> Option<usize> {
        let &byte = self.bytes.get(anchor)?;
        // A letter and its capital differ in one bit.
        let fold = if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
        let (fold, wanted) = (LOW_BITS * fold, LOW_BITS * u64::from(byte | fold as u8));
        let mut at = from;
        while at < to {
            let unequal = (eight_bytes(text, at) | fold) ^ wanted;
            // The high bit of each byte that is zero, and sometimes of a byte behind such a one.
            let mut zeros = unequal.wrapping_sub(LOW_BITS) & !unequal & HIGH_BITS;
            while zeros != 0 {
                let position = at + zeros.trailing_zeros() as usize / 8 - anchor;
                if self.match_at(text, position) {
                    return Some(position);
                }
                zeros &= zeros - 1;
            }
            at += 8;
        }
        None
    }
}

/// The bytes at `at`, the first one lowest; zeros behind the end.
#[inline]
fn eight_bytes(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => rest.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte)),
    }
}

/// The approximate frequency of a byte in text: the letters in the order of their frequency in English.
fn frequency(byte: u8) -> usize {
    const LEAST_FIRST: &[u8] = b"zqxjkvbpygfwmucldrhsnioate";
    match byte.to_ascii_lowercase() {
        b' ' => LEAST_FIRST.len() + 1,
        b'0'..=b'9' => LEAST_FIRST.len() / 2,
        other => LEAST_FIRST.iter().position(|&letter| letter == other).map_or(0, |rank| rank + 1),
    }
}
