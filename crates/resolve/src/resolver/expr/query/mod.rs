//! Whole queries: WITH, compounds, VALUES, LIMIT.

pub(crate) mod columns;
pub(crate) mod derived;
pub(crate) mod from;
mod group;
pub(crate) mod join;
mod merge;
pub(crate) mod order;
pub(crate) mod select;
pub(crate) mod set;
pub(crate) mod sources;
mod unused;
mod values;
pub(crate) mod view;
pub(crate) mod with;

use std::cell::Cell;

use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::{self, CompoundOp, Name, SelectCore, SelectNumber};

use super::resolve_expr;
use crate::ir::{
    Compared, Core, CoreBody, Expr, Indexed, JoinKind, Limit, OrderOrigin, OrderTerm, OutputColumn, Query, Select,
    Source, SourceId, SourceKind, collation_of, first_row_of_table, plain_output,
};
use crate::resolver::Resolver;
use crate::resolver::query_checks::QueryCheck;
use crate::resolver::scope::with::WithScope;
use crate::resolver::scope::{Found, Rules, Scope};
use derived::derived_table;
use merge::Merge;
use order::resolve_compound_order;
use select::resolve_select;
use sources::or_of_sources;
use unused::log_unused;
use values::resolve_values;
use with::Recursion;

/// Resolves a query that stands in `scope`: its FROM clauses, nested queries and so on included.
pub(crate) fn resolve_query<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
) -> Result<&'a Query<'a>> {
    let resolved = resolver.nesting.nested(|| match select.with {
        None => query_body(resolver, scope, select, None),
        Some(with) => {
            let tables = WithScope::new(scope, with)?;
            let scope = Scope { with: Some(&tables), ..*scope };
            let query = query_body(resolver, &scope, select, None)?;
            log_unused(resolver, &scope, with, &tables);
            Ok(query)
        }
    });
    // Where common tables are visible outside, the query around this one reports their errors.
    if scope.with.is_some() {
        resolved
    } else {
        resolved.map_err(|error| or_of_sources(resolver, scope, select, error))
    }
}

/// The query without its WITH. `recursion` is set for a recursive common table, and records that its start is resolved.
pub(super) fn query_body<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<&'a Query<'a>> {
    let (place, own) = resolver.checks.begin_query(scope.within)?;
    let limit = || select.limit.map(|limit| resolve_limit(resolver, scope, limit)).transpose();
    let (limit, of_limit) = resolver.numbers.counted(limit);
    let limit = limit?;
    let mut outer = Vec::new();
    let is_compound = !select.rest.is_empty();
    let parts = match recursion {
        Some(recursion) => recursive_cores(resolver, scope, select, recursion, &mut outer)?,
        None => resolve_cores(resolver, scope, select, &mut outer)?,
    };
    resolver.numbers.move_behind(of_limit);
    let checks = match resolver.checks.has_authorizer() {
        true => all_checks(own, recursion.map(|_| QueryCheck::recursive(scope.within)), &parts),
        false => Vec::new(),
    };
    let mut columns = parts[0].columns;
    let mut order_by = parts[0].order_by;
    let cores: &'a [Core<'a>] = resolver.arena.alloc_slice_fill_iter(parts.iter().map(|part| part.core));
    if is_compound {
        let mut merged = Merge::new(&parts[0]);
        let mut all = columns.to_vec();
        parts[1..].iter().for_each(|part| merged.add(part, &mut all));
        let last = parts[parts.len() - 1].columns;
        all.iter_mut().zip(last).for_each(|(column, last)| column.inner_origin = last.inner_origin);
        columns = resolver.slice(&merged.finish(&all));
        order_by = resolve_compound_order(resolver, scope, select, cores, columns)?;
    }
    resolver.checks.end_query(place, &checks)?;
    if recursion.is_none() && sorts_otherwise(select) {
        // The compound compares rows by its own collations, ORDER BY sorts them by others.
        let compound = Query {
            cores,
            has_rows_apart: false,
            order_by: &[],
            limit: None,
            columns,
            outer: resolver.slice(&outer),
            was_correlated: false,
            order_origin: OrderOrigin::Own,
        };
        return Ok(all_of(resolver, compound, order_by, limit));
    }
    let (has_rows_apart, outer) = (select.has_rows_apart, resolver.slice(&outer));
    let (was_correlated, order_origin) = (false, OrderOrigin::Own);
    let query = Query { cores, has_rows_apart, order_by, limit, columns, outer, was_correlated, order_origin };
    Ok(resolver.arena.alloc(query))
}

