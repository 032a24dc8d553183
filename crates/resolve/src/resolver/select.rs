//! One SELECT, from FROM to ORDER BY; VALUES.

use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{self, CompoundOp, Span};

use super::columns::{ResultItem, aliases_of};
use super::from::FromPart;
use super::function::misuse_of_aggregate;
use super::join::JoinTerms;
use super::query::{has_aggregate, window_in};
use super::scope::{Found, Rules, Scope};
use super::with::Recursion;
use super::{Resolver, order};
use crate::ir::{
    Aggregate, AggregateId, Child, Core, CoreBody, Expr, OrderTerm, OutputColumn, Query, Select, Source, SourceId,
    Term, TermOrigin, for_each_child, for_each_in_query, sources_of,
};

/// A SELECT or VALUES with what the query around it needs.
pub(super) struct SelectPart<'a> {
    pub body: CoreBody<'a>,
    pub columns: &'a [OutputColumn<'a>],
    pub order_by: &'a [OrderTerm<'a>],
    /// Sources of enclosing queries that it uses.
    pub uses: Vec<SourceId>,
    pub span: Span,
}

impl<'a> Resolver<'a> {
    /// Resolves a SELECT in the order that decides which of several errors is reported: FROM, result columns, and only
    /// then the clauses that may use the results' aliases.
    pub(super) fn select(
        &self,
        outer: &Scope<'_, 'a>,
        query: &ast::Query<'a>,
        order_by: &[ast::OrderTerm<'a>],
        recursion: Option<&Recursion<'_, 'a>>,
    ) -> Result<SelectPart<'a>> {
        let found = Found::default();
        let from = self.from(outer, query.from, &found, recursion)?;
        let scope = Scope {
            parent: Some(outer),
            sources: &from.scope,
            aliases: &[],
            rules: Rules { aggregates: true, windows: true, ..outer.clause_rules() },
            found: &found,
            windows: query.windows,
            ..*outer
        };
        let items = self.result_columns(&scope, query.columns)?;
        let is_aggregate = !query.group_by.is_empty() || !found.aggregates.borrow().is_empty();
        if recursion.is_some() {
            check_recursive(is_aggregate, &found)?;
        }
        if query.having.is_some() && !is_aggregate {
            return fail("HAVING clause on a non-aggregate query");
        }
        let aliases = aliases_of(&items);
        let rules = Rules { aggregates_elsewhere: is_aggregate, ..outer.clause_rules() };
        let conditions = scope.with_rules(rules).with_aliases(&aliases);
        let after = Rules { aggregates: is_aggregate, aggregates_elsewhere: true, ..rules };
        let having_scope = conditions.with_rules(after);
        let having = || query.having.as_ref().map(|having| self.expr(&having_scope, having)).transpose();
        // What is wrong in HAVING comes before what is wrong in WHERE and GROUP BY.
        let or_in_having = |error: CompileError| having().err().unwrap_or(error);
        let terms = self.terms(&conditions, &from, query.filter.as_ref()).map_err(or_in_having)?;
        let group_scope = conditions.with_rules(Rules { aggregates: true, ..after });
        let order_scope = conditions.with_rules(Rules { windows: true, ..after });
        let order = || self.order_by(&order_scope, order_by, &items);
        // What is wrong in HAVING and in ORDER BY comes before what is wrong in GROUP BY.
        let group_by = self
            .group_by(&group_scope, query.group_by, &items)
            .map_err(|error| having().err().or_else(|| order().err()).unwrap_or(error))?;
        let having = having()?;
        let order_by = order()?;
        if self.only_names {
            self.names_of_windows(&order_scope, query.windows)?;
        }
        self.may_use_tables(&scope, scope.sources)?;
        let columns = self.arena.alloc_slice_fill_iter(items.iter().map(ResultItem::output));
        let exprs = self.arena.alloc_slice_fill_iter(items.iter().map(|item| item.expr));
        let body = CoreBody::Select(self.arena.alloc(Select {
            distinct: query.distinct,
            columns: exprs,
            sources: self.slice(&from.sources),
            terms,
            group_by,
            having,
            aggregates: self.slice(&found.aggregates.borrow()),
            is_aggregate,
            windows: self.slice(&found.windows.borrow()),
        }));
        Ok(SelectPart { body, columns, order_by, uses: found.outer.take(), span: query.span })
    }

