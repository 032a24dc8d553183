//! UPDATE.

use crate::expr::computed;
use lithe_catalog::Result;
use lithe_optimize::write::returning::ReturningPlan;
use lithe_optimize::write::update::{RowUpdate, UpdatePlan, UpdateRows};
use lithe_resolve::ir::OutputColumn;
use lithe_resolve::{Assigned, ChangeTarget, ChangedColumn, ResolvedChange};
use lithe_vm::insn::{Insn, delete_flags, insert_flags};
use lithe_vm::operand::{Addr, Reg};

use super::change_loop::ChangeLoop;
use super::constraint::{Checked, emit_checks, emit_not_null};
use super::index::{emit_delete_entries, emit_insert_entries, emit_insert_row_entry};
use super::returning::{Rows as ReturningRows, emit_row as emit_returning};
use super::row::{self, Row, RowChange, emit_old_row};
use super::target::Target;
use super::unique::{Unique, Uniqueness, emit_unique};
use super::{fire, foreign_key};
use crate::{Codegen, ColumnAccess};

/// Emits an UPDATE. Returns the columns of RETURNING.
pub(crate) fn update<'a>(
    cg: &mut Codegen<'a>,
    change: &'a ResolvedChange<'a>,
    plan: &UpdatePlan<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    let counted = super::begin_row_count(cg, "rows updated", change.returning.is_some());
    match plan {
        UpdatePlan::Rows(plan) => update_rows(cg, change, plan)?,
        UpdatePlan::View(plan) => super::view::change(cg, change, plan)?,
        UpdatePlan::Virtual(plan) => super::virtual_table::change(cg, change, plan)?,
    }
    Ok(change.returning.map_or(counted, |returning| returning.columns))
}

fn update_rows<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>, plan: &UpdateRows<'a>) -> Result<()> {
    if plan.changes_more_than_once {
        cg.journal.note_more_changes();
    }
    let returning = ReturningRows::open(cg, change.returning, false)?;
    let mut target = Target::new(cg, &plan.table)?;
    let rows = ChangeLoop::begin(cg, change, &mut target, &plan.rows)?;
    let set = rows.values.map_or(change.set, |values| from_registers(cg, change.set, values));
    let updating = Updating {
        change: &change.target,
        target: &target,
        set,
        plan: &plan.row,
        old_key: rows.key,
        next: rows.next,
        is_one_pass: rows.is_one_pass,
        returning: returning.as_ref(),
        returning_plan: plan.returning.as_ref(),
        is_counted: true,
    };
    cg.in_loop(|cg| emit_update_row(cg, &updating))?;
    rows.end(cg)?;
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// An UPDATE of the row under the table's cursor, for an UPDATE statement or an UPSERT.
pub(super) struct Updating<'c, 'a> {
    pub change: &'c ChangeTarget<'a>,
    pub target: &'c Target<'a>,
    pub set: &'c [Assigned<'a>],
    /// The plan for the row.
    pub plan: &'c RowUpdate<'a>,
    /// The registers of the key by which the row is found.
    pub old_key: Reg,
    /// The target for the next row.
    pub next: Addr,
    /// A scan continues from the row.
    pub is_one_pass: bool,
    pub returning: Option<&'c ReturningRows<'a>>,
    pub returning_plan: Option<&'c ReturningPlan<'a>>,
    /// `count_changes` counts the row. It does not count that of an UPSERT, which no INSERT has inserted.
    pub is_counted: bool,
}

