//! FROM: tables, subqueries, views, common tables, joins in parentheses.

use std::cell::Cell;

use lithe_base::Db;
use lithe_catalog::{CompileError, ErrorKind, FoundTable, Result, Table, fail};
use lithe_sql::ast::{self, FromItem, JoinConstraint, Name, SelectNumber};

use super::columns::{NestedColumns, columns_of_nested};
use super::derived::derived_table;
use super::join::{FromPart, JoinTerms, resolve_join_condition, resolve_join_terms};
use super::view::resolve_view;
use super::with::{Recursion, find_common_table, is_bare};
use super::{SelectPart, plain_query, resolve_query};
use crate::ir::{
    CoreBody, Derived, Expr, Indexed, JOIN_SOURCES_MAX, JoinKind, Query, Select, Source, SourceId, SourceKind,
};
use crate::resolver::Resolver;
use crate::resolver::query_checks::WrittenTable;
use crate::resolver::scope::{Found, NestedName, Rules, Scope, ScopeColumns, ScopeSource};

/// A source before it is joined.
pub(crate) struct Item<'a> {
    kind: SourceKind<'a>,
    columns: ScopeColumns<'a>,
    name: Name<'a>,
    db: Option<Db>,
}

/// Resolves FROM. In subqueries of FROM, the names of `outer` are visible, but not those of the other items.
pub(crate) fn resolve_from<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    items: &[FromItem<'a>],
    found: &Found<'a>,
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<FromPart<'a>> {
    let mut part = FromPart::with_capacity_in(items.len(), resolver.arena);
    if let ([item], None) = (items, recursion)
        && let Some(resolved) = plain_table(resolver, outer, item)?
    {
        add_item(resolver, item, item.join, &mut part, &resolved)?;
        return Ok(part);
    }
    part.has_right = items.iter().any(is_right);
    for (at, item) in items.iter().enumerate() {
        resolve_from_item(resolver, outer, item, item.join, &mut part, found, recursion)
            .map_err(|error| after_star(resolver, outer, item, error, &items[at + 1..]))?;
    }
    check_source_count(&part)?;
    Ok(part)
}

/// The table that an item names, if it is neither a common table nor a view, and the item says nothing else.
fn plain_table<'a>(resolver: &Resolver<'a>, outer: &Scope<'_, 'a>, item: &FromItem<'a>) -> Result<Option<Item<'a>>> {
    let ast::Source::Table(name) = item.source else { return Ok(None) };
    if outer.with.is_some() || !matches!(item.constraint, JoinConstraint::None) || item.join.natural || is_right(item) {
        return Ok(None);
    }
    let FoundTable { db, table } = resolver.find_table(outer, name)?;
    if table.view().is_some() {
        return Ok(None);
    }
    let (kind, columns) = (SourceKind::Table(db, table), ScopeColumns::Table(table));
    Ok(Some(Item { kind, columns, name: table.name.name(), db: Some(db) }))
}

/// Refuses a join of more sources than a set of them holds.
pub(crate) fn check_source_count(part: &FromPart<'_>) -> Result<()> {
    if part.sources.len() > JOIN_SOURCES_MAX { fail("at most 64 tables in a join") } else { Ok(()) }
}

/// The error that SQLite reports when `*` in a common table has no columns: SQLite then resolves the sources behind that table without
/// its common tables, and reports the last table that does not exist.
fn after_star<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    item: &FromItem<'a>,
    error: CompileError,
    rest: &[FromItem<'a>],
) -> CompileError {
    if !matches!(error.kind, ErrorKind::EmptyStar { .. }) || !matches!(item.source, ast::Source::Table(_)) {
        return error;
    }
    let blind = Scope { with: None, ..*outer };
    let later = rest.iter().find_map(|item| resolve_item(resolver, &blind, item, None).err());
    later.filter(CompileError::is_no_such_table).unwrap_or(error)
}

