//! One step of balancing: up to three siblings, and their dividers in the parent.

use super::gather::Gathered;
use super::plan::{Divider, Fill, Share, distribute};
use super::{CellList, Pending, Step};
use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::{Result, corrupt};
use crate::node::{Node, TreeKind};
use lithe_format::btree_page::PageKind;
use lithe_format::ptrmap::PtrmapType;
use lithe_format::{PageNo, cell};

/// More siblings would mean fuller pages, and more pages to write.
const SIBLINGS_MAX: usize = 3;

/// With fewer cells on it, a page that is split behind its last one would lose much of its space: the new page
/// needs a cell, and the parent the one before it. So its left neighbour takes cells, too, until it is full.
const FEW_CELLS: u16 = 12;

/// Some successive children of one page.
struct Window {
    parent: PageNo,
    /// The index in the parent of the first of them.
    first: usize,
    pages: Vec<PageNo>,
    /// The cells of the parent between them.
    dividers: CellList,
    /// The index in `pages` of the page to balance.
    middle: usize,
}

/// Shares the cells of the page of `step`, and what is pending there, with its siblings. Answers
/// what is now pending on the parent.
pub(super) fn balance(
    btree: &Btree,
    parent_step: Step,
    step: Step,
    pending: Option<Pending>,
) -> Result<Option<Pending>> {
    let page = btree.page(step.no)?;
    let header = btree.header(&page, step.no)?;
    let tree = if header.kind.is_table() { TreeKind::Table } else { TreeKind::Index };
    let parent = Node::load(btree, parent_step.no, tree)?;
    if parent.is_leaf() || parent_step.index > parent.count() {
        return Err(parent.corrupt("parent without this child"));
    }
    let appends = parent_step.index == parent.count()
        && pending.as_ref().is_some_and(|p| p.at == usize::from(header.cell_count) && p.cells.len() == 1);
    drop(page);
    let (reach, fill) = match () {
        () if appends && header.kind != PageKind::TableLeaf && header.cell_count < FEW_CELLS => (2, Fill::Left),
        () if appends => (1, Fill::Left),
        () if pending.is_some() => (SIBLINGS_MAX, Fill::Loose),
        () => (SIBLINGS_MAX, Fill::Even),
    };
    let window = Window::around(btree, parent, parent_step.index, reach)?;
    redistribute(btree, window, pending, fill)
}

fn redistribute(btree: &Btree, window: Window, pending: Option<Pending>, fill: Fill) -> Result<Option<Pending>> {
    let cells = Gathered::new(btree, &window.pages, window.middle, pending, &window.dividers)?;
    let divider = if cells.kind == PageKind::TableLeaf { Divider::Copied } else { Divider::Moved };
    let capacity = btree.usable_size() - cells.kind.header_len() as u32;
    let shares = distribute(cells.sizes(), capacity, divider, fill);
    let pages = assign_pages(btree, &window, shares.len())?;
    assert_eq!(pages.len(), shares.len(), "each share has a page");
    let mut dividers = CellList::default();
    for (index, share) in shares.iter().enumerate() {
        let is_last = index + 1 == shares.len();
        write_page(btree, &cells, *share, pages[index], is_last)?;
        if !is_last {
            let between = if divider == Divider::Moved { share.end } else { share.end - 1 };
            let mut malformed = Ok(());
            dividers.push(|bytes| malformed = cells.divider(between, pages[index], bytes));
            malformed?;
        }
    }
    drop(cells);
    assert_eq!(dividers.len() + 1, pages.len(), "a divider stands between two pages");
    for &no in &window.pages {
        if !pages.contains(&no) {
            btree.free(no)?;
        }
    }
    replace_dividers(btree, &window, &pages, dividers)
}

/// As many pages as are needed, the old ones first, in ascending order, because trees are read from left
/// to right and files are read faster forwards.
fn assign_pages(btree: &Btree, window: &Window, count: usize) -> Result<Vec<PageNo>> {
    assert!(count > 0, "cells, or the want of them, take a page");
    let mut pages = window.pages.clone();
    pages.sort_unstable();
    pages.truncate(count);
    let old = pages.len();
    btree.allocate_run(count - old, &mut pages)?;
    for &no in &pages[old..] {
        btree.new_page(no)?;
        if btree.auto_vacuum()? {
            btree.put_ptrmap(no, PtrmapType::Btree, Some(window.parent))?;
        }
    }
    pages.sort_unstable();
    Ok(pages)
}