/// Emits the update of one row. The table's cursor is the access of the target's source.
pub(super) fn emit_update_row<'a>(cg: &mut Codegen<'a>, updating: &Updating<'_, 'a>) -> Result<()> {
    let Updating { target, change, plan, .. } = *updating;
    let RowUpdate { triggers, keys, policy, .. } = plan;
    let is_watched = !triggers.is_empty() || !keys.is_empty();
    let old = if is_watched { Some(emit_old_row(cg, target, updating.old_key)?) } else { None };
    let row = emit_new_row(cg, updating)?;
    let row_change = RowChange { target: change, old, new: Some(row), policy: *policy, ignore: updating.next };
    // SQLite goes on after an error in a trigger, and reports the last error: that of a foreign key which a replaced row concerns.
    fire::compile(cg, triggers, &row_change).map_err(|error| plan.error_of_replaced().unwrap_or(error))?;
    if triggers.has_before() {
        row::emit_given_type_check(cg, target, row);
        emit_generated(cg, target, row)?;
        fire::before(cg, triggers, &row_change)?;
        // The triggers may have changed the row, or deleted it.
        target.seek(cg, updating.old_key, updating.next);
        emit_unchanged(cg, updating, row, |_| true)?;
    }
    cg.set_access(target.source, row.access());
    let checked = Checked { target, row, ignore: updating.next };
    row::emit_generated_of_given(cg, target, row)?;
    emit_not_null(cg, &checked, &plan.constraints, false)?;
    if plan.constraints.computes_anew {
        row::emit_generated(cg, target, row)?;
    }
    emit_not_null(cg, &checked, &plan.constraints, true)?;
    if !row::checks_types_late(target.table) {
        row::emit_type_check(cg, target, row);
    }
    emit_checks(cg, &checked, &plan.constraints)?;
    let uniqueness = Uniqueness {
        checked,
        plan: &plan.unique,
        replaced: plan.replaced.as_ref(),
        old_key: Some(updating.old_key),
        affinity_waits: false,
        is_wrong: false,
        update: &|_, _| unreachable!("an UPDATE has no ON CONFLICT clause"),
    };
    let unique = emit_unique(cg, &uniqueness)?;
    emit_write(cg, updating, row, &unique, old)?;
    cg.set_access(target.source, table_access(target));
    if is_watched {
        foreign_key::act(cg, keys, &row_change)?;
    }
    if updating.is_counted {
        cg.emit_row_count();
    }
    fire::after(cg, triggers, &row_change, |cg| {
        if updating.returning.is_none() {
            return Ok(());
        }
        cg.set_access(target.source, row.access());
        emit_returning(cg, updating.returning, updating.returning_plan)?;
        cg.set_access(target.source, table_access(target));
        Ok(())
    })
}

/// The new row: the values of SET, and for other columns those of the old row.
fn emit_new_row<'a>(cg: &mut Codegen<'a>, updating: &Updating<'_, 'a>) -> Result<Row> {
    let row = cg.sharing_rows(|cg| emit_values_of_row(cg, updating))?;
    let Updating { target, plan, .. } = *updating;
    let table = target.table;
    // The affinities are applied when the record is built; here they are applied only if the row is read before.
    let is_seen = updating.returning.is_some() || !plan.triggers.is_empty() || !plan.keys.is_empty();
    if is_seen || !target.indexes.is_empty() || row::needs_final_values(table) {
        row::emit_affinity(cg, table, row, |at| plan.changed.has_column(at));
    }
    Ok(row)
}

/// The values of the new row as they are given.
fn emit_values_of_row<'a>(cg: &mut Codegen<'a>, updating: &Updating<'_, 'a>) -> Result<Row> {
    let Updating { target, set, plan, .. } = *updating;
    let table = target.table;
    let mut row = Row::new(cg, table.columns.len());
    if !plan.changed.rowid && table.has_rowid() {
        row.rowid = updating.old_key;
    }
    // As in SQLite, the rowid comes first: it may be none, or its value may fail. The last of several values for one column is used.
    let assigned_to = |column| set.iter().rfind(|assigned| assigned.column == column);
    if let Some(assigned) = assigned_to(ChangedColumn::Rowid) {
        cg.emit_into(&assigned.value, row.rowid)?;
        cg.b.emit(Insn::MustBeInteger { reg: row.rowid, target: Addr::NONE });
        cg.journal.note_may_abort();
    }
    let named = named_by_triggers(cg, updating);
    emit_unchanged(cg, updating, row, |column| named.as_ref().is_none_or(|named| named.contains(&column)))?;
    for at in 0..table.columns.len() as u16 {
        if let Some(assigned) = assigned_to(ChangedColumn::Column(at)) {
            cg.emit_into(&assigned.value, row.column(at))?;
        }
    }
    Ok(row)
}

