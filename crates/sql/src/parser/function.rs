//! Function calls and windows.

use super::Parser;
use super::expr::tallest;
use crate::ast::{
    Expr, ExprKind, Frame, FrameBound, FrameExclude, FrameUnit, FunctionCall, Ident, OrderTerm, Over, Window,
};
use crate::error::Result;
use crate::token::TokenKind;

/// Entries on the parser's stack: name, parenthesis, DISTINCT.
const CALL_ENTRIES: u32 = 3;

impl<'a> Parser<'a, '_> {
    /// The call of `name`; the opening parenthesis is the current token.
    #[inline(never)]
    pub(super) fn function_call(&mut self, name: Ident<'a>) -> Result<Expr<'a>> {
        self.enter(CALL_ENTRIES)?;
        let mut call =
            FunctionCall { name, distinct: false, star: false, args: &[], order_by: &[], filter: None, over: None };
        self.expect(TokenKind::LeftParen)?;
        call.star = self.take(TokenKind::Star)?;
        if !call.star {
            self.arguments(&mut call)?;
        }
        self.expect(TokenKind::RightParen)?;
        self.leave(CALL_ENTRIES);
        if call.args.len() > self.limits.function_args as usize {
            let text = self.lossy(name.span());
            let message = format!("too many arguments on function {text}");
            self.defer(Some(name.span().start), message);
        }
        let height = tallest(call.args).max(tallest_term(call.order_by));
        self.filter_and_over(&mut call)?;
        Ok(self.node(ExprKind::Function(self.arena.alloc(call)), name.span().start, height))
    }

    fn arguments(&mut self, call: &mut FunctionCall<'a>) -> Result<()> {
        call.distinct = self.take(TokenKind::Distinct)?;
        if !call.distinct {
            self.take(TokenKind::All)?;
        }
        if !self.at(TokenKind::RightParen) && !self.at(TokenKind::Order) {
            call.args = self.list(Self::expr)?;
        }
        call.order_by = self.order_by()?;
        Ok(())
    }

    fn filter_and_over(&mut self, call: &mut FunctionCall<'a>) -> Result<()> {
        if self.take(TokenKind::Filter)? {
            self.enter(3)?;
            self.expect_all(&[TokenKind::LeftParen, TokenKind::Where])?;
            call.filter = Some(self.expr()?);
            self.expect(TokenKind::RightParen)?;
            self.leave(3);
        }
        if self.take(TokenKind::Over)? {
            call.over = Some(match self.at(TokenKind::LeftParen) {
                true => Over::Window(self.arena.alloc(self.window()?)),
                false => Over::Name(self.name()?),
            });
        }
        Ok(())
    }

    /// `( [base] [PARTITION BY ...] [ORDER BY ...] [frame] )`
    pub(super) fn window(&mut self) -> Result<Window<'a>> {
        self.enter(4)?;
        self.expect(TokenKind::LeftParen)?;
        let base = match self.token.kind {
            TokenKind::Partition | TokenKind::Rows | TokenKind::Range | TokenKind::Groups => None,
            kind if kind.is_name() => Some(self.name()?),
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
            return Ok(FrameExclude::NoOthers);
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

/// The height of the highest expression sorted by.
pub(super) fn tallest_term(terms: &[OrderTerm<'_>]) -> u32 {
    terms.iter().map(|term| term.expr.height).max().unwrap_or(0)
}
