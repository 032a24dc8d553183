//! Makes a tree of the tokens of a MATCH.
//!
//! A function for each level of precedence; [`Parser::depth`] counts what SQLite's parser would have on its stack, which
//! bounds the recursion.

use lithe_value::Grow;
use lithe_value::grow::collected;
use lithe_vtab::{FunctionError, Lossy, code};

use super::lexer::{Kind, Lexer, Token};
use super::{Expr, NEAR_DEFAULT, Near, Phrase, Term};
use crate::Result;
use crate::config::Detail;
use crate::tokenizer::Purpose;

/// How high a tree may be.
const HEIGHT_MAX: usize = 256;
/// How many symbols fit the stack of SQLite's parser.
const STACK_MAX: usize = 100;
/// How many of them the innermost phrase takes, with the bottom of the stack.
const STACK_OF_PHRASE: usize = 4;

/// Makes tokens of a string of a query.
pub type Tokenize<'t> = dyn FnMut(&[u8], Purpose) -> Result<Vec<Term>> + 't;

/// The properties of the table that the parser reads.
pub struct Request<'r> {
    /// The names of its columns.
    pub columns: &'r [&'r str],
    /// The option `detail`.
    pub detail: Detail,
    /// Makes tokens of strings.
    pub tokenize: &'r mut Tokenize<'r>,
}

/// Parses a query.
///
/// # Errors
/// SQLite's messages: of several, that of the error which comes first in the text.
pub fn parse(text: &[u8], request: Request<'_>) -> Result<Expr> {
    let mut lexer = Lexer::new(text);
    let token = lexer.next_token()?;
    let mut parser = Parser { lexer, token, request, depth: 0 };
    let (expr, _) = parser.or()?;
    parser.expect(Kind::End)?;
    Ok(expr)
}

/// Whether queries can be restricted to columns.
///
/// # Errors
/// If the index does not know columns.
pub fn check_restriction(detail: Detail) -> Result {
    match detail {
        Detail::None => Err(FunctionError::new("fts5: column queries are not supported (detail=none)")),
        Detail::Full | Detail::Columns => Ok(()),
    }
}

struct Parser<'q, 'r> {
    lexer: Lexer<'q>,
    token: Token<'q>,
    request: Request<'r>,
    depth: usize,
}

/// A tree and its height; phrases have none.
type Tree = (Expr, usize);

