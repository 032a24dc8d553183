//! Expressions by precedence climbing.
//!
//! The operators in order of precedence; each line binds tighter than the line above:
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
//! All binary operators are left-associative, and a loop parses a chain of operators. The right operand of an operator is parsed
//! by recursion, whose depth is limited because the height of a tree is limited.

mod function;
pub(super) mod order;
mod parameter;
pub(super) mod primary;
pub(super) mod query;
mod window;

use bumpalo::collections::Vec as ArenaVec;

use super::cursor::Parser;
use crate::ast::{
    Between, BinaryOp, Collate, Expr, ExprKind, In, InSet, Like, LikeOp, Select, SelectCore, SelectNumber, Span,
    UnaryOp,
};
use crate::error::Result;
use crate::token::{KIND_COUNT, TokenKind};
use primary::primary;
use query::{at_select, select};

/// How tight an operator binds. 0: the token is not an operator.
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

/// The meaning of each token after an operand.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static INFIX: [Precedence; KIND_COUNT] = {
    use TokenKind::*;
    let groups: [(Precedence, &[TokenKind]); 10] = [
        (OR, &[Or]),
        (AND, &[And]),
        (NOT, &[Not]),
        (EQUALITY, &[Equal, NotEqual, Is, Like, Glob, Regexp, Match, Between, In, Isnull, Notnull]),
        (COMPARISON, &[Less, LessEqual, Greater, GreaterEqual]),
        (BITS, &[Ampersand, Bar, ShiftLeft, ShiftRight]),
        (SUM, &[Plus, Minus]),
        (PRODUCT, &[Star, Slash, Percent]),
        (CONCAT, &[Concat, Arrow, DoubleArrow]),
        (COLLATE, &[Collate]),
    ];
    let mut table = [0; KIND_COUNT];
    let mut g = 0;
    while g < groups.len() {
        let (precedence, kinds) = groups[g];
        let mut k = 0;
        while k < kinds.len() {
            table[kinds[k] as usize] = precedence;
            k += 1;
        }
        g += 1;
    }
    table
};

/// The meaning of a token after an operand.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the table has a place for every kind")]
fn precedence_of(kind: TokenKind) -> Precedence {
    INFIX[kind as usize]
}

/// An expression.
#[inline]
pub(super) fn expr<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    expr_above(parser, OR)
}

/// `[expr, ...]` before a closing parenthesis, which is not taken.
fn exprs_until_paren<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [Expr<'a>]> {
    if parser.at(TokenKind::RightParen) {
        return Ok(&[]);
    }
    parser.list(expr)
}

/// `( [expr, ...] )`
pub(super) fn parenthesized_exprs<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [Expr<'a>]> {
    parser.expect(TokenKind::LeftParen)?;
    let exprs = exprs_until_paren(parser)?;
    parser.expect(TokenKind::RightParen)?;
    Ok(exprs)
}

/// An expression whose operators have at least the precedence `least`.
fn expr_above<'a>(parser: &mut Parser<'a, '_>, least: Precedence) -> Result<Expr<'a>> {
    let start = parser.token.span.start;
    let operand = prefixed(parser)?;
    if precedence_of(parser.token.kind) < least.max(OR) {
        return Ok(operand);
    }
    infix(parser, operand, start, least, false)
}

/// The operators after `left`, which starts at `start` (parentheses included). If `before_and` is set, a top-level AND belongs to
/// an enclosing BETWEEN and is not taken.
pub(super) fn infix<'a>(
    parser: &mut Parser<'a, '_>,
    mut left: Expr<'a>,
    start: u32,
    least: Precedence,
    before_and: bool,
) -> Result<Expr<'a>> {
    loop {
        let kind = parser.token.kind;
        let precedence = precedence_of(kind);
        if precedence < least.max(OR) || before_and && kind == TokenKind::And {
            return Ok(left);
        }
        if let Some(op) = binary_op(kind) {
            parser.advance()?;
            let right = right_operand(parser, precedence)?;
            left = binary(parser, op, left, right, start);
        } else if let Some(op) = worded_op(kind) {
            left = worded_infix(parser, op, left, start)?;
        } else {
            return Ok(left);
        }
    }
}

