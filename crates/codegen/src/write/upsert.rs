//! ON CONFLICT ... DO UPDATE: the existing row is updated instead of the insertion.

use lithe_catalog::{CompileError, Result};
use lithe_optimize::write::upsert::UpsertPlan;
use lithe_resolve::{ResolvedInsert, UpsertSet};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Addr;

use super::returning::Rows as ReturningRows;
use super::row::Row;
use super::target::Target;
use super::update::{Updating, emit_update_row};
use crate::{Codegen, ColumnAccess};

/// The ON CONFLICT clauses of an INSERT.
pub(super) struct Upserts<'c, 'a> {
    /// The plan for the update of each clause.
    updates: &'c [Option<UpsertPlan<'a>>],
    /// The code that updates the existing row, by clause.
    pub places: Vec<Addr>,
}

impl<'c, 'a> Upserts<'c, 'a> {
    /// Prepares a label for the update of each clause.
    pub fn new(cg: &mut Codegen<'_>, updates: &'c [Option<UpsertPlan<'a>>]) -> Upserts<'c, 'a> {
        Upserts { updates, places: updates.iter().map(|_| cg.b.label()).collect() }
    }

    /// Emits the updates, which the insertion jumps over; each continues with the next row. An update that no check can reach is
    /// not compiled: errors in its triggers are not reported. Errors in the triggers of the other updates are reported before those in
    /// triggers AFTER INSERT.
    pub fn emit_updates(
        &self,
        cg: &mut Codegen<'a>,
        insert: &ResolvedInsert<'a>,
        target: &Target<'a>,
        excluded: Row,
        next: Addr,
        returning: Option<&ReturningRows<'a>>,
    ) -> Result<()> {
        if self.updates.iter().all(Option::is_none) {
            return Ok(());
        }
        let behind = cg.b.label();
        cg.b.emit(Insn::Goto { target: behind });
        for ((update, place), clause) in self.updates.iter().zip(&self.places).zip(insert.upserts) {
            let (Some(update), Some(set)) = (update, clause.update) else { continue };
            cg.b.place(*place);
            emit_real_columns(cg, target, excluded);
            cg.set_access(insert.excluded, excluded.access());
            emit_update(cg, insert, target, (&set, update), next, returning)?;
            cg.b.emit(Insn::Goto { target: next });
        }
        cg.b.place(behind);
        cg.set_access(target.source, excluded.access());
        Ok(())
    }
}

/// `excluded` has reals in REAL columns, whatever values were given; other affinities may not have been applied yet.
fn emit_real_columns(cg: &mut Codegen<'_>, target: &Target<'_>, excluded: Row) {
    for (at, column) in target.table.columns.iter().enumerate() {
        if column.affinity == Affinity::Real {
            cg.b.emit(Insn::RealAffinity { reg: excluded.column(at as u16) });
        }
    }
}

/// Emits an update of the existing row, which is under the table's cursor.
fn emit_update<'a>(
    cg: &mut Codegen<'a>,
    insert: &ResolvedInsert<'a>,
    target: &Target<'a>,
    (set, update): (&UpsertSet<'a>, &UpsertPlan<'a>),
    next: Addr,
    returning: Option<&ReturningRows<'a>>,
) -> Result<()> {
    cg.set_access(target.source, ColumnAccess::Table { cursor: target.cursor, table: target.table });
    cg.explain.expr_queries(update.queries.as_ref().map_err(CompileError::clone)?);
    if let Some(filter) = &set.filter {
        cg.jump_if_false(filter, next, true)?;
    }
    let old_key = cg.b.registers(target.key_width());
    target.emit_key(cg, old_key)?;
    let plan = update.row.as_ref().map_err(CompileError::clone)?;
    if !plan.keys.is_empty() || !plan.triggers.is_empty() {
        cg.journal.note_more_changes();
    }
    let updating = Updating {
        change: &insert.target,
        target,
        set: set.set,
        plan,
        old_key,
        next,
        is_one_pass: false,
        returning,
        returning_plan: update.returning.as_ref(),
        is_counted: false,
    };
    emit_update_row(cg, &updating)
}
