//! Looking up keywords. A hash of the first letter, the last letter and the length selects a short chain.

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
    let mut at = FIRST[hash(word)];
    if at == NONE {
        return None;
    }
    let letters = Letters::of(word);
    while at != NONE {
        let entry = &ENTRIES[usize::from(at)];
        if entry.letters == letters {
            return (word.len() < UNDERSCORED_MIN || entry.is(word)).then_some(entry.kind);
        }
        at = entry.next;
    }
    None
}

/// A word of [`SHORTEST`] to [`LONGEST`] bytes, each with its bit of the case set, packed so that comparing two words takes four
/// comparisons of integers. Words that are alike have the same letters, but `_` and DEL, which no word of SQL contains, are alike, too.
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

/// The bit that tells small letters from capitals.
const CASE: u8 = 0x20;

/// No shorter keyword contains `_`.
const UNDERSCORED_MIN: usize = "CURRENT_DATE".len();

impl Letters {
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the match says how long the word is")]
    const fn of(word: &[u8]) -> Letters {
        const CASES: u64 = u64::from_le_bytes([CASE; 8]);
        let len = word.len();
        let (first, last) = match len {
            0 => (0, 0),
            1..4 => (word[0] as u64 | (word[len / 2] as u64) << 8 | (word[len - 1] as u64) << 16, 0),
            4..8 => (four(word, 0) | four(word, len - 4) << 32, 0),
            _ => (four(word, 0) | four(word, 4) << 32, four(word, len - 8) | four(word, len - 4) << 32),
        };
        let middle = if len > 2 * size_of::<u64>() { word[size_of::<u64>()] | CASE } else { 0 };
        Letters { len: len as u8, middle, first: first | CASES, last: last | CASES }
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

/// A keyword as it is looked for.
struct Entry {
    letters: Letters,
    kind: TokenKind,
    /// The next one of the same hash.
    next: u8,
}

impl Entry {
    /// Whether it is the word, to the last byte.
    #[cold]
    fn is(&self, word: &[u8]) -> bool {
        self.kind.keyword().is_some_and(|keyword| keyword.text.as_bytes().eq_ignore_ascii_case(word))
    }
}

/// The keyword at which the chain of each hash begins.
static FIRST: [u8; BUCKETS] = CHAINS.0;
/// All keywords.
static ENTRIES: [Entry; KEYWORDS.len()] = CHAINS.1;

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const CHAINS: ([u8; BUCKETS], [Entry; KEYWORDS.len()]) = {
    let mut first = [NONE; BUCKETS];
    let mut entries =
        [const { Entry { letters: Letters::of(b""), kind: TokenKind::EndOfText, next: NONE } }; KEYWORDS.len()];
    let mut i = KEYWORDS.len();
    while i > 0 {
        i -= 1;
        let text = KEYWORDS[i].text.as_bytes();
        let bucket = hash(text);
        entries[i] = Entry { letters: Letters::of(text), kind: KEYWORDS[i].kind, next: first[bucket] };
        first[bucket] = i as u8; // fits: there are fewer keywords than NONE
    }
    (first, entries)
};

/// These multipliers have the fewest collisions of 60,000 that were tried.
#[expect(
    clippy::indexing_slicing,
    reason = "no keyword is shorter than two letters, and no shorter word is looked for"
)]
const fn hash(word: &[u8]) -> usize {
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
    fn only_long_keywords_contain_an_underscore() {
        assert!(keywords().iter().all(|keyword| keyword.text.len() >= UNDERSCORED_MIN || !keyword.text.contains('_')));
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(keywords().is_sorted_by(|a, b| a.text < b.text));
    }

    #[test]
    fn chains_are_short() {
        let in_chains = ENTRIES.iter().filter(|entry| entry.next != NONE).count();
        assert!(in_chains < KEYWORDS.len() / 3, "{in_chains} keywords share a bucket");
    }
}
