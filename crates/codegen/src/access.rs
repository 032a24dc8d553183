//! How the columns of each source are read, while code is generated.

use bumpalo::Bump;
use lithe_catalog::Table;
use lithe_resolve::ir::{BySource, ColumnIndex, Expr, SourceId};
use lithe_vm::operand::{CursorId, Reg};

/// How the columns of a source are read at the place where code is generated now.
///
/// The code that opens a loop over a source sets this ([`super::Codegen::set_access`]) before the expressions inside are
/// compiled, and may change it for later code (for instance when rows are read back from a sorter).
#[derive(Clone, Copy, Debug)]
pub enum ColumnAccess<'a> {
    /// From a cursor on the table itself, rowid table or WITHOUT ROWID.
    Table {
        /// The cursor.
        cursor: CursorId,
        /// The table, which maps its columns to those of the record.
        table: &'a Table,
    },
    /// From an index if it has the column, else from the table.
    Index {
        /// The index cursor.
        index: CursorId,
        /// For each column of the table its place in the index entry, [`NOT_IN_INDEX`] if it is not there.
        columns: &'a [u16],
        /// The table's cursor (which a DeferredSeek positions); `None` when the index is covering.
        table: Option<CursorId>,
        /// The columns that the WHERE of a partial index makes equal to a constant.
        fixed: &'a [(u16, Expr<'a>)],
        /// The table.
        of: &'a Table,
    },
    /// Column i is column `first` + i of a temporary table, sorter or pseudo cursor.
    Cursor {
        /// The cursor.
        cursor: CursorId,
        /// The column that has column 0 of the source.
        first: u16,
    },
    /// Some columns, in any columns of a temporary table or sorter.
    CursorMap {
        /// The cursor.
        cursor: CursorId,
        /// The columns of the source, and the columns that have them.
        columns: &'a [(ColumnIndex, u16)],
    },
    /// Column i is in register `start` + i.
    Registers {
        /// The register of column 0.
        start: Reg,
        /// The register of the rowid, or [`Reg::NONE`].
        rowid: Reg,
    },
    /// Some columns, each in a register.
    RegisterMap {
        /// The columns of the source, and their registers.
        columns: &'a [(ColumnIndex, Reg)],
    },
    /// Column i is in register `start` + i of the enclosing program's frame: OLD and NEW of a trigger.
    ParentRegisters {
        /// The register of column 0 there.
        start: Reg,
        /// The register of the rowid there.
        rowid: Reg,
    },
    /// From a cursor on a virtual table.
    Virtual {
        /// The cursor.
        cursor: CursorId,
    },
}

/// In [`ColumnAccess::Index`]: the column is not in the index.
pub const NOT_IN_INDEX: u16 = u16::MAX;

/// The access to the sources of a statement, by source number.
#[derive(Debug)]
pub(super) struct AccessMap<'a> {
    sources: BySource<'a, Option<ColumnAccess<'a>>>,
}

impl<'a> AccessMap<'a> {
    /// No source is opened yet.
    pub fn new(arena: &'a Bump) -> AccessMap<'a> {
        AccessMap { sources: BySource::new_in(arena) }
    }

    /// How the columns of `source` are read.
    pub fn get(&self, source: SourceId) -> ColumnAccess<'a> {
        self.sources.get(source).copied().flatten().expect("a source is opened before it is read")
    }

    /// Sets how the columns of `source` are read from here on; returns the previous access.
    pub fn set(&mut self, source: SourceId, access: Option<ColumnAccess<'a>>) -> Option<ColumnAccess<'a>> {
        std::mem::replace(self.sources.entry(source), access)
    }
}
