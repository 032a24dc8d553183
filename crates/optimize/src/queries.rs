//! Queries in expressions, planned in the order in which the expressions are evaluated.

use std::cell::Cell;

use lithe_base::Db;
use lithe_catalog::{Index, IndexTerm, Result, Table, TableKind};
use lithe_resolve::ir::{
    Child, Coll, Column, Compare, CompareOp, CompareRows, Core, CoreBody, Expr, How, In, InSet, Limit, Query, Select,
    SourceKind, for_each_child, known_truth, same,
};
use lithe_value::Affinity;

use crate::plan::{ExprQueries, ExprQuery, ExprQueryWay, RowsFor};
use crate::planner::Planner;
use crate::rewrite::used_aggregates;

impl<'a> Planner<'a> {
    /// Plans the queries in expressions that are evaluated one after the other. The values of `known` are computed
    /// already.
    pub fn plan_exprs<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Expr<'a>>,
        known: &[Expr<'a>],
    ) -> Result<ExprQueries<'a>>
    where
        'a: 'e,
    {
        self.walk_exprs(known, |walk| exprs.into_iter().try_for_each(|expr| walk.expr(expr)))
    }

    /// Plans the queries that `visit` comes to.
    pub(crate) fn walk_exprs(
        &mut self,
        known: &[Expr<'a>],
        visit: impl FnOnce(&mut ExprWalk<'_, 'a>) -> Result<()>,
    ) -> Result<ExprQueries<'a>> {
        self.walk_exprs_behind(&mut Vec::new(), known, visit)
    }

    /// The same, where the rows of the subqueries in `rows` are known already; those that become known are added.
    pub(crate) fn walk_exprs_behind(
        &mut self,
        rows: &mut Vec<&'a Query<'a>>,
        known: &[Expr<'a>],
        visit: impl FnOnce(&mut ExprWalk<'_, 'a>) -> Result<()>,
    ) -> Result<ExprQueries<'a>> {
        if !self.context.resolver.has_subqueries() {
            return Ok(&[]);
        }
        let found = bumpalo::collections::Vec::new_in(self.context.arena);
        let mut walk = ExprWalk { planner: self, known, found, rows };
        visit(&mut walk)?;
        Ok(walk.found.into_bump_slice())
    }
}

/// Goes through expressions as their evaluation does.
pub(crate) struct ExprWalk<'w, 'a> {
    planner: &'w mut Planner<'a>,
    /// Expressions whose values are computed already.
    known: &'w [Expr<'a>],
    found: bumpalo::collections::Vec<'a, ExprQuery<'a>>,
    /// Subqueries of which a column has been visited: their row is known from then on.
    pub(crate) rows: &'w mut Vec<&'a Query<'a>>,
}

