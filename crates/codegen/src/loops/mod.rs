//! Join plans as nested loops.
//!
//! ```text
//!   open the cursors of all loops
//!   outer loop: search → row → join checks
//!     inner loop: search → row → join checks
//!       ... body: jumps to `next` continue with the next row, jumps to `done` leave all loops ...
//!     next row
//!   next row
//!   done
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `source` | the cursors of a source; how its columns are read |
//! | `prepare`, `derived` | queries in FROM: coroutines, materialised tables |
//! | `common_tables` | common tables that are materialised or recursive |
//! | `fill` | temporary tables that are filled when a loop over them begins |
//! | `columns` | the columns of a source as expressions; those that identify its rows |
//! | `keys` | search keys, INs |
//! | `one_row` | the loop over one row that is sought by its rowid |
//! | `rowid`, `index`, `nulls`, `hash`, `or`, `virtual_table` | the paths |
//! | `walk` | from row to row |
//! | `outer`, `rest` | LEFT and RIGHT JOIN; the rows of a RIGHT JOIN that have not joined |

mod columns;
mod common_tables;
mod derived;
mod fill;
mod hash;
mod index;
mod keys;
mod nulls;
mod one_row;
mod or;
mod outer;
mod prepare;
mod rest;
mod rowid;
mod source;
mod virtual_table;
mod walk;

use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::Result;
use lithe_optimize::access::{JoinPlan, Loop, Path, Purpose, TreePath};
use lithe_optimize::explain::Part;
use lithe_optimize::plan::{DerivedWay, FromPlan};
use lithe_resolve::ir::{Core, CoreBody, Source, SourceKind};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};

use super::expr::SharedRows;
use super::measure::expected_rows;
use super::{Codegen, ColumnAccess, DerivedRows};
pub(crate) use common_tables::CommonTables;
use or::OrBody;
use outer::{LeftJoin, RightJoin};
pub(crate) use prepare::{PreparedJoin, prepare_sources};
use source::Opened;
use walk::Walk;

/// Loops that have been begun and not ended.
pub struct Loops<'a> {
    /// Jump here for the next row.
    pub next: Addr,
    /// Jump here to leave all loops.
    pub done: Addr,
    /// The plan.
    pub from: &'a FromPlan<'a>,
    /// The cursor of a loop over one row, of which nothing else is kept.
    row: Option<CursorId>,
    open: ArenaVec<'a, OpenLoop<'a>>,
    /// The number of replacements of expressions before the loops.
    replacements: usize,
    /// The rows of subqueries that were known before the loops.
    rows: SharedRows,
}

/// A loop that has been begun.
struct OpenLoop<'a> {
    opened: Opened,
    /// The step to the next row of this loop.
    next: Addr,
    /// The target when there is no further row.
    exhausted: Addr,
    /// The end of the loop.
    end: Addr,
    /// The end of the row part: jump here for the next row.
    row_end: Addr,
    /// The loop of an EXISTS ends when the body is left.
    is_exists: bool,
    walk: Walk,
    or: Option<OrBody>,
    left: Option<LeftJoin>,
    right: Option<RightJoin<'a>>,
}

/// Opens cursors and begins the loops; the code that follows runs for each row.
pub fn begin_loops<'a>(cg: &mut Codegen<'a>, prepared: &PreparedJoin<'a>) -> Result<Loops<'a>> {
    let from = prepared.from;
    let done = cg.b.label();
    let replacements = cg.known.replacements();
    // The row of a subquery whose columns are compared in several places is computed in the first.
    let rows = cg.share_rows(Some(Vec::new()));
    cg.enter_loop();
    let row = one_row::begin(cg, from, done)?;
    let mut loops = Loops { next: done, done, from, row, open: ArenaVec::new_in(cg.arena), replacements, rows };
    if row.is_none() {
        begin_each(cg, prepared, &mut loops)?;
    }
    Ok(loops)
}

fn begin_each<'a>(cg: &mut Codegen<'a>, prepared: &PreparedJoin<'a>, loops: &mut Loops<'a>) -> Result<()> {
    let (from, done) = (prepared.from, loops.done);
    let plan = &from.join;
    loops.open.reserve_exact(plan.loops.len());
    for check in plan.constant_checks {
        cg.jump_if_false(check, done, true)?;
    }
    for planned in plan.loops {
        let source = plan.source_of(planned);
        let needs_table = source.join.keeps_right_rows() || plan.request.purpose == Purpose::Write;
        let opened = Opened::open(cg, source, planned, needs_table, prepared)?;
        let (next, exhausted, end) = (cg.b.label(), cg.b.label(), cg.b.label());
        let (row_end, is_exists, walk) = (next, source.is_exists, Walk::default());
        loops.open.push(OpenLoop {
            opened,
            next,
            exhausted,
            end,
            row_end,
            is_exists,
            walk,
            or: None,
            left: None,
            right: None,
        });
    }
    if !from.derived.is_empty() {
        for (planned, open) in plan.loops.iter().zip(&mut loops.open) {
            buffer_rows(cg, from, plan.source_of(planned), &mut open.opened)?;
        }
    }
    leave_if_empty(cg, plan, &mut loops.open, done)?;
    begin_rights(cg, from, &mut loops.open)?;
    for (at, planned) in plan.loops.iter().enumerate() {
        let empty = exit_if_empty(loops, plan.source_of(planned));
        let open = &mut loops.open[at];
        begin_loop(cg, plan, planned, open, empty)?;
        loops.next = open.row_end;
    }
    Ok(())
}

