//! Finding rows: by rowid, by key, by hash.
//!
//! A rowid may be compared with any value. Rowids are integers, so the bound is first converted to one on integers:
//!
//! | sought | `>=` `>` | `<=` `<` |
//! | --- | --- | --- |
//! | an integer, or a real or text that is one | that rowid | that rowid |
//! | a real between two integers | the integer above, inclusive | the integer below, inclusive |
//! | a real beyond all integers, text that is no number, a blob | none, or all | all, or none |
//! | NULL | none | none |

use std::cmp::Ordering;

use lithe_btree::{KeyInfo, Prefix, SearchKey, Seek};
use lithe_value::{Affinity, ValueRef};

use crate::cursor::VmCursor;
use crate::ephemeral::EphemeralCursor;
use crate::error::Error;
use crate::host::Host;
use crate::machine::{Machine, with_values};
use crate::operand::{CursorId, Reg};
use crate::program::Program;
use crate::register::Register;
use crate::row::tree::RangeBound;

/// The rows that a seek may end on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The first that is not less.
    Ge,
    /// The first that is greater.
    Gt,
    /// The last that is not greater.
    Le,
    /// The last that is less.
    Lt,
}

/// A bound on rowids, converted to integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowidBound {
    At(Bound, i64),
    /// Every row satisfies it; the bound says at which end the cursor starts.
    All,
    None,
}

impl Bound {
    fn is_upper(self) -> bool {
        matches!(self, Bound::Le | Bound::Lt)
    }
}

/// Goes to the first or last row whose rowid satisfies the bound.
#[inline(never)]
pub fn rowid_bound(m: &mut Machine, bound: Bound, cursor: CursorId, key: Reg) -> Result<bool, Error> {
    let bound = match m.reg(key) {
        Register::Integer(rowid) => RowidBound::At(bound, *rowid),
        other => rowid_bound_of(other.as_ref(), bound),
    };
    let slot = m.cursor(cursor).settled()?;
    match (bound, &mut *slot) {
        (RowidBound::None, _) => Ok(false),
        (RowidBound::All, _) => slot.last(),
        (RowidBound::At(bound, rowid), VmCursor::Tree(tree)) => {
            let seek = tree.seek_rowid(rowid)?;
            step_to_bound(slot, bound, seek)
        }
        (RowidBound::At(bound, rowid), VmCursor::Ephemeral(ephemeral)) => {
            let found = ephemeral.seek_rowid(rowid);
            Ok(step_in_memory(ephemeral, bound, found))
        }
        _ => Ok(false),
    }
}

/// Converts a bound that is no integer.
#[cold]
fn rowid_bound_of(value: ValueRef<'_>, bound: Bound) -> RowidBound {
    let beyond = if bound.is_upper() { RowidBound::All } else { RowidBound::None };
    match value {
        ValueRef::Null => RowidBound::None,
        ValueRef::Integer(rowid) => RowidBound::At(bound, rowid),
        ValueRef::Real(real) => rowid_bound_of_real(real, bound),
        ValueRef::Text(_) => match Affinity::Numeric.apply_numeric(value) {
            ValueRef::Text(_) => beyond,
            number => rowid_bound_of(number, bound),
        },
        ValueRef::Blob(_) => beyond,
    }
}

fn rowid_bound_of_real(real: f64, bound: Bound) -> RowidBound {
    /// 2^63: the first real above all rowids.
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if real >= TWO_TO_63 {
        return if bound.is_upper() { RowidBound::All } else { RowidBound::None };
    }
    if real < -TWO_TO_63 {
        return if bound.is_upper() { RowidBound::None } else { RowidBound::At(Bound::Ge, i64::MIN) };
    }
    let floor = real.floor();
    let rowid = floor as i64;
    if floor == real {
        return RowidBound::At(bound, rowid);
    }
    // Between two integers: it no longer matters whether the bound is inclusive.
    RowidBound::At(if bound.is_upper() { Bound::Le } else { Bound::Gt }, rowid)
}

