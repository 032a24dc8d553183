//! The literals of VALUES: those that are whole members of a row.

use super::{Place, Reader, is_end, literal};
use crate::token::{Token, TokenKind};

/// Reads an INSERT behind its first word; returns the offset behind it.
pub(super) fn read(reader: &mut Reader<'_, '_>) -> Option<usize> {
    skip_to_values(reader)?;
    loop {
        if reader.lexer.next_significant().kind != TokenKind::LeftParen {
            return None;
        }
        read_row(reader)?;
        let behind_row = reader.lexer.offset();
        let after = reader.lexer.next_significant();
        match after.kind {
            TokenKind::Comma => {}
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
