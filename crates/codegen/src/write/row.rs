//! The new row in registers: defaults, generated columns, affinity, the record.

use lithe_catalog::{Column, ColumnUse, CompileError, Result, Table};
use lithe_resolve::ir::{Child, Expr, SourceId, for_each_child};
use lithe_resolve::{ChangeTarget, Stored};
use lithe_sql::ast::Conflict;
use lithe_value::{Affinity, Value, ValueRef};
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, AffinityListId, Reg};

use super::target::Target;
use crate::derived::record_layout;
use crate::{Codegen, ColumnAccess};

/// A row: a register for the rowid, then one for each column. The register of the rowid's alias is NULL, as in the record;
/// expressions read the rowid's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The rowid. Unused for WITHOUT ROWID tables.
    pub rowid: Reg,
    /// Column 0.
    pub columns: Reg,
}

impl Row {
    /// Registers for a row with this number of columns.
    pub fn new(cg: &mut Codegen<'_>, width: usize) -> Row {
        let rowid = cg.b.registers(width + 1);
        Row { rowid, columns: rowid.at(1) }
    }

    /// The register before the columns: that of the rowid, unless the row shares the rowid of another row.
    pub fn front(self) -> Reg {
        Reg(self.columns.0 - 1)
    }

    /// The register of a column.
    pub fn column(self, at: u16) -> Reg {
        self.columns.at(usize::from(at))
    }

    /// How expressions read it.
    pub fn access<'a>(self) -> ColumnAccess<'a> {
        ColumnAccess::Registers { start: self.columns, rowid: self.rowid }
    }
}

/// The change of a row, for the triggers that it fires.
#[derive(Clone, Copy)]
pub(super) struct RowChange<'c, 'a> {
    /// The table or view.
    pub target: &'c ChangeTarget<'a>,
    /// The row as it was.
    pub old: Option<Row>,
    /// The row as it becomes.
    pub new: Option<Row>,
    /// The conflict policy of the statement, which applies in the triggers, too.
    pub policy: Option<Conflict>,
    /// The target of RAISE(IGNORE).
    pub ignore: Addr,
}

/// All columns of the row under the table's cursor, in registers: OLD of triggers.
pub(super) fn emit_old_row<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: Reg) -> Result<Row> {
    let width = target.table.columns.len();
    let row = Row::new(cg, width);
    if target.table.has_rowid() {
        cg.b.emit(Insn::Copy { src: key, dst: row.rowid, count: 1 });
    }
    for at in 0..width as u16 {
        if target.table.rowid_column != Some(at) {
            let value = cg.resolver.table_column(target.source, target.table, at);
            cg.emit_into(&value, row.column(at))?;
        }
    }
    Ok(row)
}
/// The value of a column that is not given.
pub(super) fn default_value<'a>(cg: &Codegen<'a>, column: &'a Column) -> Result<Expr<'a>> {
    match &column.default {
        None => Ok(Expr::Null),
        Some(default) => match &default.value {
            Some(value) => Ok(constant(value)),
            None => cg.resolver.default_expr(&default.text),
        },
    }
}

fn constant(value: &Value) -> Expr<'_> {
    match value.as_ref() {
        ValueRef::Null => Expr::Null,
        ValueRef::Integer(integer) => Expr::Integer(integer),
        ValueRef::Real(real) => Expr::Real(real),
        ValueRef::Text(text) => Expr::Text(text),
        ValueRef::Blob(blob) => Expr::Blob(blob),
    }
}

/// Applies the affinities of the columns: constraints, index entries and triggers get the values that will be stored. Only the
/// columns of `is_wanted` are converted; generated ones are when they are computed.
pub(super) fn emit_affinity(cg: &mut Codegen<'_>, table: &Table, row: Row, is_wanted: impl Fn(u16) -> bool) {
    let of = |(at, column): (usize, &Column)| {
        let skip = column.is_generated() || table.rowid_column == Some(at as u16) || !is_wanted(at as u16);
        if skip { Affinity::Blob } else { column.affinity }
    };
    emit_affinities(cg, row.columns, table.columns.iter().enumerate().map(of));
}

