//! Cursors on tables, indexes and temporary tables, and the transactions that they need.

use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_base::ResultCode;
use lithe_btree::KeyInfo;
use lithe_btree::key::KeyColumn;
use lithe_catalog::{Column, Index, IndexColumn, Result, Table, TableKind, VirtualState, fail};
use lithe_resolve::ir::{Coll, OrderTerm};
use lithe_value::Collation;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Db, OnConflict};
use lithe_vm::program::{CursorInfo, CursorKind, SchemaCheck, TableMetadata};

use super::Codegen;
use super::derived::{self, stored_defaults};

/// The databases that a program uses, and whether it writes them.
#[derive(Debug)]
pub(super) struct Transactions<'a> {
    used: ArenaVec<'a, (Db, bool)>,
}

impl<'a> Transactions<'a> {
    pub fn new(arena: &'a Bump) -> Transactions<'a> {
        Transactions { used: ArenaVec::with_capacity_in(1, arena) }
    }

    /// Records that the program reads (or writes) `db`.
    pub fn use_database(&mut self, db: Db, write: bool) {
        match self.used.iter_mut().find(|(used, _)| *used == db) {
            Some((_, writes)) => *writes |= write,
            None => self.used.push((db, write)),
        }
    }

    /// Whether the program writes any database.
    pub fn write(&self) -> bool {
        self.used.iter().any(|(_, writes)| *writes)
    }

    /// Records that the program uses all databases of another one.
    pub fn add(&mut self, others: &Transactions<'a>) {
        others.used.iter().for_each(|(db, write)| self.use_database(*db, *write));
    }

    /// Takes the databases that are used, in their order.
    fn take(&mut self) -> ArenaVec<'a, (Db, bool)> {
        let arena = self.used.bump();
        let mut used = std::mem::replace(&mut self.used, ArenaVec::new_in(arena));
        used.sort_unstable();
        used
    }
}

impl<'a> Codegen<'a> {
    /// Emits a failure with SQLITE_ERROR.
    pub(crate) fn emit_run_error(&mut self, message: &str) {
        let message = self.b.text(message);
        let (policy, code) = (OnConflict::Abort as u8, ResultCode::ERROR.0);
        self.b.emit(Insn::HaltError { policy, code, message });
    }

    /// Emits the Transaction instructions: at the end of the prologue, when all databases are known, and before any cursor is
    /// opened.
    pub(super) fn emit_transactions(&mut self) {
        let used = self.transactions.take();
        let outer = self.b.set_prologue(true);
        for (db, write) in used {
            self.b.check_schema(SchemaCheck { db, cookie: self.env.catalog.schema(db).cookie });
            self.b.emit(Insn::Transaction { db, write: u8::from(write) });
        }
        self.b.set_prologue(outer);
    }

    /// A cursor on a table, not yet opened by an instruction.
    pub fn table_cursor(&mut self, db: Db, table: &'a Table) -> Result<CursorId> {
        let (kind, key) = match table.kind {
            TableKind::Ordinary => (CursorKind::Table, None),
            TableKind::WithoutRowid => {
                let key = table.primary_key().expect("a WITHOUT ROWID table has a primary key");
                (CursorKind::Index, Some(self.key_of_columns(db, key.key_columns())?))
            }
            TableKind::Virtual(_) => (CursorKind::Virtual, None),
            TableKind::View(_) => return fail(format!("{} is a view", table.name)),
        };
        let column_count = table.stored_columns() as u16;
        let metadata = self.read_metadata(db, table);
        self.new_cursor(CursorInfo { kind, db, root: table.root, key, column_count, table: metadata })
    }

    /// A cursor on an index, not yet opened by an instruction.
    pub fn index_cursor(&mut self, db: Db, index: &'a Index) -> Result<CursorId> {
        let key = Some(self.index_key(db, index)?);
        let column_count = index.columns.len() as u16;
        self.new_cursor(CursorInfo { kind: CursorKind::Index, db, root: index.root, key, column_count, table: None })
    }

    /// As [`Codegen::index_cursor`], for uses of the tree only: no keys are compared, so its collations need not exist.
    pub fn index_tree(&mut self, db: Db, index: &'a Index) -> Result<CursorId> {
        let column_count = index.columns.len() as u16;
        let (kind, root) = (CursorKind::Index, index.root);
        self.new_cursor(CursorInfo { kind, db, root, key: None, column_count, table: None })
    }

    /// A cursor on a table, opened for reading here.
    pub fn open_table(&mut self, db: Db, table: &'a Table) -> Result<CursorId> {
        let cursor = self.table_cursor(db, table)?;
        if let Some(of) = table.virtual_table() {
            match of.state {
                VirtualState::Connected(connected) => {
                    self.transactions.use_database(db, false);
                    self.b.emit(Insn::VOpen { cursor, table: connected.id });
                }
                // FunctionRows computes the rows of a function later. SQLite treats the function as a table of the main database.
                VirtualState::Function(_) | VirtualState::Unconnected => {
                    self.transactions.use_database(Db::MAIN, false)
                }
            }
            return Ok(cursor);
        }
        self.transactions.use_database(db, false);
        self.b.emit(Insn::OpenRead { cursor });
        Ok(cursor)
    }

