//! The cursors of a source, and how its columns are read.

use lithe_catalog::{IndexTerm, Result};
use lithe_optimize::access::{BranchPath, IndexPath, Loop, OrBranch, Path, TreePath};
use lithe_resolve::ir::{Source, SourceKind};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId};

use super::super::{Codegen, ColumnAccess, DerivedRows, NOT_IN_INDEX};
use super::columns::{column_of, identity};
use super::fill::Fill;
use super::index::{SearchKey, emit_seek, step};
use super::prepare::PreparedJoin;
use super::walk::Walk;

/// The cursors that are open for a source.
#[derive(Debug, Default)]
pub(super) struct Opened {
    /// The cursor on the table, if it is read.
    pub table: Option<CursorId>,
    /// The cursor on the index.
    pub index: Option<CursorId>,
    /// The hash table.
    pub hash: Option<CursorId>,
    /// The rows of a query.
    pub derived: Option<DerivedRows>,
    /// The subroutine to be called before these rows are read.
    pub fill: Option<Fill>,
    /// Whether they are those of a coroutine, kept because its loop is an inner one.
    pub is_buffered: bool,
    /// The cursors on the indexes of an OR's branches: one cursor for all if they search one index.
    pub branches: Vec<Option<CursorId>>,
}

impl Opened {
    /// All cursors.
    pub fn cursors(&self) -> Vec<CursorId> {
        let mut cursors: Vec<CursorId> = [self.table, self.index, self.hash].into_iter().flatten().collect();
        cursors.extend(self.branch_cursors());
        cursors
    }

    fn branch_cursors(&self) -> Vec<CursorId> {
        let mut cursors: Vec<CursorId> = self.branches.iter().copied().flatten().collect();
        cursors.dedup();
        cursors
    }

    /// Opens the cursors of a loop. With `needs_table` the table is read whatever the path is.
    pub fn open<'a>(
        cg: &mut Codegen<'a>,
        source: &'a Source<'a>,
        planned: &Loop<'a>,
        needs_table: bool,
        prepared: &PreparedJoin<'a>,
    ) -> Result<Opened> {
        let mut opened = Opened::default();
        match source.kind {
            SourceKind::Table(db, table) => {
                let is_read = needs_table || reads_table(&planned.path);
                let cursor = if is_read { Some(cg.open_table(db, table)?) } else { None };
                opened = Opened::open_indexes(cg, planned, cursor)?;
            }
            SourceKind::Subquery(_) => {
                let prepared = prepared.of(source.id);
                opened.derived = prepared.map(|prepared| prepared.rows);
                opened.fill = prepared.and_then(|prepared| prepared.fill);
            }
            SourceKind::Recursive(_) | SourceKind::Row(_) => {}
        }
        Ok(opened)
    }

    /// Opens the indexes for another path through a table, whose cursor is open.
    pub fn open_indexes<'a>(cg: &mut Codegen<'a>, planned: &Loop<'a>, cursor: Option<CursorId>) -> Result<Opened> {
        let index = match &planned.path {
            Path::Tree(path) => open_index(cg, path)?,
            _ => None,
        };
        let mut opened = Opened { table: cursor, index, ..Opened::default() };
        if let Path::Or(path) = planned.path {
            if let Some(index) = common_index(path.branches) {
                let cursor = cg.open_index(index.db, index.index)?;
                opened.branches = vec![Some(cursor); path.branches.len()];
                return Ok(opened);
            }
            for branch in path.branches {
                opened.branches.push(match &branch.path {
                    BranchPath::Tree(path) => open_index(cg, path)?,
                    BranchPath::Function(_) | BranchPath::Virtual(_) => None,
                });
            }
        }
        Ok(opened)
    }

    /// The cursor on the table.
    pub fn table_cursor(&self) -> CursorId {
        self.table.expect("the table is open")
    }

    /// A cursor that is on a null row when the source is.
    pub fn any_cursor(&self) -> CursorId {
        let derived = self.derived.as_ref().and_then(DerivedRows::cursor);
        self.hash.or(self.index).or(self.table).or(derived).expect("a source of an outer join has a cursor")
    }

    /// Makes all columns of the source NULL from here on.
    pub fn emit_null_row(&self, cg: &mut Codegen<'_>) {
        let cursors = [self.hash, self.index, self.table].into_iter().flatten();
        for cursor in cursors.chain(self.branch_cursors()) {
            cg.b.emit(Insn::NullRow { cursor });
        }
        if let Some(derived) = &self.derived {
            derived.emit_null_row(cg);
        }
    }

    /// Begins a scan of all rows, with the table's own cursor.
    pub fn begin_scan<'a>(
        &self,
        cg: &mut Codegen<'a>,
        source: &'a Source<'a>,
        reverse: bool,
        done: Addr,
    ) -> Result<Walk> {
        let step = match source.kind {
            SourceKind::Table(db, table) => {
                let cursor = match self.table {
                    Some(cursor) => cursor,
                    None => cg.open_table(db, table)?,
                };
                emit_seek(cg, cursor, SearchKey::ALL, reverse, done);
                cg.set_access(source.id, ColumnAccess::Table { cursor, table });
                step(cursor, reverse, cg.b.here())
            }
            _ => {
                let derived = self.derived.as_ref().expect("the rows of a query are prepared");
                if let Some(fill) = &self.fill {
                    fill.emit_call(cg);
                }
                let access = derived.access();
                cg.set_access(source.id, access);
                derived.begin(cg, reverse, done)
            }
        };
        Ok(Walk { step: Some(step), around: Vec::new() })
    }
}

