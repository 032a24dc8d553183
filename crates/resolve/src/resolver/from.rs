//! FROM: tables, subqueries, views, common tables, joins in parentheses.

use lithe_base::Db;
use lithe_catalog::{CompileError, ErrorKind, FoundTable, Result, Table, VirtualState, fail, no_such_table};
use lithe_sql::ast::{self, FromItem, JoinConstraint, Name};
use lithe_vtab::Risk;

use super::Resolver;
use super::columns::unique_names;
use super::join::JoinTerms;
use super::scope::{Found, NestedName, Scope, ScopeColumns, ScopeSource};
use super::select::SelectPart;
use super::with::Recursion;
use crate::ir::{
    CommonTable, CoreBody, Derived, Expr, Indexed, JOIN_SOURCES_MAX, JoinKind, OutputColumn, Query, Select, Source,
    SourceId, SourceKind, TermOrigin,
};

/// A FROM clause while it is resolved.
#[derive(Default)]
pub(super) struct FromPart<'a> {
    /// The sources.
    pub sources: Vec<Source<'a>>,
    /// The sources as names see them.
    pub scope: Vec<ScopeSource<'a>>,
    /// What ON, USING and the arguments of table-valued functions demand.
    pub conditions: Vec<JoinCondition<'a>>,
    /// Whether there is a RIGHT or FULL JOIN in it.
    pub has_right: bool,
}

/// The conditions that come with one source.
pub(super) struct JoinCondition<'a> {
    pub origin: TermOrigin,
    /// ON, not yet resolved: it may see all sources.
    pub on: Option<ast::Expr<'a>>,
    /// Equalities of USING and NATURAL.
    pub equal: Vec<Expr<'a>>,
    /// Hidden columns of a table-valued function and the arguments that they must equal.
    pub arguments: Vec<(Expr<'a>, ast::Expr<'a>)>,
}

/// A source before it is joined.
struct Item<'a> {
    kind: SourceKind<'a>,
    columns: ScopeColumns<'a>,
    name: Name<'a>,
    db: Option<Db>,
}

impl<'a> Resolver<'a> {
    /// Resolves FROM. Subqueries in it see what `outer` sees and not each other.
    pub(super) fn from(
        &self,
        outer: &Scope<'_, 'a>,
        items: &[FromItem<'a>],
        found: &Found<'a>,
        recursion: Option<&Recursion<'_, 'a>>,
    ) -> Result<FromPart<'a>> {
        let mut part = FromPart {
            sources: Vec::with_capacity(items.len()),
            scope: Vec::with_capacity(items.len()),
            conditions: Vec::with_capacity(items.len()),
            has_right: items.iter().any(is_right),
        };
        for (at, item) in items.iter().enumerate() {
            self.from_item(outer, item, item.join, &mut part, found, recursion)
                .map_err(|error| self.after_star(outer, item, error, &items[at + 1..]))?;
        }
        if part.sources.len() > JOIN_SOURCES_MAX {
            return fail("at most 64 tables in a join");
        }
        Ok(part)
    }

    /// The error that SQLite reports when a star in a common table stands for nothing: it goes on with the sources behind
    /// that table, but knows no common tables any more, and the last thing that it misses counts.
    fn after_star(
        &self,
        outer: &Scope<'_, 'a>,
        item: &FromItem<'a>,
        error: CompileError,
        rest: &[FromItem<'a>],
    ) -> CompileError {
        if !matches!(error.kind, ErrorKind::EmptyStar { .. }) || !matches!(item.source, ast::Source::Table(_)) {
            return error;
        }
        let blind = Scope { with: None, ..*outer };
        let later = rest.iter().find_map(|item| self.item(&blind, item, None).err());
        later.filter(CompileError::is_no_such_table).unwrap_or(error)
    }

    #[allow(clippy::wrong_self_convention)] // an item of FROM, not a conversion
    pub(super) fn from_item(
        &self,
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
            // One item in parentheses is that item; an alias inside of them is lost, as in SQLite.
            let item = FromItem { source: only.source, indexed: only.indexed, ..*item };
            return self.from_item(outer, &item, join, part, found, recursion);
        }
        if let ast::Source::Nested(inner) = item.source
            && (is_first || can_splice(item, inner))
        {
            part.has_right |= inner.iter().any(is_right);
            for (at, inner) in inner.iter().enumerate() {
                let join = if at == 0 { join } else { inner.join };
                self.from_item(outer, inner, join, part, found, recursion)?;
            }
            if let (JoinConstraint::On(on), Some(last)) = (item.constraint, part.sources.last()) {
                let origin = TermOrigin::InnerOn(last.id);
                part.conditions.push(JoinCondition { origin, on: Some(on), equal: Vec::new(), arguments: Vec::new() });
            }
            return Ok(());
        }
        self.whole_item(outer, item, join, part, found, recursion)
    }

