//! A query as a source: its columns get names of their own.

use std::cell::Cell;

use bumpalo::Bump;
use lithe_catalog::Table;
use lithe_sql::ast::Name;

use crate::ir::{Coll, CommonTable, CoreBody, Derived, OutputColumn, Query, collation_of};
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
    for (at, column) in columns.iter_mut().enumerate() {
        let name = if view.is_some() { column.stored_name } else { column.inner_name };
        // A compound's own comparisons take the first collation that any of its cores has; outside it has that of the first core.
        let collation = if query.is_compound() { first_collation(query, at) } else { column.collation };
        *column = OutputColumn { origin: column.inner_origin, collation, ..column.renamed(name) };
    }
    unique_names(resolver.arena, &mut columns);
    let columns = resolver.slice(&columns);
    let rows = resolver.arena.alloc(Cell::new(None));
    resolver.arena.alloc(Derived { query, columns, view, cte, is_join: false, is_changed: false, rows })
}

/// The collation of a result column of the first core, BINARY if it has none.
fn first_collation<'a>(query: &Query<'a>, at: usize) -> Coll<'a> {
    let expr = match query.cores[0].body {
        CoreBody::Select(select) => select.columns.get(at),
        CoreBody::Values(rows) => rows.first().and_then(|row| row.get(at)),
        // Only rewriting makes these.
        CoreBody::UnionAll(_) => None,
    };
    expr.and_then(collation_of).unwrap_or_default()
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
