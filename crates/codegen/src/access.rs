//! Where the columns of each source are, while code is generated.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::Table;
use lithe_resolve::ir::{ColumnIndex, Expr, SourceId};
use lithe_vm::operand::{CursorId, Reg};

/// How the columns of a source are read at the place where code is generated now.
///
/// The code that opens a loop over a source sets this ([`super::Codegen::set_access`]) before code of expressions is emitted
/// inside, and may change it for code that comes later (rows that come back from a sorter, for instance).
#[derive(Clone, Copy, Debug)]
pub enum ColumnAccess<'a> {
    /// From a cursor on the table itself, rowid table or WITHOUT ROWID.
    Table {
        /// The cursor.
        cursor: CursorId,
        /// The table, which knows where in the record a column stands.
        table: &'a Table,
    },
    /// From an index where it has the column, else from the table behind it.
    Index {
        /// The index cursor.
        index: CursorId,
        /// For each column of the table its place in the index entry, [`NOT_IN_INDEX`] if it is not there.
        columns: &'a [u16],
        /// The table's cursor (which a DeferredSeek positions); `None` when the index covers all that is used.
        table: Option<CursorId>,
        /// The columns that the WHERE of a partial index makes equal to a constant.
        fixed: &'a [(u16, Expr<'a>)],
        /// The table.
        of: &'a Table,
    },
    /// Column i is column i of a temporary table, sorter or pseudo cursor; with `first` added.
    Cursor {
        /// The cursor.
        cursor: CursorId,
        /// Where column 0 stands.
        first: u16,
    },
    /// Some columns, in any places of a temporary table or sorter.
    CursorMap {
        /// The cursor.
        cursor: CursorId,
        /// The columns that are there and their places.
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
        /// The columns that are there and their registers.
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

/// Most statements have no more sources.
const SOURCES_USUAL: usize = 4;

/// In [`ColumnAccess::Index`]: the column is not in the index.
pub const NOT_IN_INDEX: u16 = u16::MAX;

/// The access to the sources of a statement, by source number.
#[derive(Debug)]
pub(super) struct AccessMap<'a> {
    sources: ArenaVec<'a, Option<ColumnAccess<'a>>>,
}

impl<'a> AccessMap<'a> {
    /// Nothing is known yet.
    pub fn new(arena: &'a Bump) -> AccessMap<'a> {
        AccessMap { sources: ArenaVec::with_capacity_in(SOURCES_USUAL, arena) }
    }

    /// How the columns of `source` are read.
    pub fn get(&self, source: SourceId) -> ColumnAccess<'a> {
        self.sources.get(source.index()).copied().flatten().expect("a source is opened before it is read")
    }

    /// From now on the columns of `source` are read like this; gives back how before.
    pub fn set(&mut self, source: SourceId, access: Option<ColumnAccess<'a>>) -> Option<ColumnAccess<'a>> {
        if self.sources.len() <= source.index() {
            self.sources.resize(source.index() + 1, None);
        }
        std::mem::replace(&mut self.sources[source.index()], access)
    }
}
