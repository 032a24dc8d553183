//! The loop over the rows that an UPDATE or DELETE changes.
//!
//! In *one pass* a row is changed when the scan finds it, if the plan says so (`lithe_optimize::write::rows`). Otherwise the
//! first pass collects the keys of the rows, and the second one seeks each of them:
//!
//! ```text
//!   rowid table            a set of rowids
//!   WITHOUT ROWID          a temporary index of primary keys
//!   UPDATE ... FROM        a temporary index of keys, each followed by the new values; the last match of a row counts
//! ```

use lithe_catalog::{Index, IndexColumn, Result};
use lithe_optimize::plan::{ChangePlan, QueryPlan, RowsPlan};
use lithe_resolve::ResolvedChange;
use lithe_resolve::ir::{Coll, Expr};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::target::Target;
use crate::loops::{Loops, PreparedJoin, begin_loops, end_loops, prepare_sources};
use crate::{Codegen, ColumnAccess, Destination};

/// A loop over the rows to be changed. In its body the table's cursor is on the row, and is the access of the target's source.
pub(super) struct ChangeLoop<'a> {
    /// The registers of the row's key.
    pub key: Reg,
    /// UPDATE ... FROM: the registers of the values of SET, which are collected with the key.
    pub values: Option<Reg>,
    /// Jump here for the next row.
    pub next: Addr,
    /// Rows are changed as the scan finds them.
    pub is_one_pass: bool,
    /// The index that the scan of a DELETE reads, and the cursor that is on the row's entry.
    pub scanned: Option<(&'a Index, CursorId)>,
    kind: Kind<'a>,
}

#[allow(clippy::large_enum_variant)] // one on the stack for each statement compiled
enum Kind<'a> {
    OnePass(Loops<'a>),
    RowSet { done: Addr },
    Keys { cursor: CursorId, top: Addr, done: Addr },
}

impl<'a> ChangeLoop<'a> {
    /// Begins the loop, and opens the target.
    pub fn begin(
        cg: &mut Codegen<'a>,
        change: &ResolvedChange<'a>,
        target: &mut Target<'a>,
        plan: &RowsPlan<'a>,
    ) -> Result<ChangeLoop<'a>> {
        cg.explain.changed_rows(plan);
        let plan = match plan {
            RowsPlan::Found(plan) => *plan,
            RowsPlan::Gathered(query) => return begin_gathered(cg, query, target),
        };
        let ChangePlan { from, is_one_pass, scanned, .. } = plan;
        let join = &prepare_sources(cg, from)?;
        let key = cg.b.registers(target.key_width());
        if *is_one_pass {
            // A row that is deleted is not sought again, but RETURNING may return its rowid.
            let needs_key = !change.set.is_empty() || change.returning.is_some();
            let begun = begin_one_pass(cg, join, target, key, needs_key, *scanned)?;
            count_found(cg, change);
            return Ok(begun);
        }
        let (kind, next) = if target.table.has_rowid() {
            begin_row_set(cg, join, change, target, key)?
        } else {
            begin_keys(cg, join, change, target, key)?
        };
        Ok(ChangeLoop { key, values: None, next, is_one_pass: false, scanned: None, kind })
    }

    /// Ends the loop.
    pub fn end(self, cg: &mut Codegen<'a>) -> Result<()> {
        match self.kind {
            Kind::OnePass(loops) => end_loops(cg, loops),
            Kind::RowSet { done } => {
                cg.b.emit(Insn::Goto { target: self.next });
                cg.b.place(done);
                Ok(())
            }
            Kind::Keys { cursor, top, done } => {
                cg.b.place(self.next);
                cg.b.emit(Insn::Next { cursor, target: top });
                cg.b.place(done);
                Ok(())
            }
        }
    }
}

fn begin_one_pass<'a>(
    cg: &mut Codegen<'a>,
    join: &PreparedJoin<'a>,
    target: &mut Target<'a>,
    key: Reg,
    needs_key: bool,
    scanned: Option<&'a Index>,
) -> Result<ChangeLoop<'a>> {
    target.open_indexes(cg, scanned);
    let replacements = cg.known.replacements();
    let loops = begin_loops(cg, join)?;
    // The rows are changed with the scan's own cursor.
    let cursor = loops.table_cursor(0).expect("a scan for writing has a cursor on the table");
    target.use_cursor(cg, cursor);
    let access = ColumnAccess::Table { cursor, table: target.table };
    // Values that the scan read from an index belong to the old row, but expressions may refer to the new one as well.
    cg.known.forget_replacements(replacements);
    cg.set_access(target.source, access);
    if needs_key {
        target.emit_key(cg, key)?;
    }
    let next = loops.next;
    let scanned = scanned.zip(loops.index_cursor(0));
    let kind = Kind::OnePass(loops);
    Ok(ChangeLoop { key, values: None, next, is_one_pass: true, scanned, kind })
}

/// PRAGMA count_changes counts the rows of a DELETE when they are found, even if they no longer exist when they are to be
/// deleted.
fn count_found<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>) {
    if change.set.is_empty() {
        cg.emit_row_count();
    }
}

