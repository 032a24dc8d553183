//! INSERT.

use lithe_catalog::{CompileError, Result, Trigger, TriggerEvent, fail};
use lithe_sql::ast::{self, SelectCore};

use super::returning::resolve_returning;
use super::upsert::resolve_upserts;
use super::{
    ChangeTarget, ChangedColumn, InsertRows, NO_PLACE, ResolvedInsert, change_target, note_named, with_tables,
};
use crate::authorize::Action;
use crate::resolver::Resolver;
use crate::resolver::expr::query::resolve_query;
use crate::resolver::expr::resolve_each;
use crate::resolver::scope::{Found, Scope};
use crate::resolver::source_columns::is_rowid_name;

/// Resolves an INSERT that stands in `base`: nothing, or OLD and NEW of a trigger.
pub(crate) fn resolve_insert<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    insert: &ast::Insert<'a>,
) -> Result<&'a mut ResolvedInsert<'a>> {
    let target = change_target(resolver, base, insert.table)?;
    // The query of a view that is inserted into is not run.
    resolver.misnumbered.set(None);
    // SQLite generates code for several rows while it parses them, before it processes the INSERT.
    let has_rows_first = base.within.is_none() && has_several_rows(insert);
    if !has_rows_first {
        authorize_insert(resolver, base, &target)?;
    }
    let columns = insert_columns(resolver, base, &target, insert)?;
    let excluded = resolver.new_source();
    with_tables(base, insert.with, |scope| {
        let rows = insert_rows(resolver, scope, insert)?;
        if has_rows_first {
            authorize_insert(resolver, base, &target)?;
        }
        // In a schema that is being verified, only names are resolved.
        if !resolver.only_names {
            check_width(insert, columns, &rows)?;
        }
        if !insert.upserts.is_empty() && target.table.view().is_some() && !resolver.only_names {
            return fail("cannot UPSERT a view");
        }
        if !insert.upserts.is_empty() && target.table.virtual_table().is_some() && !resolver.only_names {
            return fail(format!("UPSERT not implemented for virtual table \"{}\"", target.table.name));
        }
        let upserts = resolve_upserts(resolver, scope, &target, insert, (columns, excluded))?;
        let returning = resolve_returning(resolver, base, &target, insert.returning);
        if returning.is_some() {
            resolver.change_returning_error(|error| error_in_returning(resolver, &target, error));
        }
        resolver.checks.check_delayed()?;
        let places = places(resolver, target.width(), columns);
        let insert = ResolvedInsert { target, or: insert.or, columns, places, rows, upserts, excluded, returning };
        Ok(resolver.arena.alloc(insert))
    })
}

/// An error in RETURNING. As in SQLite, it has no place if a trigger of the table's database fires after the insertion.
#[cold]
fn error_in_returning(resolver: &Resolver<'_>, target: &ChangeTarget<'_>, error: CompileError) -> CompileError {
    let mut triggers = resolver.env.catalog.triggers_of(target.db, target.table);
    let fires = |found: &Trigger| found.time == ast::TriggerTime::After && found.event == TriggerEvent::Insert;
    match triggers.any(|found| found.db == target.db && fires(found.trigger)) {
        true => error.without_offset(),
        false => error,
    }
}

/// Calls the authorizer about the statement.
pub(crate) fn authorize_insert<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
) -> Result<()> {
    let table = target.table.name.name();
    match resolver.env.authorize(Action::Insert, Some(table), None, Some(target.db), base.within)? {
        true => Ok(()),
        false => Err(CompileError::ignored()),
    }
}

/// Whether the rows are several of VALUES.
fn has_several_rows(insert: &ast::Insert<'_>) -> bool {
    insert.source.is_some_and(|select| matches!(select.first, SelectCore::Values([_, _, ..])))
}

/// The columns that get the values of an INSERT.
fn insert_columns<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    insert: &ast::Insert<'a>,
) -> Result<&'a [ChangedColumn]> {
    let (table, names) = (target.table, insert.columns);
    if names.is_empty() {
        let all = (0..target.width() as u16).filter(|&at| !target.is_generated(at)).filter(|&at| !target.is_hidden(at));
        let mut columns = bumpalo::collections::Vec::with_capacity_in(target.width(), resolver.arena);
        all.for_each(|at| columns.push(target.column_or_rowid(at)));
        return Ok(columns.into_bump_slice());
    }
    let mut columns = bumpalo::collections::Vec::with_capacity_in(names.len(), resolver.arena);
    for name in names {
        note_named(resolver, base, target, *name);
        let name = name.name;
        columns.push(match target.find(name) {
            Some(at) if target.is_generated(at) && !resolver.only_names => {
                return fail(format!("cannot INSERT into generated column \"{}\"", target.column_name(at)));
            }
            Some(at) => target.column_or_rowid(at),
            None if is_rowid_name(name) && table.has_rowid() => ChangedColumn::Rowid,
            // SQLite does not resolve these names when it verifies a schema.
            None if resolver.only_names => continue,
            None => {
                let message = format!("table {} has no column named {name}", written_name(insert));
                return Err(CompileError::new(message).of_schema());
            }
        });
    }
    Ok(columns.into_bump_slice())
}

/// For each column, and for the rowid, the place of its value.
fn places<'a>(resolver: &Resolver<'a>, width: usize, columns: &[ChangedColumn]) -> &'a [u16] {
    let places = resolver.arena.alloc_slice_fill_copy(width + 1, NO_PLACE);
    for (at, column) in columns.iter().enumerate() {
        match *column {
            ChangedColumn::Column(column) if places[usize::from(column)] != NO_PLACE => {}
            ChangedColumn::Column(column) => places[usize::from(column)] = at as u16,
            ChangedColumn::Rowid => places[width] = at as u16,
        }
    }
    places
}

fn insert_rows<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, insert: &ast::Insert<'a>) -> Result<InsertRows<'a>> {
    let Some(select) = insert.source else { return Ok(InsertRows::Default) };
    let is_plain = select.with.is_none() && select.order_by.is_empty() && select.limit.is_none();
    match select.first {
        SelectCore::Values(&[row]) if is_plain && select.rest.is_empty() => {
            let found = Found::default();
            let rules = scope.clause_rules();
            let row_scope = Scope { parent: Some(scope), sources: &[], aliases: &[], rules, found: &found, ..*scope };
            Ok(InsertRows::Values(resolve_each(resolver, &row_scope, row)?))
        }
        _ => Ok(InsertRows::Query(resolve_query(resolver, scope, select)?)),
    }
}

/// The table as the statement names it: by its alias, or with its database if the statement says one.
fn written_name(insert: &ast::Insert<'_>) -> String {
    let table = insert.table;
    match (insert.alias, table.schema) {
        (Some(alias), _) => alias.name.to_string(),
        (None, Some(schema)) => format!("{}.{}", schema.name, table.name.name),
        (None, None) => table.name.name.to_string(),
    }
}

/// Each row must have as many values as there are columns for them.
fn check_width(insert: &ast::Insert<'_>, columns: &[ChangedColumn], rows: &InsertRows<'_>) -> Result<()> {
    let width = match rows {
        InsertRows::Default if insert.columns.is_empty() => return Ok(()),
        InsertRows::Default => 0,
        InsertRows::Values(row) => row.len(),
        InsertRows::Query(query) => query.columns.len(),
    };
    if width == columns.len() {
        return Ok(());
    }
    if insert.columns.is_empty() {
        let table = written_name(insert);
        return fail(format!("table {table} has {} columns but {width} values were supplied", columns.len()));
    }
    Err(CompileError::new(format!("{width} values for {} columns", columns.len())))
}
