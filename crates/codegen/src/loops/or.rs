//! ORs: the branches are scanned one after the other, and the body runs for each row that no earlier branch has found.
//!
//! ```text
//!        seen ← empty
//!        branch 1: demands; search; checks; RowSetTest seen → next; Gosub body
//!        branch 2: RowSetBatch seen; ...
//!        Goto exhausted
//!  body: SeekRowid table ...
//!          ...
//!        Return
//! ```

use lithe_catalog::{Result, Table};
use lithe_format::PageNo;
use lithe_optimize::access::{BranchPath, OrBranch, OrPath, TreePath};
use lithe_optimize::explain::Part;
use lithe_resolve::ir::{Coll, Source};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::{Codegen, ColumnAccess};
use super::columns::{column_of, identity};
use super::index::begin_index;
use super::rowid::{begin_rowid, begin_rowid_range};
use super::source::{Opened, common_index, index_access};
use super::walk::Walk;
use super::{Exits, virtual_table};

/// The body of an OR's loop, a subroutine: its return register.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrBody {
    ret: Reg,
}

/// The set of rows that have been found.
#[derive(Clone, Copy)]
enum Seen {
    Rowids(Reg),
    Keys(CursorId),
}

/// Begins the walk over all branches; the body follows.
pub(super) fn begin_or<'a>(
    cg: &mut Codegen<'a>,
    source: &'a Source<'a>,
    reverse: bool,
    opened: &Opened,
    path: OrPath<'a>,
    exhausted: Addr,
) -> Result<OrBody> {
    let OrPath { table, branches } = path;
    let seen = begin_seen(cg, source, table)?;
    let body = OrBody { ret: cg.b.register() };
    let body_label = cg.b.label();
    let mut open_index = None;
    for (at, branch) in branches.iter().enumerate() {
        let done = cg.b.label();
        let known = cg.shared_rows();
        // SQLite opens the index here, unless it is that of the branch before.
        if opened.branches[at].is_some() && open_index != root_of(&branch.path) {
            cg.b.emit(Insn::CheckMayOpen {});
            open_index = root_of(&branch.path);
        }
        if let (Seen::Rowids(set), 1..) = (seen, at) {
            cg.b.emit(Insn::RowSetBatch { set });
        }
        for demand in branch.demands {
            cg.jump_if_false(demand, done, true)?;
        }
        let measured = cg.begin_run();
        let next = cg.b.label();
        let exits = Exits { next, exhausted: done, empty: done };
        let walk = begin_branch(cg, (source, table), reverse, opened, opened.branches[at], branch, exits)?;
        let cursors = vec![opened.branches[at].unwrap_or(opened.table_cursor())];
        let line = cg.explain.line_of(Part::Loop, branch);
        cg.measure_loop(measured, line, source, &branch.path.into(), branch.rows, cursors);
        for check in branch.checks {
            cg.jump_if_false(check, next, true)?;
        }
        emit_test(cg, source, seen, BranchOrder { is_first: at == 0, is_last: at + 1 == branches.len() }, next)?;
        cg.b.emit(Insn::Gosub { ret: body.ret, target: body_label });
        cg.b.place(next);
        walk.emit_next(cg);
        cg.b.place(done);
        cg.share_rows(known);
    }
    cg.b.emit(Insn::Goto { target: exhausted });
    cg.b.place(body_label);
    let cursor = opened.table_cursor();
    let common = common_index(branches).zip(opened.branches.first().copied().flatten());
    let access = match common {
        Some((path, index)) => index_access(cg, path, index, Some(cursor)),
        None if table.virtual_table().is_some() => ColumnAccess::Virtual { cursor },
        None => ColumnAccess::Table { cursor, table },
    };
    cg.set_access(source.id, access);
    Ok(body)
}

fn root_of(path: &BranchPath<'_>) -> Option<PageNo> {
    match path {
        BranchPath::Tree(TreePath::Index(path)) => path.index.root,
        _ => None,
    }
}