    /// VALUES. A single row is a SELECT without FROM, and may have aggregates in it. Several rows with window functions are a
    /// UNION ALL of such SELECTs.
    pub(super) fn values(
        &self,
        outer: &Scope<'_, 'a>,
        rows: &[&[ast::Expr<'a>]],
        order_by: &[ast::OrderTerm<'a>],
    ) -> Result<SelectPart<'a>> {
        let found = Found::default();
        let (aggregates, aggregates_elsewhere) = (rows.len() == 1, rows.len() > 1);
        let rules = Rules { aggregates, aggregates_elsewhere, windows: true, ..outer.clause_rules() };
        let scope =
            Scope { parent: Some(outer), sources: &[], aliases: &[], rules, found: &found, windows: &[], ..*outer };
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(rows.len(), self.arena);
        for (at, row) in rows.iter().enumerate() {
            // The last row that is wrong is the one that is reported.
            let row = self.each_expr(&scope, row).or_else(|error| {
                rows[at + 1..].iter().rev().try_for_each(|later| self.each_expr(&scope, later).map(|_| ()))?;
                Err(error)
            })?;
            resolved.push(row);
        }
        let resolved = resolved.into_bump_slice();
        let items = self.value_columns(resolved);
        if items.len() > self.env.limits.columns as usize {
            return fail("too many columns in result set");
        }
        let aliases = aliases_of(&items);
        let order_by = self.order_by(&scope.with_aliases(&aliases), order_by, &items)?;
        let is_aggregate = !found.aggregates.borrow().is_empty();
        let body = if let [row] = resolved {
            CoreBody::Select(self.arena.alloc(Select {
                distinct: false,
                columns: row,
                sources: &[],
                terms: &[],
                group_by: &[],
                having: None,
                aggregates: self.slice(&found.aggregates.borrow()),
                is_aggregate,
                windows: self.slice(&found.windows.borrow()),
            }))
        } else if resolved.iter().any(|row| has_aggregate(row)) {
            return self.values_apart(outer, rows);
        } else {
            CoreBody::Values(resolved)
        };
        let span = rows.first().and_then(|row| row.first()).map_or(Span::default(), |expr| expr.span);
        let columns = self.arena.alloc_slice_fill_iter(items.iter().map(ResultItem::output));
        Ok(SelectPart { body, columns, order_by, uses: found.outer.take(), span })
    }

    /// VALUES as a SELECT from a UNION ALL of its rows.
    fn values_apart(&self, outer: &Scope<'_, 'a>, rows: &[&[ast::Expr<'a>]]) -> Result<SelectPart<'a>> {
        let parts = rows.iter().map(|&row| self.values(outer, &[row], &[])).collect::<Result<Vec<_>>>()?;
        let cores = parts.iter().map(|part| Core { op: CompoundOp::UnionAll, body: part.body, span: part.span });
        let cores: Vec<Core<'a>> = cores.collect();
        let (uses, columns) = (outer_sources(&parts), parts[0].columns);
        let outer = self.slice(&uses);
        let query = Query { cores: self.slice(&cores), order_by: &[], limit: None, columns, outer };
        let query = self.all_of(query, &[], None);
        let body = query.cores[0].body;
        Ok(SelectPart { body, columns: query.columns, order_by: &[], uses, span: query.cores[0].span })
    }

    /// The conjuncts of WHERE, ON and USING.
    pub(super) fn terms(
        &self,
        scope: &Scope<'_, 'a>,
        from: &FromPart<'a>,
        filter: Option<&ast::Expr<'a>>,
    ) -> Result<&'a [Term<'a>]> {
        let terms = self.join_terms(scope, from).or_else(|error| {
            // What is wrong in WHERE comes before what is wrong in ON.
            filter.map(|filter| self.expr(scope, filter)).transpose()?;
            Err(error)
        })?;
        self.add_filter(scope, &from.sources, filter, terms)
    }

    /// The conjuncts of WHERE, of ON and USING, and what the arguments of functions demand. That is the order in which they are
    /// evaluated where a row has all that they need; and it decides between plans that cost the same.
    pub(super) fn add_filter(
        &self,
        scope: &Scope<'_, 'a>,
        sources: &[Source<'a>],
        filter: Option<&ast::Expr<'a>>,
        joined: JoinTerms<'a>,
    ) -> Result<&'a [Term<'a>]> {
        for term in joined.terms.iter().chain(&joined.arguments) {
            check_on_reach(sources, term)?;
        }
        let mut terms =
            bumpalo::collections::Vec::with_capacity_in(joined.terms.len() + joined.arguments.len() + 4, self.arena);
        if let Some(filter) = filter {
            split_and(self.expr(scope, filter)?, TermOrigin::Where, &mut terms);
        }
        terms.extend(joined.terms);
        terms.extend(joined.arguments);
        Ok(terms.into_bump_slice())
    }

    /// GROUP BY; aggregates are let in only to be told that they may not be there, once all terms have a meaning.
    fn group_by(
        &self,
        scope: &Scope<'_, 'a>,
        terms: &[ast::Expr<'a>],
        items: &[ResultItem<'a>],
    ) -> Result<&'a [OrderTerm<'a>]> {
        self.check_term_count("GROUP", terms.len())?;
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(terms.len(), self.arena);
        for (at, term) in terms.iter().enumerate() {
            let position = self.position_of_term(term, at, "GROUP", items.len())?;
            let expr = match position.filter(|_| !self.only_names) {
                Some(position) => items[position].expr,
                None => self.expr(scope, term)?,
            };
            resolved.push(OrderTerm { output: position.map(|at| at as u16), ..order::term_of(expr) });
        }
        if let Some(name) = resolved.iter().find_map(|term| window_in(&term.expr)) {
            return fail(format!("misuse of window function {name}()"));
        }
        self.refuse_aggregates_in_groups(scope, terms, &resolved)?;
        Ok(resolved.into_bump_slice())
    }

    /// An aggregate that is written in GROUP BY, or is all of what an alias or a number names, may not be there; one that an alias brings into
    /// an expression is misused.
    fn refuse_aggregates_in_groups(
        &self,
        scope: &Scope<'_, 'a>,
        terms: &[ast::Expr<'a>],
        resolved: &[OrderTerm<'a>],
    ) -> Result<()> {
        let known: Vec<&'a Aggregate<'a>> = scope.found.aggregates.borrow().clone();
        let mut misused = None;
        for (written, term) in terms.iter().zip(resolved) {
            let Some(aggregate) = first_used(&known, &term.expr) else { continue };
            let is_whole = term.output.is_some() || matches!(written.kind, ast::ExprKind::Column(_));
            let is_written = || self.expr(&scope.with_aliases(&[]), written).is_ok();
            if is_whole || is_written() {
                return fail("aggregate functions are not allowed in the GROUP BY clause");
            }
            misused = misused.or(Some(aggregate));
        }
        misused.map_or(Ok(()), |aggregate| Err(misuse_of_aggregate(aggregate)))
    }
}

/// The first of the aggregates that the expression uses, in the queries within it, too.
fn first_used<'a>(known: &[&'a Aggregate<'a>], expr: &Expr<'a>) -> Option<&'a Aggregate<'a>> {
    fn uses(child: Child<'_, '_>, id: AggregateId) -> bool {
        let mut found = false;
        match child {
            Child::Expr(Expr::Aggregate(aggregate)) if aggregate.id == id => return true,
            Child::Expr(expr) => for_each_child(expr, &mut |child| found = found || uses(child, id)),
            Child::Query(query) => for_each_in_query(query, &mut |child| found = found || uses(child, id)),
        }
        found
    }
    known.iter().copied().find(|aggregate| uses(Child::Expr(expr), aggregate.id))
}

/// The sources of enclosing queries that any of the parts uses.
fn outer_sources(parts: &[SelectPart<'_>]) -> Vec<SourceId> {
    let mut uses: Vec<SourceId> = Vec::new();
    for &source in parts.iter().flat_map(|part| &part.uses) {
        if !uses.contains(&source) {
            uses.push(source);
        }
    }
    uses
}

/// Splits a condition into its conjuncts.
pub fn split_and<'a>(expr: Expr<'a>, origin: TermOrigin, terms: &mut bumpalo::collections::Vec<'a, Term<'a>>) {
    match expr {
        Expr::And(left, right) => {
            split_and(*left, origin, terms);
            split_and(*right, origin, terms);
        }
        expr => terms.push(Term { expr, origin }),
    }
}

/// An ON clause that decides about matches of an outer join must not look further right than its own source. That of
/// an inner join may, unless a RIGHT or FULL JOIN makes it matter.
fn check_on_reach<'a>(sources: &[Source<'a>], term: &Term<'a>) -> Result<()> {
    let has_right = || sources.iter().any(|source| source.join.keeps_right_rows());
    let of = match term.origin {
        TermOrigin::OuterOn(of) => of,
        TermOrigin::InnerOn(of) if has_right() => of,
        TermOrigin::InnerOn(_) | TermOrigin::Where => return Ok(()),
    };
    let own = sources.iter().position(|source| source.id == of).expect("ON belongs to a source of its FROM");
    if sources_of(sources, &term.expr).iter().any(|position| position > own) {
        return fail("ON clause references tables to its right");
    }
    Ok(())
}

fn check_recursive(is_aggregate: bool, found: &Found<'_>) -> Result<()> {
    if is_aggregate {
        return fail("recursive aggregate queries not supported");
    }
    if !found.windows.borrow().is_empty() {
        return fail("cannot use window functions in recursive queries");
    }
    Ok(())
}