pub(crate) fn resolve_from_item<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    item: &FromItem<'a>,
    join: ast::Join,
    part: &mut FromPart<'a>,
    found: &Found<'a>,
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<()> {
    let is_first = part.sources.is_empty() && is_bare(item);
    if let ast::Source::Nested([only]) = item.source
        && !is_first
    {
        // One item in parentheses is the same as that item alone; an alias inside of them is lost, as in SQLite.
        let item = FromItem { source: only.source, indexed: only.indexed, ..*item };
        return resolve_from_item(resolver, outer, &item, join, part, found, recursion);
    }
    if let ast::Source::Nested(inner) = item.source
        && is_first
    {
        part.has_right |= inner.iter().any(is_right);
        resolver.count_selects_of_view(usize::from(item.number.is_some()));
        for (at, inner) in inner.iter().enumerate() {
            let join = if at == 0 { join } else { inner.join };
            resolve_from_item(resolver, outer, inner, join, part, found, recursion)?;
        }
        return Ok(());
    }
    resolve_whole_item(resolver, outer, item, join, part, found, recursion)
}

/// As [`resolve_from_item`], for an item that stays one source even if it is a join in parentheses.
pub(crate) fn resolve_whole_item<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    item: &FromItem<'a>,
    join: ast::Join,
    part: &mut FromPart<'a>,
    found: &Found<'a>,
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<()> {
    let resolved = resolve_item(resolver, outer, item, recursion)?;
    if let SourceKind::Subquery(derived) = resolved.kind {
        let mut uses = found.outer.borrow_mut();
        for &source in derived.query.outer {
            if !uses.contains(&source) {
                uses.push(source);
            }
        }
    }
    add_item(resolver, item, join, part, &resolved)
}

/// Adds a source to FROM.
#[inline]
fn add_item<'a>(
    resolver: &Resolver<'a>,
    item: &FromItem<'a>,
    join: ast::Join,
    part: &mut FromPart<'a>,
    resolved: &Item<'a>,
) -> Result<()> {
    let id = resolver.new_source();
    let kind = join_kind(join.kind);
    let name = item.alias.map_or(resolved.name, |alias| alias.name);
    if let (Some(log), Some(_)) = (&resolver.log, item.alias) {
        log.note_alias(id);
    }
    if let ast::Source::Table(written) = item.source {
        let database = written.schema.map(|schema| schema.name);
        resolver.checks.note_written(id, WrittenTable { database, name: written.name.name });
    }
    let mut scope_source = ScopeSource {
        id,
        name,
        table_name: table_name(resolver, resolved, name),
        db: resolved.db,
        columns: resolved.columns,
        join: join.kind,
        using: &[],
        qualified_only: false,
        is_trigger_row: false,
        is_returned: false,
    };
    let is_free = matches!(item.constraint, JoinConstraint::None) && !join.natural;
    if !is_free || matches!(item.source, ast::Source::Function(..)) {
        let mut condition = resolve_join_condition(resolver, part, &mut scope_source, join, &item.constraint)?;
        if let (ast::Source::Function(_, args), ScopeColumns::Table(table)) = (&item.source, resolved.columns) {
            condition.arguments = function_arguments(resolver, id, table, args)?;
        }
        part.conditions.push(condition);
    }
    part.scope.push(scope_source);
    let (is_alias, indexed) = (item.alias.is_some(), indexed(resolved, item)?);
    // EXPLAIN QUERY PLAN names tables as they are written in the statement.
    let (schema, name) = match item.source {
        ast::Source::Table(written) | ast::Source::Function(written, _) if !is_alias => {
            let schema = written.schema.filter(|_| !resolver.nesting.is_in_source_view());
            (schema.map(|schema| schema.name), written.name.name)
        }
        _ => (None, name),
    };
    part.sources.push(Source {
        id,
        kind: resolved.kind,
        name,
        schema,
        is_alias,
        join: kind,
        is_exists: false,
        indexed,
    });
    Ok(())
}

