//! INSERT, UPDATE, DELETE: their tables, columns, values and conditions.
//!
//! The row that a statement changes is one source of the resolved tree, [`ChangeTarget::source`]: WHERE and SET see it
//! where it stands, constraints and RETURNING see the same source when it is in registers. `excluded` of an UPSERT is
//! another source.

use lithe_base::Db;
use lithe_catalog::{CompileError, FoundTable, Result, Table, fail};
use lithe_sql::ast::{self, Conflict, FromItem, Ident, Name, QualifiedName, SelectCore};

use super::from::FromPart;
use super::name::is_rowid_name;
use super::scope::{Found, Rules, Scope, ScopeColumns, ScopeSource};
use super::{Resolver, compare};
use crate::authorize::Action;
use crate::ir::{Core, CoreBody, Expr, OutputColumn, Query, Source, SourceId, SourceKind, Term};

/// The table or view that a statement changes.
#[derive(Clone, Copy, Debug)]
pub struct ChangeTarget<'a> {
    /// Its database.
    pub db: Db,
    /// The table or view.
    pub table: &'a Table,
    /// The columns of a view: its own entry in the catalog does not know them.
    pub view_columns: &'a [OutputColumn<'a>],
    /// The row that is changed.
    pub source: SourceId,
}

/// A column that gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedColumn {
    /// The column at this position.
    Column(u16),
    /// The rowid, or the column that is declared to be it.
    Rowid,
}

/// SET column = value.
#[derive(Clone, Copy, Debug)]
pub struct Assigned<'a> {
    /// The column.
    pub column: ChangedColumn,
    /// The column that was named; none if the rowid was named by a name of its own.
    pub named: Option<u16>,
    /// Its new value.
    pub value: Expr<'a>,
}

/// RETURNING.
#[derive(Clone, Copy, Debug)]
pub struct Returning<'a> {
    /// The values, of the row [`ChangeTarget::source`].
    pub exprs: &'a [Expr<'a>],
    /// The columns as the application sees them.
    pub columns: &'a [OutputColumn<'a>],
}

/// A resolved INSERT.
#[derive(Clone, Copy, Debug)]
pub struct ResolvedInsert<'a> {
    /// Where rows go.
    pub target: ChangeTarget<'a>,
    /// OR action.
    pub or: Option<Conflict>,
    /// For each value of a row, the column that it is for. A column may be named twice: the first one counts.
    pub columns: &'a [ChangedColumn],
    /// The rows.
    pub rows: InsertRows<'a>,
    /// ON CONFLICT clauses.
    pub upserts: &'a [ResolvedUpsert<'a>],
    /// The row that could not be inserted: `excluded`.
    pub excluded: SourceId,
    /// RETURNING.
    pub returning: Option<Returning<'a>>,
}

/// Where the rows of an INSERT come from.
#[derive(Clone, Copy, Debug)]
pub enum InsertRows<'a> {
    /// DEFAULT VALUES
    Default,
    /// One row of values.
    Values(&'a [Expr<'a>]),
    /// A query.
    Query(&'a Query<'a>),
}

/// A resolved ON CONFLICT clause.
#[derive(Clone, Copy, Debug)]
pub struct ResolvedUpsert<'a> {
    /// The constraint that it is about.
    pub constraint: Constraint,
    /// DO UPDATE; `None` is DO NOTHING.
    pub update: Option<UpsertSet<'a>>,
}

/// A constraint that rows can violate by being there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Any.
    Any,
    /// The rowid.
    Rowid,
    /// The unique index at this position of [`Table::indexes`].
    Index(usize),
}

/// DO UPDATE SET.
#[derive(Clone, Copy, Debug)]
pub struct UpsertSet<'a> {
    /// SET.
    pub set: &'a [Assigned<'a>],
    /// WHERE.
    pub filter: Option<Expr<'a>>,
}

