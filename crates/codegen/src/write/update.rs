//! UPDATE.

use crate::expr::computed;
use lithe_catalog::{Index, IndexTerm, Result, Table};
use lithe_optimize::change::Passes;
use lithe_resolve::ir::{Expr, OutputColumn};
use lithe_resolve::{Assigned, ChangeTarget, ChangedColumn, ResolvedChange, Scope, Stored};
use lithe_sql::ast;
use lithe_vm::insn::{Insn, delete_flags, insert_flags};
use lithe_vm::operand::{Addr, Reg};

use super::change_loop::ChangeLoop;
use super::constraint::{Checked, emit_checks, emit_not_null};
use super::fire::{Event, Firing, Triggers};
use super::foreign_key::{Change, ForeignKeys};
use super::index::{emit_delete_entries, emit_insert_entries, emit_insert_row_entry};
use super::refuse;
use super::returning::Rows as ReturningRows;
use super::row::{self, Row, emit_old_row};
use super::stored_reals::StoredRow;
use super::target::{Changed, Target, TargetIndex, prepare_target};
use super::unique::{Unique, Uniqueness, emit_unique, is_affected};
use crate::{Codegen, ColumnAccess};

/// Code for an UPDATE that stands in `base`. Gives the columns of RETURNING.
pub(crate) fn update<'a>(
    cg: &mut Codegen<'a>,
    base: &Scope<'_, 'a>,
    update: &ast::Update<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    refuse::update_early(cg, base, update)?;
    let change = cg.resolver.update(base, update)?;
    let triggers = Triggers::of(cg, &change.target, Event::Update(change.set));
    refuse::read_only(cg, &change.target, &triggers, change.returning.is_some())?;
    let change = super::prepare::change(cg, change);
    let counted = super::begin_row_count(cg, "rows updated", change.returning.is_some());
    if change.target.table.view().is_some() {
        super::view::change(cg, &change, &triggers)?;
    } else if let Some(connected) = change.target.table.connected() {
        super::virtual_table::change(cg, &change, connected)?;
    } else {
        update_rows(cg, &change, &triggers)?;
    }
    Ok(change.returning.map_or(counted, |returning| returning.columns))
}

