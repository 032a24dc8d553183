//! LIKE and GLOB.
//!
//! A pattern is parsed once and matched against many texts. `%` (GLOB: `*`) divides it into segments:
//!
//! ```text
//!   %ab_c%d   =   (anything)  segment "ab" any "c"  (anything)  segment "d"  end
//! ```
//!
//! The first segment must match at the start unless the pattern begins with `%`, the last one at the end unless the
//! pattern ends with `%`, and each one between at its first occurrence, because a later one would only leave less text
//! for the following segments. So there is no backtracking and no recursion, whatever the pattern; the time is bounded
//! by the product of both lengths, and for plain text between the wildcards it is that of a substring search.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `parse` | pattern text to segments |
//! | `segment` | matching and finding one segment |
//! | `literal` | finding plain ASCII, with its case or without |
//! | `set` | GLOB's `[...]` |

mod literal;
mod parse;
mod segment;
mod set;

use crate::bytes;
use crate::utf8;
use segment::Segment;

/// The longest pattern in bytes, unless SQLITE_LIMIT_LIKE_PATTERN_LENGTH says otherwise.
pub const LENGTH_MAX: usize = 50_000;

/// The error for a longer pattern.
pub const TOO_COMPLEX: &str = "LIKE or GLOB pattern too complex";

/// The operator that a pattern belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// LIKE, the letters of ASCII without their case.
    Like,
    /// LIKE under PRAGMA case_sensitive_like.
    LikeWithCase,
    /// GLOB.
    Glob,
}

/// A LIKE or GLOB pattern, ready to match.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The parts between the wildcards for any length; `None` if nothing can match.
    segments: Option<Box<[Segment]>>,
    /// The pattern begins with such a wildcard.
    begins_open: bool,
    /// The pattern ends with such a wildcard.
    ends_open: bool,
}

impl Pattern {
    /// Parses `pattern`. `escape` is the character behind which a wildcard is a plain character (LIKE only). Bytes
    /// behind a NUL are not part of the pattern.
    pub fn new(pattern: &[u8], dialect: Dialect, escape: Option<u32>) -> Pattern {
        parse::parse(utf8::until_nul(pattern), dialect, escape)
    }

    /// Whether the whole of `text`, up to a NUL, matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        let Some(segments) = self.segments.as_deref() else { return false };
        if let ([segment], true, true) = (segments, self.begins_open, self.ends_open) {
            // The most frequent pattern: a part that stands anywhere in the text, before a NUL.
            match segment.find(text, 0) {
                None => return false,
                Some(end) if memchr::memchr(0, bytes::up_to(text, end)).is_none() => return true,
                Some(_) => {}
            }
        }
        self.matches_until_nul(segments, text)
    }

    /// As [`Pattern::matches`], whatever the pattern is.
    fn matches_until_nul(&self, segments: &[Segment], text: &[u8]) -> bool {
        // With an open end, a text that does not match together with the bytes behind its NUL does not match without them:
        // so most texts need no search for one.
        if self.ends_open && !segments.is_empty() && !self.segments_match(segments, text) {
            return false;
        }
        let text = match memchr::memchr(0, text) {
            Some(nul) => bytes::up_to(text, nul),
            None if self.ends_open => return true,
            None => text,
        };
        if segments.is_empty() { self.begins_open || text.is_empty() } else { self.segments_match(segments, text) }
    }

    /// Whether the beginning of `text` matches what is before the pattern's first wildcard for any number of characters; `false` if it has none.
    pub fn begins(&self, text: &[u8]) -> bool {
        let has_wildcard = |segments: &[Segment]| segments.len() > 1 || self.ends_open;
        let first = self.segments.as_deref().filter(|segments| has_wildcard(segments)).and_then(<[Segment]>::first);
        self.begins_open || first.is_some_and(|first| first.match_at(utf8::until_nul(text), 0).is_some())
    }

    fn segments_match(&self, mut segments: &[Segment], text: &[u8]) -> bool {
        let mut at = 0;
        if !self.begins_open {
            let Some((first, others)) = segments.split_first() else { return text.is_empty() };
            match first.match_at(text, 0) {
                Some(end) => at = end,
                None => return false,
            }
            if others.is_empty() {
                return self.ends_open || at == text.len();
            }
            segments = others;
        }
        let last = if self.ends_open { None } else { segments.split_last() };
        let between = last.map_or(segments, |(_, between)| between);
        for segment in between {
            match segment.find(text, at) {
                Some(end) => at = end,
                None => return false,
            }
        }
        last.is_none_or(|(last, _)| last.match_end(text, at))
    }
}

#[cfg(test)]
mod tests;
