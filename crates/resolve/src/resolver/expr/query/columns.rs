//! Result columns: stars, names, where values come from.

use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::{CompileError, ErrorKind, Result, fail};
use lithe_sql::ast::{self, ExprKind, Ident, JoinKind, Name, ResultColumnKind};

use super::derived::unique_names;
use crate::ir::{Expr, Origin, OutputColumn, affinity_of, collation_of, skip_likelihood};
use crate::resolver::Resolver;
use crate::resolver::expr::name::{Wanted, note_sources, resolve_column};
use crate::resolver::expr::resolve_expr;
use crate::resolver::reads::may_read;
use crate::resolver::scope::{Alias, NestedName, Scope, ScopeColumns, ScopeSource};
use crate::resolver::source_columns::{Visible, as_column, visible_columns};

/// A result column.
#[derive(Clone, Copy)]
pub(crate) struct ResultItem<'a> {
    pub expr: Expr<'a>,
    pub name: Name<'a>,
    /// See [`OutputColumn::inner_name`].
    pub inner_name: Name<'a>,
    /// See [`OutputColumn::stored_name`].
    pub stored_name: Name<'a>,
    /// Whether other clauses can use the name: it is written with AS, or comes from a star.
    pub is_alias: bool,
    pub origin: Option<Origin<'a>>,
}

impl<'a> ResultItem<'a> {
    /// A result column that has this name everywhere.
    pub fn named(expr: Expr<'a>, name: Name<'a>, origin: Option<Origin<'a>>) -> ResultItem<'a> {
        ResultItem { expr, name, inner_name: name, stored_name: name, is_alias: true, origin }
    }

    /// The column of the whole query.
    pub fn output(&self) -> OutputColumn<'a> {
        let collation = collation_of(&self.expr);
        OutputColumn {
            name: self.name,
            inner_name: self.inner_name,
            stored_name: self.stored_name,
            affinity: affinity_of(&self.expr),
            collation: collation.unwrap_or_default(),
            has_collation: collation.is_some(),
            origin: self.origin,
            inner_origin: self.origin,
            hidden: false,
        }
    }
}

/// The names that WHERE, GROUP BY, HAVING and ORDER BY can use.
pub(super) fn aliases_of<'a>(items: &[ResultItem<'a>]) -> Vec<Alias<'a>> {
    items.iter().filter(|item| item.is_alias).map(|item| Alias { name: item.inner_name, expr: item.expr }).collect()
}

/// The result columns of a SELECT, stars expanded.
pub(crate) fn resolve_result_columns<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    columns: &[ast::ResultColumn<'a>],
) -> Result<ArenaVec<'a, ResultItem<'a>>> {
    let mut items = ArenaVec::with_capacity_in(columns.len(), resolver.arena);
    for column in columns {
        match &column.kind {
            ResultColumnKind::Star => {
                let place = |error: CompileError| error.with_offset(Some(column.span.start));
                check_unique(resolver, scope, None).map_err(place)?;
                resolve_star(resolver, scope, column.span.start, &mut items)?;
            }
            ResultColumnKind::TableStar(table) => {
                table_star(resolver, scope, *table, column.span.end - 1, &mut items)?;
            }
            ResultColumnKind::Expr(expr) => {
                let resolved = resolve_expr(resolver, scope, expr)?;
                items.push(result_item(resolver, scope, column, expr, resolved));
            }
        }
    }
    if items.len() > resolver.env.limits.columns as usize {
        return fail("too many columns in result set");
    }
    Ok(items)
}

fn result_item<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    column: &ast::ResultColumn<'a>,
    written: &ast::Expr<'a>,
    expr: Expr<'a>,
) -> ResultItem<'a> {
    let origin = origin_of(scope, &expr);
    if let Some(alias) = column.alias {
        return ResultItem::named(expr, alias.name, origin);
    }
    let text = Name::new(column.span.text(scope.text));
    let name = column_name(scope, &expr, origin);
    let stored_name = match expr {
        Expr::Column(_) => name,
        _ => {
            let bare = skip_likelihood(expr);
            column_name(scope, &bare, origin_of(scope, &bare))
        }
    };
    let is_name = matches!(written.kind, ExprKind::Column(_) | ExprKind::QualifiedColumn(_));
    let shown = name.filter(|_| is_name).and_then(|name| shown_name(resolver, scope, &expr, name));
    ResultItem {
        expr,
        name: shown.unwrap_or(text),
        inner_name: written_name(written).unwrap_or(text),
        stored_name: stored_name.unwrap_or(text),
        is_alias: false,
        origin,
    }
}