    /// A cursor on a system table, opened for writing here.
    pub fn open_system_table(&mut self, db: Db, table: &'a Table) -> Result<CursorId> {
        let cursor = self.system_cursor(db, table)?;
        self.b.emit(Insn::OpenWrite { cursor });
        Ok(cursor)
    }

    /// A cursor on a system table that will be written, not yet opened by an instruction. Its rows are not counted, and hooks are not
    /// called for them.
    pub fn system_cursor(&mut self, db: Db, table: &'a Table) -> Result<CursorId> {
        self.transactions.use_database(db, true);
        let cursor = self.table_cursor(db, table)?;
        self.b.cursor_info(cursor).table = None;
        Ok(cursor)
    }

    /// A cursor on an index, opened for reading here.
    pub fn open_index(&mut self, db: Db, index: &'a Index) -> Result<CursorId> {
        let cursor = self.index_cursor(db, index)?;
        self.transactions.use_database(db, false);
        self.b.emit(Insn::OpenRead { cursor });
        Ok(cursor)
    }

    /// A temporary table, index, set or sorter, not yet opened by an instruction.
    pub fn ephemeral(&mut self, kind: CursorKind, key: Arc<KeyInfo>, columns: usize) -> CursorId {
        let key = (kind != CursorKind::EphemeralTable).then_some(key);
        let info = CursorInfo { kind, db: Db::TEMP, root: None, key, column_count: columns as u16, table: None };
        self.b.cursor(info)
    }

    /// A temporary table of rows in the order of their insertion, not yet opened by an instruction.
    pub fn ephemeral_table(&mut self, columns: usize) -> CursorId {
        let kind = CursorKind::EphemeralTable;
        let info = CursorInfo { kind, db: Db::TEMP, root: None, key: None, column_count: columns as u16, table: None };
        self.b.cursor(info)
    }

    /// The description of a key: for each column the collation, whether it is descending, whether NULLs sort as large.
    pub fn key_info(&mut self, columns: &[(Coll<'a>, bool, bool)]) -> Result<Arc<KeyInfo>> {
        let mut key = Vec::with_capacity(columns.len());
        for &(collation, descending, nulls_large) in columns {
            key.push(KeyColumn { collation: self.env.collation(collation)?, descending, nulls_large });
        }
        Ok(Arc::new(KeyInfo::new(key, Default::default())))
    }

    /// The key description that sorts by these terms.
    pub fn order_key(&mut self, terms: &[OrderTerm<'a>]) -> Result<Arc<KeyInfo>> {
        let columns: Vec<_> = terms.iter().map(|term| (term.collation, term.descending, term.nulls_opposite)).collect();
        self.key_info(&columns)
    }

    fn new_cursor(&mut self, info: CursorInfo) -> Result<CursorId> {
        if self.b.cursor_count() >= usize::from(u16::MAX) {
            return fail("too many cursors in one statement");
        }
        Ok(self.b.cursor(info))
    }

    /// The description of an index's key. It is cached with the index, unless a collation of the application is among its
    /// collations.
    pub fn index_key(&self, db: Db, index: &Index) -> Result<Arc<KeyInfo>> {
        let schema = self.env.catalog.schema(db);
        let properties = (schema.file_format >= DESCENDING_FORMAT, schema.encoding);
        if let Some(kept) = derived::kept_index_key(index, properties) {
            return Ok(kept);
        }
        if index.columns.iter().any(|column| column.collation.builtin().is_none()) {
            return self.key_of_columns(db, &index.columns);
        }
        let (descending_counts, encoding) = properties;
        let column = |column: &IndexColumn| KeyColumn {
            collation: column.collation.builtin().cloned().unwrap_or(Collation::Binary),
            descending: column.descending && descending_counts,
            nulls_large: false,
        };
        let make = || Arc::new(KeyInfo::new(index.columns.iter().map(column).collect(), encoding));
        Ok(derived::index_key(index, properties, make))
    }

    /// The description of a key of such columns. DESC is ignored before schema format 4.
    fn key_of_columns(&self, db: Db, columns: &[IndexColumn]) -> Result<Arc<KeyInfo>> {
        let schema = self.env.catalog.schema(db);
        let descending_counts = schema.file_format >= DESCENDING_FORMAT;
        let mut key = Vec::with_capacity(columns.len());
        for column in columns {
            let collation = match column.collation.builtin() {
                Some(collation) => collation.clone(),
                None => self.env.collation(Coll::of(&column.collation))?,
            };
            let descending = column.descending && descending_counts;
            key.push(KeyColumn { collation, descending, nulls_large: false });
        }
        Ok(Arc::new(KeyInfo::new(key, schema.encoding)))
    }

    /// The table info for reading rows: the defaults of columns that were added by ALTER TABLE after the rows.
    fn read_metadata(&self, db: Db, table: &Table) -> Option<Arc<TableMetadata>> {
        let has_default = |column: &Column| column.default.as_ref().is_some_and(|default| default.old_rows.is_some());
        if !table.columns.iter().any(has_default) {
            return None;
        }
        Some(Arc::new(TableMetadata {
            name: (&table.name).into(),
            database: self.env.catalog.database_name(db).into(),
            defaults: stored_defaults(table),
            rowid_column: table.rowid_column,
            without_rowid: table.is_without_rowid(),
            ..TableMetadata::default()
        }))
    }
}

/// From this schema format on, DESC is effective in indexes.
const DESCENDING_FORMAT: u32 = 4;
