//! The bare text of a statement: without the comments before and behind it.
//!
//! ```text
//!   /* request 17 */ SELECT a FROM t WHERE b = ?1 ; -- page 3
//!                    └───────── bare ──────────┘   tail: behind the semicolon
//! ```
//!
//! Programs add such comments to see in traces where a statement came from. The comment has no meaning, with one exception: what stands
//! behind the expression of a result column is part of the column's name (`SELECT 1 + 1 -- sum` has a column `1 + 1 -- sum`). A statement
//! that may end with a result column has no bare text.

use crate::ast::Span;
use crate::keyword;
use crate::lexer::{Lexer, is_space};
use crate::token::{Token, TokenKind};

/// A statement within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bare {
    /// The statement without white space, comments and the semicolon at its ends.
    pub span: Span,
    /// The offset behind the statement.
    pub tail: usize,
}

/// The bare texts of the last statements. Most statements have the same as one of them: then only bytes are compared.
#[derive(Debug, Default)]
pub struct BareTexts {
    last: [Vec<u8>; KEPT],
    /// The number of bare texts that were found by reading the whole statement.
    read: usize,
}

/// So many texts are compared with a statement before it is divided into tokens.
const KEPT: usize = 4;

impl BareTexts {
    /// Whether the first statement of `sql` may have a bare text that is not all of it, as a look at both ends tells.
    pub fn may_have(sql: &[u8]) -> bool {
        may_have_comment(sql)
    }

    /// The bare text of the first statement of `sql`; `None` if there is no comment at either end, or if the comment may be part of a name.
    /// Only of SELECT, VALUES, INSERT, UPDATE and DELETE, perhaps behind WITH, because other statements may store their text.
    pub fn read(&mut self, sql: &[u8]) -> Option<Bare> {
        if let Some(known) = self.last.iter().find_map(|text| same(sql, text)) {
            return Some(known);
        }
        let bare = bare(sql)?;
        let oldest = self.last.get_mut(self.read % KEPT)?;
        oldest.clear();
        oldest.extend_from_slice(bare.span.text(sql));
        self.read += 1;
        Some(bare)
    }
}

/// The first statement of `sql`, if its bare text is `text`. The bytes are the same, and so are their tokens: none extends beyond the end of
/// `text`, because white space, a comment, a semicolon or the end of `sql` follows.
fn same(sql: &[u8], text: &[u8]) -> Option<Bare> {
    if text.is_empty() {
        return None;
    }
    let mut lexer = Lexer::new(sql);
    lexer.skip_trivia();
    let start = lexer.offset();
    lexer.skip_exactly(text)?;
    let behind = lexer.offset();
    let end = lexer.next_significant();
    let tail = end.span.end as usize;
    let is_end = end.kind == TokenKind::Semicolon || end.kind == TokenKind::EndOfText && tail == sql.len();
    let has_comment = is_comment(sql, 0, start) || is_comment(sql, behind, end.span.start);
    (is_end && has_comment).then_some(Bare { span: Span::new(start, behind), tail })
}

/// The bare text, by the tokens of the statement.
fn bare(sql: &[u8]) -> Option<Bare> {
    let mut lexer = Lexer::new(sql);
    lexer.skip_trivia();
    let start = lexer.offset();
    let first = lexer.next_rough();
    let mut words = Words::new(keyword::find(first.span.text(sql))?)?;
    let mut behind = first.span.end;
    loop {
        let token = lexer.next_rough();
        match token.kind {
            TokenKind::Space | TokenKind::Comment => {}
            TokenKind::EndOfText | TokenKind::Semicolon => {
                let tail = token.span.end as usize;
                let has_comment = is_comment(sql, 0, start) || is_comment(sql, behind, token.span.start);
                let is_whole = token.kind == TokenKind::Semicolon || tail == sql.len();
                let is_bare = has_comment && is_whole && !words.may_end_with_name();
                return is_bare.then_some(Bare { span: Span::new(start, behind), tail });
            }
            TokenKind::Illegal => return None,
            _ => {
                words.note(token, sql)?;
                behind = token.span.end;
            }
        }
    }
}

/// Whether a comment may stand before the first statement, or at the end of the text, as a look at both ends tells. (It may stand
/// behind the first statement and before another one; then the statement is compiled as it is.)
fn may_have_comment(sql: &[u8]) -> bool {
    let first = sql.iter().find(|byte| !is_space(**byte));
    if matches!(first, Some(b'-' | b'/')) {
        return true;
    }
    let behind = sql.iter().rposition(|byte| !is_space(*byte) && *byte != b';').map_or(0, |at| at + 1);
    let text = sql.get(..behind).unwrap_or_default();
    text.ends_with(b"*/") || ends_with_line_comment(text)
}

/// Whether two minus signs stand near the end.
fn ends_with_line_comment(text: &[u8]) -> bool {
    const NEAR: usize = 1024;
    let near = text.get(text.len().saturating_sub(NEAR)..).unwrap_or_default();
    memchr::memrchr_iter(b'-', near).any(|at| at > 0 && near.get(at - 1) == Some(&b'-'))
}

/// Whether the white space and comments between the offsets contain a comment.
fn is_comment(sql: &[u8], start: u32, end: u32) -> bool {
    Span::new(start, end).text(sql).iter().any(|byte| matches!(byte, b'-' | b'/'))
}

/// What the words outside parentheses say about the end of the statement.
struct Words {
    depth: u32,
    /// The last word outside parentheses was DISTINCT.
    is_behind_distinct: bool,
    /// The result columns may not have ended yet.
    is_in_columns: bool,
}

