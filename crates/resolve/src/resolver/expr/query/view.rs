//! Views.

use lithe_base::Db;
use lithe_catalog::{CompileError, ErrorKind, NameBuf, Result, Table, View, fail};
use lithe_sql::ast::{self, Stmt};

use super::derived::derived_table;
use super::resolve_query;
use crate::ir::{Derived, Expr, OutputColumn, Query, plain_output};
use crate::resolver::Resolver;
use crate::resolver::scope::{Found, Rules, Scope};

/// `view`, which `table` is, as a source. `outside_where`: see [`Rules`].
pub(crate) fn resolve_view<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &'a Table,
    view: &'a View,
    outside_where: bool,
) -> Result<&'a Derived<'a>> {
    check_view(resolver, table)?;
    let Stmt::Select(select) = resolver.parse_stored(&view.select)? else {
        return fail(format!("malformed view {}", table.name));
    };
    let query = view_query(resolver, db, table, (select, &view.select), outside_where)?;
    let columns = match resolver.only_names {
        true => named_columns(query.columns, &view.columns),
        false => view_columns(query.columns, &view.columns, table)?,
    };
    Ok(derived_table(resolver, query, &columns, Some(table), None))
}

/// Rejects a view that is being resolved already.
fn check_view(resolver: &Resolver<'_>, table: &Table) -> Result<()> {
    if resolver.nesting.is_open(table) {
        let message = format!("view {} is circularly defined", table.name);
        return Err(CompileError::new(message).of_kind(ErrorKind::Recursion));
    }
    Ok(())
}

/// As [`resolve_view`], for the tree of the view's query, which is parsed from `text` already: resolves its names alone.
pub(crate) fn resolve_view_names<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &'a Table,
    select: &'a ast::Select<'a>,
    text: &'a [u8],
) -> Result<()> {
    check_view(resolver, table)?;
    view_query(resolver, db, table, (select, text), false).map(drop)
}

fn view_query<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &'a Table,
    (select, text): (&'a ast::Select<'a>, &'a [u8]),
    outside_where: bool,
) -> Result<&'a Query<'a>> {
    let found = Found::default();
    let fixed_db = (db != Db::TEMP).then_some(db);
    let rules = Rules { outside_where, ..Rules::of_statements(&resolver.env.flags) };
    let within = Some(table.name.name());
    let scope = Scope { rules, fixed_db, within, ..Scope::outermost(text, &found) };
    let query = resolver.nesting.in_view(table, || resolve_query(resolver, &scope, select));
    query.map_err(CompileError::without_offset)
}

/// As [`view_columns`], for a schema that is verified: SQLite does not compare the number of columns then, and takes the names of the list.
fn named_columns<'a>(columns: &[OutputColumn<'a>], names: &'a [NameBuf]) -> Vec<OutputColumn<'a>> {
    if names.is_empty() {
        return columns.to_vec();
    }
    let null = plain_output(&Expr::Null);
    let column = |at| columns.get(at).copied().unwrap_or(null);
    names.iter().enumerate().map(|(at, name)| column(at).renamed(name.name())).collect()
}

fn view_columns<'a>(columns: &[OutputColumn<'a>], names: &'a [NameBuf], view: &Table) -> Result<Vec<OutputColumn<'a>>> {
    let mut columns = columns.to_vec();
    if names.is_empty() {
        return Ok(columns);
    }
    if names.len() != columns.len() {
        let message = format!("expected {} columns for '{}' but got {}", names.len(), view.name, columns.len());
        return fail(message);
    }
    columns.iter_mut().zip(names).for_each(|(column, name)| *column = column.renamed(name.name()));
    Ok(columns)
}