/// `SELECT * FROM (compound) ORDER BY ... LIMIT ...`.
pub(super) fn all_of<'a>(
    resolver: &Resolver<'a>,
    compound: Query<'a>,
    order_by: &[OrderTerm<'a>],
    limit: Option<&'a Limit<'a>>,
) -> &'a Query<'a> {
    let id = resolver.new_source();
    resolver.nesting.note_nested();
    let query: &'a Query<'a> = resolver.arena.alloc(compound);
    let derived = derived_table(resolver, query, query.columns, None, None);
    let exprs: Vec<Expr<'a>> =
        (0..query.columns.len()).map(|at| resolver.query_column(id, derived.columns, at)).collect();
    let order_by = order_by.iter().map(|term| match term.output {
        Some(output) => OrderTerm { expr: exprs[usize::from(output)], ..*term },
        None => *term,
    });
    let source = Source {
        id,
        kind: SourceKind::Subquery(derived),
        name: Name::new(b""),
        is_alias: false,
        join: JoinKind::Inner,
        schema: None,
        is_exists: false,
        indexed: Indexed::Any,
    };
    let body = CoreBody::Select(resolver.arena.alloc(Select {
        distinct: false,
        columns: resolver.slice(&exprs),
        sources: resolver.slice(&[source]),
        terms: &[],
        group_by: &[],
        having: None,
        aggregates: &[],
        is_aggregate: false,
        windows: &[],
        is_update: false,
        is_complex: false,
    }));
    let core = Core { op: CompoundOp::UnionAll, body, number: query.cores[query.cores.len() - 1].number };
    resolver.arena.alloc(Query {
        cores: resolver.slice(&[core]),
        has_rows_apart: false,
        order_by: resolver.slice(&order_by.collect::<Vec<_>>()),
        limit,
        columns: derived.columns,
        outer: query.outer,
        was_correlated: false,
        order_origin: OrderOrigin::Own,
    })
}

/// All cores, from the last to the first, the order in which SQLite reports their errors.
fn resolve_cores<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    outer: &mut Vec<SourceId>,
) -> Result<ArenaVec<'a, CorePart<'a>>> {
    let mut parts = ArenaVec::with_capacity_in(select.rest.len() + 1, resolver.arena);
    for (at, term) in select.rest.iter().enumerate().rev() {
        let part = resolve_core(resolver, scope, &WrittenCore::of_term(term), None, outer)?;
        check_widths(parts.last(), &part, select.rest.get(at + 1))?;
        parts.push(part);
    }
    let first = resolve_core(resolver, scope, &WrittenCore::first_of(select), None, outer)?;
    check_widths(parts.last(), &first, select.rest.first())?;
    parts.push(first);
    parts.reverse();
    Ok(parts)
}

/// The cores of a recursive common table: its start first, whose columns the recursive terms see.
fn recursive_cores<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    recursion: &Recursion<'_, 'a>,
    outer: &mut Vec<SourceId>,
) -> Result<ArenaVec<'a, CorePart<'a>>> {
    let start = recursive_start(resolver, scope, select, recursion, outer);
    let mut parts = start.map_err(|error| or_of_terms(resolver, scope, select, recursion, error))?;
    let mut columns = parts[0].columns.to_vec();
    let mut merged = Merge::new(&parts[0]);
    parts[1..].iter().for_each(|part| merged.add(part, &mut columns));
    let of_start = with_first_collations(merged.finish(&columns), parts[0].columns);
    for (at, part) in recursive_terms(resolver, scope, select, recursion, &of_start, outer)?.into_iter().enumerate() {
        let at = at + recursion.setup_cores - 1;
        check_widths(Some(&part), &parts[at], Some(&select.rest[at]))?;
        merged.add(&part, &mut columns);
        parts.push(part);
    }
    // What the recursive terms give has a say in the affinity of a column, also where they read it.
    let of_all = with_first_collations(merged.finish(&columns), parts[0].columns);
    let differs = |(one, other): (&OutputColumn<'a>, &OutputColumn<'a>)| one.affinity != other.affinity;
    if of_start.iter().zip(&of_all).any(differs) {
        parts.truncate(recursion.setup_cores);
        parts.extend(recursive_terms(resolver, scope, select, recursion, &of_all, outer)?);
    }
    Ok(parts)
}