/// Moves from the end of a seek to the row that the bound is for.
#[inline]
fn step_to_bound(cursor: &mut VmCursor, bound: Bound, seek: Seek) -> Result<bool, Error> {
    match (bound, seek) {
        (_, Seek::Empty) => Ok(false),
        (Bound::Ge | Bound::Le, Seek::Exact) => Ok(true),
        (Bound::Ge | Bound::Gt, Seek::Greater) | (Bound::Le | Bound::Lt, Seek::Less) => Ok(true),
        (Bound::Ge | Bound::Gt, _) => cursor.next(),
        (Bound::Le | Bound::Lt, _) => cursor.previous(),
    }
}

/// As [`step_to_bound`] for a table in memory, where a seek ends on the row itself or on the first after it.
fn step_in_memory(ephemeral: &mut EphemeralCursor, bound: Bound, found: bool) -> bool {
    match bound {
        Bound::Ge => !ephemeral.is_nowhere(),
        Bound::Gt if found => ephemeral.next(),
        Bound::Gt => !ephemeral.is_nowhere(),
        Bound::Le if found => true,
        Bound::Le | Bound::Lt if ephemeral.is_nowhere() => ephemeral.last(),
        Bound::Le | Bound::Lt => ephemeral.previous(),
    }
}

/// Goes to the row of a rowid.
#[inline(never)]
pub fn rowid(m: &mut Machine, cursor: CursorId, rowid: Reg) -> Result<bool, Error> {
    let rowid = match m.reg(rowid) {
        Register::Integer(rowid) => *rowid,
        other => match exact_rowid(other.as_ref()) {
            Some(rowid) => rowid,
            None => return Ok(false),
        },
    };
    match m.cursor(cursor) {
        VmCursor::Tree(tree) => Ok(tree.seek_rowid(rowid)? == Seek::Exact),
        other => rowid_in_memory(other, rowid),
    }
}

#[inline(never)]
fn rowid_in_memory(cursor: &mut VmCursor, rowid: i64) -> Result<bool, Error> {
    match cursor.settled()? {
        VmCursor::Tree(tree) => Ok(tree.seek_rowid(rowid)? == Seek::Exact),
        VmCursor::Ephemeral(ephemeral) => Ok(ephemeral.seek_rowid(rowid)),
        _ => Ok(false),
    }
}

/// The rowid that equals a value, if there is one.
#[cold]
fn exact_rowid(value: ValueRef<'_>) -> Option<i64> {
    match rowid_bound_of(value, Bound::Ge) {
        RowidBound::At(Bound::Ge, rowid) if !is_below_all(value) => Some(rowid),
        _ => None,
    }
}

/// Whether a real is below all integers: its bound is the least integer, but it does not equal that.
fn is_below_all(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Real(real) if real < i64::MIN as f64)
}

/// Goes to the first or last entry of an index that satisfies the bound.
#[inline(never)]
pub fn key_bound(
    m: &mut Machine,
    program: &Program,
    bound: Bound,
    cursor: CursorId,
    start: Reg,
    count: u16,
) -> Result<bool, Error> {
    let prefix = match bound {
        Bound::Ge | Bound::Lt => Prefix::Before,
        Bound::Gt | Bound::Le => Prefix::After,
    };
    let Machine { registers, cursors, scratch, .. } = m;
    debug_assert!(count > 0, "a bound has columns");
    let key = &registers[start.0 as usize..][..usize::from(count)];
    let slot = cursors[usize::from(cursor.0)].settled()?;
    if let [single] = key
        && let VmCursor::Tree(tree) = slot
    {
        let seek = tree.seek_key(&SearchKey::new(program.key(cursor), &[single.usual_ref()], prefix))?;
        return step_to_bound(slot, bound, seek);
    }
    let values = scratch.values(key);
    let found = match slot {
        VmCursor::Tree(tree) => {
            let seek = tree.seek_key(&SearchKey::new(program.key(cursor), &values, prefix))?;
            step_to_bound(slot, bound, seek)?
        }
        VmCursor::Ephemeral(ephemeral) => {
            let found = match prefix {
                Prefix::After => ephemeral.seek_after(&values),
                _ => {
                    ephemeral.seek_key(&values);
                    !ephemeral.is_nowhere()
                }
            };
            match bound {
                Bound::Ge | Bound::Gt => found,
                Bound::Le | Bound::Lt if found => ephemeral.previous(),
                Bound::Le | Bound::Lt => ephemeral.last(),
            }
        }
        _ => false,
    };
    scratch.give_back(values);
    Ok(found)
}