fn update_rows<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>, triggers: &Triggers<'a>) -> Result<()> {
    let policy = super::statement_policy(cg, change.or);
    let mut changed = changed_columns(cg, &change.target, change.set)?;
    let replaces = may_replace(change.target.table, policy, &changed);
    let keys = ForeignKeys::of(cg, &change.target, Change::Update(&changed))
        .map_err(|error| if replaces { super::replace::error_of_replace(cg, &change.target, error) } else { error })?;
    changed.all_indexes = keys.refer_to(change.target.table);
    changed.checks_all_indexes = keys.need_all_indexes(cg, change.target.table, &changed);
    if !keys.is_empty() {
        cg.journal.note_more_changes();
    }
    let returning = ReturningRows::open(cg, change.returning, false)?;
    let mut target = {
        // A row that gets another rowid, or that is deleted for another one, is in all indexes.
        let all = replaces || changed.rowid || changed.all_indexes;
        let ask = change.target;
        let is_checked = |index: &TargetIndex<'a>| {
            let replaces = row::policy_of(policy, index.index.conflict()) == ast::Conflict::Replace;
            changed.checks_all_indexes && index.index.is_unique() && replaces
        };
        prepare_target(cg, &change.target, |index| all || is_checked(index) || depends(&ask, index, &changed))?
    };
    let key_changes = target.changes_key(&changed);
    // Values that depend on other tables have to be computed where those tables are read.
    let is_from = change.sources.len() > 1;
    let values: Vec<Expr<'a>> = if is_from { change.set.iter().map(|a| a.value).collect() } else { Vec::new() };
    let passes = match () {
        () if !triggers.is_empty() || !keys.is_empty() => Passes::Two,
        () if key_changes || replaces => Passes::OneIfSingle,
        () if returning.is_some() => Passes::OneIfInOrder,
        () => Passes::OneIfPossible,
    };
    // A scan of an index must not meet entries that the update has moved. Those that stay are not opened, unless all are.
    let moved: Vec<&Index> = {
        let is_moved = |index: &&TargetIndex<'a>| !index.is_table && depends(&change.target, index, &changed);
        target.indexes.iter().filter(is_moved).map(|index| index.index).collect()
    };
    let stays = |index: &Index| !moved.iter().any(|moved| std::ptr::eq(*moved, index));
    let rows = ChangeLoop::begin(cg, change, &mut target, passes, &values, stays)?;
    if !rows.is_single || !triggers.is_empty() {
        cg.journal.note_more_changes();
    }
    let set: Vec<Assigned<'a>> = if is_from { from_registers(change.set, rows.values) } else { change.set.to_vec() };
    let updating = Updating {
        change: &change.target,
        target: &target,
        set: &set,
        changed: &changed,
        triggers,
        keys: &keys,
        policy,
        key_changes,
        old_key: rows.key,
        next: rows.next,
        replaces,
        is_one_pass: rows.is_one_pass,
        returning: returning.as_ref(),
        is_counted: true,
    };
    cg.in_loop(|cg| emit_update_row(cg, &updating))?;
    rows.end(cg)?;
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// An UPDATE of one row, on which the table's cursor stands: of an UPDATE statement, or of an UPSERT.
pub(super) struct Updating<'c, 'a> {
    pub change: &'c ChangeTarget<'a>,
    pub target: &'c Target<'a>,
    pub set: &'c [Assigned<'a>],
    /// What SET changes, generated columns included.
    pub changed: &'c Changed,
    pub triggers: &'c Triggers<'a>,
    pub keys: &'c ForeignKeys<'a>,
    pub policy: Option<ast::Conflict>,
    /// The row moves to another place of the table.
    pub key_changes: bool,
    /// The registers of the key under which the row is found.
    pub old_key: Reg,
    /// Where to go on with the next row.
    pub next: Addr,
    /// REPLACE may delete rows that are in the way.
    pub replaces: bool,
    /// A scan goes on from the row.
    pub is_one_pass: bool,
    pub returning: Option<&'c ReturningRows<'a>>,
    /// `count_changes` counts the row: not that of an UPSERT, which no INSERT has inserted.
    pub is_counted: bool,
}

/// Emits the update of one row. The table's cursor is the access of the target's source.
pub(super) fn emit_update_row<'a>(cg: &mut Codegen<'a>, updating: &Updating<'_, 'a>) -> Result<()> {
    let Updating { target, change, triggers, keys, .. } = *updating;
    let firing = Firing { policy: updating.policy, ignore: updating.next };
    let old =
        if triggers.is_empty() && keys.is_empty() { None } else { Some(emit_old_row(cg, target, updating.old_key)?) };
    let row = emit_new_row(cg, updating)?;
    triggers
        .compile(cg, change, old, Some(row), firing)
        .map_err(|error| if updating.replaces { super::replace::error_of_replace(cg, change, error) } else { error })?;
    if triggers.has_before() {
        row::emit_given_type_check(cg, target, row);
        emit_generated(cg, target, row)?;
        triggers.fire_before(cg, change, old, Some(row), firing)?;
        // The triggers may have changed the row, or deleted it.
        target.seek(cg, updating.old_key, updating.next);
        emit_unchanged(cg, updating, row, |_| true)?;
    }
    cg.set_access(target.source, row.access());
    let checked =
        Checked { target, row, policy: updating.policy, changed: Some(updating.changed), ignore: updating.next };
    row::emit_generated_of_given(cg, target, row)?;
    emit_not_null(cg, &checked, &[], false)?;
    if row::may_become_default(target.table, updating.policy) {
        row::emit_generated(cg, target, row)?;
    }
    emit_not_null(cg, &checked, &[], true)?;
    if !row::checks_types_late(target.table) {
        row::emit_type_check(cg, target, row);
    }
    let has_checked = emit_checks(cg, &checked)?;
    let uniqueness = Uniqueness {
        checked,
        old_key: Some(updating.old_key),
        rowid_is_given: updating.changed.rowid,
        affinity_waits: false,
        upserts: &[],
    };
    let unique = emit_unique(cg, &uniqueness)?;
    emit_write(cg, updating, &checked, &unique, old)?;
    cg.set_access(target.source, table_access(target));
    if let Some(old) = old {
        keys.act(cg, change, old, Some(row), firing)?;
    }
    if updating.is_counted {
        cg.emit_row_count();
    }
    triggers.fire_after(cg, change, old, Some(row), firing, |cg| {
        let Some(returning) = updating.returning else { return Ok(()) };
        cg.set_access(target.source, row.access());
        let has_affinities = has_checked || target.indexes.iter().any(|index| is_affected(&checked, index));
        if target.table.has_rowid() && !has_affinities {
            returning.emit_stored_row(cg, StoredRow { source: target.source, table: target.table })?;
        } else {
            returning.emit_row(cg)?;
        }
        cg.set_access(target.source, table_access(target));
        Ok(())
    })
}

