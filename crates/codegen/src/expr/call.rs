//! Calls of scalar functions, CASE, RAISE.

use super::computed;
use std::sync::Arc;

use lithe_base::ResultCode;
use lithe_catalog::{Result, fail};
use lithe_functions::{Flags, json};
use lithe_resolve::ir::{
    Call, Case, Compare, CompareOp, Expr, InSet, Matched, Raise, UnaryOp, affinity_of, any, is_constant, makes_json,
};
use lithe_sql::ast::RaiseAction;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{OnConflict, Reg};
use lithe_vm::program::FunctionCall;

use super::super::Codegen;
use super::Value;

/// The most arguments that are marked as constant: the bits of the mark.
const CONSTANT_MARKS: usize = 32;

pub(super) fn emit<'a>(cg: &mut Codegen<'a>, call: &Call<'a>, dst: Reg) -> Result<()> {
    let function = match call.overloads {
        Some(overloads) if cg.known.is_not_overloaded(call) => overloads.function,
        _ => call.function,
    };
    if let (true, Some(Expr::Text(message))) = (function.is_uncallable(), call.args.first()) {
        return fail(String::from_utf8_lossy(message));
    }
    if function.is_builtin() {
        match function.name() {
            "coalesce" | "ifnull" => return emit_coalesce(cg, call.args, dst),
            "likely" | "unlikely" | "likelihood" => return cg.emit_into(&call.args[0], dst),
            _ => {}
        }
    }
    cg.journal.note_may_abort();
    // Only the few functions that compare values need the collation to exist.
    let compares = function.is_builtin() && matches!(function.name(), "min" | "max" | "nullif");
    let collation = match cg.env.collation(call.collation) {
        Err(error) if compares => return Err(error),
        result => result.unwrap_or_default(),
    };
    let (mut constant_arguments, mut bound_arguments) = (0, 0);
    for (at, arg) in call.args.iter().enumerate().take(CONSTANT_MARKS) {
        constant_arguments |= u32::from(is_constant(arg)) << at;
        bound_arguments |= u32::from(is_parameter(arg)) << at;
    }
    let id = cg.b.call(FunctionCall {
        function: Arc::clone(function),
        argument_count: call.args.len() as u16,
        collation,
        constant_arguments,
        bound_arguments,
        must_be_pure: call.must_be_pure,
    });
    let asks_subtypes = function.flags().contains(Flags::SUBTYPE);
    match call.args {
        [] => cg.b.emit(Insn::Call { call: id, start: dst, dst }),
        [one] if !(asks_subtypes && loses_json(cg, one)) => {
            let value = cg.emit(one)?;
            cg.b.emit(Insn::Call { call: id, start: value.reg, dst });
            cg.release(value);
        }
        args => {
            let start = emit_arguments(cg, args, asks_subtypes)?;
            cg.b.emit(Insn::Call { call: id, start, dst });
        }
    }
    Ok(())
}

/// Computes the arguments in adjacent registers. In a loop, constant ones are computed once, before it.
///
/// If the function reads subtypes, an argument that is JSON but has lost its subtype gets it again.
fn emit_arguments<'a>(cg: &mut Codegen<'a>, args: &[Expr<'a>], asks_subtypes: bool) -> Result<Reg> {
    let beside_others = !args.iter().all(is_constant);
    let may_stand = |arg: &Expr<'a>| super::is_for_prologue(arg) || beside_others && is_of_replaced_column(arg);
    emit_arguments_where(cg, args, asks_subtypes, may_stand)
}

/// Whether all calls in a constant are of columns of queries in FROM whose place they have taken.
fn is_of_replaced_column(arg: &Expr<'_>) -> bool {
    let mut has_calls = false;
    let is_other = any(arg, &mut |part| match part {
        Expr::Function(call) => {
            has_calls = true;
            !call.is_in_replaced
        }
        // A column that is equal to the constant is none of a query in FROM.
        Expr::Fixed(_) => true,
        Expr::Subquery(_) | Expr::SubqueryColumn(..) | Expr::Exists(_) => true,
        Expr::In(set) => matches!(set.set, InSet::Query(_)),
        _ => false,
    });
    has_calls && !is_other
}

/// The same of an aggregate. As in SQLite, an operator is computed for each row if it has a call below it, which is made once.
pub(crate) fn emit_aggregate_arguments<'a>(cg: &mut Codegen<'a>, args: &[Expr<'a>]) -> Result<Reg> {
    emit_arguments_where(cg, args, false, |arg| super::is_for_prologue(arg) && !is_operator_of_call(arg))
}

/// Whether a constant is an operator below which a function is called.
pub(crate) fn is_operator_of_call(expr: &Expr<'_>) -> bool {
    let is_operator = match expr {
        Expr::Unary(op, _) => !matches!(op, UnaryOp::Plus | UnaryOp::DropSubtype),
        Expr::Binary(..) | Expr::And(..) | Expr::Or(..) | Expr::Compare(_) | Expr::IsTrue(..) | Expr::Cast(..) => true,
        Expr::IsNull(..) | Expr::Between(_) | Expr::In(_) | Expr::Case(_) | Expr::CompareRows(_) => true,
        _ => false,
    };
    is_operator && is_constant(expr) && any(expr, &mut |part| matches!(part, Expr::Function(_)))
}

