//! The instructions on the groups of a GROUP BY.

use crate::cursor::VmCursor;
use crate::group::Found;
use crate::machine::Machine;
use crate::operand::{CursorId, Reg};

/// Loads the group of a row.
#[inline(never)]
pub fn find(m: &mut Machine, cursor: CursorId, start: Reg) -> Found {
    match &mut m.cursors[usize::from(cursor.0)] {
        VmCursor::Groups(groups) => groups.find(&mut m.registers, start.0 as usize),
        _ => Found::Full,
    }
}

/// Sorts the groups.
#[inline(never)]
pub fn sort(m: &mut Machine, cursor: CursorId) {
    if let VmCursor::Groups(groups) = &mut m.cursors[usize::from(cursor.0)] {
        groups.sort(&mut m.registers);
    }
}

/// Loads the next group.
#[inline(never)]
pub fn next(m: &mut Machine, cursor: CursorId, start: Reg, limit: Reg) -> bool {
    let limit = (limit != Reg::NONE).then_some(limit.0 as usize);
    match &mut m.cursors[usize::from(cursor.0)] {
        VmCursor::Groups(groups) => groups.next(&mut m.registers, start.0 as usize, limit),
        _ => false,
    }
}
