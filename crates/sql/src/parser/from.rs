//! FROM: tables, subqueries, table-valued functions, and what joins them.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{Expr, FromItem, Ident, Indexed, Join, JoinConstraint, JoinKind, Source, Span};
use crate::error::Result;
use crate::token::TokenKind;

/// An item before anything of it is parsed.
const NOTHING: FromItem<'static> = FromItem {
    join: COMMA,
    source: Source::Nested(&[]),
    alias: None,
    indexed: Indexed::Any,
    constraint: JoinConstraint::None,
    span: Span::new(0, 0),
};

/// A comma, or nothing on the left at all.
const COMMA: Join = Join { natural: false, kind: JoinKind::Comma };

impl<'a> Parser<'a, '_> {
    /// The items of FROM, behind the keyword.
    pub(super) fn joined_items(&mut self) -> Result<&'a [FromItem<'a>]> {
        let mut items = ArenaVec::with_capacity_in(1, self.arena);
        let mut join = Some(COMMA);
        while let Some(left) = join {
            // Filled in where it stays, not on the native stack, where nested lists would pile it up.
            items.push(NOTHING);
            if let Some(item) = items.last_mut() {
                self.joined_item(left, item)?;
            }
            if let [first] = &items[..] {
                self.check_first(&first.constraint);
            }
            join = self.join()?;
        }
        Ok(items.into_bump_slice())
    }

    fn joined_item(&mut self, join: Join, item: &mut FromItem<'a>) -> Result<()> {
        let start = self.token.span.start;
        item.join = join;
        self.source(&mut item.source)?;
        item.alias = self.alias()?;
        if matches!(item.source, Source::Table(_)) {
            item.indexed = self.indexed()?;
        }
        item.constraint = self.join_constraint()?;
        item.span = self.span_from(start);
        Ok(())
    }

    #[inline(never)]
    fn source(&mut self, source: &mut Source<'a>) -> Result<()> {
        if self.at(TokenKind::LeftParen) {
            return self.parenthesized_source(source);
        }
        let name = self.qualified_name()?;
        *source = match self.at(TokenKind::LeftParen) {
            true => Source::Function(name, self.source_args()?),
            false => Source::Table(name),
        };
        Ok(())
    }

    #[inline(never)]
    fn source_args(&mut self) -> Result<&'a [Expr<'a>]> {
        self.enter(4)?;
        let args = self.parenthesized_exprs()?;
        self.leave(4);
        Ok(args)
    }

    #[inline(never)]
    fn parenthesized_source(&mut self, source: &mut Source<'a>) -> Result<()> {
        const ENTRIES: u32 = 2;
        self.expect(TokenKind::LeftParen)?;
        self.enter(ENTRIES)?;
        *source = match self.at_select() {
            true => Source::Subquery(self.select()?),
            false => Source::Nested(self.joined_items()?),
        };
        self.expect(TokenKind::RightParen)?;
        self.leave(ENTRIES);
        Ok(())
    }

    /// `AS name`, or an identifier or string without AS.
    #[inline]
    pub(super) fn alias(&mut self) -> Result<Option<Ident<'a>>> {
        if self.take(TokenKind::As)? {
            return self.name().map(Some);
        }
        if self.at_id_or_string() { self.take_ident().map(Some) } else { Ok(None) }
    }

    /// INDEXED BY name, NOT INDEXED.
    pub(super) fn indexed(&mut self) -> Result<Indexed<'a>> {
        if self.take(TokenKind::Indexed)? {
            self.expect(TokenKind::By)?;
            return Ok(Indexed::By(self.name()?));
        }
        if self.take(TokenKind::Not)? {
            self.expect(TokenKind::Indexed)?;
            return Ok(Indexed::Not);
        }
        Ok(Indexed::Any)
    }

    /// The first of a list has nothing to be joined to.
    fn check_first(&mut self, constraint: &JoinConstraint<'a>) {
        let word = match constraint {
            JoinConstraint::None => return,
            JoinConstraint::On(_) => "ON",
            JoinConstraint::Using(_) => "USING",
        };
        self.defer(None, format!("a JOIN clause is required before {word}"));
    }

    #[inline(never)]
    fn join_constraint(&mut self) -> Result<JoinConstraint<'a>> {
        match self.token.kind {
            TokenKind::On => {
                self.advance()?;
                Ok(JoinConstraint::On(self.expr()?))
            }
            TokenKind::Using => {
                self.advance()?;
                Ok(JoinConstraint::Using(self.parenthesized_list(Self::name)?))
            }
            _ => Ok(JoinConstraint::None),
        }
    }

    /// The operator before the next item, if there is one.
    fn join(&mut self) -> Result<Option<Join>> {
        match self.token.kind {
            TokenKind::Comma => {
                self.advance()?;
                Ok(Some(COMMA))
            }
            TokenKind::Join => {
                self.advance()?;
                Ok(Some(Join { natural: false, kind: JoinKind::Inner }))
            }
            kind if is_join_word(kind) => self.worded_join().map(Some),
            _ => Ok(None),
        }
    }

    /// Up to three words before JOIN. The first is a join word; the grammar takes any name for the others.
    #[inline(never)]
    fn worded_join(&mut self) -> Result<Join> {
        let start = self.token.span.start;
        let mut words = JoinWords::default();
        let mut spans = ArenaVec::new_in(self.arena);
        loop {
            let word = self.advance()?;
            words.add(word.kind);
            spans.push(word.span);
            if spans.len() == 3 || self.at(TokenKind::Join) || !self.token.kind.is_name() {
                break;
            }
        }
        self.expect(TokenKind::Join)?;
        if let Some(join) = words.join() {
            return Ok(join);
        }
        let texts: Vec<_> = spans.iter().map(|span| self.lossy(*span)).collect();
        self.defer(Some(start), format!("unknown join type: {}", texts.join(" ")));
        Ok(COMMA)
    }
}

fn is_join_word(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Natural | Left | Right | Full | Outer | Inner | Cross)
}

/// The words before JOIN, in whatever order and however often they stand.
#[derive(Default)]
struct JoinWords {
    natural: bool,
    left: bool,
    right: bool,
    outer: bool,
    inner: bool,
    cross: bool,
    unknown: bool,
}

impl JoinWords {
    fn add(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Natural => self.natural = true,
            TokenKind::Left => (self.left, self.outer) = (true, true),
            TokenKind::Right => (self.right, self.outer) = (true, true),
            TokenKind::Full => (self.left, self.right, self.outer) = (true, true, true),
            TokenKind::Outer => self.outer = true,
            TokenKind::Inner => self.inner = true,
            TokenKind::Cross => (self.cross, self.inner) = (true, true),
            _ => self.unknown = true,
        }
    }

    /// INNER and OUTER contradict each other, and OUTER needs a side.
    fn join(&self) -> Option<Join> {
        if self.unknown || self.inner && self.outer {
            return None;
        }
        let kind = match (self.left, self.right) {
            (true, true) => JoinKind::Full,
            (true, false) => JoinKind::Left,
            (false, true) => JoinKind::Right,
            (false, false) if self.outer => return None,
            (false, false) if self.cross => JoinKind::Cross,
            (false, false) => JoinKind::Inner,
        };
        Some(Join { natural: self.natural, kind })
    }
}
