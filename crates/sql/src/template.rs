//! The template of an INSERT: its text with a parameter in place of each literal of its VALUES.
//!
//! ```text
//!   INSERT INTO t VALUES(17,'Ada',-1.5,NULL,lower('X'));
//!   INSERT INTO t VALUES(?,?,?,NULL,lower('X'))            the template
//!                        17 'Ada' -1.5                     the literals
//! ```
//!
//! A file of a hundred thousand such statements has one template, which is compiled once. Only literals that are whole members of
//! a row become parameters; all other text is part of the template, unchanged. Text that contains parameters has no template, nor
//! has text that continues after the rows of VALUES.
//!
//! Most statements have the same template as the previous statement. For such a statement, only the text between the literals is
//! compared, and only the literals are parsed.

use bumpalo::Bump;

use crate::ast::{ExprKind, Span};
use crate::lexer::{Lexer, is_space};
use crate::text;
use crate::token::{Token, TokenKind};

/// The template of an INSERT, and its literals. The memory is reused for the next statement.
#[derive(Debug, Default)]
pub struct Template {
    text: Vec<u8>,
    literals: Vec<Literal>,
    /// The offsets of the parameters in the text, one for each literal.
    places: Vec<u32>,
    /// Whether only white space follows the last row: a semicolon or the end of the text after it then ends the statement. (If
    /// the text ended with a comment, the semicolon could be a part of the comment.)
    is_reusable: bool,
    /// The number of INSERTs since the last one whose template had occurred before.
    in_vain: u32,
}

/// A literal that is replaced by a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Literal {
    kind: TokenKind,
    is_negative: bool,
    /// A string that contains doubled quotes.
    has_doubled: bool,
    span: Span,
}