/// A resolved UPDATE or DELETE.
#[derive(Clone, Copy, Debug)]
pub struct ResolvedChange<'a> {
    /// Whose rows.
    pub target: ChangeTarget<'a>,
    /// OR action.
    pub or: Option<Conflict>,
    /// The target, then the sources of FROM.
    pub sources: &'a [Source<'a>],
    /// The conjuncts of WHERE, and what FROM demands.
    pub terms: &'a [Term<'a>],
    /// SET; empty for DELETE.
    pub set: &'a [Assigned<'a>],
    /// The keys of the rows of an UPDATE ... FROM with the values of SET behind them, if these have aggregates or windows: then
    /// they are not made row by row.
    pub gathered: Option<&'a Query<'a>>,
    /// RETURNING.
    pub returning: Option<Returning<'a>>,
}

impl<'a> Resolver<'a> {
    /// Resolves an INSERT that stands in `base`: nothing, or OLD and NEW of a trigger.
    pub fn insert(&self, base: &Scope<'_, 'a>, insert: &ast::Insert<'a>) -> Result<ResolvedInsert<'a>> {
        let target = self.change_target(base, insert.table)?;
        if !self.env.ask(Action::Insert, Some(target.table.name.name()), None, Some(target.db), base.within)? {
            return Err(CompileError::ignored());
        }
        let columns = self.insert_columns(base, &target, insert)?;
        let excluded = self.new_source();
        self.with_tables(base, insert.with, |scope| {
            let rows = self.insert_rows(scope, insert)?;
            // A schema that is verified is only asked whether its names mean something.
            if !self.only_names {
                check_width(insert, columns, &rows)?;
            }
            if !insert.upserts.is_empty() && target.table.view().is_some() && !self.only_names {
                return fail("cannot UPSERT a view");
            }
            if !insert.upserts.is_empty() && target.table.virtual_table().is_some() && !self.only_names {
                return fail(format!("UPSERT not implemented for virtual table \"{}\"", target.table.name));
            }
            let upserts = self.upserts(scope, &target, insert, (columns, excluded))?;
            let returning = self.returning(base, &target, insert.returning)?;
            self.ask_what_is_left()?;
            Ok(ResolvedInsert { target, or: insert.or, columns, rows, upserts, excluded, returning })
        })
    }

    /// Resolves a DELETE.
    pub fn delete(&self, base: &Scope<'_, 'a>, delete: &ast::Delete<'a>) -> Result<ResolvedChange<'a>> {
        self.asking_at_end(|| self.resolve_delete(base, delete))
    }

    fn resolve_delete(&self, base: &Scope<'_, 'a>, delete: &ast::Delete<'a>) -> Result<ResolvedChange<'a>> {
        let found = Found::default();
        let item = target_item(delete.table, delete.alias, delete.indexed);
        let from = self.from(base, &[item], &found, None)?;
        let target = self.target_of(base, delete.table, &from)?;
        if !self.env.ask(Action::Delete, Some(target.table.name.name()), None, Some(target.db), base.within)? {
            self.delete_one_by_one.set(true);
        }
        self.with_tables(base, delete.with, |scope| {
            let row = change_scope(scope, &from.scope, &found);
            let terms = self.terms(&row, &from, delete.filter.as_ref())?;
            let sources = self.slice(&from.sources);
            let returning = self.returning(base, &target, delete.returning)?;
            Ok(ResolvedChange { target, or: None, sources, terms, set: &[], gathered: None, returning })
        })
    }

    /// The row of a target as names see it, under the name `name`.
    pub fn target_in_scope(&self, target: &ChangeTarget<'a>, id: SourceId, name: Name<'a>) -> ScopeSource<'a> {
        let columns = match target.table.view() {
            Some(_) => ScopeColumns::Query(target.view_columns),
            None => ScopeColumns::Table(target.table),
        };
        ScopeSource {
            id,
            name,
            table_name: target.table.name.name(),
            db: Some(target.db),
            columns,
            join: ast::JoinKind::Comma,
            using: &[],
            qualified_only: false,
            is_trigger_row: false,
        }
    }

    /// The table that a statement names as the one to be changed.
    pub fn change_target(&self, base: &Scope<'_, 'a>, name: QualifiedName<'a>) -> Result<ChangeTarget<'a>> {
        let FoundTable { db, table } = self.find_table(base, name)?;
        self.target_at(db, table)
    }

    /// The target of an UPDATE or DELETE, which is the first source of its FROM.
    pub(super) fn target_of(
        &self,
        base: &Scope<'_, 'a>,
        name: QualifiedName<'a>,
        from: &FromPart<'a>,
    ) -> Result<ChangeTarget<'a>> {
        let FoundTable { db, table } = self.find_table(base, name)?;
        debug_assert!(!from.sources.is_empty(), "the first source of FROM is the target");
        let view_columns = match from.sources[0].kind {
            SourceKind::Subquery(derived) => derived.columns,
            _ => &[],
        };
        Ok(ChangeTarget { db, table, view_columns, source: from.sources[0].id })
    }

    /// The columns that the values of an INSERT are for.
    fn insert_columns(
        &self,
        base: &Scope<'_, 'a>,
        target: &ChangeTarget<'a>,
        insert: &ast::Insert<'a>,
    ) -> Result<&'a [ChangedColumn]> {
        let (table, names) = (target.table, insert.columns);
        if names.is_empty() {
            let all =
                (0..target.width() as u16).filter(|&at| !target.is_generated(at)).filter(|&at| !target.is_hidden(at));
            let mut columns = bumpalo::collections::Vec::with_capacity_in(target.width(), self.arena);
            all.for_each(|at| columns.push(target.column_or_rowid(at)));
            return Ok(columns.into_bump_slice());
        }
        let mut columns = bumpalo::collections::Vec::with_capacity_in(names.len(), self.arena);
        for name in names {
            self.note_named(base, target, *name);
            let name = name.name;
            columns.push(match target.find(name) {
                Some(at) if target.is_generated(at) && !self.only_names => {
                    return fail(format!("cannot INSERT into generated column \"{}\"", target.column_name(at)));
                }
                Some(at) => target.column_or_rowid(at),
                None if is_rowid_name(name) && table.has_rowid() => ChangedColumn::Rowid,
                // SQLite does not look at these names when it verifies a schema.
                None if self.only_names => continue,
                None => return fail(format!("table {} has no column named {name}", written_name(insert))),
            });
        }
        Ok(columns.into_bump_slice())
    }

    fn insert_rows(&self, scope: &Scope<'_, 'a>, insert: &ast::Insert<'a>) -> Result<InsertRows<'a>> {
        let Some(select) = insert.source else { return Ok(InsertRows::Default) };
        let is_plain = select.with.is_none() && select.order_by.is_empty() && select.limit.is_none();
        match select.first {
            SelectCore::Values(&[row]) if is_plain && select.rest.is_empty() => {
                let found = Found::default();
                let rules = scope.clause_rules();
                let row_scope =
                    Scope { parent: Some(scope), sources: &[], aliases: &[], rules, found: &found, ..*scope };
                Ok(InsertRows::Values(self.each_expr(&row_scope, row)?))
            }
            _ => Ok(InsertRows::Query(self.query(scope, select)?)),
        }
    }

    /// SET, in an order of columns as written; a column may come several times, and the last one counts.
    pub(super) fn assignments(
        &self,
        scope: &Scope<'_, 'a>,
        target: &ChangeTarget<'a>,
        set: &[ast::Assignment<'a>],
    ) -> Result<&'a [Assigned<'a>]> {
        let mut assigned = bumpalo::collections::Vec::with_capacity_in(set.len(), self.arena);
        for assignment in set {
            for (at, column) in assignment.columns.iter().enumerate() {
                self.note_named(scope, target, *column);
                let named = target.find(column.name);
                // What is assigned is looked at before the column that it is for.
                let column = self.assigned_column(target, column.name).or_else(|error| {
                    self.expr_or_row(scope, &assignment.value)?;
                    Err(error)
                })?;
                // Filled in below, once it is known that all columns exist.
                assigned.push(Assigned { column, named, value: Expr::Integer(at as i64) });
            }
            let first = assigned.len() - assignment.columns.len();
            self.assign(scope, assignment, &mut assigned[first..])?;
        }
        if self.env.authorizer.0.is_some() {
            let mut allowed = Vec::with_capacity(assigned.len());
            for assigned in &assigned {
                if self.may_update(scope, target, assigned)? {
                    allowed.push(*assigned);
                }
            }
            return Ok(self.slice(&allowed));
        }
        Ok(assigned.into_bump_slice())
    }

    fn assign(
        &self,
        scope: &Scope<'_, 'a>,
        assignment: &ast::Assignment<'a>,
        assigned: &mut [Assigned<'a>],
    ) -> Result<()> {
        if !assignment.row {
            assigned[0].value = self.expr(scope, &assignment.value)?;
            return Ok(());
        }
        let value = self.expr_or_row(scope, &assignment.value)?;
        let width = compare::width(&value);
        if width != assigned.len() {
            return fail(format!("{} columns assigned {width} values", assigned.len()));
        }
        for (at, assigned) in assigned.iter_mut().enumerate() {
            assigned.value = match value {
                Expr::Row(items) => items[at],
                Expr::Subquery(subquery) if width > 1 => Expr::SubqueryColumn(subquery, at as u16),
                value => value,
            };
        }
        Ok(())
    }

    /// A column that is named as one to be changed, for the log of names.
    fn note_named(&self, scope: &Scope<'_, 'a>, target: &ChangeTarget<'a>, name: Ident<'a>) {
        if let (Some(log), None, Some(at)) = (&self.log, target.table.view(), target.find(name.name)) {
            log.note_column(scope.text, name, target.table, at);
        }
    }

    fn may_update(&self, scope: &Scope<'_, 'a>, target: &ChangeTarget<'a>, assigned: &Assigned<'a>) -> Result<bool> {
        let rowid = Name::new(b"ROWID");
        let column = assigned.named.map_or(rowid, |at| target.column_name(at));
        let table = target.table.name.name();
        self.env.ask(Action::Update, Some(table), Some(column), Some(target.db), scope.within)
    }

    /// The target for a table of the catalog.
    pub fn target_at(&self, db: Db, table: &'a Table) -> Result<ChangeTarget<'a>> {
        let view_columns = if table.view().is_some() { self.view(db, table)?.columns } else { &[] };
        Ok(ChangeTarget { db, table, view_columns, source: self.new_source() })
    }

    pub(super) fn assigned_column(&self, target: &ChangeTarget<'a>, name: Name<'a>) -> Result<ChangedColumn> {
        match target.find(name) {
            Some(at) if target.is_generated(at) && !self.only_names => {
                fail(format!("cannot UPDATE generated column \"{}\"", target.column_name(at)))
            }
            Some(at) => Ok(target.column_or_rowid(at)),
            None if is_rowid_name(name) && target.table.has_rowid() => Ok(ChangedColumn::Rowid),
            None if self.only_names => Ok(ChangedColumn::Column(0)),
            None => fail(format!("no such column: {name}")),
        }
    }

    /// RETURNING sees the table under its own name, and nothing else of the statement.
    pub(super) fn returning(
        &self,
        base: &Scope<'_, 'a>,
        target: &ChangeTarget<'a>,
        columns: &[ast::ResultColumn<'a>],
    ) -> Result<Option<Returning<'a>>> {
        if columns.is_empty() {
            return Ok(None);
        }
        if columns.iter().any(|column| matches!(column.kind, ast::ResultColumnKind::TableStar(_))) {
            return fail("RETURNING may not use \"TABLE.*\" wildcards");
        }
        let found = Found::default();
        let sources = [self.target_in_scope(target, target.source, target.table.name.name())];
        let scope = change_scope(base, &sources, &found);
        self.returning.set(Some((target.table, target.source)));
        let items = self.result_columns(&scope, columns);
        self.returning.set(None);
        let items = items?;
        let exprs: Vec<_> = items.iter().map(|item| item.expr).collect();
        let outputs: Vec<_> = items.iter().map(|item| item.output()).collect();
        Ok(Some(Returning { exprs: self.slice(&exprs), columns: self.slice(&outputs) }))
    }

    /// A subquery of RETURNING that reads the changed table itself, not by a view or another subquery, is run for each row, as
    /// one that depends on the row; others are run once.
    pub(super) fn as_returned(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let Some((table, source)) = self.returning.get() else { return query };
        let is_changed =
            |kind: &SourceKind<'a>| matches!(kind, SourceKind::Table(_, read) if std::ptr::eq(*read, table));
        let reads = |core: &Core<'a>| match core.body {
            CoreBody::Select(select) => select.sources.iter().any(|source| is_changed(&source.kind)),
            CoreBody::Values(_) => false,
        };
        if query.outer.contains(&source) || !query.cores.iter().any(reads) {
            return query;
        }
        let outer: Vec<SourceId> = query.outer.iter().copied().chain([source]).collect();
        self.arena.alloc(Query { outer: self.slice(&outer), ..*query })
    }

    fn upserts(
        &self,
        scope: &Scope<'_, 'a>,
        target: &ChangeTarget<'a>,
        insert: &ast::Insert<'a>,
        (columns, excluded): (&[ChangedColumn], SourceId),
    ) -> Result<&'a [ResolvedUpsert<'a>]> {
        let found = Found::default();
        let name = insert.alias.map_or(target.table.name.name(), |alias| alias.name);
        let own = self.target_in_scope(target, target.source, name);
        if let (Some(log), Some(_)) = (&self.log, insert.alias) {
            log.note_alias(target.source);
        }
        let excluded =
            ScopeSource { qualified_only: true, ..self.target_in_scope(target, excluded, Name::new(b"excluded")) };
        let sources = [own, excluded];
        let of_target = change_scope(scope, &sources[..1], &found);
        let of_update = change_scope(scope, &sources, &found);
        let mut upserts = bumpalo::collections::Vec::with_capacity_in(insert.upserts.len(), self.arena);
        for (at, upsert) in insert.upserts.iter().enumerate() {
            let place = (insert.upserts.len() > 1).then_some(at);
            let constraint = self.upsert_constraint(&of_target, target, upsert, place)?;
            if constraint == Constraint::Any && !can_conflict(target, columns) && !self.only_names {
                continue; // As in SQLite, the names of a SET that no row can reach need no meaning.
            }
            let update = upsert.update.map(|update| self.upsert_set(&of_update, target, update)).transpose()?;
            upserts.push(ResolvedUpsert { constraint, update });
        }
        Ok(upserts.into_bump_slice())
    }

    fn upsert_set(
        &self,
        scope: &Scope<'_, 'a>,
        target: &ChangeTarget<'a>,
        update: &ast::UpsertUpdate<'a>,
    ) -> Result<UpsertSet<'a>> {
        let set = self.assignments(scope, target, update.set)?;
        let filter = update.filter.as_ref().map(|filter| self.expr(scope, filter)).transpose()?;
        Ok(UpsertSet { set, filter })
    }

    /// The tables of WITH can be seen by `f`.
    pub(super) fn with_tables<T>(
        &self,
        base: &Scope<'_, 'a>,
        with: Option<&'a ast::With<'a>>,
        f: impl FnOnce(&Scope<'_, 'a>) -> Result<T>,
    ) -> Result<T> {
        match with {
            None => f(base),
            Some(with) => {
                let tables = super::with::WithScope::new(base, with)?;
                f(&Scope { with: Some(&tables), ..*base })
            }
        }
    }
}

/// Whether a new row with these columns given can be in the way of another one.
fn can_conflict(target: &ChangeTarget<'_>, columns: &[ChangedColumn]) -> bool {
    columns.contains(&ChangedColumn::Rowid) || target.table.indexes.iter().any(|index| index.is_unique())
}

impl<'a> ChangeTarget<'a> {
    /// How many columns it has.
    pub fn width(&self) -> usize {
        if self.table.view().is_some() { self.view_columns.len() } else { self.table.columns.len() }
    }

