//! Whether a text ends with a complete statement. A shell checks this before it runs the typed text.
//!
//! The check examines only tokens, like `sqlite3_complete`: a text is complete if its last token is a semicolon, no string or
//! comment is open, and the semicolon is outside of the body of a CREATE TRIGGER, which ends with `; END ;`. Nothing else is
//! checked: `foo;` is complete.
//!
//! ```text
//!   Start ── other ──▶ Normal ── ; ──▶ Start
//!   Start ── CREATE ──▶ Create ── TEMP ──▶ Create ── TRIGGER ──▶ Trigger
//!   Trigger ── ; ──▶ TriggerSemicolon ── END ──▶ TriggerEnd ── ; ──▶ Start
//! ```
//!
//! After EXPLAIN, CREATE is still recognized. Any other unexpected token leads to Normal, or within a trigger back to Trigger.

use memchr::memchr;

use crate::lexer::is_identifier_byte;

/// Whether `sql` ends in a semicolon that ends a statement.
///
/// ```
/// assert!(lithe_sql::is_complete(b"SELECT 1;"));
/// assert!(!lithe_sql::is_complete(b"SELECT 'a;"));
/// assert!(!lithe_sql::is_complete(b"CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;"));
/// ```
pub fn is_complete(sql: &[u8]) -> bool {
    let mut state = State::Invalid;
    let mut rest = sql;
    while let Some((piece, after)) = next_piece(rest) {
        let Some(piece) = piece else {
            return false; // a string or comment is still open
        };
        state = state.after(piece);
        rest = if state == State::Normal { skip_plain(after) } else { after };
    }
    state == State::Start
}

/// How many bytes of `sql` its first statement takes, with the semicolon at its end and what stands before it. `None` if a
/// longer text might tell, or only the parser can: of a trigger, or of a variable like `$name(a;b)`.
///
/// A text may be a script of many megabytes, of which each call prepares one statement: this reads no more than that one.
///
/// ```
/// assert_eq!(lithe_sql::first_statement_len(b"; SELECT 'a;'; SELECT 2;"), Some(14));
/// assert_eq!(lithe_sql::first_statement_len(b"SELECT 1"), None);
/// ```
pub fn first_statement_len(sql: &[u8]) -> Option<usize> {
    let mut first = None;
    let mut rest = sql;
    while let Some((piece, after)) = next_piece(rest) {
        match piece? {
            Piece::Semicolon if first.is_some() => return Some(sql.len() - after.len()),
            Piece::Semicolon | Piece::Space => {}
            Piece::Trigger => return None,
            Piece::Other if matches!(rest.first(), Some(b'$' | b'@' | b':' | b'#')) => return None,
            piece => first = first.or(Some(piece)),
        }
        // Only of these need the words be read.
        let may_be_trigger = matches!(first, Some(Piece::Create | Piece::Explain));
        rest = if first.is_none() || may_be_trigger { after } else { skip_plain(after) };
    }
    None
}

/// The state within the current statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Only white space so far: not complete, although nothing is open.
    Invalid,
    /// A statement has just ended.
    Start,
    /// Inside a statement other than CREATE TRIGGER.
    Normal,
    /// After EXPLAIN.
    Explain,
    /// After CREATE, with or without TEMP.
    Create,
    /// Inside a trigger.
    Trigger,
    /// Inside a trigger, after a semicolon.
    TriggerSemicolon,
    /// Inside a trigger, after a semicolon and END.
    TriggerEnd,
}

/// The kinds of tokens that the states distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Semicolon,
    Space,
    Other,
    Explain,
    Create,
    Temp,
    Trigger,
    End,
}

impl State {
    fn after(self, piece: Piece) -> State {
        use State::*;
        if piece == Piece::Space {
            return self;
        }
        match (self, piece) {
            (Trigger | TriggerSemicolon, Piece::Semicolon) => TriggerSemicolon,
            (TriggerSemicolon, Piece::End) => TriggerEnd,
            (Trigger | TriggerSemicolon, _) => Trigger,
            (TriggerEnd, Piece::Semicolon) => Start,
            (TriggerEnd, _) => Trigger,
            (_, Piece::Semicolon) => Start,
            (Invalid | Start, Piece::Explain) => Explain,
            (Invalid | Start | Explain, Piece::Create) => Create,
            (Explain, Piece::Other) => Explain, // QUERY PLAN
            (Create, Piece::Temp) => Create,
            (Create, Piece::Trigger) => Trigger,
            _ => Normal,
        }
    }
}

/// The text after the first `at` bytes.
fn from(sql: &[u8], at: usize) -> &[u8] {
    sql.get(at..).unwrap_or_default()
}

/// Skips bytes that have no meaning inside a statement other than CREATE TRIGGER.
fn skip_plain(sql: &[u8]) -> &[u8] {
    let plain = sql.iter().take_while(|&&byte| !is_special(byte)).count();
    from(sql, plain)
}

