//! Resolution: every name of a statement finds its table, column or function; the syntax tree becomes the resolved
//! tree of [`crate::ir`]. All errors about what names mean arise here, in SQLite's words.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `scope` | what can be seen from a place in a statement: sources, aliases, rules, enclosing queries |
//! | `name` | a column's name → the column |
//! | `expr` | expressions |
//! | `compare` | comparisons, row values, BETWEEN, IN, CASE |
//! | `function` | calls of functions, aggregates, window functions |
//! | `window` | windows |
//! | `query` | whole queries, compounds, VALUES |
//! | `select` | one SELECT |
//! | `sources` | what is wrong with the sources of a query, when something is wrong |
//! | `from` | FROM: tables, subqueries, views, nested joins |
//! | `join` | ON, USING, NATURAL |
//! | `columns` | result columns: stars, names, types |
//! | `order` | ORDER BY and GROUP BY |
//! | `with` | common table expressions |
//! | `change`, `update`, `upsert` | INSERT, UPDATE, DELETE |
//! | `schema` | what CREATE statements need |
//! | `name_log` | which names meant what, for ALTER TABLE RENAME |
//! | `stored` | expressions and queries that the catalog keeps as text |

mod asks;
mod change;
mod columns;
mod compare;
mod expr;
mod from;
mod function;
mod join;
mod name;
mod name_log;
mod order;
mod query;
mod schema;
mod scope;
mod select;
mod sources;
mod stored;
mod update;
mod upsert;
mod window;
mod with;

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};

use bumpalo::Bump;
use lithe_catalog::{CompileError, ErrorKind, Result};

pub use change::*;
pub use columns::unique_names;
pub use name::is_rowid_name;
pub use name_log::NameLog;
pub use schema::{names_in_text, plain_output};
pub use scope::{Found, Rules, Scope, ScopeColumns, ScopeSource, Stored};
pub use select::split_and;

use crate::environment::Environment;
use crate::ir::{AggregateId, Expr, SourceId, SubqueryId, WindowId};

/// The resolver of one statement.
pub struct Resolver<'a> {
    /// The connection.
    pub env: &'a Environment,
    /// Where the resolved tree goes.
    pub arena: &'a Bump,
    next_source: Cell<u32>,
    next_aggregate: Cell<u32>,
    next_window: Cell<u32>,
    next_subquery: Cell<u32>,
    /// The views that are being expanded, from the outermost: one that comes again is circular.
    views: RefCell<bumpalo::collections::Vec<'a, &'a lithe_catalog::Table>>,
    /// Whether there is any query inside of another.
    has_nested: Cell<bool>,
    /// Whether any expression calls a scalar function, or RAISE.
    has_calls: Cell<bool>,
    /// How deep queries are nested at the moment.
    depth: Cell<u32>,
    /// The table that was looked up last.
    last_table: Cell<Option<from::LookedUp<'a>>>,
    /// What the authorizer is still to be asked about queries.
    asks: asks::Asks<'a>,
    /// Sources of which columns are read, for the authorizer.
    read_sources: RefCell<bumpalo::collections::Vec<'a, SourceId>>,
    /// The schema's expressions are looked at, and not run: whether they may be is not asked.
    is_looking: Cell<bool>,
    /// The authorizer wants the rows of a DELETE removed one by one.
    pub delete_one_by_one: Cell<bool>,
    /// Of a RETURNING clause that is being resolved: the table whose rows are returned, and their source.
    pub(super) returning: Cell<Option<(&'a lithe_catalog::Table, SourceId)>>,
    /// What stood in double quotes and was no name.
    quoted_strings: RefCell<bumpalo::collections::Vec<'a, &'a [u8]>>,
    /// Which names meant what, if somebody wants to know.
    pub log: Option<NameLog<'a>>,
    /// How many views, one within the other, are being expanded.
    nested_views: Cell<u32>,
    /// A schema is verified: nothing is asked but whether its names mean something.
    pub only_names: bool,
}

