//! Queries with SQLite's answers, for a table with the columns `a` and `b`.

use super::parser::{Request, parse};
use super::{Expr, Near, Term};
use crate::Result;
use crate::config::Detail;
use crate::tokenizer::Purpose;

/// The tree in the words of the grammar, with parentheses around everything.
fn shown(expr: &Expr) -> String {
    let joined = |all: &[Expr], by: &str| format!("({})", all.iter().map(shown).collect::<Vec<_>>().join(by));
    match expr {
        Expr::And(all) => joined(all, " & "),
        Expr::Or(all) => joined(all, " | "),
        Expr::Not(wanted, unwanted) => format!("({} - {})", shown(wanted), shown(unwanted)),
        Expr::Near(near) => shown_near(near),
    }
}

fn shown_near(near: &Near) -> String {
    let phrase = |phrase: &super::Phrase| {
        let term = |term: &super::Term| {
            format!("{}{}", String::from_utf8_lossy(&term.tokens[0]), if term.is_prefix { "*" } else { "" })
        };
        phrase.terms.iter().map(term).collect::<Vec<_>>().join("+")
    };
    let phrases = near.phrases.iter().map(phrase).collect::<Vec<_>>().join(" ");
    let columns = near.columns.as_ref().map_or(String::new(), |columns| format!("{columns:?}:"));
    let first = if near.phrases[0].is_first { "^" } else { "" };
    match near.phrases.len() {
        1 => format!("{columns}{first}{phrases}"),
        _ => format!("{columns}<{phrases} {}>", near.distance),
    }
}

/// Tokens are what is between spaces; a period is none.
fn tokenize(text: &[u8], _: Purpose) -> Result<Vec<Term>> {
    let words = text.split(|byte| b" .".contains(byte)).filter(|word| !word.is_empty());
    Ok(words.map(|word| Term { tokens: vec![word.to_vec()], is_prefix: false }).collect())
}

fn parsed(query: &str, detail: Detail) -> Result<Expr> {
    parse(query.as_bytes(), Request { columns: &["a", "b"], detail, tokenize: &mut tokenize })
}

fn check_with(query: &str, detail: Detail, expected: &str) {
    let answer = match parsed(query, detail) {
        Ok(expr) => shown(&expr),
        Err(error) => error.into_message().into_owned(),
    };
    assert_eq!(answer, expected, "{query}");
}

fn check(query: &str, expected: &str) {
    let answer = match parsed(query, Detail::Full) {
        Ok(expr) => shown(&expr),
        Err(error) => error.into_message().into_owned(),
    };
    assert_eq!(answer, expected, "{query}");
}

fn check_syntax_error(query: &str, near: &str) {
    check(query, &format!("fts5: syntax error near \"{near}\""));
}

#[test]
fn trees() {
    check("p OR q AND r NOT s t", "(p | (q & (r - (s & t))))");
    check("p AND q r", "(p & q & r)");
    check("p NOT q NOT r", "((p - q) - r)");
    check("p AND q AND r", "(p & q & r)");
    check("p NEAR(q r)", "(p & <q r 10>)");
    check("NEAR(p q, 3) r", "(<p q 3> & r)");
    check("\"a\":p", "[0]:p");
    check("a b : p", "(a & [1]:p)");
    check("{a \"b\"}:p", "[0, 1]:p");
    check("-{a b}:p", "[]:p");
    check("-a:p", "[1]:p");
    check("a:(p OR b:q)", "([0]:p | []:q)");
    check("a:NEAR(p q)", "[0]:<p q 10>");
    check("a:^p", "[0]:^p");
    check("^p+q", "^p+q");
    check("^ p", "^p");
    check("p *", "p*");
    check("p+q*+r", "p+q*+r");
    check("\"p \"\"q\"\"\"", "p+\"q\"");
    check("NEAR(p q 5)", "<p q 5 10>");
}

#[test]
fn errors() {
    for (query, near) in [
        ("", ""),
        ("(", ""),
        ("p)", ")"),
        ("p (q)", "p"),
        ("(p) q", "q"),
        ("(p)(q)", "("),
        ("a:b:p", ":"),
        ("^a:p", ":"),
        ("{}:p", "}"),
        ("p^", ""),
        ("+p", "+"),
        ("(p)*", "*"),
        ("NOT p", "NOT"),
        ("p AND", ""),
        ("NEAR(p q,)", ")"),
        ("NEAR()", ")"),
        ("NEAR(p q", ""),
        ("p . q", "."),
        ("p**", "*"),
        ("a:", ""),
        ("a:AND", "AND"),
        ("p OR OR q", "OR"),
        ("{a:p", ":"),
        ("-a", ""),
        ("NEAR(^p q)", "^"),
        ("p AND (q", ""),
        ("a : - b : p", "-"),
    ] {
        check_syntax_error(query, near);
    }
    check("p -q", "no such column: q");
    check("{a c}:p", "no such column: c");
    check("NEAR(p q, x)", "expected integer, got \"x\"");
    check("NEAR(p,q)", "expected integer, got \"q\"");
    check("\"p", "unterminated string");
}

#[test]
fn high_trees() {
    let answer = |query: String| parsed(&query, Detail::Full).map_err(|error| error.into_message().into_owned()).err();
    let overflow = Some("fts5: parser stack overflow".to_owned());
    let too_large = Some("fts5 expression tree is too large (maximum depth 256)".to_owned());
    let nested = |depth: usize, open: &str| format!("{}p{}", open.repeat(depth), ")".repeat(depth));
    assert_eq!(answer(nested(95, "(")), None);
    assert_eq!(answer(nested(98, "(")), overflow);
    assert_eq!(answer(nested(1_000_000, "(")), overflow);
    assert_eq!(answer(nested(50, "a:(")), overflow);
    assert_eq!(answer(nested(100, "(p AND ")), overflow);
    assert_eq!(answer(vec!["p"; 257].join(" NOT ")), None);
    assert_eq!(answer(vec!["p"; 258].join(" NOT ")), too_large);
    for operator in [" AND ", " OR ", " "] {
        assert_eq!(answer(vec!["p"; 1000].join(operator)), None);
    }
}

#[test]
fn strings_without_tokens() {
    check("\".\" p", "p");
    check("p \".\"", "p");
    check("p \".\" q", "(p & q)");
    check("\".\" \".\"", "");
    check("p AND \".\"", "(p & )");
    check("NEAR(\".\" p \".\")", "p");
    check("NEAR(\".\" p \".\" q)", "<p q 10>");
    check("a:\".\" p", "p");
    check("p* + \".\"", "p");
    check("p + \".\"*", "p*");
}

#[test]
fn what_the_index_does_not_know() {
    const PHRASE: &str = "fts5: phrase queries are not supported (detail!=full)";
    const NEAR: &str = "fts5: NEAR queries are not supported (detail!=full)";
    const COLUMN: &str = "fts5: column queries are not supported (detail=none)";
    for (query, expected) in [
        ("\"a b\"", PHRASE),
        ("a+b )", PHRASE),
        ("^a", PHRASE),
        ("NEAR(a b) (", NEAR),
        ("^\".\"", "^"),
        ("NEAR(a \".\")", "a"),
    ] {
        check_with(query, Detail::None, expected);
        check_with(query, Detail::Columns, expected);
    }
    check_with("(a : x", Detail::None, COLUMN);
    check_with("a:(x)", Detail::None, COLUMN);
    check_with("a:(x", Detail::None, "fts5: syntax error near \"\"");
    check_with("a:x", Detail::Columns, "[0]:x");
}