impl<'q> Parser<'q, '_> {
    fn shift(&mut self) -> Result<Token<'q>> {
        let next = self.lexer.next_token()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn expect(&mut self, kind: Kind) -> Result<Token<'q>> {
        if self.token.kind == kind { self.shift() } else { Err(self.token.error()) }
    }

    fn accept(&mut self, kind: Kind) -> Result<bool> {
        let is_here = self.token.kind == kind;
        if is_here {
            self.shift()?;
        }
        Ok(is_here)
    }

    /// Runs `parse` with so many more symbols on the stack.
    fn deeper<T>(&mut self, symbols: usize, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += symbols;
        if self.depth + STACK_OF_PHRASE > STACK_MAX {
            return Err(FunctionError::new("fts5: parser stack overflow"));
        }
        let result = parse(self);
        self.depth -= symbols;
        result
    }

    fn or(&mut self) -> Result<Tree> {
        let mut left = self.and()?;
        while self.accept(Kind::Or)? {
            let right = self.deeper(2, Self::and)?;
            left = join(left, right, false)?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Tree> {
        let mut left = self.not()?;
        while self.accept(Kind::And)? {
            let right = self.deeper(2, Self::not)?;
            left = join(left, right, true)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Tree> {
        let mut left = self.primary()?;
        while self.accept(Kind::Not)? {
            let right = self.deeper(2, Self::primary)?;
            let height = checked_height(left.1.max(right.1) + 1)?;
            left = (Expr::Not(Box::new(left.0), Box::new(right.0)), height);
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Tree> {
        if self.token.kind == Kind::LeftParen {
            return self.parentheses(1);
        }
        let first = match self.near_or_columns()? {
            Found::Near(near) => near,
            Found::Columns(columns) if self.token.kind == Kind::LeftParen => {
                let (mut expr, height) = self.parentheses(3)?;
                check_restriction(self.request.detail)?;
                expr.restrict(&columns);
                return Ok((expr, height));
            }
            Found::Columns(columns) => self.restricted(columns)?,
        };
        self.beside(first)
    }

    fn parentheses(&mut self, symbols: usize) -> Result<Tree> {
        self.shift()?;
        let tree = self.deeper(symbols, Self::or)?;
        self.expect(Kind::RightParen)?;
        Ok(tree)
    }

    /// Phrases side by side. Those without tokens are left out, unless there is no other one.
    fn beside(&mut self, first: Near) -> Result<Tree> {
        let mut all = vec![self.checked(first)?];
        while matches!(self.token.kind, Kind::String | Kind::Caret | Kind::Minus | Kind::LeftBrace) {
            let near = match self.near_or_columns()? {
                Found::Near(near) => self.checked(near)?,
                Found::Columns(columns) => self.restricted(columns)?,
            };
            if !near.is_empty() {
                all.pop_if(|last| last.is_empty());
                all.try_push(near)?;
            }
        }
        if all.len() == 1 {
            return Ok((Expr::Near(all.swap_remove(0)), 0));
        }
        Ok((Expr::And(collected(all.into_iter().map(Expr::Near))?), 1))
    }

    /// Checks that the option `detail` allows this.
    fn checked(&self, near: Near) -> Result<Near> {
        let kind = match near.phrases.as_slice() {
            _ if self.request.detail == Detail::Full => return Ok(near),
            [phrase] if phrase.terms.is_empty() || phrase.terms.len() == 1 && !phrase.is_first => return Ok(near),
            [_] => "phrase",
            _ => "NEAR",
        };
        Err(FunctionError::new(format!("fts5: {kind} queries are not supported (detail!=full)")))
    }

    fn restricted(&mut self, columns: Vec<usize>) -> Result<Near> {
        let near = match self.token.kind {
            Kind::Caret => self.initial()?,
            _ => {
                let string = self.expect(Kind::String)?;
                self.near(string)?
            }
        };
        let near = self.checked(near)?;
        check_restriction(self.request.detail)?;
        Ok(Near { columns: Some(columns), ..near })
    }

    fn near_or_columns(&mut self) -> Result<Found> {
        if self.token.kind == Kind::Caret {
            return Ok(Found::Near(self.initial()?));
        }
        let is_inverted = self.accept(Kind::Minus)?;
        let columns = if self.accept(Kind::LeftBrace)? {
            let mut columns = Vec::new();
            while columns.is_empty() || self.token.kind != Kind::RightBrace {
                let name = self.expect(Kind::String)?;
                columns.push(self.column(&name)?);
            }
            self.shift()?;
            columns
        } else {
            let string = self.expect(Kind::String)?;
            if !is_inverted && self.token.kind != Kind::Colon {
                return Ok(Found::Near(self.near(string)?));
            }
            vec![self.column(&string)?]
        };
        self.expect(Kind::Colon)?;
        let wanted = |column: &usize| columns.contains(column) != is_inverted;
        Ok(Found::Columns((0..self.request.columns.len()).filter(wanted).collect()))
    }

    fn column(&self, name: &Token<'_>) -> Result<usize> {
        let name = name.unquoted()?;
        let found = self.request.columns.iter().position(|column| column.as_bytes().eq_ignore_ascii_case(&name));
        found.ok_or_else(|| FunctionError::quoting(code::ERROR, format_args!("no such column: {}", Lossy(&name))))
    }

    fn initial(&mut self) -> Result<Near> {
        self.shift()?;
        let string = self.expect(Kind::String)?;
        let phrase = self.phrase(&string)?;
        Ok(Near::single(Phrase { is_first: true, ..phrase }))
    }

    /// A phrase, or NEAR with its phrases: what follows the string tells.
    fn near(&mut self, string: Token<'q>) -> Result<Near> {
        if self.token.kind != Kind::LeftParen {
            return Ok(Near::single(self.phrase(&string)?));
        }
        self.shift()?;
        let mut phrases: Vec<Phrase> = Vec::new();
        while phrases.is_empty() || self.token.kind == Kind::String {
            let string = self.expect(Kind::String)?;
            let phrase = self.phrase(&string)?;
            if phrases.is_empty() || !phrase.terms.is_empty() {
                phrases.pop_if(|last| last.terms.is_empty());
                phrases.try_push(phrase)?;
            }
        }
        let distance = if self.accept(Kind::Comma)? { Some(self.expect(Kind::String)?) } else { None };
        self.expect(Kind::RightParen)?;
        if string.text != b"NEAR" {
            return Err(string.error());
        }
        let distance = distance.map_or(Ok(NEAR_DEFAULT), |token| integer(&token))?;
        Ok(Near { columns: None, phrases, distance })
    }

    fn phrase(&mut self, first: &Token<'q>) -> Result<Phrase> {
        let mut phrase = Phrase::default();
        self.add(&mut phrase, first)?;
        while self.accept(Kind::Plus)? {
            let string = self.expect(Kind::String)?;
            self.add(&mut phrase, &string)?;
        }
        Ok(phrase)
    }

    /// Adds the tokens of a string to a phrase. Whether a `*` follows the string goes for the last token of the phrase, be it
    /// one of an earlier string.
    fn add(&mut self, phrase: &mut Phrase, string: &Token<'q>) -> Result {
        let is_prefix = self.accept(Kind::Star)?;
        let purpose = if is_prefix { Purpose::QueryPrefix } else { Purpose::Query };
        let terms = (self.request.tokenize)(&string.unquoted()?, purpose)?;
        if phrase.terms.is_empty() {
            phrase.terms = terms;
        } else {
            phrase.terms.try_extend(terms)?;
        }
        if let Some(last) = phrase.terms.last_mut() {
            last.is_prefix = is_prefix;
        }
        Ok(())
    }
}

enum Found {
    Near(Near),
    Columns(Vec<usize>),
}

fn integer(token: &Token<'_>) -> Result<u32> {
    if !token.text.iter().all(u8::is_ascii_digit) {
        let message = format_args!("expected integer, got \"{}\"", Lossy(token.text));
        return Err(FunctionError::quoting(code::ERROR, message));
    }
    // Beyond what an offset can be, all distances mean the same.
    let digit = |sum: u32, byte: &u8| sum.saturating_mul(10).saturating_add(u32::from(byte - b'0'));
    Ok(token.text.iter().fold(0, digit).min(i32::MAX as u32))
}

fn checked_height(height: usize) -> Result<usize> {
    if height > HEIGHT_MAX {
        let message = format!("fts5 expression tree is too large (maximum depth {HEIGHT_MAX})");
        return Err(FunctionError::new(message));
    }
    Ok(height)
}

/// AND or OR of two trees; what is a node of that kind already takes the other one in.
fn join(left: Tree, right: Tree, is_and: bool) -> Result<Tree> {
    let (left_is_flat, right_is_flat) = (is_node(&left.0, is_and), is_node(&right.0, is_and));
    let below = |height: usize, is_flat: bool| if is_flat { height.saturating_sub(1) } else { height };
    let height = checked_height(below(left.1, left_is_flat).max(below(right.1, right_is_flat)) + 1)?;
    let mut all = children(left.0, left_is_flat);
    all.try_extend(children(right.0, right_is_flat))?;
    Ok((if is_and { Expr::And(all) } else { Expr::Or(all) }, height))
}

fn is_node(expr: &Expr, is_and: bool) -> bool {
    matches!((expr, is_and), (Expr::And(_), true) | (Expr::Or(_), false))
}

fn children(expr: Expr, is_flat: bool) -> Vec<Expr> {
    match expr {
        Expr::And(all) | Expr::Or(all) if is_flat => all,
        one => vec![one],
    }
}