/// Goes to the first entry of an index whose first column is greater than `value`.
pub fn past_first_column(m: &mut Machine, cursor: CursorId, key: &KeyInfo, value: ValueRef<'_>) -> Result<bool, Error> {
    let slot = m.cursor(cursor).settled()?;
    let VmCursor::Tree(tree) = slot else { return Ok(false) };
    let seek = tree.seek_key(&SearchKey::new(key, &[value], Prefix::After))?;
    step_to_bound(slot, Bound::Gt, seek)
}

/// Whether the current entry of an index is before a key, or at most equal to it, if that is `or_equal`.
#[inline(never)]
pub fn is_before(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    (start, count): (Reg, u16),
    or_equal: bool,
) -> Result<bool, Error> {
    let order = compare_entry(m, program, cursor, start, count)?;
    Ok(if or_equal { order.is_le() } else { order.is_lt() })
}

/// The order of the current entry of an index and a key.
#[inline(always)]
fn compare_entry(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    start: Reg,
    count: u16,
) -> Result<Ordering, Error> {
    let Machine { registers, cursors, .. } = m;
    let key = program.key(cursor);
    // Most ranges have one column, usually an integer.
    if let (1, VmCursor::Tree(tree), Register::Integer(bound)) =
        (count, &mut cursors[usize::from(cursor.0)], &registers[start.0 as usize])
        && let (Some(first), Some(column)) = (tree.first_integer(), key.columns().first())
    {
        return Ok(if column.descending { bound.cmp(&first) } else { first.cmp(bound) });
    }
    let slot = cursors[usize::from(cursor.0)].settled()?;
    with_values(&registers[start.0 as usize..][..usize::from(count)], |values| match slot {
        VmCursor::Tree(tree) => tree.compare_entry(&SearchKey::new(key, values, Prefix::Equal)),
        VmCursor::Ephemeral(ephemeral) => {
            let order = ephemeral.with_record(|record| crate::keys::compare_to_values(record, values, key));
            Ok(order.unwrap_or(Ordering::Greater))
        }
        _ => Ok(Ordering::Greater),
    })
}

/// Whether the current entry of an index is beyond the end of a range, if that is known without a comparison.
#[inline(always)]
pub fn is_known_beyond(m: &Machine, cursor: CursorId, bound: RangeBound) -> Option<bool> {
    match &m.cursors[usize::from(cursor.0)] {
        VmCursor::Tree(tree) => tree.is_beyond(bound),
        _ => None,
    }
}

/// Whether the current entry of an index is beyond the end of a range.
#[inline(never)]
pub fn is_beyond(m: &mut Machine, program: &Program, cursor: CursorId, bound: RangeBound) -> Result<bool, Error> {
    let order = compare_entry(m, program, cursor, bound.start(), bound.count())?;
    if if bound.excludes_equal() { order.is_ge() } else { order.is_gt() } {
        return Ok(true);
    }
    if let VmCursor::Tree(tree) = m.cursor(cursor)
        && tree.wants_range_end()
    {
        find_range_end(m, program, cursor, bound);
    }
    Ok(false)
}

