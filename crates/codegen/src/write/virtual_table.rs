//! INSERT, UPDATE and DELETE of a virtual table: its module gets each change (xUpdate).
//!
//! ```text
//!   arguments of VUpdate:   old key   new key   column 0 …      an insert has no old key, a delete only the old key
//! ```
//!
//! UPDATE and DELETE find all rows before they change the first one, because a module does not say how a change affects the scan.

use std::sync::Arc;

use lithe_btree::KeyInfo;
use lithe_catalog::{ConnectedTable, Result};
use lithe_optimize::write::insert::VirtualInsert;
use lithe_optimize::write::virtual_table::VirtualChange;
use lithe_resolve::ir::Coll;
use lithe_resolve::{ChangeTarget, ChangedColumn, InsertRows, ResolvedChange, ResolvedInsert};
use lithe_sql::ast::Conflict;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg, Sequence};
use lithe_vm::program::CursorKind;

use super::constraint::number;
use super::returning::{Rows as ReturningRows, emit_row as emit_returning};
use super::row::{Row, emit_affinity};
use super::rows::Rows;
use crate::loops::{begin_loops, end_loops, prepare_sources};
use crate::{Codegen, ColumnAccess};

/// The old key and the new one.
const KEYS: usize = 2;

/// INSERT INTO a virtual table.
pub(super) fn insert<'a>(cg: &mut Codegen<'a>, resolved: &ResolvedInsert<'a>, plan: &VirtualInsert<'a>) -> Result<()> {
    let (target, connected) = (&resolved.target, plan.connected);
    let is_single = !matches!(resolved.rows, InsertRows::Query(_));
    begin(cg, target, connected, is_single);
    let width = target.width();
    let returning = ReturningRows::open(cg, resolved.returning, is_single)?;
    let start = cg.b.registers(KEYS + width);
    let row = Row { rowid: start.at(1), columns: start.at(KEYS) };
    cg.explain.inserted_rows(&plan.rows);
    let rows = Rows::begin(cg, &plan.rows, None)?;
    cg.b.emit(Insn::Null { start, count: 1 });
    for at in 0..width as u16 {
        match resolved.place_of(ChangedColumn::Column(at)) {
            Some(place) => rows.emit_value(cg, place, row.column(at))?,
            None => cg.b.emit(Insn::Null { start: row.column(at), count: 1 }),
        }
    }
    emit_new_rowid(cg, resolved, &rows, row.rowid)?;
    let rowid = cg.b.register();
    emit_update(cg, connected, plan.policy, (start, KEYS + width), rowid);
    cg.emit_row_count();
    if returning.is_some() {
        // RETURNING sees the rowid that the statement gives; one that the module chooses is -1.
        let is_given = cg.b.label();
        cg.b.emit(Insn::NotNull { reg: row.rowid, target: is_given });
        cg.b.emit(Insn::Integer { value: -1, dst: row.rowid });
        cg.b.place(is_given);
        emit_affinity(cg, target.table, row, |_| true);
        cg.set_access(target.source, row.access());
        emit_returning(cg, returning.as_ref(), plan.returning.as_ref())?;
    }
    rows.end(cg);
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// The rowid that the INSERT sets; NULL if it sets none.
fn emit_new_rowid<'a>(cg: &mut Codegen<'a>, resolved: &ResolvedInsert<'a>, rows: &Rows<'a>, dst: Reg) -> Result<()> {
    let Some(place) = resolved.place_of(ChangedColumn::Rowid) else {
        cg.b.emit(Insn::Null { start: dst, count: 1 });
        return Ok(());
    };
    let none = cg.b.label();
    rows.emit_value(cg, place, dst)?;
    cg.b.emit(Insn::IsNull { reg: dst, target: none });
    cg.b.emit(Insn::MustBeInteger { reg: dst, target: Addr::NONE });
    cg.b.place(none);
    Ok(())
}

