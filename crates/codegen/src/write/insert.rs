//! INSERT.

use lithe_base::ResultCode;
use lithe_catalog::{ErrorKind, Result, Table};
use lithe_optimize::write::insert::{InsertPlan, InsertRowsPlan};
use lithe_optimize::write::source::NewRowid;
use lithe_resolve::ir::OutputColumn;
use lithe_resolve::{ChangedColumn, InsertRows, ResolvedInsert};
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, Reg, Sequence};

use super::constraint::{Checked, emit_checks, emit_not_null};
use super::returning::{Rows as ReturningRows, emit_row as emit_returning};
use super::row::{self, Row, RowChange};
use super::rows::{RowValue, Rows};
use super::target::Target;
use super::unique::{EmitUpdate, Unique, Uniqueness, emit_unique};
use super::upsert::Upserts;
use super::{fire, foreign_key};
use crate::Codegen;

/// Emits an INSERT. Returns the columns of RETURNING.
pub(crate) fn insert<'a>(
    cg: &mut Codegen<'a>,
    resolved: &'a ResolvedInsert<'a>,
    plan: &InsertPlan<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    let counted = super::begin_row_count(cg, "rows inserted", resolved.returning.is_some());
    match plan {
        InsertPlan::Records(plan) => super::transfer::emit(cg, plan)?,
        InsertPlan::Rows(plan) => insert_rows(cg, resolved, plan)?,
        InsertPlan::View(plan) => super::view::insert(cg, resolved, plan)?,
        InsertPlan::Virtual(plan) => super::virtual_table::insert(cg, resolved, plan)?,
    }
    Ok(resolved.returning.map_or(counted, |returning| returning.columns))
}

/// One INSERT while its code is generated.
struct Inserting<'c, 'a> {
    resolved: &'c ResolvedInsert<'a>,
    plan: &'c InsertRowsPlan<'a>,
    target: Target<'a>,
    row: Row,
    /// The sequence of an AUTOINCREMENT table.
    sequence: Sequence,
    returning: Option<ReturningRows<'a>>,
    /// Whether the table was empty, if the rowids depend on it.
    was_empty: Option<Reg>,
    /// The target when a row is ignored, or done.
    next: Addr,
}

impl<'a> Inserting<'_, 'a> {
    /// The change for triggers: this row is inserted.
    fn change(&self, new: Row) -> RowChange<'_, 'a> {
        let target = &self.resolved.target;
        RowChange { target, old: None, new: Some(new), policy: self.plan.policy, ignore: self.next }
    }
}

fn insert_rows<'a>(cg: &mut Codegen<'a>, resolved: &ResolvedInsert<'a>, plan: &InsertRowsPlan<'a>) -> Result<()> {
    let is_single = !matches!(resolved.rows, InsertRows::Query(_));
    if plan.changes_more_than_once {
        cg.journal.note_more_changes();
    }
    let mut target = Target::new(cg, &plan.table)?;
    target.open(cg)?;
    let was_empty = plan.keeps_rowids.then(|| emit_was_empty(cg, &target));
    let returning = ReturningRows::open(cg, resolved.returning, is_single)?;
    let sequence = super::autoincrement::sequence_of(cg, &target);
    let row = Row::new(cg, target.table.columns.len());
    let place = whole_row(resolved, target.table).then_some(row.columns);
    cg.explain.inserted_rows(&plan.rows);
    let rows = Rows::begin(cg, &plan.rows, place)?;
    let inserting = Inserting { resolved, plan, target, row, sequence, returning, was_empty, next: rows.next() };
    if is_single {
        emit_row(cg, &inserting, &rows)?;
    } else {
        cg.in_loop(|cg| emit_row(cg, &inserting, &rows))?;
    }
    rows.end(cg);
    super::finish_statement(cg, inserting.returning.as_ref());
    Ok(())
}

/// Notes whether the table has no rows.
fn emit_was_empty(cg: &mut Codegen<'_>, target: &Target<'_>) -> Reg {
    let (reg, is_empty) = (cg.b.register(), cg.b.label());
    cg.b.emit(Insn::Integer { value: 1, dst: reg });
    cg.b.emit(Insn::Rewind { cursor: target.cursor, target: is_empty });
    cg.b.emit(Insn::Integer { value: 0, dst: reg });
    cg.b.place(is_empty);
    reg
}

