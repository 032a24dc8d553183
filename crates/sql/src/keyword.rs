//! Looking up keywords. A hash of the first letter, the last letter and the length selects a short chain.

use crate::ast::lowercase;
use crate::token::{KEYWORDS, Keyword, TokenKind};

/// All keywords in alphabetical order.
pub fn keywords() -> &'static [Keyword] {
    KEYWORDS
}

/// The keyword `word`, in any case.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the table has a place for every hash, and its places lead to each other")]
pub fn find(word: &[u8]) -> Option<TokenKind> {
    if word.len() < SHORTEST || word.len() > LONGEST {
        return None;
    }
    let mut at = TABLE.first[hash(word)];
    if at == NONE {
        return None;
    }
    let letters = Letters::of(word);
    while at != NONE {
        if TABLE.letters[usize::from(at)] == letters {
            return Some(KEYWORDS[usize::from(at)].kind);
        }
        at = TABLE.next[usize::from(at)];
    }
    None
}

/// A word of [`SHORTEST`] to [`LONGEST`] bytes with its ASCII letters in lower case, packed so that comparing two words takes
/// four comparisons of integers.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Letters {
    len: u8,
    /// The middle byte of a word of 17 bytes, which neither `first` nor `last` contains; 0 for shorter words.
    middle: u8,
    /// The first eight bytes, or all bytes of a shorter word.
    first: u64,
    /// The last eight bytes; 0 for a shorter word.
    last: u64,
}

impl Letters {
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the match says how long the word is")]
    const fn of(word: &[u8]) -> Letters {
        let len = word.len();
        let (first, last) = match len {
            0 => (0, 0),
            1..4 => (word[0] as u64 | (word[len / 2] as u64) << 8 | (word[len - 1] as u64) << 16, 0),
            4..8 => (four(word, 0) | four(word, len - 4) << 32, 0),
            _ => (four(word, 0) | four(word, 4) << 32, four(word, len - 8) | four(word, len - 4) << 32),
        };
        let middle = if len > 2 * size_of::<u64>() { word[size_of::<u64>()] as u64 } else { 0 };
        Letters { len: len as u8, middle: lowercase(middle) as u8, first: lowercase(first), last: lowercase(last) }
    }
}

/// The four bytes at `at`.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the callers know that they are there")]
const fn four(word: &[u8], at: usize) -> u64 {
    u32::from_le_bytes([word[at], word[at + 1], word[at + 2], word[at + 3]]) as u64
}

const SHORTEST: usize = "AS".len();
const LONGEST: usize = "CURRENT_TIMESTAMP".len();
const BUCKETS: usize = 256;
const NONE: u8 = u8::MAX;
const _: () = assert!(KEYWORDS.len() < NONE as usize);
const _: () =
    assert!(LONGEST <= 2 * size_of::<u64>() + 1, "a keyword is its first and last eight bytes, and one between them");

/// Bucket heads and their chains, as indices into the keyword table.
struct Table {
    first: [u8; BUCKETS],
    next: [u8; KEYWORDS.len()],
    letters: [Letters; KEYWORDS.len()],
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static TABLE: Table = {
    let nothing = Letters { len: 0, middle: 0, first: 0, last: 0 };
    let mut table = Table { first: [NONE; BUCKETS], next: [NONE; KEYWORDS.len()], letters: [nothing; KEYWORDS.len()] };
    let mut i = KEYWORDS.len();
    while i > 0 {
        i -= 1;
        let text = KEYWORDS[i].text.as_bytes();
        table.letters[i] = Letters::of(text);
        let bucket = hash(text);
        table.next[i] = table.first[bucket];
        table.first[bucket] = i as u8; // fits: there are fewer keywords than NONE
    }
    table
};

/// These multipliers have the fewest collisions of 60,000 that were tried.
#[expect(
    clippy::indexing_slicing,
    reason = "no keyword is shorter than two letters, and no shorter word is looked for"
)]
const fn hash(word: &[u8]) -> usize {
    const CASE: u8 = 0x20; // folds the case of letters, and of no other byte of keywords
    let first = (word[0] | CASE) as usize;
    let second = (word[1] | CASE) as usize;
    let last = (word[word.len() - 1] | CASE) as usize;
    (first * 63 + second * 17 + last * 115 + word.len() * 117) % BUCKETS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_keyword_in_any_case() {
        for keyword in keywords() {
            assert_eq!(find(keyword.text.as_bytes()), Some(keyword.kind));
            assert_eq!(find(keyword.text.to_lowercase().as_bytes()), Some(keyword.kind));
            assert_eq!(keyword.kind.keyword().map(|k| k.text), Some(keyword.text));
        }
    }

    #[test]
    fn finds_nothing_else() {
        for word in ["", "a", "selec", "selects", "\u{e9}\u{e9}", "user", "id", "current-date"] {
            assert_eq!(find(word.as_bytes()), None, "{word}");
        }
    }

    /// Words that differ from a keyword in one byte, at any position.
    #[test]
    fn finds_nothing_that_is_nearly_a_keyword() {
        for keyword in keywords() {
            for at in 0..keyword.text.len() {
                for other in 0..=u8::MAX {
                    let mut word = keyword.text.as_bytes().to_vec();
                    word[at] = other;
                    let expected = keywords().iter().find(|keyword| word.eq_ignore_ascii_case(keyword.text.as_bytes()));
                    assert_eq!(find(&word), expected.map(|keyword| keyword.kind), "{word:?}");
                }
            }
        }
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(keywords().is_sorted_by(|a, b| a.text < b.text));
    }

    #[test]
    fn chains_are_short() {
        let in_chains = TABLE.next.iter().filter(|&&next| next != NONE).count();
        assert!(in_chains < KEYWORDS.len() / 3, "{in_chains} keywords share a bucket");
    }
}
