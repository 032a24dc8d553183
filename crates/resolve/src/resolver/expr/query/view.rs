//! Views.

use lithe_base::Db;
use lithe_catalog::{CompileError, ErrorKind, NameBuf, Result, Table, View, fail};
use lithe_sql::ast::{self, Stmt};

use super::derived::derived_table;
use super::resolve_query;
use crate::ir::{Derived, Expr, OutputColumn, Query, plain_output};
use crate::resolver::scope::{Found, Rules, Scope};
use crate::resolver::{Misnumbered, Resolver};

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
    let before = resolver.misnumbered.get();
    let query = match view_query(resolver, db, table, (select, &view.select), outside_where) {
        Err(error) => {
            resolver.nesting.note_failed(table, &error);
            return Err(error);
        }
        query => query?,
    };
    let columns = named_columns(query.columns, &view.columns);
    // Of a view in a view the outer one is reported, of several beside each other the first.
    let own =
        (columns.len() != query.columns.len()).then_some(Misnumbered { view: table, columns: query.columns.len() });
    resolver.misnumbered.set(before.or(own).or(resolver.misnumbered.get()));
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

/// The columns under the names of the view's list, if it has one. A list of another length is refused by [`Resolver::refuse_misnumbered`],
/// once all names are resolved: SQLite compares the numbers when it generates the code, and not at all in a schema that it verifies.
fn named_columns<'a>(columns: &[OutputColumn<'a>], names: &'a [NameBuf]) -> Vec<OutputColumn<'a>> {
    if names.is_empty() {
        return columns.to_vec();
    }
    let null = plain_output(&Expr::Null);
    let column = |at| columns.get(at).copied().unwrap_or(null);
    names.iter().enumerate().map(|(at, name)| column(at).renamed(name.name())).collect()
}
