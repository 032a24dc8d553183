//! The child's side: a row is inserted or deleted, and its parent may be missing.

use lithe_base::ResultCode;
use lithe_catalog::{ForeignKey, Result, Table};
use lithe_optimize::write::foreign_keys::{ChildKey, ParentKey};
use lithe_sql::ast::Conflict;
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use crate::Codegen;
use crate::write::constraint::emit_failure;
use crate::write::row::Row;
use crate::write::target::Target;

/// Counts a row without a parent that is deleted with its table: one violation less, unless the key has a NULL.
pub(super) fn emit_orphan_deleted<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: &ForeignKey, row: Row) {
    let fine = cg.b.label();
    for &column in &key.columns {
        cg.b.emit(Insn::IsNull { reg: register_of(target.table, row, column), target: fine });
    }
    cg.b.emit(Insn::FkCounter { deferred: u8::from(key.deferred), delta: -1 });
    cg.b.place(fine);
}

/// Counts a row that is inserted (`delta` 1) or deleted (-1): if it has no parent, the violations are one more or one less.
///
/// As in SQLite, a new row is not checked if the trigger that was begun last is the SET NULL of the key itself. SQLite intends that
/// for the rows that SET NULL changes. A side effect: REPLACE can put rows without a parent into a table that refers to itself.
pub(super) fn emit_check<'a>(
    cg: &mut Codegen<'a>,
    key: &ChildKey<'a>,
    target: &Target<'a>,
    row: Row,
    delta: i32,
) -> Result<()> {
    let deferred = u8::from(key.key.deferred);
    let is_readable = may_read_parent(cg, key)?;
    if delta > 0 && cg.write.programs.get().borrow().end_with_set_null(key.key) {
        return Ok(());
    }
    let fine = cg.b.label();
    if delta < 0 {
        cg.b.emit(Insn::FkIfZero { deferred, target: fine });
    }
    for &column in &key.parent_key.child_columns {
        cg.b.emit(Insn::IsNull { reg: register_of(target.table, row, column), target: fine });
    }
    match key.parent_key.index {
        // A parent that must not be read counts as missing.
        _ if !is_readable => {}
        None => emit_rowid_search(cg, key, target, row, delta, fine)?,
        Some(_) => emit_index_search(cg, key, target, row, delta, fine)?,
    }
    emit_violation(cg, key.key.deferred, delta);
    cg.b.place(fine);
    Ok(())
}

/// Calls the authorizer for the parent's key.
fn may_read_parent<'a>(cg: &Codegen<'a>, key: &ChildKey<'a>) -> Result<bool> {
    let mut is_readable = true;
    for &column in &key.parent_key.columns {
        let name = key.parent.columns[usize::from(column)].name.name();
        is_readable &= cg.env.authorize_read(key.parent.name.name(), name, key.db, cg.within())?;
    }
    Ok(is_readable)
}

/// Jumps to `found` if the parent exists, searched by its rowid.
fn emit_rowid_search<'a>(
    cg: &mut Codegen<'a>,
    key: &ChildKey<'a>,
    target: &Target<'a>,
    row: Row,
    delta: i32,
    found: Addr,
) -> Result<()> {
    let missing = cg.b.label();
    let value = cg.b.register();
    let child = key.parent_key.child_columns[0];
    cg.b.emit(Insn::Copy { src: register_of(target.table, row, child), dst: value, count: 1 });
    // Only an integer can be a rowid.
    cg.b.emit(Insn::MustBeInteger { reg: value, target: missing });
    if delta > 0 && is_own_parent(key, target) {
        let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
        cg.b.emit(Insn::Eq { flags, collation, lhs: row.rowid, rhs: value, target: found });
    }
    let cursor = cg.open_table(key.db, key.parent)?;
    cg.b.emit(Insn::SeekRowid { cursor, rowid: value, target: missing });
    cg.b.emit(Insn::Goto { target: found });
    cg.b.place(missing);
    Ok(())
}

/// Jumps to `found` if the parent exists, searched by an index.
fn emit_index_search<'a>(
    cg: &mut Codegen<'a>,
    key: &ChildKey<'a>,
    target: &Target<'a>,
    row: Row,
    delta: i32,
    found: Addr,
) -> Result<()> {
    let ParentKey { index, columns, child_columns } = &key.parent_key;
    let index = index.expect("the parent is found by an index");
    let count = columns.len();
    if delta > 0 && is_own_parent(key, target) {
        emit_own_key(cg, key, target, row, found);
    }
    let start = cg.b.registers(count);
    for (at, &column) in child_columns.iter().enumerate() {
        cg.b.emit(Insn::Copy { src: register_of(target.table, row, column), dst: start.at(at), count: 1 });
    }
    let affinities: Vec<Affinity> =
        columns.iter().map(|&column| key.parent.columns[usize::from(column)].affinity).collect();
    if affinities.iter().any(|affinity| *affinity != Affinity::Blob) {
        let affinities = cg.b.affinity_list(&affinities);
        cg.b.emit(Insn::Affinity { start, affinities });
    }
    let is_table = key.parent.is_without_rowid() && index.root == key.parent.root;
    let cursor = if is_table { cg.open_table(key.db, key.parent)? } else { cg.open_index(key.db, index)? };
    cg.b.emit(Insn::Found { cursor, count: count as u16, start, target: found });
    Ok(())
}

/// Jumps to `found` if the new row is its own parent. Its columns are compared as they are: those of the child do not get the
/// parent's affinity.
fn emit_own_key<'a>(cg: &mut Codegen<'a>, key: &ChildKey<'a>, target: &Target<'a>, row: Row, found: Addr) {
    let differs = cg.b.label();
    let ParentKey { columns, child_columns, .. } = &key.parent_key;
    let (flags, collation) = (CompareFlags(CompareFlags::NULL_JUMPS), CollationId::BINARY);
    for (&of_parent, &of_child) in columns.iter().zip(child_columns) {
        let (lhs, rhs) = (register_of(target.table, row, of_parent), register_of(target.table, row, of_child));
        cg.b.emit(Insn::Ne { flags, collation, lhs, rhs, target: differs });
    }
    cg.b.emit(Insn::Goto { target: found });
    cg.b.place(differs);
}

fn is_own_parent(key: &ChildKey<'_>, target: &Target<'_>) -> bool {
    std::ptr::eq(key.parent, target.table)
}

/// The register of a column in a row: that of the rowid for its alias.
pub(super) fn register_of(table: &Table, row: Row, column: u16) -> Reg {
    if table.rowid_column == Some(column) { row.rowid } else { row.column(column) }
}

/// Counts a violation, or one less. A statement with a single change fails at once.
fn emit_violation(cg: &mut Codegen<'_>, deferred: bool, delta: i32) {
    if delta > 0 && !deferred && cg.fails_at_once() {
        let message = "FOREIGN KEY constraint failed".to_owned();
        emit_failure(cg, Conflict::Abort, ResultCode::CONSTRAINT_FOREIGNKEY, message);
        return;
    }
    cg.b.emit(Insn::FkCounter { deferred: u8::from(deferred), delta });
    if delta > 0 && !deferred {
        note_failure_at_end(cg);
    }
}

/// Records that the statement may fail at its end, after all changes.
pub(super) fn note_failure_at_end(cg: &mut Codegen<'_>) {
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
}
