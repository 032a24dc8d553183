//! A column's name → the column.
//!
//! A name is looked up in the innermost scope first. There, all sources are searched; two matches are ambiguous unless
//! USING merged the columns. Then come the rowid under its three names, the aliases of result columns, and the
//! enclosing scope. A name that is found nowhere may be TRUE, FALSE, or a string in double quotes.

use lithe_base::Db;
use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::{Ident, JoinKind, Name, QualifiedColumn, Quote, Span};

use super::function::{coalesce, misuse_of_aggregate_in};
use crate::ir::{Coll, Column, Expr, OutputColumn, any};
use crate::resolver::Resolver;
use crate::resolver::reads::may_read;
use crate::resolver::scope::{Alias, NestedName, Scope, ScopeColumns, ScopeSource, Stored};
use crate::resolver::source_columns::is_rowid_name;

/// A name as it was written.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    schema: Option<Ident<'a>>,
    table: Option<Ident<'a>>,
    column: Ident<'a>,
    /// Where it stands, for messages.
    span: Span,
}

impl<'a> From<Ident<'a>> for Wanted<'a> {
    fn from(column: Ident<'a>) -> Wanted<'a> {
        Wanted { schema: None, table: None, column, span: column.span() }
    }
}

impl<'a> From<&QualifiedColumn<'a>> for Wanted<'a> {
    fn from(name: &QualifiedColumn<'a>) -> Wanted<'a> {
        let first = name.schema.unwrap_or(name.table);
        Wanted { schema: name.schema, table: Some(name.table), column: name.column, span: first.span() }
    }
}

impl<'a> Wanted<'a> {
    /// A name that is not written in the text: a column of a star.
    pub fn bare(name: Name<'a>) -> Wanted<'a> {
        Ident::new(name, Span::default(), Quote::Other).into()
    }

    /// The name as messages show it.
    fn display(&self) -> String {
        let mut text = String::new();
        for qualifier in [self.schema, self.table].into_iter().flatten() {
            text += &qualifier.name.to_str_lossy();
            text.push('.');
        }
        text + &self.column.name.to_str_lossy()
    }
}

/// The result of looking up a name in one scope.
enum Answer<'a> {
    Unknown,
    Found(Expr<'a>),
    Ambiguous,
}

/// The column of that name, seen from `scope`.
pub(super) fn resolve_column<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    wanted: Wanted<'a>,
) -> Result<Expr<'a>> {
    let mut at = Some(scope);
    while let Some(here) = at {
        match column_here(resolver, here, wanted)? {
            Answer::Found(expr) => {
                if !std::ptr::eq(here, scope) && has_window(&expr) {
                    let name = wanted.column.name;
                    return Err(CompileError::new(format!("misuse of aliased window function {name}")));
                }
                note_sources(scope, &expr);
                note_names(resolver, scope, wanted, &expr);
                return may_read(resolver, scope, here.sources, expr);
            }
            Answer::Ambiguous => {
                return Err(CompileError::ambiguous_column(wanted.display()).starting_at(wanted.span));
            }
            Answer::Unknown => at = here.parent,
        }
    }
    no_column(resolver, scope, wanted)
}

/// Adds a name to the log of names, if there is one.
fn note_names<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, wanted: Wanted<'a>, expr: &Expr<'a>) {
    let (Some(log), Expr::Column(column)) = (&resolver.log, expr) else { return };
    let Some(table) = column.table else { return };
    let position = column.index.position().map(|at| at as u16).or(table.rowid_column);
    if let Some(at) = position {
        log.note_column(scope.text, wanted.column, table, at);
    }
    if let Some(qualifier) = wanted.table {
        log.note_qualifier(scope.text, qualifier, column.source, table);
    }
}