/// The name by which `full_column_names` qualifies the columns of an item: that of its table, view or common table; else its alias,
/// or that of its place among the queries.
fn table_name<'a>(resolver: &Resolver<'a>, item: &Item<'a>, name: Name<'a>) -> Name<'a> {
    match item.kind {
        SourceKind::Subquery(derived) if name.as_bytes().is_empty() && resolver.env.flags.full_column_names => {
            let number = derived.query.number();
            Name::new(bumpalo::format!(in resolver.arena, "(subquery-{})", number).into_bump_str().as_bytes())
        }
        _ if item.name.as_bytes().is_empty() => name,
        _ => item.name,
    }
}

fn resolve_item<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    item: &FromItem<'a>,
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<Item<'a>> {
    match item.source {
        ast::Source::Table(name) => named_item(resolver, outer, name, recursion),
        ast::Source::Function(name, _) => function_item(resolver, outer, name),
        ast::Source::Subquery(select) => {
            resolver.checks.expect_unnamed_query();
            let query = resolve_query(resolver, outer, select)?;
            Ok(derived_item(resolver, query, Name::new(b"")))
        }
        ast::Source::Nested(items) => nested_item(resolver, outer, items, item.number, recursion),
    }
}

/// A table, view or common table.
fn named_item<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    name: ast::QualifiedName<'a>,
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<Item<'a>> {
    if name.schema.is_none() {
        if let Some(recursion) = recursion.filter(|recursion| recursion.name() == name.name.name) {
            let (table, columns) = recursion.reference()?;
            let columns = ScopeColumns::Query(columns);
            return Ok(Item { kind: SourceKind::Recursive(table), columns, name: name.name.name, db: None });
        }
        if let Some(item) = find_common_table(resolver, outer, name.name.name)? {
            let columns = ScopeColumns::Query(item.columns);
            return Ok(Item { kind: SourceKind::Subquery(item), columns, name: name.name.name, db: None });
        }
    }
    let FoundTable { db, table } = resolver.find_table(outer, name)?;
    table_item(resolver, outer, db, table)
}

fn table_item<'a>(resolver: &Resolver<'a>, outer: &Scope<'_, 'a>, db: Db, table: &'a Table) -> Result<Item<'a>> {
    if let Some(view) = table.view() {
        let outside_where = !outer.is_in_where();
        let resolve = || resolve_view(resolver, db, table, view, outside_where);
        let derived = resolver.nesting.in_source_view(resolve)?;
        // SQLITE_DBCONFIG_ENABLE_VIEW says nothing about temporary views.
        if !resolver.env.flags.views && db != Db::TEMP {
            return fail(format!("access to view \"{}\" prohibited", table.name));
        }
        let columns = ScopeColumns::Query(derived.columns);
        return Ok(Item { kind: SourceKind::Subquery(derived), columns, name: table.name.name(), db: Some(db) });
    }
    let columns = ScopeColumns::Table(table);
    Ok(Item { kind: SourceKind::Table(db, table), columns, name: table.name.name(), db: Some(db) })
}

/// `name(args)`.
fn function_item<'a>(resolver: &Resolver<'a>, outer: &Scope<'_, 'a>, name: ast::QualifiedName<'a>) -> Result<Item<'a>> {
    let is_no_function = || CompileError::new(format!("'{}' is not a function", name.name.name));
    if name.schema.is_none() && find_common_table(resolver, outer, name.name.name)?.is_some() {
        return Err(is_no_function());
    }
    let FoundTable { db, table } = resolver.find_table(outer, name)?;
    if table.virtual_table().is_none() {
        return Err(is_no_function());
    }
    table_item(resolver, outer, db, table)
}

/// The hidden columns of a table-valued function, each with the argument that it must equal.
fn function_arguments<'a>(
    resolver: &Resolver<'a>,
    id: SourceId,
    table: &'a Table,
    args: &[ast::Expr<'a>],
) -> Result<Vec<(Expr<'a>, ast::Expr<'a>)>> {
    let hidden: Vec<u16> =
        (0..table.columns.len() as u16).filter(|&at| table.columns[usize::from(at)].hidden).collect();
    if args.len() > hidden.len() {
        return fail(format!("too many arguments on {}() - max {}", table.name, hidden.len()));
    }
    Ok(hidden.iter().zip(args).map(|(&at, arg)| (resolver.table_column(id, table, at), *arg)).collect())
}