/// Ends the loops.
pub fn end_loops<'a>(cg: &mut Codegen<'a>, loops: Loops<'a>) -> Result<()> {
    cg.known.forget_replacements(loops.replacements);
    if loops.row.is_none() {
        end_each(cg, &loops)?;
    }
    cg.b.place(loops.done);
    cg.leave_loop();
    cg.share_rows(loops.rows);
    Ok(())
}

fn end_each<'a>(cg: &mut Codegen<'a>, loops: &Loops<'a>) -> Result<()> {
    for open in loops.open.iter().rev() {
        end_loop(cg, open);
    }
    let rights = loops.open.iter().enumerate().filter_map(|(at, open)| Some((at, open, open.right.as_ref()?)));
    for ((at, open, right), unjoined) in rights.zip(loops.from.unjoined) {
        cg.share_rows(Some(Vec::new()));
        rest::emit(cg, loops, at, open, right, unjoined)?;
    }
    Ok(())
}

impl Loops<'_> {
    /// The cursor on the table of the source at that position in FROM, if it is open: an UPDATE or DELETE of at most one row may
    /// use it at its position.
    pub fn table_cursor(&self, source: usize) -> Option<CursorId> {
        let at = self.from.join.loops.iter().position(|planned| planned.source == source)?;
        self.row.or_else(|| self.open[at].opened.table)
    }

    /// The cursor on the index through which the source at that position in FROM is read.
    pub fn index_cursor(&self, source: usize) -> Option<CursorId> {
        let at = self.from.join.loops.iter().position(|planned| planned.source == source)?;
        self.open.get(at)?.opened.index
    }
}

fn is_values(source: &Source<'_>) -> bool {
    match source.kind {
        SourceKind::Subquery(derived) => matches!(derived.query.cores, [Core { body: CoreBody::Values(_), .. }]),
        _ => false,
    }
}

/// Buffers the rows of a coroutine in a temporary table, if the plan says so.
fn buffer_rows<'a>(cg: &mut Codegen<'a>, from: &FromPlan<'a>, source: &Source<'a>, opened: &mut Opened) -> Result<()> {
    let Some(DerivedRows::Coroutine(coroutine)) = opened.derived else { return Ok(()) };
    let is_buffered = DerivedWay::Coroutine { is_buffered: true };
    if from.derived.iter().any(|derived| derived.source.id == source.id && derived.rows == is_buffered) {
        let (rows, fill) = prepare::buffer_rows(cg, &coroutine)?;
        cg.set_access(source.id, rows.access());
        (opened.derived, opened.fill, opened.is_buffered) = (Some(rows), Some(fill), true);
    }
    Ok(())
}

/// Leaves all loops before they begin, if the table of the third loop or a later one is empty.
fn leave_if_empty<'a>(
    cg: &mut Codegen<'a>,
    plan: &'a JoinPlan<'a>,
    open: &mut [OpenLoop<'a>],
    done: Addr,
) -> Result<()> {
    if plan.loops.len() <= 2 || has_right_joins(plan) {
        return Ok(());
    }
    let is_inner = |planned: &&Loop<'a>| !plan.source_of(planned).join.keeps_left_rows();
    for (planned, open) in plan.loops.iter().take_while(is_inner).zip(open).skip(2) {
        let opened = &mut open.opened;
        let SourceKind::Table(db, table) = plan.source_of(planned).kind else { continue };
        // Of a table WITHOUT ROWID only the scan that fills a hash table counts.
        let is_hashed = matches!(planned.path, Path::Hash(_));
        if table.virtual_table().is_some() || !table.has_rowid() && !is_hashed {
            continue;
        }
        if is_hashed && opened.table.is_none() {
            opened.table = Some(cg.open_table(db, table)?);
        }
        if let Some(cursor) = opened.table {
            cg.b.emit(Insn::Rewind { cursor, target: done });
        }
    }
    Ok(())
}

