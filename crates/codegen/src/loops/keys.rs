//! The values that a path searches: keys, bounds, the members of INs, and the values of skipped columns.
//!
//! A search key is in adjacent registers. Values that do not change while the loop runs are computed once, when the loop is
//! entered. INs and skipped columns are loops of their own around the search:
//!
//! ```text
//!   a = ? AND b IN (...) AND c > ?          registers: a, b, c
//!
//!        a ← value, c ← value               (NULL: the loop has no rows)
//!        Rewind set
//!   in:  b ← Column set                     (NULL: next member)
//!        SeekGt index (a, b, c)             (none: next member)
//!   top: IdxGt index (a, b)                 (beyond: next member)
//!          ... body ...
//!        Next index, top
//!        Next set, in
//! ```

use lithe_catalog::Result;
use lithe_optimize::access::{Bound, Key};
use lithe_resolve::ir::{Expr, How, In, InSet};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use crate::expr::in_set::{self, KeySet};

/// A loop around a search: the next member of a set, the next value of skipped columns.
#[derive(Clone, Debug)]
pub struct Around {
    /// Jump here for the next value.
    pub next: Addr,
    /// The instructions that go to the next value; they fall through at the end.
    pub steps: Vec<Insn>,
}

/// Emits the step of each loop around a search, the innermost first.
pub fn end_around(cg: &mut Codegen<'_>, around: &[Around]) {
    for around in around.iter().rev() {
        cg.b.place(around.next);
        around.steps.iter().for_each(|&step| cg.b.emit(step));
    }
}

/// The target when a search finds no (further) entry: the next value of the innermost loop around it, or the exit.
pub fn when_none(around: &[Around], exhausted: Addr) -> Addr {
    around.last().map_or(exhausted, |around| around.next)
}

/// Puts the values of keys that are values into registers from `start` on; jumps to `none` on a NULL that equals nothing.
pub fn emit_values<'a>(cg: &mut Codegen<'a>, keys: &[Key<'a>], start: Reg, none: Addr) -> Result<()> {
    for (at, key) in keys.iter().enumerate() {
        match key {
            Key::Value { value, how, is } => emit_value(cg, value, how, start.at(at), (!is).then_some(none))?,
            Key::Null => cg.b.emit(Insn::Null { start: start.at(at), count: 1 }),
            Key::In { .. } | Key::Any => {}
        }
    }
    Ok(())
}

/// Puts the values of a bound into registers from `start` on; jumps to `none` if the first is NULL.
pub fn emit_bound<'a>(cg: &mut Codegen<'a>, bound: &Bound<'a>, start: Reg, none: Addr) -> Result<()> {
    if bound.values.is_empty() {
        cg.b.emit(Insn::Null { start, count: 1 });
    }
    for (at, (value, how)) in bound.values.iter().zip(bound.how).enumerate() {
        // Only the first value of a row is sufficient alone; the condition is checked again for the other values.
        emit_value(cg, value, how, start.at(at), (at == 0).then_some(none))?;
    }
    Ok(())
}

/// Puts a value into a register, converted as for the comparison; jumps to `none`, if given, on NULL.
pub fn emit_value<'a>(
    cg: &mut Codegen<'a>,
    value: &Expr<'a>,
    how: &How<'a>,
    dst: Reg,
    none: Option<Addr>,
) -> Result<()> {
    cg.emit_into(value, dst)?;
    if let Some(target) = none
        && may_be_null(value)
    {
        cg.b.emit(Insn::IsNull { reg: dst, target });
    }
    apply_affinity(cg, value, how.affinity, dst);
    Ok(())
}

fn apply_affinity(cg: &mut Codegen<'_>, value: &Expr<'_>, affinity: Option<Affinity>, reg: Reg) {
    let Some(affinity) = affinity.filter(|affinity| *affinity != Affinity::Blob) else { return };
    let has_it = match value {
        Expr::Integer(_) | Expr::Boolean(_) | Expr::Real(_) => affinity.is_numeric(),
        Expr::Text(_) => affinity == Affinity::Text,
        Expr::Null | Expr::Blob(_) => true,
        Expr::Column(column) if column.stores_affinity() => {
            column.affinity.is_some_and(|of| of.is_numeric() && affinity.is_numeric() || of == affinity)
        }
        _ => false,
    };
    if !has_it {
        // A comparison converts texts to numbers, and does not convert numbers: REAL affinity would round a large integer.
        let applied = if affinity.is_numeric() { Affinity::Numeric } else { affinity };
        let affinities = cg.b.affinity_list(&[applied]);
        cg.b.emit(Insn::Affinity { start: reg, affinities });
    }
}