impl OrBody {
    /// Ends the body.
    pub fn end(&self, cg: &mut Codegen<'_>) {
        cg.b.emit(Insn::Return { ret: self.ret });
    }
}

fn begin_seen<'a>(cg: &mut Codegen<'a>, source: &Source<'a>, table: &Table) -> Result<Seen> {
    if table.has_rowid() {
        let set = cg.b.register();
        cg.b.emit(Insn::Null { start: set, count: 1 });
        return Ok(Seen::Rowids(set));
    }
    let columns = vec![(Coll::Binary, false, false); identity(source).len()];
    let key = cg.key_info(&columns)?;
    let set = cg.ephemeral(CursorKind::EphemeralSet, key, columns.len());
    cg.b.emit(Insn::OpenEphemeral { cursor: set });
    Ok(Seen::Keys(set))
}

/// The position of a branch in its OR.
#[derive(Clone, Copy)]
struct BranchOrder {
    is_first: bool,
    is_last: bool,
}

/// Jumps to `next` if an earlier branch has found the row; else records it. A row that one branch finds twice, because a change
/// within the loop has moved it ahead, runs the body twice, as in SQLite. The exception is a middle branch over a WITHOUT ROWID
/// table, whose keys are found as soon as they are recorded.
fn emit_test<'a>(cg: &mut Codegen<'a>, source: &Source<'a>, seen: Seen, order: BranchOrder, next: Addr) -> Result<()> {
    let columns = identity(source);
    let start = cg.b.registers(columns.len());
    for (at, &column) in columns.iter().enumerate() {
        cg.emit_into(&column_of(cg, source, column), start.at(at))?;
    }
    match seen {
        Seen::Rowids(set) => cg.b.emit(Insn::RowSetTest { set, rowid: start, target: next }),
        Seen::Keys(cursor) => {
            let (count, affinities) = (columns.len() as u16, AffinityListId::NONE);
            if !order.is_first {
                cg.b.emit(Insn::Found { cursor, count, start, target: next });
            }
            if !order.is_last {
                cg.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start });
            }
        }
    }
    Ok(())
}

/// Begins the walk over the rows of a branch; the table's cursor is on each of them.
fn begin_branch<'a>(
    cg: &mut Codegen<'a>,
    (source, table): (&'a Source<'a>, &'a Table),
    reverse: bool,
    opened: &Opened,
    index: Option<CursorId>,
    branch: &OrBranch<'a>,
    exits: Exits,
) -> Result<Walk> {
    let done = exits.exhausted;
    let cursor = opened.table_cursor();
    let path = match &branch.path {
        BranchPath::Tree(path) => path,
        BranchPath::Function(arguments) => {
            cg.set_access(source.id, ColumnAccess::Virtual { cursor });
            return virtual_table::begin_function(cg, table, cursor, arguments, done);
        }
        BranchPath::Virtual(path) => {
            cg.set_access(source.id, ColumnAccess::Virtual { cursor });
            return virtual_table::begin_search(cg, cursor, path, exits);
        }
    };
    cg.set_access(source.id, ColumnAccess::Table { cursor, table });
    match path {
        TreePath::Rowid(key) => begin_rowid(cg, cursor, key, reverse, done),
        TreePath::RowidRange(low, high) => begin_rowid_range(cg, cursor, low.as_ref(), high.as_ref(), reverse, done),
        TreePath::Index(path) => {
            let index = index.unwrap_or(cursor);
            let walk = begin_index(cg, index, path, reverse, done)?.of_index(path, branch.one_row);
            if index != cursor {
                super::source::emit_row_of_entry(cg, source, path, index, cursor)?;
                cg.set_access(source.id, index_access(cg, path, index, Some(cursor)));
            }
            Ok(walk)
        }
        TreePath::Scan => begin_rowid_range(cg, cursor, None, None, reverse, done),
    }
}