/// The exit for a scan that finds its source empty. The outer loops would find no row for any of their rows, up to a LEFT JOIN,
/// which has its row already. `None` for the source of an outer join, and where RIGHT JOINs call row parts once more.
fn exit_if_empty(loops: &Loops<'_>, source: &Source<'_>) -> Option<Addr> {
    if source.join.keeps_left_rows() || has_right_joins(loops.from.join) {
        return None;
    }
    let left = loops.open.iter().rev().find(|open| open.left.is_some());
    Some(left.map_or(loops.done, |open| open.exhausted))
}

fn has_right_joins(plan: &JoinPlan<'_>) -> bool {
    plan.request.sources.iter().any(|source| source.join.keeps_right_rows())
}

/// Begins the state of the RIGHT JOINs.
fn begin_rights<'a>(cg: &mut Codegen<'a>, from: &FromPlan<'a>, open: &mut [OpenLoop<'a>]) -> Result<()> {
    if from.unjoined.is_empty() {
        return Ok(());
    }
    for (planned, open) in from.join.loops.iter().zip(open) {
        open.right = begin_right(cg, from.join.source_of(planned), &open.opened)?;
    }
    Ok(())
}

fn begin_right<'a>(cg: &mut Codegen<'a>, source: &'a Source<'a>, opened: &Opened) -> Result<Option<RightJoin<'a>>> {
    if !source.join.keeps_right_rows() {
        return Ok(None);
    }
    let access = match source.kind {
        SourceKind::Table(_, table) if table.virtual_table().is_some() => {
            ColumnAccess::Virtual { cursor: opened.table_cursor() }
        }
        SourceKind::Table(_, table) => ColumnAccess::Table { cursor: opened.table_cursor(), table },
        _ => opened.derived.as_ref().expect("the rows of a query are prepared").access(),
    };
    RightJoin::begin(cg, source, access).map(Some)
}

fn begin_loop<'a>(
    cg: &mut Codegen<'a>,
    plan: &'a JoinPlan<'a>,
    planned: &'a Loop<'a>,
    open: &mut OpenLoop<'a>,
    empty: Option<Addr>,
) -> Result<()> {
    let source = plan.source_of(planned);
    let next = open.next;
    let exits = Exits { next, exhausted: open.exhausted, empty: empty.unwrap_or(open.exhausted) };
    open.left = source.join.keeps_left_rows().then(|| LeftJoin::begin(cg));
    let measured = cg.begin_run();
    (open.walk, open.or) = begin_path(cg, plan, planned, &mut open.opened, exits)?;
    if measured.is_some() && open.or.is_none() {
        let line = cg.explain.line_of(Part::Loop, planned);
        cg.measure_loop(measured, line, source, &planned.path, expected_rows(plan, planned), open.opened.cursors());
    }
    for check in planned.join_checks {
        cg.jump_if_false(check, next, true)?;
    }
    if let Some(right) = &open.right {
        right.note(cg)?;
    }
    if let Some(left) = &open.left {
        left.row(cg);
    }
    // The body of an EXISTS runs for one row only, whatever its result.
    if source.is_exists {
        open.row_end = cg.b.label();
    }
    if let Some(right) = &open.right {
        open.row_end = right.row(cg);
        cg.set_access(source.id, right.access);
        // The rows that have not joined come here, too.
        cg.share_rows(Some(Vec::new()));
    }
    let unfit = if source.is_exists { next } else { open.row_end };
    for check in planned.row_checks {
        cg.jump_if_false(check, unfit, true)?;
    }
    Ok(())
}

/// The targets of a loop's search.
#[derive(Clone, Copy)]
struct Exits {
    /// The step to the next row.
    next: Addr,
    /// No row was found.
    exhausted: Addr,
    /// The source has no rows at all.
    empty: Addr,
}

