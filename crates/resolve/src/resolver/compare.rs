//! Comparisons, row values, BETWEEN, IN, CASE: whatever compares. Affinity and collation are settled here, once,
//! from the operands as they were written; later transformations of the tree do not change them.

use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::{self, ExprKind, ResultColumnKind, SelectCore};

use super::Resolver;
use super::expr::sub_select_width;
use super::scope::Scope;
use crate::ir::{
    Between, BetweenRows, Case, Coll, Compare, CompareOp, CompareRows, Compared, Expr, How, In, InSet, OutputColumn,
    Query, UnaryOp, When, affinity_of, collation_of, comparison_affinity, is_constant,
};

impl<'a> Resolver<'a> {
    pub(super) fn comparison(
        &self,
        scope: &Scope<'_, 'a>,
        op: CompareOp,
        left: &ast::Expr<'a>,
        right: &ast::Expr<'a>,
    ) -> Result<Expr<'a>> {
        if let (Some(left), Some(right)) = (written_width(left), written_width(right))
            && left != right
        {
            return Err(row_value_misused());
        }
        let left = self.or_later(self.expr_or_row(scope, left), scope, [right])?;
        self.compare(op, left, self.expr_or_row(scope, right)?)
    }

    /// `left op right`, whatever they are.
    pub fn compare(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> Result<Expr<'a>> {
        match (width(&left), width(&right)) {
            (1, 1) => Ok(self.compare_scalars(op, left, right)),
            (left_width, right_width) if left_width == right_width => self.compare_rows(op, left, right),
            _ => Err(row_value_misused()),
        }
    }

    /// `left op right` of two single values.
    pub fn compare_scalars(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> Expr<'a> {
        Expr::Compare(self.arena.alloc(Compare { op, left, right, how: how(&left, &right), replaced: None }))
    }

    /// `=` of two lists is taken apart into equalities that indexes can serve.
    fn compare_rows(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> Result<Expr<'a>> {
        let apart = matches!(op, CompareOp::Eq | CompareOp::Ne | CompareOp::Is | CompareOp::IsNot);
        let (Expr::Row(lefts), Expr::Row(rights), true) = (left, right, apart) else {
            return Ok(Expr::CompareRows(self.arena.alloc(self.row_comparison(op, left, right))));
        };
        let pairs = lefts.iter().zip(rights).map(|(&left, &right)| self.compare(op, left, right));
        let all = matches!(op, CompareOp::Eq | CompareOp::Is);
        let join = |x: Result<Expr<'a>>, y: Result<Expr<'a>>| {
            let (x, y) = (self.alloc(x?), self.alloc(y?));
            Ok(if all { Expr::And(x, y) } else { Expr::Or(x, y) })
        };
        pairs.reduce(join).unwrap_or(Ok(Expr::Integer(1)))
    }

    pub(super) fn between(&self, scope: &Scope<'_, 'a>, between: &ast::Between<'a>) -> Result<Expr<'a>> {
        let widths = [written_width(&between.value), written_width(&between.low), written_width(&between.high)];
        if let [Some(value), Some(low), Some(high)] = widths
            && (value != low || value != high)
        {
            return Err(row_value_misused());
        }
        let value = self.or_later(self.expr_or_row(scope, &between.value), scope, [&between.low, &between.high])?;
        let low = self.or_later(self.expr_or_row(scope, &between.low), scope, [&between.high])?;
        let high = self.expr_or_row(scope, &between.high)?;
        let result = if width(&value) == 1 && width(&low) == 1 && width(&high) == 1 {
            let (low_how, high_how) = (how(&value, &low), how(&value, &high));
            Expr::Between(self.arena.alloc(Between { value, low, low_how, high, high_how, rows: None }))
        } else {
            self.between_rows(value, low, high)?
        };
        Ok(self.not_if(between.not, result))
    }

    fn between_rows(&self, value: Expr<'a>, low: Expr<'a>, high: Expr<'a>) -> Result<Expr<'a>> {
        if width(&value) != width(&low) || width(&value) != width(&high) {
            return Err(row_value_misused());
        }
        let rows = BetweenRows {
            low: self.row_comparison(CompareOp::Ge, value, low),
            high: self.row_comparison(CompareOp::Le, value, high),
        };
        let (low_how, high_how) = (How::default(), How::default());
        let between = Between { value, low, low_how, high, high_how, rows: Some(self.arena.alloc(rows)) };
        Ok(Expr::Between(self.arena.alloc(between)))
    }

    fn row_comparison(&self, op: CompareOp, left: Expr<'a>, right: Expr<'a>) -> CompareRows<'a> {
        let hows: Vec<How<'a>> = (0..width(&left)).map(|at| row_how(&left, &right, at)).collect();
        CompareRows { op, left, right, how: self.slice(&hows) }
    }

    pub(super) fn in_set(&self, scope: &Scope<'_, 'a>, set: &ast::In<'a>) -> Result<Expr<'a>> {
        if set.is_in_nothing() {
            return Ok(Expr::Integer(i64::from(set.not)));
        }
        // A query is looked at before the value that is sought in it.
        let value = self.expr_or_row(scope, &set.value).or_else(|error| {
            match set.set {
                ast::InSet::Select(select) => self.subquery(scope, select).map(drop)?,
                ast::InSet::List(items) => return self.or_later(Err(error), scope, items),
                ast::InSet::Table(name, args) => self.table_as_query(scope, name, args).map(drop)?,
            }
            Err(error)
        })?;
        let result = match set.set {
            ast::InSet::List(items) => self.in_list(scope, value, items)?,
            ast::InSet::Select(select) => {
                let query = self.subquery(scope, select)?.query;
                self.in_query(value, query)?
            }
            ast::InSet::Table(name, args) => {
                let query = self.table_as_query(scope, name, args)?;
                query.outer.iter().for_each(|&source| scope.note_use(source));
                self.in_query(value, query)?
            }
        };
        Ok(self.not_if(set.not, result))
    }

    fn in_list(&self, scope: &Scope<'_, 'a>, value: Expr<'a>, items: &[ast::Expr<'a>]) -> Result<Expr<'a>> {
        if width(&value) > 1 {
            return self.in_rows(scope, value, items);
        }
        let list = self.exprs(scope, items)?;
        // Only the left side's affinity and collation count.
        let affinity = comparison_affinity(affinity_of(&value), None);
        let how = How { affinity, collation: collation_of(&value).unwrap_or_default() };
        if let [item] = list
            && is_constant(item)
        {
            let compare = Compare { op: CompareOp::Eq, left: value, right: *item, how, replaced: None };
            return Ok(Expr::Compare(self.arena.alloc(compare)));
        }
        Ok(self.in_expr(value, InSet::List(list), &[how]))
    }

    /// `(a, b) IN ((1, 2), (3, 4))`: the rows are compared one after the other.
    fn in_rows(&self, scope: &Scope<'_, 'a>, value: Expr<'a>, items: &[ast::Expr<'a>]) -> Result<Expr<'a>> {
        let expected = width(&value);
        let mut any = None;
        for item in items {
            let item = self.expr_or_row(scope, item)?;
            let found = if let Expr::Row(items) = item { items.len() } else { 1 };
            if found != expected {
                let terms = if found == 1 { "term" } else { "terms" };
                return Err(CompileError::new(format!("IN(...) element has {found} {terms} - expected {expected}")));
            }
            let equal = self.compare(CompareOp::Eq, value, item)?;
            any = Some(match any {
                None => equal,
                Some(before) => Expr::Or(self.alloc(before), self.alloc(equal)),
            });
        }
        Ok(any.unwrap_or(Expr::Integer(0)))
    }

    fn in_query(&self, value: Expr<'a>, query: &'a Query<'a>) -> Result<Expr<'a>> {
        let expected = width(&value);
        if query.columns.len() != expected && self.only_names {
            return Ok(Expr::Null);
        }
        if query.columns.len() != expected {
            return Err(sub_select_width(query.columns.len(), expected));
        }
        let hows: Vec<How<'a>> = (0..expected).map(|at| in_how(&value, at, query)).collect();
        Ok(self.in_expr(value, InSet::Query(query), &hows))
    }

    fn in_expr(&self, value: Expr<'a>, set: InSet<'a>, how: &[How<'a>]) -> Expr<'a> {
        Expr::In(self.arena.alloc(In { value, set, how: self.slice(how), id: self.new_subquery() }))
    }

    pub(super) fn case(&self, scope: &Scope<'_, 'a>, case: &ast::Case<'a>) -> Result<Expr<'a>> {
        let parts = || case.whens.iter().flat_map(|when| [&when.condition, &when.value]).chain(&case.otherwise);
        let operand = case.operand.as_ref().map(|operand| self.expr_or_row(scope, operand)).transpose();
        let operand = self.or_later(operand, scope, parts())?;
        if let Some(row @ (Expr::Row(_) | Expr::Subquery(_))) = operand
            && width(&row) > 1
        {
            return self.case_of_row(scope, row, case);
        }
        let mut whens = bumpalo::collections::Vec::with_capacity_in(case.whens.len(), self.arena);
        for (at, when) in case.whens.iter().enumerate() {
            let condition = self.or_later(self.expr(scope, &when.condition), scope, parts().skip(2 * at + 1))?;
            let how = operand.as_ref().map_or(How::default(), |operand| how(operand, &condition));
            let value = self.or_later(self.expr(scope, &when.value), scope, parts().skip(2 * at + 2))?;
            whens.push(When { condition, how, value });
        }
        let otherwise = case.otherwise.as_ref().map(|otherwise| self.expr(scope, otherwise)).transpose()?;
        Ok(Expr::Case(self.arena.alloc(Case { operand, whens: whens.into_bump_slice(), otherwise })))
    }

    /// `CASE (a, b) WHEN (1, 2) ...` is `CASE WHEN (a, b) = (1, 2) ...`.
    fn case_of_row(&self, scope: &Scope<'_, 'a>, operand: Expr<'a>, case: &ast::Case<'a>) -> Result<Expr<'a>> {
        let mut whens = bumpalo::collections::Vec::with_capacity_in(case.whens.len(), self.arena);
        for when in case.whens {
            let against = self.expr_or_row(scope, &when.condition)?;
            let condition = self.compare(CompareOp::Eq, operand, against)?;
            whens.push(When { condition, how: How::default(), value: self.expr(scope, &when.value)? });
        }
        let otherwise = case.otherwise.as_ref().map(|otherwise| self.expr(scope, otherwise)).transpose()?;
        Ok(Expr::Case(self.arena.alloc(Case { operand: None, whens: whens.into_bump_slice(), otherwise })))
    }

    /// NOT above the expression, if wanted.
    pub(super) fn not_if(&self, not: bool, expr: Expr<'a>) -> Expr<'a> {
        if not { Expr::Unary(UnaryOp::Not, self.alloc(expr)) } else { expr }
    }
}

/// How many columns a value has.
pub fn width(expr: &Expr<'_>) -> usize {
    match expr {
        Expr::Row(items) => items.len(),
        Expr::Subquery(subquery) => subquery.query.columns.len(),
        _ => 1,
    }
}

/// How many columns a value has as far as its text tells: not where a star stands for them.
fn written_width(expr: &ast::Expr<'_>) -> Option<usize> {
    match expr.kind {
        ExprKind::RowValue(items) => Some(items.len()),
        ExprKind::Subquery(select) => match select.first {
            SelectCore::Values(rows) => rows.first().map(|row| row.len()),
            SelectCore::Query(query) => {
                let is_one = |column: &ast::ResultColumn<'_>| matches!(column.kind, ResultColumnKind::Expr(_));
                query.columns.iter().all(is_one).then_some(query.columns.len())
            }
        },
        _ => Some(1),
    }
}

/// How two values are compared.
pub fn how<'a>(left: &Expr<'a>, right: &Expr<'a>) -> How<'a> {
    Compared::of(left).with(&Compared::of(right))
}

/// How columns `at` of two rows are compared. The columns of a query have no collation here.
fn row_how<'a>(left: &Expr<'a>, right: &Expr<'a>, at: usize) -> How<'a> {
    let how_beside_query = |value: &Expr<'a>, column: &OutputColumn<'a>| How {
        affinity: comparison_affinity(affinity_of(value), column.affinity),
        collation: collation_of(value).unwrap_or_default(),
    };
    match (left, right) {
        (Expr::Row(lefts), Expr::Row(rights)) => how(&lefts[at], &rights[at]),
        (Expr::Row(values), Expr::Subquery(query)) | (Expr::Subquery(query), Expr::Row(values)) => {
            how_beside_query(&values[at], &query.query.columns[at])
        }
        (Expr::Subquery(lefts), Expr::Subquery(rights)) => {
            let (left, right) = (&lefts.query.columns[at], &rights.query.columns[at]);
            How { affinity: comparison_affinity(left.affinity, right.affinity), collation: Coll::default() }
        }
        _ => how(left, right),
    }
}

/// How column `at` of a value is compared with that of the rows of a query in IN: as two expressions would be.
fn in_how<'a>(value: &Expr<'a>, at: usize, members: &Query<'a>) -> How<'a> {
    let value = match value {
        Expr::Row(items) => Compared::of(&items[at]),
        Expr::Subquery(query) if query.query.columns.len() > 1 => query.query.compared(at),
        value => Compared::of(value),
    };
    value.with(&members.compared(at))
}

fn row_value_misused() -> CompileError {
    CompileError::new("row value misused")
}
