//! Resolution: every name of a statement is resolved to its table, column or function, and the syntax tree becomes the
//! resolved tree of [`crate::ir`]. All errors of name resolution are reported here, with SQLite's messages.
//!
//! [`Resolver`] is the state of one statement, in parts by subject. The productions of the grammar are resolved by functions that take the
//! resolver. An expression contains queries and a query contains expressions, so that queries are a part of `expr`.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `scope` | the names visible at a place in a statement: sources, aliases, enclosing queries, common tables; the rules of its clause |
//! | `expr` | expressions; its parts: `name` (a column's name → the column), `function`, `window`, `compare` (comparisons, IN, CASE), `terms` (of ORDER BY) |
//! | `expr::query` | whole queries; its parts: `select`, `values`, `group`, `order`, `columns`, `from`, `join`, `with`, `view`, `set` (IN table), `merge` (compounds), `derived`, `sources` (which error about sources is reported) |
//! | `change` | INSERT, UPDATE, DELETE, with RETURNING and ON CONFLICT |
//! | `schema` | CREATE statements |
//! | `other_databases` | what a view or trigger names of other databases |
//! | `stored`, `stored_text` | expressions and queries that the catalog keeps as text |
//! | `nodes`, `source_columns` | nodes of the resolved tree that are built from others; the columns of a source |
//! | `tables` | the name of a table → the table |
//! | `query_checks`, `reads` | authorizer checks: of queries; of columns |
//! | `nesting`, `numbers` | how deep queries and views are nested; the numbers of sources, aggregates, windows, subqueries, SELECTs |
//! | `name_log` | the tables and columns that names refer to, for ALTER TABLE RENAME |

mod change;
mod expr;
mod name_log;
mod nesting;
mod nodes;
mod numbers;
mod other_databases;
mod query_checks;
mod reads;
mod schema;
mod scope;
mod source_columns;
mod stored;
mod stored_text;
mod tables;

use std::cell::{Cell, RefCell};

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{CompileError, Result, Table, View, fail};
use lithe_sql::ast::{self, Ident, QualifiedName, SelectNumber};

pub use change::*;
pub use expr::query::derived::unique_names;
pub use name_log::NameLog;
pub use schema::names_in_text;
pub use scope::{Found, Rules, Scope, ScopeColumns, ScopeSource, Stored};
pub use source_columns::is_rowid_name;
pub use stored::authorize_expressions;

pub use crate::ir::{plain_output, split_and};

use crate::environment::{Environment, Evaluator};
use crate::ir::{Derived, Expr, Query, SourceId, SubqueryId, WindowId};

/// A view whose list of names has another length than its query has columns.
#[derive(Clone, Copy)]
struct Misnumbered<'a> {
    view: &'a Table,
    /// The number of the query's columns.
    columns: usize,
}

/// The resolver of one statement.
pub struct Resolver<'a> {
    /// The connection.
    pub env: &'a Environment,
    /// Where the resolved tree goes.
    pub arena: &'a Bump,
    numbers: numbers::Numbers<'a>,
    nesting: nesting::Nesting<'a>,
    /// The table that was looked up last.
    last_table: Cell<Option<tables::LookedUp<'a>>>,
    /// Authorizer checks of queries that are still to be made.
    checks: query_checks::QueryChecks<'a>,
    /// Whether any expression calls a scalar function, or RAISE.
    has_calls: Cell<bool>,
    /// Expressions of the schema are resolved only to be compared, so the authorizer is not called.
    is_looking: Cell<bool>,
    /// The authorizer answered SQLITE_IGNORE for a DELETE: it deletes its rows one by one.
    pub delete_one_by_one: Cell<bool>,
    /// The table whose rows the RETURNING clause being resolved returns, and their source.
    returning: Cell<Option<(&'a Table, SourceId)>>,
    /// The error in RETURNING. SQLite compiles the clause where its row is computed, behind foreign keys and triggers, whose errors it
    /// finds first.
    returning_error: Cell<Option<CompileError>>,
    /// The strings in double quotes.
    quoted_strings: RefCell<bumpalo::collections::Vec<'a, &'a [u8]>>,
    /// Calls functions for the planner; `None` if the planner calls none.
    pub evaluator: Option<&'a dyn Evaluator>,
    /// The first view whose list of names has another length than its query has columns.
    misnumbered: Cell<Option<Misnumbered<'a>>>,
    /// An expression that cannot be resolved is NULL: the columns of queries are wanted, whatever their values are.
    is_lenient: Cell<bool>,
    /// The log of names that ALTER TABLE needs.
    pub log: Option<NameLog<'a>>,
    /// A schema is verified: only names are resolved.
    pub only_names: bool,
    /// What is verified is no schema whose names change, but a definition that has been added to it.
    pub is_new_definition: bool,
}

