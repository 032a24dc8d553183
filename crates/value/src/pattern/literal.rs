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
        /// The whole literal, if it has at most eight bytes.
        word: Option<Word>,
    },
}

impl Literal {
    pub(super) fn new(bytes: Vec<u8>, with_case: bool) -> Literal {
        let search = if with_case {
            Search::WithCase(Box::new(Finder::new(&bytes).into_owned()))
        } else {
            let anchor = bytes.iter().enumerate().min_by_key(|(_, byte)| frequency(**byte));
            debug_assert!(anchor.is_some(), "a literal is not empty");
            let anchor = anchor.map_or(0, |(at, _)| at);
            Search::WithoutCase { anchor, word: Word::new(&bytes, anchor) }
        };
        Literal { bytes: bytes.into(), search }
    }

    #[inline]
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
    #[inline]
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<usize> {
        match &self.search {
            Search::WithoutCase { word: Some(word), .. } if text.len().saturating_sub(at) <= SHORT => {
                word.find(text, at)
            }
            _ => self.find_any(text, at),
        }
    }

    fn find_any(&self, text: &[u8], at: usize) -> Option<usize> {
        let anchor = match &self.search {
            Search::WithCase(finder) => return finder.find(text.get(at..)?).map(|found| at + found),
            Search::WithoutCase { anchor, .. } => *anchor,
        };
        let &byte = self.bytes.get(anchor)?;
        let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
        // The anchor is at `from` or behind it, and before `to`, so that the rest of the literal is within the text.
        let from = at + anchor;
        let to = (text.len() + anchor + 1).checked_sub(self.bytes.len())?;
        memchr::memchr2_iter(lower, upper, text.get(from..to)?)
            .map(|found| at + found)
            .find(|&position| self.match_at(text, position))
    }
}

/// Up to eight bytes, which are sought and compared without case eight bytes at a time. The others are zeros.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// The bytes, letters folded.
    bytes: u64,
    /// The bit in which a letter and its capital differ, at each letter.
    fold: u64,
    /// All bits of the bytes that there are.
    mask: u64,
    len: usize,
    /// Which byte is sought.
    anchor: usize,
    /// That byte, folded, eight times.
    sought: u64,
    /// Its bit of case, eight times.
    sought_fold: u64,
}

impl Word {
    fn new(bytes: &[u8], anchor: usize) -> Option<Word> {
        let word = |of: &dyn Fn(u8) -> u8| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(of(byte)));
        let &byte = bytes.get(anchor)?;
        let sought_fold = LOW_BITS * u64::from(case_bit(byte));
        (bytes.len() <= size_of::<u64>()).then(|| Word {
            bytes: word(&|byte| byte | case_bit(byte)),
            fold: word(&case_bit),
            mask: word(&|_| u8::MAX),
            len: bytes.len(),
            anchor,
            sought: (LOW_BITS * u64::from(byte)) | sought_fold,
            sought_fold,
        })
    }

    /// The first place at or behind `at` with the word.
    fn find(&self, text: &[u8], at: usize) -> Option<usize> {
        let last = text.len().checked_sub(self.len)?;
        let mut from = at + self.anchor;
        while from <= last + self.anchor {
            let unequal = (eight_bytes(text, from) | self.sought_fold) ^ self.sought;
            // The high bit of each byte that is zero, and sometimes of a byte behind such a one.
            let mut zeros = unequal.wrapping_sub(LOW_BITS) & !unequal & HIGH_BITS;
            while zeros != 0 {
                let place = from + zeros.trailing_zeros() as usize / 8 - self.anchor;
                if (eight_bytes(text, place) | self.fold) & self.mask == self.bytes && place <= last {
                    return Some(place);
                }
                zeros &= zeros - 1;
            }
            from += size_of::<u64>();
        }
        None
    }
}

/// The bit in which a letter and its capital differ; 0 for any other byte.
fn case_bit(byte: u8) -> u8 {
    if byte.is_ascii_alphabetic() { 0x20 } else { 0 }
}

/// The bytes at `at`, the first one lowest; zeros behind the end.
#[inline]
fn eight_bytes(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match (rest.first_chunk(), text.last_chunk()) {
        (Some(eight), _) => u64::from_le_bytes(*eight),
        (None, Some(last)) if !rest.is_empty() => u64::from_le_bytes(*last) >> (u64::BITS as usize - 8 * rest.len()),
        _ => rest.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u64::from(byte)),
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
