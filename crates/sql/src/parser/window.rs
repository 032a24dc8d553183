//! Windows: the WINDOW clause, what stands in parentheses behind OVER, frames.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{Frame, FrameBound, FrameExclude, FrameUnit, Ident, Name, Quote, Window, WindowDef};
use crate::error::Result;
use crate::token::TokenKind;

impl<'a> Parser<'a, '_> {
    /// The definitions of a WINDOW clause. Each but the first may extend one before it.
    pub(super) fn window_defs(&mut self) -> Result<&'a [WindowDef<'a>]> {
        let mut defs: ArenaVec<'a, WindowDef<'a>> = ArenaVec::new_in(self.arena);
        loop {
            let name = self.window_name()?;
            self.expect(TokenKind::As)?;
            let mut window = self.window()?;
            // SQLite never looks at the base of the first.
            let base = window.base.take().filter(|_| !defs.is_empty());
            if let Some(base) = base {
                self.extend_window(&mut window, base, &defs);
            }
            defs.push(WindowDef { name, window });
            if !self.take(TokenKind::Comma)? {
                return Ok(defs.into_bump_slice());
            }
        }
    }

    fn extend_window(&mut self, window: &mut Window<'a>, base: Ident<'a>, defs: &[WindowDef<'a>]) {
        let name = base.name;
        match defs.iter().rev().find(|def| def.name.name == name) {
            None => self.defer(None, format!("no such window: {name}")),
            Some(def) => match window.extending(&def.window) {
                Ok(extended) => *window = extended,
                Err(clause) => self.defer(None, format!("cannot override {clause} of window: {name}")),
            },
        }
    }

    /// The name of a window, quotes included: SQLite compares these names as they are written.
    pub(super) fn window_name(&mut self) -> Result<Ident<'a>> {
        let span = self.name()?.span();
        Ok(Ident::new(Name::new(span.text(self.sql)), span, Quote::None))
    }

    /// `( [base] [PARTITION BY ...] [ORDER BY ...] [frame] )`
    pub(super) fn window(&mut self) -> Result<Window<'a>> {
        self.enter(4)?;
        self.expect(TokenKind::LeftParen)?;
        let base = match self.token.kind {
            TokenKind::Partition | TokenKind::Rows | TokenKind::Range | TokenKind::Groups => None,
            kind if kind.is_name() => Some(self.window_name()?),
            _ => None,
        };
        let partition_by = match self.take(TokenKind::Partition)? {
            true => {
                self.expect(TokenKind::By)?;
                self.list(Self::expr)?
            }
            false => &[],
        };
        let order_by = self.order_by()?;
        let frame = self.frame()?;
        self.expect(TokenKind::RightParen)?;
        self.leave(4);
        Ok(Window { base, partition_by, order_by, frame })
    }

    fn frame(&mut self) -> Result<Option<Frame<'a>>> {
        let unit = match self.token.kind {
            TokenKind::Rows => FrameUnit::Rows,
            TokenKind::Range => FrameUnit::Range,
            TokenKind::Groups => FrameUnit::Groups,
            _ => return Ok(None),
        };
        self.advance()?;
        let between = self.take(TokenKind::Between)?;
        let start = self.frame_bound(true)?;
        let end = match between {
            true => {
                self.expect(TokenKind::And)?;
                self.frame_bound(false)?
            }
            false => FrameBound::CurrentRow,
        };
        let exclude = self.frame_exclude()?;
        if ends_before_it_starts(&start, &end) {
            self.defer(None, "unsupported frame specification");
        }
        Ok(Some(Frame { unit, start, end, exclude }))
    }

    /// UNBOUNDED goes with PRECEDING at the start and with FOLLOWING at the end only.
    fn frame_bound(&mut self, at_start: bool) -> Result<FrameBound<'a>> {
        match self.token.kind {
            TokenKind::Unbounded => {
                self.advance()?;
                if at_start {
                    self.expect(TokenKind::Preceding)?;
                    return Ok(FrameBound::UnboundedPreceding);
                }
                self.expect(TokenKind::Following)?;
                Ok(FrameBound::UnboundedFollowing)
            }
            TokenKind::Current => {
                self.advance()?;
                self.expect(TokenKind::Row)?;
                Ok(FrameBound::CurrentRow)
            }
            _ => {
                let distance = self.arena.alloc(self.expr()?);
                if self.take(TokenKind::Preceding)? {
                    return Ok(FrameBound::Preceding(distance));
                }
                self.expect(TokenKind::Following)?;
                Ok(FrameBound::Following(distance))
            }
        }
    }

    fn frame_exclude(&mut self) -> Result<FrameExclude> {
        if !self.take(TokenKind::Exclude)? {
            return Ok(FrameExclude::Absent);
        }
        let (second, exclude) = match self.token.kind {
            TokenKind::No => (Some(TokenKind::Others), FrameExclude::NoOthers),
            TokenKind::Current => (Some(TokenKind::Row), FrameExclude::CurrentRow),
            TokenKind::Group => (None, FrameExclude::Group),
            TokenKind::Ties => (None, FrameExclude::Ties),
            _ => return self.unexpected(),
        };
        self.advance()?;
        if let Some(second) = second {
            self.expect(second)?;
        }
        Ok(exclude)
    }
}

fn ends_before_it_starts(start: &FrameBound<'_>, end: &FrameBound<'_>) -> bool {
    matches!(
        (start, end),
        (FrameBound::CurrentRow, FrameBound::Preceding(_))
            | (FrameBound::Following(_), FrameBound::Preceding(_) | FrameBound::CurrentRow)
    )
}
