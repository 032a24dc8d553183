//! Entries of indexes: building, inserting and deleting them.

use lithe_catalog::Result;
use lithe_optimize::write::table::WrittenIndex;
use lithe_resolve::ir::{Expr, affinity_of};
use lithe_value::Affinity;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, CursorId, Reg};

use super::target::Target;
use crate::Codegen;

/// The new entry of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewEntry {
    /// Its columns.
    pub key: Reg,
    /// For a partial index a register that is NULL when the index does not have the row.
    pub is_there: Option<Reg>,
    /// The index's cursor is where the entry goes.
    pub is_sought: bool,
}

/// Builds the entry of the current row, which is the access of the target's source.
pub(super) fn emit_new_entry<'a>(cg: &mut Codegen<'a>, index: &WrittenIndex<'a>) -> Result<NewEntry> {
    let key = cg.b.registers(index.exprs.len());
    let mut is_there = None;
    let done = cg.b.label();
    if let Some(filter) = &index.filter {
        let reg = cg.b.register();
        cg.b.emit(Insn::Null { start: reg, count: 1 });
        cg.jump_if_false(filter, done, true)?;
        cg.b.emit(Insn::Integer { value: 1, dst: reg });
        is_there = Some(reg);
    }
    cg.emit_list_into(index.exprs, key)?;
    cg.b.place(done);
    Ok(NewEntry { key, is_there, is_sought: false })
}

/// As in the table, REALs that are integers are stored as integers. Values of expressions get the affinity of the expression.
pub(crate) fn entry_affinities(cg: &mut Codegen<'_>, exprs: &[Expr<'_>]) -> AffinityListId {
    let of = |expr: &Expr<'_>| match affinity_of(expr) {
        Some(Affinity::Real) => Affinity::Real,
        Some(affinity) if !matches!(expr, Expr::Column(_)) => affinity,
        _ => Affinity::Blob,
    };
    if exprs.iter().all(|expr| of(expr) == Affinity::Blob) {
        return AffinityListId::NONE;
    }
    let list = bumpalo::collections::Vec::from_iter_in(exprs.iter().map(of), cg.arena);
    cg.b.affinity_list(&list)
}

/// Inserts the new entries into all indexes except the table itself.
pub(super) fn emit_insert_entries<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, entries: &[Option<NewEntry>]) {
    for (at, (index, entry)) in target.indexes.iter().zip(entries).enumerate() {
        if let Some(entry) = entry.filter(|_| !index.is_table) {
            emit_insert_entry(cg, target.index_cursor(at), index, &entry);
        }
    }
}

/// Inserts the row of a WITHOUT ROWID table, which is the entry of its primary key.
pub(super) fn emit_insert_row_entry<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    entries: &[Option<NewEntry>],
    flags: u8,
) {
    let row = target.indexes.iter().zip(entries).find(|(index, _)| index.is_table);
    if let Some((index, Some(entry))) = row {
        emit_entry(cg, target.cursor, index, entry, flags);
    }
}

fn emit_insert_entry<'a>(cg: &mut Codegen<'a>, cursor: CursorId, index: &WrittenIndex<'a>, entry: &NewEntry) {
    let is_absent = cg.b.label();
    if let Some(reg) = entry.is_there {
        cg.b.emit(Insn::IsNull { reg, target: is_absent });
    }
    emit_entry(cg, cursor, index, entry, 0);
    cg.b.place(is_absent);
}

fn emit_entry<'a>(cg: &mut Codegen<'a>, cursor: CursorId, index: &WrittenIndex<'a>, entry: &NewEntry, flags: u8) {
    let flags = if entry.is_sought { flags | insert_flags::USE_SEEK } else { flags };
    let (count, start) = (index.exprs.len() as u16, entry.key);
    let affinities = entry_affinities(cg, index.exprs);
    cg.b.emit(Insn::IdxInsertRow { flags, cursor, count, affinities, start });
}

/// Deletes the entries of the row under the table's cursor, which is the access of the target's source, from the indexes at the
/// positions for which `is_wanted` is true.
pub(super) fn emit_delete_entries<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    is_wanted: impl Fn(usize) -> bool,
) -> Result<()> {
    let wanted = |(at, index): &(usize, &WrittenIndex<'a>)| !index.is_table && is_wanted(*at);
    for (at, index) in target.indexes.iter().enumerate().filter(wanted) {
        let done = cg.b.label();
        if let Some(filter) = &index.filter {
            cg.jump_if_false(filter, done, true)?;
        }
        let count = index.exprs.len();
        let key = cg.b.registers(count);
        cg.emit_list_into(index.exprs, key)?;
        let cursor = target.index_cursor(at);
        // With writable_schema the statement continues, even if an index lacks entries.
        let must_exist = (!cg.env.flags.may_write_schema()).into();
        cg.b.emit(Insn::IdxDelete { must_exist, cursor, start: key, count: count as u32 });
        cg.b.place(done);
    }
    Ok(())
}
