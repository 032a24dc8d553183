//! The literals of SELECT, UPDATE and DELETE: those that WHERE compares with something, and those that SET assigns.
//!
//! ```text
//!   UPDATE t SET b = 'x', c = c + 1 WHERE a > 17 AND d IN (3, 4)
//!                    ───                      ──
//! ```
//!
//! Only the outermost WHERE counts, outside all parentheses, and only literals that are a whole operand there. A query has no
//! template beyond its first SELECT. The literals elsewhere have a meaning of their own: result columns are named by them, ORDER BY 1 is
//! a column, LIMIT 1 changes the plan.

use super::{Place, Reader, is_end, literal};
use crate::lexer::is_space;
use crate::token::{Token, TokenKind};

/// Whether a literal may follow a comparison, near the beginning of the text: most statements without such literals need not be divided
/// into tokens to find out that they have none.
pub(super) fn may_have(sql: &[u8]) -> bool {
    const NEAR: usize = 1024;
    let near = sql.get(..NEAR).unwrap_or(sql);
    memchr::memchr3_iter(b'=', b'<', b'>', near).any(|at| {
        let mut behind = near.get(at + 1..).unwrap_or_default().iter();
        let first = behind.find(|byte| !is_space(**byte));
        // A comment or a sign begins with a minus or a slash.
        first.is_some_and(|byte| byte.is_ascii_digit() || b"'.-/xX".contains(byte))
    })
}

/// Reads a statement behind its first word; returns the offset behind it.
pub(super) fn read(reader: &mut Reader<'_, '_>, first: TokenKind) -> Option<usize> {
    let mut operands =
        Operands { reader, clause: Clause::Before, depth: 0, is_update: first == TokenKind::Update, behind_last: 0 };
    operands.statement()
}

/// The clause that is read, as far as it matters for literals.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    /// What stands before WHERE.
    Before,
    /// The assignments of SET.
    Set,
    Where,
    /// What stands behind WHERE.
    Behind,
    Returning,
}

struct Operands<'s, 'r, 't> {
    reader: &'t mut Reader<'s, 'r>,
    clause: Clause,
    /// The number of open parentheses.
    depth: u32,
    is_update: bool,
    /// The offset behind the last token but the one that was read last.
    behind_last: u32,
}

impl Operands<'_, '_, '_> {
    fn statement(&mut self) -> Option<usize> {
        let mut token = self.next();
        loop {
            match token.kind {
                kind if is_end(kind) => return self.end(token),
                TokenKind::Parameter | TokenKind::Illegal => return None,
                TokenKind::LeftParen => self.depth += 1,
                TokenKind::RightParen => self.depth = self.depth.checked_sub(1)?,
                _ => {}
            }
            token = if self.depth == 0 { self.outside_parentheses(token.kind)? } else { self.next() };
        }
    }

    fn next(&mut self) -> Token {
        self.behind_last = self.reader.lexer.offset();
        self.reader.lexer.next_significant()
    }

    /// Reads what the token introduces; returns the token behind.
    fn outside_parentheses(&mut self, kind: TokenKind) -> Option<Token> {
        match (self.clause, kind) {
            (Clause::Before, TokenKind::Set) if self.is_update => {
                self.clause = Clause::Set;
                return self.assignment();
            }
            (Clause::Set, TokenKind::Comma) => return self.assignment(),
            (Clause::Set, TokenKind::From) => self.clause = Clause::Before,
            (Clause::Before | Clause::Set, TokenKind::Where) => self.clause = Clause::Where,
            (Clause::Where, kind) if is_comparison(kind) => return self.operand(Place::Operand, ends_operand),
            (_, TokenKind::Returning) => self.clause = Clause::Returning,
            (_, TokenKind::Group | TokenKind::Having | TokenKind::Window | TokenKind::Order | TokenKind::Limit)
            | (_, TokenKind::Union | TokenKind::Intersect | TokenKind::Except)
            | (Clause::Where, TokenKind::Case) => self.clause = Clause::Behind,
            _ => {}
        }
        Some(self.next())
    }

    /// `column = literal` of SET. Of another assignment, reads the first token or the first two.
    fn assignment(&mut self) -> Option<Token> {
        let column = self.next();
        if matches!(column.kind, TokenKind::LeftParen | TokenKind::Parameter | TokenKind::Illegal)
            || is_end(column.kind)
        {
            return Some(column);
        }
        let equal = self.next();
        if equal.kind == TokenKind::Equal { self.operand(Place::Value, ends_value) } else { Some(equal) }
    }

    /// Reads the literal behind a comparison or an assignment, if there is one; it becomes a parameter if it is the whole operand.
    fn operand(&mut self, place: Place, ends: fn(TokenKind) -> bool) -> Option<Token> {
        let mut token = self.next();
        let minus = (token.kind == TokenKind::Minus).then_some(token.span);
        if minus.is_some() {
            token = self.next();
        }
        let Some(literal) = literal(&self.reader.lexer, token, minus, place) else { return Some(token) };
        let after = self.next();
        if ends(after.kind) {
            self.reader.parameterise(literal)?;
        }
        Some(after)
    }

    /// The end of the statement.
    fn end(&mut self, end: Token) -> Option<usize> {
        if self.depth > 0 {
            return None;
        }
        let ends_with_name = self.clause == Clause::Returning;
        let behind = self.reader.sql.get(self.behind_last as usize..end.span.start as usize).unwrap_or_default();
        if ends_with_name && !behind.iter().all(|byte| is_space(*byte)) {
            return None;
        }
        self.reader.template.ends_with_name = ends_with_name;
        self.reader.copy_to(self.behind_last);
        Some(end.span.end as usize)
    }
}

fn is_comparison(kind: TokenKind) -> bool {
    use TokenKind::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(kind, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// Whether nothing more belongs to the operand of a comparison before this token.
fn ends_operand(kind: TokenKind) -> bool {
    use TokenKind::{And, Group, Limit, Or, Order, Returning};
    matches!(kind, And | Or | Group | Order | Limit | Returning) || is_end(kind)
}

/// Whether nothing more belongs to the value of an assignment before this token.
fn ends_value(kind: TokenKind) -> bool {
    use TokenKind::{Comma, From, Limit, Order, Returning, Where};
    matches!(kind, Comma | From | Where | Order | Limit | Returning) || is_end(kind)
}
