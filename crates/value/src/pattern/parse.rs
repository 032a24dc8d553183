//! Pattern text to segments.

use super::literal::Literal;
use super::segment::{Element, Segment};
use super::set::Set;
use super::{Dialect, Pattern};
use crate::bytes;
use crate::utf8;

/// One piece of a pattern.
enum Piece {
    /// `%` or `*`.
    AnyText,
    Element(Element),
    /// A plain character.
    Character(u32),
}

/// Parses a pattern.
pub(super) fn parse(pattern: &[u8], dialect: Dialect, escape: Option<u32>) -> Pattern {
    let mut parser = Parser { rest: pattern, dialect, escape };
    let mut built = Built::default();
    let (mut begins_open, mut ends_open) = (false, false);
    while !parser.rest.is_empty() {
        let Some(piece) = parser.piece() else {
            return Pattern { segments: None, begins_open, ends_open };
        };
        ends_open = matches!(piece, Piece::AnyText);
        match piece {
            Piece::AnyText => {
                begins_open |= built.is_empty();
                built.end_segment(dialect);
            }
            Piece::Element(element) => {
                built.end_literal(dialect);
                built.elements.push(element);
            }
            Piece::Character(character) => match u8::try_from(character) {
                Ok(byte) if byte.is_ascii() => built.literal.push(byte),
                _ => {
                    built.end_literal(dialect);
                    built.elements.push(Element::Character(character));
                }
            },
        }
    }
    built.end_segment(dialect);
    Pattern { segments: Some(built.segments.into()), begins_open, ends_open }
}

/// The parts that have been parsed so far.
#[derive(Default)]
struct Built {
    segments: Vec<Segment>,
    elements: Vec<Element>,
    literal: Vec<u8>,
}

impl Built {
    fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.elements.is_empty() && self.literal.is_empty()
    }

    fn end_literal(&mut self, dialect: Dialect) {
        if !self.literal.is_empty() {
            let literal = Literal::new(std::mem::take(&mut self.literal), dialect != Dialect::Like);
            self.elements.push(Element::Literal(literal));
        }
    }

    fn end_segment(&mut self, dialect: Dialect) {
        self.end_literal(dialect);
        if !self.elements.is_empty() {
            self.segments.push(Segment::new(std::mem::take(&mut self.elements)));
        }
    }
}

struct Parser<'a> {
    rest: &'a [u8],
    dialect: Dialect,
    escape: Option<u32>,
}

impl Parser<'_> {
    /// The next piece; `None` if it makes the pattern match nothing.
    fn piece(&mut self) -> Option<Piece> {
        let character = self.next()?;
        if self.dialect == Dialect::Glob {
            return Some(match u8::try_from(character) {
                Ok(b'*') => Piece::AnyText,
                Ok(b'?') => Piece::Element(Element::Any),
                Ok(b'[') => Piece::Element(Element::Set(Set::parse(&mut self.rest)?)),
                _ => Piece::Character(character),
            });
        }
        if self.escape == Some(character) {
            return self.next().map(Piece::Character);
        }
        Some(match u8::try_from(character) {
            Ok(b'%') => Piece::AnyText,
            Ok(b'_') => Piece::Element(Element::Any),
            _ => Piece::Character(character),
        })
    }

    fn next(&mut self) -> Option<u32> {
        let (character, len) = utf8::decode(self.rest)?;
        self.rest = bytes::after(self.rest, len);
        Some(character)
    }
}