fn derived_item<'a>(resolver: &Resolver<'a>, query: &'a Query<'a>, name: Name<'a>) -> Item<'a> {
    let derived = derived_table(resolver, query, query.columns, None, None);
    Item { kind: SourceKind::Subquery(derived), columns: ScopeColumns::Query(derived.columns), name, db: None }
}

/// A join in parentheses: `SELECT *` from the join. Its columns can still be qualified by the names inside, unless it
/// has an alias.
fn nested_item<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    items: &[FromItem<'a>],
    number: Option<SelectNumber>,
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<Item<'a>> {
    let number = number.map_or_else(|| resolver.numbers.new_select(), |number| resolver.select_number(number));
    let found = Found::default();
    let from = resolver.nesting.nested(|| resolve_from(resolver, outer, items, &found, recursion))?;
    let scope =
        Scope { parent: Some(outer), sources: &from.scope, aliases: &[], found: &found, windows: &[], ..*outer };
    let JoinTerms { mut terms, arguments, .. } =
        resolve_join_terms(resolver, &scope.with_rules(Rules { in_where: true, ..outer.clause_rules() }), &from)?;
    terms.extend(arguments);
    let terms = terms.into_bump_slice();
    let NestedColumns { exprs, outputs: columns, names } = columns_of_nested(resolver, &scope)?;
    let body = CoreBody::Select(resolver.arena.alloc(Select {
        distinct: false,
        columns: resolver.slice(&exprs),
        sources: resolver.slice(&from.sources),
        terms,
        group_by: &[],
        having: None,
        aggregates: &[],
        is_aggregate: false,
        windows: &[],
        is_update: false,
        is_complex: false,
    }));
    let columns = resolver.slice(&columns);
    let part = SelectPart { body, columns, order_by: &[], uses: found.outer.take() };
    let query = plain_query(resolver, part, number);
    let rows = resolver.arena.alloc(Cell::new(None));
    let columns = query.columns;
    let derived: &'a Derived<'a> =
        resolver.arena.alloc(Derived { query, columns, view: None, cte: None, is_join: true, is_changed: false, rows });
    let names: &'a [NestedName<'a>] = resolver.slice(&names);
    let columns = ScopeColumns::Nested(derived.columns, names);
    Ok(Item { kind: SourceKind::Subquery(derived), columns, name: Name::new(b""), db: None })
}

/// Whether the item is joined by RIGHT or FULL JOIN.
pub(crate) fn is_right(item: &FromItem<'_>) -> bool {
    matches!(item.join.kind, ast::JoinKind::Right | ast::JoinKind::Full)
}

fn join_kind(kind: ast::JoinKind) -> JoinKind {
    match kind {
        ast::JoinKind::Comma | ast::JoinKind::Inner => JoinKind::Inner,
        ast::JoinKind::Cross => JoinKind::Cross,
        ast::JoinKind::Left => JoinKind::Left,
        ast::JoinKind::Right => JoinKind::Right,
        ast::JoinKind::Full => JoinKind::Full,
    }
}

/// INDEXED BY: the index must belong to the table.
fn indexed<'a>(item: &Item<'a>, from: &FromItem<'a>) -> Result<Indexed<'a>> {
    match (from.indexed, &item.kind) {
        (ast::Indexed::Any, _) => Ok(Indexed::Any),
        (ast::Indexed::Not, _) => Ok(Indexed::Not),
        (ast::Indexed::By(name), SourceKind::Table(_, table)) => {
            let index = table.indexes.iter().find(|index| index.name == name.name);
            index.map(|index| Indexed::By(index)).ok_or_else(|| no_such_index(name))
        }
        (ast::Indexed::By(name), _) => Err(no_such_index(name)),
    }
}

fn no_such_index(name: ast::Ident<'_>) -> CompileError {
    CompileError::no_such("index", name.name)
}