impl<'a> ExprWalk<'_, 'a> {
    /// An expression that is evaluated.
    pub fn expr(&mut self, expr: &Expr<'a>) -> Result<()> {
        if self.known.iter().any(|known| same(known, expr)) {
            return Ok(());
        }
        match expr {
            // Their values are computed elsewhere.
            Expr::Aggregate(_) | Expr::Window(_) | Expr::Computed(..) => Ok(()),
            // The operands are not computed.
            Expr::And(..) | Expr::Or(..) if known_truth(expr).is_some() => Ok(()),
            Expr::In(set) => self.set(set),
            Expr::CompareRows(compare) => self.rows(compare),
            Expr::SubqueryColumn(subquery, _) if self.rows.iter().any(|row| std::ptr::eq(*row, subquery.query)) => {
                Ok(())
            }
            Expr::Subquery(subquery) | Expr::SubqueryColumn(subquery, _) => {
                if matches!(expr, Expr::SubqueryColumn(..)) {
                    self.rows.push(subquery.query);
                }
                let plan = self.planner.plan_query(subquery.query, RowsFor::FirstRow)?;
                self.push(subquery.query, ExprQueryWay::Row(plan));
                Ok(())
            }
            Expr::Exists(subquery) => {
                let plan = self.planner.plan_query(self.first_row_of(subquery.query), RowsFor::Exists)?;
                self.push(subquery.query, ExprQueryWay::Row(plan));
                Ok(())
            }
            _ => {
                let mut result = Ok(());
                for_each_child(expr, &mut |child| {
                    if let (Child::Expr(operand), Ok(())) = (child, &result) {
                        result = self.expr(operand);
                    }
                });
                result
            }
        }
    }

    /// The set of an IN whose members are keys of a search: of a table's or an index's tree.
    pub fn keys_of_tree(&mut self, set: &In<'a>) -> Result<()> {
        let keeps_integers = |how: &How<'_>| matches!(how.affinity, None | Some(Affinity::Integer | Affinity::Numeric));
        match (set.set, existing_set(set)) {
            (InSet::Query(query), Some(ExprQueryWay::Rowids(db, table))) if set.how.iter().all(keeps_integers) => {
                self.push(query, ExprQueryWay::RowidKeys(db, table));
                Ok(())
            }
            _ => self.keys(set),
        }
    }

    /// The set of an IN whose members are keys.
    pub fn keys(&mut self, set: &In<'a>) -> Result<()> {
        match set.set {
            InSet::List(items) => items.iter().try_for_each(|item| self.expr(item)),
            InSet::Query(query) => {
                let rows = match set.value {
                    Expr::Row(_) => self.copy_of(query),
                    _ => query,
                };
                let plan = self.planner.plan_query(rows, RowsFor::Set { shows_filter: false })?;
                self.push(query, ExprQueryWay::Keys(plan));
                Ok(())
            }
        }
    }

    /// A copy of the query with its own number: SQLite copies the query of a row value's IN to select the columns that are
    /// keys.
    fn copy_of(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let context = &self.planner.context;
        let number = &*context.arena.alloc(Cell::new(context.resolver.new_select()));
        let cores = context.arena.alloc_slice_fill_iter(query.cores.iter().map(|core| Core { number, ..*core }));
        context.arena.alloc(Query { cores, ..*query })
    }

    fn push(&mut self, query: &'a Query<'a>, way: ExprQueryWay<'a>) {
        let query = ExprQuery { query, way };
        self.planner.keep_expr_query(query);
        self.found.push(query);
    }

    /// The query of an EXISTS, which needs one row: ORDER BY and DISTINCT have no effect, and a LIMIT matters only if it is zero. (SQLite
    /// drops DISTINCT with an OFFSET, too.)
    fn first_row_of(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let arena = self.planner.context.arena;
        // Windows of ORDER BY are kept, with the aggregates that they use.
        let aggregates = |select: &'a Select<'a>| match select.windows {
            [] => used_aggregates(arena, select, &[]),
            _ => select.aggregates,
        };
        let says_more = |core: &Core<'a>| match core.body {
            CoreBody::Select(select) => select.distinct || aggregates(select).len() < select.aggregates.len(),
            CoreBody::Values(_) | CoreBody::UnionAll(_) => false,
        };
        if query.order_by.is_empty() && query.limit.is_none() && !query.cores.iter().any(says_more) {
            return query;
        }
        let limit = query.limit.map(|limit| {
            let is_any = match limit.limit {
                Expr::Integer(_) => limit.limit,
                left => {
                    let how = How { affinity: Some(Affinity::Numeric), collation: Coll::default() };
                    let right = Expr::Integer(0);
                    Expr::Compare(arena.alloc(Compare { op: CompareOp::Ne, left, right, how, replaced: None }))
                }
            };
            &*arena.alloc(Limit { limit: is_any, ..*limit })
        });
        let cores = arena.alloc_slice_fill_iter(query.cores.iter().map(|core| match core.body {
            CoreBody::Select(select) => {
                let aggregates = aggregates(select);
                Core { body: CoreBody::Select(arena.alloc(Select { distinct: false, aggregates, ..*select })), ..*core }
            }
            _ => *core,
        }));
        arena.alloc(Query { cores, order_by: &[], limit, ..*query })
    }

    /// A set that is a query is computed before the value that is looked up in it.
    fn set(&mut self, set: &In<'a>) -> Result<()> {
        let query = match set.set {
            InSet::List([]) => return Ok(()),
            InSet::List(items) => {
                self.expr(&set.value)?;
                return items.iter().try_for_each(|item| self.expr(item));
            }
            InSet::Query(query) => query,
        };
        let way = match existing_set(set) {
            Some(way) => way,
            None => {
                let shows_filter = !query.is_correlated();
                ExprQueryWay::Set(self.planner.plan_query(query, RowsFor::Set { shows_filter })?)
            }
        };
        self.push(query, way);
        self.expr(&set.value)
    }

    /// A comparison of rows by order evaluates both sides column by column; a query gives all its columns at once.
    fn rows(&mut self, compare: &CompareRows<'a>) -> Result<()> {
        let is_order = matches!(compare.op, CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge);
        let sides = [&compare.left, &compare.right];
        if !is_order {
            return sides.into_iter().try_for_each(|side| self.expr(side));
        }
        let is_list = |side: &&&Expr<'a>| matches!(side, Expr::Row(_));
        sides.iter().filter(|side| !is_list(side)).try_for_each(|side| self.expr(side))?;
        for at in 0..compare.how.len() {
            for side in sides {
                if let Expr::Row(items) = side {
                    self.expr(&items[at])?;
                }
            }
        }
        Ok(())
    }
}