    /// The column of that name.
    pub fn find(&self, name: Name<'_>) -> Option<u16> {
        if self.table.view().is_none() {
            return self.table.column(name);
        }
        self.view_columns.iter().position(|column| column.name == name).map(|at| at as u16)
    }

    /// The name of the column at `at`.
    pub fn column_name(&self, at: u16) -> Name<'a> {
        match self.table.view() {
            Some(_) => self.view_columns[usize::from(at)].name,
            None => self.table.columns[usize::from(at)].name.name(),
        }
    }

    fn is_generated(&self, at: u16) -> bool {
        self.table.columns.get(usize::from(at)).is_some_and(lithe_catalog::Column::is_generated)
    }

    fn is_hidden(&self, at: u16) -> bool {
        self.table.columns.get(usize::from(at)).is_some_and(|column| column.hidden)
    }

    fn column_or_rowid(&self, at: u16) -> ChangedColumn {
        if self.table.rowid_column == Some(at) { ChangedColumn::Rowid } else { ChangedColumn::Column(at) }
    }
}

/// The scope of a clause of UPDATE, DELETE or RETURNING: no aggregates.
pub(super) fn change_scope<'s, 'a>(
    outer: &'s Scope<'s, 'a>,
    sources: &'s [ScopeSource<'a>],
    found: &'s Found<'a>,
) -> Scope<'s, 'a> {
    let rules = Rules { aggregates: false, windows: false, ..outer.clause_rules() };
    Scope { parent: Some(outer), sources, aliases: &[], rules, found, windows: &[], ..*outer }
}

