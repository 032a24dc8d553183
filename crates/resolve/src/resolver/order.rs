//! ORDER BY and the numbers in GROUP BY.

use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{self, Direction, ExprKind, Name, Nulls, SelectCore, UnaryOp};

use super::Resolver;
use super::columns::ResultItem;
use super::scope::{Found, Rules, Scope};
use crate::ir::{Coll, Core, CoreBody, Expr, OrderTerm, Output, OutputColumn, collation_of, same};

impl<'a> Resolver<'a> {
    /// ORDER BY of a single SELECT. A term is, in this order: the alias of a result column, the number of one, or an
    /// expression, which may turn out to be the same as a result column.
    pub(super) fn order_by(
        &self,
        scope: &Scope<'_, 'a>,
        terms: &[ast::OrderTerm<'a>],
        items: &[ResultItem<'a>],
    ) -> Result<&'a [OrderTerm<'a>]> {
        self.check_term_count("ORDER", terms.len())?;
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(terms.len(), self.arena);
        for (at, term) in terms.iter().enumerate() {
            let named =
                bare_name(&term.expr).and_then(|name| items.iter().position(|item| item.is_alias && item.name == name));
            let output = match named {
                Some(position) => Some(position),
                None => self.position_of_term(&term.expr, at, "ORDER", items.len())?,
            };
            let (expr, output) = match output {
                Some(position) => (self.collated_like(&term.expr, items[position].expr), Some(position)),
                None => {
                    let expr = self.expr(scope, &term.expr)?;
                    let bare = crate::ir::skip_collate(expr);
                    (expr, items.iter().position(|item| same(&item.expr, &bare)))
                }
            };
            let sorted = order_term(term, expr, output);
            // An unknown collation is an error even where nothing is left to be sorted.
            self.env.collation(sorted.collation)?;
            resolved.push(sorted);
        }
        Ok(resolved.into_bump_slice())
    }

    /// SQLITE_LIMIT_COLUMN bounds the terms of a clause, too.
    pub(super) fn check_term_count(&self, clause: &str, count: usize) -> Result<()> {
        if count <= self.env.limits.columns as usize {
            return Ok(());
        }
        fail(format!("too many terms in {clause} BY clause"))
    }

    /// `expr` under the COLLATE operators of `written`.
    fn collated_like(&self, written: &ast::Expr<'a>, expr: Expr<'a>) -> Expr<'a> {
        match written.kind {
            ExprKind::Collate(collate) => {
                let inner = self.collated_like(&collate.value, expr);
                self.collated(inner, Coll::named(collate.collation.name))
            }
            _ => expr,
        }
    }

