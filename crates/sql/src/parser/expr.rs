//! Expressions by precedence climbing.
//!
//! The loosest operators come first; each line binds tighter than the one above it:
//!
//! ```text
//!   1  OR
//!   2  AND
//!   3  NOT x                      and the NOT of x NOT LIKE, x NOT IN, x NOT NULL, ...
//!   4  = == <> != IS LIKE GLOB REGEXP MATCH BETWEEN IN ISNULL NOTNULL
//!   5  < <= > >=
//!   6  ESCAPE
//!   7  & | << >>
//!   8  + -
//!   9  * / %
//!  10  || -> ->>
//!  11  COLLATE
//!  12  ~x -x +x
//! ```
//!
//! All binary operators group from left to right, and chains of them are loops. The right operand of an operator
//! is parsed by recursion, which is bounded: it deepens the tree, and trees have a maximal height.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use crate::ast::{Between, BinaryOp, Collate, Expr, ExprKind, In, InSet, Like, LikeOp, Span, UnaryOp};
use crate::error::Result;
use crate::token::{KIND_COUNT, TokenKind};

/// How tight an operator binds. 0 is no operator.
type Precedence = u8;

const OR: Precedence = 1;
const AND: Precedence = 2;
const NOT: Precedence = 3;
const EQUALITY: Precedence = 4;
const COMPARISON: Precedence = 5;
const BITS: Precedence = 7;
const SUM: Precedence = 8;
const PRODUCT: Precedence = 9;
const CONCAT: Precedence = 10;
const COLLATE: Precedence = 11;
const PREFIX: Precedence = 12;

/// An operator behind an operand.
#[derive(Clone, Copy)]
enum Operator {
    /// One with a right operand.
    Binary(BinaryOp),
    Worded(Word),
}

/// The operators that are words, but for AND and OR.
#[derive(Clone, Copy)]
enum Word {
    Not,
    Is,
    IsNull,
    NotNull,
    Between,
    In,
    Like(LikeOp),
    Collate,
}

/// The operator that each token is behind an operand, and how tight it binds.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static INFIX: [Option<(Precedence, Operator)>; KIND_COUNT] = {
    use Operator::*;
    let operators = [
        (OR, TokenKind::Or, Binary(BinaryOp::Or)),
        (AND, TokenKind::And, Binary(BinaryOp::And)),
        (NOT, TokenKind::Not, Worded(Word::Not)),
        (EQUALITY, TokenKind::Equal, Binary(BinaryOp::Eq)),
        (EQUALITY, TokenKind::NotEqual, Binary(BinaryOp::Ne)),
        (EQUALITY, TokenKind::Is, Worded(Word::Is)),
        (EQUALITY, TokenKind::Like, Worded(Word::Like(LikeOp::Like))),
        (EQUALITY, TokenKind::Glob, Worded(Word::Like(LikeOp::Glob))),
        (EQUALITY, TokenKind::Regexp, Worded(Word::Like(LikeOp::Regexp))),
        (EQUALITY, TokenKind::Match, Worded(Word::Like(LikeOp::Match))),
        (EQUALITY, TokenKind::Between, Worded(Word::Between)),
        (EQUALITY, TokenKind::In, Worded(Word::In)),
        (EQUALITY, TokenKind::Isnull, Worded(Word::IsNull)),
        (EQUALITY, TokenKind::Notnull, Worded(Word::NotNull)),
        (COMPARISON, TokenKind::Less, Binary(BinaryOp::Lt)),
        (COMPARISON, TokenKind::LessEqual, Binary(BinaryOp::Le)),
        (COMPARISON, TokenKind::Greater, Binary(BinaryOp::Gt)),
        (COMPARISON, TokenKind::GreaterEqual, Binary(BinaryOp::Ge)),
        (BITS, TokenKind::Ampersand, Binary(BinaryOp::BitAnd)),
        (BITS, TokenKind::Bar, Binary(BinaryOp::BitOr)),
        (BITS, TokenKind::ShiftLeft, Binary(BinaryOp::ShiftLeft)),
        (BITS, TokenKind::ShiftRight, Binary(BinaryOp::ShiftRight)),
        (SUM, TokenKind::Plus, Binary(BinaryOp::Add)),
        (SUM, TokenKind::Minus, Binary(BinaryOp::Subtract)),
        (PRODUCT, TokenKind::Star, Binary(BinaryOp::Multiply)),
        (PRODUCT, TokenKind::Slash, Binary(BinaryOp::Divide)),
        (PRODUCT, TokenKind::Percent, Binary(BinaryOp::Modulo)),
        (CONCAT, TokenKind::Concat, Binary(BinaryOp::Concat)),
        (CONCAT, TokenKind::Arrow, Binary(BinaryOp::Arrow)),
        (CONCAT, TokenKind::DoubleArrow, Binary(BinaryOp::DoubleArrow)),
        (COLLATE, TokenKind::Collate, Worded(Word::Collate)),
    ];
    let mut table = [None; KIND_COUNT];
    let mut at = 0;
    while at < operators.len() {
        let (precedence, kind, operator) = operators[at];
        table[kind as usize] = Some((precedence, operator));
        at += 1;
    }
    table
};