fn column_here<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, mut wanted: Wanted<'a>) -> Result<Answer<'a>> {
    // A constraint uses its own table, whatever database qualifies the name.
    if matches!(scope.rules.stored, Some(Stored::Check | Stored::PartialIndex)) {
        wanted.schema = None;
    }
    // Where the rowid may not be named, its name in double quotes is a string.
    let has_rowid = !matches!(scope.rules.stored, Some(Stored::Generated | Stored::Index));
    let answer = column_of_sources(resolver, scope.sources, wanted, has_rowid);
    if wanted.table.is_some() || !matches!(answer, Answer::Unknown) {
        return Ok(answer);
    }
    match scope.aliases.iter().find(|alias| alias.name == wanted.column.name) {
        Some(alias) => aliased(scope, alias).map(Answer::Found),
        None => Ok(Answer::Unknown),
    }
}

/// The column of that name among `sources`.
fn column_of_sources<'a>(
    resolver: &Resolver<'a>,
    sources: &[ScopeSource<'a>],
    wanted: Wanted<'a>,
    has_rowid: bool,
) -> Answer<'a> {
    let db = match wanted.schema {
        None => None,
        Some(schema) => match resolver.env.catalog.find_database(schema.name) {
            Some(db) => Some(db),
            None => return Answer::Unknown,
        },
    };
    let mut first = None;
    // Those behind the first that FULL JOINs have merged with it.
    let mut merged = bumpalo::collections::Vec::new_in(resolver.arena);
    for source in sources {
        let Some(found) = column_of_source(resolver, source, db, wanted) else { continue };
        let is_using = || source.using.contains(&wanted.column.name);
        match source.join {
            _ if first.is_none() => first = Some(found),
            _ if !is_using() => return Answer::Ambiguous,
            JoinKind::Full => merged.push(found),
            JoinKind::Right => {
                merged.clear();
                first = Some(found);
            }
            _ => {}
        }
    }
    match first {
        None if has_rowid => rowid_of_sources(resolver, sources, db, wanted),
        None => Answer::Unknown,
        Some(one) if merged.is_empty() => Answer::Found(one),
        Some(one) => {
            merged.insert(0, one);
            Answer::Found(coalesce(resolver, &merged))
        }
    }
}

fn column_of_source<'a>(
    resolver: &Resolver<'a>,
    source: &ScopeSource<'a>,
    db: Option<Db>,
    wanted: Wanted<'a>,
) -> Option<Expr<'a>> {
    let name = wanted.column.name;
    if let ScopeColumns::Nested(columns, names) = source.columns {
        return column_of_nested(resolver, source, columns, names, db, wanted);
    }
    match wanted.table {
        Some(table) if !source.is_named(db, table.name) => return None,
        None if source.qualified_only => return None,
        _ => {}
    }
    let found = match source.columns {
        ScopeColumns::Table(table) => resolver.table_column(source.id, table, table.column(name)?),
        ScopeColumns::Query(columns) => {
            let position = columns.iter().position(|column| column.name == name)?;
            resolver.query_column(source.id, columns, position)
        }
        ScopeColumns::Nested(..) => return None,
    };
    Some(match source.qualified_only {
        false => found,
        true if source.is_trigger_row => of_trigger_row(resolver, found),
        true => of_excluded(resolver, found),
    })
}

/// A column of `excluded` has neither an affinity nor a collation.
fn of_excluded<'a>(resolver: &Resolver<'a>, expr: Expr<'a>) -> Expr<'a> {
    match expr {
        Expr::Column(column) => {
            resolver.source_column(Column { affinity: None, collation: Coll::Binary, is_excluded: true, ..*column })
        }
        expr => expr,
    }
}

/// A column of OLD or NEW has no affinity in comparisons; a rowid keeps its own.
fn of_trigger_row<'a>(resolver: &Resolver<'a>, expr: Expr<'a>) -> Expr<'a> {
    match expr {
        Expr::Column(column) if !column.index.is_rowid() => {
            resolver.source_column(Column { affinity: None, ..*column })
        }
        expr => expr,
    }
}