/// Applies one affinity each to the registers from `start` on.
pub(crate) fn emit_affinities(cg: &mut Codegen<'_>, start: Reg, affinities: impl Iterator<Item = Affinity>) {
    let mut list = bumpalo::collections::Vec::with_capacity_in(affinities.size_hint().0, cg.arena);
    affinities.for_each(|affinity| list.push(affinity));
    // Affinities without effect at both ends are left out.
    let end = list.iter().rposition(|affinity| *affinity != Affinity::Blob).map_or(0, |last| last + 1);
    list.truncate(end);
    let skipped = list.iter().take_while(|affinity| **affinity == Affinity::Blob).count();
    if skipped < list.len() {
        let affinities = cg.b.affinity_list(&list[skipped..]);
        cg.b.emit(Insn::Affinity { start: start.at(skipped), affinities });
    }
}

/// Whether types are checked as late as the first unique index: no CHECK and no generated column uses the values before.
pub(super) fn checks_types_late(table: &Table) -> bool {
    table.strict && table.checks.is_empty() && !table.has_generated_columns()
}

/// STRICT: the given values must have the types of their columns, before other values are computed from them.
pub(super) fn emit_given_type_check(cg: &mut Codegen<'_>, target: &Target<'_>, row: Row) {
    if !target.table.strict {
        return;
    }
    for at in (0..target.table.columns.len() as u16).filter(|&at| target.table.columns[usize::from(at)].is_generated())
    {
        cg.b.emit(Insn::Null { start: row.column(at), count: 1 });
    }
    emit_type_check(cg, target, row);
}

/// Computes the generated columns of a new row, if there are any; types are checked before and after.
pub(super) fn emit_generated_of_given<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, row: Row) -> Result<()> {
    if target.table.has_generated_columns() {
        emit_given_type_check(cg, target, row);
        emit_generated(cg, target, row)?;
        emit_type_check_but_stored(cg, target, row);
    }
    Ok(())
}

/// STRICT: a BEFORE trigger must get generated columns of the right types only. Those that are stored are checked after the others.
pub(super) fn emit_generated_type_check(cg: &mut Codegen<'_>, target: &Target<'_>, row: Row) {
    if !target.table.has_generated_columns() {
        return;
    }
    emit_type_check_but_stored(cg, target, row);
    if target.table.strict && target.table.columns.iter().any(is_stored) {
        emit_type_check(cg, target, row);
    }
}

/// Whether the column is generated and stored.
fn is_stored(column: &Column) -> bool {
    column.generated.as_ref().is_some_and(|generated| generated.stored)
}

/// STRICT: checks all types except those of stored generated columns, which are checked after NOT NULL.
fn emit_type_check_but_stored(cg: &mut Codegen<'_>, target: &Target<'_>, row: Row) {
    let columns = &target.table.columns;
    if !target.table.strict || !columns.iter().any(is_stored) {
        return emit_type_check(cg, target, row);
    }
    let others = Row::new(cg, columns.len());
    cg.b.emit(Insn::Copy { src: row.columns, dst: others.columns, count: columns.len() as u32 });
    for at in (0..columns.len()).filter(|&at| is_stored(&columns[at])) {
        cg.b.emit(Insn::Null { start: others.column(at as u16), count: 1 });
    }
    emit_type_check(cg, target, others);
}

/// STRICT: the values must have the types of their columns.
pub(super) fn emit_type_check(cg: &mut Codegen<'_>, target: &Target<'_>, row: Row) {
    if target.table.strict {
        let count = target.table.columns.len() as u32;
        // As in SQLite the check needs no statement journal: without a journal, the rows before stay in an open transaction.
        cg.b.emit(Insn::TypeCheck { cursor: target.cursor, start: row.columns, count });
    }
}

/// Computes the generated columns into their registers, each after those that it uses. The row must be the access of the target's
/// source.
pub(super) fn emit_generated<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, row: Row) -> Result<()> {
    if !target.table.has_generated_columns() {
        return Ok(());
    }
    for at in generation_order(cg, target)? {
        let value = generated_value(cg, target, at)?;
        let dst = row.column(at);
        cg.emit_into(&value, dst)?;
        emit_affinities(cg, dst, std::iter::once(target.table.columns[usize::from(at)].affinity));
    }
    Ok(())
}

