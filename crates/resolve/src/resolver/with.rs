//! Common table expressions, ordinary and recursive.
//!
//! A common table is resolved when it is first used, seeing what its user sees. Its uses share the result, unless
//! it turned out to depend on a row of an enclosing query.

use std::cell::{Cell, RefCell};

use lithe_catalog::{CompileError, ErrorKind, Result, fail};
use lithe_sql::ast::{self, CompoundOp, Name, SelectCore};

use super::Resolver;
use super::scope::{Found, Scope};
use crate::ir::{CommonTable, Derived, OutputColumn};

/// The tables of one WITH.
pub struct WithScope<'s, 'a> {
    /// The WITH around it.
    parent: Option<&'s WithScope<'s, 'a>>,
    tables: &'a [ast::CommonTable<'a>],
    /// How far each table is resolved.
    states: RefCell<Vec<State<'a>>>,
    /// Which tables have been used at all; those that depend on rows around them are resolved for each use.
    was_used: RefCell<Vec<bool>>,
    /// The text that the tables are written in.
    text: &'a [u8],
}

/// How far a common table is resolved.
#[derive(Clone, Copy)]
enum State<'a> {
    /// Not at all.
    Unused,
    /// It is being resolved: a reference to it is an error of this name.
    Busy(&'static str),
    /// Wholly, for everybody.
    Done(&'a Derived<'a>),
}

/// The common table whose recursive terms are being resolved.
pub(super) struct Recursion<'r, 'a> {
    with: &'r WithScope<'r, 'a>,
    at: usize,
    table: &'a CommonTable<'a>,
    /// How many cores make the start.
    pub setup_cores: usize,
    columns: Cell<&'a [OutputColumn<'a>]>,
    /// Whether the present core has had its reference.
    is_referred: Cell<bool>,
}

const CIRCULAR: &str = "circular reference";
const MULTIPLE: &str = "multiple recursive references";

impl<'s, 'a> WithScope<'s, 'a> {
    /// The tables of `with`, seen beside those of `scope`.
    pub(super) fn new(scope: &Scope<'s, 'a>, with: &'a ast::With<'a>) -> Result<WithScope<'s, 'a>> {
        for (at, table) in with.tables.iter().enumerate() {
            if with.tables[..at].iter().any(|before| before.name.name == table.name.name) {
                return fail(format!("duplicate WITH table name: {}", table.name.name));
            }
        }
        let states = RefCell::new(vec![State::Unused; with.tables.len()]);
        let was_used = RefCell::new(vec![false; with.tables.len()]);
        Ok(WithScope { parent: scope.with, tables: with.tables, states, was_used, text: scope.text })
    }

    fn set(&self, at: usize, state: State<'a>) {
        self.states.borrow_mut()[at] = state;
    }
}

impl<'a> Resolver<'a> {
    /// The common table of that name, if `scope` sees one.
    pub(super) fn common_table(&self, scope: &Scope<'_, 'a>, name: Name<'a>) -> Result<Option<&'a Derived<'a>>> {
        let mut with = scope.with;
        while let Some(here) = with {
            if let Some(at) = here.tables.iter().position(|table| table.name.name == name) {
                return self.use_common_table(scope, here, at).map(Some);
            }
            with = here.parent;
        }
        Ok(None)
    }

    /// Looks at the names in common tables that nobody uses: ALTER TABLE changes them wherever they stand in its text. What is wrong
    /// in them is nobody's fault.
    pub(super) fn names_of_unused(&self, scope: &Scope<'_, 'a>, with: &WithScope<'_, 'a>) {
        if !self.log.as_ref().is_some_and(|log| log.is_about(scope.text)) {
            return;
        }
        let found = Found::default();
        let alone = Scope { with: Some(with), fixed_db: scope.fixed_db, ..Scope::outermost(scope.text, &found) };
        for at in 0..with.tables.len() {
            let is_unused = matches!(with.states.borrow()[at], State::Unused);
            if is_unused && !with.was_used.borrow()[at] {
                let _whatever_is_wrong = self.use_common_table(&alone, with, at);
            }
        }
    }

    fn use_common_table(&self, scope: &Scope<'_, 'a>, with: &WithScope<'_, 'a>, at: usize) -> Result<&'a Derived<'a>> {
        let state = with.states.borrow()[at];
        let table = &with.tables[at];
        match state {
            State::Busy(error) => recursion(format!("{error}: {}", table.name.name)),
            State::Done(derived) => {
                let cte = derived.cte.expect("it is a common table");
                cte.uses.set(cte.uses.get() + 1);
                Ok(derived)
            }
            State::Unused => {
                with.was_used.borrow_mut()[at] = true;
                with.set(at, State::Busy(CIRCULAR));
                let derived = self.resolve_common_table(scope, with, at)?;
                let is_shared = derived.query.outer.is_empty() && table.materialized != Some(false);
                with.set(at, if is_shared { State::Done(derived) } else { State::Unused });
                Ok(derived)
            }
        }
    }