#[inline(never)]
fn find_range_end(m: &mut Machine, program: &Program, cursor: CursorId, bound: RangeBound) {
    let Machine { registers, cursors, .. } = m;
    let VmCursor::Tree(tree) = &mut cursors[usize::from(cursor.0)] else { return };
    let prefix = if bound.excludes_equal() { Prefix::Before } else { Prefix::After };
    with_values(&registers[bound.start().0 as usize..][..usize::from(bound.count())], |values| {
        tree.find_range_end(bound, &SearchKey::new(program.key(cursor), values, prefix));
    });
}

/// Whether an index, or a set, has an entry that begins with the key. The cursor is left on it.
#[inline(never)]
pub fn found(m: &mut Machine, program: &Program, cursor: CursorId, start: Reg, count: u16) -> Result<bool, Error> {
    let Machine { registers, cursors, .. } = m;
    let slot = cursors[usize::from(cursor.0)].settled()?;
    with_values(&registers[start.0 as usize..][..usize::from(count)], |values| match slot {
        VmCursor::Tree(tree) => {
            Ok(tree.seek_key(&SearchKey::new(program.key(cursor), values, Prefix::Equal))? == Seek::Exact)
        }
        VmCursor::Ephemeral(ephemeral) => Ok(ephemeral.seek_key(values)),
        _ => Ok(false),
    })
}

/// Whether no entry conflicts with a unique key: no entry begins with the key, or the key has a NULL. The cursor is left where
/// the entry goes, and records that for an insert, unless there is a NULL.
#[inline(never)]
pub fn has_no_conflict(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    start: Reg,
    count: u16,
) -> Result<bool, Error> {
    if m.regs(start, usize::from(count)).iter().any(Register::is_null) {
        if let VmCursor::Tree(tree) = m.cursor(cursor) {
            tree.inner.last_seek = None;
        }
        return Ok(true);
    }
    Ok(!found(m, program, cursor, start, count)?)
}

/// Defers the seek for the row of an index entry until a column of it is read.
#[inline(never)]
pub fn deferred(m: &mut Machine, index: CursorId, table: CursorId) -> Result<(), Error> {
    let rowid = entry_rowid(m.cursor(index))?;
    match (m.cursor(table), rowid) {
        (VmCursor::Tree(tree), Some(rowid)) => tree.defer_seek(rowid),
        (table, None) => table.set_null_row(),
        (other, Some(rowid)) => {
            rowid_in_memory(other, rowid)?;
        }
    }
    Ok(())
}

/// The rowid that ends the entry of an index; `None` on a null row.
#[inline]
pub fn entry_rowid(cursor: &mut VmCursor) -> Result<Option<i64>, Error> {
    match cursor.settled()? {
        VmCursor::Tree(tree) => tree.index_rowid(),
        VmCursor::Ephemeral(ephemeral) => ephemeral.entry_rowid(),
        _ => Ok(None),
    }
}

/// Adds a row to a hash table.
#[inline(never)]
pub fn hash_insert(m: &mut Machine, host: &dyn Host, cursor: CursorId, start: Reg, count: usize) -> Result<(), Error> {
    let Machine { registers, cursors, scratch, temporary, counters, .. } = m;
    let values = scratch.values(&registers[start.0 as usize..][..count]);
    if let VmCursor::Hash(hash) = &mut cursors[usize::from(cursor.0)] {
        hash.insert(&values, host, temporary)?;
        counters.autoindex_rows += 1;
    }
    scratch.give_back(values);
    Ok(())
}

/// Goes to the first row of a hash table with a key.
#[inline(never)]
pub fn hash_find(m: &mut Machine, cursor: CursorId, start: Reg, count: usize) -> Result<bool, Error> {
    let Machine { registers, cursors, .. } = m;
    let slot = &mut cursors[usize::from(cursor.0)];
    with_values(&registers[start.0 as usize..][..count], |values| match slot {
        VmCursor::Hash(hash) => hash.find(values),
        _ => Ok(false),
    })
}

