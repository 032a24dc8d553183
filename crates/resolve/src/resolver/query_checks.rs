//! Authorizer checks of queries (SQLITE_SELECT, SQLITE_RECURSIVE), in SQLite's order.
//!
//! SQLite checks a query when it generates the code of the query: the statement's own query before any name in it is resolved,
//! the others once all names are. Among the queries in one query, those in FROM come before those in expressions.

use std::cell::{Cell, RefCell};

use bumpalo::Bump;
use bumpalo::collections::Vec;
use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::Name;

use crate::authorize::Action;
use crate::environment::Environment;
use crate::ir::SourceId;

/// A check of a query, or of a table that a query reads, in the view, trigger or common table `within`.
#[derive(Clone, Copy)]
pub(super) struct QueryCheck<'a> {
    action: Action,
    /// The table, and its database where the statement or the view names it.
    table: Option<WrittenTable<'a>>,
    within: Option<Name<'a>>,
}

/// A table as it is written in FROM.
#[derive(Clone, Copy)]
pub(super) struct WrittenTable<'a> {
    pub database: Option<Name<'a>>,
    pub name: Name<'a>,
}

impl<'a> QueryCheck<'a> {
    pub fn select(within: Option<Name<'a>>) -> QueryCheck<'a> {
        QueryCheck { action: Action::Select, table: None, within }
    }

    pub fn recursive(within: Option<Name<'a>>) -> QueryCheck<'a> {
        QueryCheck { action: Action::Recursive, table: None, within }
    }

    /// Rows of the table are read, but no columns.
    pub fn rows_of(table: WrittenTable<'a>, within: Option<Name<'a>>) -> QueryCheck<'a> {
        QueryCheck { action: Action::Read, table: Some(table), within }
    }
}

/// Where a query stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the statement's own query.
    Statement,
    /// In FROM.
    From,
    /// In an expression.
    Expr,
}

/// The checks of the queries in one core.
struct Nested<'a> {
    /// Of the tables of the core itself.
    of_tables: Vec<'a, QueryCheck<'a>>,
    in_from: Vec<'a, QueryCheck<'a>>,
    in_exprs: Vec<'a, QueryCheck<'a>>,
}

/// The checks that are still to be made.
pub(super) struct QueryChecks<'a> {
    env: &'a Environment,
    arena: &'a Bump,
    /// The cores that are being resolved, from the outermost.
    open: RefCell<Vec<'a, Nested<'a>>>,
    /// The checks of queries in the expressions of a statement that is no query.
    delayed: RefCell<Vec<'a, QueryCheck<'a>>>,
    /// The next query stands in an expression.
    is_expr: Cell<bool>,
    /// The next query stands in FROM without a name: SQLite gives the authorizer no name of an enclosing object.
    is_unnamed: Cell<bool>,
    /// Sources of which columns are read.
    read_sources: RefCell<Vec<'a, SourceId>>,
    /// The tables in FROM as they are written.
    written: RefCell<Vec<'a, (SourceId, WrittenTable<'a>)>>,
}