/// Whether the path reads the table itself.
fn reads_table(path: &Path<'_>) -> bool {
    match path {
        Path::Tree(TreePath::Scan | TreePath::Rowid(_) | TreePath::RowidRange(..)) => true,
        Path::Or(_) | Path::Function(_) | Path::Virtual(_) => true,
        Path::Tree(TreePath::Index(path)) => !path.is_covering || is_table(path),
        // The table is opened where the hash table is built.
        Path::Hash(_) => false,
    }
}

/// Whether the path's index is the table: the primary key of a WITHOUT ROWID table.
pub(super) fn is_table(path: &IndexPath<'_>) -> bool {
    path.table.is_without_rowid() && path.index.root == path.table.root
}

/// The search of the first branch, if all branches search one index, which is not the table itself: the body reads the columns
/// that the index has from its entries, as in SQLite.
pub(super) fn common_index<'p, 'a>(branches: &'p [OrBranch<'a>]) -> Option<&'p IndexPath<'a>> {
    let index_of = |branch: &'p OrBranch<'a>| match &branch.path {
        BranchPath::Tree(TreePath::Index(path)) if !is_table(path) => Some(*path),
        _ => None,
    };
    let first = branches.first().and_then(index_of)?;
    let is_same = |branch| index_of(branch).is_some_and(|path| path.index.root == first.index.root);
    branches.iter().all(is_same).then_some(first)
}

/// The cursor on the path's index, if it has one of its own.
fn open_index<'a>(cg: &mut Codegen<'a>, path: &TreePath<'a>) -> Result<Option<CursorId>> {
    let TreePath::Index(path) = path else { return Ok(None) };
    if is_table(path) {
        return Ok(None);
    }
    cg.open_index(path.db, path.index).map(Some)
}

/// How columns are read while an index is scanned: from the entry if it has them, else from the table.
pub(super) fn index_access<'a>(
    cg: &Codegen<'a>,
    path: &IndexPath<'a>,
    index: CursorId,
    table: Option<CursorId>,
) -> ColumnAccess<'a> {
    let of = path.table;
    let columns = cg.arena.alloc_slice_fill_copy(of.columns.len(), NOT_IN_INDEX);
    for (place, column) in path.index.columns.iter().enumerate() {
        if let IndexTerm::Column(at) = column.term {
            let slot = &mut columns[usize::from(at)];
            // The first place is used if a column occurs twice.
            if *slot == NOT_IN_INDEX {
                *slot = place as u16;
            }
        }
    }
    ColumnAccess::Index { index, columns, table, fixed: path.fixed, of }
}

/// Moves the table's cursor to the row of the entry under the index's cursor. If the table has rowids, the seek is deferred until
/// a column is read.
pub(super) fn emit_row_of_entry<'a>(
    cg: &mut Codegen<'a>,
    source: &'a Source<'a>,
    path: &IndexPath<'a>,
    index: CursorId,
    table: CursorId,
) -> Result<()> {
    if path.table.has_rowid() {
        cg.b.emit(Insn::DeferredSeek { index, table });
        return Ok(());
    }
    cg.set_access(source.id, index_access(cg, path, index, None));
    let key = identity(source);
    let start = cg.b.registers(key.len());
    for (at, &column) in key.iter().enumerate() {
        cg.emit_into(&column_of(cg, source, column), start.at(at))?;
    }
    // An entry has its row, so the jump is never taken.
    let found = cg.b.label();
    cg.b.emit(Insn::NotFound { cursor: table, count: key.len() as u16, start, target: found });
    cg.b.place(found);
    Ok(())
}