/// Adds a row to a sorter.
#[inline(never)]
pub fn sorter_insert(
    m: &mut Machine,
    host: &dyn Host,
    cursor: CursorId,
    start: Reg,
    count: usize,
) -> Result<(), Error> {
    let Machine { registers, cursors, scratch, .. } = m;
    let VmCursor::Sorter(sorter) = &mut cursors[usize::from(cursor.0)] else {
        return Ok(());
    };
    let row = &registers[start.0 as usize..][..count];
    // A sort with a limit rejects most rows by their first column alone.
    if row.first().is_some_and(|first| !sorter.sorter.may_admit(first.as_ref())) {
        return Ok(());
    }
    let values = scratch.values(row);
    sorter.sorter.insert(&values, host)?;
    scratch.give_back(values);
    Ok(())
}

/// Sorts, and goes to the first row.
#[inline(never)]
pub fn sorter_sort(m: &mut Machine, host: &dyn Host, cursor: CursorId) -> Result<bool, Error> {
    m.counters.sorts += 1;
    match m.cursor(cursor) {
        VmCursor::Sorter(sorter) => sorter.sort(host),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: ValueRef<'_>, bound: Bound, expected: RowidBound) {
        assert_eq!(rowid_bound_of(value, bound), expected, "{bound:?} {value}");
    }

    #[test]
    fn bounds_that_are_no_integers() {
        use Bound::{Ge, Gt, Le, Lt};
        use RowidBound::{All, At, None};
        let table: &[(ValueRef<'_>, [RowidBound; 4])] = &[
            // value                       >=               >                <=           <
            (ValueRef::Null, [None, None, None, None]),
            (ValueRef::Real(3.0), [At(Ge, 3), At(Gt, 3), At(Le, 3), At(Lt, 3)]),
            (ValueRef::Real(3.5), [At(Gt, 3), At(Gt, 3), At(Le, 3), At(Le, 3)]),
            (ValueRef::Real(-3.5), [At(Gt, -4), At(Gt, -4), At(Le, -4), At(Le, -4)]),
            (ValueRef::Real(1e30), [None, None, All, All]),
            (ValueRef::Real(-1e30), [At(Ge, i64::MIN), At(Ge, i64::MIN), None, None]),
            (ValueRef::Text(b"abc"), [None, None, All, All]),
            (ValueRef::Text(b" 7 "), [At(Ge, 7), At(Gt, 7), At(Le, 7), At(Lt, 7)]),
            (ValueRef::Text(b"7.5"), [At(Gt, 7), At(Gt, 7), At(Le, 7), At(Le, 7)]),
            (ValueRef::Text(b"7x"), [None, None, All, All]),
            (ValueRef::Blob(b"7"), [None, None, All, All]),
        ];
        for (value, expected) in table {
            for (bound, expected) in [Ge, Gt, Le, Lt].into_iter().zip(expected) {
                check(*value, bound, *expected);
            }
        }
    }

    #[test]
    fn rowids_without_loss() {
        let table: &[(ValueRef<'_>, Option<i64>)] = &[
            (ValueRef::Integer(5), Some(5)),
            (ValueRef::Real(5.0), Some(5)),
            (ValueRef::Real(5.5), None),
            (ValueRef::Real(-1e30), None),
            (ValueRef::Real(i64::MIN as f64), Some(i64::MIN)),
            (ValueRef::Text(b"5"), Some(5)),
            (ValueRef::Text(b"5.0"), Some(5)),
            (ValueRef::Text(b"five"), None),
            (ValueRef::Blob(b"5"), None),
            (ValueRef::Null, None),
        ];
        for (value, expected) in table {
            assert_eq!(exact_rowid(*value), *expected, "{value}");
        }
    }
}
