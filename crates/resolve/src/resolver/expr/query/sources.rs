//! Errors about the sources of a query that cannot be resolved.
//!
//! SQLite resolves the sources of a query, and of all queries in it, before any column name: of several errors, the one
//! about a source is reported. The resolver resolves each query as a whole. After an error it therefore searches the sources
//! once more, in SQLite's order: FROM, then result columns, WHERE, ON, GROUP BY,
//! HAVING, ORDER BY, LIMIT and WINDOW, of the last SELECT of a compound first.

use std::cell::RefCell;

use lithe_base::{Db, ResultCode};
use lithe_catalog::{CompileError, ErrorKind, Result, Table, View, fail};
use lithe_sql::ast::{
    self, Expr, ExprKind, FromItem, FunctionCall, InSet, JoinConstraint, Name, OrderTerm, Over, ResultColumnKind,
    SelectCore, Source, Window,
};

use super::from::resolve_from;
use super::set::item_of_set;
use super::view::resolve_view;
use super::with::{CIRCULAR, setup_cores};
use crate::resolver::Resolver;
use crate::resolver::scope::with::WithScope;
use crate::resolver::scope::{Found, Scope};

/// The error that is reported for `select`, in which `error` was found: an error of a source, if there is one.
pub(super) fn or_of_sources<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    error: CompileError,
) -> CompileError {
    let is_final =
        error.code != ResultCode::ERROR || matches!(error.kind, ErrorKind::Unconnected(_) | ErrorKind::Recursion);
    if is_final {
        return error;
    }
    let mut search = Search { resolver, of_star: None };
    let found = search.select(scope, None, select).err();
    // Behind a star without columns, the resolver has searched the tables already.
    let of_star = search.of_star.filter(|_| !error.is_no_such_table());
    found.or(of_star).unwrap_or(error)
}

/// The error of a source of the query, or of any query in it, if there is one; also of the views that it reads.
pub(crate) fn error_of_sources<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
) -> Option<CompileError> {
    Search { resolver, of_star: None }.select(scope, None, select).err()
}

/// Whether what the common table at `at` selects from, in any query in it, cannot be resolved.
pub(super) fn misses_source<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    with: &'a ast::With<'a>,
    at: usize,
) -> bool {
    let mut search = Search { resolver, of_star: None };
    let tables = Tables::of(with, None);
    search.select(scope, Some(&tables), with.tables[at].select).is_err() || search.of_star.is_some()
}

/// The same for an UPDATE with FROM, whose rows are found by a SELECT of the assigned values.
pub(crate) fn or_of_sources_of_update<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    update: &ast::Update<'a>,
    error: CompileError,
) -> CompileError {
    if error.code != ResultCode::ERROR {
        return error;
    }
    let mut search = Search { resolver, of_star: None };
    search.update(scope, update).err().unwrap_or(error)
}

/// The common tables of one WITH that the search can see.
struct Tables<'s, 'a> {
    parent: Option<&'s Tables<'s, 'a>>,
    with: &'a ast::With<'a>,
    seen: RefCell<Vec<Seen>>,
}

/// How far a common table has been searched.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Not,
    /// A reference to the table is circular.
    Busy,
    /// It has been searched, or its recursive terms are being searched.
    Done,
}

struct Search<'r, 'a> {
    resolver: &'r Resolver<'a>,
    /// The error of a star without columns, which is reported only if no other error follows.
    of_star: Option<CompileError>,
}

impl<'s, 'a> Tables<'s, 'a> {
    fn of(with: &'a ast::With<'a>, parent: Option<&'s Tables<'s, 'a>>) -> Tables<'s, 'a> {
        Tables { parent, with, seen: RefCell::new(vec![Seen::Not; with.tables.len()]) }
    }
}