/// The new row: values of SET, and for other columns those that the row has.
fn emit_new_row<'a>(cg: &mut Codegen<'a>, updating: &Updating<'_, 'a>) -> Result<Row> {
    let Updating { target, set, .. } = *updating;
    let table = target.table;
    let mut row = Row::new(cg, table.columns.len());
    if !updating.changed.rowid && table.has_rowid() {
        row.rowid = updating.old_key;
    }
    let named = named_by_triggers(cg, updating);
    emit_unchanged(cg, updating, row, |column| named.as_ref().is_none_or(|named| named.contains(&column)))?;
    for (at, assigned) in set.iter().enumerate() {
        // Of several values for one column the last one counts.
        if set[at + 1..].iter().any(|later| later.column == assigned.column) {
            continue;
        }
        match assigned.column {
            ChangedColumn::Column(at) => cg.emit_into(&assigned.value, row.column(at))?,
            ChangedColumn::Rowid => {
                cg.emit_into(&assigned.value, row.rowid)?;
                cg.b.emit(Insn::MustBeInteger { reg: row.rowid, target: Addr::NONE });
                cg.journal.note_may_abort();
            }
        }
    }
    // The record is made with the affinities of its columns: they are applied here only if somebody looks at the row before.
    let is_seen = updating.returning.is_some() || !updating.triggers.is_empty() || !updating.keys.is_empty();
    if is_seen || !target.indexes.is_empty() || row::needs_final_values(table) {
        row::emit_affinity(cg, table, row, |at| updating.changed.has_column(at));
    }
    Ok(row)
}

/// The columns of NEW that BEFORE triggers name; `None` without generated columns, because nothing else sees whether others have been
/// read. What is generated from columns that are neither set nor named is computed from NULLs for the triggers, as in SQLite; of tables
/// with more columns SQLite reads those from the 33rd on in any case.
fn named_by_triggers<'a>(cg: &Codegen<'a>, updating: &Updating<'_, 'a>) -> Option<Vec<u16>> {
    const ALWAYS_READ_FROM: u16 = 32;
    let table = updating.target.table;
    (updating.triggers.has_before() && table.has_generated_columns()).then(|| {
        let mut named = updating.triggers.columns_named_before(cg, table);
        named.extend(ALWAYS_READ_FROM..table.columns.len() as u16);
        named
    })
}

/// The columns that SET leaves alone, as the row under the cursor has them, or NULL where they are not read. Generated ones are computed later.
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