impl Words {
    /// For a statement that begins with this keyword.
    fn new(first: TokenKind) -> Option<Words> {
        use TokenKind::{Delete, Insert, Replace, Select, Update, Values, With};
        let is_in_columns = match first {
            Select | With => true,
            Values | Insert | Replace | Update | Delete => false,
            _ => return None,
        };
        Some(Words { depth: 0, is_behind_distinct: false, is_in_columns })
    }

    /// Reads a token; `None` if the statement ends with a name.
    fn note(&mut self, token: Token, sql: &[u8]) -> Option<()> {
        match token.kind {
            TokenKind::LeftParen => self.depth += 1,
            TokenKind::RightParen => self.depth = self.depth.checked_sub(1)?,
            TokenKind::Identifier if self.depth == 0 => {
                let word = token.span.text(sql);
                if word.eq_ignore_ascii_case(b"returning") {
                    return None;
                }
                let is_from = word.eq_ignore_ascii_case(b"from") && !self.is_behind_distinct;
                self.is_in_columns &= !is_from;
                self.is_behind_distinct = word.eq_ignore_ascii_case(b"distinct");
            }
            _ => {}
        }
        Some(())
    }

    fn may_end_with_name(&self) -> bool {
        self.is_in_columns || self.depth > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &mut BareTexts, sql: &str) -> Option<Bare> {
        if BareTexts::may_have(sql.as_bytes()) { texts.read(sql.as_bytes()) } else { None }
    }

    #[track_caller]
    fn check(sql: &str, expected: Option<(&str, usize)>) {
        let found = read(&mut BareTexts::default(), sql);
        let found = found
            .map(|bare| (String::from_utf8(bare.span.text(sql.as_bytes()).to_vec()).unwrap(), sql.len() - bare.tail));
        assert_eq!(found, expected.map(|(text, rest)| (text.to_owned(), rest)), "{sql}");
    }

    #[test]
    fn comments_at_the_ends() {
        check("select a from t /* x */", Some(("select a from t", 0)));
        check("select a from t--x", Some(("select a from t", 0)));
        check("/*x*/select a from t", Some(("select a from t", 0)));
        check("-- x\n select a from t /* y */ ; -- z", Some(("select a from t", 5)));
        check("select a from t /* x */; select 2 -- y", Some(("select a from t", 14)));
        check("/* ' */ delete from t where a = '--' -- '", Some(("delete from t where a = '--'", 0)));
        check("select a /* x */ from t /* y */\n;", Some(("select a /* x */ from t", 0)));
        check("with x as (select 1) select a from x --", Some(("with x as (select 1) select a from x", 0)));
        check("values (1 + 1) -- x", Some(("values (1 + 1)", 0)));
        check("insert into t values (1); -- x", None);
        check("/* x */ insert into t values (';'); select 1", Some(("insert into t values (';')", 9)));
        check("update t set a = \"x\"\"--\" /* ; */", Some(("update t set a = \"x\"\"--\"", 0)));
    }

    /// A statement that is read after others has the same result as on its own.
    #[test]
    fn texts_that_come_again() {
        let statements = [
            "select a from t -- x",
            "select a from t--x",
            "select a from t",
            "/* y */ select a from t ; -- z",
            "/* y */ select a from tt",
            "select a from t x -- z",
            "select a from t 'x' /* y */",
            "select a from t order by 'x' /* y */",
            "select a from t order by 'x''y' /* y */",
            "select a from t order by 'x'y /* y */",
            "-- x\nselect a from t\n-- y",
            "-- x\nselect a from t\0-- y",
            "-- x\nselect a from t; select a from t -- y",
            "select 1 -- x",
            "select a from t-1 -- x",
            "select a from t limit 1--",
            "select a from t limit 1-",
            "select a from t limit 1.0--",
            "select a from t limit 1/**/",
            "select a from t limit 1/* x */",
        ];
        let mut texts = BareTexts::default();
        for before in statements {
            for sql in statements {
                read(&mut texts, before);
                let alone = read(&mut BareTexts::default(), sql);
                assert_eq!(read(&mut texts, sql), alone, "{before}; {sql}");
            }
        }
    }

    #[test]
    fn no_comment_at_an_end() {
        for sql in [
            "",
            "select a from t",
            "select a /* x */ from t",
            "select a - 1 / 2 from t",
            "select '--' from t",
            " ; -- x",
        ] {
            check(sql, None);
        }
        check("select a from t; /* x */", None);
        check("select a from t; select b from t /* x */", None);
    }

    /// A comment behind the expression of a result column is part of its name.
    #[test]
    fn comments_in_names() {
        for sql in [
            "select 1 + 1 /* x */",
            "select 1 + 1 /* x */;",
            "select 1 is not distinct from 2 -- x",
            "select (select a from t) -- x",
            "with x as (select a from t) select 1 -- x",
            "delete from t returning a + 1 -- x",
            "insert into t select a from t returning a + 1 -- x",
            "select a, \"from\" -- x",
        ] {
            check(sql, None);
        }
        check("select 1 + 1 /* x */ from t -- y", Some(("select 1 + 1 /* x */ from t", 0)));
        check("select distinct a from t -- y", Some(("select distinct a from t", 0)));
    }

    #[test]
    fn other_statements_and_incomplete_ones() {
        for sql in [
            "create table t(a) -- x",
            "pragma user_version -- x",
            "explain select a from t -- x",
            "select a from (t -- x",
            "select a from t) -- x",
            "select a from t where a = 'x -- y",
            "select a from t -- x\0 y",
            "-- x",
            "-",
            "select /*",
        ] {
            check(sql, None);
        }
    }
}
