//! Moving through the tokens: taking and expecting tokens, names, lists, and the limit of nesting.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::parameters::ParameterList;
use crate::ast::{Expr, ExprKind, Ident, Name, QualifiedName, SelectNumber, Span};
use crate::error::{ParseError, Result, error, error_at};
use crate::lexer::{Lexer, is_space};
use crate::limits::Limits;
use crate::text::{quote_of, unquote};
use crate::token::{Token, TokenKind};

/// Entries on the stack of SQLite's parser below a statement.
const BASE_ENTRIES: u32 = 3;

/// The space for the items of a list, at first.
const LIST_LEN: usize = 8;

/// The state of a parse: the position, and the data collected about the statement.
pub(super) struct Parser<'a, 'l> {
    pub(super) sql: &'a [u8],
    pub(super) arena: &'a Bump,
    pub(super) limits: &'l Limits,
    pub(super) lexer: Lexer<'a>,
    /// The next token, which is not taken yet.
    pub(super) token: Token,
    /// The last token taken.
    pub(super) previous: Token,
    /// The number of entries that SQLite's parser would have on its stack for the open productions.
    pub(super) depth: u32,
    pub(super) parameters: ParameterList<'a>,
    /// The number of SELECTs that have a number.
    pub(super) select_count: u32,
    /// Whether a WITH clause has been seen: see `values`.
    pub(super) with_seen: bool,
    /// An error that is raised when the next token is taken: see [`Parser::defer`].
    pub(super) deferred: Option<Box<ParseError>>,
    /// Comments are not allowed, or there is a deferred error.
    is_careful: bool,
}

impl<'a, 'l> Parser<'a, 'l> {
    /// A parser before its first token: the caller must call [`Parser::advance`] once.
    pub(super) fn new(sql: &'a [u8], arena: &'a Bump, limits: &'l Limits) -> Parser<'a, 'l> {
        let nothing = Token { kind: TokenKind::Semicolon, span: Span::new(0, 0) };
        Parser {
            sql,
            arena,
            limits,
            lexer: Lexer::new(sql),
            token: nothing,
            previous: nothing,
            depth: BASE_ENTRIES,
            parameters: ParameterList::new(arena),
            select_count: 0,
            with_seen: false,
            deferred: None,
            is_careful: !limits.comments,
        }
    }

