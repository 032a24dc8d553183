//! The literals of VALUES: those that are whole members of a row.
//!
//! Of several rows they are read only if an INSERT of several rows has begun in the same way before: lists of rows that come once, of a dump say, are
//! read in vain, and take as long as the parser.

use super::{KEPT, Place, Reader, is_end, literal};
use crate::ast::Span;
use crate::token::{Token, TokenKind};

/// What stood before the rows of the last INSERTs of several rows.
#[derive(Debug, Default)]
pub(super) struct Lists {
    beginnings: [Vec<u8>; KEPT],
    /// How many were kept, ever.
    kept: usize,
}

impl Lists {
    /// Whether an INSERT of several rows has begun so; from now on one has.
    fn has_seen(&mut self, beginning: &[u8]) -> bool {
        if self.beginnings.iter().any(|known| known == beginning) {
            return true;
        }
        if let Some(oldest) = self.beginnings.get_mut(self.kept % KEPT)
            && beginning.len() <= BEGINNING_MAX
        {
            oldest.clear();
            oldest.extend_from_slice(beginning);
            self.kept += 1;
        }
        false
    }
}

/// The longest beginning that is kept, in bytes.
const BEGINNING_MAX: usize = 4096;

/// Reads an INSERT behind its first word; returns the offset behind it.
pub(super) fn read(reader: &mut Reader<'_, '_>, lists: &mut Lists) -> Option<usize> {
    let start = reader.copied_to;
    skip_to_values(reader)?;
    let beginning = Span::new(start, reader.lexer.offset());
    let mut is_known = false;
    loop {
        if reader.lexer.next_significant().kind != TokenKind::LeftParen {
            return None;
        }
        read_row(reader)?;
        let behind_row = reader.lexer.offset();
        let after = reader.lexer.next_significant();
        match after.kind {
            TokenKind::Comma if is_known => {}
            TokenKind::Comma if lists.has_seen(beginning.text(reader.sql)) => is_known = true,
            kind if is_end(kind) => {
                reader.copy_to(behind_row);
                return Some(after.span.end as usize);
            }
            _ => return None,
        }
    }
}

/// Moves past VALUES.
fn skip_to_values(reader: &mut Reader<'_, '_>) -> Option<()> {
    loop {
        match reader.lexer.next_significant().kind {
            TokenKind::Values => return Some(()),
            // A query, an incomplete statement, or a statement with parameters.
            TokenKind::Select | TokenKind::Default | TokenKind::Parameter => return None,
            TokenKind::Semicolon | TokenKind::EndOfText | TokenKind::Illegal => return None,
            _ => {}
        }
    }
}

/// The members of a row and its closing parenthesis.
fn read_row(reader: &mut Reader<'_, '_>) -> Option<()> {
    loop {
        let mut token = reader.lexer.next_significant();
        let minus = (token.kind == TokenKind::Minus).then_some(token.span);
        if minus.is_some() {
            token = reader.lexer.next_significant();
        }
        let mut after = None;
        if let Some(literal) = literal(&reader.lexer, token, minus, Place::Value) {
            let next = reader.lexer.next_significant();
            if matches!(next.kind, TokenKind::Comma | TokenKind::RightParen) {
                reader.parameterise(literal)?;
            }
            after = Some(next);
        }
        if skip_member(reader, after.unwrap_or(token))? == TokenKind::RightParen {
            return Some(());
        }
    }
}

/// Moves past the comma or parenthesis that ends a member; `token` is the last token read.
fn skip_member(reader: &mut Reader<'_, '_>, mut token: Token) -> Option<TokenKind> {
    let mut depth = 0_u32;
    loop {
        match token.kind {
            TokenKind::Comma | TokenKind::RightParen if depth == 0 => return Some(token.kind),
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth -= 1,
            TokenKind::Parameter | TokenKind::Semicolon | TokenKind::EndOfText | TokenKind::Illegal => return None,
            _ => {}
        }
        token = reader.lexer.next_significant();
    }
}
