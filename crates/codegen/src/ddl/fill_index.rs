//! Filling an index from its table: the entries are sorted first, so that the tree is built from left to right with full pages,
//! and equal keys are adjacent, where the check of a unique index finds them.

use std::sync::Arc;

use lithe_catalog::{Index, Result, Table};
use lithe_resolve::ir::{Expr, SourceId};
use lithe_sql::ast::Conflict;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Db, Reg, UNOPENED};
use lithe_vm::program::{CursorInfo, CursorKind};

use crate::derived::unique_failure;
use crate::write::{emit_failure, entry_affinities};
use crate::{Codegen, ColumnAccess};

/// An index to be filled.
pub(super) struct Filling<'f, 'a> {
    /// The database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// The table's row in the expressions.
    pub source: SourceId,
    /// The index, perhaps not yet in the catalog.
    pub index: &'f Index,
    /// The expressions of its columns.
    pub exprs: &'f [Expr<'a>],
    /// WHERE of a partial index.
    pub filter: Option<Expr<'a>>,
    /// Its tree.
    pub root: Root,
}

/// The tree of an index.
#[derive(Clone, Copy)]
pub(super) enum Root {
    /// It has just been created and is empty: the register has its root page.
    Register(Reg),
    /// The tree in the catalog, which is emptied first.
    OfIndex,
}

/// Emits code that fills an index.
pub(super) fn fill_index<'a>(cg: &mut Codegen<'a>, filling: &Filling<'_, 'a>) -> Result<()> {
    let key = cg.index_key(filling.db, filling.index)?;
    let count = filling.exprs.len();
    let info = |kind, root| CursorInfo {
        kind,
        db: filling.db,
        root,
        key: Some(Arc::clone(&key)),
        column_count: count as u16,
        table: None,
    };
    let sorter = cg.b.cursor(info(CursorKind::Sorter, None));
    let cursor = match filling.root {
        Root::Register(_) => cg.b.cursor(info(CursorKind::Index, None)),
        Root::OfIndex => cg.b.cursor(info(CursorKind::Index, filling.index.root)),
    };
    cg.b.emit(Insn::SorterOpen { cursor: sorter, limit: Reg::NONE });
    emit_sort_rows(cg, filling, sorter)?;
    match filling.root {
        Root::Register(root) => cg.b.emit(Insn::OpenWriteAt { cursor, root }),
        Root::OfIndex => {
            cg.b.emit(Insn::ClearTree { count_changes: UNOPENED, cursor });
            cg.b.emit(Insn::OpenWrite { cursor });
        }
    }
    emit_build(cg, filling, sorter, cursor);
    cg.b.emit(Insn::Close { cursor: sorter });
    Ok(())
}

/// Puts the entries of all rows into the sorter.
fn emit_sort_rows<'a>(cg: &mut Codegen<'a>, filling: &Filling<'_, 'a>, sorter: CursorId) -> Result<()> {
    let cursor = cg.open_table(filling.db, filling.table)?;
    cg.set_access(filling.source, ColumnAccess::Table { cursor, table: filling.table });
    let (next, done) = (cg.b.label(), cg.b.label());
    let count = filling.exprs.len();
    let start = cg.b.registers(count);
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.in_loop(|cg| {
        if let Some(filter) = &filling.filter {
            cg.jump_if_false(filter, next, true)?;
        }
        cg.emit_list_into(filling.exprs, start)?;
        let affinities = entry_affinities(cg, filling.exprs);
        if affinities != lithe_vm::operand::AffinityListId::NONE {
            cg.b.emit(Insn::Affinity { start, affinities });
        }
        cg.b.emit(Insn::SorterInsert { cursor: sorter, start, count: count as u32 });
        Ok(())
    })?;
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

/// Appends the sorted entries to the tree.
fn emit_build(cg: &mut Codegen<'_>, filling: &Filling<'_, '_>, sorter: CursorId, cursor: CursorId) {
    let done = cg.b.label();
    let keys = usize::from(filling.index.key_count);
    // The key of the entry before, for comparison. It begins as NULLs, which equal nothing.
    let previous = cg.b.registers(keys);
    if filling.index.is_unique() {
        cg.b.emit(Insn::Null { start: previous, count: keys as u32 });
    }
    cg.b.emit(Insn::SorterSort { cursor: sorter, target: done });
    let top = cg.b.here();
    if filling.index.is_unique() {
        emit_comparison(cg, filling, sorter, cursor, previous);
    }
    let many = u8::from(!filling.index.is_unique());
    cg.b.emit(Insn::IdxAppend { many, sorter, cursor });
    cg.b.emit(Insn::SorterNext { cursor: sorter, target: top });
    cg.b.place(done);
}

/// Fails if the entry has the same key as the one before.
fn emit_comparison(cg: &mut Codegen<'_>, filling: &Filling<'_, '_>, sorter: CursorId, cursor: CursorId, previous: Reg) {
    let count = u32::from(filling.index.key_count);
    let (differs, is_same): (Addr, Addr) = (cg.b.label(), cg.b.label());
    let present = cg.b.registers(usize::from(filling.index.key_count));
    cg.b.emit(Insn::Columns { cursor: sorter, column: 0, dst: present, count });
    cg.b.emit(Insn::AnyNull { start: present, count, target: differs });
    cg.b.emit(Insn::CompareVectors { key: cursor, lhs: previous, rhs: present, count });
    cg.b.emit(Insn::Jump { less: differs, equal: is_same, greater: differs });
    cg.b.place(is_same);
    let (code, message) = unique_failure(filling.table, filling.index);
    emit_failure(cg, Conflict::Abort, code, message);
    cg.b.place(differs);
    cg.b.emit(Insn::Move { src: present, dst: previous, count });
}