    /// As [`Resolver::from_item`], of an item that is one source whatever it is.
    pub(super) fn whole_item(
        &self,
        outer: &Scope<'_, 'a>,
        item: &FromItem<'a>,
        join: ast::Join,
        part: &mut FromPart<'a>,
        found: &Found<'a>,
        recursion: Option<&Recursion<'_, 'a>>,
    ) -> Result<()> {
        let resolved = self.item(outer, item, recursion)?;
        if let SourceKind::Subquery(derived) = resolved.kind {
            let mut uses = found.outer.borrow_mut();
            for &source in derived.query.outer {
                if !uses.contains(&source) {
                    uses.push(source);
                }
            }
        }
        let id = self.new_source();
        let kind = join_kind(join.kind);
        let name = item.alias.map_or(resolved.name, |alias| alias.name);
        if let (Some(log), Some(_)) = (&self.log, item.alias) {
            log.note_alias(id);
        }
        let mut scope_source = ScopeSource {
            id,
            name,
            table_name: resolved.name,
            db: resolved.db,
            columns: resolved.columns,
            join: join.kind,
            using: &[],
            qualified_only: false,
            is_trigger_row: false,
        };
        let mut condition = self.join_condition(part, &mut scope_source, join, &item.constraint)?;
        if let (ast::Source::Function(_, args), ScopeColumns::Table(table)) = (&item.source, resolved.columns) {
            condition.arguments = self.function_arguments(id, table, args)?;
        }
        part.scope.push(scope_source);
        part.conditions.push(condition);
        let (is_alias, indexed) = (item.alias.is_some(), indexed(&resolved, item)?);
        // EXPLAIN QUERY PLAN names tables as the statement does.
        let name = match item.source {
            ast::Source::Table(written) if !is_alias => written.name.name,
            _ => name,
        };
        part.sources.push(Source { id, kind: resolved.kind, name, is_alias, join: kind, is_exists: false, indexed });
        Ok(())
    }