/// The value of a literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiteralValue<'a> {
    /// An integer.
    Integer(i64),
    /// The digits of a real number without its sign, and whether the sign is a minus.
    Real(&'a [u8], bool),
    /// The bytes of a string.
    Text(&'a [u8]),
    /// The bytes of a blob.
    Blob(&'a [u8]),
}

/// After so many INSERTs whose templates had not occurred before, the templates of most further ones are not read.
const IN_VAIN_MAX: u32 = 8;

/// Every so many of these INSERTs, a template is read all the same.
const READ_EVERY: u32 = 8;

/// The maximum number of literals. A statement with more is a large batch, whose template is unlikely to occur again.
const LITERALS_MAX: usize = 512;

impl Template {
    /// Whether the first statement of `sql` may have a template, as far as its first letter tells.
    pub fn may_have(sql: &[u8]) -> bool {
        Lexer::new(sql).may_be_before_any(b"IiRr")
    }

    /// Reads the first statement of `sql`, if it is an INSERT of literals; returns the offset after the statement.
    pub fn read(&mut self, sql: &[u8]) -> Option<usize> {
        self.read_same(sql).or_else(|| self.read_new(sql))
    }

    /// Reads a statement with the same template as the previous one. `None`: the statement may have another template.
    ///
    /// The bytes between the literals are the same, and so are their tokens: none of these tokens extends into a literal, because
    /// a parenthesis, a comma, white space or the end of a comment precedes each literal.
    fn read_same(&mut self, sql: &[u8]) -> Option<usize> {
        if !self.is_reusable || self.literals.is_empty() {
            return None;
        }
        let mut lexer = Lexer::new(sql);
        lexer.skip_space();
        let mut from = 0;
        for (known, &place) in self.literals.iter_mut().zip(&self.places) {
            lexer.skip_exactly(self.text.get(from..place as usize)?)?;
            *known = next_literal(&mut lexer)?;
            from = place as usize + 1;
        }
        lexer.skip_exactly(self.text.get(from..)?)?;
        let end = lexer.next_token();
        matches!(end.kind, TokenKind::Semicolon | TokenKind::EndOfText).then_some(end.span.end as usize)
    }

    fn read_new(&mut self, sql: &[u8]) -> Option<usize> {
        self.text.clear();
        self.literals.clear();
        self.places.clear();
        self.is_reusable = false;
        let mut lexer = Lexer::new(sql);
        let first = lexer.next_significant();
        if !matches!(first.kind, TokenKind::Insert | TokenKind::Replace) {
            return None;
        }
        if begins_with_parameter(sql) {
            return None;
        }
        self.in_vain = self.in_vain.saturating_add(1);
        if self.in_vain > IN_VAIN_MAX && !self.in_vain.is_multiple_of(READ_EVERY) {
            return None;
        }
        skip_to_values(&mut lexer)?;
        let mut reader = Reader { sql, lexer, template: self, copied_to: first.span.start };
        let tail = reader.rows()?;
        if self.literals.is_empty() { None } else { Some(tail) }
    }

    /// Notes that the template has occurred before, so that it pays to read those of the next INSERTs.
    pub fn has_occurred_before(&mut self) {
        self.in_vain = 0;
    }

    /// The text with parameters: an INSERT without the semicolon.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The literals, in the order of the parameters.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }
}

/// Whether a parameter stands before the first string, near the beginning of the text: most INSERTs without literals have one there, and need
/// not be divided into tokens to find that out. (A false answer says nothing. Taken for a parameter, a question mark in a name or a comment
/// costs no more than the template.)
fn begins_with_parameter(sql: &[u8]) -> bool {
    const NEAR: usize = 256;
    let near = sql.get(..NEAR).unwrap_or(sql);
    memchr::memchr2(b'?', b'\'', near).is_some_and(|at| near.get(at) == Some(&b'?'))
}

/// Moves past VALUES.
fn skip_to_values(lexer: &mut Lexer<'_>) -> Option<()> {
    loop {
        match lexer.next_significant().kind {
            TokenKind::Values => return Some(()),
            // A query, an incomplete statement, or a statement with parameters.
            TokenKind::Select | TokenKind::Default | TokenKind::Parameter => return None,
            TokenKind::Semicolon | TokenKind::EndOfText | TokenKind::Illegal => return None,
            _ => {}
        }
    }
}

/// Reads the rows after VALUES.
struct Reader<'s, 'r> {
    sql: &'s [u8],
    lexer: Lexer<'s>,
    template: &'r mut Template,
    /// The text before this offset has been copied to the template.
    copied_to: u32,
}

impl Reader<'_, '_> {
    fn rows(&mut self) -> Option<usize> {
        loop {
            if self.lexer.next_significant().kind != TokenKind::LeftParen {
                return None;
            }
            self.row()?;
            let behind_row = self.lexer.offset();
            let after = self.lexer.next_significant();
            match after.kind {
                TokenKind::Comma => {}
                TokenKind::Semicolon | TokenKind::EndOfText => {
                    let between = Span::new(behind_row, after.span.start);
                    self.template.is_reusable = between.text(self.sql).iter().all(|byte| is_space(*byte));
                    self.copy_to(after.span.start);
                    return Some(after.span.end as usize);
                }
                _ => return None,
            }
        }
    }

    /// The members of a row and its closing parenthesis.
    fn row(&mut self) -> Option<()> {
        loop {
            let mut token = self.lexer.next_significant();
            let minus = (token.kind == TokenKind::Minus).then_some(token.span);
            if minus.is_some() {
                token = self.lexer.next_significant();
            }
            let mut after = None;
            if let Some(literal) = literal(&self.lexer, token, minus) {
                let next = self.lexer.next_significant();
                if matches!(next.kind, TokenKind::Comma | TokenKind::RightParen) {
                    self.parameterise(literal, minus.unwrap_or(token.span).start, token.span.end)?;
                }
                after = Some(next);
            }
            if self.skip_member(after.unwrap_or(token))? == TokenKind::RightParen {
                return Some(());
            }
        }
    }

    /// Moves past the comma or parenthesis that ends a member; `token` is the last token read.
    fn skip_member(&mut self, mut token: Token) -> Option<TokenKind> {
        let mut depth = 0_u32;
        loop {
            match token.kind {
                TokenKind::Comma | TokenKind::RightParen if depth == 0 => return Some(token.kind),
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::Parameter | TokenKind::Semicolon | TokenKind::EndOfText | TokenKind::Illegal => return None,
                _ => {}
            }
            token = self.lexer.next_significant();
        }
    }

    fn parameterise(&mut self, literal: Literal, start: u32, end: u32) -> Option<()> {
        if self.template.literals.len() == LITERALS_MAX {
            return None;
        }
        self.copy_to(start);
        self.template.places.push(self.template.text.len() as u32);
        self.template.text.push(b'?');
        self.copied_to = end;
        self.template.literals.push(literal);
        Some(())
    }

    fn copy_to(&mut self, offset: u32) {
        self.template
            .text
            .extend_from_slice(self.sql.get(self.copied_to as usize..offset as usize).unwrap_or_default());
        self.copied_to = offset;
    }
}

/// The literal that begins exactly here, its sign included.
#[inline]
fn next_literal(lexer: &mut Lexer<'_>) -> Option<Literal> {
    let token = lexer.next_token();
    match token.kind {
        TokenKind::Minus => {
            let number = lexer.next_significant();
            literal(lexer, number, Some(token.span))
        }
        _ => literal(lexer, token, None),
    }
}

/// The literal of `token`, the last token read, if it can become a parameter.
fn literal(lexer: &Lexer<'_>, token: Token, minus: Option<Span>) -> Option<Literal> {
    let is_liftable = match token.kind {
        TokenKind::Float => true,
        // The limit of hexadecimal numbers has its own rules.
        TokenKind::Integer => !matches!(lexer.text(token.span), [b'0', b'x' | b'X', ..]),
        TokenKind::String | TokenKind::Blob => minus.is_none(),
        _ => false,
    };
    let has_doubled = token.kind == TokenKind::String && lexer.has_doubled_quotes();
    is_liftable.then_some(Literal { kind: token.kind, is_negative: minus.is_some(), has_doubled, span: token.span })
}

impl Literal {
    /// The value of the literal in this `sql`. Strings with doubled quotes and BLOBs are decoded into the arena.
    #[inline]
    pub fn value<'a>(&self, sql: &'a [u8], arena: &'a Bump) -> LiteralValue<'a> {
        let token = self.span.text(sql);
        match self.kind {
            TokenKind::String if self.has_doubled => LiteralValue::Text(text::unquote(token, arena)),
            TokenKind::String => LiteralValue::Text(text::inside(token)),
            TokenKind::Blob => LiteralValue::Blob(text::decode_blob(token, arena)),
            TokenKind::Integer => match text::integer(token) {
                ExprKind::Integer(value) => LiteralValue::Integer(if self.is_negative { -value } else { value }),
                _ if self.is_negative && text::is_smallest_integer(token) => LiteralValue::Integer(i64::MIN),
                _ => LiteralValue::Real(token, self.is_negative),
            },
            _ => LiteralValue::Real(token, self.is_negative),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sql: &str, expected: Option<(&str, usize, &[LiteralValue<'_>])>) {
        let arena = Bump::new();
        let mut template = Template::default();
        let tail = template.read(sql.as_bytes());
        let Some((text, rest, values)) = expected else { return assert_eq!(tail, None, "{sql}") };
        assert_eq!(tail, Some(sql.len() - rest), "{sql}");
        assert_eq!(String::from_utf8_lossy(template.text()), text);
        let found: Vec<_> = template.literals().iter().map(|literal| literal.value(sql.as_bytes(), &arena)).collect();
        assert_eq!(found, values, "{sql}");
    }

    #[test]
    fn templates() {
        use LiteralValue::{Blob, Integer, Real, Text};
        check("INSERT INTO t VALUES(1)", Some(("INSERT INTO t VALUES(?)", 0, &[Integer(1)])));
        check(
            " /* x */ replace into t(a, b) values ( -5 , 'a''b' ) ; select 1",
            Some(("replace into t(a, b) values ( ? , ? ) ", 9, &[Integer(-5), Text(b"a'b")])),
        );
        check(
            "insert into t values(1,x'0aF0'),(NULL,-1.5e3);",
            Some(("insert into t values(?,?),(NULL,?)", 0, &[Integer(1), Blob(&[0x0a, 0xf0]), Real(b"1.5e3", true)])),
        );
        check(
            "insert into t values(1+2, f(3, 'x'), 4, - 9223372036854775808, 9223372036854775808, (5))",
            Some((
                "insert into t values(1+2, f(3, 'x'), ?, ?, ?, (5))",
                0,
                &[Integer(4), Integer(i64::MIN), Real(b"9223372036854775808", false)],
            )),
        );
    }

    /// A statement that is read after another one has the same result as on its own.
    #[test]
    fn templates_that_come_again() {
        let statements = [
            "insert into t values(1,'a')",
            "insert into t values(-2.5,x'01');",
            "\n\tinsert into t values(- /* x */ 3,'it''s'); select 1",
            "insert into t values('b',9223372036854775808)\n",
            "insert into t values('b',4) -- c",
            "insert into t values('b',4) -- c\n",
            "insert into t values('b',5) -- c ; insert into t values('b',6)",
            "insert into t values('b',4) /* c",
            "insert into t values('b',5) /* c ; */ ; x",
            "insert into t values('b',5) ;",
            "insert into t values('b' ,5)",
            "insert into t values('b',5,'?')",
            "insert into t values('b',5,lower('?'))",
            "insert into t values('b',-5,lower('?'))",
            "insert into t values('b',--5,lower('?'))",
            "insert into t values('b',--\n5,lower('?'))",
            "insert into t values('b',0x10,lower('?'))",
            "insert into t values('b',5)+1",
            "insert into t values('b',5),(1,2)",
            "insert into t values('b',15),(1,-2)",
            "insert into t values('b',5e),(1,2)",
            "insert into t values('b',5e3),(.1,2.)",
            "insert into t values('b','c),(1,2)",
            "insert into t values(1 ,2)",
            "insert into t values(12,2)",
            "insert into t values(12,2",
            "insert into t values(null)",
            "",
            "insert into t values(12,2)\0",
            "insert into t values(12,?)",
            "insert into t values(12,2) returning 1",
        ];
        let arena = Bump::new();
        let (mut template, mut alone) = (Template::default(), Template::default());
        for before in statements {
            for sql in statements {
                template.read(before.as_bytes());
                alone.is_reusable = false;
                template.has_occurred_before();
                alone.has_occurred_before();
                let tail = template.read(sql.as_bytes());
                assert_eq!(tail, alone.read(sql.as_bytes()), "{before}; {sql}");
                if tail.is_some() {
                    let values = |template: &Template| {
                        format!(
                            "{:?}",
                            template.literals.iter().map(|l| l.value(sql.as_bytes(), &arena)).collect::<Vec<_>>()
                        )
                    };
                    assert_eq!((template.text(), values(&template)), (alone.text(), values(&alone)), "{before}; {sql}");
                }
            }
        }
    }

    /// Templates that never occur again are read less often, until one does.
    #[test]
    fn templates_in_vain() {
        let mut template = Template::default();
        let mut read = |tables: std::ops::Range<u32>| {
            let sql = |table| format!("insert into t{table} values(1)");
            tables.filter(|table| template.read(sql(*table).as_bytes()).is_some()).count() as u32
        };
        assert_eq!(read(0..IN_VAIN_MAX), IN_VAIN_MAX);
        assert_eq!(read(100..100 + 10 * READ_EVERY), 10);
        template.has_occurred_before();
        assert_eq!(template.read(b"insert into u values(1)"), Some(23));
    }

    #[test]
    fn no_template() {
        for sql in [
            "",
            "select 1",
            "insert into t default values",
            "insert into t select 1",
            "insert into t values(?, 1)",
            "insert into t values(1, ?1 + 2)",
            "insert into t values(null)",
            "insert into t values(0x10)",
            "insert into t values(1",
            "insert into t values(1) returning a",
            "insert into t values(1) on conflict do nothing",
            "insert into t values(1),",
            "insert into t values 1",
            "insert into t values(-'a')",
            "insert into t values(1))",
            "insert into t values(1 'a)",
        ] {
            check(sql, None);
        }
    }
}
