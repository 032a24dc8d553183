//! Values that need not be computed: constants, and expressions whose value is in a register or a column.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_resolve::ir::{AggregateId, Call, Expr, Source, SourceId, is_constant, same};
use lithe_vm::operand::{CursorId, Reg};

/// The expressions whose values are available where code is generated now.
pub(crate) struct Known<'a> {
    /// Constants with a register, which the prologue fills.
    constants: ArenaVec<'a, (Expr<'a>, Reg)>,
    /// Other expressions whose value is available: GROUP BY terms, indexed expressions.
    replacements: ArenaVec<'a, (Expr<'a>, Replacement)>,
    /// The registers of the results of aggregates.
    aggregates: ArenaVec<'a, (AggregateId, Reg)>,
    /// The sources of an aggregate query, in the arguments of its aggregates and behind them.
    aggregated: ArenaVec<'a, SourceId>,
}

/// The place of a value that is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// In a register.
    Register(Reg),
    /// In a column of the row under a cursor.
    Column(CursorId, u16),
}

impl<'a> Known<'a> {
    /// Nothing is known yet.
    pub fn new_in(arena: &'a Bump) -> Known<'a> {
        Known {
            constants: ArenaVec::new_in(arena),
            replacements: ArenaVec::new_in(arena),
            aggregates: ArenaVec::new_in(arena),
            aggregated: ArenaVec::new_in(arena),
        }
    }

    /// From here on the value of `expr` is read from `by`. Later calls take precedence; [`Known::forget_replacements`] undoes
    /// them. A constant is not replaced, because it may be computed before all loops, when the register or row has no value yet.
    pub fn replace(&mut self, expr: Expr<'a>, by: Replacement) {
        if !is_constant(&expr) {
            self.replacements.push((expr, by));
        }
    }

    /// How many replacements there are.
    pub fn replacements(&self) -> usize {
        self.replacements.len()
    }

    /// Removes all but the first `count` replacements.
    pub fn forget_replacements(&mut self, count: usize) {
        self.replacements.truncate(count);
    }

    /// The place of the expression's value.
    pub fn replacement(&self, expr: &Expr<'a>) -> Option<Replacement> {
        if self.replacements.is_empty() {
            return None;
        }
        self.replacements.iter().rev().find(|(known, _)| same(known, expr)).map(|(_, by)| *by)
    }

    /// From here on the columns of these sources are those of an aggregate query, whose functions no virtual table overloads. Answers what
    /// [`Known::end_aggregate_query`] needs.
    pub fn begin_aggregate_query(&mut self, sources: &[Source<'a>]) -> usize {
        let before = self.aggregated.len();
        self.aggregated.extend(sources.iter().map(|source| source.id));
        before
    }

    /// Ends what [`Known::begin_aggregate_query`] has begun.
    pub fn end_aggregate_query(&mut self, before: usize) {
        self.aggregated.truncate(before);
    }

    /// Whether a virtual table would overload the function, but its column is one of an aggregate query.
    pub fn is_not_overloaded(&self, call: &Call<'a>) -> bool {
        call.overloading_source().is_some_and(|source| self.aggregated.contains(&source))
    }

    /// Sets the register with the result of an aggregate.
    pub fn set_aggregate(&mut self, id: AggregateId, reg: Reg) {
        self.aggregates.push((id, reg));
    }

    /// The register of an aggregate's result.
    pub fn aggregate(&self, id: AggregateId) -> Option<Reg> {
        self.aggregates.iter().rev().find(|(known, _)| *known == id).map(|(_, reg)| *reg)
    }

    /// The register of a constant.
    pub fn constant(&self, expr: &Expr<'a>) -> Option<Reg> {
        let is_it = |known: &Expr<'a>| match (known, expr) {
            // Two registers do as well, so nothing needs to be noted as `same` does.
            (Expr::Parameter(known), Expr::Parameter(parameter)) => known.number == parameter.number,
            (Expr::Parameter(_), _) | (_, Expr::Parameter(_)) => false,
            _ => same(known, expr),
        };
        self.constants.iter().find(|(known, _)| is_it(known)).map(|(_, reg)| *reg)
    }

    /// Sets the register into which the prologue puts a constant.
    pub fn add_constant(&mut self, expr: Expr<'a>, reg: Reg) {
        self.constants.push((expr, reg));
    }
}
