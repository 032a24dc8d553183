//! Whole trees: making, emptying, removing.

use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::{Error, Result, corrupt};
use crate::node::{MAX_DEPTH, Node, TreeKind};
use crate::overflow;
use crate::relocate::Mover;
use lithe_format::cell::PayloadSpan;
use lithe_format::db_header::Meta;
use lithe_format::ptrmap::PtrmapType;
use lithe_format::{PageNo, cell};

/// The most bytes of long keys that are remembered when a tree is emptied.
const REMEMBERED_MAX: usize = 1 << 20;

/// A tree that is being emptied.
struct Clearing {
    root: PageNo,
    kind: TreeKind,
    /// The number of entries so far.
    cleared: u64,
    /// Bytes of long keys that were remembered.
    remembered: usize,
}

impl Btree {
    /// Makes an empty tree and answers its root.
    ///
    /// In an auto-vacuum database the roots are the first pages of the file, so that no root has to move when the file
    /// shrinks: the page after the last root is moved elsewhere.
    pub fn create_tree(&self, kind: TreeKind) -> Result<PageNo> {
        assert!(self.pager().is_writing(), "a tree is made within a write transaction");
        self.initialise()?;
        let root = if self.auto_vacuum()? { self.free_place_for_root()? } else { self.allocate()? };
        drop(EditPage::create(self, self.new_page(root)?, kind.leaf()));
        if self.auto_vacuum()? {
            self.put_ptrmap(root, PtrmapType::Root, None)?;
            self.set_meta(Meta::LargestRoot, root.get())?;
        }
        self.all_changed();
        Ok(root)
    }

    /// Deletes all entries of the tree at `root`, which may be of either kind, and answers how many there were.
    pub fn clear_tree(&self, root: PageNo) -> Result<u64> {
        assert!(self.pager().is_writing(), "a tree is emptied within a write transaction");
        let kind = self.tree_kind(root)?;
        let mut clearing = Clearing { root, kind, cleared: 0, remembered: 0 };
        self.clear_page(root, 0, &mut clearing)?;
        drop(EditPage::create(self, self.write(root)?, kind.leaf()));
        self.all_changed();
        Ok(clearing.cleared)
    }

    /// Removes the tree at `root`. In an auto-vacuum database the tree with the largest root may move to the page
    /// `root`: then the answer is the former root, and the caller must use `root` for that tree from now on.
    pub fn drop_tree(&self, root: PageNo) -> Result<Option<PageNo>> {
        if root == PageNo::FIRST {
            return Err(Error::Misuse("the schema table is not dropped"));
        }
        self.clear_tree(root)?;
        if !self.auto_vacuum()? {
            self.free(root)?;
            return Ok(None);
        }
        let largest = PageNo::new(self.meta(Meta::LargestRoot)?);
        let largest = largest.filter(|largest| root <= *largest);
        let largest = largest.ok_or_else(|| corrupt(root, "root larger than the largest root"))?;
        if largest != root {
            Mover::new(self).relocate(largest, root)?;
        }
        self.free(largest)?;
        assert!(largest >= root, "the largest root is no smaller than another");
        let geometry = self.ptrmap_geometry();
        let mut before = largest.get() - 1;
        while PageNo::new(before).is_some_and(|no| no > PageNo::FIRST && !geometry.is_content(no)) {
            before -= 1;
        }
        self.set_meta(Meta::LargestRoot, before)?;
        self.all_changed();
        Ok((largest != root).then_some(largest))
    }

    /// The kind of the tree whose root is page `root`.
    pub fn tree_kind(&self, root: PageNo) -> Result<TreeKind> {
        let header = self.header(&self.page(root)?, root)?;
        Ok(if header.kind.is_table() { TreeKind::Table } else { TreeKind::Index })
    }

    /// Frees everything below page `no`, but not the page itself.
    fn clear_page(&self, no: PageNo, depth: usize, clearing: &mut Clearing) -> Result<()> {
        if depth >= MAX_DEPTH {
            return Err(corrupt(no, "tree deeper than any"));
        }
        let node = Node::load(self, no, clearing.kind)?;
        let limits = self.limits(node.kind);
        for index in 0..node.count() {
            if !node.is_leaf() {
                self.clear_child(&node, index, depth, clearing)?;
            }
            let at = node.cell_at(index)?;
            let span = cell::read_payload(&node.page, at, node.kind, &limits);
            let span = span.ok_or_else(|| node.corrupt("cell outside the page"))?;
            if let Some(span) = span.filter(|span| span.overflows()) {
                self.clear_chain(&node, span, clearing)?;
            }
        }
        if !node.is_leaf() {
            self.clear_child(&node, node.count(), depth, clearing)?;
        }
        if node.is_leaf() || clearing.kind == TreeKind::Index {
            clearing.cleared += u64::from(node.cell_count);
        }
        Ok(())
    }

    /// Frees the overflow pages of a cell. Cursors may stand on the entries of an index, and seek them again: see `lost_keys`.
    fn clear_chain(&self, node: &Node, span: PayloadSpan, clearing: &mut Clearing) -> Result<()> {
        let first = span.overflow_page(&node.page).ok_or_else(|| node.corrupt("overflow page 0"))?;
        let capacity = REMEMBERED_MAX.saturating_sub(clearing.remembered);
        if clearing.kind == TreeKind::Index && span.len as usize <= capacity {
            let mut record = Vec::new();
            // A key that cannot be read is damaged; a cursor that stands on it will report that.
            if overflow::read_whole(self, &node.page, node.no, span, &mut record).is_ok() {
                clearing.remembered += record.len();
                self.lost_keys.remember(clearing.root, first, self.version(clearing.root), record);
            }
        }
        overflow::free_chain(self, first, span.len - span.local)
    }

    fn clear_child(&self, node: &Node, index: usize, depth: usize, clearing: &mut Clearing) -> Result<()> {
        let child = node.child(index)?;
        self.clear_page(child, depth + 1, clearing)?;
        self.free(child)
    }
}
