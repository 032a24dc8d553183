//! Expressions as values.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `condition` | expressions as jumps |
//! | `compare` | comparisons, of scalars and of rows |
//! | `column` | columns of sources, from cursors or registers |
//! | `call` | functions, CASE, RAISE |
//! | `in_set` | IN |
//! | `known` | values that need not be computed |
//! | `operands` | two operands, one of which may contain a query |
//! | `subquery` | queries within expressions |

pub(crate) mod call;
mod column;
mod compare;
mod condition;
pub(crate) mod in_set;
mod known;
mod operands;
mod subquery;

use lithe_catalog::{Result, fail};
use lithe_resolve::ir::{
    BinaryOp, Call, Child, ComputedId, Expr, Parameter, SourceId, SubqueryId, UnaryOp, any, for_each_child, is_constant,
};
use lithe_value::{Affinity, ValueRef};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::Codegen;
pub(crate) use known::{Known, Replacement};
use operands::Logical;

/// A register that holds a value to be read.
#[derive(Clone, Copy, Debug)]
#[must_use = "a temporary register is given back by release"]
pub struct Value {
    /// The register.
    pub reg: Reg,
    is_temporary: bool,
}

/// The rows of subqueries that are known, by their first registers; none where they are not shared.
pub(crate) type SharedRows = Option<Vec<(SubqueryId, Reg)>>;

/// The nesting of generated columns and loops at the code that is generated now.
#[derive(Default)]
pub(super) struct State {
    /// The generated columns that are being computed: one that occurs again depends on itself.
    generating: Vec<(SourceId, usize)>,
    /// How many loops are open: inside a loop, a constant is worth a register.
    loops: u32,
    /// The code is that of a constant which is computed once, where it is needed. As in SQLite, no part of it is computed before all loops
    /// that may fail.
    is_once: bool,
    /// The code is that of a constant of the prologue that has jumps: what is computed in it may not be computed at all, and serves no other
    /// expression.
    is_conditional: bool,
    /// The rows of subqueries whose columns are values of one list, if one is computed ([`Codegen::sharing_rows`]), or stand in the conditions
    /// of one join.
    rows: SharedRows,
}

/// The value in a register as an expression, for use in other expressions.
pub(crate) fn computed<'a>(register: Reg, affinity: Option<Affinity>) -> Expr<'a> {
    Expr::Computed(ComputedId(register.0), affinity)
}

impl<'a> Codegen<'a> {
    /// The value of the expression in a register, which must only be read.
    pub fn emit(&mut self, expr: &Expr<'a>) -> Result<Value> {
        if let Some(reg) = self.standing_register(expr)? {
            return Ok(Value { reg, is_temporary: false });
        }
        self.emit_anew(expr)
    }

    /// The value of the expression in a register of its own. An operator is computed here even if it is constant.
    pub(crate) fn emit_anew(&mut self, expr: &Expr<'a>) -> Result<Value> {
        let reg = self.b.temporary();
        self.emit_into(expr, reg)?;
        Ok(Value { reg, is_temporary: true })
    }

    /// Frees the register of a value, if it is a temporary one.
    pub fn release(&mut self, value: Value) {
        if value.is_temporary {
            self.b.free(value.reg);
        }
    }