#[expect(clippy::indexing_slicing, reason = "the table has a place for every byte")]
fn is_special(byte: u8) -> bool {
    const SPECIAL: [bool; 256] = {
        let mut special = [false; 256];
        let bytes = b"\0;'\"`[-/$@:#";
        let mut at = 0;
        while at < bytes.len() {
            special[bytes[at] as usize] = true;
            at += 1;
        }
        special
    };
    SPECIAL[usize::from(byte)]
}

/// The first piece of `sql` and the text after it. The piece is `None` if its end is missing.
fn next_piece(sql: &[u8]) -> Option<(Option<Piece>, &[u8])> {
    let first = *sql.first().filter(|&&byte| byte != 0)?;
    let (piece, length) = match first {
        b';' => (Piece::Semicolon, 1),
        b' ' | b'\t' | b'\n' | b'\r' | 0x0c => (Piece::Space, 1),
        b'/' if sql.get(1) == Some(&b'*') => match memchr::memmem::find(from(sql, 2), b"*/") {
            Some(at) => (Piece::Space, at + 4),
            None => return Some((None, &[])),
        },
        b'-' if sql.get(1) == Some(&b'-') => match memchr(b'\n', sql) {
            Some(at) => (Piece::Space, at + 1),
            None => return Some((None, &[])), // the comment may be continued
        },
        b'[' => return Some(quoted(sql, b']')),
        b'\'' | b'"' | b'`' => return Some(quoted(sql, first)),
        _ if is_identifier_byte(first) => {
            let length = sql.iter().take_while(|&&byte| is_identifier_byte(byte)).count();
            (word(sql.get(..length).unwrap_or(sql)), length)
        }
        _ => (Piece::Other, 1),
    };
    Some((Some(piece), from(sql, length)))
}

/// A doubled quote is taken as the end of one string and the start of the next: the result is the same.
fn quoted(sql: &[u8], close: u8) -> (Option<Piece>, &[u8]) {
    match memchr(close, from(sql, 1)) {
        Some(at) => (Some(Piece::Other), from(sql, at + 2)),
        None => (None, &[]),
    }
}

fn word(word: &[u8]) -> Piece {
    const WORDS: [(&str, Piece); 6] = [
        ("create", Piece::Create),
        ("end", Piece::End),
        ("explain", Piece::Explain),
        ("temp", Piece::Temp),
        ("temporary", Piece::Temp),
        ("trigger", Piece::Trigger),
    ];
    let found = WORDS.iter().find(|(text, _)| word.eq_ignore_ascii_case(text.as_bytes()));
    found.map_or(Piece::Other, |&(_, piece)| piece)
}

#[cfg(test)]
mod tests {
    use super::{first_statement_len, is_complete};

    #[test]
    fn complete() {
        for sql in [
            "select 1;",
            ";",
            "  ; ",
            "foo; -- x\n",
            "select 'a'';';",
            "/* x */ ; /* y */",
            "create table t(a);",
            "create trigger t after insert on a begin select 1; end;",
            "create temp trigger t after insert on a begin select 1; select 2; end ; ",
            "explain create trigger t after insert on a begin select 1; end;",
            "create table trigger; ",
        ] {
            assert!(is_complete(sql.as_bytes()), "{sql}");
        }
    }

    #[test]
    fn first_statements() {
        for (sql, expected) in [
            ("select 1; select 2;", Some("select 1;")),
            (" ;; -- a;\n ; select 1;;", Some(" ;; -- a;\n ; select 1;")),
            (
                "select 'a;''b;' /* ; */, \"c;\", [d;], `e;` -- ;\n ; select 2",
                Some("select 'a;''b;' /* ; */, \"c;\", [d;], `e;` -- ;\n ;"),
            ),
            ("create table t(a); select 2", Some("create table t(a);")),
            ("create trigger t after insert on a begin select 1; end;", None),
            ("explain create temp trigger t after insert on a begin select 1; end;", None),
            ("select $a(b;c); select 2", None),
            ("select 1, :a(b;c); select 2", None),
            ("select 'a; select 2", None),
            ("select 1 /* ;", None),
            ("select 1 -- ;", None),
            (";; ", None),
            ("select 1", None),
        ] {
            assert_eq!(first_statement_len(sql.as_bytes()), expected.map(str::len), "{sql}");
        }
    }

    #[test]
    fn incomplete() {
        for sql in [
            "",
            "  ",
            "-- x",
            "select 1",
            "select 1; x",
            "select ';",
            "select \";",
            "select [;",
            "select 1 /* ;",
            "select 1 -- ;",
            "select 1; -- x",
            "create trigger t after insert on a begin select 1;",
            "create trigger t after insert on a begin select 1; end",
            "create temporary trigger t after insert on a begin select 1; end x;",
            "explain query plan create trigger t after insert on a begin select 1;",
        ] {
            assert!(!is_complete(sql.as_bytes()), "{sql}");
        }
    }
}