/// Takes the old row's entries out of the indexes, and puts the new row in.
fn emit_write<'a>(
    cg: &mut Codegen<'a>,
    updating: &Updating<'_, 'a>,
    checked: &Checked<'_, 'a>,
    unique: &Unique,
    old: Option<Row>,
) -> Result<()> {
    let Updating { target, keys, .. } = *updating;
    let (cursor, row) = (target.cursor, checked.row);
    if let Some(old) = old {
        keys.check_old(cg, target, old)?;
    }
    if unique.replaces || updating.key_changes || target.table.is_without_rowid() || !keys.is_empty() {
        // Looking for other rows has moved the cursor.
        target.seek(cg, updating.old_key, updating.next);
    }
    cg.set_access(target.source, table_access(target));
    emit_delete_entries(cg, target, |index| is_rewritten(updating, checked, index))?;
    super::preupdate::emit_update(cg, target, updating.old_key, row)?;
    let position = if updating.is_one_pass { delete_flags::SAVE_POSITION } else { 0 };
    if updating.key_changes || target.table.is_without_rowid() || !keys.is_empty() {
        cg.b.emit(Insn::Delete { flags: delete_flags::IS_UPDATE | position, cursor });
    }
    keys.check_new(cg, target, row)?;
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

fn is_rewritten<'a>(updating: &Updating<'_, 'a>, checked: &Checked<'_, 'a>, index: &TargetIndex<'a>) -> bool {
    updating.key_changes || is_affected(checked, index)
}

fn table_access<'a>(target: &Target<'a>) -> ColumnAccess<'a> {
    ColumnAccess::Table { cursor: target.cursor, table: target.table }
}

/// What SET changes, with the generated columns that depend on it.
pub(super) fn changed_columns<'a>(
    cg: &Codegen<'a>,
    change: &ChangeTarget<'a>,
    set: &[Assigned<'a>],
) -> Result<Changed> {
    let table = change.table;
    let mut changed = Changed::none(table.columns.len());
    for assigned in set {
        match assigned.column {
            ChangedColumn::Column(at) => changed.insert(at),
            ChangedColumn::Rowid => changed.rowid = true,
        }
    }
    // A generated column may depend on another one: as many rounds as there are columns reach them all.
    let mut grows = table.has_generated_columns();
    while grows {
        grows = false;
        for (at, column) in table.columns.iter().enumerate() {
            let Some(generated) = &column.generated else { continue };
            let value = cg.resolver.stored_expr(&generated.text, Stored::Generated, change.source, change.db, table)?;
            if !changed.has_column(at as u16) && changed.is_used_by(change, &value) {
                changed.insert(at as u16);
                grows = true;
            }
        }
    }
    Ok(changed)
}

/// Whether a row may have to be deleted for another one: only what changes can be in the way of something.
fn may_replace(table: &Table, policy: Option<ast::Conflict>, changed: &Changed) -> bool {
    use ast::Conflict::Replace;
    let is_replace = |conflict| row::policy_of(policy, conflict) == Replace;
    let is_changed = |index: &Index| {
        index.key_columns().iter().any(|column| match column.term {
            IndexTerm::Column(at) => changed.has_column(at) || changed.rowid && table.rowid_column == Some(at),
            IndexTerm::Rowid => changed.rowid,
            IndexTerm::Expr(_) => true,
        })
    };
    let may_conflict = |index: &Index| policy == Some(Replace) || index.filter.is_some() || is_changed(index);
    let replaces = |index: &Index| index.is_unique() && is_replace(index.conflict()) && may_conflict(index);
    changed.rowid && is_replace(table.rowid_conflict) || table.indexes.iter().any(|index| replaces(index))
}

fn depends<'a>(change: &ChangeTarget<'a>, index: &TargetIndex<'a>, changed: &Changed) -> bool {
    index.exprs.iter().chain(&index.filter).any(|expr| changed.is_used_by(change, expr))
}

/// UPDATE ... FROM: the values are in registers already.
fn from_registers<'a>(set: &[Assigned<'a>], start: Reg) -> Vec<Assigned<'a>> {
    let value = |at: usize| computed(start.at(at), None);
    set.iter().enumerate().map(|(at, assigned)| Assigned { value: value(at), ..*assigned }).collect()
}