/// The right operand of an operator of this precedence.
fn right_operand<'a>(parser: &mut Parser<'a, '_>, precedence: Precedence) -> Result<Expr<'a>> {
    parser.enter(2)?;
    let right = expr_above(parser, precedence + 1)?;
    parser.leave(2);
    Ok(right)
}

fn binary<'a>(parser: &mut Parser<'a, '_>, op: BinaryOp, left: Expr<'a>, right: Expr<'a>, start: u32) -> Expr<'a> {
    let height = left.height.max(right.height);
    let kind = ExprKind::Binary(op, parser.arena.alloc(left), parser.arena.alloc(right));
    parser.node(kind, start, height)
}

/// `expr` as a node that is negated if `not` is set.
fn negated_if<'a>(parser: &mut Parser<'a, '_>, not: bool, expr: Expr<'a>) -> Expr<'a> {
    // The node has a flag for NOT; SQLite has a node of its own, which counts for the height.
    parser.node(expr.kind, expr.span.start, expr.height - u32::from(!not))
}

/// The operators that are words, and their negated forms.
#[inline(never)]
fn worded_infix<'a>(parser: &mut Parser<'a, '_>, op: WordedOp, left: Expr<'a>, start: u32) -> Result<Expr<'a>> {
    let token = parser.advance()?;
    match op {
        WordedOp::Not => not_infix(parser, left, start),
        WordedOp::Is => is(parser, left, start),
        WordedOp::IsNull => Ok(unary(parser, UnaryOp::IsNull, left, start)),
        WordedOp::NotNull => Ok(unary(parser, UnaryOp::NotNull, left, start)),
        WordedOp::Between => between(parser, left, start, false),
        WordedOp::In => in_set(parser, left, start, false),
        WordedOp::Collate => collate(parser, left, start),
        WordedOp::Like(op) => like(parser, op, token.span, left, start, false),
    }
}

fn not_infix<'a>(parser: &mut Parser<'a, '_>, left: Expr<'a>, start: u32) -> Result<Expr<'a>> {
    if let Some(op) = like_op(parser.token.kind) {
        let token = parser.advance()?;
        return like(parser, op, token.span, left, start, true);
    }
    match parser.token.kind {
        TokenKind::Null => {
            parser.advance()?;
            Ok(unary(parser, UnaryOp::NotNull, left, start))
        }
        TokenKind::Between => {
            parser.advance()?;
            between(parser, left, start, true)
        }
        TokenKind::In => {
            parser.advance()?;
            in_set(parser, left, start, true)
        }
        _ => parser.unexpected(),
    }
}

fn unary<'a>(parser: &mut Parser<'a, '_>, op: UnaryOp, operand: Expr<'a>, start: u32) -> Expr<'a> {
    let operand = match (op, operand.kind) {
        // Only 0x8000000000000000 has this value, and its negation does not fit 64 bits.
        (UnaryOp::Minus, ExprKind::Integer(i64::MIN)) => {
            Expr { kind: ExprKind::HexTooBig(operand.span.text(parser.sql)), ..operand }
        }
        _ => operand,
    };
    let kind = ExprKind::Unary(op, parser.arena.alloc(operand));
    parser.node(kind, start, operand.height)
}

/// IS, IS NOT, IS \[NOT\] DISTINCT FROM.
fn is<'a>(parser: &mut Parser<'a, '_>, left: Expr<'a>, start: u32) -> Result<Expr<'a>> {
    let mut op = if parser.take(TokenKind::Not)? { BinaryOp::IsNot } else { BinaryOp::Is };
    if parser.take(TokenKind::Distinct)? {
        parser.expect(TokenKind::From)?;
        op = if op == BinaryOp::Is { BinaryOp::IsNot } else { BinaryOp::Is };
    }
    let right = right_operand(parser, EQUALITY)?;
    Ok(binary(parser, op, left, right, start))
}