    /// ORDER BY of a compound query: every term has to be a result column, by number, by the alias it has in
    /// one of the cores, or by being the same expression as in one of them.
    pub(super) fn compound_order(
        &self,
        scope: &Scope<'_, 'a>,
        select: &ast::Select<'a>,
        cores: &[Core<'a>],
        columns: &[OutputColumn<'a>],
    ) -> Result<&'a [OrderTerm<'a>]> {
        self.check_term_count("ORDER", select.order_by.len())?;
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(select.order_by.len(), self.arena);
        for (at, term) in select.order_by.iter().enumerate() {
            let place = |error: CompileError| error.with_offset(Some(literal(&term.expr).span.start));
            let output = match self.position(&term.expr, at, "ORDER", columns.len()).map_err(place)? {
                Some(position) => position,
                None => match self.compound_column(scope, select, cores, term) {
                    Some(position) => position,
                    None => {
                        let message =
                            format!("{} ORDER BY term does not match any column in the result set", ordinal(at));
                        return fail(message);
                    }
                },
            };
            let OutputColumn { affinity, collation, .. } = columns[output];
            let output_expr = Expr::Output(self.arena.alloc(Output { position: output as u16, affinity, collation }));
            let expr = self.collated_like(&term.expr, output_expr);
            resolved.push(order_term(term, expr, Some(output)));
        }
        Ok(resolved.into_bump_slice())
    }

    /// The result column that a term of a compound's ORDER BY means: the leftmost core that knows it decides.
    fn compound_column(
        &self,
        scope: &Scope<'_, 'a>,
        select: &ast::Select<'a>,
        cores: &[Core<'a>],
        term: &ast::OrderTerm<'a>,
    ) -> Option<usize> {
        let written = std::iter::once(&select.first).chain(select.rest.iter().map(|term| &term.core));
        let name = bare_name(&term.expr);
        written.zip(cores).find_map(|(written, core)| {
            let by_alias = name.and_then(|name| self.alias_in_core(scope, written, name));
            by_alias.or_else(|| self.same_in_core(scope, written, core, term))
        })
    }

    /// The column of a core that has the alias `name`.
    fn alias_in_core(&self, scope: &Scope<'_, 'a>, core: &SelectCore<'a>, name: Name<'a>) -> Option<usize> {
        let query = match core {
            SelectCore::Query(query) => query,
            SelectCore::Values(rows) => {
                let row = rows.first()?;
                return (0..row.len()).find(|at| name.is(&format!("column{}", at + 1)));
            }
        };
        let is_plain = |column: &ast::ResultColumn<'a>| matches!(column.kind, ast::ResultColumnKind::Expr(_));
        if query.columns.iter().all(is_plain) {
            return query.columns.iter().position(|column| column.alias.is_some_and(|alias| alias.name == name));
        }
        // With a star among them, positions are known only once it is expanded.
        let items = self.again(scope, query, |resolver, scope| resolver.result_columns(scope, query.columns)).ok()?;
        items.iter().position(|item| item.is_alias && item.name == name)
    }

    /// The column of a core that is the same expression as the term would be there.
    fn same_in_core(
        &self,
        scope: &Scope<'_, 'a>,
        written: &SelectCore<'a>,
        core: &Core<'a>,
        term: &ast::OrderTerm<'a>,
    ) -> Option<usize> {
        let (SelectCore::Query(query), CoreBody::Select(select)) = (written, core.body) else { return None };
        // The core is resolved anew, its sources numbered as they are in the tree, so that the expressions compare.
        let expr = self.again(scope, query, |resolver, scope| {
            let mut sources = scope.sources.to_vec();
            for (source, known) in sources.iter_mut().zip(select.sources) {
                source.id = known.id;
            }
            resolver.expr(&Scope { sources: &sources, ..*scope }, &term.expr)
        });
        let expr = crate::ir::skip_collate(expr.ok()?);
        select.columns.iter().position(|column| same(column, &expr))
    }

    /// Runs `f` in the scope of a core that has been resolved before.
    fn again<T>(
        &self,
        outer: &Scope<'_, 'a>,
        query: &ast::Query<'a>,
        f: impl FnOnce(&Resolver<'a>, &Scope<'_, 'a>) -> Result<T>,
    ) -> Result<T> {
        let found = Found::default();
        let from = self.from(outer, query.from, &found, None)?;
        let rules = Rules { aggregates: true, windows: true, ..outer.clause_rules() };
        let scope = Scope {
            parent: Some(outer),
            sources: &from.scope,
            aliases: &[],
            rules,
            found: &found,
            windows: query.windows,
            ..*outer
        };
        f(self, &scope)
    }

    /// The result column that a term of a single SELECT names by number. In a text that ALTER TABLE verifies, and in no view that the text uses,
    /// a number beyond the result columns is an expression like any other.
    pub(super) fn position_of_term(
        &self,
        expr: &ast::Expr<'_>,
        at: usize,
        clause: &str,
        columns: usize,
    ) -> Result<Option<usize>> {
        let is_verified = self.only_names && self.nested_views.get() == 0;
        let is_beyond = |number: i64| number > columns as i64 && number <= NUMBER_MAX;
        if is_verified && self.integer(expr).is_some_and(is_beyond) {
            return Ok(None);
        }
        self.position(expr, at, clause, columns)
    }

    /// The result column that a term names by number. A number that no column has is an error.
    fn position(&self, expr: &ast::Expr<'_>, at: usize, clause: &str, columns: usize) -> Result<Option<usize>> {
        let Some(number) = self.integer(expr) else { return Ok(None) };
        match usize::try_from(number) {
            Ok(number) if (1..=columns).contains(&number) => Ok(Some(number - 1)),
            _ => {
                let message =
                    format!("{} {clause} BY term out of range - should be between 1 and {columns}", ordinal(at));
                // SQLite knows the place of a number that could be no column's, not of one that is too large here.
                let is_placed = !(1..=NUMBER_MAX).contains(&number);
                Err(if is_placed { CompileError::at(literal(expr).span, message) } else { CompileError::new(message) })
            }
        }
    }

    /// An integer of 31 bits that is written as a literal, perhaps with a COLLATE around its signs. Another one is an expression like any
    /// other, a negative hexadecimal one, too.
    fn integer(&self, expr: &ast::Expr<'_>) -> Option<i64> {
        match expr.kind {
            ExprKind::Collate(collate) => self.integer(&collate.value),
            _ => self.signed_integer(expr),
        }
    }

    fn signed_integer(&self, expr: &ast::Expr<'_>) -> Option<i64> {
        match expr.kind {
            ExprKind::Unary(UnaryOp::Minus, operand) => self.signed_integer(operand).map(|value| -value),
            ExprKind::Unary(UnaryOp::Plus, operand) => self.signed_integer(operand),
            ExprKind::Integer(value) => (0..=i64::from(i32::MAX)).contains(&value).then_some(value),
            // Text that is about to be changed by ALTER TABLE is not simplified.
            _ if self.only_names => None,
            _ => expr.parsed_integer(),
        }
    }
}

/// A larger number is no result column's, however many there are.
const NUMBER_MAX: i64 = 0xffff;

/// A term with its direction.
pub(super) fn order_term<'a>(term: &ast::OrderTerm<'a>, expr: Expr<'a>, output: Option<usize>) -> OrderTerm<'a> {
    let descending = term.direction == Some(Direction::Desc);
    let nulls_opposite = match term.nulls {
        None => false,
        Some(Nulls::First) => descending,
        Some(Nulls::Last) => !descending,
    };
    OrderTerm { descending, nulls_opposite, output: output.map(|at| at as u16), ..term_of(expr) }
}

/// A term in ascending order.
pub(super) fn term_of<'a>(expr: Expr<'a>) -> OrderTerm<'a> {
    let collation = collation_of(&expr).unwrap_or_default();
    OrderTerm { expr, collation, descending: false, nulls_opposite: false, output: None }
}

/// What is written below signs and COLLATE.
fn literal<'e, 'a>(expr: &'e ast::Expr<'a>) -> &'e ast::Expr<'a> {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => literal(operand),
        ExprKind::Collate(collate) => literal(&collate.value),
        _ => expr,
    }
}

/// A term that is nothing but a name.
fn bare_name<'a>(expr: &ast::Expr<'a>) -> Option<Name<'a>> {
    match expr.kind {
        ExprKind::Column(name) => Some(name.name),
        ExprKind::Collate(collate) => bare_name(&collate.value),
        _ => None,
    }
}

/// 1st, 2nd, 3rd, 4th ... for position 0, 1, 2, 3 ...
pub(super) fn ordinal(at: usize) -> String {
    let number = at + 1;
    let suffix = match (number % 10, number / 10 % 10) {
        (1, tens) if tens != 1 => "st",
        (2, tens) if tens != 1 => "nd",
        (3, tens) if tens != 1 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}
