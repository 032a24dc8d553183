//! Columns of sources.

use lithe_catalog::{Column as TableColumn, Result, Table, fail};
use lithe_resolve::Stored;
use lithe_resolve::ir::{Column, ColumnIndex, Expr, SourceId};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Reg};

use super::super::Codegen;
use super::super::access::{ColumnAccess, NOT_IN_INDEX};

/// Puts a column's value into `dst`.
pub(super) fn emit<'a>(cg: &mut Codegen<'a>, column: &Column<'a>, dst: Reg) -> Result<()> {
    match cg.access(column.source) {
        ColumnAccess::Table { cursor, table } => emit_table_column(cg, cursor, table, column, dst),
        ColumnAccess::Index { index, columns, table, fixed, of } => {
            let position = column.index.position();
            let place = position.map_or(NOT_IN_INDEX, |at| columns[at]);
            if place != NOT_IN_INDEX {
                cg.b.emit(Insn::Column { cursor: index, column: place, dst });
                emit_real_affinity(cg, of, position, dst);
                return Ok(());
            }
            match (position, table) {
                // Only rowid tables have a column without a position, and their entries end in the rowid.
                (None, _) => cg.b.emit(Insn::IdxRowid { cursor: index, dst }),
                (Some(_), Some(cursor)) => return emit_table_column(cg, cursor, of, column, dst),
                (Some(at), None) => match fixed.iter().find(|(column, _)| usize::from(*column) == at) {
                    Some((_, value)) => return emit_fixed(cg, index, value, of.columns[at].affinity, dst),
                    // A virtual generated column of a covering index: its operands are in the index.
                    None => return emit_generated_of_row(cg, index, of, at, column.source, dst),
                },
            }
            Ok(())
        }
        ColumnAccess::Cursor { cursor, first } => {
            let place = first + column.index.position().expect("rows of a query have no rowid") as u16;
            cg.b.emit(Insn::Column { cursor, column: place, dst });
            Ok(())
        }
        ColumnAccess::CursorMap { cursor, columns } => {
            match place_of(columns, column.index) {
                Some(place) => cg.b.emit(Insn::Column { cursor, column: place, dst }),
                None => return emit_missing(cg, column, dst),
            }
            Ok(())
        }
        ColumnAccess::ParentRegisters { start, rowid } => {
            let src = column.index.position().map_or(rowid, |at| start.at(at));
            cg.b.emit(Insn::ParentRegister { src, dst });
            Ok(())
        }
        ColumnAccess::Virtual { cursor } => {
            match column.index.position() {
                Some(at) => cg.b.emit(Insn::VColumn { flags: 0, cursor, column: at as u16, dst }),
                None => cg.b.emit(Insn::Rowid { cursor, dst }),
            }
            Ok(())
        }
        access @ (ColumnAccess::Registers { .. } | ColumnAccess::RegisterMap { .. }) => {
            match register_of(&access, column) {
                Some(src) => cg.emit_copy(src, dst),
                None => return emit_missing(cg, column, dst),
            }
            Ok(())
        }
    }
}

/// The register that has a column's value, if there is one.
pub(super) fn column_register<'a>(cg: &Codegen<'a>, column: &Column<'a>) -> Option<Reg> {
    register_of(&cg.access(column.source), column)
}

#[inline]
fn register_of(access: &ColumnAccess<'_>, column: &Column<'_>) -> Option<Reg> {
    match access {
        ColumnAccess::Registers { start, rowid } => match column.index.position() {
            Some(at) => Some(start.at(at)),
            None => Some(*rowid).filter(|rowid| *rowid != Reg::NONE),
        },
        ColumnAccess::RegisterMap { columns } => {
            columns.iter().find(|(index, _)| *index == column.index).map(|(_, reg)| *reg)
        }
        _ => None,
    }
}