fn like<'a>(
    parser: &mut Parser<'a, '_>,
    op: LikeOp,
    op_span: Span,
    value: Expr<'a>,
    start: u32,
    not: bool,
) -> Result<Expr<'a>> {
    // Nodes with operands by value are allocated in the arena, because nested operands would add them to the native stack
    // repeatedly.
    let op_text = parser.lexer.text(op_span);
    let like = parser.arena.alloc(Like { not, op, value, pattern: value, escape: None, op_span, op_text });
    let mut height = value.height;
    like.pattern = right_operand(parser, EQUALITY)?;
    height = height.max(like.pattern.height);
    if parser.take(TokenKind::Escape)? {
        let escape = right_operand(parser, EQUALITY)?;
        height = height.max(escape.height);
        like.escape = Some(escape);
    }
    let expr = parser.node(ExprKind::Like(like), start, height);
    Ok(negated_if(parser, not, expr))
}

/// The lower bound ends at the first AND that is not inside an operand of a tighter or equal operator.
fn between<'a>(parser: &mut Parser<'a, '_>, value: Expr<'a>, start: u32, not: bool) -> Result<Expr<'a>> {
    let between = parser.arena.alloc(Between { not, value, low: value, high: value });
    parser.enter(2)?;
    let low_start = parser.token.span.start;
    let operand = prefixed(parser)?;
    between.low = infix(parser, operand, low_start, OR, true)?;
    parser.expect(TokenKind::And)?;
    between.high = right_operand(parser, EQUALITY)?;
    parser.leave(2);
    let height = between.value.height.max(between.low.height).max(between.high.height);
    let expr = parser.node(ExprKind::Between(between), start, height);
    Ok(negated_if(parser, not, expr))
}

fn in_set<'a>(parser: &mut Parser<'a, '_>, value: Expr<'a>, start: u32, not: bool) -> Result<Expr<'a>> {
    let node = parser.arena.alloc(In { not, value, set: InSet::List(&[]) });
    parser.enter(3)?;
    let set_height = in_operand(parser, &mut node.set)?;
    parser.leave(3);
    if let (ExprKind::RowValue(row), InSet::List(items @ [_, ..])) = (node.value.kind, node.set) {
        check_in_widths(parser, row.len(), items);
        node.set = InSet::Select(values_of_list(parser, items));
    }
    let height = node.value.height.max(set_height);
    let expr = parser.node(ExprKind::In(node), start, height);
    Ok(negated_if(parser, not, expr))
}

/// The right side of IN, and its height.
fn in_operand<'a>(parser: &mut Parser<'a, '_>, set: &mut InSet<'a>) -> Result<u32> {
    if !parser.take(TokenKind::LeftParen)? {
        let table = parser.qualified_name()?;
        let args = if parser.at(TokenKind::LeftParen) { parenthesized_exprs(parser)? } else { &[] };
        *set = InSet::Table(table, args, parser.number_select());
        return Ok(tallest(args));
    }
    let height = if at_select(parser) {
        let select = select(parser)?;
        *set = InSet::Select(select);
        select.height
    } else {
        let items = exprs_until_paren(parser)?;
        // A single subquery in its own parentheses is the set, too, and not a single value.
        *set = match items {
            [Expr { kind: ExprKind::Subquery(select), .. }] => InSet::Select(select),
            _ => InSet::List(items),
        };
        tallest(items)
    };
    parser.expect(TokenKind::RightParen)?;
    Ok(height)
}

/// The row values of a list as the query that they are in SQLite.
fn values_of_list<'a>(parser: &mut Parser<'a, '_>, items: &'a [Expr<'a>]) -> &'a Select<'a> {
    let row = |item: &'a Expr<'a>| match item.kind {
        ExprKind::RowValue(values) => values,
        _ => std::slice::from_ref(item),
    };
    let rows = parser.arena.alloc_slice_fill_iter(items.iter().map(row));
    let number = items.iter().fold(SelectNumber::default(), |_, _| parser.number_select());
    let span = items.first().map_or(Span::default(), |item| parser.span_from(item.span.start));
    parser.arena.alloc(Select {
        with: None,
        first: SelectCore::Values(rows),
        has_rows_apart: true,
        number,
        rest: &[],
        order_by: &[],
        limit: None,
        span,
        height: tallest(items),
    })
}

