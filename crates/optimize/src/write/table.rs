//! The table that a statement changes, and the indexes that it has to update.

use lithe_base::Db;
use lithe_catalog::{Index, IndexOrigin, IndexTerm, Result, Table};
use lithe_resolve::ir::{Coll, Expr, SourceId};
use lithe_resolve::{ChangeTarget, Resolver, Stored};

use super::changed::Changed;

/// A table and those of its indexes that a statement writes.
#[derive(Clone, Copy, Debug)]
pub struct WrittenTable<'a> {
    /// Its database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// The row in expressions.
    pub source: SourceId,
    /// The indexes in their order. A WITHOUT ROWID table's primary key is always among them.
    pub indexes: &'a [WrittenIndex<'a>],
}

/// An index that a statement updates with the rows of its table.
#[derive(Clone, Copy, Debug)]
pub struct WrittenIndex<'a> {
    /// The index.
    pub index: &'a Index,
    /// Whether it is the table itself.
    pub is_table: bool,
    /// WHERE of a partial index.
    pub filter: Option<Expr<'a>>,
    /// The expressions of its columns.
    pub exprs: &'a [Expr<'a>],
}

impl<'a> WrittenTable<'a> {
    /// The target of a statement with those of its indexes that `is_written` names.
    pub fn of(
        resolver: &Resolver<'a>,
        target: &ChangeTarget<'a>,
        is_written: impl Fn(&WrittenIndex<'a>) -> bool,
    ) -> Result<WrittenTable<'a>> {
        let ChangeTarget { db, table, source, .. } = *target;
        let mut indexes = bumpalo::collections::Vec::with_capacity_in(table.indexes.len(), resolver.arena);
        for index in &table.indexes {
            let is_table = table.is_without_rowid() && index.origin == IndexOrigin::PrimaryKey;
            let exprs = index_exprs(resolver, db, table, source, index)?;
            let filter = index_filter(resolver, db, table, source, index)?;
            let written = WrittenIndex { index, is_table, filter, exprs };
            if is_table {
                indexes.push(written);
            } else if is_written(&written) {
                check_collations(resolver, index)?;
                indexes.push(written);
            }
        }
        Ok(WrittenTable { db, table, source, indexes: indexes.into_bump_slice() })
    }

    /// The primary key's index of a WITHOUT ROWID table.
    pub fn key(&self) -> Option<&'a WrittenIndex<'a>> {
        self.indexes.iter().find(|index| index.is_table)
    }

    /// The key of a row: its rowid, or the columns of its primary key.
    pub fn key_exprs(&self, resolver: &Resolver<'a>) -> &'a [Expr<'a>] {
        match self.key() {
            None => std::slice::from_ref(resolver.arena.alloc(resolver.rowid(self.source, self.table))),
            Some(key) => key.key_exprs(),
        }
    }

    /// Whether the row moves: another rowid, or another primary key of a WITHOUT ROWID table.
    pub fn changes_key(&self, changed: &Changed) -> bool {
        match self.key() {
            None => changed.rowid,
            Some(key) => key.key_exprs().iter().any(|expr| self.depends_on(expr, changed)),
        }
    }

    /// Whether `expr` depends on a changed column.
    pub(crate) fn depends_on(&self, expr: &Expr<'a>, changed: &Changed) -> bool {
        changed.is_used_by(expr, self.source, self.table)
    }
}

impl<'a> WrittenIndex<'a> {
    /// The expressions of the key's columns.
    pub fn key_exprs(&self) -> &'a [Expr<'a>] {
        &self.exprs[..usize::from(self.index.key_count)]
    }

    /// Whether an entry depends on a changed column of the row of `target`.
    pub(crate) fn depends_on(&self, target: &ChangeTarget<'a>, changed: &Changed) -> bool {
        let is_changed = |expr: &Expr<'a>| changed.is_used_by(expr, target.source, target.table);
        self.exprs.iter().chain(&self.filter).any(is_changed)
    }
}

/// An index with a collation that is not defined cannot be written.
fn check_collations(resolver: &Resolver<'_>, index: &Index) -> Result<()> {
    let own = index.columns.iter().filter(|column| column.collation.builtin().is_none());
    own.map(|column| resolver.env.collation(Coll::of(&column.collation))).try_for_each(|found| found.map(|_| ()))
}

/// The expressions of an index's columns, for the row `source`.
pub fn index_exprs<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &'a Table,
    source: SourceId,
    index: &'a Index,
) -> Result<&'a [Expr<'a>]> {
    let mut exprs = bumpalo::collections::Vec::with_capacity_in(index.columns.len(), resolver.arena);
    for column in &index.columns {
        exprs.push(match &column.term {
            IndexTerm::Column(at) => resolver.table_column(source, table, *at),
            IndexTerm::Rowid => resolver.rowid(source, table),
            IndexTerm::Expr(text) => resolver.stored_expr(text, Stored::Index, source, db, table)?,
        });
    }
    Ok(exprs.into_bump_slice())
}

/// WHERE of a partial index.
pub fn index_filter<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &'a Table,
    source: SourceId,
    index: &'a Index,
) -> Result<Option<Expr<'a>>> {
    let Some(text) = &index.filter else { return Ok(None) };
    resolver.stored_expr(text, Stored::PartialIndex, source, db, table).map(Some)
}
