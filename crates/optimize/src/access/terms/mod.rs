//! The conditions of a join, as the planner sees them.
//!
//! Every conjunct of WHERE and ON is a [`Condition`]: when it can be checked, and how many rows it may let through.
//! A condition that compares a column with a value that does not depend on the column's source is also a
//! [`Constraint`]: a path through that source can use it, and then it need not be checked. Some conditions are several
//! constraints:
//!
//! ```text
//!   a = b                    a = ..., b = ...         either one is the whole condition
//!   x BETWEEN p AND q        x >= p, x <= q           two parts: both used, the condition is done
//!   x LIKE 'abc%'            x >= 'ABC', x < 'abd'    LIKE is checked nevertheless
//!   (a, b) IN (SELECT ...)   a IN ..., b IN ...       a part for each column
//!   a = 1 OR a = 2           a IN (1, 2)
//! ```
//!
//! An OR that cannot be made an IN is a [`Disjunction`]: each branch has its own conditions and its own path.

mod analysis;
mod analyze;
mod like;
mod or;
mod rewritten;
mod virtual_table;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_resolve::ir::{
    ColumnIndex, CompareRows, Expr, How, In, SourceSet, Term, TermOrigin, has_query, is_deterministic,
};
use lithe_value::Affinity;

pub use analysis::Scope;
pub use analyze::{analyze, gives_parts, has_expression_index, has_partial_index};
pub use like::is_pattern_match;

/// The conditions of a join and what paths can use of them.
#[derive(Debug)]
pub struct Terms<'a> {
    /// One for each term of the request, in its order.
    pub conditions: ArenaVec<'a, Condition<'a>>,
    /// What paths can use.
    pub constraints: ArenaVec<'a, Constraint<'a>>,
    /// The ORs that several paths together may serve.
    pub disjunctions: ArenaVec<'a, Disjunction<'a>>,
    /// The equalities of row values, whose pairs are conditions: each with the number of conditions that stand before it.
    pub row_equalities: ArenaVec<'a, (usize, Expr<'a>)>,
    /// Conditions that follow from an OR, each with the position of the OR. SQLite has them beside it.
    pub following: ArenaVec<'a, (usize, Expr<'a>)>,
    /// What SQLite has beside a condition, or in its place ([`Condition::is_swapped`]), each with the position of the condition: the bounds
    /// of a BETWEEN, and comparisons of a value with a column from the side of the column. Only if a source has partial indexes.
    pub rewritten: ArenaVec<'a, (usize, Expr<'a>)>,
}

/// A conjunct of WHERE or ON.
#[derive(Clone, Copy, Debug)]
pub struct Condition<'a> {
    /// The condition.
    pub expr: Expr<'a>,
    /// Where it stood.
    pub origin: TermOrigin,
    /// Sources that must have a row before it can be checked.
    pub needs: SourceSet,
    /// The parts that must all be used by a path so that the condition need not be checked; 0: it is always checked.
    pub parts: u64,
    /// The probability that it is true, if likelihood() and the like say so: a logarithm, at most 0.
    pub likelihood: Option<i16>,
    /// How many more rows than another condition it drops, because it has a pattern: a logarithm.
    pub dropped_by_pattern: i16,
    /// It compares an operand with a value, so it is not true when the operand is NULL.
    pub is_simple: bool,
    /// The source with a column that constant propagation replaced in it.
    pub replaced: Option<usize>,
    /// It compares a value with a column, which SQLite turns into a comparison of the column with the value.
    pub is_swapped: bool,
    /// Whether it is an equality with a small constant, which many rows may have, or with another value.
    pub equality: Selectivity,
}

impl Condition<'_> {
    /// Whether it needs no source, is constant and cheap: it is checked before anything is read.
    pub fn is_constant(&self) -> bool {
        self.needs.is_empty() && is_deterministic(&self.expr) && !has_query(&self.expr)
    }
}

/// How many rows an equality that no index serves may let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selectivity {
    /// It is no equality.
    NotEqual,
    /// Equal to -1, 0 or 1: often many.
    ManyRows,
    /// Equal to another value.
    FewRows,
}

/// Number of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConstraintId(pub u16);

/// A condition, or a part of one, in a form that a path through `source` can use.
#[derive(Clone, Copy, Debug)]
pub struct Constraint<'a> {
    /// The condition, by position.
    pub condition: usize,
    /// Which part of the condition it is: one bit.
    pub part: u64,
    /// The source.
    pub source: usize,
    /// What is compared.
    pub left: Left<'a>,
    /// How.
    pub op: Op,
    /// With what.
    pub right: Right<'a>,
    /// Affinity and collation of the comparison.
    pub how: How<'a>,
    /// Sources that must have a row before the right side has a value.
    pub needs: SourceSet,
    /// `column = column` that makes the two interchangeable: the other column.
    pub equivalent: Option<(usize, ColumnIndex)>,
    /// What it was derived from.
    pub made_of: MadeOf,
    /// In SQLite it is a term of its own besides the condition.
    pub is_extra: bool,
    /// It follows from an OR, or from a pattern that is more than a beginning, which drops rows beside it.
    pub follows: bool,
}

/// The compared side of a constraint.
#[derive(Clone, Copy, Debug)]
pub enum Left<'a> {
    /// A column.
    Column(ColumnIndex),
    /// An expression, which an index may hold.
    Expr(Expr<'a>),
}