/// The operator that a token is behind an operand, if it binds at least as tight as `least`.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the table has a place for every kind")]
fn operator_above(least: Precedence, kind: TokenKind) -> Option<(Precedence, Operator)> {
    INFIX[kind as usize].filter(|(precedence, _)| *precedence >= least)
}

impl<'a> Parser<'a, '_> {
    /// An expression.
    #[inline]
    pub(super) fn expr(&mut self) -> Result<Expr<'a>> {
        self.expr_above(OR)
    }

    /// An expression whose operators bind at least as tight as `least`.
    fn expr_above(&mut self, least: Precedence) -> Result<Expr<'a>> {
        let start = self.token.span.start;
        let operand = self.prefixed()?;
        if operator_above(least, self.token.kind).is_none() {
            return Ok(operand);
        }
        self.infix(operand, start, least, false)
    }

    /// The operators behind `left`, which starts at `start` (parentheses included).
    /// `before_and` leaves a top-level AND to the BETWEEN that waits for it.
    pub(super) fn infix(
        &mut self,
        mut left: Expr<'a>,
        start: u32,
        least: Precedence,
        before_and: bool,
    ) -> Result<Expr<'a>> {
        loop {
            let kind = self.token.kind;
            let Some((precedence, operator)) = operator_above(least, kind) else { return Ok(left) };
            if before_and && kind == TokenKind::And {
                return Ok(left);
            }
            left = match operator {
                Operator::Binary(op) => {
                    self.advance()?;
                    let right = self.right_operand(precedence)?;
                    self.binary(op, left, right, start)
                }
                Operator::Worded(operator) => self.worded_infix(operator, left, start)?,
            };
        }
    }

    /// What stands on the right of an operator of this precedence.
    fn right_operand(&mut self, precedence: Precedence) -> Result<Expr<'a>> {
        self.enter(2)?;
        let right = self.expr_above(precedence + 1)?;
        self.leave(2);
        Ok(right)
    }

    fn binary(&mut self, op: BinaryOp, left: Expr<'a>, right: Expr<'a>, start: u32) -> Expr<'a> {
        let height = left.height.max(right.height);
        let kind = ExprKind::Binary(op, self.arena.alloc(left), self.arena.alloc(right));
        self.node(kind, start, height)
    }

    /// A node above children of at most this height, from `start` to the last token taken.
    #[inline]
    pub(super) fn node(&mut self, kind: ExprKind<'a>, start: u32, children_height: u32) -> Expr<'a> {
        let height = children_height + 1;
        if height > self.limits.expr_depth {
            self.too_deep();
        }
        Expr { kind, span: self.span_from(start), height }
    }

    #[cold]
    fn too_deep(&mut self) {
        let depth = self.limits.expr_depth;
        self.defer(None, format!("Expression tree is too large (maximum depth {depth})"));
    }

    /// NOT above `expr` if `not` was written.
    fn negated_if(&mut self, not: bool, expr: Expr<'a>) -> Expr<'a> {
        // The node has a flag for NOT; SQLite has a node, which counts.
        self.node(expr.kind, expr.span.start, expr.height - u32::from(!not))
    }

    /// The operators that are words, and their negations.
    #[inline(never)]
    fn worded_infix(&mut self, operator: Word, left: Expr<'a>, start: u32) -> Result<Expr<'a>> {
        let token = self.advance()?;
        match operator {
            Word::Not => self.not_infix(left, start),
            Word::Is => self.is(left, start),
            Word::IsNull => Ok(self.unary(UnaryOp::IsNull, left, start)),
            Word::NotNull => Ok(self.unary(UnaryOp::NotNull, left, start)),
            Word::Between => self.between(left, start, false),
            Word::In => self.in_set(left, start, false),
            Word::Collate => self.collate(left, start),
            Word::Like(op) => self.like(op, token.span, left, start, false),
        }
    }

    fn not_infix(&mut self, left: Expr<'a>, start: u32) -> Result<Expr<'a>> {
        if let Some(op) = like_op(self.token.kind) {
            let token = self.advance()?;
            return self.like(op, token.span, left, start, true);
        }
        match self.token.kind {
            TokenKind::Null => {
                self.advance()?;
                Ok(self.unary(UnaryOp::NotNull, left, start))
            }
            TokenKind::Between => {
                self.advance()?;
                self.between(left, start, true)
            }
            TokenKind::In => {
                self.advance()?;
                self.in_set(left, start, true)
            }
            _ => self.unexpected(),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: Expr<'a>, start: u32) -> Expr<'a> {
        let operand = match (op, operand.kind) {
            // Only 0x8000000000000000 is this number, and its negative is none of 64 bits.
            (UnaryOp::Minus, ExprKind::Integer(i64::MIN)) => {
                Expr { kind: ExprKind::HexTooBig(operand.span.text(self.sql)), ..operand }
            }
            _ => operand,
        };
        let kind = ExprKind::Unary(op, self.arena.alloc(operand));
        self.node(kind, start, operand.height)
    }

    /// IS, IS NOT, IS \[NOT\] DISTINCT FROM.
    fn is(&mut self, left: Expr<'a>, start: u32) -> Result<Expr<'a>> {
        let mut op = if self.take(TokenKind::Not)? { BinaryOp::IsNot } else { BinaryOp::Is };
        if self.take(TokenKind::Distinct)? {
            self.expect(TokenKind::From)?;
            op = if op == BinaryOp::Is { BinaryOp::IsNot } else { BinaryOp::Is };
        }
        let right = self.right_operand(EQUALITY)?;
        Ok(self.binary(op, left, right, start))
    }

    fn like(&mut self, op: LikeOp, op_span: Span, value: Expr<'a>, start: u32, not: bool) -> Result<Expr<'a>> {
        // Nodes with by-value operands start in the arena: operands within operands would pile up on the stack.
        let like = self.arena.alloc(Like { not, op, value, pattern: value, escape: None, op_span });
        let mut height = value.height;
        like.pattern = self.right_operand(EQUALITY)?;
        height = height.max(like.pattern.height);
        if self.take(TokenKind::Escape)? {
            let escape = self.right_operand(EQUALITY)?;
            height = height.max(escape.height);
            like.escape = Some(escape);
        }
        let expr = self.node(ExprKind::Like(like), start, height);
        Ok(self.negated_if(not, expr))
    }

    /// The lower bound ends at the first AND that is not inside an operand of a tighter or equal operator.
    fn between(&mut self, value: Expr<'a>, start: u32, not: bool) -> Result<Expr<'a>> {
        let between = self.arena.alloc(Between { not, value, low: value, high: value });
        self.enter(2)?;
        let low_start = self.token.span.start;
        let operand = self.prefixed()?;
        between.low = self.infix(operand, low_start, OR, true)?;
        self.expect(TokenKind::And)?;
        between.high = self.right_operand(EQUALITY)?;
        self.leave(2);
        let height = between.value.height.max(between.low.height).max(between.high.height);
        let expr = self.node(ExprKind::Between(between), start, height);
        Ok(self.negated_if(not, expr))
    }

    fn in_set(&mut self, value: Expr<'a>, start: u32, not: bool) -> Result<Expr<'a>> {
        let node = self.arena.alloc(In { not, value, set: InSet::List(&[]) });
        self.enter(3)?;
        let set_height = self.in_operand(&mut node.set)?;
        self.leave(3);
        if let (ExprKind::RowValue(row), InSet::List(items)) = (node.value.kind, node.set) {
            self.check_in_widths(row.len(), items);
        }
        let height = node.value.height.max(set_height);
        let expr = self.node(ExprKind::In(node), start, height);
        Ok(self.negated_if(not, expr))
    }

    /// The right side of IN, and its height.
    fn in_operand(&mut self, set: &mut InSet<'a>) -> Result<u32> {
        if !self.take(TokenKind::LeftParen)? {
            let table = self.qualified_name()?;
            let args = if self.at(TokenKind::LeftParen) { self.parenthesized_exprs()? } else { &[] };
            *set = InSet::Table(table, args);
            return Ok(tallest(args));
        }
        let height = if self.at_select() {
            let select = self.select()?;
            *set = InSet::Select(select);
            select.height
        } else {
            let items = self.exprs_until_paren()?;
            // One subquery with parentheses of its own is the set too, not a single value.
            *set = match items {
                [Expr { kind: ExprKind::Subquery(select), .. }] => InSet::Select(select),
                _ => InSet::List(items),
            };
            tallest(items)
        };
        self.expect(TokenKind::RightParen)?;
        Ok(height)
    }

    /// A row value is compared with a list of row values of the same width.
    fn check_in_widths(&mut self, width: usize, items: &[Expr<'a>]) {
        let Some(item) = items.iter().find(|item| item.width() != width) else {
            return;
        };
        let terms = item.width();
        let s = if terms == 1 { "" } else { "s" };
        self.defer(None, format!("IN(...) element has {terms} term{s} - expected {width}"));
    }

    fn collate(&mut self, value: Expr<'a>, start: u32) -> Result<Expr<'a>> {
        let collation = self.id_or_string()?;
        let node = self.arena.alloc(Collate { value, collation });
        Ok(self.node(ExprKind::Collate(node), start, value.height))
    }

    /// An operand with the prefix operators before it.
    #[inline]
    fn prefixed(&mut self) -> Result<Expr<'a>> {
        match self.token.kind {
            TokenKind::Minus | TokenKind::Plus | TokenKind::Tilde | TokenKind::Not => self.prefix_operators(),
            _ => self.primary(),
        }
    }

    /// Runs of prefix operators are parsed by a loop. NOT binds looser than the others, but what follows it
    /// belongs to it wherever it stands: `- NOT a = b` is `-(NOT (a = b))`.
    #[inline(never)]
    fn prefix_operators(&mut self) -> Result<Expr<'a>> {
        let mut operators = ArenaVec::new_in(self.arena);
        while let Some(op) = prefix_op(self.token.kind) {
            // NOT EXISTS is no exception: EXISTS is a primary.
            self.enter(1)?;
            operators.push((op, self.advance()?.span.start));
        }
        let operand_start = self.token.span.start;
        let mut operand = self.primary()?;
        let mut start = operand_start;
        while let Some((op, at)) = operators.pop() {
            let least = if op == UnaryOp::Not { NOT } else { PREFIX };
            operand = self.infix(operand, start, least, false)?;
            operand = self.unary(op, operand, at);
            start = at;
            self.leave(1);
        }
        Ok(operand)
    }
}

impl Expr<'_> {
    /// The number of values: of a row value its length, else 1 (a subquery's width is known later).
    pub fn width(&self) -> usize {
        match self.kind {
            ExprKind::RowValue(values) => values.len(),
            _ => 1,
        }
    }
}

/// The height of the highest.
pub(super) fn tallest(exprs: &[Expr<'_>]) -> u32 {
    exprs.iter().map(|expr| expr.height).max().unwrap_or(0)
}

fn prefix_op(kind: TokenKind) -> Option<UnaryOp> {
    match kind {
        TokenKind::Minus => Some(UnaryOp::Minus),
        TokenKind::Plus => Some(UnaryOp::Plus),
        TokenKind::Tilde => Some(UnaryOp::BitNot),
        TokenKind::Not => Some(UnaryOp::Not),
        _ => None,
    }
}

fn like_op(kind: TokenKind) -> Option<LikeOp> {
    match kind {
        TokenKind::Like => Some(LikeOp::Like),
        TokenKind::Glob => Some(LikeOp::Glob),
        TokenKind::Regexp => Some(LikeOp::Regexp),
        TokenKind::Match => Some(LikeOp::Match),
        _ => None,
    }
}