/// The cores that make the start of a recursive common table.
fn recursive_start<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    recursion: &Recursion<'_, 'a>,
    outer: &mut Vec<SourceId>,
) -> Result<ArenaVec<'a, CorePart<'a>>> {
    let mut parts = ArenaVec::with_capacity_in(select.rest.len() + 1, resolver.arena);
    parts.push(resolve_core(resolver, scope, &WrittenCore::first_of(select), None, outer)?);
    for (at, term) in select.rest[..recursion.setup_cores - 1].iter().enumerate() {
        let part = resolve_core(resolver, scope, &WrittenCore::of_term(term), None, outer)?;
        check_widths(Some(&part), &parts[at], Some(term))?;
        parts.push(part);
    }
    Ok(parts)
}

/// The error to report where the start of a recursive table has `error`: SQLite resolves the recursive terms before the start, so
/// theirs comes first. Without the start, only the names that the table lists are known of its columns.
#[cold]
fn or_of_terms<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    recursion: &Recursion<'_, 'a>,
    error: CompileError,
) -> CompileError {
    let names = recursion.listed_names();
    if names.is_empty() {
        return error;
    }
    let columns: Vec<OutputColumn<'a>> =
        names.iter().map(|name| plain_output(&Expr::Null).renamed(name.name)).collect();
    let terms = recursive_terms(resolver, scope, select, recursion, &columns, &mut Vec::new());
    terms.err().unwrap_or(error)
}

/// The columns of VALUES, with the collation that the first row has that has any. A table that SQLite makes of rows, from `first_of_table` on,
/// has BINARY if its first row names none.
fn with_collations_of_rows<'a>(
    columns: &[OutputColumn<'a>],
    rows: &[&[Expr<'a>]],
    first_of_table: Option<usize>,
) -> Vec<OutputColumn<'a>> {
    let found = |at: usize| {
        rows.iter().enumerate().find_map(|(number, row)| {
            let collation = row.get(at).and_then(collation_of);
            if first_of_table == Some(number) { Some(collation.unwrap_or_default()) } else { collation }
        })
    };
    let with_collation = |(at, column): (usize, &OutputColumn<'a>)| {
        found(at).map_or(*column, |collation| OutputColumn { collation, has_collation: true, ..*column })
    };
    columns.iter().enumerate().map(with_collation).collect()
}

/// The columns of a recursive table as its recursive terms see them: with the collations of the first core.
fn with_first_collations<'a>(columns: Vec<OutputColumn<'a>>, first: &[OutputColumn<'a>]) -> Vec<OutputColumn<'a>> {
    let with_first = |(column, first): (OutputColumn<'a>, &OutputColumn<'a>)| {
        let OutputColumn { collation, has_collation, .. } = *first;
        OutputColumn { collation, has_collation, ..column }
    };
    columns.into_iter().zip(first).map(with_first).collect()
}

/// The recursive terms, to which the table has these columns.
fn recursive_terms<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    select: &ast::Select<'a>,
    recursion: &Recursion<'_, 'a>,
    columns: &[OutputColumn<'a>],
    outer: &mut Vec<SourceId>,
) -> Result<Vec<CorePart<'a>>> {
    recursion.begin(resolver, columns)?;
    let terms = &select.rest[recursion.setup_cores - 1..];
    let mut resolved = Vec::with_capacity(terms.len());
    // From the last to the first, as in SQLite: the last error is reported.
    for (at, term) in terms.iter().enumerate().rev() {
        recursion.begin_term(at + 1 == terms.len());
        resolved.push(resolve_core(resolver, scope, &WrittenCore::of_term(term), Some(recursion), outer)?);
    }
    resolved.reverse();
    Ok(resolved)
}

/// A core of a query as it is written.
struct WrittenCore<'s, 'a> {
    /// The operator before it; none for the first core.
    op: Option<CompoundOp>,
    core: &'s SelectCore<'a>,
    number: SelectNumber,
    /// ORDER BY, if the query is nothing but this core.
    order_by: &'s [ast::OrderTerm<'a>],
    /// Whether the rows of VALUES are SELECTs of their own to SQLite.
    has_rows_apart: bool,
}

