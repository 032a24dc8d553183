//! Paths through an index.
//!
//! ```text
//!        key ← values
//!        SeekGe index (key, start of the range)      → none
//!   top: IdxGt  index (key, end of the range)        → none
//!          ... body ...
//!        Next index, top
//! ```
//!
//! A reverse scan uses SeekLe, IdxLt and Previous; in a descending column the lower bound is at the end. NULL sorts before all
//! other values, so a range without a lower bound begins after the NULLs.

use lithe_catalog::{IndexTerm, Result, Table};
use lithe_optimize::access::{Bound, IndexPath, Key};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};

use super::super::Codegen;
use super::keys::{Around, begin_sets, emit_bound, emit_values, when_none};
use super::walk::Walk;

/// A search key in registers, and whether entries equal to it are included.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchKey {
    pub start: Reg,
    pub count: usize,
    pub inclusive: bool,
}

impl SearchKey {
    /// No key: all entries, all rows.
    pub const ALL: SearchKey = SearchKey { start: Reg::NONE, count: 0, inclusive: true };
}

/// One end of the scanned range, after the key.
#[derive(Clone, Copy, Debug)]
enum End<'p, 'a> {
    /// No bound: all entries with the key.
    Open,
    /// A bound.
    Bound(&'p Bound<'a>),
    /// NULL, which is excluded.
    Null,
}

impl End<'_, '_> {
    fn count(self) -> usize {
        match self {
            End::Open => 0,
            End::Bound(bound) => bound.values.len().max(1),
            End::Null => 1,
        }
    }

    fn is_inclusive(self) -> bool {
        match self {
            End::Open => true,
            End::Bound(bound) => bound.inclusive,
            End::Null => false,
        }
    }
}

/// Begins the walk over the entries of the path's range.
pub(super) fn begin_index<'a>(
    cg: &mut Codegen<'a>,
    index: CursorId,
    path: &IndexPath<'a>,
    reverse: bool,
    exhausted: Addr,
) -> Result<Walk> {
    let keys = path.keys.len();
    let (from, to) = ends(path, reverse);
    let start = cg.b.registers(keys + from.count());
    emit_values(cg, path.keys, start, exhausted)?;
    // Both ends share the key's registers unless the second one has a bound after the key.
    let shares = to.count() == 0;
    let end = if shares { start } else { cg.b.registers(keys + to.count()) };

    let mut around = Vec::new();
    if path.is_like {
        emit_end(cg, from, start.at(keys), exhausted)?;
        emit_end(cg, to, end.at(keys), exhausted)?;
        let column = path.index.columns.get(keys);
        let blobs_first = reverse != column.is_some_and(|column| column.descending);
        around.push(begin_like(cg, start.at(keys), end.at(keys), blobs_first, exhausted));
    }
    begin_skipped(cg, index, path.keys, start, reverse, exhausted, &mut around);
    begin_sets(cg, path.keys, start, |at| reverse != path.index.columns[at].descending, exhausted, &mut around)?;
    if !shares && keys > 0 {
        cg.b.emit(Insn::Copy { src: start, dst: end, count: keys as u32 });
    }

    let none = when_none(&around, exhausted);
    if !path.is_like {
        emit_end(cg, from, start.at(keys), none)?;
    }
    let first = SearchKey { start, count: keys + from.count(), inclusive: from.is_inclusive() };
    emit_seek(cg, index, first, reverse, none);
    // As in SQLite, where the range ends is not computed if it has no entry to begin with.
    if !path.is_like {
        emit_end(cg, to, end.at(keys), none)?;
    }
    let top = cg.b.here();
    emit_end_check(
        cg,
        index,
        SearchKey { start: end, count: keys + to.count(), inclusive: to.is_inclusive() },
        reverse,
        none,
    );
    Ok(Walk { step: Some(step(index, reverse, top)), around })
}

/// The two ends of the range in the direction of the walk.
fn ends<'p, 'a>(path: &'p IndexPath<'a>, reverse: bool) -> (End<'p, 'a>, End<'p, 'a>) {
    let bound = |bound: &'p Option<Bound<'a>>| bound.as_ref().map_or(End::Open, End::Bound);
    let (mut low, high) = (bound(&path.low), bound(&path.high));
    if path.low.is_none() && path.high.is_some() && may_hold_null(path, path.keys.len()) {
        low = End::Null;
    }
    if reverse == path.index.columns.get(path.keys.len()).is_some_and(|column| column.descending) {
        (low, high)
    } else {
        (high, low)
    }
}

