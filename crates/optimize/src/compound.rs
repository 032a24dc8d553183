//! How the cores of a compound query come together: which are merged, in which order their sides come, and which are only appended.
//!
//! UNION ALL without ORDER BY is one query after the other; so is UNION where only the first row counts. Everything else merges: both sides
//! give their rows in the same order, by ORDER BY and then by all columns.

use lithe_resolve::ir::{Coll, Core, CoreBody, Expr, OrderTerm, Query};
use lithe_sql::ast::CompoundOp;

use crate::access::PlanContext;

/// The plan of a compound query.
#[derive(Debug)]
pub struct CompoundPlan<'a> {
    /// The cores that are merged, from the left to the right. A single one is the first of those that are appended.
    pub merged: &'a [Core<'a>],
    /// The order of the sides of each merge, by the position of its right side in `merged`.
    pub orders: Vec<Vec<MergeTerm<'a>>>,
    /// The cores whose rows follow: those of UNION ALL.
    pub appended: &'a [Core<'a>],
}

/// How much of a query's result is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedRows {
    /// All rows.
    All,
    /// The first row: of a scalar subquery.
    First,
    /// Whether there is a row: EXISTS.
    Existence,
}

/// A column of the order in which the sides of a merge come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MergeTerm<'a> {
    /// The result column.
    pub column: usize,
    /// Its collation.
    pub collation: Coll<'a>,
    /// DESC.
    pub descending: bool,
    /// NULLs come at the other end.
    pub nulls_opposite: bool,
}

impl<'a> CompoundPlan<'a> {
    /// Plans the query, of which no more than `wanted` is looked at.
    pub fn of(query: &'a Query<'a>, wanted: WantedRows) -> CompoundPlan<'a> {
        let cores = query.cores;
        let is_first_row = match query.limit {
            Some(limit) => matches!(limit.limit, Expr::Integer(1)) && limit.offset.is_none(),
            None => wanted != WantedRows::All,
        };
        let is_sorted = !query.order_by.is_empty() && wanted != WantedRows::Existence;
        // The UNION ALLs at the end only append, unless everything is sorted; so do UNIONs whose second row nobody sees.
        let appends = |core: &Core<'a>| match core.op {
            CompoundOp::UnionAll => true,
            CompoundOp::Union => is_first_row,
            CompoundOp::Intersect | CompoundOp::Except => false,
        };
        let count = match is_sorted {
            false => cores.iter().rposition(|core| !appends(core)).map_or(1, |last| last + 1),
            true => cores.len(),
        };
        let (merged, appended) = cores.split_at(count);
        let orders = if count > 1 { orders_of(query, merged) } else { Vec::new() };
        CompoundPlan { merged, orders, appended }
    }

    /// Whether no merge drops a row: then none of its sides need give more rows than the query.
    pub fn only_appends(&self) -> bool {
        self.merged[1..].iter().all(|core| core.op == CompoundOp::UnionAll)
    }
}

/// The ORDER BY of a core that is a side of a merge.
pub fn order_of_core<'a>(context: &PlanContext<'a>, core: &Core<'a>, order: &[MergeTerm<'a>]) -> &'a [OrderTerm<'a>] {
    let term = |term: &MergeTerm<'a>| OrderTerm {
        expr: match core.body {
            CoreBody::Select(select) => select.columns[term.column],
            CoreBody::Values(_) => Expr::Null,
        },
        collation: term.collation,
        descending: term.descending,
        nulls_opposite: term.nulls_opposite,
        output: Some(term.column as u16),
    };
    bumpalo::collections::Vec::from_iter_in(order.iter().map(term), context.arena).into_bump_slice()
}

/// The order of the sides of each merge: ORDER BY and, as soon as something has to know equal rows, all columns.
fn orders_of<'a>(query: &Query<'a>, cores: &[Core<'a>]) -> Vec<Vec<MergeTerm<'a>>> {
    // A column that is named twice is wanted twice: no index gives that order.
    let wanted = query.order_by.iter().map(|term| MergeTerm {
        column: usize::from(term.output.expect("ORDER BY of a compound names result columns")),
        collation: term.collation,
        descending: term.descending,
        nulls_opposite: term.nulls_opposite,
    });
    let mut order: Vec<MergeTerm<'a>> = wanted.collect();
    let mut orders = vec![Vec::new(); cores.len()];
    for (at, core) in cores.iter().enumerate().skip(1).rev() {
        if core.op != CompoundOp::UnionAll {
            extend_by_all_columns(&mut order, query);
        }
        orders[at] = order.clone();
    }
    orders
}

fn extend_by_all_columns<'a>(order: &mut Vec<MergeTerm<'a>>, query: &Query<'a>) {
    for (column, output) in query.columns.iter().enumerate() {
        let collation = output.collation;
        if !order.iter().any(|term| term.column == column && term.collation == collation) {
            order.push(MergeTerm { column, collation, descending: false, nulls_opposite: false });
        }
    }
}