impl<'s, 'a> WrittenCore<'s, 'a> {
    fn first_of(select: &'s ast::Select<'a>) -> WrittenCore<'s, 'a> {
        let order_by = if select.rest.is_empty() { select.order_by } else { &[] };
        let has_rows_apart = select.has_rows_apart;
        WrittenCore { op: None, core: &select.first, number: select.number, order_by, has_rows_apart }
    }

    fn of_term(term: &'s ast::CompoundTerm<'a>) -> WrittenCore<'s, 'a> {
        // Behind an operator, several rows are a query of their own in FROM.
        WrittenCore { op: Some(term.op), core: &term.core, number: term.number, order_by: &[], has_rows_apart: false }
    }

    /// Whether it is a VALUES with several rows after a compound operator, which SQLite reads as a SELECT from a
    /// SELECT.
    fn is_wrapped(&self) -> bool {
        self.op.is_some() && matches!(self.core, SelectCore::Values([_, _, ..]))
    }
}

/// One core; the sources of enclosing queries that it uses are added to `outer`.
fn resolve_core<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    written: &WrittenCore<'_, 'a>,
    recursion: Option<&Recursion<'_, 'a>>,
    outer: &mut Vec<SourceId>,
) -> Result<CorePart<'a>> {
    let number = resolver.select_number(written.number);
    if written.is_wrapped() {
        resolver.count_selects_of_view(1);
    }
    let order_by = written.order_by;
    let mut checks = bumpalo::collections::Vec::new_in(resolver.arena);
    let part = resolver.checks.collect(&mut checks, || match written.core {
        SelectCore::Query(query) => resolve_select(resolver, scope, query, order_by, recursion),
        SelectCore::Values(rows) => resolve_values(resolver, scope, rows, order_by, number),
    })?;
    let SelectPart { body, columns, order_by, uses } = part;
    uses.into_iter().for_each(|source| {
        if !outer.contains(&source) {
            outer.push(source);
        }
    });
    let op = written.op.unwrap_or(CompoundOp::UnionAll);
    let mut part = CorePart { core: Core { op, body, number }, columns, order_by, checks, is_table: false };
    if let CoreBody::Values(rows) = part.core.body {
        let first_of_table = first_row_of_table(rows).filter(|_| !written.has_rows_apart);
        part.is_table = first_of_table.is_some();
        let first_of_query = if written.is_wrapped() { Some(0) } else { first_of_table };
        let columns = with_collations_of_rows(part.columns, rows, first_of_query);
        let without_affinity = |column: &OutputColumn<'a>| OutputColumn { affinity: None, ..*column };
        part.columns = match part.is_table {
            true => resolver.arena.alloc_slice_fill_iter(columns.iter().map(without_affinity)),
            false => resolver.slice(&Merge::new(&part).finish(&columns)),
        };
    }
    Ok(part)
}

/// The query as the value of an expression, with the affinities of its columns there. A compound compares its own rows by its own
/// collations nevertheless.
pub(super) fn as_value<'a>(resolver: &Resolver<'a>, query: &'a Query<'a>) -> &'a Query<'a> {
    if query.cores.len() == 1 && query.single_select().is_some() {
        return query;
    }
    let columns = query.columns.iter().enumerate().map(|(at, column)| {
        let Compared { affinity, .. } = query.compared(at);
        OutputColumn { affinity, ..*column }
    });
    let columns = resolver.arena.alloc_slice_fill_iter(columns);
    resolver.arena.alloc(Query { columns, ..*query })
}

/// LIMIT and OFFSET. No names are visible there.
pub(crate) fn resolve_limit<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    limit: &ast::Limit<'a>,
) -> Result<&'a Limit<'a>> {
    let found = Found::default();
    let nothing = Scope {
        with: scope.with,
        rules: Rules { aggregates: false, windows: false, ..scope.rules },
        fixed_db: scope.fixed_db,
        within: scope.within,
        ..Scope::outermost(scope.text, &found)
    };
    let offset = limit.offset.as_ref().map(|offset| resolve_expr(resolver, &nothing, offset)).transpose()?;
    Ok(resolver.arena.alloc(Limit { limit: resolve_expr(resolver, &nothing, &limit.limit)?, offset }))
}

