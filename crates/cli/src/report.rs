//! Error messages: what went wrong, where, and an arrow to the place.

use std::io;

use lithe::{Error, ResultCode};

/// Why a statement did not end well.
pub enum Failure {
    Compiling(Error),
    Running(Error),
    Writing(io::Error),
}

/// The length of the shown part of a statement, and of its part before the place.
const CONTEXT: usize = 78;
const CONTEXT_BEFORE: usize = 50;

/// An error in compiling `sql`. `place` locates the statement: "near line 3".
pub fn parse_error(error: &Error, sql: &str, place: &str) -> String {
    let mut report = format!("Parse error{place}: {}", error.message());
    if error.code() != ResultCode::ERROR {
        report.push_str(&format!(" ({})", error.code().0));
    }
    if let Some(offset) = error.offset() {
        report.push_str(&caret(sql, offset as usize));
    }
    report
}

/// An error in running a statement.
pub fn runtime_error(error: &Error, place: &str) -> String {
    let code = error.code().primary().0;
    let code = if code == 1 { String::new() } else { format!(" ({code})") };
    format!("Runtime error{place}: {}{code}", error.message())
}

/// Two lines: the part of the statement around the place, and an arrow to it.
fn caret(sql: &str, offset: usize) -> String {
    let mut start = 0;
    if offset > CONTEXT_BEFORE && sql.len() > CONTEXT {
        start = floor_boundary(sql, offset - CONTEXT_BEFORE);
    }
    let end = floor_boundary(sql, (start + CONTEXT).min(sql.len()));
    let line: String = sql[start..end].chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let column = sql[start..floor_boundary(sql, offset.clamp(start, end))].chars().count();
    let arrow = if column < 25 {
        format!("{}^--- error here", " ".repeat(column))
    } else {
        format!("{}error here ---^", " ".repeat(column - 14))
    };
    format!("\n  {}\n  {arrow}", line.trim_end())
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arrow_points_at_the_place() {
        assert_eq!(caret("select nope\nfrom t;", 7), "\n  select nope from t;\n         ^--- error here");
        let long = format!("select {} nope", "1,".repeat(60));
        let report = caret(&long, 128);
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(lines[2].find('^').map(|at| &lines[1][at..at + 4]), Some("nope"));
        caret("ä", 1);
        caret("", 5);
    }
}
