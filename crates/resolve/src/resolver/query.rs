//! Whole queries: WITH, compounds, VALUES, LIMIT.

use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::{self, CompoundOp, Name, SelectCore};
use lithe_value::Affinity;

use super::Resolver;
use super::asks::Ask;
use super::scope::{Found, Rules, Scope};
use super::select::SelectPart;
use super::with::{Recursion, WithScope};
use crate::ir::{
    Compared, Core, CoreBody, Expr, Indexed, JoinKind, Limit, OrderTerm, OutputColumn, Query, Select, Source, SourceId,
    SourceKind, affinity_of, data_types, has_table_of_rows,
};

impl<'a> Resolver<'a> {
    /// Resolves a query that stands in `scope`: its FROM clauses, nested queries and so on included.
    pub fn query(&self, scope: &Scope<'_, 'a>, select: &ast::Select<'a>) -> Result<&'a Query<'a>> {
        let resolved = self.nested(|| match select.with {
            None => self.query_body(scope, select, None),
            Some(with) => {
                let tables = WithScope::new(scope, with)?;
                let scope = Scope { with: Some(&tables), ..*scope };
                let query = self.query_body(&scope, select, None)?;
                self.names_of_unused(&scope, &tables);
                Ok(query)
            }
        });
        // Where common tables can be seen from outside, the query around this one knows them.
        if scope.with.is_some() { resolved } else { resolved.map_err(|error| self.or_of_sources(scope, select, error)) }
    }