/// A query that consists of one plain SELECT of these columns from these sources.
pub(crate) fn plain_query<'a>(
    resolver: &Resolver<'a>,
    part: SelectPart<'a>,
    number: &'a Cell<SelectNumber>,
) -> &'a Query<'a> {
    let core = Core { op: CompoundOp::UnionAll, body: part.body, number };
    resolver.arena.alloc(Query {
        cores: resolver.slice(&[core]),
        has_rows_apart: false,
        order_by: part.order_by,
        limit: None,
        columns: part.columns,
        outer: resolver.slice(&part.uses),
        was_correlated: false,
        order_origin: OrderOrigin::Own,
    })
}

/// A resolved core, with its columns and checks.
pub(super) struct CorePart<'a> {
    core: Core<'a>,
    columns: &'a [OutputColumn<'a>],
    order_by: &'a [OrderTerm<'a>],
    /// The authorizer checks of the queries in the core.
    checks: bumpalo::collections::Vec<'a, QueryCheck<'a>>,
    /// VALUES whose rows SQLite reads as a table.
    is_table: bool,
}

/// The authorizer checks of a query: of a compound, one for the whole and one for each core.
fn all_checks<'a>(
    own: QueryCheck<'a>,
    recursive: Option<QueryCheck<'a>>,
    parts: &[CorePart<'a>],
) -> Vec<QueryCheck<'a>> {
    let whole = (parts.len() > 1).then_some(own);
    let of_part = |part: &CorePart<'a>| std::iter::once(own).chain(part.checks.to_vec());
    whole.into_iter().chain(recursive).chain(parts.iter().flat_map(of_part)).collect()
}

/// Whether a compound that compares its rows is sorted by another collation. Rows that are equal by the compound's collation
/// might not be adjacent then.
fn sorts_otherwise(select: &ast::Select<'_>) -> bool {
    select.rest.iter().any(|term| term.op != CompoundOp::UnionAll)
        && select.order_by.iter().any(|term| matches!(term.expr.kind, ast::ExprKind::Collate(_)))
}

/// Adjacent cores must have the same number of columns.
fn check_widths<'a>(
    right: Option<&CorePart<'a>>,
    left: &CorePart<'a>,
    term: Option<&ast::CompoundTerm<'a>>,
) -> Result<()> {
    match (right, term) {
        (Some(right), Some(term)) if right.columns.len() != left.columns.len() => Err(different_widths(term.op)),
        _ => Ok(()),
    }
}

fn different_widths(op: CompoundOp) -> CompileError {
    let name = match op {
        CompoundOp::Union => "UNION",
        CompoundOp::UnionAll => "UNION ALL",
        CompoundOp::Except => "EXCEPT",
        CompoundOp::Intersect => "INTERSECT",
    };
    CompileError::new(format!("SELECTs to the left and right of {name} do not have the same number of result columns"))
}

/// A resolved SELECT or VALUES, before it becomes a core.
pub(crate) struct SelectPart<'a> {
    pub body: CoreBody<'a>,
    pub columns: &'a [OutputColumn<'a>],
    pub order_by: &'a [OrderTerm<'a>],
    /// Sources of enclosing queries that it uses.
    pub uses: Vec<SourceId>,
}

/// A subquery of RETURNING that reads the changed table itself, not by a view or another subquery, is run for each row,
/// like one that depends on the row; any other subquery is run once.
pub(super) fn as_returned<'a>(resolver: &Resolver<'a>, query: &'a Query<'a>) -> &'a Query<'a> {
    let Some((table, source)) = resolver.returning.get() else { return query };
    let is_changed = |kind: &SourceKind<'a>| matches!(kind, SourceKind::Table(_, read) if std::ptr::eq(*read, table));
    let reads = |core: &Core<'a>| match core.body {
        CoreBody::Select(select) => select.sources.iter().any(|source| is_changed(&source.kind)),
        CoreBody::Values(_) | CoreBody::UnionAll(_) => false,
    };
    if query.outer.contains(&source) || !query.cores.iter().any(reads) {
        return query;
    }
    let outer: Vec<SourceId> = query.outer.iter().copied().chain([source]).collect();
    resolver.arena.alloc(Query { outer: resolver.slice(&outer), ..*query })
}
