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
                note_names(resolver, (scope, here), wanted, &expr);
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

/// Adds a name in `scope`, which was found `here`, to the log of names, if there is one.
fn note_names<'a>(
    resolver: &Resolver<'a>,
    (scope, here): (&Scope<'_, 'a>, &Scope<'_, 'a>),
    wanted: Wanted<'a>,
    expr: &Expr<'a>,
) {
    let (Some(log), Expr::Column(column)) = (&resolver.log, expr) else { return };
    let Some(table) = column.table else { return };
    let position = column.index.position().map(|at| at as u16).or(table.rowid_column);
    if let Some(at) = position {
        log.note_column(scope.text, wanted.column, table, at);
    }
    // To SQLite, a qualifier that is the alias of any source on the way is no name of a table.
    let has_alias = |scope: &Scope<'_, 'a>, qualifier: Ident<'a>| {
        scope.sources.iter().any(|source| log.is_aliased(source.id) && source.name == qualifier.name)
    };
    if let Some(qualifier) = wanted.table
        && !scope.up_to(here).any(|scope| has_alias(scope, qualifier))
    {
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
    if let [source @ ScopeSource { columns: ScopeColumns::Table(_), .. }] = sources
        && let Some(found) = column_of_source(resolver, source, db, wanted)
    {
        return Answer::Found(found);
    }
    let mut matches = Matches { first: None, merged: bumpalo::collections::Vec::new_in(resolver.arena) };
    for source in sources {
        let is_clear = match source.columns {
            ScopeColumns::Nested(columns, names) => matches.note_nested(resolver, source, columns, names, (db, wanted)),
            _ => column_of_source(resolver, source, db, wanted).is_none_or(|found| matches.note(source, wanted, found)),
        };
        if !is_clear {
            return Answer::Ambiguous;
        }
    }
    match matches.first {
        None if has_rowid => rowid_of_sources(resolver, sources, db, wanted),
        None => Answer::Unknown,
        Some(one) if matches.merged.is_empty() => Answer::Found(one),
        Some(one) => {
            matches.merged.insert(0, one);
            Answer::Found(coalesce(resolver, &matches.merged))
        }
    }
}

/// The columns that a name may mean, while sources are searched.
struct Matches<'a> {
    first: Option<Expr<'a>>,
    /// Those behind the first that FULL JOINs have merged with it.
    merged: bumpalo::collections::Vec<'a, Expr<'a>>,
}

impl<'a> Matches<'a> {
    /// Adds a column of this source. Returns whether the name is still clear.
    fn note(&mut self, source: &ScopeSource<'a>, wanted: Wanted<'a>, found: Expr<'a>) -> bool {
        if self.first.is_none() {
            self.first = Some(found);
            return true;
        }
        if !source.using.contains(&wanted.column.name) {
            return false;
        }
        match source.join {
            JoinKind::Full => self.merged.push(found),
            JoinKind::Right => {
                self.merged.clear();
                self.first = Some(found);
            }
            _ => {}
        }
        true
    }

    /// Adds the columns of a join in parentheses. One that USING has merged is the only one of its name.
    fn note_nested(
        &mut self,
        resolver: &Resolver<'a>,
        source: &ScopeSource<'a>,
        columns: &'a [OutputColumn<'a>],
        names: &'a [NestedName<'a>],
        (db, wanted): (Option<Db>, Wanted<'a>),
    ) -> bool {
        let by_alias = wanted.table.is_some_and(|table| source.is_named(db, table.name));
        let mut is_found = false;
        for (position, (column, name)) in columns.iter().zip(names).enumerate() {
            let is_meant = !column.hidden
                && match wanted.table {
                    None => !name.qualified_only && name.column == wanted.column.name,
                    Some(_) if by_alias => column.name == wanted.column.name,
                    Some(table) => {
                        let is_of_table = name.table == table.name && (db.is_none() || name.db == db);
                        is_of_table && name.column == wanted.column.name
                    }
                };
            if !is_meant {
                continue;
            }
            let is_again = std::mem::replace(&mut is_found, true);
            if is_again && source.join == JoinKind::Full
                || !self.note(source, wanted, resolver.query_column(source.id, columns, position))
            {
                return false;
            }
            if name.is_merged {
                break;
            }
        }
        true
    }
}

fn column_of_source<'a>(
    resolver: &Resolver<'a>,
    source: &ScopeSource<'a>,
    db: Option<Db>,
    wanted: Wanted<'a>,
) -> Option<Expr<'a>> {
    let name = wanted.column.name;
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
    let mut found = None;
    for source in sources {
        let mut note = |rowid: Expr<'a>| found.replace(rowid).is_none();
        let is_clear = match source.columns {
            ScopeColumns::Nested(columns, names) => {
                // The rowids of the tables in it.
                let is_meant = |name: &NestedName<'a>| match wanted.table {
                    Some(table) => name.table == table.name && (db.is_none() || name.db == db),
                    None => true,
                };
                let rowids = columns.iter().zip(names).enumerate();
                let mut rowids = rowids.filter(|(_, (column, name))| column.hidden && is_meant(name));
                rowids.all(|(position, _)| note(resolver.query_column(source.id, columns, position)))
            }
            ScopeColumns::Table(table) if table.has_rowid() => {
                let is_meant = match wanted.table {
                    Some(table) => source.is_named(db, table.name),
                    None => !source.qualified_only,
                };
                let is_excluded = source.qualified_only && !source.is_trigger_row;
                let rowid = || resolver.rowid(source.id, table);
                !is_meant || note(if is_excluded { of_excluded(resolver, rowid()) } else { rowid() })
            }
            ScopeColumns::Table(_) | ScopeColumns::Query(_) => true,
        };
        if !is_clear {
            return Answer::Ambiguous;
        }
    }
    found.map_or(Answer::Unknown, Answer::Found)
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