    /// The query without its WITH. `recursion` tells when the start of a recursive common table is resolved.
    pub(super) fn query_body(
        &self,
        scope: &Scope<'_, 'a>,
        select: &ast::Select<'a>,
        recursion: Option<&Recursion<'_, 'a>>,
    ) -> Result<&'a Query<'a>> {
        let (place, own) = self.begin_query(scope.within)?;
        let limit = select.limit.map(|limit| self.limit(scope, limit)).transpose()?;
        let mut outer = Vec::new();
        let is_compound = !select.rest.is_empty();
        let parts = match recursion {
            Some(recursion) => self.recursive_cores(scope, select, recursion, &mut outer)?,
            None => self.cores(scope, select, &mut outer)?,
        };
        let asks = match self.is_asked() {
            true => asks_about(own, recursion.map(|_| Ask::recursive(scope.within)), &parts),
            false => Vec::new(),
        };
        let mut columns = parts[0].columns;
        let mut order_by = parts[0].order_by;
        let cores: &'a [Core<'a>] = self.arena.alloc_slice_fill_iter(parts.iter().map(|part| part.core));
        if is_compound {
            let mut merged = Merge::new(&parts[0]);
            let mut all = columns.to_vec();
            parts[1..].iter().for_each(|part| merged.add(part, &mut all));
            let last = parts[parts.len() - 1].columns;
            all.iter_mut().zip(last).for_each(|(column, last)| column.inner_origin = last.inner_origin);
            columns = self.slice(&merged.finish(&all));
            order_by = self.compound_order(scope, select, cores, columns)?;
        }
        self.end_query(place, &asks)?;
        if recursion.is_none() && sorts_otherwise(select) {
            // Rows are equal by the collations of the compound, and sorted by others.
            let compound = Query { cores, order_by: &[], limit: None, columns, outer: self.slice(&outer) };
            return Ok(self.all_of(compound, order_by, limit));
        }
        Ok(self.arena.alloc(Query { cores, order_by, limit, columns, outer: self.slice(&outer) }))
    }

    /// `SELECT * FROM (compound) ORDER BY ... LIMIT ...`.
    pub(super) fn all_of(
        &self,
        compound: Query<'a>,
        order_by: &[OrderTerm<'a>],
        limit: Option<&'a Limit<'a>>,
    ) -> &'a Query<'a> {
        let id = self.new_source();
        self.note_nested();
        let query: &'a Query<'a> = self.arena.alloc(compound);
        let derived = self.derived(query, query.columns, None, None);
        let exprs: Vec<Expr<'a>> =
            (0..query.columns.len()).map(|at| self.query_column(id, derived.columns, at)).collect();
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
            is_exists: false,
            indexed: Indexed::Any,
        };
        let body = CoreBody::Select(self.arena.alloc(Select {
            distinct: false,
            columns: self.slice(&exprs),
            sources: self.slice(&[source]),
            terms: &[],
            group_by: &[],
            having: None,
            aggregates: &[],
            is_aggregate: false,
            windows: &[],
        }));
        let core = Core { op: CompoundOp::UnionAll, body, span: query.cores[0].span };
        self.arena.alloc(Query {
            cores: self.slice(&[core]),
            order_by: self.slice(&order_by.collect::<Vec<_>>()),
            limit,
            columns: derived.columns,
            outer: query.outer,
        })
    }

    /// All cores, from the last to the first: which is the order in which SQLite finds their errors.
    fn cores(
        &self,
        scope: &Scope<'_, 'a>,
        select: &ast::Select<'a>,
        outer: &mut Vec<SourceId>,
    ) -> Result<ArenaVec<'a, CorePart<'a>>> {
        let mut parts = ArenaVec::with_capacity_in(select.rest.len() + 1, self.arena);
        for (at, term) in select.rest.iter().enumerate().rev() {
            let part = self.core(scope, term.op, &term.core, &[], None, outer)?;
            check_widths(parts.last(), &part, select.rest.get(at + 1))?;
            parts.push(part);
        }
        let own_order = if select.rest.is_empty() { select.order_by } else { &[] };
        let first = self.core(scope, CompoundOp::UnionAll, &select.first, own_order, None, outer)?;
        check_widths(parts.last(), &first, select.rest.first())?;
        parts.push(first);
        parts.reverse();
        Ok(parts)
    }

    /// The cores of a recursive common table: its start first, which tells the columns that the steps see.
    fn recursive_cores(
        &self,
        scope: &Scope<'_, 'a>,
        select: &ast::Select<'a>,
        recursion: &Recursion<'_, 'a>,
        outer: &mut Vec<SourceId>,
    ) -> Result<ArenaVec<'a, CorePart<'a>>> {
        let mut parts = ArenaVec::with_capacity_in(select.rest.len() + 1, self.arena);
        parts.push(self.core(scope, CompoundOp::UnionAll, &select.first, &[], None, outer)?);
        let mut columns = parts[0].columns.to_vec();
        let mut merged = Merge::new(&parts[0]);
        for (at, term) in select.rest.iter().enumerate() {
            let step = (at + 1 >= recursion.setup_cores).then_some(recursion);
            if at + 1 == recursion.setup_cores {
                recursion.begin(self, &merged.finish(&columns))?;
            }
            if let Some(recursion) = step {
                recursion.begin_term();
            }
            let part = self.core(scope, term.op, &term.core, &[], step, outer)?;
            check_widths(Some(&part), &parts[at], Some(term))?;
            merged.add(&part, &mut columns);
            parts.push(part);
        }
        Ok(parts)
    }

    /// One core; the sources of enclosing queries that it uses are added to `outer`.
    fn core(
        &self,
        scope: &Scope<'_, 'a>,
        op: CompoundOp,
        core: &SelectCore<'a>,
        order_by: &[ast::OrderTerm<'a>],
        recursion: Option<&Recursion<'_, 'a>>,
        outer: &mut Vec<SourceId>,
    ) -> Result<CorePart<'a>> {
        let mut asks = bumpalo::collections::Vec::new_in(self.arena);
        let part = self.asking(&mut asks, || match core {
            SelectCore::Query(query) => self.select(scope, query, order_by, recursion),
            SelectCore::Values(rows) => self.values(scope, rows, order_by),
        })?;
        let SelectPart { body, columns, order_by, uses, span } = part;
        uses.into_iter().for_each(|source| {
            if !outer.contains(&source) {
                outer.push(source);
            }
        });
        let mut part = CorePart { core: Core { op, body, span }, columns, order_by, asks };
        if let CoreBody::Values(rows) = part.core.body {
            let without_affinity = |column: &OutputColumn<'a>| OutputColumn { affinity: None, ..*column };
            part.columns = match has_table_of_rows(rows) {
                true => self.arena.alloc_slice_fill_iter(part.columns.iter().map(without_affinity)),
                false => self.slice(&Merge::new(&part).finish(part.columns)),
            };
        }
        Ok(part)
    }

    /// The query as the value of an expression, with columns that say how they compare there.
    pub(super) fn as_value(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        if query.cores.len() == 1 && query.single_select().is_some() {
            return query;
        }
        let columns = query.columns.iter().enumerate().map(|(at, column)| {
            let Compared { affinity, collation, .. } = query.compared(at);
            OutputColumn {
                affinity,
                collation: collation.unwrap_or_default(),
                has_collation: collation.is_some(),
                ..*column
            }
        });
        let columns = self.arena.alloc_slice_fill_iter(columns);
        self.arena.alloc(Query { columns, ..*query })
    }

    /// LIMIT and OFFSET see no names at all.
    fn limit(&self, scope: &Scope<'_, 'a>, limit: &ast::Limit<'a>) -> Result<&'a Limit<'a>> {
        let found = Found::default();
        let nothing = Scope {
            with: scope.with,
            rules: Rules { aggregates: false, windows: false, ..scope.rules },
            fixed_db: scope.fixed_db,
            within: scope.within,
            ..Scope::outermost(scope.text, &found)
        };
        let offset = limit.offset.as_ref().map(|offset| self.expr(&nothing, offset)).transpose()?;
        Ok(self.arena.alloc(Limit { limit: self.expr(&nothing, &limit.limit)?, offset }))
    }

    /// A query that consists of one plain SELECT of these columns from these sources.
    pub(super) fn plain_query(&self, part: SelectPart<'a>) -> &'a Query<'a> {
        let core = Core { op: CompoundOp::UnionAll, body: part.body, span: part.span };
        self.arena.alloc(Query {
            cores: self.slice(&[core]),
            order_by: part.order_by,
            limit: None,
            columns: part.columns,
            outer: self.slice(&part.uses),
        })
    }
}

