//! One segment of a pattern: the part between two wildcards for any length.

use super::literal::Literal;
use super::set::Set;
use crate::utf8;

/// A sequence of elements that match one after the other. Not empty.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    elements: Box<[Element]>,
}

#[derive(Clone, Debug)]
pub(super) enum Element {
    /// Plain ASCII.
    Literal(Literal),
    /// A plain character that is not ASCII.
    Character(u32),
    /// `_` or `?`.
    Any,
    /// `[...]`.
    Set(Set),
}

impl Segment {
    pub(super) fn new(elements: Vec<Element>) -> Segment {
        assert!(!elements.is_empty(), "a segment has something to match");
        Segment { elements: elements.into() }
    }

    /// The end of the match at `at`; `None` if the segment does not match there.
    pub(super) fn match_at(&self, text: &[u8], at: usize) -> Option<usize> {
        self.elements.iter().try_fold(at, |at, element| element.match_at(text, at))
    }

    /// The end of the first match at or behind `at`.
    #[inline]
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<usize> {
        if let [Element::Literal(literal)] = &*self.elements {
            return literal.find(text, at).map(|position| position + literal.len());
        }
        self.positions(text, at).find_map(|position| self.match_at(text, position))
    }

    /// Whether the segment matches at or behind `at` with its end at the end of the text.
    pub(super) fn match_end(&self, text: &[u8], at: usize) -> bool {
        if let [Element::Literal(literal)] = &*self.elements {
            let start = text.len().checked_sub(literal.len());
            return start.is_some_and(|start| start >= at && literal.match_at(text, start));
        }
        self.positions(text, at).any(|position| self.match_at(text, position) == Some(text.len()))
    }

    /// The positions at or behind `at` where a match may begin.
    fn positions<'a>(&'a self, text: &'a [u8], at: usize) -> impl Iterator<Item = usize> + 'a {
        let mut next = Some(at);
        std::iter::from_fn(move || {
            let at = next?;
            let position = match self.elements.first()? {
                Element::Literal(literal) => literal.find(text, at),
                _ => Some(at),
            };
            next = position.and_then(|position| step(text, position));
            position
        })
    }
}

/// The position behind the character at `at`; `None` at the end.
fn step(text: &[u8], at: usize) -> Option<usize> {
    utf8::decode(text.get(at..)?).map(|(_, len)| at + len)
}

impl Element {
    fn match_at(&self, text: &[u8], at: usize) -> Option<usize> {
        match self {
            Element::Literal(literal) => literal.match_at(text, at).then_some(at + literal.len()),
            Element::Any => step(text, at),
            Element::Character(wanted) => {
                let (character, len) = utf8::decode(text.get(at..)?)?;
                (character == *wanted).then_some(at + len)
            }
            Element::Set(set) => {
                let (character, len) = utf8::decode(text.get(at..)?)?;
                set.contains(character).then_some(at + len)
            }
        }
    }
}