impl<'a> Search<'_, 'a> {
    fn update(&mut self, scope: &Scope<'_, 'a>, update: &ast::Update<'a>) -> Result<()> {
        let own = update.with.map(|own| Tables::of(own, None));
        let with = own.as_ref();
        self.from(scope, with, update.from)?;
        update.set.iter().try_for_each(|assigned| self.expr(scope, with, &assigned.value))?;
        update.filter.iter().try_for_each(|filter| self.expr(scope, with, filter))?;
        self.conditions(scope, with, update.from)
    }

    fn select(&mut self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, select: &ast::Select<'a>) -> Result<()> {
        let own = select.with.map(|own| Tables::of(own, with));
        self.cores(scope, own.as_ref().or(with), select, 0)
    }

    /// The cores from the last one down to the one at `first`.
    fn cores(
        &mut self,
        scope: &Scope<'_, 'a>,
        with: Option<&Tables<'_, 'a>>,
        select: &ast::Select<'a>,
        first: usize,
    ) -> Result<()> {
        let cores = std::iter::once(&select.first).chain(select.rest.iter().map(|term| &term.core));
        let last = select.rest.len();
        for (at, core) in cores.enumerate().skip(first).collect::<Vec<_>>().into_iter().rev() {
            self.core(scope, with, core, (at == last).then_some(select))?;
        }
        Ok(())
    }

    /// One core; the last one has ORDER BY and LIMIT of `whole`.
    fn core(
        &mut self,
        scope: &Scope<'_, 'a>,
        with: Option<&Tables<'_, 'a>>,
        core: &SelectCore<'a>,
        whole: Option<&ast::Select<'a>>,
    ) -> Result<()> {
        let query = match core {
            SelectCore::Query(query) => query,
            SelectCore::Values(rows) => {
                rows.iter().rev().try_for_each(|row| self.exprs(scope, with, row))?;
                return self.end(scope, with, whole);
            }
        };
        self.from(scope, with, query.from)?;
        self.joins(scope, with, query.from)?;
        for column in query.columns {
            if let ResultColumnKind::Expr(expr) = &column.kind {
                self.expr(scope, with, expr)?;
            }
        }
        query.filter.iter().try_for_each(|filter| self.expr(scope, with, filter))?;
        self.conditions(scope, with, query.from)?;
        self.exprs(scope, with, query.group_by)?;
        query.having.iter().try_for_each(|having| self.expr(scope, with, having))?;
        self.end(scope, with, whole)?;
        query.windows.iter().try_for_each(|definition| self.window(scope, with, &definition.window, None))?;
        self.stars(query);
        Ok(())
    }

    /// ORDER BY and LIMIT.
    fn end(
        &mut self,
        scope: &Scope<'_, 'a>,
        with: Option<&Tables<'_, 'a>>,
        whole: Option<&ast::Select<'a>>,
    ) -> Result<()> {
        let Some(whole) = whole else { return Ok(()) };
        self.terms(scope, with, whole.order_by)?;
        let Some(limit) = whole.limit else { return Ok(()) };
        self.expr(scope, with, &limit.limit)?;
        limit.offset.iter().try_for_each(|offset| self.expr(scope, with, offset))
    }

    fn from(&mut self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, items: &[FromItem<'a>]) -> Result<()> {
        items.iter().try_for_each(|item| match item.source {
            Source::Table(name) => match name.schema {
                None if self.common_table(scope, with, name.name.name)? => Ok(()),
                _ => self.table(scope, name, item),
            },
            Source::Function(name, _) if name.schema.is_none() && find(with, name.name.name).is_some() => {
                Err(no_function(name.name.name))
            }
            Source::Function(name, _) => {
                let found = self.resolver.find_table(scope, name)?;
                found.table.virtual_table().map(drop).ok_or_else(|| no_function(name.name.name))
            }
            Source::Subquery(select) => {
                // A star without columns in it ends the search.
                let before = self.of_star.take();
                self.select(scope, with, select)?;
                self.of_star.take().map_or(Ok(()), Err)?;
                self.of_star = before;
                Ok(())
            }
            Source::Nested(items) => self.from(scope, with, items),
        })
    }

    /// Searches the common table of that name, where it is first named. False if there is none.
    fn common_table(&mut self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, name: Name<'a>) -> Result<bool> {
        let Some((here, at)) = find(with, name) else { return Ok(false) };
        let set_seen = |seen| std::mem::replace(&mut here.seen.borrow_mut()[at], seen);
        match set_seen(Seen::Busy) {
            Seen::Not => {}
            Seen::Busy => return fail(format!("{CIRCULAR}: {}", here.with.tables[at].name.name)),
            Seen::Done => {
                set_seen(Seen::Done);
                return Ok(true);
            }
        }
        let table = &here.with.tables[at];
        // The recursive terms of a table come after its start.
        match setup_cores(table.select, name) {
            None => self.select(scope, Some(here), table.select)?,
            Some(start) => {
                self.start_of(scope, here, table.select, start)?;
                set_seen(Seen::Done);
                self.cores(scope, Some(here), table.select, start)?;
            }
        }
        set_seen(Seen::Done);
        check_width(table)?;
        Ok(true)
    }

    fn start_of(
        &mut self,
        scope: &Scope<'_, 'a>,
        with: &Tables<'_, 'a>,
        select: &ast::Select<'a>,
        cores: usize,
    ) -> Result<()> {
        let rest = &select.rest[..cores - 1];
        rest.iter().rev().try_for_each(|term| self.core(scope, Some(with), &term.core, None))?;
        self.core(scope, Some(with), &select.first, None)
    }

    fn table(&mut self, scope: &Scope<'_, 'a>, name: ast::QualifiedName<'a>, item: &FromItem<'a>) -> Result<()> {
        let found = self.resolver.find_table(scope, name)?;
        if let ast::Indexed::By(index) = item.indexed
            && !found.table.indexes.iter().any(|known| known.name == index.name)
        {
            return Err(CompileError::no_such("index", index.name));
        }
        let Some(view) = found.table.view() else { return Ok(()) };
        self.view(found.db, found.table, view)
    }

    /// A view, whose query SQLite resolves as a whole to know the columns. Each view is resolved once at most, however many queries around
    /// the error are searched.
    fn view(&self, db: Db, table: &'a Table, view: &'a View) -> Result<()> {
        let nesting = &self.resolver.nesting;
        match nesting.known(table) {
            Some(Some(message)) => return Err(CompileError::new(message)),
            Some(None) => return Ok(()),
            None => {}
        }
        let resolve = || nesting.in_source_view(|| resolve_view(self.resolver, db, table, view, false));
        self.resolver.env.authorizer.silent(resolve)?;
        nesting.note_resolved(table);
        Ok(())
    }

    /// USING and NATURAL, which name columns of the sources.
    fn joins(&self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, items: &[FromItem<'a>]) -> Result<()> {
        let names_columns =
            |item: &FromItem<'a>| item.join.natural || matches!(item.constraint, JoinConstraint::Using(_));
        if !items.iter().any(names_columns) {
            return Ok(());
        }
        let resolve = || {
            in_scope(scope, with, &|scope| resolve_from(self.resolver, scope, items, &Found::default(), None).map(drop))
        };
        match self.resolver.leniently(resolve) {
            Err(error) if error.kind == ErrorKind::Join => Err(error),
            _ => Ok(()),
        }
    }

    /// ON, which belongs to WHERE, and the arguments of table-valued functions.
    fn conditions(
        &mut self,
        scope: &Scope<'_, 'a>,
        with: Option<&Tables<'_, 'a>>,
        items: &[FromItem<'a>],
    ) -> Result<()> {
        items.iter().try_for_each(|item| {
            if let Source::Nested(items) = item.source {
                self.conditions(scope, with, items)?;
            }
            if let JoinConstraint::On(on) = &item.constraint {
                self.expr(scope, with, on)?;
            }
            match item.source {
                Source::Function(_, args) => self.exprs(scope, with, args),
                _ => Ok(()),
            }
        })
    }

    /// Stars without columns.
    fn stars(&mut self, query: &ast::Query<'a>) {
        for column in query.columns {
            match &column.kind {
                ResultColumnKind::Star if query.from.is_empty() => {
                    self.of_star = Some(CompileError::new("no tables specified"));
                }
                ResultColumnKind::TableStar(table) if !is_in(query.from, table.name) => {
                    self.of_star = Some(CompileError::no_such("table", table.name).of_kind(ErrorKind::NoSuchTable));
                }
                _ => {}
            }
        }
    }

    fn exprs(&mut self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, exprs: &[Expr<'a>]) -> Result<()> {
        exprs.iter().try_for_each(|expr| self.expr(scope, with, expr))
    }

    fn terms(&mut self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, terms: &[OrderTerm<'a>]) -> Result<()> {
        terms.iter().try_for_each(|term| self.expr(scope, with, &term.expr))
    }

    fn expr(&mut self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, expr: &Expr<'a>) -> Result<()> {
        match &expr.kind {
            ExprKind::Unary(_, operand) => self.expr(scope, with, operand),
            ExprKind::Binary(_, left, right) => self.exprs(scope, with, &[**left, **right]),
            // Calls of like(pattern, value, escape).
            ExprKind::Like(like) => {
                self.exprs(scope, with, &[like.pattern, like.value])?;
                like.escape.iter().try_for_each(|escape| self.expr(scope, with, escape))
            }
            ExprKind::Between(between) => self.exprs(scope, with, &[between.value, between.low, between.high]),
            // SQLite resolves nothing in `x IN ()`.
            ExprKind::In(set) if set.is_in_nothing() => Ok(()),
            ExprKind::In(set) => {
                self.expr(scope, with, &set.value)?;
                match &set.set {
                    InSet::List(items) => self.exprs(scope, with, items),
                    InSet::Select(select) => self.select(scope, with, select),
                    InSet::Table(name, args, _) => self.set_table(scope, with, *name, args),
                }
            }
            ExprKind::Case(case) => {
                case.operand.iter().try_for_each(|operand| self.expr(scope, with, operand))?;
                case.whens.iter().try_for_each(|when| self.exprs(scope, with, &[when.condition, when.value]))?;
                case.otherwise.iter().try_for_each(|otherwise| self.expr(scope, with, otherwise))
            }
            ExprKind::Cast(cast) => self.expr(scope, with, &cast.value),
            ExprKind::Collate(collate) => self.expr(scope, with, &collate.value),
            ExprKind::Function(call) => self.call(scope, with, call),
            ExprKind::Exists(select) | ExprKind::Subquery(select) => self.select(scope, with, select),
            ExprKind::RowValue(items) => self.exprs(scope, with, items),
            ExprKind::Raise(raise) => raise.message.iter().try_for_each(|message| self.expr(scope, with, message)),
            _ => Ok(()),
        }
    }

    /// `x IN table`.
    fn set_table(
        &mut self,
        scope: &Scope<'_, 'a>,
        with: Option<&Tables<'_, 'a>>,
        name: ast::QualifiedName<'a>,
        args: &'a [Expr<'a>],
    ) -> Result<()> {
        self.from(scope, with, &[item_of_set(name, args)])?;
        self.exprs(scope, with, args)
    }

    /// ORDER BY of an aggregate comes before its arguments.
    fn call(&mut self, scope: &Scope<'_, 'a>, with: Option<&Tables<'_, 'a>>, call: &FunctionCall<'a>) -> Result<()> {
        self.terms(scope, with, call.order_by)?;
        self.exprs(scope, with, call.args)?;
        match &call.over {
            Some(Over::Window(window)) => self.window(scope, with, window, call.filter.as_ref()),
            _ => call.filter.iter().try_for_each(|filter| self.expr(scope, with, filter)),
        }
    }

    /// ORDER BY of a window comes before PARTITION BY, and FILTER of its call behind both; its frame is not searched.
    fn window(
        &mut self,
        scope: &Scope<'_, 'a>,
        with: Option<&Tables<'_, 'a>>,
        window: &Window<'a>,
        filter: Option<&Expr<'a>>,
    ) -> Result<()> {
        self.terms(scope, with, window.order_by)?;
        self.exprs(scope, with, window.partition_by)?;
        filter.map_or(Ok(()), |filter| self.expr(scope, with, filter))
    }
}

/// The common table of that name.
fn find<'s, 'a>(mut with: Option<&'s Tables<'s, 'a>>, name: Name<'_>) -> Option<(&'s Tables<'s, 'a>, usize)> {
    while let Some(here) = with {
        if let Some(at) = here.with.tables.iter().position(|table| table.name.name == name) {
            return Some((here, at));
        }
        with = here.parent;
    }
    None
}

/// Does something in a scope that has the common tables, too. The depth of the recursion is that of the queries.
fn in_scope<'a>(
    scope: &Scope<'_, 'a>,
    with: Option<&Tables<'_, 'a>>,
    work: &dyn Fn(&Scope<'_, 'a>) -> Result<()>,
) -> Result<()> {
    let Some(tables) = with else { return work(scope) };
    in_scope(scope, tables.parent, &|around| {
        let own = WithScope::new(around, tables.with)?;
        work(&Scope { with: Some(&own), ..*around })
    })
}

fn no_function(name: Name<'_>) -> CompileError {
    CompileError::new(format!("'{name}' is not a function"))
}

/// Checks that a common table has as many columns as its list of names. (With a star, the resolver checks that.)
fn check_width(table: &ast::CommonTable<'_>) -> Result<()> {
    let found = match &table.select.first {
        SelectCore::Query(query) => {
            let all_exprs = query.columns.iter().all(|column| matches!(column.kind, ResultColumnKind::Expr(_)));
            all_exprs.then_some(query.columns.len())
        }
        SelectCore::Values(rows) => rows.first().map(|row| row.len()),
    };
    let named = table.columns.len();
    match found {
        Some(found) if named > 0 && found != named => {
            Err(CompileError::new(format!("table {} has {found} values for {named} columns", table.name.name)))
        }
        _ => Ok(()),
    }
}

/// Whether a source is called `name`.
fn is_in(items: &[FromItem<'_>], name: Name<'_>) -> bool {
    items.iter().any(|item| match (item.alias, item.source) {
        // An alias does not hide the names in a join in parentheses.
        (_, Source::Nested(items)) => item.alias.is_some_and(|alias| alias.name == name) || is_in(items, name),
        (Some(alias), _) => alias.name == name,
        (None, Source::Table(own) | Source::Function(own, _)) => own.name.name == name,
        (None, Source::Subquery(_)) => false,
    })
}
