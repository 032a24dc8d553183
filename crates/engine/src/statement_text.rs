//! What a text needs of the schema, and of a connection that was interrupted: questions to the text, or its tree, alone.

use bumpalo::Bump;
use lithe_sql::ast::{
    Expr, ExprKind, FromItem, In, InSet, Node, QualifiedName, Source, StatementKind, Stmt, walk_select,
};
use lithe_sql::{Lexer, Limits, TokenKind, parse_statement};
use lithe_value::grow::LONG_TEXT;

use crate::error::Error;

/// Whether a statement is a query that names no table but its own common tables.
pub(crate) fn names_no_table<'a>(stmt: &Stmt<'a>) -> bool {
    let Stmt::Select(select) = stmt else { return false };
    let (mut common, mut tables, mut has_others) = (Vec::new(), Vec::new(), false);
    let mut note = |name: QualifiedName<'a>| match name.schema {
        Some(_) => has_others = true,
        None => tables.push(name.name.name),
    };
    walk_select(select, &mut |node| match node {
        Node::CommonTable(table) => common.push(table.name.name),
        Node::FromItem(FromItem { source: Source::Table(name) | Source::Function(name, _), .. }) => note(*name),
        Node::Expr(Expr { kind: ExprKind::In(In { set: InSet::Table(name, ..), .. }), .. }) => note(*name),
        _ => {}
    });
    !has_others && tables.iter().all(|table| common.contains(table))
}

/// The result of compiling while the connection is interrupted. SQLite asks at each white space and at the end of the text, and may
/// have found a syntax error before, or the end of the statement.
pub(crate) fn compile_interrupted(sql: &[u8], limits: &Limits, arena: &Bump) -> Result<(), Error> {
    let mut lexer = Lexer::new(sql);
    let asks_at = loop {
        let token = lexer.next_token();
        match token.kind {
            kind if kind.is_trivia() || kind == TokenKind::EndOfText => break token.span.start,
            _ => {}
        }
    };
    match parse_statement(sql, arena, limits) {
        // Of a text that ends too soon SQLite asks at its end.
        Err(error) if error.tail <= asks_at && error.offset.is_some() => Err(error.into()),
        Ok(parsed) if parsed.tail <= asks_at as usize && sql[..parsed.tail].ends_with(b";") => Ok(()),
        _ => Err(Error::interrupted()),
    }
}

/// How long the long names in a statement are together, of whose copies while it is compiled there are many. Of a statement about the schema, whose
/// text is kept, all of the text counts; literals of other statements do not.
pub(crate) fn len_of_names(statement: &StatementKind<'_>, text: &[u8]) -> usize {
    let has_rows =
        |stmt: &Stmt<'_>| matches!(stmt, Stmt::Select(_) | Stmt::Insert(_) | Stmt::Update(_) | Stmt::Delete(_));
    match statement {
        _ if text.len() < LONG_TEXT => 0,
        StatementKind::Program(stmt) if has_rows(stmt) => {
            if !may_have_long_name(text) {
                return 0;
            }
            let names = Lexer::new(text).filter(|token| token.kind == TokenKind::Identifier);
            names.map(|name| (name.span.end - name.span.start) as usize).filter(|len| *len >= LONG_NAME).sum()
        }
        _ => text.len(),
    }
}

/// The length from which on a name is long.
const LONG_NAME: usize = 1000;

/// Whether the text may have a name that is long: it has quotes of names, or so many bytes of a name in a row. Most texts are long by their many
/// short literals, and need not be divided into tokens to find that out.
fn may_have_long_name(text: &[u8]) -> bool {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'[' | b'`');
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    // Of so many bytes in a row, one of these chunks has nothing else. All bytes are looked at for quotes, so that the compiler makes vectors of it.
    let mut chunks = text.chunks(LONG_NAME / 2);
    chunks.any(|chunk| chunk.iter().fold(false, |found, byte| found | is_quote(byte)) || chunk.iter().all(is_of_name))
}