/// The name of the column `name` in the result of a statement, by `full_column_names` and `short_column_names`; none if the name
/// is the expression's text.
fn shown_name<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, expr: &Expr<'a>, name: Name<'a>) -> Option<Name<'a>> {
    let flags = &resolver.env.flags;
    if !flags.full_column_names {
        return Some(name).filter(|_| flags.short_column_names);
    }
    let source = find_source(scope, as_column(expr)?.source)?;
    let table = match source.columns {
        ScopeColumns::Table(table) => table.name.name(),
        ScopeColumns::Query(_) => source.table_name,
        ScopeColumns::Nested(..) => source.name,
    };
    Some(qualified(resolver, table, name))
}

/// `table.column`.
fn qualified<'a>(resolver: &Resolver<'a>, table: Name<'a>, column: Name<'a>) -> Name<'a> {
    let mut text = bumpalo::collections::Vec::from_iter_in(table.as_bytes().iter().copied(), resolver.arena);
    text.push(b'.');
    text.extend_from_slice(column.as_bytes());
    Name::new(text.into_bump_slice())
}

/// Where the value of a result column comes from.
fn origin_of<'a>(scope: &Scope<'_, 'a>, expr: &Expr<'a>) -> Option<Origin<'a>> {
    match expr {
        Expr::Column(column) => {
            let source = find_source(scope, column.source)?;
            match source.columns {
                ScopeColumns::Table(table) => {
                    let position = column.index.position().map(|at| at as u16);
                    Some(Origin { db: source.db?, table, column: position.or(table.rowid_column) })
                }
                ScopeColumns::Query(columns) | ScopeColumns::Nested(columns, _) => {
                    columns[column.index.position()?].origin
                }
            }
        }
        Expr::Subquery(subquery) => subquery.query.columns.first()?.inner_origin,
        _ => None,
    }
}

/// `*`: the columns of all sources; a column that USING made of two is shown once.
fn resolve_star<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    place: u32,
    items: &mut ArenaVec<'a, ResultItem<'a>>,
) -> Result<()> {
    if scope.sources.is_empty() {
        return Err(CompileError::new("no tables specified").of_kind(ErrorKind::EmptyStar { of_table: false }));
    }
    let is_alone = matches!(scope.sources, [ScopeSource { columns: ScopeColumns::Nested(..), .. }]);
    for (at, source) in scope.sources.iter().enumerate() {
        let behind = &scope.sources[at + 1..];
        for Visible { name, position } in visible_columns(source) {
            if source.using.contains(&name) {
                continue;
            }
            let expr = if is_alone || is_named_alone(behind, name) {
                resolve_column(resolver, scope, Wanted::bare(name)).map_err(|error| error.with_offset(Some(place)))?
            } else {
                resolver.column_at(source, position)
            };
            let expr = may_read(resolver, scope, scope.sources, expr)?;
            items.push(star_item(resolver, scope, source, name, expr));
        }
    }
    Ok(())
}

/// Whether the column stands in `*` for those that USING has merged with it, as its bare name does: on the left of a RIGHT or FULL JOIN,
/// which need not be the one with USING. So another source with such a column makes `*` ambiguous.
fn is_named_alone<'a>(behind: &[ScopeSource<'a>], name: Name<'a>) -> bool {
    behind.iter().any(|later| later.using.contains(&name))
        && behind.iter().any(|later| matches!(later.join, JoinKind::Right | JoinKind::Full))
}

/// Two sources of the same name make `*`, or `name.*`, ambiguous, as naming their columns would be.
fn check_unique<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, only: Option<Name<'a>>) -> Result<()> {
    let is_named = |source: &&ScopeSource<'a>| !source.name.as_bytes().is_empty();
    let is_twin = |x: &ScopeSource<'a>, y: &ScopeSource<'a>| x.name == y.name && x.db == y.db;
    let is_meant = |source: &ScopeSource<'a>| only.is_none_or(|only| source.name == only);
    for (at, source) in scope.sources.iter().enumerate().filter(|(_, source)| is_named(source) && is_meant(source)) {
        let has = |other: &ScopeSource<'a>, name| match other.columns {
            // A table in parentheses has the name of the one outside.
            ScopeColumns::Nested(_, names) => names.iter().any(|inner| {
                inner.db.is_some() && (inner.db, inner.table, inner.column) == (source.db, source.name, name)
            }),
            _ => is_twin(source, other) && visible_columns(other).iter().any(|column| column.name == name),
        };
        let (before, behind) = (&scope.sources[..at], &scope.sources[at + 1..]);
        let is_met_before = |name| !source.using.contains(&name) && before.iter().any(|other| has(other, name));
        let is_met_behind = |name| behind.iter().any(|other| has(other, name) && !other.using.contains(&name));
        let is_unclear = |name: Name<'a>| is_met_before(name) || is_met_behind(name);
        // A star without a table leaves out what USING has merged.
        let is_shown = |name: &Name<'a>| only.is_some() || !source.using.contains(name);
        let shown = |column: &Visible<'a>| is_shown(&column.name) && is_unclear(column.name);
        let Some(column) = visible_columns(source).into_iter().find(shown) else {
            continue;
        };
        let db = source.db.map_or_else(|| "*".to_owned(), |db| resolver.env.catalog.database_name(db).to_string());
        return Err(CompileError::ambiguous_column(format_args!("{db}.{}.{}", source.name, column.name)));
    }
    Ok(())
}