/// Whether the values of a row are those of the columns, in their order: a query may then put them into the row's registers.
fn whole_row(resolved: &ResolvedInsert<'_>, table: &Table) -> bool {
    let is_own = |(at, column): (usize, &ChangedColumn)| *column == ChangedColumn::Column(at as u16);
    resolved.columns.len() == table.columns.len() && resolved.columns.iter().enumerate().all(is_own)
}

fn emit_row<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<()> {
    emit_values(cg, inserting, rows)?;
    let fired = if inserting.plan.triggers.has_before() { fire_before(cg, inserting, rows) } else { Ok(()) };
    // SQLite goes on after an error in a trigger, and reports the last error: that of a constraint or a generated column.
    let ends = |kind: &ErrorKind| matches!(kind, ErrorKind::Ignored | ErrorKind::Unconnected(_));
    if fired.as_ref().is_err_and(|error| error.code != ResultCode::ERROR || ends(&error.kind)) {
        return fired;
    }
    emit_write_of_row(cg, inserting, rows, fired.is_err())?;
    fired?;
    let (plan, change) = (inserting.plan, inserting.change(inserting.row));
    fire::after(cg, &plan.triggers, &change, |cg| {
        emit_returning(cg, inserting.returning.as_ref(), plan.returning.as_ref())
    })
}

/// Checks the row, and writes it. If the statement is wrong already, SQLite makes no code of DO UPDATE, and finds no error in it.
fn emit_write_of_row<'a>(
    cg: &mut Codegen<'a>,
    inserting: &Inserting<'_, 'a>,
    rows: &Rows<'a>,
    is_wrong: bool,
) -> Result<()> {
    let Inserting { resolved, plan, target, row, next, .. } = inserting;
    emit_rowid(cg, inserting, rows)?;
    cg.set_access(target.source, row.access());
    let checked = Checked { target, row: *row, ignore: *next };
    let needs_final_values = row::needs_final_values(target.table);
    if needs_final_values {
        row::emit_affinity(cg, target.table, *row, |_| true);
    }
    row::emit_generated_of_given(cg, target, *row)?;
    // REPLACE may replace a NULL by a default, on which generated columns depend.
    emit_not_null(cg, &checked, &plan.constraints, false)?;
    if plan.constraints.computes_anew {
        row::emit_generated(cg, target, *row)?;
    }
    emit_not_null(cg, &checked, &plan.constraints, true)?;
    if !row::checks_types_late(target.table) {
        row::emit_type_check(cg, target, *row);
    }
    emit_checks(cg, &checked, &plan.constraints)?;
    let upserts = Upserts::new(resolved, &plan.upserts, (target, *row), *next, inserting.returning.as_ref());
    let affinity_waits = !needs_final_values && !target.indexes.is_empty();
    let (unique, replaced) = (&plan.unique, plan.replaced.as_ref());
    let update: &EmitUpdate<'_, 'a> = &|cg, clause| if is_wrong { Ok(()) } else { upserts.emit_update(cg, clause) };
    let unique = Uniqueness { checked, plan: unique, replaced, old_key: None, affinity_waits, is_wrong, update };
    let unique = emit_unique(cg, &unique)?;
    // The affinities are applied here and not before, because `excluded` has the values without them.
    if plan.triggers.has_after() || inserting.returning.is_some() || !plan.keys.is_empty() {
        row::emit_affinity(cg, target.table, *row, |_| true);
    }
    foreign_key::check_new(cg, &plan.keys, target, *row)?;
    emit_write(cg, inserting, &unique);
    cg.emit_row_count();
    Ok(())
}

/// Puts the values of a row into its registers, defaults for the other columns.
fn emit_values<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<()> {
    let Inserting { resolved, target, row, .. } = inserting;
    let mut copies = Copies::default();
    for (at, column) in target.table.columns.iter().enumerate() {
        let at = at as u16;
        if target.table.rowid_column == Some(at) || column.is_generated() {
            continue;
        }
        let dst = row.column(at);
        match resolved.place_of(ChangedColumn::Column(at)).map(|place| rows.value(place)) {
            Some(RowValue::Register(src)) => copies.add(cg, src, dst),
            Some(RowValue::Expr(expr)) => cg.emit_into(expr, dst)?,
            None => {
                let value = row::default_value(cg, column)?;
                cg.emit_into(&value, dst)?;
            }
        }
    }
    copies.finish(cg);
    Ok(())
}