/// A column of the row under a table's cursor.
fn emit_table_column<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    table: &'a Table,
    column: &Column<'a>,
    dst: Reg,
) -> Result<()> {
    let Some(at) = column.index.position() else {
        cg.b.emit(Insn::Rowid { cursor, dst });
        return Ok(());
    };
    let TableColumn { stored_at, .. } = table.columns[at];
    if stored_at == TableColumn::NOT_STORED {
        return emit_generated_of_row(cg, cursor, table, at, column.source, dst);
    }
    cg.b.emit(Insn::Column { cursor, column: stored_at, dst });
    emit_real_affinity(cg, table, Some(at), dst);
    Ok(())
}

/// Reals without a fraction are stored as integers.
fn emit_real_affinity(cg: &mut Codegen<'_>, table: &Table, position: Option<usize>, dst: Reg) {
    if position.is_some_and(|at| table.columns[at].affinity == Affinity::Real) {
        cg.b.emit(Insn::RealAffinity { reg: dst });
    }
}

/// A column that has the same value in every entry of the index; NULL on the null row of an outer join.
fn emit_fixed<'a>(cg: &mut Codegen<'a>, index: CursorId, value: &Expr<'a>, affinity: Affinity, dst: Reg) -> Result<()> {
    emit_unless_null_row(cg, index, dst, |cg| {
        cg.emit_into(value, dst)?;
        let affinities = cg.b.affinity_list(&[affinity]);
        cg.b.emit(Insn::Affinity { start: dst, affinities });
        Ok(())
    })
}

/// As [`Codegen::emit_generated`], for the row under `cursor`: NULL on the null row of an outer join.
fn emit_generated_of_row<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    table: &'a Table,
    at: usize,
    source: SourceId,
    dst: Reg,
) -> Result<()> {
    emit_unless_null_row(cg, cursor, dst, |cg| emit_generated(cg, table, at, source, dst))
}

/// Puts the value of `emit` into `dst`; NULL while `cursor` is on a null row.
fn emit_unless_null_row<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    dst: Reg,
    emit: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
) -> Result<()> {
    let (nulls, done) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::IfNullRow { cursor, target: nulls });
    emit(cg)?;
    cg.b.emit(Insn::Goto { target: done });
    cg.b.place(nulls);
    cg.b.emit(Insn::Null { start: dst, count: 1 });
    cg.b.place(done);
    Ok(())
}

/// Computes a generated column that is not stored from the other columns.
pub(crate) fn emit_generated<'a>(
    cg: &mut Codegen<'a>,
    table: &'a Table,
    at: usize,
    source: SourceId,
    dst: Reg,
) -> Result<()> {
    let column = &table.columns[at];
    // ALTER TABLE ADD COLUMN accepts a column that depends on itself.
    if cg.expr.generating.contains(&(source, at)) {
        return fail(format!("generated column loop on \"{}\"", column.name));
    }
    let generated = column.generated.as_ref().expect("only generated columns are not stored");
    let db = lithe_vm::operand::Db::MAIN;
    let expr = cg.resolver.stored_expr(&generated.text, Stored::Generated, source, db, table)?;
    cg.expr.generating.push((source, at));
    let emitted = cg.emit_into(&expr, dst);
    cg.expr.generating.pop();
    emitted?;
    let affinities = cg.b.affinity_list(&[column.affinity]);
    cg.b.emit(Insn::Affinity { start: dst, affinities });
    Ok(())
}

/// A column that was not kept for the rows that are read now: it can only be a generated one.
fn emit_missing<'a>(cg: &mut Codegen<'a>, column: &Column<'a>, dst: Reg) -> Result<()> {
    let table = column.table.expect("columns of queries are kept when they are used");
    let at = column.index.position().expect("a rowid is kept when it is used");
    emit_generated(cg, table, at, column.source, dst)
}

fn place_of(columns: &[(ColumnIndex, u16)], index: ColumnIndex) -> Option<u16> {
    columns.iter().find(|(known, _)| *known == index).map(|(_, place)| *place)
}