    /// The values of the expressions in adjacent new registers, which the caller may change, and frees by
    /// [`Codegen::free_registers`].
    pub fn emit_list(&mut self, exprs: &[Expr<'a>]) -> Result<Reg> {
        let start = self.b.registers(exprs.len());
        self.emit_list_into(exprs, start)?;
        Ok(start)
    }

    /// Puts the values of the expressions into the registers from `start` on.
    pub fn emit_list_into(&mut self, exprs: &[Expr<'a>], start: Reg) -> Result<()> {
        self.sharing_rows(|cg| {
            for (at, expr) in exprs.iter().enumerate() {
                cg.emit_into(expr, start.at(at))?;
            }
            Ok(())
        })
    }

    /// Runs `f`, which computes a list of values: a subquery of which several are columns runs once for all of them.
    pub(crate) fn sharing_rows<T>(&mut self, f: impl FnOnce(&mut Codegen<'a>) -> Result<T>) -> Result<T> {
        if !self.resolver.has_subqueries() {
            return f(self);
        }
        let outer = self.expr.rows.replace(Vec::new());
        let result = f(self);
        self.expr.rows = outer;
        result
    }

    /// From here on, the rows of these subqueries are known. Returns those that were known before.
    pub(crate) fn share_rows(&mut self, rows: SharedRows) -> SharedRows {
        std::mem::replace(&mut self.expr.rows, rows)
    }

    /// The rows of subqueries that are known.
    pub(crate) fn shared_rows(&self) -> SharedRows {
        self.expr.rows.clone()
    }

    /// Puts the value of the expression into `dst`.
    pub fn emit_into(&mut self, expr: &Expr<'a>, dst: Reg) -> Result<()> {
        if let Some(replacement) = self.known.replacement(expr) {
            self.emit_replacement(replacement, dst);
            return Ok(());
        }
        match expr {
            Expr::Null => self.b.emit(Insn::Null { start: dst, count: 1 }),
            Expr::Integer(value) => self.emit_integer(*value, dst),
            Expr::Boolean(truth) => self.emit_integer(i64::from(*truth), dst),
            Expr::Real(value) => self.emit_constant(ValueRef::Real(*value), dst),
            Expr::Text(text) => self.emit_constant(ValueRef::Text(text), dst),
            Expr::Blob(blob) => self.emit_constant(ValueRef::Blob(blob), dst),
            Expr::Parameter(Parameter { number, .. }) => {
                self.b.uses_parameter(*number);
                self.b.emit(Insn::Parameter { number: *number, dst });
            }
            Expr::Column(column) => column::emit(self, column, dst)?,
            Expr::Fixed(fixed) => {
                self.emit_into(&fixed.value, dst)?;
                let affinities = self.b.affinity_list(fixed.column.affinity.as_slice());
                self.b.emit(Insn::Affinity { start: dst, affinities });
            }
            Expr::Unary(op, operand) => self.emit_unary(*op, operand, dst)?,
            Expr::Binary(op, left, right) => self.emit_binary(*op, left, right, dst)?,
            Expr::And(left, right) => operands::emit_logical(self, Logical::And, left, right, dst)?,
            Expr::Or(left, right) => operands::emit_logical(self, Logical::Or, left, right, dst)?,
            Expr::Compare(compare) => compare::emit_comparison(self, compare, dst)?,
            Expr::CompareRows(compare) => compare::emit_row_comparison(self, compare, dst)?,
            Expr::IsTrue(operand, test) => {
                let value = self.emit(operand)?;
                let (null_gives, invert) = (u8::from(test.null_gives), u8::from(test.invert));
                self.b.emit(Insn::IsTrue { null_gives, invert, src: value.reg, dst });
                self.release(value);
            }
            Expr::IsNull(..) | Expr::Between(_) => condition::emit_truth(self, expr, dst)?,
            Expr::In(set) => in_set::emit(self, set, dst)?,
            Expr::Case(case) => call::emit_case(self, case, dst)?,
            Expr::Matched(matched) => call::emit_matched(self, matched, dst)?,
            Expr::Cast(operand, affinity) => {
                self.emit_into(operand, dst)?;
                self.b.emit(Insn::Cast { affinity: *affinity as u8, reg: dst });
            }
            Expr::Collate(operand, _) => self.emit_into(operand, dst)?,
            Expr::Function(call) => {
                let is_once = self.expr.is_once || is_constant(expr);
                let outer = std::mem::replace(&mut self.expr.is_once, is_once);
                let emitted = call::emit(self, call, dst);
                self.expr.is_once = outer;
                emitted?;
            }
            Expr::Aggregate(_) | Expr::Window(_) | Expr::Computed(..) => {
                let src = self.result_register(expr)?;
                self.emit_copy(src, dst);
            }
            Expr::Subquery(subquery) => subquery::emit_value(self, subquery, dst)?,
            Expr::SubqueryColumn(subquery, at) => subquery::emit_column(self, subquery, *at, dst)?,
            Expr::Exists(subquery) => subquery::emit_exists(self, subquery, dst)?,
            // Neither is a scalar: a row value has several columns, and ORDER BY of a compound query is read from its rows.
            Expr::Row(_) | Expr::Output(_) => return fail("row value misused"),
            Expr::Raise(raise) => call::emit_raise(self, raise)?,
        }
        Ok(())
    }

    /// Jumps to `target` if the condition is true, and if it is NULL when `null_jumps` is set.
    pub fn jump_if_true(&mut self, condition: &Expr<'a>, target: Addr, null_jumps: bool) -> Result<()> {
        condition::jump_if_true(self, condition, target, null_jumps)
    }

    /// Jumps to `target` if the condition is false, and if it is NULL when `null_jumps` is set.
    pub fn jump_if_false(&mut self, condition: &Expr<'a>, target: Addr, null_jumps: bool) -> Result<()> {
        condition::jump_if_false(self, condition, target, null_jumps)
    }

    /// Runs `f`, which emits code of a loop's body.
    pub(crate) fn in_loop<T>(&mut self, f: impl FnOnce(&mut Codegen<'a>) -> Result<T>) -> Result<T> {
        self.enter_loop();
        let result = f(self);
        self.leave_loop();
        result
    }

    /// Begins code that runs repeatedly.
    pub(crate) fn enter_loop(&mut self) {
        self.expr.loops += 1;
    }

    /// Ends the loop that was entered last.
    pub(crate) fn leave_loop(&mut self) {
        self.expr.loops -= 1;
    }

    /// Copies a register, unless it is the same one.
    pub(crate) fn emit_copy(&mut self, src: Reg, dst: Reg) {
        if src != dst {
            self.b.emit(Insn::Copy { src, dst, count: 1 });
        }
    }

    /// Copies adjacent registers, unless source and destination are the same.
    pub(crate) fn emit_copy_row(&mut self, src: Reg, dst: Reg, width: usize) {
        if src != dst && width > 0 {
            self.b.emit(Insn::Copy { src, dst, count: width as u32 });
        }
    }

    /// Puts an integer into `dst`.
    pub(crate) fn emit_integer(&mut self, value: i64, dst: Reg) {
        match i32::try_from(value) {
            Ok(value) => self.b.emit(Insn::Integer { value, dst }),
            Err(_) => self.emit_constant(ValueRef::Integer(value), dst),
        }
    }

    fn emit_constant(&mut self, value: ValueRef<'_>, dst: Reg) {
        let value = self.b.constant(value);
        self.b.emit(Insn::Const { value, dst });
    }

    /// The register that already has the value: computed before, or of a constant.
    fn standing_register(&mut self, expr: &Expr<'a>) -> Result<Option<Reg>> {
        match self.known.replacement(expr) {
            Some(Replacement::Register(reg)) => return Ok(Some(reg)),
            Some(Replacement::Column(..)) => return Ok(None),
            None => {}
        }
        match expr {
            Expr::Computed(..) | Expr::Aggregate(_) | Expr::Window(_) => self.result_register(expr).map(Some),
            Expr::Column(column) => Ok(column::column_register(self, column)),
            Expr::Collate(operand, _) | Expr::Unary(UnaryOp::Plus, operand) => self.standing_register(operand),
            Expr::Subquery(_) | Expr::Exists(_) | Expr::Raise(_) => Ok(None),
            Expr::Parameter(_) => match self.known.constant(expr) {
                Some(reg) => Ok(Some(reg)),
                None if self.expr.is_conditional => Ok(None),
                None => self.prologue_register(expr).map(Some),
            },
            _ if is_constant(expr) => self.constant_register(expr),
            _ => Ok(None),
        }
    }

    fn result_register(&self, expr: &Expr<'a>) -> Result<Reg> {
        let found = match expr {
            Expr::Computed(value, _) => Some(Reg(value.0)),
            Expr::Aggregate(aggregate) => self.known.aggregate(aggregate.id),
            _ => None,
        };
        match (found, expr) {
            (Some(reg), _) => Ok(reg),
            (None, Expr::Aggregate(aggregate)) => fail(format!("misuse of aggregate: {}()", aggregate.function.name())),
            (None, _) => fail("misuse of window function"),
        }
    }

    /// A register with the value of a constant expression, computed once. `None` where it is as cheap to compute it in place.
    fn constant_register(&mut self, expr: &Expr<'a>) -> Result<Option<Reg>> {
        if let Some(reg) = self.known.constant(expr) {
            return Ok(Some(reg));
        }
        if self.expr.is_conditional {
            return Ok(None);
        }
        let has_calls = || any(expr, &mut |part| matches!(part, Expr::Function(_)));
        if is_for_prologue(expr) && !(self.expr.is_once && has_calls()) {
            return self.prologue_register(expr).map(Some);
        }
        if self.expr.loops == 0 {
            return Ok(None);
        }
        // A function may fail, so it is not called before its value is needed: the first time that this place is reached.
        let (reg, computed) = (self.b.register(), self.b.label());
        self.b.emit(Insn::Once { target: computed });
        let loops = std::mem::take(&mut self.expr.loops);
        let is_once = std::mem::replace(&mut self.expr.is_once, true);
        let result = self.emit_into(expr, reg);
        (self.expr.loops, self.expr.is_once) = (loops, is_once);
        result?;
        self.b.place(computed);
        Ok(Some(reg))
    }

    /// A register with the value of a constant expression, which the prologue computes.
    fn prologue_register(&mut self, expr: &Expr<'a>) -> Result<Reg> {
        let reg = self.b.register();
        self.in_prologue(expr, |cg| cg.emit_into(expr, reg))?;
        self.known.add_constant(*expr, reg);
        Ok(reg)
    }

    /// Runs `f`, which emits the code of a constant in the prologue.
    fn in_prologue(&mut self, expr: &Expr<'a>, f: impl FnOnce(&mut Codegen<'a>) -> Result<()>) -> Result<()> {
        let outer = self.b.set_prologue(true);
        let loops = std::mem::take(&mut self.expr.loops);
        let is_conditional = self.expr.is_conditional;
        self.expr.is_conditional = is_conditional || any(expr, &mut |part| has_jumps(part));
        let result = f(self);
        self.expr.is_conditional = is_conditional;
        self.expr.loops = loops;
        self.b.set_prologue(outer);
        result
    }

    fn emit_replacement(&mut self, replacement: Replacement, dst: Reg) {
        match replacement {
            Replacement::Register(src) => self.emit_copy(src, dst),
            Replacement::Column(cursor, column) => self.b.emit(Insn::Column { cursor, column, dst }),
        }
    }

    fn emit_unary(&mut self, op: UnaryOp, operand: &Expr<'a>, dst: Reg) -> Result<()> {
        if op == UnaryOp::Plus {
            return self.emit_into(operand, dst);
        }
        if op == UnaryOp::DropSubtype {
            self.emit_into(operand, dst)?;
            self.b.emit(Insn::ClearSubtype { start: dst, count: 1 });
            return Ok(());
        }
        if op == UnaryOp::Stored {
            self.emit_into(operand, dst)?;
            return emit_stored_real(self, dst);
        }
        let value = self.emit(operand)?;
        let src = value.reg;
        self.b.emit(match op {
            UnaryOp::BitNot => Insn::BitNot { src, dst },
            UnaryOp::Not => Insn::Not { src, dst },
            UnaryOp::Negate | UnaryOp::Plus | UnaryOp::DropSubtype | UnaryOp::Stored => Insn::Negate { src, dst },
        });
        self.release(value);
        Ok(())
    }

    fn emit_binary(&mut self, op: BinaryOp, left: &Expr<'a>, right: &Expr<'a>, dst: Reg) -> Result<()> {
        operands::emit_strict(self, left, right, dst, |cg, lhs, rhs| {
            cg.b.emit(match op {
                BinaryOp::Add => Insn::Add { lhs, rhs, dst },
                BinaryOp::Subtract => Insn::Subtract { lhs, rhs, dst },
                BinaryOp::Multiply => Insn::Multiply { lhs, rhs, dst },
                BinaryOp::Divide => Insn::Divide { lhs, rhs, dst },
                BinaryOp::Modulo => Insn::Remainder { lhs, rhs, dst },
                BinaryOp::Concat => Insn::Concat { lhs, rhs, dst },
                BinaryOp::BitAnd => Insn::BitAnd { lhs, rhs, dst },
                BinaryOp::BitOr => Insn::BitOr { lhs, rhs, dst },
                BinaryOp::ShiftLeft => Insn::ShiftLeft { lhs, rhs, dst },
                BinaryOp::ShiftRight => Insn::ShiftRight { lhs, rhs, dst },
            });
            Ok(())
        })
    }
}

/// Whether a constant is computed in the prologue: its code has no jumps, so that its cost is negligible even if its value is never used,
/// and no calls, which may fail. As in SQLite, a call that has taken the place of a column does not count.
fn is_for_prologue(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Unary(UnaryOp::DropSubtype, operand) => is_for_prologue(operand),
        Expr::Function(_) => false,
        _ => is_jumpless(expr, false),
    }
}

/// Whether the code of an expression has jumps of its own.
fn has_jumps(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Case(_) | Expr::In(_) | Expr::Between(_) | Expr::IsNull(..) | Expr::CompareRows(_) | Expr::Row(_) => true,
        Expr::Function(call) => is_first_not_null(call),
        _ => false,
    }
}

/// Whether the call is compiled to a choice between its arguments.
fn is_first_not_null(call: &Call<'_>) -> bool {
    call.function.is_builtin() && matches!(call.function.name(), "coalesce" | "ifnull")
}

/// Whether the code of a constant has no jumps, and no calls unless they are `allowed` or have taken the place of a column, which may have jumps
/// around them.
fn is_jumpless(expr: &Expr<'_>, allowed: bool) -> bool {
    let allowed = match expr {
        Expr::Function(call) => {
            if is_first_not_null(call) || !(allowed || call.replaces_column) {
                return false;
            }
            true
        }
        // In SQLite, what is around it is not computed before all loops.
        Expr::Fixed(fixed) if any(&fixed.value, &mut |part| matches!(part, Expr::Function(_))) => return false,
        // Around a call that has taken the place of a column, SQLite does not mind jumps.
        _ if has_jumps(expr) => {
            if !any(expr, &mut |part| matches!(part, Expr::Function(call) if call.replaces_column)) {
                return false;
            }
            allowed
        }
        Expr::Matched(_) => return false,
        _ => allowed,
    };
    let mut all = true;
    for_each_child(expr, &mut |child| match child {
        Child::Expr(operand) => all = all && is_jumpless(operand, allowed),
        Child::Query(_) => all = false,
    });
    all
}

/// The smallest and the largest integer that take 6 bytes: reals beyond them stay reals in the record.
const SIX_BYTES: (i64, i64) = (-(1 << 47), (1 << 47) - 1);

/// Converts a real to an integer if it is stored as one.
fn emit_stored_real(cg: &mut Codegen<'_>, reg: Reg) -> Result<()> {
    let stays = cg.b.label();
    let limit = cg.b.register();
    let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
    cg.emit_into(&Expr::Integer(SIX_BYTES.0), limit)?;
    cg.b.emit(Insn::Lt { flags, collation, lhs: reg, rhs: limit, target: stays });
    cg.emit_into(&Expr::Integer(SIX_BYTES.1), limit)?;
    cg.b.emit(Insn::Gt { flags, collation, lhs: reg, rhs: limit, target: stays });
    let affinities = cg.b.affinity_list(&[Affinity::Integer]);
    cg.b.emit(Insn::Affinity { start: reg, affinities });
    cg.b.place(stays);
    Ok(())
}
