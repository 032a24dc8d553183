//! ON CONFLICT ... DO UPDATE: the existing row is updated instead of the insertion.

use std::cell::RefCell;

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
    insert: &'c ResolvedInsert<'a>,
    /// The plan for the update of each clause.
    updates: &'c [Option<UpsertPlan<'a>>],
    target: &'c Target<'a>,
    excluded: Row,
    next: Addr,
    returning: Option<&'c ReturningRows<'a>>,
    /// The code of each update that is emitted already.
    places: RefCell<Vec<Option<Addr>>>,
}

impl<'c, 'a> Upserts<'c, 'a> {
    /// The clauses of an INSERT of the row `excluded`. Each update continues with the next row.
    pub fn new(
        insert: &'c ResolvedInsert<'a>,
        updates: &'c [Option<UpsertPlan<'a>>],
        (target, excluded): (&'c Target<'a>, Row),
        next: Addr,
        returning: Option<&'c ReturningRows<'a>>,
    ) -> Upserts<'c, 'a> {
        let places = RefCell::new(vec![None; updates.len()]);
        Upserts { insert, updates, target, excluded, next, returning, places }
    }

    /// Emits the update of the clause at this position, or a jump to it. It stands where the first check reaches it, as in SQLite, which
    /// shows in the order in which triggers and foreign key actions are compiled. An update that no check can reach is not compiled:
    /// errors in its triggers are not reported.
    pub fn emit_update(&self, cg: &mut Codegen<'a>, at: usize) -> Result<()> {
        let (Some(update), Some(set)) = (&self.updates[at], self.insert.upserts[at].update) else {
            unreachable!("the plan of the checks has clauses that update");
        };
        if let Some(target) = self.places.borrow()[at] {
            cg.b.emit(Insn::Goto { target });
            return Ok(());
        }
        let place = cg.b.label();
        cg.b.place(place);
        self.places.borrow_mut()[at] = Some(place);
        emit_real_columns(cg, self.target, self.excluded);
        cg.set_access(self.insert.excluded, self.excluded.access());
        emit_update(cg, self.insert, self.target, (&set, update), self.next, self.returning)?;
        cg.b.emit(Insn::Goto { target: self.next });
        cg.set_access(self.target.source, self.excluded.access());
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
