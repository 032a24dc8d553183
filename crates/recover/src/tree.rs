//! B-trees as far as their pages can be reached, and the unreachable pages.

use std::collections::HashMap;

use lithe_format::{PageNo, freelist};

use crate::cells::TreePage;
use crate::geometry::Geometry;
use crate::page_set::PageSet;
use crate::pages::PageSource;
use crate::record::Row;

/// Reads a database, and records the pages that it has read.
pub struct Recovery<'s> {
    source: &'s dyn PageSource,
    geometry: Geometry,
    /// Pages of trees, overflow pages of their rows, and pages that must not be read.
    used: PageSet,
}

/// A row of a page that belongs to no tree.
#[derive(Debug)]
pub struct LostRow {
    /// The topmost page from which the row's page can be reached.
    pub root: PageNo,
    /// The row's page.
    pub page: PageNo,
    /// The row.
    pub row: Row,
}

impl<'s> Recovery<'s> {
    /// A recovery that has read no page yet.
    pub fn new(source: &'s dyn PageSource, geometry: Geometry) -> Recovery<'s> {
        Recovery { source, geometry, used: PageSet::new(source.count()) }
    }

    /// Marks the freelist's pages as read, because their content was deleted.
    pub fn skip_freelist(&mut self) {
        let mut trunk = self.geometry.first_trunk;
        while let Some(no) = trunk {
            if !self.used.insert(no) {
                return;
            }
            let Some(page) = self.source.page(no) else { return };
            let count = freelist::leaf_count(&page).min(freelist::max_leaves(self.geometry.usable));
            for leaf in (0..count).filter_map(|index| freelist::leaf(&page, index)) {
                self.used.insert(leaf);
            }
            trunk = freelist::next(&page);
        }
    }

    /// Calls `each` with the rows of the B-tree at that root, in key order as far as the tree is sound. Pages of another kind of tree are
    /// skipped, as are pages that were visited before.
    ///
    /// # Errors
    /// The first error of `each`, which ends the read.
    pub fn tree<E>(&mut self, root: PageNo, mut each: impl FnMut(&Row) -> Result<(), E>) -> Result<(), E> {
        let mut is_table = None;
        let mut pending = vec![root];
        while let Some(no) = pending.pop() {
            if self.used.contains(no) {
                continue;
            }
            let Some(bytes) = self.source.page(no) else { continue };
            let Some(page) = TreePage::new(no, &bytes, &self.geometry) else { continue };
            if *is_table.get_or_insert(page.kind().is_table()) != page.kind().is_table() {
                continue;
            }
            self.used.insert(no);
            for row in page.rows(self.source, &mut self.used) {
                each(&row)?;
            }
            pending.extend(page.children().into_iter().rev());
        }
        Ok(())
    }

    /// Calls `each` with the rows of all B-tree pages that were not visited, page by page. The pages stay unvisited, so that the rows can
    /// be read again.
    ///
    /// # Errors
    /// The first error of `each`, which ends the read.
    pub fn lost_rows<E>(&self, mut each: impl FnMut(&LostRow) -> Result<(), E>) -> Result<(), E> {
        let parents = self.lost_parents();
        let mut taken = self.used.clone();
        for no in self.lost_pages() {
            let Some(bytes) = self.source.page(no) else { continue };
            let Some(page) = TreePage::new(no, &bytes, &self.geometry) else { continue };
            let root = topmost(&parents, no);
            for row in page.rows(self.source, &mut taken) {
                each(&LostRow { root, page: no, row })?;
            }
        }
        Ok(())
    }

    fn lost_pages(&self) -> impl Iterator<Item = PageNo> + '_ {
        (1..=self.source.count()).filter_map(PageNo::new).filter(|no| !self.used.contains(*no))
    }

    /// The parents of unreachable pages.
    fn lost_parents(&self) -> HashMap<PageNo, PageNo> {
        let mut parents = HashMap::new();
        for no in self.lost_pages() {
            let Some(bytes) = self.source.page(no) else { continue };
            let Some(page) = TreePage::new(no, &bytes, &self.geometry) else { continue };
            for child in page.children().into_iter().filter(|child| child.get() <= self.source.count()) {
                parents.entry(child).or_insert(no);
            }
        }
        parents
    }
}

/// The deepest tree: with two children a page, a deeper one would have more pages than a file can have.
const DEPTH_MAX: usize = 40;

/// The topmost ancestor of this page. A cycle of pages is cut off at the depth of the deepest tree.
fn topmost(parents: &HashMap<PageNo, PageNo>, no: PageNo) -> PageNo {
    let above = std::iter::successors(Some(no), |page| parents.get(page).copied());
    above.take(DEPTH_MAX).last().unwrap_or(no)
}

#[cfg(test)]
mod tests;
