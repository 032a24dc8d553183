use super::*;
use crate::tokenizer::simple::Simple;

fn show(expr: &Expr) -> String {
    let phrase = |phrase: &Phrase| {
        let tokens = phrase.tokens.iter().map(|token| {
            let text = String::from_utf8_lossy(&token.text).into_owned();
            let (first, prefix) = (if token.is_first { "^" } else { "" }, if token.is_prefix { "*" } else { "" });
            format!("{first}{text}{prefix}")
        });
        let column = phrase.column.map(|column| format!("{column}:")).unwrap_or_default();
        format!("{column}{}", tokens.collect::<Vec<_>>().join("+"))
    };
    match expr {
        Expr::Phrase(one) => phrase(one),
        Expr::Near(left, right, distance) => format!("(near{distance} {} {})", show(left), phrase(right)),
        Expr::Not(left, right) => format!("(not {} {})", show(left), show(right)),
        Expr::And(left, right) => format!("(and {} {})", show(left), show(right)),
        Expr::Or(left, right) => format!("(or {} {})", show(left), show(right)),
    }
}

fn parsed(text: &str) -> String {
    let tokenizer = Simple::new(&[]).unwrap();
    let columns = ["a".to_owned(), "body".to_owned()];
    let dialect = Dialect { tokenizer: &tokenizer, language: 0, columns: &columns, column: None, is_fts4: true };
    match parse(text.as_bytes(), &dialect) {
        Ok(Some(expr)) => show(&expr),
        Ok(None) => "nothing".to_owned(),
        Err(error) => error.into_message().into_owned(),
    }
}

#[test]
fn precedence() {
    for (text, expected) in [
        ("a b c", "(and (and a b) c)"),
        ("a OR b AND c", "(or a (and b c))"),
        ("a b OR c NOT d", "(or (and a b) (not c d))"),
        ("a NEAR b NEAR/3 c", "(near3 (near10 a b) c)"),
        ("(a OR b) c", "(and (or a b) c)"),
        ("\"one two\" three*", "(and one+two three*)"),
        ("a:x body:y^z", "(and (and 0:x 1:y) ^z)"),
        ("a OR b OR c OR d", "(or (or a b) (or c d))"),
        ("or ORx OR y", "(or (and or orx) y)"),
        ("", "nothing"),
        ("()", "nothing"),
        ("a.b", "(and a b)"),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_query() {
    for text in ["\"a", "a OR", "OR a", "a AND OR b", "(a", "a)", "(a OR b) NEAR c", "a NEAR (b OR c)"] {
        assert_eq!(parsed(text), format!("malformed MATCH expression: [{text}]"));
    }
    let deep = "FTS expression tree is too large (maximum depth 12)";
    assert_eq!(parsed(&["a"; 14].join(" NOT ")), deep);
    assert_eq!(parsed(&["a"; 5000].join(" OR ")), deep);
    assert_ne!(parsed(&["a"; 2000].join(" OR ")), deep);
    assert_ne!(parsed(&["a"; 13].join(" NEAR ")), deep);
    assert_eq!(parsed(&["a"; 14].join(" NEAR ")), deep);
}