/// The columns of NEW that BEFORE triggers name; `None` without generated columns, because then it makes no difference whether
/// other columns are read. As in SQLite, a generated column that uses columns that are neither set nor named is computed from
/// NULLs for the triggers. SQLite always reads the columns from the 33rd on.
fn named_by_triggers<'a>(cg: &Codegen<'a>, updating: &Updating<'_, 'a>) -> Option<Vec<u16>> {
    const ALWAYS_READ_FROM: u16 = 32;
    let table = updating.target.table;
    (updating.plan.triggers.has_before() && table.has_generated_columns()).then(|| {
        let mut named = updating.plan.triggers.columns_named_before(cg.resolver, table);
        named.extend(ALWAYS_READ_FROM..table.columns.len() as u16);
        named
    })
}

/// Puts the columns that SET does not change into the row, from the row under the cursor, or NULL if they are not read. Generated
/// ones are computed later.
fn emit_unchanged<'a>(
    cg: &mut Codegen<'a>,
    updating: &Updating<'_, 'a>,
    row: Row,
    is_read: impl Fn(u16) -> bool,
) -> Result<()> {
    let Updating { target, set, .. } = *updating;
    let table = target.table;
    let is_set = |column| set.iter().any(|assigned| assigned.column == column);
    for (at, column) in table.columns.iter().enumerate() {
        let at = at as u16;
        if table.rowid_column == Some(at) || column.is_generated() || is_set(ChangedColumn::Column(at)) {
            continue;
        }
        if is_read(at) {
            let value = cg.resolver.table_column(target.source, table, at);
            cg.emit_into(&value, row.column(at))?;
        } else {
            cg.b.emit(Insn::Null { start: row.column(at), count: 1 });
        }
    }
    Ok(())
}

fn emit_generated<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, row: Row) -> Result<()> {
    cg.set_access(target.source, row.access());
    row::emit_generated(cg, target, row)?;
    row::emit_generated_type_check(cg, target, row);
    cg.set_access(target.source, table_access(target));
    Ok(())
}

/// Deletes the old row's entries from the indexes, and inserts the new row.
fn emit_write<'a>(
    cg: &mut Codegen<'a>,
    updating: &Updating<'_, 'a>,
    row: Row,
    unique: &Unique,
    old: Option<Row>,
) -> Result<()> {
    let Updating { target, plan, .. } = *updating;
    let (cursor, keys) = (target.cursor, &plan.keys);
    if let Some(old) = old {
        foreign_key::check_old(cg, keys, target, old)?;
    }
    // As in SQLite, a row that refers to itself is found as its own child otherwise.
    let is_deleted = plan.changes_key || plan.changed.checks_all_indexes;
    if unique.replaces || is_deleted || !keys.is_empty() {
        // The checks for conflicts have moved the cursor.
        target.seek(cg, updating.old_key, updating.next);
    }
    cg.set_access(target.source, table_access(target));
    emit_delete_entries(cg, target, |at| plan.changes_key || plan.unique.makes_entry(at))?;
    super::preupdate::emit_update(cg, target, updating.old_key, row);
    let position = if updating.is_one_pass { delete_flags::SAVE_POSITION } else { 0 };
    if is_deleted {
        cg.b.emit(Insn::Delete { flags: delete_flags::IS_UPDATE | position, cursor });
    }
    foreign_key::check_new(cg, keys, target, row)?;
    emit_insert_entries(cg, target, &unique.entries);
    let mut flags = insert_flags::COUNT_CHANGE | insert_flags::IS_UPDATE;
    if updating.is_one_pass {
        flags |= insert_flags::SAVE_POSITION;
    }
    if target.table.is_without_rowid() {
        emit_insert_row_entry(cg, target, &unique.entries, flags);
        return Ok(());
    }
    row::emit_insert_row(cg, target, row, flags);
    Ok(())
}

fn table_access<'a>(target: &Target<'a>) -> ColumnAccess<'a> {
    ColumnAccess::Table { cursor: target.cursor, table: target.table }
}

/// UPDATE ... FROM: the values are in registers already.
fn from_registers<'a>(cg: &Codegen<'a>, set: &[Assigned<'a>], start: Reg) -> &'a [Assigned<'a>] {
    let value = |at: usize| computed(start.at(at), None);
    cg.arena
        .alloc_slice_fill_iter(set.iter().enumerate().map(|(at, assigned)| Assigned { value: value(at), ..*assigned }))
}