impl<'a> Resolver<'a> {
    /// A resolver for a new statement. The resolver and its lists live in the arena, where nothing is dropped.
    pub fn new(env: &'a Environment, arena: &'a Bump) -> Resolver<'a> {
        Resolver {
            env,
            arena,
            numbers: numbers::Numbers::new(arena),
            nesting: nesting::Nesting::new(arena),
            last_table: Cell::new(None),
            checks: query_checks::QueryChecks::new(env, arena),
            has_calls: Cell::new(false),
            is_looking: Cell::new(false),
            delete_one_by_one: Cell::new(false),
            returning: Cell::new(None),
            returning_error: Cell::new(None),
            quoted_strings: RefCell::new(bumpalo::collections::Vec::new_in(arena)),
            evaluator: None,
            misnumbered: Cell::new(None),
            is_lenient: Cell::new(false),
            log: None,
            only_names: false,
            is_new_definition: false,
        }
    }

    /// Whether any query that was resolved has another one inside, in FROM or in an expression.
    #[inline]
    pub fn has_nested_queries(&self) -> bool {
        self.nesting.has_nested()
    }

    /// Whether a query, or the set of an IN, stands in any expression that was resolved.
    #[inline]
    pub fn has_subqueries(&self) -> bool {
        self.numbers.has_subqueries()
    }

    /// Whether a scalar function, or RAISE, is called in any expression that was resolved.
    pub fn has_calls(&self) -> bool {
        self.has_calls.get()
    }

    /// The texts in double quotes that have been resolved as strings.
    pub fn quoted_strings(&self) -> Box<[Box<[u8]>]> {
        let strings = self.quoted_strings.borrow();
        if strings.is_empty() { Box::default() } else { strings.iter().map(|text| Box::from(*text)).collect() }
    }

    /// A number for a new source.
    #[inline]
    pub fn new_source(&self) -> SourceId {
        self.numbers.new_source()
    }

    /// A number for a new subquery or set.
    pub fn new_subquery(&self) -> SubqueryId {
        self.numbers.new_subquery()
    }

    /// New SELECTs are numbered behind `count`, the number of SELECTs in the text of the statement.
    pub fn number_selects_from(&self, count: u32) {
        self.numbers.add_selects(count);
    }

    /// A number for a SELECT that stands in no text.
    pub fn new_select(&self) -> SelectNumber {
        self.numbers.new_select().get()
    }

    /// The number of a SELECT that has the number `written` in its text. A SELECT of a view gets a new number each time the view is expanded.
    fn select_number(&self, written: SelectNumber) -> &'a Cell<SelectNumber> {
        if self.nesting.is_in_view() { self.numbers.new_select() } else { self.arena.alloc(Cell::new(written)) }
    }

    /// A number for a new call of a window function.
    pub fn new_window(&self) -> WindowId {
        self.numbers.new_window()
    }

    /// Counts SELECTs that have no node in the tree. Those outside of views are counted in the text.
    fn count_selects_of_view(&self, count: usize) {
        if self.nesting.is_in_view() {
            self.numbers.add_selects(u32::try_from(count).unwrap_or(u32::MAX));
        }
    }

    /// Runs `f`, which resolves expressions of the schema only to compare them with others.
    pub fn looking<T>(&self, f: impl FnOnce() -> T) -> T {
        let before = self.is_looking.replace(true);
        let result = f();
        self.is_looking.set(before);
        result
    }

    /// Whether functions may be missing. In a schema that is being verified, only names are resolved, because functions may be registered
    /// later; but views that a view names are resolved as ever.
    fn looks_up_no_functions(&self) -> bool {
        self.only_names && !self.nesting.is_in_source_view()
    }

    /// Whether an AND with FALSE is the number 0, as SQLite's parser reads it, but not to rename what stands in it.
    fn folds_conditions(&self) -> bool {
        !self.only_names || self.is_new_definition
    }

    /// Runs `f`, which wants the columns of queries, with NULL in the place of each expression that cannot be resolved.
    fn leniently<T>(&self, f: impl FnOnce() -> T) -> T {
        let before = self.is_lenient.replace(true);
        let result = f();
        self.is_lenient.set(before);
        result
    }

    /// Runs `f`, which resolves a view to know its columns: the authorizer is not asked about them, nor later about the queries in it.
    fn silently<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut forgotten = bumpalo::collections::Vec::new_in(self.arena);
        self.env.authorizer.silent(|| self.checks.collect(&mut forgotten, f))
    }

    /// Runs `f`, which resolves a statement or a whole query, and then refuses a view with a wrong number of names: SQLite finds that when it
    /// generates code, and reports what is wrong with names before.
    fn refuse_misnumbered<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        self.misnumbered.set(None);
        let resolved = f()?;
        let Some(Misnumbered { view, columns }) = self.misnumbered.take() else { return Ok(resolved) };
        let expected = view.view().map_or(0, |view| view.columns.len());
        if self.only_names {
            return Ok(resolved);
        }
        fail(format!("expected {expected} columns for '{}' but got {columns}", view.name))
    }

    /// Puts an expression into the arena.
    pub fn alloc(&self, expr: Expr<'a>) -> &'a Expr<'a> {
        self.arena.alloc(expr)
    }

    /// Puts a list into the arena.
    pub fn slice<T: Copy>(&self, items: &[T]) -> &'a [T] {
        self.arena.alloc_slice_copy(items)
    }
}