    /// Takes the current token and reads the next one.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<Token> {
        let token = self.token;
        self.step()?;
        Ok(token)
    }

    /// Reads the next token.
    #[inline(never)] // a single copy, with the lexer in it
    fn step(&mut self) -> Result<()> {
        if self.is_careful {
            return self.step_with_care();
        }
        self.previous = self.token;
        self.token = self.lexer.next_significant();
        if self.token.kind.wants_care() { self.look_at_token() } else { Ok(()) }
    }

    /// As [`Parser::step`], where an error was deferred, or comments are not allowed.
    #[cold]
    fn step_with_care(&mut self) -> Result<()> {
        self.raise_deferred()?;
        self.previous = self.token;
        self.token = if self.limits.comments { self.lexer.next_significant() } else { self.next_or_comment() };
        self.look_at_token()
    }

    /// Fails if the current token is illegal, and decides what a contextual keyword is.
    #[cold]
    fn look_at_token(&mut self) -> Result<()> {
        match self.token.kind {
            TokenKind::Illegal | TokenKind::Comment => return self.illegal(),
            TokenKind::Window | TokenKind::Over | TokenKind::Filter => self.token.kind = self.contextual_kind(),
            _ => {}
        }
        Ok(())
    }

    /// The next token that is not white space. If comments are not allowed, they are illegal tokens.
    #[cold]
    fn next_or_comment(&mut self) -> Token {
        loop {
            let token = self.lexer.next_token();
            if !token.kind.is_trivia() || token.kind == TokenKind::Comment {
                return token;
            }
        }
    }

    /// WINDOW, OVER and FILTER are identifiers, unless the adjacent tokens make them keywords.
    #[cold]
    fn contextual_kind(&self) -> TokenKind {
        let after_call = self.previous.kind == TokenKind::RightParen;
        let mut ahead = self.lexer.clone();
        let next = ahead.next_significant().kind;
        let keyword = match self.token.kind {
            TokenKind::Window => names_window(next) && ahead.next_significant().kind == TokenKind::As,
            TokenKind::Over => after_call && (next == TokenKind::LeftParen || names_window(next)),
            _ => after_call && next == TokenKind::LeftParen,
        };
        if keyword { self.token.kind } else { TokenKind::Identifier }
    }

    /// Whether the current token is of this kind.
    #[inline]
    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Takes the current token if it is of this kind; returns whether it is.
    #[inline]
    pub(super) fn take(&mut self, kind: TokenKind) -> Result<bool> {
        if self.token.kind != kind {
            return Ok(false);
        }
        self.advance()?;
        Ok(true)
    }

    /// Takes the current token, which must be of this kind.
    #[inline]
    pub(super) fn expect(&mut self, kind: TokenKind) -> Result<Token> {
        if self.token.kind != kind {
            return self.unexpected();
        }
        self.advance()
    }

    /// Takes several tokens, which must be of these kinds.
    pub(super) fn expect_all(&mut self, kinds: &[TokenKind]) -> Result<()> {
        for &kind in kinds {
            self.expect(kind)?;
        }
        Ok(())
    }

    /// The error about the current token.
    #[cold]
    pub(super) fn unexpected<T>(&self) -> Result<T> {
        if self.token.kind == TokenKind::EndOfText {
            return error("incomplete input");
        }
        let message = format!("near \"{}\": syntax error", self.lossy(self.token.span));
        error_at(self.token.span.start, message)
    }

    #[cold]
    fn illegal<T>(&self) -> Result<T> {
        let text = self.lossy(self.token.span);
        error_at(self.token.span.start, format!("unrecognized token: \"{text}\""))
    }

    /// Records an error that applies only if the current token is valid here: an unexpected token has priority. The error is
    /// raised when that token is taken or the statement ends. Of several errors, the last is raised.
    #[cold]
    pub(super) fn defer(&mut self, offset: Option<u32>, message: impl Into<String>) {
        let message = message.into();
        self.is_careful = true;
        self.deferred = Some(Box::new(ParseError { message, offset, too_big: false, tail: 0 }));
    }

    /// Like [`Parser::defer`], for checks that SQLite omits after an earlier error.
    #[cold]
    pub(super) fn defer_if_first(&mut self, message: impl Into<String>) {
        if self.deferred.is_none() {
            self.defer(None, message);
        }
    }

    /// Raises the deferred error, if there is one.
    #[cold]
    pub(super) fn raise_deferred(&mut self) -> Result<()> {
        self.deferred.take().map_or(Ok(()), Err)
    }

    /// The text of a span, for messages.
    #[cold]
    pub(super) fn lossy(&self, span: Span) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(span.text(self.sql))
    }

    /// The text from `start` to the end of the last token taken.
    #[inline]
    pub(super) fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous.span.end)
    }

    /// The text from `start` to the next token, with the comments before that token, but without the space: the text that SQLite
    /// keeps of an expression.
    #[inline]
    pub(super) fn span_with_comments(&self, start: u32) -> Span {
        let text = Span::new(start, self.token.span.start).text(self.sql);
        let space = text.iter().rev().take_while(|&&byte| is_space(byte)).count();
        Span::new(start, self.token.span.start - space as u32) // the offsets of the text have 32 bits
    }

    /// A name in the widest sense: also a string or a keyword of joins.
    #[inline]
    pub(super) fn name(&mut self) -> Result<Ident<'a>> {
        if !self.token.kind.is_name() {
            return self.unexpected();
        }
        self.take_ident()
    }

    /// An identifier or a string: an alias without AS, a collation, a word of a type.
    #[inline]
    pub(super) fn id_or_string(&mut self) -> Result<Ident<'a>> {
        if !self.at_id_or_string() {
            return self.unexpected();
        }
        self.take_ident()
    }

    #[inline]
    pub(super) fn at_id_or_string(&self) -> bool {
        self.token.kind.is_id() || self.token.kind == TokenKind::String
    }

    /// The current token as an identifier, of whatever kind the token is.
    #[inline]
    pub(super) fn take_ident(&mut self) -> Result<Ident<'a>> {
        let token = self.advance()?;
        Ok(self.ident(token))
    }

    #[inline]
    pub(super) fn ident(&self, token: Token) -> Ident<'a> {
        let text = token.span.text(self.sql);
        if matches!(token.kind, TokenKind::Identifier | TokenKind::String)
            && let Some(b'"' | b'[' | b'`' | b'\'') = text.first()
        {
            return self.quoted_ident(token.span, text);
        }
        Ident::new(Name::new(text), token.span, crate::ast::Quote::None)
    }

    #[inline(never)]
    fn quoted_ident(&self, span: Span, text: &'a [u8]) -> Ident<'a> {
        Ident::new(Name::new(unquote(text, self.arena)), span, quote_of(text))
    }

    /// `name` or `schema.name`.
    #[inline]
    pub(super) fn qualified_name(&mut self) -> Result<QualifiedName<'a>> {
        let first = self.name()?;
        if !self.take(TokenKind::Dot)? {
            return Ok(QualifiedName { schema: None, name: first });
        }
        Ok(QualifiedName { schema: Some(first), name: self.name()? })
    }

    /// One or more items, separated by commas.
    #[inline]
    pub(super) fn list<T: Copy>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<&'a [T]> {
        self.list_of(LIST_LEN, item)
    }

    /// As [`Parser::list`], with space for `len` items at first.
    #[inline(never)] // the items are on the stack frame of this recursive function
    fn list_of<T: Copy>(&mut self, len: usize, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<&'a [T]> {
        let first = item(self)?;
        if !self.at(TokenKind::Comma) {
            return Ok(std::slice::from_ref(self.arena.alloc(first)));
        }
        let mut items = ArenaVec::with_capacity_in(len, self.arena);
        items.push(first);
        while self.take(TokenKind::Comma)? {
            items.push(item(self)?);
        }
        Ok(items.into_bump_slice())
    }

    /// `( item, ... )`
    #[inline]
    pub(super) fn parenthesized_list<T: Copy>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<&'a [T]> {
        self.parenthesized_list_of(LIST_LEN, item)
    }

    /// As [`Parser::parenthesized_list`], with space for `len` items at first.
    #[inline]
    pub(super) fn parenthesized_list_of<T: Copy>(
        &mut self,
        len: usize,
        item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<&'a [T]> {
        self.expect(TokenKind::LeftParen)?;
        let items = self.list_of(len, item)?;
        self.expect(TokenKind::RightParen)?;
        Ok(items)
    }

    /// Counts `entries` on the stack of SQLite's parser. After an error the count is not restored, because the parse ends.
    #[inline]
    pub(super) fn enter(&mut self, entries: u32) -> Result<()> {
        self.depth += entries;
        if self.depth > self.limits.parser_depth {
            return error("Recursion limit");
        }
        Ok(())
    }

    /// Undoes [`Parser::enter`].
    #[inline]
    pub(super) fn leave(&mut self, entries: u32) {
        self.depth -= entries;
    }

    /// The number of a SELECT that ends at this position.
    #[inline]
    pub(super) fn number_select(&mut self) -> SelectNumber {
        self.select_count += 1;
        SelectNumber(self.select_count)
    }

    /// A node whose children have at most this height, from `start` to the last token taken.
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
}

/// Whether SQLite's tokenizer takes a token for the name of a window.
fn names_window(kind: TokenKind) -> bool {
    kind.is_id()
        || matches!(kind, TokenKind::String | TokenKind::Window | TokenKind::Over)
        || kind.keyword().is_some_and(|k| k.class == crate::token::KeywordClass::Join)
}