/// Computes the arguments, constant ones before a loop if `may_stand` takes them.
fn emit_arguments_where<'a>(
    cg: &mut Codegen<'a>,
    args: &[Expr<'a>],
    asks_subtypes: bool,
    may_stand: impl Fn(&Expr<'a>) -> bool,
) -> Result<Reg> {
    let start = cg.b.registers(args.len());
    let mut standing = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let argument = |cg: &mut Codegen<'a>| emit_argument(cg, arg, start.at(at), asks_subtypes);
        if cg.expr.loops > 0 && is_constant(arg) && may_stand(arg) {
            cg.in_prologue(arg, argument)?;
            standing.push(at);
        } else {
            argument(cg)?;
        }
    }
    // The other registers may be reused after the call; no code is emitted before it.
    (0..args.len()).filter(|at| !standing.contains(at)).for_each(|at| cg.b.free(start.at(at)));
    Ok(start)
}

fn emit_argument<'a>(cg: &mut Codegen<'a>, arg: &Expr<'a>, dst: Reg, asks_subtypes: bool) -> Result<()> {
    cg.emit_into(arg, dst)?;
    if asks_subtypes && loses_json(cg, arg) {
        let subtype = cg.b.temporary();
        cg.b.emit(Insn::Integer { value: i32::from(json::SUBTYPE), dst: subtype });
        cg.b.emit(Insn::SetSubtype { src: subtype, dst });
        cg.b.free(subtype);
    }
    Ok(())
}

/// Whether the expression is JSON, but its value comes from storage that keeps no subtype: a group's key, an index, the state of
/// min() and max().
fn loses_json<'a>(cg: &Codegen<'a>, arg: &Expr<'a>) -> bool {
    makes_json(arg) && (matches!(arg, Expr::Aggregate(_)) || cg.known.replacement(arg).is_some())
}

/// The first value that is not NULL; later ones are not computed.
fn emit_coalesce<'a>(cg: &mut Codegen<'a>, args: &[Expr<'a>], dst: Reg) -> Result<()> {
    let end = cg.b.label();
    for (at, arg) in args.iter().enumerate() {
        cg.emit_into(arg, dst)?;
        if at + 1 < args.len() {
            cg.b.emit(Insn::NotNull { reg: dst, target: end });
        }
    }
    cg.b.place(end);
    Ok(())
}

/// NULL, unless the source has a row.
pub(super) fn emit_matched<'a>(cg: &mut Codegen<'a>, matched: &Matched<'a>, dst: Reg) -> Result<()> {
    let end = cg.b.label();
    let key = cg.emit(&matched.key)?;
    cg.b.emit(Insn::Null { start: dst, count: 1 });
    cg.b.emit(Insn::IsNull { reg: key.reg, target: end });
    cg.release(key);
    cg.emit_into(&matched.value, dst)?;
    cg.b.place(end);
    Ok(())
}

pub(super) fn emit_case<'a>(cg: &mut Codegen<'a>, case: &Case<'a>, dst: Reg) -> Result<()> {
    let end = cg.b.label();
    let operand: Option<Value> = case.operand.as_ref().map(|operand| cg.emit(operand)).transpose()?;
    for when in case.whens {
        let next = cg.b.label();
        match (&operand, &case.operand) {
            (Some(value), Some(expr)) => {
                let left = computed(value.reg, affinity_of(expr));
                let compare = Compare { op: CompareOp::Eq, left, right: when.condition, how: when.how, replaced: None };
                cg.jump_if_false(&Expr::Compare(cg.arena.alloc(compare)), next, true)?;
            }
            _ => cg.jump_if_false(&when.condition, next, true)?,
        }
        cg.emit_into(&when.value, dst)?;
        cg.b.emit(Insn::Goto { target: end });
        cg.b.place(next);
    }
    match &case.otherwise {
        Some(otherwise) => cg.emit_into(otherwise, dst)?,
        None => cg.b.emit(Insn::Null { start: dst, count: 1 }),
    }
    cg.b.place(end);
    if let Some(value) = operand {
        cg.release(value);
    }
    Ok(())
}

/// RAISE ends the statement or, with IGNORE, the trigger's program: it never has a value.
pub(super) fn emit_raise<'a>(cg: &mut Codegen<'a>, raise: &Raise<'a>) -> Result<()> {
    if !raise.is_allowed && !cg.is_body() {
        return fail("RAISE() may only be used within a trigger-program");
    }
    let policy = match raise.action {
        RaiseAction::Ignore => OnConflict::Ignore,
        RaiseAction::Rollback => OnConflict::Rollback,
        RaiseAction::Abort => OnConflict::Abort,
        RaiseAction::Fail => OnConflict::Fail,
    } as u8;
    // Outside of a trigger, only the engine's own statements raise errors.
    let code = if cg.is_body() { ResultCode::CONSTRAINT_TRIGGER.0 } else { ResultCode::ERROR.0 };
    match &raise.message {
        None => {
            let message = cg.b.text("");
            cg.b.emit(Insn::HaltError { policy, code, message });
        }
        Some(Expr::Text(text)) => {
            let message = cg.b.text(String::from_utf8_lossy(text).into_owned());
            cg.b.emit(Insn::HaltError { policy, code, message });
        }
        Some(expr) => {
            let value = cg.emit(expr)?;
            cg.b.emit(Insn::HaltErrorReg { policy, code, message: value.reg });
            cg.release(value);
        }
    }
    Ok(())
}

/// Whether the value is that of a parameter (`sqlite3_value_frombind`).
fn is_parameter(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Parameter(_) => true,
        Expr::Cast(operand, _) | Expr::Collate(operand, _) | Expr::Unary(UnaryOp::Plus, operand) => {
            is_parameter(operand)
        }
        _ => false,
    }
}
