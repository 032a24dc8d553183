//! GLOB's sets of characters: `[abc]`, `[a-z]`, `[^a-z]`.

use crate::bytes;
use crate::utf8;

/// The characters between brackets.
#[derive(Clone, Debug)]
pub(super) struct Set {
    is_negated: bool,
    /// Pairs of first and last character.
    ranges: Box<[(u32, u32)]>,
}

impl Set {
    /// Reads the set behind the opening bracket, up to and including the closing one; `None` if there is no closing
    /// one.
    pub(super) fn parse(rest: &mut &[u8]) -> Option<Set> {
        let is_negated = rest.first() == Some(&b'^');
        if is_negated {
            *rest = bytes::after(rest, 1);
        }
        let mut ranges = Vec::new();
        // A range can begin with the character before the hyphen, unless that character ended a range or was a bracket.
        let mut before_hyphen = None;
        if rest.first() == Some(&b']') {
            *rest = bytes::after(rest, 1);
            ranges.push((u32::from(b']'), u32::from(b']')));
        }
        loop {
            let character = next(rest)?;
            if character == u32::from(b']') {
                return Some(Set { is_negated, ranges: ranges.into() });
            }
            let ends_here = matches!(rest.first(), None | Some(b']'));
            match before_hyphen {
                Some(first) if character == u32::from(b'-') && !ends_here => {
                    ranges.push((first, next(rest)?));
                    before_hyphen = None;
                }
                _ => {
                    ranges.push((character, character));
                    before_hyphen = Some(character);
                }
            }
        }
    }

    pub(super) fn contains(&self, character: u32) -> bool {
        let is_listed = self.ranges.iter().any(|&(first, last)| (first..=last).contains(&character));
        is_listed != self.is_negated
    }
}

fn next(rest: &mut &[u8]) -> Option<u32> {
    let (character, len) = utf8::decode(rest)?;
    *rest = bytes::after(rest, len);
    Some(character)
}