/// Begins the walk over the rows of the source.
fn begin_path<'a>(
    cg: &mut Codegen<'a>,
    plan: &JoinPlan<'a>,
    planned: &'a Loop<'a>,
    opened: &mut Opened,
    exits: Exits,
) -> Result<(Walk, Option<OrBody>)> {
    let Exits { exhausted, empty, .. } = exits;
    let source = plan.source_of(planned);
    let nothing = Walk::default();
    if let SourceKind::Recursive(table) = source.kind {
        let start = cg.common_tables.recursive_row(table.id);
        cg.set_access(source.id, ColumnAccess::Registers { start, rowid: Reg::NONE });
        return Ok((nothing, None));
    }
    if let Path::Hash(path) = &planned.path {
        let (walk, hash) = hash::begin_hash(cg, source, opened, path, planned.reverse, exits)?;
        opened.hash = Some(hash);
        return Ok((walk, None));
    }
    let SourceKind::Table(_, table) = source.kind else {
        // SQLite never reads the rows of a VALUES clause backwards.
        // The rows of a coroutine come as they are made, also where they are kept.
        let reverse = planned.reverse && !is_values(source) && !opened.is_buffered;
        // A coroutine jumps to the same target after its last row. SQLite runs it for each row of the outer loops, whose conditions may fail.
        let is_coroutine = opened.is_buffered || matches!(opened.derived, Some(DerivedRows::Coroutine(_)));
        let none = if is_coroutine { exhausted } else { empty };
        return Ok((opened.begin_scan(cg, source, reverse, none)?, None));
    };
    if let Path::Or(path) = planned.path {
        let body = or::begin_or(cg, source, planned.reverse, opened, path, exhausted)?;
        return Ok((nothing, Some(body)));
    }
    if let Path::Tree(TreePath::Index(path)) = &planned.path {
        return Ok((begin_index(cg, plan, planned, path, opened, exhausted)?, None));
    }
    let cursor = opened.table_cursor();
    if let Path::Function(arguments) = planned.path {
        cg.set_access(source.id, ColumnAccess::Virtual { cursor });
        return Ok((virtual_table::begin_function(cg, table, cursor, arguments, exhausted)?, None));
    }
    if let Path::Virtual(path) = planned.path {
        cg.set_access(source.id, ColumnAccess::Virtual { cursor });
        return Ok((virtual_table::begin_search(cg, cursor, path, exits)?, None));
    }
    cg.set_access(source.id, ColumnAccess::Table { cursor, table });
    let walk = match &planned.path {
        Path::Tree(TreePath::Rowid(key)) => rowid::begin_rowid(cg, cursor, key, planned.reverse, exhausted)?,
        Path::Tree(TreePath::RowidRange(low, high)) => {
            rowid::begin_rowid_range(cg, cursor, low.as_ref(), high.as_ref(), planned.reverse, exhausted)?
        }
        _ => {
            let none = if table.has_rowid() { empty } else { exhausted };
            rowid::begin_rowid_range(cg, cursor, None, None, planned.reverse, none)?
        }
    };
    Ok((walk, None))
}

fn begin_index<'a>(
    cg: &mut Codegen<'a>,
    plan: &JoinPlan<'a>,
    planned: &Loop<'a>,
    path: &lithe_optimize::access::IndexPath<'a>,
    opened: &Opened,
    exhausted: Addr,
) -> Result<Walk> {
    let source = plan.source_of(planned);
    let index = opened.index.unwrap_or_else(|| opened.table_cursor());
    let walk = if planned.nulls_moved && path.low.is_none() && path.high.is_none() {
        nulls::begin_index_nulls_moved(cg, index, path, planned.reverse, exhausted)?
    } else {
        index::begin_index(cg, index, path, planned.reverse, exhausted)?
    };
    let walk = walk.of_index(path, planned.one_row);
    match (opened.index, opened.table) {
        (None, _) => {
            cg.set_access(source.id, ColumnAccess::Table { cursor: index, table: path.table });
        }
        (Some(_), table) => {
            if let Some(table) = table {
                source::emit_row_of_entry(cg, source, path, index, table)?;
            }
            cg.set_access(source.id, source::index_access(cg, path, index, table));
            if !plan.may_be_null_row(planned) {
                replace_indexed_exprs(cg, source, path, index)?;
            }
        }
    }
    Ok(walk)
}

/// Expressions that the index has need not be computed, unless the row may be a null row: if all columns are NULL, an expression
/// need not be NULL.
fn replace_indexed_exprs<'a>(
    cg: &mut Codegen<'a>,
    source: &'a Source<'a>,
    path: &lithe_optimize::access::IndexPath<'a>,
    index: CursorId,
) -> Result<()> {
    for (place, column) in path.index.columns.iter().enumerate() {
        if let lithe_catalog::IndexTerm::Expr(text) = &column.term {
            let expr =
                lithe_optimize::access::indexed_expr(&cg.planner.context, source.id, (path.db, path.table), text)?;
            cg.known.replace(expr, super::expr::Replacement::Column(index, place as u16));
        }
    }
    Ok(())
}

fn end_loop<'a>(cg: &mut Codegen<'a>, open: &OpenLoop<'a>) {
    if let Some(right) = &open.right {
        right.end_row(cg);
    }
    if open.is_exists {
        cg.b.place(open.row_end);
        cg.b.emit(Insn::Goto { target: open.end });
    }
    cg.b.place(open.next);
    if let Some(left) = &open.left
        && (open.walk.is_loop() || open.or.is_some())
    {
        left.before_next(cg, &open.opened, open.end);
    }
    match &open.or {
        Some(body) => body.end(cg),
        None => open.walk.emit_next(cg),
    }
    cg.b.place(open.exhausted);
    if let Some(left) = &open.left {
        left.end(cg, &open.opened, open.end);
    }
    cg.b.place(open.end);
}
