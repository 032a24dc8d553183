//! A statement's text with the bound values in place of its parameters (`sqlite3_expanded_sql`).

use lithe_sql::{Lexer, TokenKind};
use lithe_value::{NumberText, ValueRef};

use crate::connection::statement::Statement;

/// The digits of reals.
const DIGITS: i32 = 15;

impl Statement {
    /// The text with the bound values as literals.
    pub fn expanded_sql(&self) -> Vec<u8> {
        let sql = self.sql_text().as_bytes();
        let mut lexer = Lexer::new(sql);
        let mut out = Vec::with_capacity(sql.len());
        let mut last = 0;
        loop {
            let token = lexer.next_token();
            let text = &sql[token.span.start as usize..token.span.end as usize];
            match token.kind {
                TokenKind::EndOfText => return out,
                TokenKind::Parameter => {
                    let number = self.parameter_number(text, last);
                    last = last.max(number);
                    self.push_literal(number, &mut out);
                }
                _ => out.extend_from_slice(text),
            }
        }
    }

    /// The number of a parameter in the text. `last` is the largest number before it.
    fn parameter_number(&self, text: &[u8], last: usize) -> usize {
        let text = String::from_utf8_lossy(text);
        match text.strip_prefix('?') {
            Some("") => last + 1,
            Some(digits) => digits.parse().unwrap_or(0),
            None => self.parameter_index(&text).unwrap_or(0),
        }
    }

    fn push_literal(&self, number: usize, out: &mut Vec<u8>) {
        if let Some(len) = self.bound_zeros(number) {
            out.extend_from_slice(format!("zeroblob({len})").as_bytes());
            return;
        }
        match self.bound(number) {
            ValueRef::Null => out.extend_from_slice(b"NULL"),
            ValueRef::Integer(integer) => out.extend_from_slice(integer.to_string().as_bytes()),
            ValueRef::Real(real) => out.extend_from_slice(NumberText::real_with_digits(real, DIGITS).as_bytes()),
            ValueRef::Text(text) => push_quoted(text, out),
            ValueRef::Blob(blob) => {
                out.extend_from_slice(b"x'");
                blob.iter().for_each(|byte| out.extend_from_slice(format!("{byte:02x}").as_bytes()));
                out.push(b'\'');
            }
        }
    }
}

/// Appends a text between quotes, up to its first NUL.
fn push_quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for &byte in text.iter().take_while(|&&byte| byte != 0) {
        if byte == b'\'' {
            out.push(b'\'');
        }
        out.push(byte);
    }
    out.push(b'\'');
}
