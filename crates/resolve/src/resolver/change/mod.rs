//! INSERT, UPDATE, DELETE: their tables, columns, values and conditions.
//!
//! The row that a statement changes is one source of the resolved tree, [`ChangeTarget::source`]: WHERE and SET read it
//! at the cursor; constraints and RETURNING read the same source in registers. `excluded` of an UPSERT is
//! another source.

pub(super) mod assign;
pub(super) mod delete;
pub(super) mod insert;
mod limited;
mod returning;
pub(super) mod update;
mod upsert;

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{FoundTable, Result, Table};
use lithe_sql::ast::{self, Conflict, FromItem, Ident, Name, QualifiedName};

use super::Resolver;
use super::scope::{Found, Rules, Scope, ScopeColumns, ScopeSource};
use crate::ir::{Expr, Limit, OrderTerm, OutputColumn, Query, Source, SourceId, SourceKind, Term};
use crate::resolver::expr::query::join::FromPart;
use crate::resolver::expr::query::view::resolve_view;
use crate::resolver::scope::with::WithScope;

/// The table or view that a statement changes.
#[derive(Clone, Copy, Debug)]
pub struct ChangeTarget<'a> {
    /// Its database.
    pub db: Db,
    /// The table or view.
    pub table: &'a Table,
    /// The columns of a view, which its entry in the catalog does not have.
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
    /// For each column of the table, and after them for the rowid, the place of its value in a row, or [`NO_PLACE`].
    pub(super) places: &'a [u16],
    /// The rows.
    pub rows: InsertRows<'a>,
    /// ON CONFLICT clauses.
    pub upserts: &'a [ResolvedUpsert<'a>],
    /// The row that could not be inserted: `excluded`.
    pub excluded: SourceId,
    /// RETURNING.
    pub returning: Option<Returning<'a>>,
}

/// The place of a value that there is none of.
pub(super) const NO_PLACE: u16 = u16::MAX;

impl<'a> ResolvedInsert<'a> {
    /// Takes the rows of `query` instead, which have a value for the rowid behind the others.
    pub fn add_rowid(&mut self, arena: &'a Bump, query: &'a Query<'a>) {
        let place = self.columns.len();
        self.columns = arena.alloc_slice_copy(&[self.columns, &[ChangedColumn::Rowid]].concat());
        let places = arena.alloc_slice_copy(self.places);
        if let Some(of_rowid) = places.last_mut() {
            *of_rowid = place as u16;
        }
        (self.places, self.rows) = (places, InsertRows::Query(query));
    }

    /// The position of a column's value among the values. Of several values for a column the first one counts, of several for the
    /// rowid the last.
    pub fn place_of(&self, column: ChangedColumn) -> Option<usize> {
        if matches!(self.rows, InsertRows::Default) {
            return None;
        }
        let place = match column {
            ChangedColumn::Column(at) => self.places.get(usize::from(at)),
            ChangedColumn::Rowid => self.places.last(),
        };
        place.filter(|place| **place != NO_PLACE).map(|place| usize::from(*place))
    }
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
    /// The constraint that the clause handles.
    pub constraint: Constraint,
    /// DO UPDATE; `None` is DO NOTHING.
    pub update: Option<UpsertSet<'a>>,
}

/// A uniqueness constraint.
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
    /// The table whose rows are changed.
    pub target: ChangeTarget<'a>,
    /// OR action.
    pub or: Option<Conflict>,
    /// The target, then the sources of FROM.
    pub sources: &'a [Source<'a>],
    /// The conjuncts of WHERE, and of ON and USING in FROM.
    pub terms: &'a [Term<'a>],
    /// SET; empty for DELETE.
    pub set: &'a [Assigned<'a>],
    /// UPDATE ... FROM of a table: a query of the keys of its rows, followed by the values of SET.
    pub gathered: Option<&'a Query<'a>>,
    /// ORDER BY and LIMIT of the rows of a view; those of other rows are in `terms` or `gathered`.
    pub order: RowOrder<'a>,
    /// RETURNING.
    pub returning: Option<Returning<'a>>,
}

/// In which order the rows of a change are found, and how many.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowOrder<'a> {
    /// ORDER BY.
    pub order_by: &'a [OrderTerm<'a>],
    /// LIMIT.
    pub limit: Option<&'a Limit<'a>>,
}

/// The table that a statement names as the one to be changed.
pub(super) fn change_target<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    name: QualifiedName<'a>,
) -> Result<ChangeTarget<'a>> {
    let FoundTable { db, table } = resolver.find_table(base, name)?;
    target_at(resolver, db, table)
}

/// The target of an UPDATE or DELETE, which is the first source of its FROM.
pub(super) fn target_of<'a>(
    resolver: &Resolver<'a>,
    base: &Scope<'_, 'a>,
    name: QualifiedName<'a>,
    from: &FromPart<'a>,
) -> Result<ChangeTarget<'a>> {
    let FoundTable { db, table } = resolver.find_table(base, name)?;
    debug_assert!(!from.sources.is_empty(), "the first source of FROM is the target");
    let view_columns = match from.sources[0].kind {
        SourceKind::Subquery(derived) => derived.columns,
        _ => &[],
    };
    Ok(ChangeTarget { db, table, view_columns, source: from.sources[0].id })
}

/// The target for a table of the catalog. The columns of a view are found as if the view were a source: in a schema that is being verified,
/// too, its functions must be known. The authorizer is not asked about what they come from.
pub(super) fn target_at<'a>(resolver: &Resolver<'a>, db: Db, table: &'a Table) -> Result<ChangeTarget<'a>> {
    let view_columns = match table.view() {
        Some(view) => {
            let resolve = || resolver.nesting.in_source_view(|| resolve_view(resolver, db, table, view, false));
            resolver.silently(resolve)?.columns
        }
        None => &[],
    };
    Ok(ChangeTarget { db, table, view_columns, source: resolver.new_source() })
}

/// A column that is named as one to be changed, for the log of names.
pub(super) fn note_named<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    name: Ident<'a>,
) {
    if let Some(log) = &resolver.log
        && target.table.view().is_none()
        && let Some(at) = target.find(name.name)
    {
        log.note_column(scope.text, name, target.table, at);
    }
}

/// The tables of WITH can be seen by `f`.
pub(super) fn with_tables<'a, T>(
    base: &Scope<'_, 'a>,
    with: Option<&'a ast::With<'a>>,
    f: impl FnOnce(&Scope<'_, 'a>) -> Result<T>,
) -> Result<T> {
    match with {
        None => f(base),
        Some(with) => {
            let tables = WithScope::new(base, with)?;
            f(&Scope { with: Some(&tables), ..*base })
        }
    }
}

impl<'a> ChangeTarget<'a> {
    /// The row of the target as names see it, under the name `name`.
    pub fn in_scope(&self, id: SourceId, name: Name<'a>) -> ScopeSource<'a> {
        let columns = match self.table.view() {
            Some(_) => ScopeColumns::Query(self.view_columns),
            None => ScopeColumns::Table(self.table),
        };
        ScopeSource {
            id,
            name,
            table_name: self.table.name.name(),
            db: Some(self.db),
            columns,
            join: ast::JoinKind::Comma,
            using: &[],
            qualified_only: false,
            is_trigger_row: false,
            is_returned: false,
        }
    }

    /// The columns of a view, as the query reads them that finds its rows; none of a table.
    pub fn columns_of_view(&self, resolver: &Resolver<'a>) -> Vec<Expr<'a>> {
        (0..self.view_columns.len()).map(|at| resolver.query_column(self.source, self.view_columns, at)).collect()
    }

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
        number: None,
        span: name.span(),
    }
}
