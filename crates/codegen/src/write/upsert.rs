//! ON CONFLICT ... DO UPDATE: the row that is there is updated in place of the insertion.

use lithe_catalog::Result;
use lithe_optimize::change::values_set;
use lithe_resolve::{ResolvedInsert, ResolvedUpsert, UpsertSet};
use lithe_sql::ast::Conflict;
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Addr;

use super::fire::{Event, Triggers};
use super::foreign_key::{Change, ForeignKeys};
use super::returning::Rows as ReturningRows;
use super::row::Row;
use super::target::Target;
use super::unique::{Unique, UpsertBranch};
use super::update::{Updating, changed_columns, emit_update_row};
use crate::{Codegen, ColumnAccess};

/// The ON CONFLICT clauses of an INSERT.
pub(super) struct Upserts {
    /// What each clause makes of a conflict.
    pub branches: Vec<UpsertBranch>,
}

impl Upserts {
    /// Prepares a place for the update of each clause.
    pub fn new(cg: &mut Codegen<'_>, clauses: &[ResolvedUpsert<'_>]) -> Upserts {
        let branch = |clause: &ResolvedUpsert<'_>| UpsertBranch {
            constraint: clause.constraint,
            update: clause.update.map(|_| cg.b.label()),
        };
        Upserts { branches: clauses.iter().map(branch).collect() }
    }

    /// Emits the updates, around which the insertion jumps; each goes on with the next row. An update to which no check
    /// leads is not looked at: what is wrong with its triggers is no error, and what is wrong with those of the others is told
    /// before what is wrong with triggers AFTER INSERT.
    #[allow(clippy::too_many_arguments)]
    pub fn emit_updates<'a>(
        &self,
        cg: &mut Codegen<'a>,
        insert: &ResolvedInsert<'a>,
        target: &Target<'a>,
        excluded: Row,
        next: Addr,
        returning: Option<&ReturningRows<'a>>,
        unique: &Unique,
    ) -> Result<()> {
        if unique.updates.is_empty() {
            return Ok(());
        }
        let behind = cg.b.label();
        cg.b.emit(Insn::Goto { target: behind });
        for (branch, clause) in self.branches.iter().zip(insert.upserts) {
            if let (Some(place), Some(set)) = (branch.update.filter(|at| unique.updates.contains(at)), clause.update) {
                cg.b.place(place);
                emit_real_columns(cg, target, excluded);
                cg.set_access(insert.excluded, excluded.access());
                emit_update(cg, insert, target, &set, next, returning)?;
                cg.b.emit(Insn::Goto { target: next });
            }
        }
        cg.b.place(behind);
        cg.set_access(target.source, excluded.access());
        Ok(())
    }
}

/// `excluded` has reals where a column is REAL, whatever was given; other affinities may not have been applied yet.
fn emit_real_columns(cg: &mut Codegen<'_>, target: &Target<'_>, excluded: Row) {
    for (at, column) in target.table.columns.iter().enumerate() {
        if column.affinity == Affinity::Real {
            cg.b.emit(Insn::RealAffinity { reg: excluded.column(at as u16) });
        }
    }
}

/// An update that fires triggers or that foreign keys are about may change more than the one row. What is wrong with the keys
/// is found when the update is emitted.
pub(super) fn note_changes<'a>(cg: &mut Codegen<'a>, insert: &ResolvedInsert<'a>) -> Result<()> {
    for (at, clause) in insert.upserts.iter().enumerate() {
        // Of several clauses for one constraint the first one counts.
        let is_first = insert.upserts[..at].iter().all(|earlier| earlier.constraint != clause.constraint);
        let Some(set) = clause.update.filter(|_| is_first) else { continue };
        let changed = changed_columns(cg, &insert.target, set.set)?;
        let has_triggers = !Triggers::of(cg, &insert.target, Event::Update(set.set)).is_empty();
        let keys = ForeignKeys::of(cg, &insert.target, Change::Update(&changed));
        if has_triggers || keys.is_err() || keys.is_ok_and(|keys| !keys.is_empty()) {
            cg.journal.note_more_changes();
        }
    }
    Ok(())
}

/// The table's cursor stands on the row that is there.
fn emit_update<'a>(
    cg: &mut Codegen<'a>,
    insert: &ResolvedInsert<'a>,
    target: &Target<'a>,
    set: &UpsertSet<'a>,
    next: Addr,
    returning: Option<&ReturningRows<'a>>,
) -> Result<()> {
    cg.set_access(target.source, ColumnAccess::Table { cursor: target.cursor, table: target.table });
    cg.plan_exprs(set.filter.iter().chain(values_set(set.set)))?;
    if let Some(filter) = &set.filter {
        cg.jump_if_false(filter, next, true)?;
    }
    let old_key = cg.b.registers(target.key_width());
    target.emit_key(cg, old_key)?;
    let mut changed = changed_columns(cg, &insert.target, set.set)?;
    let triggers = Triggers::of(cg, &insert.target, Event::Update(set.set));
    let keys = ForeignKeys::of(cg, &insert.target, Change::Update(&changed))?;
    changed.all_indexes = keys.refer_to(insert.target.table);
    changed.checks_all_indexes = keys.need_all_indexes(cg, insert.target.table, &changed);
    if !keys.is_empty() || !triggers.is_empty() {
        cg.journal.note_more_changes();
    }
    // Whatever the INSERT says: a conflict of the update itself is an error.
    let policy = Some(Conflict::Abort);
    let updating = Updating {
        change: &insert.target,
        target,
        set: set.set,
        changed: &changed,
        triggers: &triggers,
        keys: &keys,
        policy,
        key_changes: target.changes_key(&changed),
        old_key,
        next,
        replaces: false,
        is_one_pass: false,
        returning,
        is_counted: false,
    };
    emit_update_row(cg, &updating)
}