/// FROM of an UPDATE may name the target again only under another name.
pub(super) fn check_target_is_not_in<'a>(from: &FromPart<'a>, target: &ChangeTarget<'a>) -> Result<()> {
    let Some((own, others)) = from.scope.split_first() else { return Ok(()) };
    let is_target = |(source, item): (&ScopeSource<'a>, &Source<'a>)| match (source.columns, item.kind) {
        (ScopeColumns::Nested(_, names), _) if source.name.as_bytes().is_empty() => {
            names.iter().any(|name| name.table == own.name && name.db == Some(target.db))
        }
        (_, SourceKind::Table(_, table)) => source.name == own.name && std::ptr::eq(table, target.table),
        (_, SourceKind::Subquery(derived)) => {
            source.name == own.name && derived.view.is_some_and(|view| std::ptr::eq(view, target.table))
        }
        _ => false,
    };
    match others.iter().zip(&from.sources[1..]).any(is_target) {
        true => fail(format!("target object/alias may not appear in FROM clause: {}", own.name)),
        false => Ok(()),
    }
}

/// The target as an item of FROM.
pub(super) fn target_item<'a>(
    name: QualifiedName<'a>,
    alias: Option<Ident<'a>>,
    indexed: ast::Indexed<'a>,
) -> FromItem<'a> {
    FromItem {
        join: ast::Join { natural: false, kind: ast::JoinKind::Comma },
        source: ast::Source::Table(name),
        alias,
        indexed,
        constraint: ast::JoinConstraint::None,
        span: name.span(),
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
        InsertRows::Default => return Ok(()),
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
