//! Transactions, the schema cookie, and whole trees.

use lithe_btree::TreeKind;
use lithe_format::PageNo;
use lithe_format::db_header::Meta;
use lithe_vfs::ResultCode;

use crate::cursor::VmCursor;
use crate::error::Error;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{CursorId, Db, Reg, UNOPENED};
use crate::program::Program;

/// Begins the statement's transaction on a database, and checks that its schema is the one that the program was
/// compiled for.
pub fn transaction(program: &Program, host: &dyn Host, db: Db, write: u8) -> Result<(), Error> {
    let check = program.schema_cookies.iter().find(|check| check.db == db);
    host.begin(db, write, check)
}

/// Reads a meta value of the header.
#[inline(never)]
pub fn read_cookie(m: &mut Machine, host: &dyn Host, db: Db, index: u8, dst: Reg) -> Result<(), Error> {
    let value = host.btree(db)?.meta(meta(index)?)?;
    // user_version and application_id are signed.
    m.reg_mut(dst).set_integer(i64::from(value as i32));
    Ok(())
}

fn meta(index: u8) -> Result<Meta, Error> {
    Meta::from_number(index).ok_or_else(|| Error::new(ResultCode::INTERNAL, "no such meta value"))
}

/// Creates a tree; its root goes to `dst`.
#[inline(never)]
pub fn create_tree(m: &mut Machine, host: &dyn Host, db: Db, kind: u8, dst: Reg) -> Result<(), Error> {
    let kind = if kind == 2 { TreeKind::Index } else { TreeKind::Table };
    let root = host.btree(db)?.create_tree(kind)?;
    m.reg_mut(dst).set_integer(i64::from(root.get()));
    Ok(())
}

/// Removes a tree. In an auto-vacuum database another tree's root may move to its page: the old page of that root, or
/// 0, goes to `moved`.
#[inline(never)]
pub fn drop_tree(m: &mut Machine, host: &dyn Host, db: Db, root: Reg, moved: Reg) -> Result<(), Error> {
    let number = u32::try_from(m.reg(root).integer()).ok();
    let root = number.and_then(PageNo::new).ok_or_else(|| Error::from_code(ResultCode::CORRUPT))?;
    let from = host.btree(db)?.drop_tree(root)?;
    if moved != Reg::NONE {
        m.reg_mut(moved).set_integer(from.map_or(0, |page| i64::from(page.get())));
    }
    Ok(())
}

/// Deletes all rows of the tree that a cursor's info names.
#[inline(never)]
pub fn clear_tree(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    count_changes: u8,
) -> Result<(), Error> {
    crate::write::check_lock(m, program, cursor)?;
    let info = program.cursor(cursor);
    let root = info.root.ok_or_else(|| Error::from_code(ResultCode::CORRUPT))?;
    let cleared = host.btree(info.db)?.clear_tree(root)?;
    if count_changes == 1 {
        m.changes += cleared as i64;
    }
    if m.watches_rows {
        host.row_changed(info.db, root, None);
    }
    if count_changes == UNOPENED {
        return Ok(());
    }
    for open in &mut m.cursors {
        if let VmCursor::Tree(tree) = open
            && tree.inner.cursor.root() == root
        {
            tree.release_row();
        }
    }
    Ok(())
}