/// UPDATE or DELETE of a virtual table's rows.
pub(super) fn change<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>, plan: &VirtualChange<'a>) -> Result<()> {
    let (target, connected) = (&change.target, plan.connected);
    let is_delete = change.set.is_empty();
    begin(cg, target, connected, true);
    let width = if is_delete { 1 } else { KEYS + target.width() };
    let start = cg.b.registers(width + 1);
    let found = find_rows(cg, change, plan, start, width)?;
    let done = cg.b.label();
    cg.b.emit(Insn::Rewind { cursor: found, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Columns { cursor: found, column: 0, dst: start, count: width as u32 + 1 });
    if !is_delete {
        cg.b.emit(Insn::VMarkUnchanged { start, count: width as u32, src: start.at(width) });
    }
    let rowid = cg.b.register();
    emit_update(cg, connected, plan.policy, (start, width), rowid);
    cg.emit_row_count();
    cg.b.emit(Insn::Next { cursor: found, target: top });
    cg.b.place(done);
    super::finish_statement(cg, None);
    Ok(())
}

/// Adds the table to the transaction before its first change.
fn begin<'a>(cg: &mut Codegen<'a>, target: &ChangeTarget<'a>, connected: &ConnectedTable, is_single: bool) {
    cg.transactions.use_database(target.db, true);
    cg.journal.note_may_abort();
    if !is_single {
        cg.journal.note_more_changes();
    }
    cg.b.emit(Insn::VBegin { table: connected.id });
}

fn emit_update(
    cg: &mut Codegen<'_>,
    connected: &ConnectedTable,
    policy: Option<Conflict>,
    (start, count): (Reg, usize),
    dst: Reg,
) {
    let policy = number(policy.unwrap_or(Conflict::Abort));
    cg.b.emit(Insn::VUpdate { policy, count: count as u16, table: connected.id, start, dst });
}

/// Puts the arguments of every change into a temporary table, followed by the set of columns that the table has omitted. With a
/// FROM the first match of a row is used.
fn find_rows<'a>(
    cg: &mut Codegen<'a>,
    change: &ResolvedChange<'a>,
    plan: &VirtualChange<'a>,
    start: Reg,
    width: usize,
) -> Result<CursorId> {
    let target = &change.target;
    let VirtualChange { connected, from, ref arguments, queries, .. } = *plan;
    cg.explain.join(from);
    cg.explain.expr_queries(queries);
    let join = prepare_sources(cg, from)?;
    if !from.join.one_row {
        cg.journal.note_more_changes();
    }
    let is_from = change.sources.len() > 1;
    let found = if is_from {
        let key: Arc<KeyInfo> = cg.key_info(&[(Coll::Binary, false, false)])?;
        cg.ephemeral(CursorKind::EphemeralIndex, key, width + 1)
    } else {
        cg.ephemeral_table(width + 1)
    };
    cg.b.emit(Insn::OpenEphemeral { cursor: found });
    let record = cg.b.register();
    let loops = begin_loops(cg, &join)?;
    cg.in_loop(|cg| {
        let is_known = cg.b.label();
        cg.sharing_rows(|cg| {
            for (at, argument) in arguments.iter().enumerate() {
                let dst = start.at(at);
                match (argument.unchanged, cg.access(target.source)) {
                    (Some(column), ColumnAccess::Virtual { cursor }) => {
                        cg.b.emit(Insn::VColumn { flags: 1, cursor, column, dst });
                    }
                    _ => cg.emit_into(&argument.expr, dst)?,
                }
                if is_from && at == 0 {
                    cg.b.emit(Insn::Found { cursor: found, count: 1, start, target: is_known });
                }
            }
            Ok(())
        })?;
        cg.b.emit(Insn::VNoteUnchanged { start, count: width as u32, dst: start.at(width) });
        let (count, affinities) = (width as u16 + 1, AffinityListId::NONE);
        cg.b.emit(Insn::MakeRecord { count, affinities, start, dst: record });
        if is_from {
            cg.b.emit(Insn::IdxInsert { flags: 0, cursor: found, count: 1, record, start });
        } else if change.set.is_empty() && connected.key.is_none() {
            // Rows are deleted in the order of their rowids, each once.
            cg.b.emit(Insn::Insert { flags: 0, cursor: found, rowid: start, record });
        } else {
            let rowid = cg.b.register();
            cg.b.emit(Insn::NewRowid { cursor: found, dst: rowid, sequence: Sequence::NONE });
            cg.b.emit(Insn::Insert { flags: insert_flags::APPEND, cursor: found, rowid, record });
        }
        cg.b.place(is_known);
        Ok(())
    })?;
    end_loops(cg, loops)?;
    Ok(found)
}
