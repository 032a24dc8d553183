//! Opening cursors.

use std::sync::Arc;

use lithe_format::PageNo;
use lithe_vfs::ResultCode;

use crate::cursor::VmCursor;
use crate::ephemeral::EphemeralCursor;
use crate::error::Error;
use crate::group::GroupsCursor;
use crate::hash::HashCursor;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{CursorId, Reg};
use crate::program::{CursorKind, Program};
use crate::row::tree::TreeCursor;
use crate::sorter::{Sorter, SorterCursor};

/// Opens a cursor on the tree that its info names.
#[inline(never)]
pub fn tree(m: &mut Machine, program: &Program, host: &dyn Host, cursor: CursorId) -> Result<(), Error> {
    match program.cursor(cursor).root {
        Some(root) => tree_at_page(m, program, host, cursor, root),
        None => Err(Error::from_code(ResultCode::CORRUPT)),
    }
}

/// Opens a cursor on the tree whose root page a register holds.
#[inline(never)]
pub fn tree_at(m: &mut Machine, program: &Program, host: &dyn Host, cursor: CursorId, root: Reg) -> Result<(), Error> {
    let number = u32::try_from(m.reg(root).integer()).ok();
    match number.and_then(PageNo::new) {
        Some(root) => tree_at_page(m, program, host, cursor, root),
        None => Err(Error::from_code(ResultCode::CORRUPT)),
    }
}

/// Fails if the statement may not open cursors, because the temporary schema or a setting has changed since it began.
pub(crate) fn check_may_open(m: &Machine) -> Result<(), Error> {
    if m.is_expired { Err(Error::from_code(ResultCode::ABORT_ROLLBACK)) } else { Ok(()) }
}

#[inline(always)]
fn tree_at_page(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    root: PageNo,
) -> Result<(), Error> {
    check_may_open(m)?;
    if let VmCursor::Tree(tree) = m.cursor(cursor)
        && tree.inner.cursor.root() == root
    {
        // A nested query runs again: a cursor stays on its tree as long as the statement runs.
        tree.begin_again();
        return Ok(());
    }
    let info = program.cursor(cursor);
    debug_assert!(matches!(info.kind, CursorKind::Table | CursorKind::Index), "a tree of the database is opened");
    let btree = host.btree(info.db)?;
    if !btree.pager().borrows_are_stable() {
        m.held_pages.read_from(btree.pager().page_holders());
    }
    let slot = m.cursor(cursor);
    let before = slot.take_state();
    let encoding = host.state().encoding.get();
    slot.put(VmCursor::Tree(TreeCursor::open(btree, root, info.key.as_ref(), encoding, before)));
    Ok(())
}

/// Opens an empty temporary table, index, set or hash table; one that is open already is emptied.
#[inline(never)]
pub fn ephemeral(m: &mut Machine, program: &Program, cursor: CursorId) -> Result<(), Error> {
    let info = program.cursor(cursor);
    debug_assert!(
        !matches!(info.kind, CursorKind::Table | CursorKind::Index),
        "a temporary table has no root in a database"
    );
    let slot = m.cursor(cursor);
    if let VmCursor::Closed(_) = slot {
        *slot = match info.kind {
            CursorKind::Hash => VmCursor::Hash(Box::new(HashCursor::new(info.key.clone().unwrap_or_default()))),
            _ => VmCursor::Ephemeral(Box::new(EphemeralCursor::new(&info.kind, info.key.as_ref()))),
        };
        return Ok(());
    }
    // It is emptied, not replaced, because other cursors may share it.
    clear(m, cursor)
}

/// Opens a second cursor on a temporary table.
#[inline(never)]
pub fn duplicate(m: &mut Machine, cursor: CursorId, original: CursorId) -> Result<(), Error> {
    let second = match m.cursor(original).settled()? {
        VmCursor::Ephemeral(ephemeral) => VmCursor::Ephemeral(Box::new(ephemeral.duplicate())),
        VmCursor::Tree(tree) => VmCursor::Tree(tree.duplicate()),
        _ => return Err(Error::new(ResultCode::INTERNAL, "only temporary tables are opened twice")),
    };
    *m.cursor(cursor) = second;
    Ok(())
}

/// Opens a sorter; one that is open already is emptied.
#[inline(never)]
pub fn sorter(m: &mut Machine, program: &Program, host: &dyn Host, cursor: CursorId, limit: Reg) {
    let limit = if limit == Reg::NONE { None } else { usize::try_from(m.reg(limit).integer()).ok() };
    let slot = m.cursor(cursor);
    if let VmCursor::Sorter(sorter) = slot {
        sorter.clear();
        sorter.sorter.set_limit(limit);
        return;
    }
    let key = program.cursor(cursor).key.as_ref().map(Arc::clone).unwrap_or_default();
    let sorter = Sorter::new(key, host.memory_budget(), limit);
    *slot = VmCursor::Sorter(Box::new(SorterCursor::new(sorter)));
}

/// Opens an empty table of groups.
#[inline(never)]
pub fn groups(m: &mut Machine, program: &Program, host: &dyn Host, cursor: CursorId, start: Reg, count: usize) {
    let key = program.cursor(cursor).key.as_ref().map(Arc::clone).unwrap_or_default();
    let groups = GroupsCursor::new(key, start.0 as usize, count, host.memory_budget());
    *m.cursor(cursor) = VmCursor::Groups(Box::new(groups));
}

/// Empties a temporary table.
fn clear(m: &mut Machine, cursor: CursorId) -> Result<(), Error> {
    match m.cursor(cursor).settled()? {
        VmCursor::Ephemeral(ephemeral) => ephemeral.clear()?,
        VmCursor::Hash(hash) => hash.clear()?,
        VmCursor::Tree(tree) => tree.clear()?,
        VmCursor::Sorter(_) | VmCursor::Rows(_) | VmCursor::Scan(_) | VmCursor::Groups(_) | VmCursor::Closed(_) => {}
    }
    Ok(())
}
