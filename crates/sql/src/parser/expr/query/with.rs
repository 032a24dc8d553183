//! WITH.

use bumpalo::collections::Vec as ArenaVec;

use super::select;
use crate::ast::{CommonTable, With};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::names::optional_column_names;
use crate::token::TokenKind;

/// `WITH [RECURSIVE] table, ...`
pub(crate) fn with_clause<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a With<'a>> {
    parser.expect(TokenKind::With)?;
    parser.with_seen = true;
    let recursive = parser.take(TokenKind::Recursive)?;
    let mut tables: ArenaVec<'a, CommonTable<'a>> = ArenaVec::new_in(parser.arena);
    loop {
        let table = common_table(parser)?;
        if tables.iter().any(|known| known.name.name == table.name.name) {
            let message = format!("duplicate WITH table name: {}", table.name.name);
            parser.defer(None, message);
        }
        tables.push(table);
        if !parser.take(TokenKind::Comma)? {
            break;
        }
    }
    Ok(parser.arena.alloc(With { recursive, tables: tables.into_bump_slice() }))
}

/// `name [(columns)] AS [[NOT] MATERIALIZED] (select)`
fn common_table<'a>(parser: &mut Parser<'a, '_>) -> Result<CommonTable<'a>> {
    const ENTRIES: u32 = 6; // WITH list name columns AS parenthesis
    let name = parser.name()?;
    let columns = optional_column_names(parser)?;
    parser.expect(TokenKind::As)?;
    let materialized = match parser.token.kind {
        TokenKind::Materialized => {
            parser.advance()?;
            Some(true)
        }
        TokenKind::Not => {
            parser.advance()?;
            parser.expect(TokenKind::Materialized)?;
            Some(false)
        }
        _ => None,
    };
    parser.enter(ENTRIES)?;
    parser.expect(TokenKind::LeftParen)?;
    let select = select(parser)?;
    parser.expect(TokenKind::RightParen)?;
    parser.leave(ENTRIES);
    Ok(CommonTable { name, columns, materialized, select })
}