/// The entry points for the crates above.
impl<'a> Resolver<'a> {
    /// Resolves an expression that has to be a single value.
    pub fn expr(&self, scope: &Scope<'_, 'a>, expr: &ast::Expr<'a>) -> Result<Expr<'a>> {
        self.refuse_misnumbered(|| expr::resolve_expr(self, scope, expr))
    }

    /// Resolves a query that stands in `scope`: its FROM clauses, nested queries and so on included.
    pub fn query(&self, scope: &Scope<'_, 'a>, select: &ast::Select<'a>) -> Result<&'a Query<'a>> {
        self.refuse_misnumbered(|| expr::query::resolve_query(self, scope, select))
    }

    /// `view`, which `table` is, as a source.
    pub fn view(&self, db: Db, table: &'a Table, view: &'a View) -> Result<&'a Derived<'a>> {
        expr::query::view::resolve_view(self, db, table, view, false)
    }

    /// Resolves the names in the query of a view, whose tree was parsed from `text`.
    pub fn view_names(&self, db: Db, table: &'a Table, select: &'a ast::Select<'a>, text: &'a [u8]) -> Result<()> {
        expr::query::view::resolve_view_names(self, db, table, select, text)
    }

    /// Resolves an INSERT that stands in `base`: nothing, or OLD and NEW of a trigger.
    pub fn insert(&self, base: &Scope<'_, 'a>, insert: &ast::Insert<'a>) -> Result<&'a mut ResolvedInsert<'a>> {
        self.refuse_misnumbered(|| change::insert::resolve_insert(self, base, insert))
    }

    /// Resolves an UPDATE.
    pub fn update(&self, base: &Scope<'_, 'a>, update: &ast::Update<'a>) -> Result<&'a mut ResolvedChange<'a>> {
        self.refuse_misnumbered(|| change::update::resolve_update(self, base, update))
    }

    /// Resolves a DELETE.
    pub fn delete(&self, base: &Scope<'_, 'a>, delete: &ast::Delete<'a>) -> Result<&'a mut ResolvedChange<'a>> {
        self.refuse_misnumbered(|| change::delete::resolve_delete(self, base, delete))
    }

    /// The columns that SET names, without their values.
    ///
    /// # Errors
    /// If there is no such column, or it is generated.
    pub fn assigned_columns(
        &self,
        target: &ChangeTarget<'a>,
        set: &[ast::Assignment<'a>],
    ) -> Result<Vec<Assigned<'a>>> {
        change::assign::assigned_columns(self, target, set)
    }

    /// Changes the error in RETURNING, if there is one.
    fn change_returning_error(&self, change: impl FnOnce(CompileError) -> CompileError) {
        self.returning_error.set(self.returning_error.take().map(change));
    }

    /// Returns the error in the RETURNING clause, once.
    ///
    /// # Errors
    /// That error.
    pub fn report_returning(&self) -> Result<()> {
        self.returning_error.take().map_or(Ok(()), Err)
    }

    /// The table that a statement names as the one to be changed.
    pub fn change_target(&self, base: &Scope<'_, 'a>, name: QualifiedName<'a>) -> Result<ChangeTarget<'a>> {
        change::change_target(self, base, name)
    }

    /// Calls the authorizer about an INSERT.
    ///
    /// # Errors
    /// If it denies the statement, or answers that it has no effect.
    pub fn authorize_insert(&self, base: &Scope<'_, 'a>, target: &ChangeTarget<'a>) -> Result<()> {
        change::insert::authorize_insert(self, base, target)
    }

    /// The target for a table of the catalog.
    pub fn target_at(&self, db: Db, table: &'a Table) -> Result<ChangeTarget<'a>> {
        change::target_at(self, db, table)
    }

    /// Resolves an expression in which nothing but the columns of one table can be seen: `source` stands for its row.
    pub fn stored_expr(
        &self,
        text: &'a [u8],
        clause: Stored,
        source: SourceId,
        db: Db,
        table: &'a Table,
    ) -> Result<Expr<'a>> {
        stored::resolve_stored_expr(self, text, clause, source, db, table)
    }

    /// As [`Resolver::stored_expr`], for the tree of a CREATE statement, which is parsed already.
    pub fn table_expr(
        &self,
        expr: &ast::Expr<'a>,
        text: &'a [u8],
        clause: Stored,
        source: SourceId,
        db: Db,
        table: &'a Table,
    ) -> Result<Expr<'a>> {
        stored::resolve_table_expr(self, expr, text, clause, source, db, table)
    }

    /// Resolves a DEFAULT, which sees no names at all.
    pub fn default_expr(&self, text: &'a [u8]) -> Result<Expr<'a>> {
        schema::resolve_default(self, text)
    }

    /// "view v cannot reference objects in database x", because a view that is not temporary remains when other
    /// databases are detached.
    pub fn refuse_other_databases(&self, db: Db, name: Ident<'_>, sql: &[u8], select: &ast::Select<'a>) -> Result<()> {
        other_databases::refuse_in_view(self, db, name, sql, select)
    }

    /// The same of a trigger.
    pub fn refuse_other_databases_in_trigger(&self, db: Db, create: &'a ast::CreateTrigger<'a>) -> Result<()> {
        other_databases::refuse_in_trigger(self, db, create)
    }
}