    fn item(
        &self,
        outer: &Scope<'_, 'a>,
        item: &FromItem<'a>,
        recursion: Option<&Recursion<'_, 'a>>,
    ) -> Result<Item<'a>> {
        match item.source {
            ast::Source::Table(name) => self.named_item(outer, name, recursion),
            ast::Source::Function(name, _) => self.function_item(outer, name),
            ast::Source::Subquery(select) => {
                self.expect_unnamed_query();
                let query = self.query(outer, select)?;
                Ok(self.derived_item(query, Name::new(b"")))
            }
            ast::Source::Nested(items) => self.nested_item(outer, items, recursion),
        }
    }

    /// A table, view or common table.
    fn named_item(
        &self,
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
            if let Some(item) = self.common_table(outer, name.name.name)? {
                let columns = ScopeColumns::Query(item.columns);
                return Ok(Item { kind: SourceKind::Subquery(item), columns, name: name.name.name, db: None });
            }
        }
        let FoundTable { db, table } = self.find_table(outer, name)?;
        self.table_item(db, table)
    }

    /// The table of that name, where views and triggers of one database see only that one.
    pub fn find_table(&self, scope: &Scope<'_, 'a>, name: ast::QualifiedName<'a>) -> Result<FoundTable<'a>> {
        let found = self.look_up_table(scope, name)?;
        self.check_connected(scope, found)?;
        if let Some(log) = &self.log {
            log.note_table(scope.text, name.name, found.table);
        }
        Ok(found)
    }

    /// A virtual table can be used when its module has been asked for it, and from the schema only if it does no harm there.
    fn check_connected(&self, scope: &Scope<'_, 'a>, found: FoundTable<'a>) -> Result<()> {
        let Some(table) = found.table.virtual_table() else { return Ok(()) };
        let risk = match table.state {
            VirtualState::Unconnected => return Err(CompileError::unconnected(found.db, &found.table.name)),
            VirtualState::Connected(connected) if self.env.virtual_tables.get(connected.id.0).is_none() => {
                return Err(CompileError::unconnected(found.db, &found.table.name));
            }
            VirtualState::Connected(connected) => connected.risk,
            VirtualState::Function => Risk::Innocuous,
        };
        let is_allowed = match risk {
            Risk::Innocuous => true,
            Risk::Normal => self.env.flags.trusted_schema,
            Risk::DirectOnly => false,
        };
        if scope.fixed_db.is_some() && !is_allowed && !self.is_looking.get() {
            return fail(format!("unsafe use of virtual table \"{}\"", found.table.name));
        }
        Ok(())
    }

    fn look_up_table(&self, scope: &Scope<'_, 'a>, name: ast::QualifiedName<'a>) -> Result<FoundTable<'a>> {
        let is_known = |found: &FoundTable<'_>| self.env.flags.may_use(found.table);
        let Some(db) = scope.fixed_db.filter(|_| name.schema.is_none()) else {
            let found = self.env.catalog.table(name.schema, name.name)?;
            return if is_known(&found) { Ok(found) } else { Err(no_such_table(name.schema, name.name)) };
        };
        let database = self.env.catalog.database_name(db).name();
        let found = self.env.catalog.find_table(Some(database), name.name.name).filter(is_known);
        found.ok_or_else(|| {
            CompileError::new(format!("no such table: {database}.{}", name.name.name)).of_kind(ErrorKind::NoSuchTable)
        })
    }

    fn table_item(&self, db: Db, table: &'a Table) -> Result<Item<'a>> {
        if table.view().is_some() {
            self.nested_views.set(self.nested_views.get() + 1);
            let derived = self.view(db, table);
            self.nested_views.set(self.nested_views.get() - 1);
            let derived = derived?;
            let columns = ScopeColumns::Query(derived.columns);
            return Ok(Item { kind: SourceKind::Subquery(derived), columns, name: table.name.name(), db: Some(db) });
        }
        let columns = ScopeColumns::Table(table);
        Ok(Item { kind: SourceKind::Table(db, table), columns, name: table.name.name(), db: Some(db) })
    }

    /// `name(args)`.
    fn function_item(&self, outer: &Scope<'_, 'a>, name: ast::QualifiedName<'a>) -> Result<Item<'a>> {
        let is_no_function = || CompileError::new(format!("'{}' is not a function", name.name.name));
        if name.schema.is_none() && self.common_table(outer, name.name.name)?.is_some() {
            return Err(is_no_function());
        }
        let FoundTable { db, table } = self.find_table(outer, name)?;
        if table.virtual_table().is_none() {
            return Err(is_no_function());
        }
        self.table_item(db, table)
    }

    /// The hidden columns of a table-valued function, each with the argument that it must equal.
    fn function_arguments(
        &self,
        id: SourceId,
        table: &'a Table,
        args: &[ast::Expr<'a>],
    ) -> Result<Vec<(Expr<'a>, ast::Expr<'a>)>> {
        let hidden: Vec<u16> =
            (0..table.columns.len() as u16).filter(|&at| table.columns[usize::from(at)].hidden).collect();
        if args.len() > hidden.len() {
            return fail(format!("too many arguments on {}() - max {}", table.name, hidden.len()));
        }
        Ok(hidden.iter().zip(args).map(|(&at, arg)| (self.table_column(id, table, at), *arg)).collect())
    }

    fn derived_item(&self, query: &'a Query<'a>, name: Name<'a>) -> Item<'a> {
        let derived = self.derived(query, query.columns, None, None);
        Item { kind: SourceKind::Subquery(derived), columns: ScopeColumns::Query(derived.columns), name, db: None }
    }

    /// A query as a source, its columns under these names made unique.
    pub(super) fn derived(
        &self,
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
        unique_names(self.arena, &mut columns);
        self.arena.alloc(Derived { query, columns: self.slice(&columns), view, cte, is_join: false })
    }

    /// A join in parentheses: `SELECT *` of it, whose columns can still be qualified by the names inside, unless it
    /// has an alias.
    fn nested_item(
        &self,
        outer: &Scope<'_, 'a>,
        items: &[FromItem<'a>],
        recursion: Option<&Recursion<'_, 'a>>,
    ) -> Result<Item<'a>> {
        let found = Found::default();
        let from = self.nested(|| self.from(outer, items, &found, recursion))?;
        let scope =
            Scope { parent: Some(outer), sources: &from.scope, aliases: &[], found: &found, windows: &[], ..*outer };
        let JoinTerms { mut terms, arguments } = self.join_terms(&scope.with_rules(outer.clause_rules()), &from)?;
        terms.extend(arguments);
        let terms = terms.into_bump_slice();
        let (exprs, columns, names) = self.nested_columns(&from.scope);
        let body = CoreBody::Select(self.arena.alloc(Select {
            distinct: false,
            columns: self.slice(&exprs),
            sources: self.slice(&from.sources),
            terms,
            group_by: &[],
            having: None,
            aggregates: &[],
            is_aggregate: false,
            windows: &[],
        }));
        let place = |item: Option<&FromItem<'_>>| item.map_or(ast::Span::default(), |item| item.span);
        let span = ast::Span { start: place(items.first()).start, end: place(items.last()).end };
        let query = self.plain_query(SelectPart { body, columns, order_by: &[], uses: found.outer.take(), span });
        let derived: &'a Derived<'a> =
            self.arena.alloc(Derived { query, columns: query.columns, view: None, cte: None, is_join: true });
        let names: &'a [NestedName<'a>] = self.slice(&names);
        let columns = ScopeColumns::Nested(derived.columns, names);
        Ok(Item { kind: SourceKind::Subquery(derived), columns, name: Name::new(b""), db: None })
    }

    /// `x IN table`: all columns of the table.
    pub(super) fn table_as_query(
        &self,
        scope: &Scope<'_, 'a>,
        name: ast::QualifiedName<'a>,
        args: &[ast::Expr<'a>],
    ) -> Result<&'a Query<'a>> {
        let item = item_of_set(name, self.slice(args));
        let star = ast::ResultColumn { kind: ast::ResultColumnKind::Star, alias: None, span: name.span() };
        let query = ast::Query {
            distinct: false,
            columns: self.slice(&[star]),
            from: self.slice(&[item]),
            filter: None,
            group_by: &[],
            having: None,
            windows: &[],
            span: name.span(),
        };
        Ok(self.plain_query(self.select(scope, &query, &[], None)?))
    }
}

/// Whether the item is joined by RIGHT or FULL JOIN.
pub(super) fn is_right(item: &FromItem<'_>) -> bool {
    matches!(item.join.kind, ast::JoinKind::Right | ast::JoinKind::Full)
}

/// Whether nothing is said of a join in parentheses as a whole. Where it comes first, the parentheses mean nothing then.
fn is_bare(item: &FromItem<'_>) -> bool {
    item.alias.is_none() && matches!(item.constraint, JoinConstraint::None)
}

/// Whether a join in parentheses is nothing but its items: all inner, and joined as a whole by no more than ON.
fn can_splice(item: &FromItem<'_>, inner: &[FromItem<'_>]) -> bool {
    let is_inner = |join: ast::Join| {
        !join.natural && matches!(join.kind, ast::JoinKind::Comma | ast::JoinKind::Inner | ast::JoinKind::Cross)
    };
    item.alias.is_none()
        && is_inner(item.join)
        && !matches!(item.constraint, JoinConstraint::Using(_))
        && inner.iter().all(|inner| is_inner(inner.join) && !matches!(inner.constraint, JoinConstraint::Using(_)))
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

/// `x IN table` is `x IN (SELECT * FROM table)`: the item of that FROM.
pub(super) fn item_of_set<'a>(name: ast::QualifiedName<'a>, args: &'a [ast::Expr<'a>]) -> FromItem<'a> {
    FromItem {
        join: ast::Join { natural: false, kind: ast::JoinKind::Comma },
        source: if args.is_empty() { ast::Source::Table(name) } else { ast::Source::Function(name, args) },
        alias: None,
        indexed: ast::Indexed::Any,
        constraint: JoinConstraint::None,
        span: name.span(),
    }
}

/// INDEXED BY: the index has to be one of the table.
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
    CompileError::new(format!("no such index: {}", name.name))
}
