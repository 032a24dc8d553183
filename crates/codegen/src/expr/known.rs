//! Values that need not be computed: constants and expressions whose value stands in a register or under a cursor.

use lithe_resolve::ir::{AggregateId, Expr, is_constant, same};
use lithe_vm::operand::{CursorId, Reg};

/// Where the values of expressions stand already, at the place where code is generated now.
#[derive(Default)]
pub(crate) struct Known<'a> {
    /// Constants that have a register, filled in the prologue.
    constants: Vec<(Expr<'a>, Reg)>,
    /// Expressions whose value is somewhere else already: GROUP BY terms, indexed expressions.
    replacements: Vec<(Expr<'a>, Replacement)>,
    /// Where the results of aggregates are.
    aggregates: Vec<(AggregateId, Reg)>,
}

/// Where the value of an expression can be had without computing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// In a register.
    Register(Reg),
    /// In a column of the row under a cursor.
    Column(CursorId, u16),
}

impl<'a> Known<'a> {
    /// From here on `expr` need not be computed. Later calls win; [`Known::forget_replacements`] takes them back. A constant may be computed
    /// before all loops, where the register or row has no value yet: it stays what it is.
    pub fn replace(&mut self, expr: Expr<'a>, by: Replacement) {
        if !is_constant(&expr) {
            self.replacements.push((expr, by));
        }
    }

    /// How many replacements there are.
    pub fn replacements(&self) -> usize {
        self.replacements.len()
    }

    /// Takes back all but the first `count` replacements.
    pub fn forget_replacements(&mut self, count: usize) {
        self.replacements.truncate(count);
    }

    /// Where the value of the expression stands.
    pub fn replacement(&self, expr: &Expr<'a>) -> Option<Replacement> {
        if self.replacements.is_empty() {
            return None;
        }
        self.replacements.iter().rev().find(|(known, _)| same(known, expr)).map(|(_, by)| *by)
    }

    /// The result of an aggregate is in this register.
    pub fn set_aggregate(&mut self, id: AggregateId, reg: Reg) {
        self.aggregates.push((id, reg));
    }

    /// The register of an aggregate's result.
    pub fn aggregate(&self, id: AggregateId) -> Option<Reg> {
        self.aggregates.iter().rev().find(|(known, _)| *known == id).map(|(_, reg)| *reg)
    }

    /// The register of a constant.
    pub fn constant(&self, expr: &Expr<'a>) -> Option<Reg> {
        self.constants.iter().find(|(known, _)| same(known, expr)).map(|(_, reg)| *reg)
    }

    /// The prologue puts a constant into this register.
    pub fn add_constant(&mut self, expr: Expr<'a>, reg: Reg) {
        self.constants.push((expr, reg));
    }
}
