//! The table that a statement changes: its cursors, and the expressions that its definition has.

use lithe_catalog::{Index, IndexOrigin, IndexTerm, Result, Table};
use lithe_resolve::ir::{Child, ColumnIndex, Expr, SourceId, for_each_child};
use lithe_resolve::{ChangeTarget, Stored};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Db, Reg};

use crate::Codegen;
use crate::derived::write_facts;

/// A table, open for writing.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// Its database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// The row in expressions. What is in it and where is said by [`Codegen::set_access`].
    pub source: SourceId,
    /// The cursor on the table's B-tree, once it is open.
    pub cursor: CursorId,
    /// Its indexes in their order. A WITHOUT ROWID table's primary key is among them.
    pub indexes: &'a [TargetIndex<'a>],
}

/// An index of a table, open for writing.
#[derive(Clone, Copy)]
pub(crate) struct TargetIndex<'a> {
    /// The index.
    pub index: &'a Index,
    /// Its cursor, unless it is the table itself.
    own_cursor: CursorId,
    /// Whether it is the table itself.
    pub is_table: bool,
    /// WHERE of a partial index.
    pub filter: Option<Expr<'a>>,
    /// What the columns hold.
    pub exprs: &'a [Expr<'a>],
}

/// Prepares the target of a statement, with those of its indexes that `wanted` names. Nothing is opened yet.
pub(crate) fn prepare_target<'a>(
    cg: &mut Codegen<'a>,
    target: &ChangeTarget<'a>,
    wanted: impl Fn(&TargetIndex<'a>) -> bool,
) -> Result<Target<'a>> {
    let ChangeTarget { db, table, source, .. } = *target;
    cg.transactions.use_database(db, true);
    let mut indexes = bumpalo::collections::Vec::with_capacity_in(table.indexes.len(), cg.arena);
    for index in &table.indexes {
        let is_table = table.is_without_rowid() && index.origin == IndexOrigin::PrimaryKey;
        let exprs = index_exprs(cg, db, table, source, index)?;
        let filter = index_filter(cg, db, table, source, index)?;
        let mut prepared = TargetIndex { index, own_cursor: NO_CURSOR, is_table, filter, exprs };
        if is_table {
            indexes.push(prepared);
        } else if wanted(&prepared) {
            prepared.own_cursor = cg.index_cursor(db, index)?;
            indexes.push(prepared);
        }
    }
    Ok(Target { db, table, source, cursor: NO_CURSOR, indexes: indexes.into_bump_slice() })
}

/// Stands for a cursor until there is one.
const NO_CURSOR: CursorId = CursorId(u16::MAX);

/// What the columns of an index hold, of the row `source`.
pub(crate) fn index_exprs<'a>(
    cg: &Codegen<'a>,
    db: Db,
    table: &'a Table,
    source: SourceId,
    index: &'a Index,
) -> Result<&'a [Expr<'a>]> {
    let mut exprs = bumpalo::collections::Vec::with_capacity_in(index.columns.len(), cg.arena);
    for column in &index.columns {
        exprs.push(match &column.term {
            IndexTerm::Column(at) => cg.resolver.table_column(source, table, *at),
            IndexTerm::Rowid => cg.resolver.rowid(source, table),
            IndexTerm::Expr(text) => cg.resolver.stored_expr(text, Stored::Index, source, db, table)?,
        });
    }
    Ok(exprs.into_bump_slice())
}

/// WHERE of a partial index.
pub(crate) fn index_filter<'a>(
    cg: &Codegen<'a>,
    db: Db,
    table: &'a Table,
    source: SourceId,
    index: &'a Index,
) -> Result<Option<Expr<'a>>> {
    let Some(text) = &index.filter else { return Ok(None) };
    cg.resolver.stored_expr(text, Stored::PartialIndex, source, db, table).map(Some)
}

impl<'a> Target<'a> {
    /// Opens the table and the indexes for writing.
    pub fn open(&mut self, cg: &mut Codegen<'a>) -> Result<()> {
        let cursor = cg.table_cursor(self.db, self.table)?;
        cg.b.emit(Insn::OpenWrite { cursor });
        self.use_cursor(cg, cursor);
        self.open_indexes(cg, None);
        Ok(())
    }

    /// Opens the indexes alone, for writing, but for one that somebody else has opened.
    pub fn open_indexes(&self, cg: &mut Codegen<'a>, opened: Option<&Index>) {
        let is_opened = |index: &Index| opened.is_some_and(|opened| std::ptr::eq(opened, index));
        for index in self.indexes.iter().filter(|index| !index.is_table && !is_opened(index.index)) {
            cg.b.emit(Insn::OpenWrite { cursor: index.own_cursor });
        }
    }

    /// Writes with a cursor on the table that somebody else has opened.
    pub fn use_cursor(&mut self, cg: &mut Codegen<'a>, cursor: CursorId) {
        let facts = write_facts(cg.env, self.db, self.table);
        cg.b.cursor_info(cursor).table = Some(facts);
        self.cursor = cursor;
    }

    /// The cursor on an index.
    pub fn cursor_of(&self, index: &TargetIndex<'a>) -> CursorId {
        if index.is_table { self.cursor } else { index.own_cursor }
    }

    /// The primary key's index of a WITHOUT ROWID table.
    pub fn key(&self) -> Option<&'a TargetIndex<'a>> {
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

    /// Whether the row moves: another rowid, or another primary key of a WITHOUT ROWID table.
    pub fn changes_key(&self, changed: &Changed) -> bool {
        match self.key() {
            None => changed.rowid,
            Some(key) => {
                key.exprs[..usize::from(key.index.key_count)].iter().any(|expr| self.depends_on(expr, changed))
            }
        }
    }

    /// Whether `expr` depends on what is changed.
    pub fn depends_on(&self, expr: &Expr<'a>, changed: &Changed) -> bool {
        uses_changed(expr, self.source, self.table, changed)
    }
}

fn uses_changed(expr: &Expr<'_>, source: SourceId, table: &Table, changed: &Changed) -> bool {
    if let Expr::Column(column) = expr {
        return column.source == source && changed.has(table, column.index);
    }
    let mut found = false;
    for_each_child(expr, &mut |child| {
        if let Child::Expr(operand) = child {
            found = found || uses_changed(operand, source, table, changed);
        }
    });
    found
}

/// Which columns an UPDATE changes, generated ones included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    /// By position.
    columns: Vec<bool>,
    /// The rowid gets a value.
    pub rowid: bool,
    /// The entries of all indexes are made anew.
    pub all_indexes: bool,
    /// What REPLACE would delete is looked at for all unique indexes, those that stay included.
    pub checks_all_indexes: bool,
}

impl Changed {
    /// Nothing yet, of so many columns.
    pub fn none(width: usize) -> Changed {
        Changed { columns: vec![false; width], rowid: false, ..Changed::default() }
    }

    /// Adds the column at this position.
    pub fn insert(&mut self, column: u16) {
        self.columns[usize::from(column)] = true;
    }

    /// Whether the column at this position gets a value.
    pub fn has_column(&self, column: u16) -> bool {
        self.columns[usize::from(column)]
    }

    /// Whether `expr` uses what is changed in the row of `change`.
    pub fn is_used_by(&self, change: &ChangeTarget<'_>, expr: &Expr<'_>) -> bool {
        uses_changed(expr, change.source, change.table, self)
    }

    fn has(&self, table: &Table, column: ColumnIndex) -> bool {
        match column.position() {
            Some(at) => self.columns[at],
            None => self.rowid || table.rowid_column.is_some_and(|at| self.has_column(at)),
        }
    }
}