/// Defers an error if an item of the list has another width than the left operand.
fn check_in_widths<'a>(parser: &mut Parser<'a, '_>, width: usize, items: &[Expr<'a>]) {
    let Some(item) = items.iter().find(|item| item.width() != width) else {
        return;
    };
    let terms = item.width();
    let s = if terms == 1 { "" } else { "s" };
    parser.defer(None, format!("IN(...) element has {terms} term{s} - expected {width}"));
}

fn collate<'a>(parser: &mut Parser<'a, '_>, value: Expr<'a>, start: u32) -> Result<Expr<'a>> {
    let collation = parser.id_or_string()?;
    let node = parser.arena.alloc(Collate { value, collation });
    Ok(parser.node(ExprKind::Collate(node), start, value.height))
}

/// An operand with its prefix operators.
#[inline]
fn prefixed<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    match parser.token.kind {
        TokenKind::Minus | TokenKind::Plus | TokenKind::Tilde | TokenKind::Not => prefix_operators(parser),
        _ => primary(parser),
    }
}

/// A loop parses a run of prefix operators. NOT binds looser than the other operators, but its operand extends as far as possible
/// at every position: `- NOT a = b` is `-(NOT (a = b))`.
#[inline(never)]
fn prefix_operators<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let mut operators = ArenaVec::new_in(parser.arena);
    while let Some(op) = prefix_op(parser.token.kind) {
        // NOT EXISTS needs no special case: EXISTS is a primary.
        parser.enter(1)?;
        operators.push((op, parser.advance()?.span.start));
    }
    let operand_start = parser.token.span.start;
    let mut operand = primary(parser)?;
    let mut start = operand_start;
    while let Some((op, at)) = operators.pop() {
        let least = if op == UnaryOp::Not { NOT } else { PREFIX };
        operand = infix(parser, operand, start, least, false)?;
        operand = unary(parser, op, operand, at);
        start = at;
        parser.leave(1);
    }
    Ok(operand)
}

impl Expr<'_> {
    /// The number of values: the length of a row value, 1 otherwise (the width of a subquery is not known yet).
    pub fn width(&self) -> usize {
        match self.kind {
            ExprKind::RowValue(values) => values.len(),
            _ => 1,
        }
    }
}

/// The height of the highest expression.
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

/// The operators that are words, and COLLATE.
#[derive(Clone, Copy)]
enum WordedOp {
    /// NOT before LIKE, IN, BETWEEN, NULL.
    Not,
    Is,
    IsNull,
    NotNull,
    Between,
    In,
    Collate,
    Like(LikeOp),
}

fn worded_op(kind: TokenKind) -> Option<WordedOp> {
    match kind {
        TokenKind::Not => Some(WordedOp::Not),
        TokenKind::Is => Some(WordedOp::Is),
        TokenKind::Isnull => Some(WordedOp::IsNull),
        TokenKind::Notnull => Some(WordedOp::NotNull),
        TokenKind::Between => Some(WordedOp::Between),
        TokenKind::In => Some(WordedOp::In),
        TokenKind::Collate => Some(WordedOp::Collate),
        _ => like_op(kind).map(WordedOp::Like),
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

#[inline]
fn binary_op(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::Or => BinaryOp::Or,
        TokenKind::And => BinaryOp::And,
        TokenKind::Equal => BinaryOp::Eq,
        TokenKind::NotEqual => BinaryOp::Ne,
        TokenKind::Less => BinaryOp::Lt,
        TokenKind::LessEqual => BinaryOp::Le,
        TokenKind::Greater => BinaryOp::Gt,
        TokenKind::GreaterEqual => BinaryOp::Ge,
        TokenKind::Ampersand => BinaryOp::BitAnd,
        TokenKind::Bar => BinaryOp::BitOr,
        TokenKind::ShiftLeft => BinaryOp::ShiftLeft,
        TokenKind::ShiftRight => BinaryOp::ShiftRight,
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Subtract,
        TokenKind::Star => BinaryOp::Multiply,
        TokenKind::Slash => BinaryOp::Divide,
        TokenKind::Percent => BinaryOp::Modulo,
        TokenKind::Concat => BinaryOp::Concat,
        TokenKind::Arrow => BinaryOp::Arrow,
        TokenKind::DoubleArrow => BinaryOp::DoubleArrow,
        _ => return None,
    })
}
