//! The text of a statement without the parts that differ between runs (`sqlite3_normalized_sql`): literals and parameters become
//! `?`, lists of values after IN become `(?,?,?)`, keywords upper case, other words lower case, and white space is removed.

use bumpalo::Bump;

use crate::lexer::{Lexer, is_identifier_byte};
use crate::text::unquote;
use crate::token::{Token, TokenKind};

/// The replacement of the values of a list after IN, for any number of values.
const LIST: &[u8] = b"?,?,?";

/// The normalized text of the statement `sql`. `is_string` returns whether a double-quoted text is a string in the statement,
/// because there is no object of that name.
pub fn normalize(sql: &[u8], is_string: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut text = Normalized { out: Vec::with_capacity(sql.len()), depth: 0, list: None };
    let mut lexer = Lexer::new(sql);
    let mut before = [TokenKind::EndOfText; 2];
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::EndOfText => return text.finish(),
            // A comment is not written, but separates tokens: as in SQLite, `IS /**/ NULL` is not `IS NULL`.
            TokenKind::Space => continue,
            TokenKind::Comment => {}
            _ => text.push(token, token.span.text(sql), before[0], &is_string),
        }
        before = [token.kind, before[0]];
    }
}

struct Normalized {
    out: Vec<u8>,
    /// How many parentheses are open.
    depth: usize,
    /// The current list after IN, which may be a list of values: its depth, and the offset of its content in `out`.
    list: Option<(usize, usize)>,
}

impl Normalized {
    fn push(&mut self, token: Token, text: &[u8], before: TokenKind, is_string: &impl Fn(&[u8]) -> bool) {
        match token.kind {
            TokenKind::String | TokenKind::Blob | TokenKind::Integer | TokenKind::Float | TokenKind::Parameter => {
                self.out.push(b'?')
            }
            TokenKind::Null if !matches!(before, TokenKind::Is | TokenKind::Not) => self.out.push(b'?'),
            TokenKind::Identifier => self.push_name(text, is_string),
            TokenKind::LeftParen => {
                self.out.push(b'(');
                self.depth += 1;
                if before == TokenKind::In {
                    self.list = Some((self.depth, self.out.len()));
                }
            }
            TokenKind::RightParen => self.close(),
            _ => {
                if token.kind == TokenKind::Select {
                    self.list = None;
                }
                self.separate_from(text);
                self.out.extend(text.iter().map(u8::to_ascii_uppercase));
            }
        }
    }

    /// Ends a parenthesis. If it was a list of values, replaces the values.
    fn close(&mut self) {
        if let Some((_, start)) = self.list.filter(|(depth, _)| *depth == self.depth) {
            self.out.truncate(start);
            self.out.extend_from_slice(LIST);
            self.list = None;
        }
        self.depth = self.depth.saturating_sub(1);
        self.out.push(b')');
    }

    /// Writes a name, in double quotes if necessary.
    fn push_name(&mut self, text: &[u8], is_string: &impl Fn(&[u8]) -> bool) {
        let arena = Bump::new();
        let name = unquote(text, &arena);
        // A list that contains a name is not a list of values, even if the name is a string.
        self.list = None;
        if text.starts_with(b"\"") && is_string(name) {
            self.out.push(b'?');
            return;
        }
        let word = Lexer::new(name).next_token();
        if word.kind == TokenKind::Identifier && word.span.text(name).len() == name.len() && !is_quoted(name) {
            self.separate_from(name);
            self.out.extend(name.iter().map(u8::to_ascii_lowercase));
            return;
        }
        self.out.push(b'"');
        for byte in name {
            if *byte == b'"' {
                self.out.push(b'"');
            }
            self.out.push(byte.to_ascii_lowercase());
        }
        self.out.push(b'"');
    }