    fn resolve_common_table(
        &self,
        scope: &Scope<'_, 'a>,
        with: &WithScope<'_, 'a>,
        at: usize,
    ) -> Result<&'a Derived<'a>> {
        let ast::CommonTable { name, columns: names, materialized, select } = with.tables[at];
        let cte: &'a CommonTable<'a> = self.arena.alloc(CommonTable {
            id: self.new_subquery(),
            name: name.name,
            uses: Cell::new(1),
            materialized,
            setup_cores: Cell::new(None),
        });
        let inside = Scope { with: Some(with), text: with.text, aliases: &[], within: Some(name.name), ..*scope };
        let setup_cores = setup_cores(select, name.name);
        let recursion = setup_cores.map(|setup_cores| Recursion {
            with,
            at,
            table: cte,
            setup_cores,
            columns: Cell::new(&[]),
            is_referred: Cell::new(false),
        });
        cte.setup_cores.set(setup_cores.map(|cores| cores as u16));
        let query = self.nested(|| match select.with {
            None => self.query_body(&inside, select, recursion.as_ref()),
            Some(own) => {
                let tables = WithScope::new(&inside, own)?;
                let inside = Scope { with: Some(&tables), ..inside };
                self.query_body(&inside, select, recursion.as_ref())
            }
        })?;
        let columns = renamed(query.columns, names, name.name)?;
        Ok(self.derived(query, &columns, None, Some(cte)))
    }
}

impl<'a> Recursion<'_, 'a> {
    /// The name of the table.
    pub fn name(&self) -> Name<'a> {
        self.table.name
    }

    /// The start is resolved and has these columns; the recursive terms follow.
    pub fn begin(&self, resolver: &Resolver<'a>, columns: &[OutputColumn<'a>]) -> Result<()> {
        let table = &self.with.tables[self.at];
        let mut columns = renamed(columns, table.columns, table.name.name)?;
        super::columns::unique_names(resolver.arena, &mut columns);
        self.columns.set(resolver.slice(&columns));
        self.with.set(self.at, State::Busy(MULTIPLE));
        Ok(())
    }

    /// A recursive term begins: it may refer to the table once.
    pub fn begin_term(&self) {
        self.is_referred.set(false);
    }

    /// A reference in FROM of a recursive term.
    pub fn reference(&self) -> Result<(&'a CommonTable<'a>, &'a [OutputColumn<'a>])> {
        if self.is_referred.replace(true) {
            return recursion(format!("multiple references to recursive table: {}", self.name()));
        }
        Ok((self.table, self.columns.get()))
    }
}

/// The columns under the names that the table lists.
fn renamed<'a>(
    columns: &[OutputColumn<'a>],
    names: &[ast::Ident<'a>],
    table: Name<'a>,
) -> Result<Vec<OutputColumn<'a>>> {
    let mut columns = columns.to_vec();
    if names.is_empty() {
        columns.iter_mut().for_each(|column| column.name = column.inner_name);
        return Ok(columns);
    }
    if names.len() != columns.len() {
        return fail(format!("table {table} has {} values for {} columns", columns.len(), names.len()));
    }
    columns.iter_mut().zip(names).for_each(|(column, name)| *column = column.renamed(name.name));
    Ok(columns)
}

/// How many cores of a recursive table make its start; `None` when it is not recursive. Recursive are the last cores
/// that are joined by the same UNION [ALL] and have the table itself in FROM.
pub(super) fn setup_cores(select: &ast::Select<'_>, name: Name<'_>) -> Option<usize> {
    let last = select.rest.last()?;
    if !matches!(last.op, CompoundOp::Union | CompoundOp::UnionAll) {
        return None;
    }
    let is_step = |term: &&ast::CompoundTerm<'_>| term.op == last.op && refers_to(&term.core, name);
    let steps = select.rest.iter().rev().take_while(is_step).count();
    (steps > 0).then(|| select.rest.len() + 1 - steps)
}

fn refers_to(core: &SelectCore<'_>, name: Name<'_>) -> bool {
    let SelectCore::Query(query) = core else { return false };
    query.from.iter().any(|item| match item.source {
        ast::Source::Table(table) => table.schema.is_none() && table.name.name == name,
        _ => false,
    })
}

/// An error about a common table that refers to itself.
fn recursion<T>(message: String) -> Result<T> {
    Err(CompileError::new(message).of_kind(ErrorKind::Recursion))
}
