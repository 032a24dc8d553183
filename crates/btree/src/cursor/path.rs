//! The path to a position: the pages from the root of the tree to the one on which a cursor stands, and the version of the tree for
//! which they are current.
//!
//! ```text
//!   version   counts every change of the tree       if it differs, the leaf has to be checked
//!   shape     counts changes of interior pages      if it differs, the whole path has
//! ```

use crate::balance::Step;
use crate::btree::Btree;
use crate::error::{Result, corrupt};
use crate::node::{MAX_DEPTH, Node, TreeKind};
use crate::search::Range;
use lithe_format::PageNo;
use lithe_pager::{PageRef, Pager};

/// The pages from the root to a position.
pub(super) struct Path {
    pub(super) root: PageNo,
    pub(super) kind: TreeKind,
    /// The tree's version for which the pages are known to be current.
    pub(super) version: u64,
    /// The tree's shape for which the interior pages are known to be current.
    shape: u64,
    /// The rowids that belong on the leaf at the end, if a search led there.
    pub(super) range: Option<Range>,
    levels: Vec<Level>,
}

/// One page of a path, and the index of the cell or child there.
#[derive(Clone)]
pub(super) struct Level {
    pub(super) node: Node,
    pub(super) index: u16,
}

impl Path {
    /// An empty path in the tree at `root`.
    pub(super) fn new(root: PageNo, kind: TreeKind) -> Path {
        Path { root, kind, version: 0, shape: 0, range: None, levels: Vec::new() }
    }

    /// Empties the path and moves it to the tree at `root`. The version and the shape are those of a new path: the counters of two
    /// trees have nothing to do with each other.
    pub(super) fn move_to(&mut self, root: PageNo, kind: TreeKind) {
        self.clear();
        (self.root, self.kind) = (root, kind);
        (self.version, self.shape) = (0, 0);
    }

    /// Whether the tree is unchanged since the pages were read.
    #[inline]
    pub(super) fn is_fresh(&self, btree: &Btree) -> bool {
        self.version == btree.version(self.root)
    }

    /// Whether all pages are current. An unchanged page has the same children: if all pages are current, from the root down, so is the
    /// path.
    pub(super) fn is_current(&self, btree: &Btree) -> bool {
        let pager = btree.pager();
        self.levels.iter().all(|level| pager.is_current(level.node.no, &level.node.page))
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.levels.len()
    }

    /// The root, and the index there.
    pub(super) fn first(&self) -> Option<&Level> {
        self.levels.first()
    }

    /// The last page, and the index there.
    #[inline]
    pub(super) fn last(&self) -> Option<&Level> {
        self.levels.last()
    }

    #[inline]
    pub(super) fn last_mut(&mut self) -> Option<&mut Level> {
        self.levels.last_mut()
    }

    /// The reference to the last page, to be lent to a writer of that page, if it `is_held` here.
    #[inline]
    pub(super) fn held_page(&mut self, is_held: bool) -> Option<&mut PageRef> {
        if is_held { self.levels.last_mut().map(|level| &mut level.node.page) } else { None }
    }

    /// The page at `depth`; 0 is the root.
    #[inline]
    pub(super) fn level(&self, depth: usize) -> &Level {
        &self.levels[depth]
    }

    #[inline]
    pub(super) fn level_mut(&mut self, depth: usize) -> &mut Level {
        &mut self.levels[depth]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, depth: usize) -> Option<&mut Level> {
        self.levels.get_mut(depth)
    }

    #[inline]
    pub(super) fn push(&mut self, level: Level) {
        debug_assert!(self.levels.len() < MAX_DEPTH, "a path longer than any tree is deep");
        self.levels.push(level);
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Level> {
        self.levels.pop()
    }

    /// Keeps the first `len` pages.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        self.levels.truncate(len);
    }

    pub(super) fn clear(&mut self) {
        self.levels.clear();
        self.range = None;
    }

    /// Whether the position is that of the last entry of the tree.
    pub(super) fn is_rightmost(&self) -> bool {
        let Some((leaf, above)) = self.levels.split_last() else { return false };
        leaf.index + 1 == leaf.node.cell_count && above.iter().all(|level| level.index == level.node.cell_count)
    }

    /// The path as steps, with `last` at its end. The pages are dropped.
    pub(super) fn take_steps(&mut self, last: Step) -> Vec<Step> {
        let above = self.levels.iter().map(|level| Step { no: level.node.no, index: usize::from(level.index) });
        let steps = above.chain(std::iter::once(last)).collect();
        self.levels.clear();
        steps
    }

    /// Makes the pages private before the bytes of the mapped file change.
    pub(super) fn make_pages_private(&mut self, pager: &Pager) {
        self.levels.iter_mut().for_each(|level| pager.make_private(&mut level.node.page));
    }

