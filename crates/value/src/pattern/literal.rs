//! Plain ASCII in a pattern.
//!
//! A byte of ASCII is a character wherever it stands, in malformed text too, so bytes can be searched.

use memchr::memmem::Finder;

/// ASCII that stands for itself. Not empty.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    bytes: Box<[u8]>,
    search: Search,
}

#[derive(Clone, Debug)]
enum Search {
    WithCase(Box<Finder<'static>>),
    /// Without case: by the byte at this index, the one least often met in text.
    WithoutCase {
        anchor: usize,
    },
}

impl Literal {
    pub(super) fn new(bytes: Vec<u8>, with_case: bool) -> Literal {
        let search = if with_case {
            Search::WithCase(Box::new(Finder::new(&bytes).into_owned()))
        } else {
            let anchor = (0..bytes.len()).min_by_key(|&at| frequency(bytes[at]));
            Search::WithoutCase { anchor: anchor.expect("a literal is not empty") }
        };
        Literal { bytes: bytes.into(), search }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it stands at `at`.
    pub(super) fn match_at(&self, text: &[u8], at: usize) -> bool {
        let Some(there) = text.get(at..at + self.bytes.len()) else { return false };
        match self.search {
            Search::WithCase(_) => *there == *self.bytes,
            Search::WithoutCase { .. } => there.eq_ignore_ascii_case(&self.bytes),
        }
    }

    /// The first place at or behind `at` where it stands.
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<usize> {
        let anchor = match &self.search {
            Search::WithCase(finder) => return finder.find(&text[at..]).map(|found| at + found),
            Search::WithoutCase { anchor } => *anchor,
        };
        let byte = self.bytes[anchor];
        let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
        // The anchor stands between the place for what is before it and the place for what is behind it.
        let from = at + anchor;
        let to = (text.len() + anchor + 1).checked_sub(self.bytes.len())?;
        memchr::memchr2_iter(lower, upper, text.get(from..to)?)
            .map(|found| at + found)
            .find(|&position| self.match_at(text, position))
    }
}

/// How often a byte is met in text, roughly: the letters in the order of their frequency in English.
fn frequency(byte: u8) -> usize {
    const LEAST_FIRST: &[u8] = b"zqxjkvbpygfwmucldrhsnioate";
    match byte.to_ascii_lowercase() {
        b' ' => LEAST_FIRST.len() + 1,
        b'0'..=b'9' => LEAST_FIRST.len() / 2,
        other => LEAST_FIRST.iter().position(|&letter| letter == other).map_or(0, |rank| rank + 1),
    }
}