impl<'a> QueryChecks<'a> {
    /// `arena`: the arena of the resolver, which is never dropped.
    pub fn new(env: &'a Environment, arena: &'a Bump) -> QueryChecks<'a> {
        QueryChecks {
            env,
            arena,
            open: RefCell::new(Vec::new_in(arena)),
            delayed: RefCell::new(Vec::new_in(arena)),
            is_expr: Cell::new(false),
            is_unnamed: Cell::new(false),
            read_sources: RefCell::new(Vec::new_in(arena)),
            written: RefCell::new(Vec::new_in(arena)),
        }
    }

    pub fn has_authorizer(&self) -> bool {
        self.env.authorizer.0.is_some()
    }

    /// The next query stands in an expression.
    pub fn expect_query_in_expr(&self) {
        self.is_expr.set(self.has_authorizer());
    }

    /// The next query stands in FROM, and has no name.
    pub fn expect_unnamed_query(&self) {
        self.is_unnamed.set(self.has_authorizer());
    }

    /// A query begins: where it stands, and its check. The statement's own query is checked here.
    pub fn begin_query(&self, within: Option<Name<'a>>) -> Result<(Place, QueryCheck<'a>)> {
        let is_unnamed = self.is_unnamed.take();
        let own = QueryCheck::select(within.filter(|_| !is_unnamed));
        if self.is_expr.take() {
            return Ok((Place::Expr, own));
        }
        if !self.open.borrow().is_empty() {
            return Ok((Place::From, own));
        }
        self.check(own)?;
        Ok((Place::Statement, own))
    }

    /// Runs `f`, which resolves one core, and adds the checks of the queries in the core to `checks`.
    pub fn collect<T>(&self, checks: &mut Vec<'a, QueryCheck<'a>>, f: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.has_authorizer() {
            return f();
        }
        let none = || Vec::new_in(self.arena);
        let nested = Nested { of_tables: none(), in_from: none(), in_exprs: none() };
        self.open.borrow_mut().push(nested);
        let result = f();
        if let Some(nested) = self.open.borrow_mut().pop() {
            checks.extend(nested.of_tables.into_iter().chain(nested.in_from).chain(nested.in_exprs));
        }
        result
    }

    /// Runs `f`, which resolves a statement that is no query, and makes the checks of the queries in the statement.
    pub fn check_after<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.has_authorizer() {
            return f();
        }
        let mut checks = Vec::new_in(self.arena);
        let resolved = self.collect(&mut checks, f)?;
        checks.iter().try_for_each(|check| self.check(*check))?;
        Ok(resolved)
    }

    /// A query is resolved; `checks` are its own and those of the queries in it.
    pub fn end_query(&self, place: Place, checks: &[QueryCheck<'a>]) -> Result<()> {
        if !self.has_authorizer() {
            return Ok(());
        }
        if place == Place::Statement {
            // The first check was made when the query began.
            checks.iter().skip(1).try_for_each(|check| self.check(*check))?;
            return self.check_delayed();
        }
        match (self.open.borrow_mut().last_mut(), place) {
            (Some(around), Place::From) => around.in_from.extend_from_slice(checks),
            (Some(around), _) => around.in_exprs.extend_from_slice(checks),
            (None, _) => self.delayed.borrow_mut().extend_from_slice(checks),
        }
        Ok(())
    }

    /// A statement is resolved: makes the checks of the queries in its expressions.
    pub fn check_delayed(&self) -> Result<()> {
        let delayed = self.delayed.replace(Vec::new_in(self.arena));
        delayed.iter().try_for_each(|check| self.check(*check))
    }

    /// The core that is being resolved reads rows of a table, but no columns.
    pub fn note_table(&self, check: QueryCheck<'a>) {
        if let Some(core) = self.open.borrow_mut().last_mut() {
            core.of_tables.push(check);
        }
    }

    /// A column of the source is read.
    pub fn note_read(&self, source: SourceId) {
        self.read_sources.borrow_mut().push(source);
    }

    /// Whether any column of the source is read.
    pub fn is_read(&self, source: SourceId) -> bool {
        self.read_sources.borrow().contains(&source)
    }

    /// A source in FROM is a table or view.
    pub fn note_written(&self, source: SourceId, table: WrittenTable<'a>) {
        if self.has_authorizer() {
            self.written.borrow_mut().push((source, table));
        }
    }

    /// How the table of a source is written.
    pub fn written(&self, source: SourceId) -> Option<WrittenTable<'a>> {
        self.written.borrow().iter().find(|(id, _)| *id == source).map(|(_, table)| *table)
    }

    fn check(&self, check: QueryCheck<'a>) -> Result<()> {
        if let Some(WrittenTable { database, name }) = check.table {
            return self.env.authorize_rows(name, database, check.within);
        }
        match self.env.authorize(check.action, None, None, None, check.within)? {
            true => Ok(()),
            false => Err(CompileError::ignored()),
        }
    }
}