/// The other side of a constraint.
#[derive(Clone, Copy, Debug)]
pub enum Right<'a> {
    /// A value.
    Value(Expr<'a>),
    /// NULL: IS NULL.
    Null,
    /// One of a set: this column of it.
    Set(&'a In<'a>, u16),
    /// A row value; `true` when the operands are swapped.
    Row(&'a CompareRows<'a>, bool),
}

/// The operator of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `=`
    Eq,
    /// IS
    Is,
    /// IN
    In,
    /// IS NULL
    IsNull,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// Only a virtual table can use it: one of `lithe_vtab::constraint`.
    Virtual(u8),
}

impl Op {
    /// Whether one value (or one set of them) is looked up.
    pub fn is_equality(self) -> bool {
        matches!(self, Op::Eq | Op::Is | Op::In | Op::IsNull)
    }

    /// Whether it is a lower bound.
    pub fn is_lower(self) -> bool {
        matches!(self, Op::Gt | Op::Ge)
    }

    /// Whether it is an upper bound.
    pub fn is_upper(self) -> bool {
        matches!(self, Op::Lt | Op::Le)
    }

    /// Whether the bound itself is in the range.
    pub fn is_inclusive(self) -> bool {
        matches!(self, Op::Le | Op::Ge)
    }
}

/// What a constraint was derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeOf {
    /// A comparison.
    Comparison,
    /// LIKE or GLOB with a prefix.
    Like,
    /// IS NOT NULL.
    NotNull,
}

/// An OR whose branches may each have a path of their own through one source.
#[derive(Debug)]
pub struct Disjunction<'a> {
    /// The condition, by position.
    pub condition: usize,
    /// Sources through which each branch has a path.
    pub sources: SourceSet,
    /// The branches: the conditions of each are joined by AND.
    pub branches: Vec<Terms<'a>>,
}

impl<'a> Terms<'a> {
    /// Empty, with the capacity that `count` conditions usually need.
    pub fn with_capacity_in(count: usize, arena: &'a Bump) -> Terms<'a> {
        Terms {
            conditions: ArenaVec::with_capacity_in(count, arena),
            constraints: ArenaVec::with_capacity_in(count, arena),
            disjunctions: ArenaVec::new_in(arena),
            row_equalities: ArenaVec::new_in(arena),
            following: ArenaVec::new_in(arena),
            rewritten: ArenaVec::new_in(arena),
        }
    }

    /// The conditions of a branch of the OR that is condition `skipped`, then those around the OR that are usable.
    pub fn of_branch(
        &self,
        branch: &Terms<'a>,
        skipped: usize,
        is_usable: impl Fn(&Condition<'a>) -> bool,
    ) -> Vec<Term<'a>> {
        let around =
            self.conditions.iter().enumerate().filter(|(at, condition)| *at != skipped && is_usable(condition));
        let all = branch.conditions.iter().chain(around.map(|(_, condition)| condition));
        all.map(|condition| Term::new(condition.expr, condition.origin)).collect()
    }

    /// The constraint of that number.
    pub fn constraint(&self, id: ConstraintId) -> &Constraint<'a> {
        &self.constraints[usize::from(id.0)]
    }

    /// All constraints with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (ConstraintId, &Constraint<'a>)> {
        self.constraints.iter().enumerate().map(|(at, constraint)| (ConstraintId(at as u16), constraint))
    }

    /// The columns of any source that must be equal to the column, itself left out, by conditions of the origins that `admits`
    /// takes. A condition of WHERE does not count for the right side of an outer join, whose missing row becomes a row of
    /// NULLs before WHERE is checked.
    pub fn equal_columns(
        &self,
        source: usize,
        column: ColumnIndex,
        admits: impl Fn(TermOrigin) -> bool,
    ) -> Vec<(usize, ColumnIndex)> {
        const EQUALS_MAX: usize = 10;
        if self.constraints.iter().all(|constraint| constraint.equivalent.is_none()) {
            return Vec::new();
        }
        let mut equals = vec![(source, column)];
        let mut at = 0;
        while at < equals.len() && equals.len() <= EQUALS_MAX {
            let (source, column) = equals[at];
            for constraint in &self.constraints {
                let is_of_column =
                    constraint.source == source && matches!(constraint.left, Left::Column(of) if of == column);
                if let Some(equal) = constraint.equivalent
                    && is_of_column
                    && admits(self.conditions[constraint.condition].origin)
                    && !equals.contains(&equal)
                {
                    equals.push(equal);
                }
            }
            at += 1;
        }
        equals.remove(0);
        equals
    }
}

impl Constraint<'_> {
    /// Whether an index column of this affinity sorts values as the comparison orders them.
    pub fn fits_affinity(&self, column: Affinity) -> bool {
        fits_affinity(self.how.affinity, column)
    }
}

/// Whether a comparison that applies `applied` to both sides finds values of a column of affinity `column` where the
/// column's own order has them.
pub fn fits_affinity(applied: Option<Affinity>, column: Affinity) -> bool {
    match applied {
        Some(Affinity::Text) => column == Affinity::Text,
        Some(applied) if applied.is_numeric() => column.is_numeric(),
        _ => true,
    }
}
