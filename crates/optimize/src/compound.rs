//! How the cores of a compound query are combined: which are merged, in which order their sides come, and which are only appended.
//!
//! UNION ALL without ORDER BY is one query after the other; so is UNION if only the first row is read. All other compounds merge: both
//! sides give their rows in the same order, by ORDER BY and then by all columns.

use lithe_catalog::Result;
use lithe_resolve::ir::{Core, CoreBody, Expr, OrderTerm, OutputColumn};
use lithe_sql::ast::CompoundOp;

use crate::plan::{CompoundPlan, CorePlan, MergePlan, MergeTerm};
use crate::planner::Planner;
use crate::select::SelectRequest;

impl<'a> Planner<'a> {
    /// Plans cores that are combined to rows with these columns, which UNION ALL alone does not need. Its ORDER BY and LIMIT are those of all cores.
    pub(crate) fn plan_compound(
        &mut self,
        cores: &'a [Core<'a>],
        columns: &'a [OutputColumn<'a>],
        request: SelectRequest<'a>,
    ) -> Result<&'a CompoundPlan<'a>> {
        // The UNION ALLs at the end only append, unless everything is sorted; so do UNIONs of which only the first row
        // is read.
        let appends = |core: &Core<'a>| match core.op {
            CompoundOp::UnionAll => true,
            CompoundOp::Union => request.is_first_row,
            CompoundOp::Intersect | CompoundOp::Except => false,
        };
        // If only the existence of a row matters, the order does not.
        let is_sorted = !request.order_by.is_empty() && request.needs_columns;
        let count = match is_sorted {
            false => cores.iter().rposition(|core| !appends(core)).map_or(1, |last| last + 1),
            true => cores.len(),
        };
        let (merged, appended) = cores.split_at(count);
        let of_core = SelectRequest { order_by: &[], limit: None, ..request };
        let (first, merges) = match merged {
            [only] => (self.plan_core(only, of_core)?, &[][..]),
            _ => self.plan_merges(merged, orders_of(request.order_by, columns, merged))?,
        };
        let mut others = bumpalo::collections::Vec::with_capacity_in(appended.len(), self.context.arena);
        // As in SQLite, only the first core is chosen for the few rows that LIMIT wants.
        let of_other = SelectRequest { row_limit: None, ..of_core };
        for core in appended {
            others.push(self.plan_core(core, of_other)?);
        }
        let only_appends = merged[1..].iter().all(|core| core.op == CompoundOp::UnionAll);
        Ok(self.context.arena.alloc(CompoundPlan { first, merges, only_appends, appended: others.into_bump_slice() }))
    }

    fn plan_merges(
        &mut self,
        merged: &'a [Core<'a>],
        orders: Vec<Vec<MergeTerm<'a>>>,
    ) -> Result<(CorePlan<'a>, &'a [MergePlan<'a>])> {
        let arena = self.context.arena;
        let first = self.plan_side(&merged[0], &orders[1])?;
        let mut merges = bumpalo::collections::Vec::with_capacity_in(merged.len() - 1, arena);
        for (core, order) in merged.iter().zip(&orders).skip(1) {
            let right = self.plan_side(core, order)?;
            merges.push(MergePlan { op: core.op, right, order: arena.alloc_slice_copy(order) });
        }
        Ok((first, merges.into_bump_slice()))
    }

    fn plan_side(&mut self, core: &'a Core<'a>, order: &[MergeTerm<'a>]) -> Result<CorePlan<'a>> {
        let order_by = self.order_of_core(core, order);
        self.plan_core(core, SelectRequest { order_by, ..SelectRequest::default() })
    }

    /// The ORDER BY of a core that is a side of a merge. As in SQLite, all its terms have COLLATE, so that it is not met by the order of a
    /// query in FROM.
    fn order_of_core(&self, core: &Core<'a>, order: &[MergeTerm<'a>]) -> &'a [OrderTerm<'a>] {
        let term = |term: &MergeTerm<'a>| OrderTerm {
            expr: match core.body {
                CoreBody::Select(select) => {
                    Expr::Collate(&select.columns[term.column], self.context.arena.alloc(term.collation))
                }
                CoreBody::Values(_) | CoreBody::UnionAll(_) => Expr::Null,
            },
            collation: term.collation,
            descending: term.descending,
            nulls_opposite: term.nulls_opposite,
            output: Some(term.column as u16),
        };
        self.context.arena.alloc_slice_fill_iter(order.iter().map(term))
    }
}

/// The order of the sides of each merge, by the position of its right side: ORDER BY and, as soon as an operator has to find equal rows,
/// all columns.
fn orders_of<'a>(
    order_by: &[OrderTerm<'a>],
    columns: &[OutputColumn<'a>],
    merged: &[Core<'a>],
) -> Vec<Vec<MergeTerm<'a>>> {
    // A column that is named twice is in the order twice, which no index gives.
    let wanted = order_by.iter().map(|term| MergeTerm {
        column: usize::from(term.output.expect("ORDER BY of a compound names result columns")),
        collation: term.collation,
        descending: term.descending,
        nulls_opposite: term.nulls_opposite,
    });
    let mut order: Vec<MergeTerm<'a>> = wanted.collect();
    let mut orders = vec![Vec::new(); merged.len()];
    for (at, core) in merged.iter().enumerate().skip(1).rev() {
        if core.op != CompoundOp::UnionAll {
            extend_by_all_columns(&mut order, columns);
        }
        orders[at] = order.clone();
    }
    orders
}

fn extend_by_all_columns<'a>(order: &mut Vec<MergeTerm<'a>>, columns: &[OutputColumn<'a>]) {
    for (column, output) in columns.iter().enumerate() {
        let collation = output.collation;
        if !order.iter().any(|term| term.column == column && term.collation == collation) {
            order.push(MergeTerm { column, collation, descending: false, nulls_opposite: false });
        }
    }
}
