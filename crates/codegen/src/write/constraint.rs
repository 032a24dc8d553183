//! NOT NULL and CHECK, and failures of constraints. The plan says which of them to check (`lithe_optimize::write::constraints`).

use std::sync::Arc;

use lithe_base::ResultCode;
use lithe_catalog::{Result, Table};
use lithe_optimize::write::constraints::{CheckPlan, Constraints, OnNull};
use lithe_sql::ast::Conflict;
use lithe_sql::text::unquote_start;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, OnConflict, Reg};

use super::row::{self, Row, default_value};
use super::target::Target;
use crate::Codegen;
use crate::derived::not_null_failure;

/// A row that is about to be written, for its constraints.
#[derive(Clone, Copy)]
pub(super) struct Checked<'c, 'a> {
    /// The table.
    pub target: &'c Target<'a>,
    /// The new row.
    pub row: Row,
    /// The target when the row is ignored.
    pub ignore: Addr,
}

/// Checks NOT NULL of the columns that may be NULL: the generated columns, or the other columns. A default that replaces a NULL is checked
/// after all other columns.
pub(super) fn emit_not_null<'a>(
    cg: &mut Codegen<'a>,
    checked: &Checked<'_, 'a>,
    constraints: &Constraints<'a>,
    is_generated: bool,
) -> Result<()> {
    let table = checked.target.table;
    let mut defaults = Vec::new();
    for not_null in constraints.not_null.iter().filter(|not_null| not_null.is_generated == is_generated) {
        let (at, reg) = (not_null.column, checked.row.column(not_null.column));
        if not_null.is_known {
            // SQLite opens the statement journal all the same. It then undoes changes when the type check of a STRICT table
            // fails, or triggers nest too deep.
            if matches!(not_null.on_null, OnNull::Default | OnNull::Fail(Conflict::Abort)) {
                cg.journal.note_may_abort();
            }
            continue;
        }
        match not_null.on_null {
            OnNull::Ignore => cg.b.emit(Insn::IsNull { reg, target: checked.ignore }),
            OnNull::Default => {
                let (column, is_there) = (&table.columns[usize::from(at)], cg.b.label());
                cg.b.emit(Insn::NotNull { reg, target: is_there });
                let value = default_value(cg, column)?;
                cg.emit_into(&value, reg)?;
                row::emit_affinities(cg, reg, std::iter::once(column.affinity));
                cg.b.place(is_there);
                defaults.push((reg, at));
            }
            OnNull::Fail(policy) => emit_halt_if_null(cg, table, at, reg, policy),
        }
    }
    for (reg, at) in defaults {
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

/// Checks the CHECK constraints. The row must be the access of the target's source.
pub(super) fn emit_checks<'a>(
    cg: &mut Codegen<'a>,
    checked: &Checked<'_, 'a>,
    constraints: &Constraints<'a>,
) -> Result<()> {
    for CheckPlan { check, condition, failure } in constraints.checks()? {
        let holds = cg.b.label();
        cg.jump_if_true(condition, holds, true)?;
        match *failure {
            None => cg.b.emit(Insn::Goto { target: checked.ignore }),
            Some(policy) => {
                // As in SQLite, a text that begins with a name in quotes is cut after that name.
                let name = match &check.name {
                    Some(name) => name.as_bytes(),
                    None => unquote_start(&check.text, cg.arena),
                };
                let message = format!("CHECK constraint failed: {}", String::from_utf8_lossy(name));
                emit_failure(cg, policy, ResultCode::CONSTRAINT_CHECK, message);
            }
        }
        cg.b.place(holds);
    }
    Ok(())
}

/// Ends the statement with an error: ABORT, FAIL or ROLLBACK.
pub(crate) fn emit_failure(cg: &mut Codegen<'_>, policy: Conflict, code: ResultCode, message: impl Into<Arc<str>>) {
    let message = cg.b.text(message);
    cg.b.emit(Insn::HaltError { policy: number(policy), code: code.0, message });
    note_policy(cg, policy);
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

/// Only ABORT undoes the statement: FAIL keeps the changes, ROLLBACK undoes the transaction.
fn note_policy(cg: &mut Codegen<'_>, policy: Conflict) {
    if policy == Conflict::Abort {
        cg.journal.note_may_abort();
    }
}
