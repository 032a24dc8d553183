use super::*;
use TokenKind::*;

/// `sql` has these tokens, not counting blanks and comments; the spans of all tokens cover the text.
#[track_caller]
fn check(sql: &str, expected: &[(TokenKind, &str)]) {
    let mut covered = 0;
    let mut found = Vec::new();
    for token in Lexer::new(sql.as_bytes()) {
        assert_eq!(token.span.start, covered);
        covered = token.span.end;
        if !token.kind.is_trivia() {
            let text = std::str::from_utf8(token.span.text(sql.as_bytes())).unwrap();
            found.push((token.kind, text));
        }
    }
    assert_eq!(covered as usize, sql.bytes().position(|byte| byte == 0).unwrap_or(sql.len()));
    assert_eq!(found, expected, "{sql:?}");
}

#[test]
fn words() {
    check(
        "Select a_1$ x é x1",
        &[(Select, "Select"), (Identifier, "a_1$"), (Identifier, "x"), (Identifier, "é"), (Identifier, "x1")],
    );
    check("\u{feff}a\u{feff}", &[(Identifier, "a\u{feff}")]);
}

#[test]
fn numbers() {
    check(
        "1 1.5 .5 5. 5.e1 1e+1 0x1F",
        &[
            (Integer, "1"),
            (Float, "1.5"),
            (Float, ".5"),
            (Float, "5."),
            (Float, "5.e1"),
            (Float, "1e+1"),
            (Integer, "0x1F"),
        ],
    );
    check(
        "1_000 1__0 1_ 0x1_0 1._5",
        &[
            (SeparatedNumber, "1_000"),
            (SeparatedNumber, "1__0"),
            (SeparatedNumber, "1_"),
            (SeparatedNumber, "0x1_0"),
            (SeparatedNumber, "1._5"),
        ],
    );
    check(
        "1a 0x 0x_1 1e_5 5e+",
        &[(Illegal, "1a"), (Illegal, "0x"), (Illegal, "0x_1"), (Illegal, "1e_5"), (Illegal, "5e"), (Plus, "+")],
    );
}

#[test]
fn strings_and_blobs() {
    check(
        "'a''b' \"a\"\"b\" `a` [a]",
        &[(String, "'a''b'"), (Identifier, "\"a\"\"b\""), (Identifier, "`a`"), (Identifier, "[a]")],
    );
    check("x'1f' X''", &[(Blob, "x'1f'"), (Blob, "X''")]);
    check("x'1' x'g' a", &[(Illegal, "x'1'"), (Illegal, "x'g'"), (Identifier, "a")]);
    check("'a", &[(Illegal, "'a")]);
    check("'a''", &[(Illegal, "'a''")]);
    check("[a", &[(Illegal, "[a")]);
    check("x'12", &[(Illegal, "x'12")]);
    check("'a\0b'", &[(Illegal, "'a")]);
}

#[test]
fn operators() {
    check(
        "= == <> != < <= << > >= >> | || - -> ->> & ~ + * / %",
        &[
            (Equal, "="),
            (Equal, "=="),
            (NotEqual, "<>"),
            (NotEqual, "!="),
            (Less, "<"),
            (LessEqual, "<="),
            (ShiftLeft, "<<"),
            (Greater, ">"),
            (GreaterEqual, ">="),
            (ShiftRight, ">>"),
            (Bar, "|"),
            (Concat, "||"),
            (Minus, "-"),
            (Arrow, "->"),
            (DoubleArrow, "->>"),
            (Ampersand, "&"),
            (Tilde, "~"),
            (Plus, "+"),
            (Star, "*"),
            (Slash, "/"),
            (Percent, "%"),
        ],
    );
    check(
        "(a.b);,!",
        &[
            (LeftParen, "("),
            (Identifier, "a"),
            (Dot, "."),
            (Identifier, "b"),
            (RightParen, ")"),
            (Semicolon, ";"),
            (Comma, ","),
            (Illegal, "!"),
        ],
    );
}

#[test]
fn parameters() {
    check(
        "? ?12 :a @a $a #a $a::b(c) ?a",
        &[
            (Parameter, "?"),
            (Parameter, "?12"),
            (Parameter, ":a"),
            (Parameter, "@a"),
            (Parameter, "$a"),
            (Parameter, "#a"),
            (Parameter, "$a::b(c)"),
            (Parameter, "?"),
            (Identifier, "a"),
        ],
    );
    check(": $a(b c", &[(Illegal, ":"), (Illegal, "$a(b"), (Identifier, "c")]);
}

#[test]
fn comments() {
    check(
        "a--b\nc /* /* d */ e */",
        &[(Identifier, "a"), (Identifier, "c"), (Identifier, "e"), (Star, "*"), (Slash, "/")],
    );
    check("a/*b", &[(Identifier, "a")]);
    check("a/*/b*/c", &[(Identifier, "a"), (Identifier, "c")]);
    check("a/*", &[(Identifier, "a"), (Slash, "/"), (Star, "*")]);
    check("--", &[]);
}

#[test]
fn a_vertical_tab_is_space_behind_space() {
    check("a \x0b b", &[(Identifier, "a"), (Identifier, "b")]);
    check("a\x0b b", &[(Identifier, "a"), (Illegal, "\x0b"), (Identifier, "b")]);
    let mut lexer = Lexer::new(b" \x0ba");
    assert_eq!(lexer.next_significant().kind, Identifier);
}

#[test]
fn a_nul_byte_ends_the_text() {
    check("a\0b", &[(Identifier, "a")]);
    check("--a\0b", &[]);
    check("/*a\0*/b", &[]);
}
