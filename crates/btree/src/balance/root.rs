//! The root of a tree keeps its page number, so the tree grows and shrinks there, by a level.

use super::gather::Gathered;
use super::plan::Share;
use super::{CellList, Step};
use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::{Result, corrupt};
use lithe_format::PageNo;
use lithe_format::btree_page::{PageHeader, header_at, right_child};
use lithe_format::ptrmap::PtrmapType;

/// Moves everything on the root to a new page, which becomes the root's only child. `steps` then
/// leads to that child.
pub(super) fn grow_level(btree: &Btree, steps: &mut Vec<Step>) -> Result<()> {
    assert_eq!(steps.len(), 1, "a tree grows at its root");
    let Step { no: root, index } = steps[0];
    let child = btree.allocate()?;
    let old = btree.page(root)?;
    let header = btree.header(&old, root)?;
    copy_page(&old, &header, &mut btree.new_page(child)?, btree.usable_size());
    drop(old);
    let mut page = EditPage::create(btree, btree.write(root)?, header.kind.interior());
    page.set_child(0, child)?;
    drop(page);
    if btree.auto_vacuum()? {
        btree.put_ptrmap(child, PtrmapType::Btree, Some(root))?;
        btree.adopt_children(child)?;
    }
    *steps = vec![Step { no: root, index: 0 }, Step { no: child, index }];
    Ok(())
}

/// Copies a page to one whose header is at 0. The cells stay where they are.
fn copy_page(from: &[u8], header: &PageHeader, to: &mut [u8], usable: u32) {
    let fields = header.at..header.pointers_end();
    debug_assert!(header.content_at <= usable, "content behind the end of a page");
    to[..fields.len()].copy_from_slice(&from[fields]);
    let content = header.content_at as usize..usable as usize;
    to[content.clone()].copy_from_slice(&from[content]);
}

/// If the root has nothing but one child, the child's cells move into the root. On page 1, which is
/// shorter by the database header, they may not fit; then they stay.
pub(super) fn lose_level_if_empty(btree: &Btree, root: PageNo) -> Result<()> {
    let page = btree.page(root)?;
    let header = btree.header(&page, root)?;
    if header.kind.is_leaf() || header.cell_count > 0 {
        return Ok(());
    }
    let child = right_child(&page, header.at).filter(|child| *child != root && *child != PageNo::FIRST);
    let child = child.ok_or_else(|| corrupt(root, "impossible child page"))?;
    drop(page);

    let cells = Gathered::new(btree, &[child], 0, None, &CellList::default())?;
    if cells.kind.is_table() != header.kind.is_table() {
        return Err(corrupt(child, "page of the other kind of tree"));
    }
    let capacity = btree.usable_size() as usize - header_at(root) - cells.kind.header_len();
    if cells.sizes().iter().sum::<u32>() as usize > capacity {
        return Ok(());
    }
    let mut page = EditPage::create(btree, btree.write(root)?, cells.kind);
    cells.write(&mut page, Share { start: 0, end: cells.sizes().len() });
    if let Some(right) = cells.right_child {
        page.set_child(cells.sizes().len(), right)?;
    }
    drop(page);
    if btree.auto_vacuum()? {
        btree.adopt_children(root)?;
    }
    btree.free(child)
}