fn write_page(btree: &Btree, cells: &Gathered, share: Share, no: PageNo, is_last: bool) -> Result<()> {
    let mut page = EditPage::create(btree, btree.write(no)?, cells.kind);
    cells.write(&mut page, share);
    if !cells.kind.is_leaf() {
        let right = if is_last { cells.right_child } else { cells.left_child(share.end) };
        page.set_child(share.end - share.start, right.ok_or_else(|| corrupt(no, "child page 0"))?)?;
    }
    drop(page);
    if btree.auto_vacuum()? {
        btree.adopt_children(no)?;
    }
    Ok(())
}

fn replace_dividers(btree: &Btree, window: &Window, pages: &[PageNo], dividers: CellList) -> Result<Option<Pending>> {
    let mut parent = EditPage::open(btree, window.parent)?;
    let index_dividers = parent.header.kind == PageKind::IndexInterior;
    let count = dividers.len();
    // Mostly the new divider is as long as the old one, and takes its bytes.
    let mut replaced = 0;
    while replaced < count.min(window.pages.len() - 1)
        && parent.overwrite(window.first + replaced, dividers.get(replaced))?
    {
        replaced += 1;
    }
    debug_assert!(replaced <= count, "more dividers are replaced than there are");
    let at = window.first + replaced;
    for _ in replaced + 1..window.pages.len() {
        parent.remove(at)?;
    }
    parent.set_child(at, pages[count])?;
    let pending = insert_dividers(&mut parent, at, dividers.skip(replaced))?;
    drop(parent);
    if index_dividers && btree.auto_vacuum()? {
        let inserted = count - pending.as_ref().map_or(0, |pending| pending.cells.len());
        btree.adopt_cells(window.parent, window.first..window.first + inserted)?;
    }
    Ok(pending)
}

/// Inserts dividers from cell `at` on; answers those that do not fit the page.
fn insert_dividers(parent: &mut EditPage<'_>, at: usize, dividers: CellList) -> Result<Option<Pending>> {
    for index in 0..dividers.len() {
        let divider = dividers.get(index);
        match parent.insert(at + index, divider.len())? {
            Some(place) => parent.bytes_mut(place, divider.len()).copy_from_slice(divider),
            None => return Ok(Some(Pending { at: at + index, cells: dividers.skip(index) })),
        }
    }
    Ok(None)
}

impl Window {
    /// Up to `reach` children of `parent` around the one at `index`.
    fn around(btree: &Btree, parent: Node, index: usize, reach: usize) -> Result<Window> {
        let children = parent.count() + 1;
        assert!(index < children && reach > 0, "the page to be balanced is one of the children");
        let reach = reach.min(children);
        let first = index.saturating_sub(reach / 2).min(children - reach);
        let limits = btree.limits(parent.kind);
        let mut window = Window {
            parent: parent.no,
            first,
            pages: Vec::with_capacity(reach),
            dividers: CellList::default(),
            middle: index - first,
        };
        for child in first..first + reach {
            let no = parent.child(child)?;
            if no == parent.no || window.pages.contains(&no) {
                return Err(parent.corrupt("page with the same child twice"));
            }
            window.pages.push(no);
            if child + 1 < first + reach {
                let at = parent.cell_at(child)?;
                let size = cell::size(&parent.page, at, parent.kind, &limits);
                let size = size.ok_or_else(|| parent.corrupt("cell outside the page"))?;
                window.dividers.push(|bytes| bytes.extend_from_slice(&parent.page[at..at + size]));
            }
        }
        assert!(window.middle < window.pages.len(), "the page to be balanced is in its window");
        assert_eq!(window.dividers.len() + 1, window.pages.len(), "a divider stands between two siblings");
        Ok(window)
    }
}
