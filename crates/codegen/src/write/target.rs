//! The table that a statement changes: its cursors, and the expressions of its definition.

use lithe_catalog::{Index, Result, Table};
use lithe_optimize::write::table::{WrittenIndex, WrittenTable};
use lithe_resolve::ir::SourceId;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Db, Reg};

use crate::Codegen;
use crate::derived::write_metadata;

/// A table, open for writing.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// Its database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// The source of the row in expressions. [`Codegen::set_access`] says which row that is, and how it is read.
    pub source: SourceId,
    /// The cursor on the table's B-tree, once it is open.
    pub cursor: CursorId,
    /// Its indexes in their order. A WITHOUT ROWID table's primary key is among them.
    pub indexes: &'a [WrittenIndex<'a>],
    /// The cursor on each index, except the one that is the table itself.
    index_cursors: &'a [CursorId],
}

/// A placeholder until the cursor exists.
const NO_CURSOR: CursorId = CursorId(u16::MAX);

impl<'a> Target<'a> {
    /// The target of a statement, with cursors on the indexes that it writes. Nothing is opened yet.
    pub fn new(cg: &mut Codegen<'a>, written: &WrittenTable<'a>) -> Result<Target<'a>> {
        let WrittenTable { db, table, source, indexes, .. } = *written;
        cg.transactions.use_database(db, true);
        let mut index_cursors = bumpalo::collections::Vec::with_capacity_in(indexes.len(), cg.arena);
        for index in indexes {
            index_cursors.push(if index.is_table { NO_CURSOR } else { cg.index_cursor(db, index.index)? });
        }
        Ok(Target { db, table, source, cursor: NO_CURSOR, indexes, index_cursors: index_cursors.into_bump_slice() })
    }

    /// Opens the table and the indexes for writing.
    pub fn open(&mut self, cg: &mut Codegen<'a>) -> Result<()> {
        let cursor = cg.table_cursor(self.db, self.table)?;
        cg.b.emit(Insn::OpenWrite { cursor });
        self.use_cursor(cg, cursor);
        self.open_indexes(cg, None);
        Ok(())
    }

    /// Opens the indexes alone, for writing, except one that is open already.
    pub fn open_indexes(&self, cg: &mut Codegen<'a>, opened: Option<&Index>) {
        let is_opened = |index: &Index| opened.is_some_and(|opened| std::ptr::eq(opened, index));
        for (index, &cursor) in self.indexes.iter().zip(self.index_cursors) {
            if !index.is_table && !is_opened(index.index) {
                cg.b.emit(Insn::OpenWrite { cursor });
            }
        }
    }

    /// Writes with a cursor on the table that is open already.
    pub fn use_cursor(&mut self, cg: &mut Codegen<'a>, cursor: CursorId) {
        let metadata = write_metadata(cg.env, self.db, self.table);
        cg.b.cursor_info(cursor).table = Some(metadata);
        self.cursor = cursor;
    }

    /// The cursor on the index at a position in `indexes`.
    pub fn index_cursor(&self, at: usize) -> CursorId {
        if self.indexes[at].is_table { self.cursor } else { self.index_cursors[at] }
    }

    /// The primary key's index of a WITHOUT ROWID table.
    pub fn key(&self) -> Option<&'a WrittenIndex<'a>> {
        self.indexes.iter().find(|index| index.is_table)
    }

    /// How many columns a key of the table has: the rowid, or the columns of the primary key.
    pub fn key_width(&self) -> usize {
        self.key().map_or(1, |key| usize::from(key.index.key_count))
    }

    /// Puts the key of the row under the table's cursor into registers from `dst` on.
    pub fn emit_key(&self, cg: &mut Codegen<'a>, dst: Reg) -> Result<()> {
        match self.key() {
            None => cg.b.emit(Insn::Rowid { cursor: self.cursor, dst }),
            Some(_) => {
                let count = self.key_width() as u32;
                cg.b.emit(Insn::Columns { cursor: self.cursor, column: 0, dst, count });
            }
        }
        Ok(())
    }

    /// Moves the table's cursor to the row with this key; jumps if there is none.
    pub fn seek(&self, cg: &mut Codegen<'a>, key: Reg, missing: Addr) {
        let cursor = self.cursor;
        match self.key() {
            None => cg.b.emit(Insn::SeekRowid { cursor, rowid: key, target: missing }),
            Some(_) => {
                let count = self.key_width() as u16;
                cg.b.emit(Insn::NotFound { cursor, count, start: key, target: missing });
            }
        }
    }
}