/// Copies of registers; adjacent copies are merged.
#[derive(Default)]
struct Copies {
    pending: Option<(Reg, Reg, u32)>,
}

impl Copies {
    fn add(&mut self, cg: &mut Codegen<'_>, src: Reg, dst: Reg) {
        match &mut self.pending {
            Some((from, to, count)) if from.at(*count as usize) == src && to.at(*count as usize) == dst => *count += 1,
            _ => {
                self.finish(cg);
                self.pending = Some((src, dst, 1));
            }
        }
    }

    fn finish(&mut self, cg: &mut Codegen<'_>) {
        if let Some((src, dst, count)) = self.pending.take()
            && src != dst
        {
            cg.b.emit(Insn::Copy { src, dst, count });
        }
    }
}

fn emit_rowid<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<()> {
    let Inserting { plan, target, row, sequence, .. } = inserting;
    let new_rowid = Insn::NewRowid { cursor: target.cursor, dst: row.rowid, sequence: *sequence };
    match plan.rowid {
        NewRowid::Absent => return Ok(()),
        NewRowid::Made => {
            cg.b.emit(new_rowid);
            return Ok(());
        }
        NewRowid::Integer(value) => cg.emit_integer(value, row.rowid),
        NewRowid::Value(place) => {
            let (is_given, is_there) = (cg.b.label(), cg.b.label());
            rows.emit_value(cg, place, row.rowid)?;
            match inserting.was_empty {
                Some(reg) => cg.b.emit(Insn::If { reg, target: is_given, null_jumps: 0 }),
                None => cg.b.emit(Insn::NotNull { reg: row.rowid, target: is_given }),
            };
            cg.b.emit(new_rowid);
            cg.b.emit(Insn::Goto { target: is_there });
            cg.b.place(is_given);
            cg.b.emit(Insn::MustBeInteger { reg: row.rowid, target: Addr::NONE });
            cg.b.place(is_there);
        }
    }
    // As in SQLite, even for a literal that is an integer.
    cg.journal.note_may_abort();
    if *sequence != Sequence::NONE {
        cg.b.emit(Insn::RaiseSequence { sequence: *sequence, rowid: row.rowid });
    }
    Ok(())
}

/// BEFORE triggers get the row with its affinities, and a rowid of -1 if it is not known yet.
fn fire_before<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<()> {
    let Inserting { resolved, plan, target, row, .. } = inserting;
    let width = target.table.columns.len();
    let new = Row::new(cg, width);
    cg.b.emit(Insn::Copy { src: row.columns, dst: new.columns, count: width as u32 });
    row::emit_affinity(cg, target.table, new, |_| true);
    cg.b.emit(Insn::Integer { value: -1, dst: new.rowid });
    if target.table.has_rowid()
        && let Some(place) = resolved.place_of(ChangedColumn::Rowid)
    {
        let (unknown, known) = (cg.b.label(), cg.b.label());
        rows.emit_value(cg, place, new.rowid)?;
        cg.b.emit(Insn::IsNull { reg: new.rowid, target: unknown });
        cg.b.emit(Insn::MustBeInteger { reg: new.rowid, target: Addr::NONE });
        cg.b.emit(Insn::Goto { target: known });
        cg.b.place(unknown);
        cg.b.emit(Insn::Integer { value: -1, dst: new.rowid });
        cg.b.place(known);
    }
    cg.set_access(target.source, new.access());
    row::emit_given_type_check(cg, target, new);
    row::emit_generated(cg, target, new)?;
    row::emit_generated_type_check(cg, target, new);
    fire::before(cg, &plan.triggers, &inserting.change(new))
}

/// Inserts the row and its index entries.
fn emit_write<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, unique: &Unique) {
    let Inserting { plan, target, row, .. } = inserting;
    super::index::emit_insert_entries(cg, target, &unique.entries);
    let mut flags = insert_flags::COUNT_CHANGE;
    if unique.is_sought {
        flags |= insert_flags::USE_SEEK;
    }
    super::preupdate::emit_insert(cg, target, *row);
    if target.table.is_without_rowid() {
        super::index::emit_insert_row_entry(cg, target, &unique.entries, flags);
        return;
    }
    if plan.rowid == NewRowid::Made {
        flags |= insert_flags::APPEND;
    }
    row::emit_insert_row(cg, target, *row, flags | insert_flags::LAST_ROWID);
}