fn begin_row_set<'a>(
    cg: &mut Codegen<'a>,
    join: &PreparedJoin<'a>,
    change: &ResolvedChange<'a>,
    target: &mut Target<'a>,
    key: Reg,
) -> Result<(Kind<'a>, Addr)> {
    let set = cg.b.register();
    cg.b.emit(Insn::Null { start: set, count: 1 });
    first_pass(cg, join, |cg| {
        let rowid = cg.resolver.rowid(target.source, target.table);
        cg.emit_into(&rowid, key)?;
        cg.b.emit(Insn::RowSetAdd { set, rowid: key });
        count_found(cg, change);
        Ok(())
    })?;
    target.open(cg)?;
    let done = cg.b.label();
    let next = cg.b.here();
    cg.b.emit(Insn::RowSetRead { set, dst: key, target: done });
    seek_row(cg, target, key, next);
    Ok((Kind::RowSet { done }, next))
}

fn begin_keys<'a>(
    cg: &mut Codegen<'a>,
    join: &PreparedJoin<'a>,
    change: &ResolvedChange<'a>,
    target: &mut Target<'a>,
    key: Reg,
) -> Result<(Kind<'a>, Addr)> {
    let width = target.key_width();
    let exprs = key_exprs(cg, target);
    let (cursor, record) = (open_keys(cg, target, 0)?, cg.b.register());
    first_pass(cg, join, |cg| {
        cg.emit_list_into(exprs, key)?;
        let is_known = cg.b.label();
        let count = width as u16;
        cg.b.emit(Insn::Found { cursor, count, start: key, target: is_known });
        cg.b.emit(Insn::MakeRecord { count, affinities: AffinityListId::NONE, start: key, dst: record });
        cg.b.emit(Insn::IdxInsert { flags: 0, cursor, count, record, start: key });
        cg.b.place(is_known);
        count_found(cg, change);
        Ok(())
    })?;
    read_keys(cg, target, cursor, key, 0)
}

/// As [`begin_keys`], for keys and values that are the rows of a query.
fn begin_gathered<'a>(
    cg: &mut Codegen<'a>,
    plan: &'a QueryPlan<'a>,
    target: &mut Target<'a>,
) -> Result<ChangeLoop<'a>> {
    let (width, count) = (target.key_width(), plan.query.columns.len());
    let cursor = open_keys(cg, target, count - width)?;
    cg.emit_query(plan, &Destination::Keyed { cursor, key: width })?;
    let key = cg.b.registers(count);
    let (kind, next) = read_keys(cg, target, cursor, key, count - width)?;
    Ok(ChangeLoop { key, values: Some(key.at(width)), next, is_one_pass: false, scanned: None, kind })
}

/// The temporary index of keys, each followed by `values` values.
fn open_keys<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, values: usize) -> Result<CursorId> {
    let info = cg.key_info(&key_order(target))?;
    let cursor = cg.ephemeral(CursorKind::EphemeralIndex, info, target.key_width() + values);
    cg.b.emit(Insn::OpenEphemeral { cursor });
    Ok(cursor)
}

/// The second pass: a loop over the temporary index of keys.
fn read_keys<'a>(
    cg: &mut Codegen<'a>,
    target: &mut Target<'a>,
    cursor: CursorId,
    key: Reg,
    values: usize,
) -> Result<(Kind<'a>, Addr)> {
    target.open(cg)?;
    let (next, done) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Columns { cursor, column: 0, dst: key, count: (target.key_width() + values) as u32 });
    seek_row(cg, target, key, next);
    Ok((Kind::Keys { cursor, top, done }, next))
}

/// Seeks the row in the second pass; jumps to `next` if it no longer exists.
fn seek_row<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: Reg, next: Addr) {
    cg.set_access(target.source, ColumnAccess::Table { cursor: target.cursor, table: target.table });
    target.seek(cg, key, next);
}

fn first_pass<'a>(
    cg: &mut Codegen<'a>,
    join: &PreparedJoin<'a>,
    body: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
) -> Result<()> {
    let loops = begin_loops(cg, join)?;
    cg.in_loop(body)?;
    end_loops(cg, loops)
}

fn key_exprs<'a>(cg: &Codegen<'a>, target: &Target<'a>) -> &'a [Expr<'a>] {
    match target.key() {
        None => std::slice::from_ref(cg.arena.alloc(cg.resolver.rowid(target.source, target.table))),
        Some(key) => &key.exprs[..usize::from(key.index.key_count)],
    }
}

/// The order of keys: that of the table, so that rows are changed in its order.
fn key_order<'a>(target: &Target<'a>) -> Vec<(Coll<'a>, bool, bool)> {
    let order = |column: &'a IndexColumn| (Coll::of(&column.collation), column.descending, false);
    match target.key() {
        None => vec![(Coll::Binary, false, false)],
        Some(key) => key.index.key_columns().iter().map(order).collect(),
    }
}