    /// Reads the pages anew that are mapped and of a transaction that has ended. The tree must not have changed since.
    pub(super) fn renew(&mut self, btree: &Btree) -> Result<()> {
        for level in self.levels.iter_mut().filter(|level| !btree.pager().is_intact(&level.node.page)) {
            level.node = Node::load(btree, level.node.no, self.kind)?;
        }
        Ok(())
    }

    /// Drops the leaf at the end.
    #[inline]
    pub(super) fn leave_leaf(&mut self) {
        if self.levels.last().is_some_and(|level| level.node.is_leaf()) {
            self.levels.pop();
        }
    }

    /// Drops pages that may have changed since they were read. Answers whether the root is in the path and current; if not, the
    /// path is empty.
    #[inline]
    pub(super) fn keeps_root(&mut self, btree: &Btree) -> bool {
        let version = btree.version(self.root);
        if self.version != version {
            self.version = version;
            self.range = None;
            let shape = btree.shape(self.root);
            if self.shape == shape {
                // Only leaves have changed: the pages above are current.
                self.leave_leaf();
            } else {
                self.shape = shape;
                self.levels.clear();
            }
        }
        let is_known = self.levels.first().is_some_and(|root| btree.pager().is_intact(&root.node.page));
        if !is_known {
            self.clear();
        }
        is_known
    }

    /// Reads the root, which must be the first page.
    pub(super) fn load_root(&mut self, btree: &Btree) -> Result<()> {
        if btree.pager().page_count() == 0 && self.root == PageNo::FIRST {
            return Ok(()); // a database without pages has an empty schema table
        }
        let node = Node::load(btree, self.root, self.kind)?;
        self.levels.push(Level { node, index: 0 });
        Ok(())
    }

    /// Makes page `no` the page at `depth`. If it is in the path already, nothing is read.
    #[inline]
    pub(super) fn enter(&mut self, btree: &Btree, depth: usize, no: PageNo) -> Result<()> {
        if self.has_entered(btree, depth, no) { Ok(()) } else { self.load(btree, depth, no) }
    }

    /// Whether page `no` is the page at `depth`.
    #[inline]
    pub(super) fn has_entered(&self, btree: &Btree, depth: usize, no: PageNo) -> bool {
        self.levels.get(depth).is_some_and(|level| level.node.no == no && btree.pager().is_intact(&level.node.page))
    }

    pub(super) fn load(&mut self, btree: &Btree, depth: usize, no: PageNo) -> Result<()> {
        let node = Node::load(btree, no, self.kind)?;
        if node.cell_count == 0 {
            return Err(node.corrupt("page without cells below the root"));
        }
        self.put_node(depth, node)
    }

    /// Makes `node` the page at `depth`, and the last one.
    #[inline]
    pub(super) fn put_node(&mut self, depth: usize, node: Node) -> Result<()> {
        if depth >= MAX_DEPTH {
            return Err(corrupt(self.root, "tree deeper than any"));
        }
        debug_assert!(depth <= self.levels.len(), "a path without one of its pages");
        self.range = None;
        let new = Level { node, index: 0 };
        match self.levels.get_mut(depth) {
            Some(level) => {
                *level = new;
                self.levels.truncate(depth + 1);
            }
            None => self.levels.push(new),
        }
        Ok(())
    }

    /// Descends from the child at the last page's index, always left, to the first entry there. Answers whether there
    /// is one.
    pub(super) fn descend_leftmost(&mut self, btree: &Btree) -> Result<bool> {
        while let Some(child) = self.child_below()? {
            self.load(btree, self.levels.len(), child)?;
        }
        Ok(self.levels.last().is_some_and(|leaf| leaf.node.cell_count > 0))
    }

    /// Descends from the child at the last page's index, always right, to the last entry there. Answers whether there
    /// is one.
    pub(super) fn descend_rightmost(&mut self, btree: &Btree) -> Result<bool> {
        while let Some(child) = self.child_below()? {
            self.load(btree, self.levels.len(), child)?;
            if let Some(level) = self.levels.last_mut() {
                level.index = level.node.cell_count;
            }
        }
        let Some(leaf) = self.levels.last_mut() else { return Ok(false) };
        leaf.index = leaf.node.cell_count.saturating_sub(1);
        Ok(leaf.node.cell_count > 0)
    }

    /// The child at the last page's index; `None` on a leaf.
    fn child_below(&self) -> Result<Option<PageNo>> {
        match self.levels.last() {
            Some(Level { node, index }) if !node.is_leaf() => node.child(usize::from(*index)).map(Some),
            _ => Ok(None),
        }
    }
}