fn column_of_nested<'a>(
    resolver: &Resolver<'a>,
    source: &ScopeSource<'a>,
    columns: &'a [OutputColumn<'a>],
    names: &'a [NestedName<'a>],
    db: Option<Db>,
    wanted: Wanted<'a>,
) -> Option<Expr<'a>> {
    let by_alias = wanted.table.is_some_and(|table| source.is_named(db, table.name));
    let is_meant = |position: &usize| {
        let origin = &names[*position];
        let is_rowid = columns[*position].hidden && is_rowid_name(wanted.column.name);
        (origin.column == wanted.column.name || is_rowid)
            && match wanted.table {
                None => !origin.qualified_only,
                Some(_) if by_alias => !origin.qualified_only,
                Some(table) => origin.table == table.name && (db.is_none() || origin.db == db),
            }
    };
    let position = (0..columns.len()).find(is_meant)?;
    Some(resolver.query_column(source.id, columns, position))
}

/// The rowid, when the name is one of its names and no column has it.
fn rowid_of_sources<'a>(
    resolver: &Resolver<'a>,
    sources: &[ScopeSource<'a>],
    db: Option<Db>,
    wanted: Wanted<'a>,
) -> Answer<'a> {
    if !is_rowid_name(wanted.column.name) {
        return Answer::Unknown;
    }
    let has_rowid = |source: &&ScopeSource<'a>| match (wanted.table, source.columns) {
        (Some(table), _) if !source.is_named(db, table.name) => false,
        (None, _) if source.qualified_only => false,
        (_, ScopeColumns::Table(table)) => table.has_rowid(),
        _ => false,
    };
    let mut found = sources.iter().filter(has_rowid);
    match (found.next(), found.next()) {
        (Some(source), None) => match source.columns {
            ScopeColumns::Table(table) => {
                let rowid = resolver.rowid(source.id, table);
                let is_excluded = source.qualified_only && !source.is_trigger_row;
                Answer::Found(if is_excluded { of_excluded(resolver, rowid) } else { rowid })
            }
            ScopeColumns::Query(_) | ScopeColumns::Nested(..) => Answer::Unknown,
        },
        (None, _) => Answer::Unknown,
        (Some(_), Some(_)) => Answer::Ambiguous,
    }
}

/// A result column by its alias.
fn aliased<'a>(scope: &Scope<'_, 'a>, alias: &Alias<'a>) -> Result<Expr<'a>> {
    let owns_aggregate = any(&alias.expr, &mut |expr| matches!(expr, Expr::Aggregate(_)));
    if owns_aggregate && !scope.rules.aggregates {
        if scope.rules.in_aggregate {
            return Err(CompileError::new(format!("misuse of aliased aggregate {}", alias.name)));
        }
        return Err(misuse_of_aggregate_in(&alias.expr));
    }
    if has_window(&alias.expr) && !scope.rules.windows {
        return Err(CompileError::new(format!("misuse of aliased window function {}", alias.name)));
    }
    if matches!(alias.expr, Expr::Row(_)) {
        return Err(CompileError::new("row value misused"));
    }
    Ok(alias.expr)
}

/// A name that is no column: TRUE, FALSE, a string, or an error.
fn no_column<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, wanted: Wanted<'a>) -> Result<Expr<'a>> {
    let Wanted { column, table: None, .. } = wanted else {
        return Err(CompileError::no_such("column", wanted.display()).starting_at(wanted.span));
    };
    match column.quote() {
        Quote::Double if !scope.rules.no_strings_in_double_quotes => {
            if let Some(log) = &resolver.log {
                log.note_string(scope.text, column);
            }
            resolver.quoted_strings.borrow_mut().push(column.name.as_bytes());
            Ok(Expr::Text(column.name.as_bytes()))
        }
        Quote::Double => Err(CompileError::no_such_quoted_column(column.name).starting_at(wanted.span)),
        Quote::None if column.name.is("true") => Ok(Expr::Boolean(true)),
        Quote::None if column.name.is("false") => Ok(Expr::Boolean(false)),
        _ => Err(CompileError::no_such("column", column.name).starting_at(wanted.span)),
    }
}

/// Records the use of a source in every query between `scope` and the query that owns the source.
pub(super) fn note_sources<'a>(scope: &Scope<'_, 'a>, expr: &Expr<'a>) {
    crate::ir::for_each_source(expr, &mut |source| scope.note_use(source));
}

fn has_window(expr: &Expr<'_>) -> bool {
    any(expr, &mut |expr| matches!(expr, Expr::Window(_)))
}
