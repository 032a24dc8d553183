//! NOT NULL and CHECK; what happens when a constraint does not hold.

use std::sync::Arc;

use lithe_base::ResultCode;
use lithe_catalog::{Result, Table};
use lithe_resolve::Stored;
use lithe_resolve::ir::Expr;
use lithe_sql::ast::Conflict;
use lithe_sql::text::unquote_start;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, OnConflict, Reg};

use super::row::{self, Row, default_value, policy_of};
use super::target::{Changed, Target};
use crate::Codegen;
use crate::derived::not_null_failure;

/// A row that is about to be written, for its constraints.
#[derive(Clone, Copy)]
pub(super) struct Checked<'c, 'a> {
    /// Where it goes.
    pub target: &'c Target<'a>,
    /// The new row.
    pub row: Row,
    /// OR action of the statement.
    pub policy: Option<Conflict>,
    /// What an UPDATE changes; `None` for INSERT.
    pub changed: Option<&'c Changed>,
    /// Where to go on when the row is ignored.
    pub ignore: Addr,
}

/// The columns that are known not to be NULL, by position; an empty list knows nothing.
pub(super) type NeverNull = [bool];

/// Checks NOT NULL of all columns that may be NULL now. REPLACE puts the default in; whether that is NULL is checked after
/// all others.
pub(super) fn emit_not_null<'a>(
    cg: &mut Codegen<'a>,
    checked: &Checked<'_, 'a>,
    never_null: &NeverNull,
    generated: bool,
) -> Result<()> {
    let table = checked.target.table;
    let mut replaced = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        let Some(own_policy) = column.not_null else { continue };
        let at = at as u16;
        let is_same = checked.changed.is_some_and(|changed| !changed.has_column(at));
        let is_known = never_null.get(usize::from(at)).is_some_and(|known| *known);
        let is_rowid = table.rowid_column == Some(at);
        if is_same || is_rowid || column.is_generated() != generated {
            continue;
        }
        let reg = checked.row.column(at);
        let mut policy = policy_of(checked.policy, Some(own_policy));
        if is_known {
            // SQLite opens the statement journal all the same, which undoes what the types of a STRICT table refuse, and triggers that
            // nest too deep.
            if matches!(policy, Conflict::Abort | Conflict::Replace) {
                cg.note_may_abort();
            }
            continue;
        }
        if policy == Conflict::Replace {
            // Without a default it is ABORT.
            if column.default.is_some() {
                let is_there = cg.b.label();
                cg.b.emit(Insn::NotNull { reg, target: is_there });
                let value = default_value(cg, column)?;
                cg.emit_into(&value, reg)?;
                row::emit_affinities(cg, reg, std::iter::once(column.affinity));
                cg.b.place(is_there);
                replaced.push((reg, at));
                continue;
            }
            policy = Conflict::Abort;
        }
        if policy == Conflict::Ignore {
            cg.b.emit(Insn::IsNull { reg, target: checked.ignore });
            continue;
        }
        emit_halt_if_null(cg, table, at, reg, policy);
    }
    for (reg, at) in replaced {
        emit_halt_if_null(cg, table, at, reg, Conflict::Abort);
    }
    Ok(())
}

fn emit_halt_if_null(cg: &mut Codegen<'_>, table: &Table, at: u16, value: Reg, policy: Conflict) {
    let message = cg.b.text(not_null_failure(table, usize::from(at)));
    let code = ResultCode::CONSTRAINT_NOTNULL.0;
    cg.b.emit(Insn::HaltIfNull { policy: number(policy), value, code, message });
    note_policy(cg, policy);
}

/// Checks the CHECK constraints that the change can violate, and answers whether there is one. The row must be the access of the target's
/// source.
pub(super) fn emit_checks<'a>(cg: &mut Codegen<'a>, checked: &Checked<'_, 'a>) -> Result<bool> {
    let Checked { target, .. } = *checked;
    if cg.env.flags.ignore_check_constraints {
        return Ok(false);
    }
    let mut has_checked = false;
    for check in &target.table.checks {
        let condition = cg.resolver.stored_expr(&check.text, Stored::Check, target.source, target.db, target.table)?;
        if checked.changed.is_some_and(|changed| !target.depends_on(&condition, changed)) {
            continue;
        }
        has_checked = true;
        let holds = cg.b.label();
        cg.jump_if_true(&condition, holds, true)?;
        match checked.policy {
            Some(Conflict::Ignore) => cg.b.emit(Insn::Goto { target: checked.ignore }),
            policy => {
                // A text that begins with a name in quotes is cut behind that name, as in SQLite.
                let name = match &check.name {
                    Some(name) => name.as_bytes(),
                    None => unquote_start(&check.text, cg.arena),
                };
                let message = format!("CHECK constraint failed: {}", String::from_utf8_lossy(name));
                let policy = policy.filter(|policy| *policy != Conflict::Replace).unwrap_or(Conflict::Abort);
                emit_failure(cg, policy, ResultCode::CONSTRAINT_CHECK, message);
            }
        }
        cg.b.place(holds);
    }
    Ok(has_checked)
}

/// The statement ends with an error: ABORT, FAIL or ROLLBACK.
pub(crate) fn emit_failure(cg: &mut Codegen<'_>, policy: Conflict, code: ResultCode, message: impl Into<Arc<str>>) {
    let message = cg.b.text(message);
    cg.b.emit(Insn::HaltError { policy: number(policy), code: code.0, message });
    note_policy(cg, policy);
}

/// Whether the expression's value can never be NULL.
pub(super) fn is_never_null(expr: &Expr<'_>) -> bool {
    matches!(expr, Expr::Integer(_) | Expr::Boolean(_) | Expr::Real(_) | Expr::Text(_) | Expr::Blob(_))
}

/// The policy's number in instructions.
pub(super) fn number(policy: Conflict) -> u8 {
    (match policy {
        Conflict::Rollback => OnConflict::Rollback,
        Conflict::Abort => OnConflict::Abort,
        Conflict::Fail => OnConflict::Fail,
        Conflict::Ignore => OnConflict::Ignore,
        Conflict::Replace => OnConflict::Replace,
    }) as u8
}

/// Only ABORT undoes the statement: FAIL keeps what is done, ROLLBACK undoes everything.
fn note_policy(cg: &mut Codegen<'_>, policy: Conflict) {
    if policy == Conflict::Abort {
        cg.note_may_abort();
    }
}
