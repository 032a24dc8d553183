//! Is this word a keyword? A hash of first letter, last letter and length leads to a short chain.

use crate::token::{KEYWORDS, Keyword, TokenKind};

/// All keywords in alphabetical order.
pub fn keywords() -> &'static [Keyword] {
    KEYWORDS
}

/// The keyword that `word` is, in whatever case.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the table has a place for every hash, and its places lead to each other")]
pub fn find(word: &[u8]) -> Option<TokenKind> {
    if word.len() < SHORTEST || word.len() > LONGEST {
        return None;
    }
    let mut at = TABLE.first[hash(word)];
    while at != NONE {
        let keyword = &KEYWORDS[usize::from(at)];
        if word.eq_ignore_ascii_case(keyword.text.as_bytes()) {
            return Some(keyword.kind);
        }
        at = TABLE.next[usize::from(at)];
    }
    None
}

const SHORTEST: usize = "AS".len();
const LONGEST: usize = "CURRENT_TIMESTAMP".len();
const BUCKETS: usize = 256;
const NONE: u8 = u8::MAX;
const _: () = assert!(KEYWORDS.len() < NONE as usize);

/// Bucket heads and the chains behind them, as indices into the keyword table.
struct Table {
    first: [u8; BUCKETS],
    next: [u8; KEYWORDS.len()],
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static TABLE: Table = {
    let mut table = Table { first: [NONE; BUCKETS], next: [NONE; KEYWORDS.len()] };
    let mut i = KEYWORDS.len();
    while i > 0 {
        i -= 1;
        let bucket = hash(KEYWORDS[i].text.as_bytes());
        table.next[i] = table.first[bucket];
        table.first[bucket] = i as u8; // fits: there are fewer keywords than NONE
    }
    table
};

/// The multipliers give the fewest collisions of 60,000 tried.
#[expect(
    clippy::indexing_slicing,
    reason = "no keyword is shorter than two letters, and no shorter word is looked for"
)]
const fn hash(word: &[u8]) -> usize {
    const CASE: u8 = 0x20; // folds the case of letters, and of nothing else that occurs in keywords
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
