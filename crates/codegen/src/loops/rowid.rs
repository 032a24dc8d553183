//! Paths by rowid.

use lithe_catalog::Result;
use lithe_optimize::access::{Bound, Key, RowidKey};
use lithe_resolve::ir::Expr;
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, CursorId, Reg};

use super::super::Codegen;
use super::keys::{Around, begin_sets, emit_bound, emit_value, when_none};
use super::walk::Walk;

/// The rows with the rowids of the key.
pub fn begin_rowid<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    key: &RowidKey<'a>,
    reverse: bool,
    exhausted: Addr,
) -> Result<Walk> {
    let mut around: Vec<Around> = Vec::new();
    match key {
        RowidKey::Value(value) => seek_rowid(cg, cursor, value, exhausted)?,
        RowidKey::In { set, column, how } => {
            let rowid = cg.b.register();
            let key = Key::In { set, column: *column, how: *how };
            begin_sets(cg, &[key], rowid, |_| reverse, exhausted, &mut around)?;
            cg.b.emit(Insn::SeekRowid { cursor, rowid, target: when_none(&around, exhausted) });
        }
    }
    Ok(Walk { step: None, around })
}

/// The row with a rowid.
pub fn seek_rowid<'a>(cg: &mut Codegen<'a>, cursor: CursorId, value: &Expr<'a>, exhausted: Addr) -> Result<()> {
    let _unused = cg.b.register(); // of the rowid, where there are several: programs are numbered alike
    // The search itself converts the value to an integer, and finds nothing for any other value.
    let value = cg.emit(value)?;
    cg.b.emit(Insn::SeekRowid { cursor, rowid: value.reg, target: exhausted });
    cg.release(value);
    Ok(())
}

/// The rows with rowids within bounds, or all rows.
pub fn begin_rowid_range<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    low: Option<&Bound<'a>>,
    high: Option<&Bound<'a>>,
    reverse: bool,
    exhausted: Addr,
) -> Result<Walk> {
    let (from, to) = if reverse { (high, low) } else { (low, high) };
    match from {
        Some(bound) => emit_seek(cg, cursor, bound, reverse, exhausted)?,
        None if reverse => cg.b.emit(Insn::Last { cursor, target: exhausted }),
        None => cg.b.emit(Insn::Rewind { cursor, target: exhausted }),
    }
    // As in SQLite, the end bound is not computed if there is no row to begin with.
    let end = match to {
        Some(bound) => Some((emit_end(cg, bound, exhausted)?, bound.inclusive)),
        None => None,
    };
    let top = cg.b.here();
    if let Some((bound, inclusive)) = end {
        emit_end_check(cg, cursor, bound, inclusive, reverse, exhausted);
    }
    let step = if reverse { Insn::Previous { cursor, target: top } } else { Insn::Next { cursor, target: top } };
    Ok(Walk { step: Some(step), around: Vec::new() })
}

fn emit_end<'a>(cg: &mut Codegen<'a>, bound: &Bound<'a>, exhausted: Addr) -> Result<Reg> {
    let reg = cg.b.register();
    emit_value(cg, &bound.values[0], &bound.how[0], reg, Some(exhausted))?;
    Ok(reg)
}

fn emit_seek<'a>(cg: &mut Codegen<'a>, cursor: CursorId, bound: &Bound<'a>, reverse: bool, target: Addr) -> Result<()> {
    let key = cg.b.temporary();
    emit_bound(cg, bound, key, target)?;
    cg.b.emit(match (reverse, bound.inclusive) {
        (false, true) => Insn::SeekRowidGe { cursor, key, target },
        (false, false) => Insn::SeekRowidGt { cursor, key, target },
        (true, true) => Insn::SeekRowidLe { cursor, key, target },
        (true, false) => Insn::SeekRowidLt { cursor, key, target },
    });
    cg.b.free(key);
    Ok(())
}

/// Leaves the loop when the rowid is beyond the bound.
fn emit_end_check(cg: &mut Codegen<'_>, cursor: CursorId, bound: Reg, inclusive: bool, reverse: bool, target: Addr) {
    let rowid = cg.b.temporary();
    cg.b.emit(Insn::Rowid { cursor, dst: rowid });
    let (flags, collation) = (CompareFlags(Affinity::Numeric as u8), CollationId::BINARY);
    let (lhs, rhs) = (rowid, bound);
    cg.b.emit(match (reverse, inclusive) {
        (false, true) => Insn::Gt { flags, collation, lhs, rhs, target },
        (false, false) => Insn::Ge { flags, collation, lhs, rhs, target },
        (true, true) => Insn::Lt { flags, collation, lhs, rhs, target },
        (true, false) => Insn::Le { flags, collation, lhs, rhs, target },
    });
    cg.b.free(rowid);
}
