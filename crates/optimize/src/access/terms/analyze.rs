//! From conditions to constraints.

use bumpalo::Bump;
use lithe_catalog::IndexTerm;
use lithe_resolve::Stored;
use lithe_resolve::ir::{
    Between, Column, ColumnIndex, Compare, CompareOp, CompareRows, Core, CoreBody, Expr, How, In, InSet, Query, Source,
    SourceKind, SourceSet, Term, TermOrigin, UnaryOp, affinity_of, any, collation_of, indexed_column, is_constant,
    is_deterministic, known_truth, same, skip_collate, skip_likelihood, skip_subtype, sources_of, without_likelihood,
};

use crate::rewrite::with_known_nulls;

use super::analysis::{Analysis, Scope};
use super::{Condition, Constraint, Left, MadeOf, Op, Right, Selectivity, Terms, like, or, virtual_table};

/// Analyses the conditions of a join.
pub fn analyze<'a>(scope: Scope<'_, 'a>, terms: &[Term<'a>]) -> Terms<'a> {
    let mut analysis = Analysis { scope, terms: Terms::with_capacity_in(terms.len(), scope.context.arena) };
    analysis.add_all(terms);
    analysis.finish()
}

/// A comparison of two lists of values, and the lists.
type RowEquality<'a> = (&'a CompareRows<'a>, &'a [Expr<'a>], &'a [Expr<'a>]);

/// The comparison, if the condition is that two row values are equal one of which at least is a list. The other may be a query's row.
fn row_equality<'a>(arena: &'a Bump, condition: &Expr<'a>) -> Option<RowEquality<'a>> {
    let Expr::CompareRows(compare) = condition else { return None };
    let is_equality = matches!(compare.op, CompareOp::Eq | CompareOp::Is);
    let has_list = [compare.left, compare.right].iter().any(|side| matches!(side, Expr::Row(_)));
    let items = |side: Expr<'a>| match side {
        Expr::Row(items) => Some(items),
        Expr::Subquery(query) => {
            let columns = (0..compare.how.len()).map(|at| Expr::SubqueryColumn(query, at as u16));
            Some(&*arena.alloc_slice_fill_iter(columns))
        }
        _ => None,
    };
    if is_equality && has_list { Some((compare, items(compare.left)?, items(compare.right)?)) } else { None }
}

/// The compared side that the constraints of one condition share.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    source: usize,
    left: Left<'a>,
}

impl Side<'_> {
    fn is_column(&self) -> bool {
        matches!(self.left, Left::Column(_))
    }
}