/// `table.*`.
fn table_star<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    written: Ident<'a>,
    place: u32,
    items: &mut ArenaVec<'a, ResultItem<'a>>,
) -> Result<()> {
    let table = written.name;
    // SQLite then names the columns without a table. Those that the join in parentheses has renamed have no such name.
    let is_alone = scope.sources.len() == 1;
    check_unique(resolver, scope, Some(table)).map_err(|error| error.with_offset(Some(place)))?;
    let mut is_found = false;
    // To SQLite, the alias of any source is no name of a table.
    let log = resolver
        .log
        .as_ref()
        .filter(|log| !scope.sources.iter().any(|source| source.name == table && log.is_aliased(source.id)));
    for source in scope.sources {
        match source.columns {
            ScopeColumns::Nested(columns, names) => {
                for (at, (column, origin)) in columns.iter().zip(names).enumerate() {
                    if origin.table == table && !column.hidden {
                        let expr = match is_alone {
                            true => resolve_column(resolver, scope, Wanted::bare(column.name))
                                .map_err(|error| error.with_offset(Some(place)))?,
                            false => resolver.query_column(source.id, columns, at),
                        };
                        items.push(star_item(resolver, scope, source, column.name, expr));
                        is_found = true;
                    }
                }
            }
            _ if source.name == table => {
                let is_first = !std::mem::replace(&mut is_found, true);
                if let (Some(log), ScopeColumns::Table(named), true) = (log, source.columns, is_first) {
                    log.note_qualifier(scope.text, written, source.id, named);
                }
                for Visible { name, position } in visible_columns(source) {
                    let expr = may_read(resolver, scope, scope.sources, resolver.column_at(source, position))?;
                    items.push(star_item(resolver, scope, source, name, expr));
                }
            }
            _ => {}
        }
    }
    if is_found {
        Ok(())
    } else {
        Err(CompileError::no_such("table", table).of_kind(ErrorKind::EmptyStar { of_table: true }))
    }
}

fn star_item<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    source: &ScopeSource<'a>,
    name: Name<'a>,
    expr: Expr<'a>,
) -> ResultItem<'a> {
    note_sources(scope, &expr);
    let item = ResultItem::named(expr, name, origin_of(scope, &expr));
    match resolver.env.flags.full_column_names && !resolver.env.flags.short_column_names {
        true => ResultItem { name: qualified(resolver, source.name, name), ..item },
        false => item,
    }
}

/// The columns of VALUES: column1, column2, ...
pub(super) fn value_columns<'a>(resolver: &Resolver<'a>, rows: &[&'a [Expr<'a>]]) -> Vec<ResultItem<'a>> {
    let first = rows.first().copied().unwrap_or_default();
    let item = |(at, expr): (usize, &Expr<'a>)| {
        let name = bumpalo::format!(in resolver.arena, "column{}", at + 1).into_bump_str();
        ResultItem::named(*expr, Name::new(name.as_bytes()), None)
    };
    first.iter().enumerate().map(item).collect()
}

/// The columns of a join in parentheses.
#[derive(Default)]
pub(super) struct NestedColumns<'a> {
    pub exprs: Vec<Expr<'a>>,
    pub outputs: Vec<OutputColumn<'a>>,
    /// The names by which they can be qualified.
    pub names: Vec<NestedName<'a>>,
}