/// The deepest nesting of queries, views included. The parser bounds what one text can nest; views multiply it.
const QUERY_DEPTH_MAX: u32 = 200;

impl<'a> Resolver<'a> {
    /// A resolver for a new statement.
    pub fn new(env: &'a Environment, arena: &'a Bump) -> Resolver<'a> {
        Resolver {
            env,
            arena,
            next_source: Cell::new(0),
            next_aggregate: Cell::new(0),
            next_window: Cell::new(0),
            next_subquery: Cell::new(0),
            // It lives in the arena, where nothing is dropped: so do its lists.
            views: RefCell::new(bumpalo::collections::Vec::new_in(arena)),
            has_nested: Cell::new(false),
            has_calls: Cell::new(false),
            depth: Cell::new(0),
            last_table: Cell::new(None),
            asks: asks::Asks::new(arena),
            read_sources: RefCell::new(bumpalo::collections::Vec::new_in(arena)),
            is_looking: Cell::new(false),
            delete_one_by_one: Cell::new(false),
            returning: Cell::new(None),
            quoted_strings: RefCell::new(bumpalo::collections::Vec::new_in(arena)),
            log: None,
            nested_views: Cell::new(0),
            only_names: false,
        }
    }

    /// Whether any query that was resolved has another one inside, in FROM or in an expression.
    pub fn has_nested_queries(&self) -> bool {
        self.has_nested.get()
    }

    /// Whether a query, or the set of an IN, stands in any expression that was resolved.
    pub fn has_subqueries(&self) -> bool {
        self.next_subquery.get() > 0
    }

    /// Whether a scalar function, or RAISE, is called in any expression that was resolved.
    pub fn has_calls(&self) -> bool {
        self.has_calls.get()
    }

    /// The texts in double quotes that were taken for strings, so far.
    pub fn quoted_strings(&self) -> Box<[Box<[u8]>]> {
        self.quoted_strings.borrow().iter().map(|text| Box::from(*text)).collect()
    }

    /// A number for a new source.
    pub fn new_source(&self) -> SourceId {
        SourceId(next(&self.next_source))
    }

    /// A number for a new subquery or set.
    pub fn new_subquery(&self) -> SubqueryId {
        SubqueryId(next(&self.next_subquery))
    }

    fn new_aggregate(&self) -> AggregateId {
        AggregateId(next(&self.next_aggregate))
    }

    /// A number for a new call of a window function.
    pub fn new_window(&self) -> WindowId {
        WindowId(next(&self.next_window))
    }

    /// Runs `f`, which resolves expressions of the schema only to compare them with others.
    pub fn looking<T>(&self, f: impl FnOnce() -> T) -> T {
        let before = self.is_looking.replace(true);
        let result = f();
        self.is_looking.set(before);
        result
    }

    /// Puts an expression into the arena.
    pub fn alloc(&self, expr: Expr<'a>) -> &'a Expr<'a> {
        self.arena.alloc(expr)
    }

    /// Puts a list into the arena.
    pub fn slice<T: Copy>(&self, items: &[T]) -> &'a [T] {
        self.arena.alloc_slice_copy(items)
    }

    /// There is a query inside of another.
    fn note_nested(&self) {
        self.has_nested.set(true);
    }

    /// Runs `f` one level of nested queries further down.
    fn nested<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.depth.get() >= QUERY_DEPTH_MAX {
            return Err(CompileError::new("parser stack overflow").of_kind(ErrorKind::Recursion));
        }
        self.depth.set(self.depth.get() + 1);
        self.has_nested.set(self.has_nested.get() || self.depth.get() > 1);
        let result = f();
        self.depth.set(self.depth.get() - 1);
        result
    }
}

fn next(counter: &Cell<u32>) -> u32 {
    let number = counter.get();
    counter.set(number + 1);
    number
}