/// Whether the index's column at `at` may have NULLs.
fn may_hold_null(path: &IndexPath<'_>, at: usize) -> bool {
    let is_free = |table: &Table, column: usize| {
        table.columns[column].not_null.is_none() && table.rowid_column.is_none_or(|rowid| usize::from(rowid) != column)
    };
    match path.index.columns[at].term {
        IndexTerm::Column(column) => is_free(path.table, usize::from(column)),
        IndexTerm::Rowid => false,
        IndexTerm::Expr(_) => true,
    }
}

fn emit_end<'a>(cg: &mut Codegen<'a>, end: End<'_, 'a>, start: Reg, none: Addr) -> Result<()> {
    match end {
        End::Open => {}
        End::Null => cg.b.emit(Insn::Null { start, count: 1 }),
        End::Bound(bound) => emit_bound(cg, bound, start, none)?,
    }
    Ok(())
}

/// Goes to the first entry of the range.
pub(super) fn emit_seek(cg: &mut Codegen<'_>, cursor: CursorId, key: SearchKey, reverse: bool, target: Addr) {
    let SearchKey { start, count, inclusive } = key;
    let n = count as u16;
    cg.b.emit(match (reverse, count, inclusive) {
        (false, 0, _) => Insn::Rewind { cursor, target },
        (true, 0, _) => Insn::Last { cursor, target },
        (false, _, true) => Insn::SeekGe { cursor, count: n, start, target },
        (false, _, false) => Insn::SeekGt { cursor, count: n, start, target },
        (true, _, true) => Insn::SeekLe { cursor, count: n, start, target },
        (true, _, false) => Insn::SeekLt { cursor, count: n, start, target },
    });
}

/// Jumps to `target` after the last entry of the range.
pub(super) fn emit_end_check(cg: &mut Codegen<'_>, cursor: CursorId, key: SearchKey, reverse: bool, target: Addr) {
    let SearchKey { start, count, inclusive } = key;
    let n = count as u16;
    if count == 0 {
        return;
    }
    cg.b.emit(match (reverse, inclusive) {
        (false, true) => Insn::IdxGt { cursor, count: n, start, target },
        (false, false) => Insn::IdxGe { cursor, count: n, start, target },
        (true, true) => Insn::IdxLt { cursor, count: n, start, target },
        (true, false) => Insn::IdxLe { cursor, count: n, start, target },
    });
}

/// The step to the next entry.
pub(super) fn step(cursor: CursorId, reverse: bool, top: Addr) -> Insn {
    if reverse { Insn::Previous { cursor, target: top } } else { Insn::Next { cursor, target: top } }
}

/// The range of a LIKE is scanned twice: for texts, and for blobs, which LIKE reads as texts. Blobs are greater than all texts.
fn begin_like(cg: &mut Codegen<'_>, low: Reg, high: Reg, blobs_first: bool, exhausted: Addr) -> Around {
    let is_second = cg.b.register();
    let casts = |affinity: Affinity| {
        let affinity = affinity as u8;
        [Insn::Cast { affinity, reg: low }, Insn::Cast { affinity, reg: high }]
    };
    if blobs_first {
        casts(Affinity::Blob).into_iter().for_each(|cast| cg.b.emit(cast));
    }
    cg.b.emit(Insn::Integer { value: 0, dst: is_second });
    let top = cg.b.here();
    let mut steps =
        vec![Insn::If { null_jumps: 0, reg: is_second, target: exhausted }, Insn::Integer { value: 1, dst: is_second }];
    steps.extend(casts(if blobs_first { Affinity::Text } else { Affinity::Blob }));
    steps.push(Insn::Goto { target: top });
    Around { next: cg.b.label(), steps }
}

/// Begins the loop over the values of the skipped first columns: each search for the next values starts after all entries with
/// the current ones.
pub(super) fn begin_skipped(
    cg: &mut Codegen<'_>,
    index: CursorId,
    keys: &[Key<'_>],
    start: Reg,
    reverse: bool,
    exhausted: Addr,
    around: &mut Vec<Around>,
) {
    let skipped = keys.iter().take_while(|key| matches!(key, Key::Any)).count();
    if skipped == 0 {
        return;
    }
    let none = when_none(around, exhausted);
    emit_seek(cg, index, SearchKey { start, count: 0, inclusive: true }, reverse, none);
    let found = cg.b.here();
    for at in 0..skipped {
        cg.b.emit(Insn::Column { cursor: index, column: at as u16, dst: start.at(at) });
    }
    let count = skipped as u16;
    let search = match reverse {
        false => Insn::SeekGt { cursor: index, count, start, target: none },
        true => Insn::SeekLt { cursor: index, count, start, target: none },
    };
    around.push(Around { next: cg.b.label(), steps: vec![search, Insn::Goto { target: found }] });
}