/// Whether the value may be NULL, judged by its form.
pub fn may_be_null(value: &Expr<'_>) -> bool {
    !matches!(value, Expr::Integer(_) | Expr::Boolean(_) | Expr::Real(_) | Expr::Text(_) | Expr::Blob(_))
}

/// Begins the loops of all INs among the keys. One loop sets all columns of one set. `is_backwards` says for a key whether its
/// values must be in descending order: the scan is a reverse one, or the column is descending.
pub fn begin_sets<'a>(
    cg: &mut Codegen<'a>,
    keys: &[Key<'a>],
    start: Reg,
    is_backwards: impl Fn(usize) -> bool,
    exhausted: Addr,
    around: &mut Vec<Around>,
) -> Result<()> {
    for (at, key) in keys.iter().enumerate() {
        let Key::In { set, .. } = key else { continue };
        // The key for each column of the set.
        let places: Vec<(u16, usize)> =
            keys.iter().enumerate().filter_map(|(at, key)| column_of_set(key, set, at)).collect();
        if places[0].1 != at {
            continue;
        }
        let (cursor, columns) = match in_set::key_set(cg, set)? {
            KeySet::Made(all) => members(cg, set, all, &places)?,
            KeySet::Rowids(cursor) => {
                begin_members(cg, cursor, is_backwards(at), exhausted, around);
                cg.b.emit(Insn::Rowid { cursor, dst: start.at(at) });
                continue;
            }
        };
        begin_members(cg, cursor, is_backwards(at), exhausted, around);
        for ((_, at), column) in places.iter().zip(columns) {
            let dst = start.at(*at);
            cg.b.emit(Insn::Column { cursor, column, dst });
            cg.b.emit(Insn::IsNull { reg: dst, target: when_none(around, exhausted) });
        }
    }
    Ok(())
}

/// The column of the set for the key at `at`, and `at`.
fn column_of_set(key: &Key<'_>, set: &In<'_>, at: usize) -> Option<(u16, usize)> {
    match key {
        Key::In { set: other, column, .. } if other.id == set.id => Some((*column, at)),
        _ => None,
    }
}

/// The members of a set, of which `all` is the tree, in the order of the keys, and their columns for the places. If the places use only some of the columns, rows that
/// differ in the other columns only must count once.
fn members<'a>(
    cg: &mut Codegen<'a>,
    set: &'a In<'a>,
    all: CursorId,
    places: &[(u16, usize)],
) -> Result<(CursorId, Vec<u16>)> {
    let wanted: Vec<u16> = places.iter().map(|(column, _)| *column).collect();
    if wanted.iter().copied().eq(0..set.how.len() as u16) {
        return Ok((all, wanted));
    }
    let orders: Vec<_> = wanted.iter().map(|&column| (set.how[usize::from(column)].collation, false, false)).collect();
    let key = cg.key_info(&orders)?;
    let part = cg.ephemeral(CursorKind::EphemeralIndex, key, wanted.len());
    let done = cg.b.label();
    if !matches!(set.set, InSet::Query(query) if query.is_correlated()) {
        cg.b.emit(Insn::Once { target: done });
    }
    cg.b.emit(Insn::OpenEphemeral { cursor: part });
    cg.b.emit(Insn::Rewind { cursor: all, target: done });
    let (top, start) = (cg.b.here(), cg.b.registers(wanted.len()));
    for (at, &column) in wanted.iter().enumerate() {
        cg.b.emit(Insn::Column { cursor: all, column, dst: start.at(at) });
    }
    let (count, affinities) = (wanted.len() as u16, AffinityListId::NONE);
    cg.b.emit(Insn::IdxInsertRow { flags: 0, cursor: part, count, affinities, start });
    cg.b.emit(Insn::Next { cursor: all, target: top });
    cg.b.place(done);
    Ok((part, (0..count).collect()))
}

/// Begins a loop over the members, each once, in their order.
fn begin_members(cg: &mut Codegen<'_>, cursor: CursorId, reverse: bool, exhausted: Addr, around: &mut Vec<Around>) {
    let target = when_none(around, exhausted);
    cg.b.emit(if reverse { Insn::Last { cursor, target } } else { Insn::Rewind { cursor, target } });
    let (top, next) = (cg.b.here(), cg.b.label());
    let step = if reverse { Insn::Previous { cursor, target: top } } else { Insn::Next { cursor, target: top } };
    around.push(Around { next, steps: vec![step] });
}
