//! When the authorizer is asked about queries.
//!
//! SQLite asks about a query when it generates its code: about the statement's own query before anything in it is resolved,
//! about the others once all names are. Of one query, those in its FROM clause come before those in its expressions.

use std::cell::{Cell, RefCell};

use bumpalo::Bump;
use bumpalo::collections::Vec;
use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::Name;

use crate::authorize::Action;
use crate::environment::Environment;
use crate::ir::SourceId;

/// A question about a query that stands in a view, trigger or common table of that name.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    action: Action,
    within: Option<Name<'a>>,
}

impl<'a> Ask<'a> {
    pub fn select(within: Option<Name<'a>>) -> Ask<'a> {
        Ask { action: Action::Select, within }
    }

    pub fn recursive(within: Option<Name<'a>>) -> Ask<'a> {
        Ask { action: Action::Recursive, within }
    }
}

/// Where a query stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the statement's own.
    Statement,
    /// In FROM.
    From,
    /// In an expression.
    Expr,
}

/// The questions about the queries in one core.
struct Nested<'a> {
    in_from: Vec<'a, Ask<'a>>,
    in_exprs: Vec<'a, Ask<'a>>,
}

/// The questions that are still to be asked.
pub(super) struct Asks<'a> {
    env: &'a Environment,
    arena: &'a Bump,
    /// The cores that are being resolved, from the outermost.
    open: RefCell<Vec<'a, Nested<'a>>>,
    /// Those about queries in expressions of a statement that is no query.
    later: RefCell<Vec<'a, Ask<'a>>>,
    /// The next query stands in an expression.
    is_expr: Cell<bool>,
    /// The next query stands in FROM and has no name: of it SQLite does not tell what it is within.
    is_unnamed: Cell<bool>,
    /// Sources of which columns are read.
    read_sources: RefCell<Vec<'a, SourceId>>,
}

impl<'a> Asks<'a> {
    /// `arena`: where the resolver lives, which is never dropped.
    pub fn new(env: &'a Environment, arena: &'a Bump) -> Asks<'a> {
        Asks {
            env,
            arena,
            open: RefCell::new(Vec::new_in(arena)),
            later: RefCell::new(Vec::new_in(arena)),
            is_expr: Cell::new(false),
            is_unnamed: Cell::new(false),
            read_sources: RefCell::new(Vec::new_in(arena)),
        }
    }

    pub fn is_asked(&self) -> bool {
        self.env.authorizer.0.is_some()
    }

    /// The next query stands in an expression.
    pub fn expect_query_in_expr(&self) {
        self.is_expr.set(self.is_asked());
    }

    /// The next query stands in FROM, and has no name.
    pub fn expect_unnamed_query(&self) {
        self.is_unnamed.set(self.is_asked());
    }

    /// A query begins: where it stands, and the question about it. The statement's own is asked about at once.
    pub fn begin_query(&self, within: Option<Name<'a>>) -> Result<(Place, Ask<'a>)> {
        let is_unnamed = self.is_unnamed.take();
        let own = Ask::select(within.filter(|_| !is_unnamed));
        if self.is_expr.take() {
            return Ok((Place::Expr, own));
        }
        if !self.open.borrow().is_empty() {
            return Ok((Place::From, own));
        }
        self.ask_about(own)?;
        Ok((Place::Statement, own))
    }

    /// Runs `f`, which resolves one core, and adds the questions about the queries in it to `asks`.
    pub fn asking<T>(&self, asks: &mut Vec<'a, Ask<'a>>, f: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.is_asked() {
            return f();
        }
        let nested = Nested { in_from: Vec::new_in(self.arena), in_exprs: Vec::new_in(self.arena) };
        self.open.borrow_mut().push(nested);
        let result = f();
        if let Some(nested) = self.open.borrow_mut().pop() {
            asks.extend(nested.in_from.into_iter().chain(nested.in_exprs));
        }
        result
    }

    /// Runs `f`, which resolves a statement that is no query, and asks about the queries in it.
    pub fn asking_at_end<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut asks = Vec::new_in(self.arena);
        let resolved = self.asking(&mut asks, f)?;
        asks.iter().try_for_each(|ask| self.ask_about(*ask))?;
        Ok(resolved)
    }

    /// A query is resolved; `asks` are the questions about it and what is in it.
    pub fn end_query(&self, place: Place, asks: &[Ask<'a>]) -> Result<()> {
        if !self.is_asked() {
            return Ok(());
        }
        if place == Place::Statement {
            // The first question has been asked before.
            asks.iter().skip(1).try_for_each(|ask| self.ask_about(*ask))?;
            return self.ask_what_is_left();
        }
        match (self.open.borrow_mut().last_mut(), place) {
            (Some(around), Place::From) => around.in_from.extend_from_slice(asks),
            (Some(around), _) => around.in_exprs.extend_from_slice(asks),
            (None, _) => self.later.borrow_mut().extend_from_slice(asks),
        }
        Ok(())
    }

    /// A statement is resolved: asks about the queries in its expressions.
    pub fn ask_what_is_left(&self) -> Result<()> {
        let later = self.later.replace(Vec::new_in(self.arena));
        later.iter().try_for_each(|ask| self.ask_about(*ask))
    }

    /// A column of the source is read.
    pub fn note_read(&self, source: SourceId) {
        self.read_sources.borrow_mut().push(source);
    }

    /// Whether any column of the source is read.
    pub fn is_read(&self, source: SourceId) -> bool {
        self.read_sources.borrow().contains(&source)
    }

    fn ask_about(&self, ask: Ask<'a>) -> Result<()> {
        match self.env.ask(ask.action, None, None, None, ask.within)? {
            true => Ok(()),
            false => Err(CompileError::ignored()),
        }
    }
}