fn generated_value<'a>(cg: &Codegen<'a>, target: &Target<'a>, at: u16) -> Result<Expr<'a>> {
    let generated = target.table.columns[usize::from(at)].generated.as_ref().expect("the column is generated");
    cg.resolver.stored_expr(&generated.text, Stored::Generated, target.source, target.db, target.table)
}

/// The generated columns in an order in which each comes after those that it uses.
fn generation_order<'a>(cg: &Codegen<'a>, target: &Target<'a>) -> Result<Vec<u16>> {
    let table = target.table;
    let mut pending: Vec<(u16, Vec<u16>)> = Vec::new();
    for at in (0..table.columns.len() as u16).filter(|&at| table.columns[usize::from(at)].is_generated()) {
        let value = generated_value(cg, target, at)?;
        let mut uses = Vec::new();
        add_uses(&value, target.source, &mut uses);
        uses.retain(|&used| table.columns[usize::from(used)].is_generated());
        pending.push((at, uses));
    }
    let mut order: Vec<u16> = Vec::with_capacity(pending.len());
    while !pending.is_empty() {
        let before = pending.len();
        pending.retain(|(at, uses)| {
            let is_ready = uses.iter().all(|used| order.contains(used));
            if is_ready {
                order.push(*at);
            }
            !is_ready
        });
        if pending.len() == before {
            let name = &table.columns[usize::from(pending[before - 1].0)].name;
            return Err(CompileError::new(format!("generated column loop on \"{name}\"")));
        }
    }
    Ok(order)
}

fn add_uses(expr: &Expr<'_>, source: SourceId, uses: &mut Vec<u16>) {
    if let Expr::Column(column) = expr
        && column.source == source
        && let Some(at) = column.index.position()
    {
        uses.push(at as u16);
    }
    for_each_child(expr, &mut |child| {
        if let Child::Expr(operand) = child {
            add_uses(operand, source, uses);
        }
    });
}

/// Inserts the row into its table, which has rowids.
pub(super) fn emit_insert_row<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, row: Row, flags: u8) {
    let table = target.table;
    let record = record_layout(table);
    let columns = &record.columns;
    let start = if record.is_in_order { row.columns } else { emit_permuted(cg, row, columns) };
    let list = record.affinities.as_ref();
    let affinities = list.map_or(AffinityListId::NONE, |list| cg.b.shared_affinity_list(list));
    let (cursor, count) = (target.cursor, columns.len() as u16);
    // The pre-update hook is told values with their affinities.
    let has_affinities = cg.env.flags.preupdate_hook && !table.has_generated_columns();
    let flags = if has_affinities { flags | insert_flags::HAS_AFFINITIES } else { flags };
    cg.b.emit(Insn::InsertRow { flags, cursor, count, affinities, rowid: row.rowid, start });
}

fn emit_permuted(cg: &mut Codegen<'_>, row: Row, columns: &[u16]) -> Reg {
    let start = cg.b.registers(columns.len());
    for (place, column) in columns.iter().enumerate() {
        cg.b.emit(Insn::Copy { src: row.column(*column), dst: start.at(place), count: 1 });
    }
    start
}

/// Whether the values of new rows need their affinities before constraints are checked, because some check uses them.
pub(super) fn needs_final_values(table: &Table) -> bool {
    !table.checks.is_empty() || table.strict || table.has_generated_columns()
}

/// The columns in the expression of a generated column.
pub(crate) fn generated_column_uses(cg: &Codegen<'_>, table: &Table, at: u16) -> Vec<ColumnUse> {
    let Some(generated) = &table.columns[usize::from(at)].generated else { return Vec::new() };
    let arena = bumpalo::Bump::new();
    lithe_resolve::names_in_text(&arena, &generated.text, &cg.env.limits)
        .into_iter()
        .filter_map(|used| Some(ColumnUse { column: table.column(used.name)?, is_in_rows: used.is_in_rows }))
        .collect()
}
