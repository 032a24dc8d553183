//! Windows: the WINDOW clause, the parentheses after OVER, frames.

use bumpalo::collections::Vec as ArenaVec;

use super::expr;
use super::order::order_by;
use crate::ast::{Frame, FrameBound, FrameExclude, FrameUnit, Ident, Name, Quote, Window, WindowDef};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::token::TokenKind;

/// The definitions of a WINDOW clause. Each definition may extend an earlier one.
pub(super) fn window_defs<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [WindowDef<'a>]> {
    let mut defs: ArenaVec<'a, WindowDef<'a>> = ArenaVec::new_in(parser.arena);
    loop {
        let name = window_name(parser)?;
        parser.expect(TokenKind::As)?;
        let mut window = window(parser)?;
        // SQLite ignores the base of the first definition.
        let base = window.base.take().filter(|_| !defs.is_empty());
        if let Some(base) = base {
            extend_window(parser, &mut window, base, &defs);
        }
        defs.push(WindowDef { name, window });
        if !parser.take(TokenKind::Comma)? {
            return Ok(defs.into_bump_slice());
        }
    }
}

fn extend_window<'a>(parser: &mut Parser<'a, '_>, window: &mut Window<'a>, base: Ident<'a>, defs: &[WindowDef<'a>]) {
    let name = base.name;
    match defs.iter().rev().find(|def| def.name.name == name) {
        None => parser.defer(None, format!("no such window: {name}")),
        Some(def) => match window.extending(&def.window) {
            Ok(extended) => *window = extended,
            Err(clause) => parser.defer(None, format!("cannot override {clause} of window: {name}")),
        },
    }
}

/// The name of a window, quotes included: SQLite compares these names as written.
pub(super) fn window_name<'a>(parser: &mut Parser<'a, '_>) -> Result<Ident<'a>> {
    let span = parser.name()?.span();
    Ok(Ident::new(Name::new(span.text(parser.sql)), span, Quote::None))
}

/// `( [base] [PARTITION BY ...] [ORDER BY ...] [frame] )`
pub(super) fn window<'a>(parser: &mut Parser<'a, '_>) -> Result<Window<'a>> {
    parser.enter(4)?;
    parser.expect(TokenKind::LeftParen)?;
    let base = match parser.token.kind {
        TokenKind::Partition | TokenKind::Rows | TokenKind::Range | TokenKind::Groups => None,
        kind if kind.is_name() => Some(window_name(parser)?),
        _ => None,
    };
    let partition_by = match parser.take(TokenKind::Partition)? {
        true => {
            parser.expect(TokenKind::By)?;
            parser.list(expr)?
        }
        false => &[],
    };
    let order_by = order_by(parser)?;
    let frame = frame(parser)?;
    parser.expect(TokenKind::RightParen)?;
    parser.leave(4);
    Ok(Window { base, partition_by, order_by, frame })
}

fn frame<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<Frame<'a>>> {
    let unit = match parser.token.kind {
        TokenKind::Rows => FrameUnit::Rows,
        TokenKind::Range => FrameUnit::Range,
        TokenKind::Groups => FrameUnit::Groups,
        _ => return Ok(None),
    };
    parser.advance()?;
    let between = parser.take(TokenKind::Between)?;
    let start = frame_bound(parser, true)?;
    let end = match between {
        true => {
            parser.expect(TokenKind::And)?;
            frame_bound(parser, false)?
        }
        false => FrameBound::CurrentRow,
    };
    let exclude = frame_exclude(parser)?;
    if ends_before_it_starts(&start, &end) {
        parser.defer(None, "unsupported frame specification");
    }
    Ok(Some(Frame { unit, start, end, exclude }))
}

/// UNBOUNDED is followed by PRECEDING at the start and by FOLLOWING at the end.
fn frame_bound<'a>(parser: &mut Parser<'a, '_>, at_start: bool) -> Result<FrameBound<'a>> {
    match parser.token.kind {
        TokenKind::Unbounded => {
            parser.advance()?;
            if at_start {
                parser.expect(TokenKind::Preceding)?;
                return Ok(FrameBound::UnboundedPreceding);
            }
            parser.expect(TokenKind::Following)?;
            Ok(FrameBound::UnboundedFollowing)
        }
        TokenKind::Current => {
            parser.advance()?;
            parser.expect(TokenKind::Row)?;
            Ok(FrameBound::CurrentRow)
        }
        _ => {
            let distance = parser.arena.alloc(expr(parser)?);
            if parser.take(TokenKind::Preceding)? {
                return Ok(FrameBound::Preceding(distance));
            }
            parser.expect(TokenKind::Following)?;
            Ok(FrameBound::Following(distance))
        }
    }
}

fn frame_exclude(parser: &mut Parser<'_, '_>) -> Result<FrameExclude> {
    if !parser.take(TokenKind::Exclude)? {
        return Ok(FrameExclude::Absent);
    }
    let (second, exclude) = match parser.token.kind {
        TokenKind::No => (Some(TokenKind::Others), FrameExclude::NoOthers),
        TokenKind::Current => (Some(TokenKind::Row), FrameExclude::CurrentRow),
        TokenKind::Group => (None, FrameExclude::Group),
        TokenKind::Ties => (None, FrameExclude::Ties),
        _ => return parser.unexpected(),
    };
    parser.advance()?;
    if let Some(second) = second {
        parser.expect(second)?;
    }
    Ok(exclude)
}

fn ends_before_it_starts(start: &FrameBound<'_>, end: &FrameBound<'_>) -> bool {
    matches!(
        (start, end),
        (FrameBound::CurrentRow, FrameBound::Preceding(_))
            | (FrameBound::Following(_), FrameBound::Preceding(_) | FrameBound::CurrentRow)
    )
}