impl<'a> Analysis<'_, 'a> {
    /// The conditions with their constraints in the order of SQLite's terms, which decides between equally good plans:
    /// first those that are conditions themselves, then the others, beginning with those of the last condition.
    pub fn finish(mut self) -> Terms<'a> {
        self.terms.constraints.sort_by_key(|constraint| match constraint.is_extra {
            false => (false, constraint.condition),
            true => (true, usize::MAX - constraint.condition),
        });
        self.terms
    }

    /// Adds conditions that are joined by AND, and the constraints that can be made of them. Of an equality of row values each pair is a
    /// condition. As in SQLite, these come behind the others, those of the last equality first, and COLLATE and likely() above an AND
    /// have no effect.
    pub fn add_all(&mut self, terms: &[Term<'a>]) {
        let mut equalities = Vec::new();
        for term in terms {
            self.add_conjuncts(term, &mut equalities);
        }
        for (equality, term) in equalities.iter().rev() {
            self.add_pairs(*equality, term);
        }
    }

    /// Adds the conjuncts, and collects those that are equalities of row values. The depth of the recursion is that of the tree.
    fn add_conjuncts(&mut self, term: &Term<'a>, equalities: &mut Vec<(RowEquality<'a>, Term<'a>)>) {
        let bare = skip_likelihood(term.expr);
        if let Expr::And(left, right) = bare {
            for part in [left, right] {
                self.add_conjuncts(&Term { expr: *part, ..*term }, equalities);
            }
        } else if let Some(equality) = row_equality(self.scope.context.arena, &bare) {
            self.terms.row_equalities.push((self.terms.conditions.len(), bare));
            equalities.push((equality, Term { expr: bare, ..*term }));
        } else if matches!(bare, Expr::Or(..)) && known_truth(&bare) == Some(true) {
            // To SQLite, an OR with a side that is always true is no condition on any source.
            self.add(Expr::Integer(1), term.origin);
        } else {
            self.add(term.expr, term.origin);
        }
    }

    fn add_pairs(&mut self, (compare, lefts, rights): RowEquality<'a>, term: &Term<'a>) {
        for ((&left, &right), &how) in lefts.iter().zip(rights).zip(compare.how) {
            let pair = match (left.width(), right.width()) {
                (1, 1) => {
                    let pair = Compare { op: compare.op, left, right, how, replaced: None };
                    Expr::Compare(self.scope.context.arena.alloc(pair))
                }
                // Row values within row values: to SQLite they are right here alone. Of two widths they are an error in any code.
                _ => self.scope.context.resolver.compare(compare.op, left, right).unwrap_or(Expr::Row(lefts)),
            };
            match row_equality(self.scope.context.arena, &pair) {
                Some(nested) => self.add_pairs(nested, term),
                None => self.add(pair, term.origin),
            }
        }
    }

    /// Adds a condition and the constraints that can be made of it.
    fn add(&mut self, expr: Expr<'a>, origin: TermOrigin) {
        let expr = self.add_condition(expr, origin);
        match expr {
            Expr::Compare(compare) => self.compare(compare),
            Expr::CompareRows(compare) => self.compare_rows(compare),
            Expr::IsNull(operand, false) => self.is_null(operand),
            Expr::IsNull(operand, true) => self.is_not_null(operand),
            Expr::Between(between) => self.between(between),
            Expr::In(set) => self.in_set(set),
            Expr::Or(..) => {
                let implied = or::disjunction(self, expr, origin);
                implied.into_iter().for_each(|expr| self.add(expr, origin));
            }
            Expr::Function(call) => like::prefix(self, call),
            _ => {}
        }
        if virtual_table::is_concerned(self) {
            virtual_table::add(self, expr);
        }
    }

    /// Adds the condition, and returns it without likelihood() and COLLATE.
    fn add_condition(&mut self, expr: Expr<'a>, origin: TermOrigin) -> Expr<'a> {
        let (_, probability) = without_likelihood(expr);
        let expr = with_known_nulls(self.scope.context.arena, &skip_likelihood(expr));
        let likelihood = probability.map(like::logarithm);
        let needs = self.sources_of(&expr).union(self.bound_to(origin));
        let condition = Condition {
            expr,
            origin,
            needs,
            parts: 0,
            likelihood,
            dropped_by_pattern: like::dropped_by_pattern(&expr),
            is_simple: false,
            is_swapped: false,
            replaced: None,
            equality: Selectivity::NotEqual,
        };
        self.terms.conditions.push(condition);
        expr
    }

    /// The source before whose row the condition must not be checked, because it belongs to that source's join.
    fn bound_to(&self, origin: TermOrigin) -> SourceSet {
        let position = |id| self.scope.sources.iter().position(|source| source.id == id);
        let at = match origin {
            TermOrigin::Where => None,
            TermOrigin::OuterOn(id) => position(id),
            // An inner join's condition is one of WHERE, unless a RIGHT JOIN follows, whose rows of NULLs it must not
            // reject.
            TermOrigin::InnerOn(id) => {
                position(id).filter(|&at| self.scope.sources[at..].iter().any(|source| source.join.keeps_right_rows()))
            }
        };
        at.map_or(SourceSet::EMPTY, SourceSet::single)
    }

    pub(super) fn sources_of(&self, expr: &Expr<'a>) -> SourceSet {
        sources_of(self.scope.sources, expr)
    }

    /// The condition that is being analysed, by position.
    pub(super) fn condition(&self) -> usize {
        self.terms.conditions.len() - 1
    }

    fn compare(&mut self, compare: &'a Compare<'a>) {
        let Some(op) = op_of(compare.op) else { return };
        let (left, right) = (self.side(&compare.left), self.side(&compare.right));
        // What compares columns of one source drops few rows in SQLite's eyes.
        let is_within = || self.sources_of(&compare.left).intersects(self.sources_of(&compare.right));
        // SQLite asks whether a column is compared, not of which query.
        let is_of_other = |side| matches!(skip_collate(side), Expr::Column(column) if self.position(column).is_none());
        let is_compared = left.is_some() || right.is_some() || is_of_other(compare.left) || is_of_other(compare.right);
        if is_compared && !is_within() {
            self.note_equality(op, if left.is_some() { &compare.right } else { &compare.left });
        }
        let replaced = self.replaced(compare);
        if self.scope.has_partial_indexes {
            self.note_swapped(compare, left.is_some() || replaced.is_some(), right.is_some());
        }
        // A comparison of two columns is a constraint on either side; either use makes it true.
        if let Some(side) = left {
            let equivalent = self.equivalent(compare, op, right);
            self.constrain(side, op, Right::Value(compare.right), compare.how, 1, equivalent);
        } else if let Some(side) = replaced {
            self.constrain(side, op, Right::Value(compare.right), compare.how, 1, None);
        }
        if let Some(side) = right
            && let Some(op) = op_of(compare.op.swapped())
        {
            let equivalent = self.equivalent(compare, op, left);
            let before = self.terms.constraints.len();
            self.constrain(side, op, Right::Value(compare.left), compare.how, 1, equivalent);
            if left.is_some() || replaced.is_some() {
                self.mark_extra(before);
            }
        }
    }

    /// Records the column that a constant replaced. If that was on the left, SQLite has the comparison with the column,
    /// too.
    fn replaced(&mut self, compare: &Compare<'a>) -> Option<Side<'a>> {
        let column = compare.replaced?;
        let source = self.position(column)?;
        let at = self.condition();
        self.terms.conditions[at].replaced = Some(source);
        if self.terms.conditions[at].equality == Selectivity::ManyRows {
            // A propagated constant is no sign of many equal rows.
            self.terms.conditions[at].equality = Selectivity::FewRows;
        }
        is_constant(&compare.left).then_some(Side { source, left: Left::Column(column.index) })
    }

    /// Notes that the condition is an equality with a constant or something else.
    fn note_equality(&mut self, op: Op, value: &Expr<'a>) {
        if matches!(op, Op::Eq | Op::Is) {
            let many = matches!(integer_of(value), Some(-1..=1));
            let at = self.condition();
            self.terms.conditions[at].equality = if many { Selectivity::ManyRows } else { Selectivity::FewRows };
        }
    }

    /// The column on the other side, when the two columns are interchangeable wherever they are compared.
    fn equivalent(&self, compare: &Compare<'a>, op: Op, other: Option<Side<'a>>) -> Option<(usize, ColumnIndex)> {
        let is_inner = !matches!(self.terms.conditions[self.condition()].origin, TermOrigin::OuterOn(_));
        let Some(Side { source, left: Left::Column(column) }) = other else { return None };
        let (left, right) = (affinity_of(&compare.left), affinity_of(&compare.right));
        let is_numeric = |affinity: Option<lithe_value::Affinity>| affinity.is_some_and(|a| a.is_numeric());
        let same_affinity = left == right || is_numeric(left) && is_numeric(right);
        let same_collation = compare.how.collation == lithe_resolve::ir::Coll::Binary
            || collation_of(&compare.left).unwrap_or_default() == collation_of(&compare.right).unwrap_or_default();
        (is_inner && matches!(op, Op::Eq | Op::Is) && same_affinity && same_collation).then_some((source, column))
    }

    fn compare_rows(&mut self, compare: &'a CompareRows<'a>) {
        if matches!(compare.op, CompareOp::Eq | CompareOp::Is) {
            return;
        }
        self.bound_rows(compare);
        // NULLs in later columns do not compare as they sort.
        self.always_check();
    }

    /// The first columns of a row are bounded by those of another one.
    fn bound_rows(&mut self, compare: &'a CompareRows<'a>) {
        for (row, op, swapped) in [(&compare.left, compare.op, false), (&compare.right, compare.op.swapped(), true)] {
            if let (Expr::Row(items), Some(op)) = (row, op_of(op))
                && let Some(side) = items.first().and_then(|first| self.column_side(first))
            {
                self.constrain(side, op, Right::Row(compare, swapped), compare.how[0], 1, None);
            }
        }
    }

    fn is_null(&mut self, operand: &'a Expr<'a>) {
        if let Some(side) = self.side(operand) {
            self.constrain(side, Op::IsNull, Right::Null, How::default(), 1, None);
        }
    }

    /// IS NOT NULL is the range of all values above NULL. As in SQLite, it is not in the ON of an outer join.
    fn is_not_null(&mut self, operand: &'a Expr<'a>) {
        if let Some(side) = self.side(operand)
            && !matches!(self.terms.conditions[self.condition()].origin, TermOrigin::OuterOn(_))
            && !indexed_column(operand).is_some_and(|column| column.index.is_rowid())
        {
            let how = How { collation: collation_of(operand).unwrap_or_default(), ..How::default() };
            self.constrain(side, Op::Gt, Right::Null, how, 1, None);
            self.last_constraint().made_of = MadeOf::NotNull;
            self.last_constraint().is_extra = true;
        }
    }

    fn between(&mut self, between: &'a Between<'a>) {
        if let Some(rows) = between.rows {
            let before = self.terms.constraints.len();
            self.bound_rows(&rows.low);
            self.bound_rows(&rows.high);
            self.mark_extra(before);
            return self.always_check();
        }
        if self.scope.has_partial_indexes {
            self.note_bounds(between);
        }
        let before = self.terms.constraints.len();
        if let Some(side) = self.side(&between.value) {
            self.constrain(side, Op::Ge, Right::Value(between.low), between.low_how, 1, None);
            self.constrain(side, Op::Le, Right::Value(between.high), between.high_how, 2, None);
        }
        // A value that is not deterministic must be compared with both bounds at once.
        if is_deterministic(&between.value) {
            if let Some(side) = self.side(&between.low) {
                self.constrain(side, Op::Le, Right::Value(between.value), between.low_how, 1, None);
            }
            if let Some(side) = self.side(&between.high) {
                self.constrain(side, Op::Ge, Right::Value(between.value), between.high_how, 2, None);
            }
        }
        if self.terms.constraints.len() > before {
            self.mark_extra(before);
            self.set_parts(2);
        }
    }

    fn in_set(&mut self, set: &'a In<'a>) {
        // A query correlated with the source itself gives another set for each of its rows, and so is no constraint.
        match (set.value, set.set) {
            (Expr::Row(items), InSet::Query(query)) => {
                if !gives_parts(query) {
                    return;
                }
                for (at, item) in items.iter().enumerate().take(PARTS_MAX) {
                    if let Some(side) = self.column_side(item) {
                        self.constrain(side, Op::In, Right::Set(set, at as u16), set.how[at], 1 << at, None);
                    }
                }
                // Columns of several sources may each be in the set although the row of them is not.
                let sources: Vec<_> = items.iter().map(|item| self.column_side(item).map(|side| side.source)).collect();
                let is_one_source = sources.iter().all(|source| source.is_some() && *source == sources[0]);
                if is_one_source { self.set_parts(items.len()) } else { self.always_check() }
            }
            _ => {
                if let Some(side) = self.side(&set.value) {
                    self.constrain(side, Op::In, Right::Set(set, 0), set.how[0], 1, None);
                }
            }
        }
    }

    /// Adds a constraint of the current condition, unless its right side depends on the source itself.
    fn constrain(
        &mut self,
        side: Side<'a>,
        op: Op,
        right: Right<'a>,
        how: How<'a>,
        part: u64,
        equivalent: Option<(usize, ColumnIndex)>,
    ) {
        let needs = self.needs_of(&right);
        let condition = self.condition();
        if needs.contains(side.source) && equivalent.is_none() {
            return;
        }
        let is_comparison = matches!(op, Op::Eq | Op::In | Op::Lt | Op::Le | Op::Gt | Op::Ge);
        self.terms.conditions[condition].is_simple |= is_comparison;
        self.terms.conditions[condition].parts |= part;
        let Side { source, left } = side;
        let made_of = MadeOf::Comparison;
        let (is_extra, follows) = (false, false);
        let constraint =
            Constraint { condition, part, source, left, op, right, how, needs, equivalent, made_of, is_extra, follows };
        self.terms.constraints.push(constraint);
    }

    /// Adds a bound that was made of LIKE or GLOB; `is_complete`: both bounds together are true where the pattern matches.
    pub(super) fn like_bound(
        &mut self,
        value: &Expr<'a>,
        (op, bound): (Op, Expr<'a>),
        how: How<'a>,
        is_complete: bool,
    ) {
        if let Some(side) = self.side(value) {
            let part = if op == Op::Ge { 1 } else { 2 };
            self.constrain(side, op, Right::Value(bound), how, part, None);
            let constraint = self.last_constraint();
            (constraint.made_of, constraint.is_extra, constraint.follows) = (MadeOf::Like, true, !is_complete);
        }
    }

    /// Adds the IN that an OR of equalities is equivalent to.
    pub(super) fn derived_in(&mut self, set: &'a In<'a>) {
        let before = self.terms.constraints.len();
        self.in_set(set);
        self.mark_extra(before);
    }

    /// Adds a constraint that is equivalent to the whole condition.
    pub(super) fn constrain_as(&mut self, constraint: Constraint<'a>) {
        let Constraint { source, left, op, right, how, .. } = constraint;
        let before = self.terms.constraints.len();
        self.constrain(Side { source, left }, op, right, how, 1, None);
        self.terms.constraints[before..].iter_mut().for_each(|constraint| constraint.follows = true);
    }

    /// The constraints from `first` on are terms of their own in SQLite.
    fn mark_extra(&mut self, first: usize) {
        self.terms.constraints[first..].iter_mut().for_each(|constraint| constraint.is_extra = true);
    }

    fn last_constraint(&mut self) -> &mut Constraint<'a> {
        self.terms.constraints.last_mut().expect("a constraint was just added")
    }

    /// The condition needs no check when `count` parts of it are used; if there are too many parts, it is always
    /// checked.
    fn set_parts(&mut self, count: usize) {
        let at = self.condition();
        self.terms.conditions[at].parts = if count > PARTS_MAX { 0 } else { u64::MAX >> (PARTS_MAX - count) };
    }

    /// The condition must be checked even if a path uses it.
    pub(super) fn always_check(&mut self) {
        let at = self.condition();
        self.terms.conditions[at].parts = 0;
    }

    pub(super) fn needs_of(&self, right: &Right<'a>) -> SourceSet {
        match right {
            Right::Null => SourceSet::EMPTY,
            Right::Value(value) => self.sources_of(value),
            Right::Row(compare, swapped) => self.sources_of(if *swapped { &compare.left } else { &compare.right }),
            Right::Set(set, _) => match set.set {
                InSet::List(items) => items.iter().fold(SourceSet::EMPTY, |all, item| all.union(self.sources_of(item))),
                InSet::Query(query) => query.outer.iter().fold(SourceSet::EMPTY, |mut all, id| {
                    if let Some(at) = self.scope.sources.iter().position(|source| source.id == *id) {
                        all.insert(at);
                    }
                    all
                }),
            },
        }
    }

    /// The side of a comparison that a path could look up: a column of one of the sources, or an expression that an
    /// index may hold.
    pub(super) fn side(&self, expr: &Expr<'a>) -> Option<Side<'a>> {
        let expr = skip_subtype(skip_collate(*expr));
        if let Some(column) = indexed_column(&expr) {
            let source = self.position(column)?;
            return Some(Side { source, left: Left::Column(column.index) });
        }
        if !self.scope.has_expression_indexes || matches!(expr, Expr::Unary(UnaryOp::Plus, _)) {
            return None;
        }
        let is_of = |column: &Column<'a>, source: &Source<'a>| column.source == source.id;
        let names = |source| any(&expr, &mut |part| indexed_column(part).is_some_and(|column| is_of(column, source)));
        let source = self.scope.sources.iter().position(|source| names(source) && self.is_indexed(source, &expr))?;
        Some(Side { source, left: Left::Expr(expr) })
    }

    /// Whether an index of the source holds the expression.
    fn is_indexed(&self, source: &Source<'a>, expr: &Expr<'a>) -> bool {
        let SourceKind::Table(db, table) = source.kind else { return false };
        let resolver = self.scope.context.resolver;
        let columns = table.indexes.iter().filter(|index| index.has_expressions()).flat_map(|index| &index.columns);
        columns.filter_map(|column| if let IndexTerm::Expr(text) = &column.term { Some(text) } else { None }).any(
            |text| {
                let stored = || resolver.stored_expr(text, Stored::Index, source.id, db, table);
                resolver.looking(stored).is_ok_and(|indexed| same(&skip_subtype(skip_collate(indexed)), expr))
            },
        )
    }

    /// The side of a comparison of row values that a path could look up: a column. As in SQLite, neither an expression nor COLLATE.
    fn column_side(&self, expr: &Expr<'a>) -> Option<Side<'a>> {
        let side = if matches!(expr, Expr::Collate(..)) { None } else { self.side(expr) };
        side.filter(Side::is_column)
    }

    fn position(&self, column: &Column<'a>) -> Option<usize> {
        self.scope.sources.iter().position(|source| source.id == column.source)
    }
}

/// Whether each column of a row value that is IN the rows of the query is looked up by itself: in SQLite not those of a compound, nor
/// beside windows.
pub fn gives_parts(query: &Query<'_>) -> bool {
    match query.cores {
        [Core { body: CoreBody::Select(select), .. }] => select.windows.is_empty(),
        cores => cores.len() == 1,
    }
}

/// A condition has at most so many parts.
const PARTS_MAX: usize = u64::BITS as usize;

/// Whether the source is a table with an index on an expression.
pub fn has_expression_index(source: &Source<'_>) -> bool {
    matches!(source.kind, SourceKind::Table(_, table) if table.indexes.iter().any(|index| index.has_expressions()))
}

/// Whether the source is a table with a partial index.
pub fn has_partial_index(source: &Source<'_>) -> bool {
    matches!(source.kind, SourceKind::Table(_, table) if table.indexes.iter().any(|index| index.filter.is_some()))
}

pub(super) fn op_of(op: CompareOp) -> Option<Op> {
    Some(match op {
        CompareOp::Eq => Op::Eq,
        CompareOp::Is => Op::Is,
        CompareOp::Lt => Op::Lt,
        CompareOp::Le => Op::Le,
        CompareOp::Gt => Op::Gt,
        CompareOp::Ge => Op::Ge,
        CompareOp::Ne | CompareOp::IsNot => return None,
    })
}

/// The value of an integer literal, perhaps with a sign.
fn integer_of(expr: &Expr<'_>) -> Option<i64> {
    match expr {
        Expr::Integer(value) => Some(*value),
        Expr::Unary(UnaryOp::Plus, operand) => integer_of(operand),
        Expr::Unary(UnaryOp::Negate, operand) => integer_of(operand)?.checked_neg(),
        _ => None,
    }
}
