//! Common table expressions, ordinary and recursive.
//!
//! A common table is resolved at its first use, in the scope of that use. All uses share the result, unless the table
//! depends on a row of an enclosing query.

use std::cell::Cell;

use lithe_catalog::{CompileError, ErrorKind, Result, fail};
use lithe_sql::ast::{self, CompoundOp, Name, SelectCore};

use super::derived::{derived_table, unique_names};
use super::query_body;
use crate::ir::{CommonTable, Derived, OutputColumn};
use crate::resolver::Resolver;
use crate::resolver::scope::Scope;
use crate::resolver::scope::with::{Done, State, WithScope};

pub(super) const CIRCULAR: &str = "circular reference";
const MULTIPLE: &str = "multiple recursive references";

/// The common table whose recursive terms are being resolved.
pub(crate) struct Recursion<'r, 'a> {
    with: &'r WithScope<'r, 'a>,
    at: usize,
    table: &'a CommonTable<'a>,
    /// How many cores make the start.
    pub setup_cores: usize,
    columns: Cell<&'a [OutputColumn<'a>]>,
    /// Whether the current core has referred to the table.
    is_referred: Cell<bool>,
    /// Whether the current core is the last recursive term.
    is_last: Cell<bool>,
}

/// The common table of that name, if `scope` sees one.
pub(super) fn find_common_table<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    name: Name<'a>,
) -> Result<Option<&'a Derived<'a>>> {
    let found = scope.with.and_then(|with| with.find(name));
    found.map(|(with, at)| use_common_table(resolver, scope, with, at)).transpose()
}

/// Resolves a use of the common table at `at`.
pub(super) fn use_common_table<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    with: &WithScope<'_, 'a>,
    at: usize,
) -> Result<&'a Derived<'a>> {
    let table = with.table(at);
    match with.state(at) {
        State::Busy(error) => recursion(format!("{error}: {}", table.name.name)),
        State::Done(done) => {
            done.table.uses.set(done.table.uses.get() + 1);
            resolver.numbers.add_selects(done.new_selects);
            // The number of its rows is known where it is materialised, not here.
            Ok(resolver.arena.alloc(Derived { rows: resolver.arena.alloc(Cell::new(None)), ..*done.derived }))
        }
        State::Unused => {
            with.set_state(at, State::Busy(CIRCULAR));
            let done = resolve_common_table(resolver, scope, with, at)?;
            let is_shared = done.derived.query.outer.is_empty() && table.materialized != Some(false);
            with.set_state(at, if is_shared { State::Done(done) } else { State::Unused });
            Ok(done.derived)
        }
    }
}

fn resolve_common_table<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    with: &WithScope<'_, 'a>,
    at: usize,
) -> Result<Done<'a>> {
    let selects = resolver.numbers.select_count();
    let ast::CommonTable { name, columns: names, materialized, select } = *with.table(at);
    let cte: &'a CommonTable<'a> = resolver.arena.alloc(CommonTable {
        id: resolver.new_subquery(),
        name: name.name,
        uses: Cell::new(1),
        materialized,
        setup_cores: Cell::new(None),
    });
    let inside = Scope { with: Some(with), text: with.text(), aliases: &[], within: Some(name.name), ..*scope };
    let setup_cores = setup_cores(select, name.name);
    let recursion = setup_cores.map(|setup_cores| Recursion {
        with,
        at,
        table: cte,
        setup_cores,
        columns: Cell::new(&[]),
        is_referred: Cell::new(false),
        is_last: Cell::new(false),
    });
    cte.setup_cores.set(setup_cores.map(|cores| cores as u16));
    let query = resolver.nesting.nested(|| match select.with {
        None => query_body(resolver, &inside, select, recursion.as_ref()),
        Some(own) => {
            let tables = WithScope::new(&inside, own)?;
            let inside = Scope { with: Some(&tables), ..inside };
            query_body(resolver, &inside, select, recursion.as_ref())
        }
    })?;
    let columns = renamed(query.columns, names, name.name)?;
    let derived = derived_table(resolver, query, &columns, None, Some(cte));
    Ok(Done { derived, table: cte, new_selects: resolver.numbers.select_count() - selects })
}

impl<'a> Recursion<'_, 'a> {
    /// The name of the table.
    pub fn name(&self) -> Name<'a> {
        self.table.name
    }

    /// The names that the table lists for its columns.
    pub fn listed_names(&self) -> &'a [ast::Ident<'a>] {
        self.with.table(self.at).columns
    }

    /// The start is resolved and has these columns; the recursive terms follow.
    pub fn begin(&self, resolver: &Resolver<'a>, columns: &[OutputColumn<'a>]) -> Result<()> {
        let table = self.with.table(self.at);
        let mut columns = renamed(columns, table.columns, table.name.name)?;
        unique_names(resolver.arena, &mut columns);
        self.columns.set(resolver.slice(&columns));
        self.with.set_state(self.at, State::Busy(MULTIPLE));
        Ok(())
    }

    /// A recursive term begins: it may refer to the table once.
    pub fn begin_term(&self, is_last: bool) {
        self.is_referred.set(false);
        self.is_last.set(is_last);
    }

    /// Whether the current term is the last, in which alone SQLite refuses window functions.
    pub fn is_in_last_term(&self) -> bool {
        self.is_last.get()
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
    query.from.iter().enumerate().any(|(at, item)| item_refers_to(item, at == 0, name))
}

/// Whether a source is the table, also one in parentheses that mean nothing: around one source, or at the beginning of FROM.
fn item_refers_to(item: &ast::FromItem<'_>, is_first: bool, name: Name<'_>) -> bool {
    let is_first = is_first && is_bare(item);
    match item.source {
        ast::Source::Table(table) => table.schema.is_none() && table.name.name == name,
        ast::Source::Nested([only]) => item_refers_to(only, is_first, name),
        ast::Source::Nested(items) if is_first => {
            items.iter().enumerate().any(|(at, item)| item_refers_to(item, at == 0, name))
        }
        _ => false,
    }
}

/// Whether a join in parentheses has neither an alias nor a constraint. If it comes first, the parentheses are redundant then.
pub(super) fn is_bare(item: &ast::FromItem<'_>) -> bool {
    item.alias.is_none() && matches!(item.constraint, ast::JoinConstraint::None)
}

/// An error about a common table that refers to itself.
fn recursion<T>(message: String) -> Result<T> {
    Err(CompileError::new(message).of_kind(ErrorKind::Recursion))
}