/// All columns of a join in parentheses whose scope this is. Those that USING merges stand for themselves, in its order, before the
/// columns of the table on its left; they are not seen in that table and in the one on its right, unless qualified.
pub(super) fn columns_of_nested<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>) -> Result<NestedColumns<'a>> {
    let mut nested = NestedColumns::default();
    for (at, source) in scope.sources.iter().enumerate() {
        let merged = scope.sources.get(at + 1).map_or(&[][..], |right| right.using);
        for &column in merged {
            let expr = resolve_column(resolver, scope, Wanted::bare(column)).map_err(CompileError::without_offset)?;
            let name = NestedName { db: None, table: Name::new(b""), column, qualified_only: false, is_merged: true };
            nested.add(scope.sources, expr, (name, column), false);
        }
        for (position, name, seen_as) in names_of(source) {
            let is_merged = merged.contains(&seen_as) || source.using.contains(&seen_as);
            let name = NestedName { qualified_only: name.qualified_only || is_merged, ..name };
            nested.add(scope.sources, resolver.column_at(source, position), (name, seen_as), false);
        }
        if let ScopeColumns::Table(table) = source.columns
            && table.has_rowid()
        {
            let column = Name::new(HIDDEN_ROWID);
            let rowid =
                NestedName { db: source.db, table: source.name, column, qualified_only: true, is_merged: false };
            nested.add(scope.sources, resolver.rowid(source.id, table), (rowid, column), true);
        }
    }
    // As in SQLite, what has the name of a merged column before it is not seen, even if it is no operand of the USING.
    for at in 1..nested.names.len() {
        let seen_as = nested.outputs[at].name;
        let first = nested.outputs[..at].iter().position(|before| before.name == seen_as);
        nested.names[at].qualified_only |= first.is_some_and(|first| nested.names[first].is_merged);
    }
    unique_names(resolver.arena, &mut nested.outputs);
    Ok(nested)
}

impl<'a> NestedColumns<'a> {
    fn add(
        &mut self,
        sources: &[ScopeSource<'a>],
        expr: Expr<'a>,
        (name, seen_as): (NestedName<'a>, Name<'a>),
        hidden: bool,
    ) {
        let origin = origin_among(sources, &expr);
        let output = ResultItem::named(expr, seen_as, None).output();
        self.exprs.push(expr);
        self.outputs.push(OutputColumn { hidden, origin, inner_origin: origin, ..output });
        self.names.push(name);
    }
}

/// The positions of the columns that a join in parentheses takes from a source in it, with the names by which they can be qualified, and
/// the names that the source gives them. Rowids in joins inside cannot be named.
fn names_of<'a>(source: &ScopeSource<'a>) -> Vec<(usize, NestedName<'a>, Name<'a>)> {
    match source.columns {
        ScopeColumns::Nested(columns, names) => {
            let named = columns.iter().zip(names).enumerate().filter(|(_, (column, _))| !column.hidden);
            // What a USING inside has merged is a column like others out here.
            let name_of = |name: &NestedName<'a>| NestedName { is_merged: false, ..*name };
            named.map(|(position, (column, name))| (position, name_of(name), column.name)).collect()
        }
        ScopeColumns::Table(_) | ScopeColumns::Query(_) => {
            let (db, table) = (source.db, source.name);
            let name = |column| NestedName { db, table, column, qualified_only: false, is_merged: false };
            let visible = visible_columns(source).into_iter();
            visible.map(|Visible { name: column, position }| (position, name(column), column)).collect()
        }
    }
}

fn origin_among<'a>(sources: &[ScopeSource<'a>], expr: &Expr<'a>) -> Option<Origin<'a>> {
    let column = as_column(expr)?;
    let source = sources.iter().find(|source| source.id == column.source)?;
    match source.columns {
        ScopeColumns::Table(table) => {
            let position = column.index.position().map(|at| at as u16).or(table.rowid_column);
            Some(Origin { db: source.db?, table, column: position })
        }
        ScopeColumns::Query(columns) | ScopeColumns::Nested(columns, _) => columns[column.index.position()?].origin,
    }
}

/// The name of a column as it is written, below COLLATE.
fn written_name<'a>(written: &ast::Expr<'a>) -> Option<Name<'a>> {
    match written.kind {
        ExprKind::Column(name) => Some(name.name),
        ExprKind::QualifiedColumn(name) => Some(name.column.name),
        ExprKind::Collate(collate) => written_name(&collate.value),
        _ => None,
    }
}

fn find_source<'s, 'a>(scope: &'s Scope<'_, 'a>, id: crate::ir::SourceId) -> Option<&'s ScopeSource<'a>> {
    let own = scope.sources.iter().find(|source| source.id == id);
    own.or_else(|| scope.parent.and_then(|parent| find_source(parent, id)))
}

/// The column's name, if the expression is a column.
pub(crate) fn column_name<'a>(scope: &Scope<'_, 'a>, expr: &Expr<'a>, origin: Option<Origin<'a>>) -> Option<Name<'a>> {
    let column = as_column(expr)?;
    match find_source(scope, column.source)?.columns {
        ScopeColumns::Table(table) => match origin.and_then(|origin| origin.column) {
            Some(position) => Some(table.columns[usize::from(position)].name.name()),
            None => Some(Name::new(b"rowid")),
        },
        ScopeColumns::Query(columns) | ScopeColumns::Nested(columns, _) => Some(columns[column.index.position()?].name),
    }
}

/// The name under which a join in parentheses shows the rowid of a table in it.
const HIDDEN_ROWID: &[u8] = b"_ROWID_";
