//! FROM: tables, subqueries, table-valued functions, and join operators.

use bumpalo::collections::Vec as ArenaVec;

use super::{at_select, select};
use crate::ast::{Expr, FromItem, Indexed, Join, JoinConstraint, JoinKind, Source, Span};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::expr::{expr, parenthesized_exprs};
use crate::parser::names::alias;
use crate::token::TokenKind;

/// An empty item, before it is parsed.
const NOTHING: FromItem<'static> = FromItem {
    join: COMMA,
    source: Source::Nested(&[]),
    alias: None,
    indexed: Indexed::Any,
    constraint: JoinConstraint::None,
    number: None,
    span: Span::new(0, 0),
};

/// A comma, or no operator.
const COMMA: Join = Join { natural: false, kind: JoinKind::Comma };

/// The items of FROM, after the keyword.
pub(crate) fn joined_items<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [FromItem<'a>]> {
    let mut items = ArenaVec::with_capacity_in(1, parser.arena);
    let mut join = Some(COMMA);
    while let Some(left) = join {
        // Filled in its place in the arena, because nested lists would add it to the native stack repeatedly.
        items.push(NOTHING);
        if let Some(item) = items.last_mut() {
            joined_item(parser, left, item)?;
        }
        if let [first] = &items[..] {
            check_first(parser, &first.constraint);
        }
        let is_first = items.len() == 1;
        if let Some(item) = items.last_mut()
            && is_join_of_its_own(item, is_first)
        {
            item.number = Some(parser.number_select());
        }
        join = join_operator(parser)?;
    }
    Ok(items.into_bump_slice())
}

fn joined_item<'a>(parser: &mut Parser<'a, '_>, join: Join, item: &mut FromItem<'a>) -> Result<()> {
    let start = parser.token.span.start;
    item.join = join;
    source(parser, &mut item.source)?;
    item.alias = alias(parser)?;
    if matches!(item.source, Source::Table(_)) {
        item.indexed = indexed(parser)?;
    }
    item.constraint = join_constraint(parser)?;
    item.span = parser.span_from(start);
    Ok(())
}

/// Whether a join in parentheses counts as a SELECT: it has several items, and is not the first item of FROM without alias and
/// condition.
fn is_join_of_its_own(item: &FromItem<'_>, is_first: bool) -> bool {
    let Source::Nested(inner) = item.source else { return false };
    let is_bare = item.alias.is_none() && matches!(item.constraint, JoinConstraint::None);
    !(is_first && is_bare) && item_count(inner) > 1
}

/// The number of items of a list without redundant parentheses around its first items.
fn item_count(items: &[FromItem<'_>]) -> usize {
    match items {
        [first, rest @ ..] => match first.source {
            Source::Nested(inner) if first.number.is_none() => item_count(inner) + rest.len(),
            _ => items.len(),
        },
        [] => 0,
    }
}

#[inline(never)]
fn source<'a>(parser: &mut Parser<'a, '_>, source: &mut Source<'a>) -> Result<()> {
    if parser.at(TokenKind::LeftParen) {
        return parenthesized_source(parser, source);
    }
    let name = parser.qualified_name()?;
    *source = match parser.at(TokenKind::LeftParen) {
        true => Source::Function(name, source_args(parser)?),
        false => Source::Table(name),
    };
    Ok(())
}

#[inline(never)]
fn source_args<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [Expr<'a>]> {
    parser.enter(4)?;
    let args = parenthesized_exprs(parser)?;
    parser.leave(4);
    Ok(args)
}

#[inline(never)]
fn parenthesized_source<'a>(parser: &mut Parser<'a, '_>, source: &mut Source<'a>) -> Result<()> {
    const ENTRIES: u32 = 2;
    parser.expect(TokenKind::LeftParen)?;
    parser.enter(ENTRIES)?;
    *source = match at_select(parser) {
        true => Source::Subquery(select(parser)?),
        false => Source::Nested(joined_items(parser)?),
    };
    parser.expect(TokenKind::RightParen)?;
    parser.leave(ENTRIES);
    Ok(())
}

/// INDEXED BY name, NOT INDEXED.
pub(crate) fn indexed<'a>(parser: &mut Parser<'a, '_>) -> Result<Indexed<'a>> {
    if parser.take(TokenKind::Indexed)? {
        parser.expect(TokenKind::By)?;
        return Ok(Indexed::By(parser.name()?));
    }
    if parser.take(TokenKind::Not)? {
        parser.expect(TokenKind::Indexed)?;
        return Ok(Indexed::Not);
    }
    Ok(Indexed::Any)
}

/// Defers an error if the first item of a list has a condition.
fn check_first<'a>(parser: &mut Parser<'a, '_>, constraint: &JoinConstraint<'a>) {
    let word = match constraint {
        JoinConstraint::None => return,
        JoinConstraint::On(_) => "ON",
        JoinConstraint::Using(_) => "USING",
    };
    parser.defer(None, format!("a JOIN clause is required before {word}"));
}

#[inline(never)]
fn join_constraint<'a>(parser: &mut Parser<'a, '_>) -> Result<JoinConstraint<'a>> {
    match parser.token.kind {
        TokenKind::On => {
            parser.advance()?;
            Ok(JoinConstraint::On(expr(parser)?))
        }
        TokenKind::Using => {
            parser.advance()?;
            Ok(JoinConstraint::Using(parser.parenthesized_list(Parser::name)?))
        }
        _ => Ok(JoinConstraint::None),
    }
}

/// The operator before the next item, if there is one.
fn join_operator(parser: &mut Parser<'_, '_>) -> Result<Option<Join>> {
    match parser.token.kind {
        TokenKind::Comma => {
            parser.advance()?;
            Ok(Some(COMMA))
        }
        TokenKind::Join => {
            parser.advance()?;
            Ok(Some(Join { natural: false, kind: JoinKind::Inner }))
        }
        kind if is_join_word(kind) => worded_join(parser).map(Some),
        _ => Ok(None),
    }
}

/// Up to three words before JOIN. The first is a join keyword; the grammar accepts any names after it.
#[inline(never)]
fn worded_join(parser: &mut Parser<'_, '_>) -> Result<Join> {
    let start = parser.token.span.start;
    let mut words = JoinWords::default();
    let mut spans = ArenaVec::new_in(parser.arena);
    loop {
        let word = parser.advance()?;
        words.add(word.kind);
        spans.push(word.span);
        if spans.len() == 3 || parser.at(TokenKind::Join) || !parser.token.kind.is_name() {
            break;
        }
    }
    parser.expect(TokenKind::Join)?;
    if let Some(join) = words.join() {
        return Ok(join);
    }
    let texts: Vec<_> = spans.iter().map(|span| parser.lossy(*span)).collect();
    parser.defer(Some(start), format!("unknown join type: {}", texts.join(" ")));
    Ok(COMMA)
}

fn is_join_word(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Natural | Left | Right | Full | Outer | Inner | Cross)
}

/// The words before JOIN, in any order and any number.
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

    /// INNER and OUTER contradict each other, and OUTER requires LEFT, RIGHT or FULL.
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