/// A core with what its query needs from it.
struct CorePart<'a> {
    core: Core<'a>,
    columns: &'a [OutputColumn<'a>],
    order_by: &'a [OrderTerm<'a>],
    /// What the authorizer is asked about the queries in it.
    asks: bumpalo::collections::Vec<'a, Ask<'a>>,
}

/// What the authorizer is asked about a query: of a compound, about all of it, and about each of its cores.
fn asks_about<'a>(own: Ask<'a>, recursive: Option<Ask<'a>>, parts: &[CorePart<'a>]) -> Vec<Ask<'a>> {
    let whole = (parts.len() > 1).then_some(own);
    let of_part = |part: &CorePart<'a>| std::iter::once(own).chain(part.asks.to_vec());
    whole.into_iter().chain(recursive).chain(parts.iter().flat_map(of_part)).collect()
}

/// Finds the affinities of a compound query's columns: the first that a core has, unless values of another core are of a kind which
/// that affinity would change. What the first core makes with CAST is no more than a number.
struct Merge {
    columns: Vec<MergedColumn>,
}

/// What the cores of a compound query say about one of its columns.
#[derive(Clone, Copy, Default)]
struct MergedColumn {
    affinity: Option<Affinity>,
    /// Whether a core can give numbers.
    numeric: bool,
    /// Whether a core can give texts.
    text: bool,
    /// Whether the first core's expression is a CAST.
    is_cast: bool,
}

impl Merge {
    fn new(first: &CorePart<'_>) -> Merge {
        let mut merged = Merge { columns: vec![MergedColumn::default(); first.columns.len()] };
        let rows = rows_of(first);
        for (column, expr) in merged.columns.iter_mut().zip(rows.first().copied().unwrap_or_default()) {
            column.is_cast = matches!(expr, Expr::Cast(..));
        }
        if !has_table_of_rows(rows) {
            rows.iter().for_each(|row| merged.add_affinities(row.iter().map(affinity_of)));
        }
        merged.add_types(first);
        merged
    }

    fn add<'a>(&mut self, part: &CorePart<'a>, columns: &mut [OutputColumn<'a>]) {
        self.add_affinities(part.columns.iter().map(|column| column.affinity));
        self.add_types(part);
        for (column, other) in columns.iter_mut().zip(part.columns) {
            if !column.has_collation {
                (column.collation, column.has_collation) = (other.collation, other.has_collation);
            }
        }
    }

    fn add_affinities(&mut self, affinities: impl Iterator<Item = Option<Affinity>>) {
        for (merged, affinity) in self.columns.iter_mut().zip(affinities) {
            merged.affinity = merged.affinity.or(affinity);
        }
    }

    fn add_types(&mut self, part: &CorePart<'_>) {
        for row in rows_of(part) {
            for (expr, merged) in row.iter().zip(&mut self.columns) {
                let kinds = data_types(expr);
                merged.numeric |= kinds.numeric;
                merged.text |= kinds.text;
            }
        }
    }

    fn finish<'a>(&self, columns: &[OutputColumn<'a>]) -> Vec<OutputColumn<'a>> {
        let with_affinity = |(column, merged): (&OutputColumn<'a>, &MergedColumn)| {
            let affinity = match merged.affinity {
                Some(Affinity::Text) if merged.numeric => Some(Affinity::Blob),
                Some(affinity) if affinity.is_numeric() && merged.text => Some(Affinity::Blob),
                Some(affinity) if affinity.is_numeric() && merged.is_cast => Some(Affinity::FlexNum),
                affinity => affinity,
            };
            OutputColumn { affinity, ..*column }
        };
        columns.iter().zip(&self.columns).map(with_affinity).collect()
    }
}

/// The rows of expressions of a core: one of a SELECT, all of VALUES.
fn rows_of<'p, 'a>(part: &'p CorePart<'a>) -> &'p [&'a [Expr<'a>]] {
    match &part.core.body {
        CoreBody::Select(select) => std::slice::from_ref(&select.columns),
        CoreBody::Values(rows) => rows,
    }
}

/// Whether a compound in which rows are compared is sorted by COLLATE: by its own collations equal rows might not stand
/// together.
fn sorts_otherwise(select: &ast::Select<'_>) -> bool {
    select.rest.iter().any(|term| term.op != CompoundOp::UnionAll)
        && select.order_by.iter().any(|term| matches!(term.expr.kind, ast::ExprKind::Collate(_)))
}

/// Two cores beside each other must have as many columns.
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

/// The name of a window function in an expression.
pub(super) fn window_in<'a>(expr: &Expr<'a>) -> Option<&'a str> {
    let mut name = None;
    crate::ir::any(expr, &mut |expr| {
        if let Expr::Window(call) = expr {
            name = Some(call.function.name());
        }
        name.is_some()
    });
    name
}

/// Whether a list of expressions has an aggregate or window function in it.
pub(super) fn has_aggregate(exprs: &[Expr<'_>]) -> bool {
    let mut is_one = |expr: &Expr<'_>| matches!(expr, Expr::Aggregate(_) | Expr::Window(_));
    exprs.iter().any(|expr| crate::ir::any(expr, &mut is_one))
}
