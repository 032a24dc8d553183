//! A query as a source: its columns get names of their own.

use bumpalo::Bump;
use lithe_catalog::Table;
use lithe_sql::ast::Name;

use crate::ir::{CommonTable, Derived, OutputColumn, Query};
use crate::resolver::Resolver;

/// A query as a source, its columns under these names made unique.
pub(super) fn derived_table<'a>(
    resolver: &Resolver<'a>,
    query: &'a Query<'a>,
    columns: &[OutputColumn<'a>],
    view: Option<&'a Table>,
    cte: Option<&'a CommonTable<'a>>,
) -> &'a Derived<'a> {
    let mut columns = columns.to_vec();
    for column in &mut columns {
        let name = if view.is_some() { column.stored_name } else { column.inner_name };
        *column = OutputColumn { origin: column.inner_origin, ..column.renamed(name) };
    }
    unique_names(resolver.arena, &mut columns);
    resolver.arena.alloc(Derived { query, columns: resolver.slice(&columns), view, cte, is_join: false })
}

/// Gives each column of a subquery a name of its own: a second `a` becomes `a:1`, and so on. No column is named like a truth value.
pub fn unique_names<'a>(arena: &'a Bump, columns: &mut [OutputColumn<'a>]) {
    for at in 0..columns.len() {
        if ["true", "false"].iter().any(|truth| columns[at].name.is(truth)) {
            columns[at].name = Name::new(bumpalo::format!(in arena, "column{}", at + 1).into_bump_str().as_bytes());
        }
        let mut tries = 0;
        while columns[..at].iter().any(|before| before.name == columns[at].name) {
            tries += 1;
            let text = without_number(columns[at].name.as_bytes());
            let mut name = bumpalo::collections::Vec::from_iter_in(text.iter().copied(), arena);
            name.extend_from_slice(format!(":{tries}").as_bytes());
            columns[at].name = Name::new(name.into_bump_slice());
        }
    }
}

/// The text without a `:number` at its end.
fn without_number(text: &[u8]) -> &[u8] {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    match text.len().checked_sub(digits + 1) {
        Some(colon) if text[colon] == b':' => &text[..colon],
        _ => text,
    }
}