    /// Writes a blank between two words.
    fn separate_from(&mut self, next: &[u8]) {
        let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| is_identifier_byte(*byte));
        if is_word(self.out.last()) && is_word(next.first()) {
            self.out.push(b' ');
        }
    }

    /// The text, with a semicolon at its end.
    fn finish(mut self) -> Vec<u8> {
        if self.out.last() != Some(&b';') {
            self.out.push(b';');
        }
        self.out
    }
}

fn is_quoted(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'"' | b'[' | b'`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normalized as in SQLite 3.54.1. There is no object `notacol`.
    #[track_caller]
    fn assert_normalized(cases: &[(&str, &str)]) {
        for (sql, expected) in cases {
            let found = normalize(sql.as_bytes(), |name| name == b"notacol");
            assert_eq!(String::from_utf8_lossy(&found), *expected, "{sql}");
        }
    }

    #[test]
    fn literals_and_parameters_become_question_marks() {
        assert_normalized(&[
            ("SELECT 1", "SELECT?;"),
            ("select   a, b from T1 where a=1 AND b='xyz'", "SELECT a,b FROM t1 WHERE a=?AND b=?;"),
            ("select -1, +2, - 3, ~4, 1+2, 1 - -2", "SELECT-?,+?,-?,~?,?+?,?--?;"),
            ("SELECT 1e5, .5, 0x1F, x'aabb', X'00', 1_000", "SELECT?,?,?,?,?,1_000;"),
            ("SELECT ?, ?1, :a, @b, $c, $d::e(f)", "SELECT?,?,?,?,?,?;"),
            ("SELECT a /* c */ FROM t1 -- hello", "SELECT a FROM t1;"),
            (
                "SELECT a||b, a->b, a->>'$.x', a<<2, a>>3, a|b&c FROM t1",
                "SELECT a||b,a->b,a->>?,a<<?,a>>?,a|b&c FROM t1;",
            ),
            (
                "SELECT count(*), max(a) FROM t1 GROUP BY b HAVING count(*)>1 ORDER BY 1 DESC LIMIT 10 OFFSET 5",
                "SELECT count(*),max(a)FROM t1 GROUP BY b HAVING count(*)>?ORDER BY?DESC LIMIT?OFFSET?;",
            ),
            (
                "SELECT CAST(a AS VARCHAR(10)), a COLLATE nocase FROM t1",
                "SELECT CAST(a AS varchar(?)),a COLLATE nocase FROM t1;",
            ),
            (
                "SELECT current_time, current_timestamp, random(), ABS(-5)",
                "SELECT CURRENT_TIME,CURRENT_TIMESTAMP,random(),abs(-?);",
            ),
            (
                "select row_number() over (partition by a order by b rows between 1 preceding and current row) from t1",
                "SELECT row_number()OVER(PARTITION BY a ORDER BY b ROWS BETWEEN?PRECEDING AND CURRENT ROW)FROM t1;",
            ),
            (
                "SELECT replace('a','b','c'), glob('a','b'), a NOT LIKE 'x', NOT a FROM t1",
                "SELECT REPLACE(?,?,?),GLOB(?,?),a NOT LIKE?,NOT a FROM t1;",
            ),
            ("SELECT+a,-b,~c FROM t1", "SELECT+a,-b,~c FROM t1;"),
            ("SELECT 0x1f_ff, 1_0e5", "SELECT 0X1F_FF,1_0E5;"),
            ("  SELECT a FROM t1 ;  ", "SELECT a FROM t1;"),
        ]);
    }

    #[test]
    fn lists_of_values_after_in_become_one() {
        assert_normalized(&[
            ("SELECT * FROM t1 WHERE a IN (?1,2,:abc)", "SELECT*FROM t1 WHERE a IN(?,?,?);"),
            (
                "SELECT * FROM t1 WHERE a IN (SELECT x FROM t2 WHERE x IN (1,2))",
                "SELECT*FROM t1 WHERE a IN(SELECT x FROM t2 WHERE x IN(?,?,?));",
            ),
            ("SELECT * FROM t1 WHERE a IN (1,(select 2),3)", "SELECT*FROM t1 WHERE a IN(?,(SELECT?),?);"),
            ("SELECT * FROM t1 WHERE a IN ()", "SELECT*FROM t1 WHERE a IN(?,?,?);"),
            ("SELECT * FROM t1 WHERE (a,b) IN (VALUES(1,2),(3,4))", "SELECT*FROM t1 WHERE(a,b)IN(?,?,?);"),
            (
                "SELECT a FROM t1 WHERE a IN (1,2) OR b IN(3) OR c IN ( -1, +2, 'a' || 'b', abs(-5))",
                "SELECT a FROM t1 WHERE a IN(?,?,?)OR b IN(?,?,?)OR c IN(-?,+?,?||?,abs(-?));",
            ),
            ("SELECT 1 FROM t1 WHERE a IN (b, c)", "SELECT?FROM t1 WHERE a IN(b,c);"),
            ("SELECT 1 FROM t1 WHERE a IN (1, NULL)", "SELECT?FROM t1 WHERE a IN(?,?,?);"),
            (r#"SELECT 1 FROM t1 WHERE a IN (1, "b")"#, "SELECT?FROM t1 WHERE a IN(?,b);"),
            (r#"SELECT 1 FROM t1 WHERE a IN (1, "notacol")"#, "SELECT?FROM t1 WHERE a IN(?,?);"),
            ("SELECT 1 FROM t1 WHERE a IN (CASE WHEN 1 THEN 2 ELSE 3 END)", "SELECT?FROM t1 WHERE a IN(?,?,?);"),
            ("SELECT 1 FROM t1 WHERE a IN (1, 2 IN (3,4))", "SELECT?FROM t1 WHERE a IN(?,?IN(?,?,?));"),
            ("SELECT 1 FROM t1 WHERE a IN (1, EXISTS(VALUES(1)))", "SELECT?FROM t1 WHERE a IN(?,?,?);"),
            ("SELECT 1 FROM t1 WHERE a IN (CAST(1 AS INT))", "SELECT?FROM t1 WHERE a IN(CAST(?AS int));"),
            ("SELECT 1 FROM t1 WHERE a IN (((1)))", "SELECT?FROM t1 WHERE a IN(?,?,?);"),
            ("SELECT 1 FROM t1 WHERE a IN (1_0)", "SELECT?FROM t1 WHERE a IN(?,?,?);"),
            ("SELECT 1 FROM t1 WHERE a IN (true)", "SELECT?FROM t1 WHERE a IN(true);"),
            ("SELECT 1 FROM t1 WHERE a IN /*x*/ (1,2)", "SELECT?FROM t1 WHERE a IN(?,?);"),
            ("SELECT 1 IN(2)IN(3)", "SELECT?IN(?,?,?)IN(?,?,?);"),
        ]);
    }

    /// There is no object `notacol`, so it is a string.
    #[test]
    fn names_are_small_letters_without_needless_quotes() {
        assert_normalized(&[
            (r#"SELECT "a", [b], `c`, "d e", 'abc' FROM "t1""#, r#"SELECT a,b,c,"d e",?FROM t1;"#),
            (r#"SELECT "A", [B], `c`, "notacol" FROM "t1""#, "SELECT a,b,c,?FROM t1;"),
            (r#"SELECT "Main".t1.A FROM main."T1""#, "SELECT main.t1.a FROM main.t1;"),
            (r#"SELECT a AS "My Col" FROM t1 ORDER BY "My Col""#, r#"SELECT a AS"my col"FROM t1 ORDER BY"my col";"#),
            ("SELECT [a b].x FROM t2 AS [a b]", r#"SELECT"a b".x FROM t2 AS"a b";"#),
            (r#"SELECT "Select" FROM (SELECT 1 AS "Select")"#, r#"SELECT"select"FROM(SELECT?AS"select");"#),
            (
                r#"SELECT "1a", "x-y" FROM (SELECT 1 AS "1a", 2 AS "x-y")"#,
                r#"SELECT"1a","x-y"FROM(SELECT?AS"1a",?AS"x-y");"#,
            ),
            (r#"SELECT "notacol", "notacol" AS "notacol" FROM t1"#, "SELECT?,?AS?FROM t1;"),
            (r#"SELECT "notacol", 'notacol' AS "NotACol" FROM t1"#, "SELECT?,?AS notacol FROM t1;"),
            (r#"SELECT "a""b" FROM (SELECT 1 AS "a""b")"#, r#"SELECT"a""b"FROM(SELECT?AS"a""b");"#),
            (r#"SELECT [a"b] FROM (SELECT 1 AS [a"b])"#, r#"SELECT"a""b"FROM(SELECT?AS"a""b");"#),
            (r#"SELECT "É" FROM (SELECT 1 AS "É")"#, "SELECT É FROM(SELECT?AS É);"),
            (r#"SELECT "$a" FROM (SELECT 1 AS "$a")"#, r#"SELECT"$a"FROM(SELECT?AS"$a");"#),
            (r#"SELECT "_x1$" FROM (SELECT 1 AS "_x1$")"#, "SELECT _x1$ FROM(SELECT?AS _x1$);"),
            (
                r#"SELECT key, abort, "end" FROM (SELECT 1 AS key, 2 AS abort, 4 AS "end")"#,
                r#"SELECT KEY,ABORT,"end"FROM(SELECT?AS KEY,?AS ABORT,?AS"end");"#,
            ),
            (r#"SELECT 1 AS 'str', 2 AS "x""y z""#, r#"SELECT?AS?,?AS"x""y z";"#),
        ]);
    }

    #[test]
    fn definitions_and_changes() {
        assert_normalized(&[
            (
                "CREATE TABLE x9(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'abc', c DEFAULT 5, CHECK(a>5))",
                "CREATE TABLE x9(a integer PRIMARY KEY,b text DEFAULT?,c DEFAULT?,CHECK(a>?));",
            ),
            (
                "DELETE FROM t1 WHERE a<=5 AND b<>6 AND c!=7 AND a==8",
                "DELETE FROM t1 WHERE a<=?AND b<>?AND c!=?AND a==?;",
            ),
            (
                "CREATE TRIGGER tr1 AFTER INSERT ON t1 BEGIN SELECT 1; INSERT INTO t2 VALUES(NEW.a, 5); END",
                "CREATE TRIGGER tr1 AFTER INSERT ON t1 BEGIN SELECT?;INSERT INTO t2 VALUES(new.a,?);END;",
            ),
            (r#"CREATE TABLE "My Table"("A B" INT, [c d] TEXT)"#, r#"CREATE TABLE"my table"("a b"int,"c d"text);"#),
            (
                r#"INSERT OR REPLACE INTO "t1" ("a") VALUES (1) ON CONFLICT DO NOTHING RETURNING *"#,
                "INSERT OR REPLACE INTO t1(a)VALUES(?)ON CONFLICT DO NOTHING RETURNING*;",
            ),
        ]);
    }

    #[test]
    fn null_is_a_literal_and_is_null_an_operator() {
        assert_normalized(&[
            (
                "SELECT a IS NULL, b IS NOT NULL, NULL, a ISNULL, a NOTNULL, a NOT NULL FROM t1",
                "SELECT a IS NULL,b IS NOT NULL,?,a ISNULL,a NOTNULL,a NOT NULL FROM t1;",
            ),
            (
                "SELECT a IS NOT DISTINCT FROM NULL, a IS DISTINCT FROM 5 FROM t1",
                "SELECT a IS NOT DISTINCT FROM?,a IS DISTINCT FROM?FROM t1;",
            ),
            (
                "SELECT iif(a IS NULL, 1, NULL) FROM t1 WHERE b IS /* */ NULL AND c NOT /*x*/ NULL",
                "SELECT iif(a IS NULL,?,?)FROM t1 WHERE b IS?AND c NOT?;",
            ),
            ("SELECT a IS (NULL) FROM t1", "SELECT a IS(?)FROM t1;"),
        ]);
    }
}