/// The tree that holds the members of the set already, if there is one: `x IN (SELECT column FROM table)` needs no set if the table or one
/// of its indexes has the column as its key.
fn existing_set<'a>(set: &In<'a>) -> Option<ExprQueryWay<'a>> {
    let (db, table, columns) = plain_columns(set)?;
    if let [column] = columns[..]
        && column.index.is_rowid()
    {
        return Some(ExprQueryWay::Rowids(db, table));
    }
    let index = table.indexes.iter().find(|index| serves(index, &columns, set.how))?;
    Some(ExprQueryWay::Index(db, table, index))
}

/// The columns that the query selects, if it selects nothing but columns of all rows of one table.
fn plain_columns<'a>(set: &In<'a>) -> Option<(Db, &'a Table, Vec<&'a Column<'a>>)> {
    let InSet::Query(query) = set.set else { return None };
    let select = query.single_select()?;
    let [source] = select.sources else { return None };
    let SourceKind::Table(db, table) = source.kind else { return None };
    let is_plain = query.limit.is_none()
        && select.terms.is_empty()
        && !select.is_aggregate
        && !select.distinct
        && select.windows.is_empty()
        && matches!(table.kind, TableKind::Ordinary | TableKind::WithoutRowid);
    let column = |expr: &Expr<'a>| match expr {
        Expr::Column(column) if column.source == source.id => Some(*column),
        _ => None,
    };
    let columns = select.columns.iter().map(column).collect::<Option<Vec<_>>>()?;
    is_plain.then_some((db, table, columns))
}

/// Whether the index begins with these columns, ordered as they are compared.
fn serves(index: &Index, columns: &[&Column<'_>], hows: &[How<'_>]) -> bool {
    let is_served = |at: usize| {
        let (key, column, how) = (&index.columns[at], columns[at], &hows[at]);
        let is_it = column.index.position().is_some_and(|position| key.term == IndexTerm::Column(position as u16));
        is_it && Coll::of(&key.collation) == how.collation && keeps_values(how.affinity, column.affinity)
    };
    index.filter.is_none() && columns.len() <= usize::from(index.key_count) && (0..columns.len()).all(is_served)
}

/// Whether the affinity `applied` of a comparison leaves the values of a column unchanged.
fn keeps_values(applied: Option<Affinity>, column: Option<Affinity>) -> bool {
    match (applied, column) {
        (None | Some(Affinity::Blob), _) => true,
        (Some(Affinity::Text), column) => column == Some(Affinity::Text),
        (Some(_), column) => column.is_some_and(Affinity::is_numeric),
    }
}
