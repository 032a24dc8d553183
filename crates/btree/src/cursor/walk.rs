//! First, last, next, previous, count.

use super::{Cursor, Neighbour, State};
use crate::btree::Btree;
use crate::error::{Result, corrupt};
use crate::node::{MAX_DEPTH, Node, TreeKind};

impl Cursor {
    /// Goes to the first entry; `false` if there is none.
    pub fn first(&mut self, btree: &Btree) -> Result<bool> {
        self.start(btree)?;
        let Some(root) = self.path.get_mut(0) else { return Ok(false) };
        root.index = 0;
        self.path.truncate(1);
        self.descend_leftmost(btree)
    }

    /// Goes to the last entry; `false` if there is none.
    #[inline]
    pub fn last(&mut self, btree: &Btree) -> Result<bool> {
        if self.at_last && matches!(self.state, State::Row | State::Written) && self.path.is_fresh(btree) {
            return Ok(true);
        }
        self.go_to_last(btree)
    }

    fn go_to_last(&mut self, btree: &Btree) -> Result<bool> {
        self.start(btree)?;
        let Some(root) = self.path.get_mut(0) else { return Ok(false) };
        root.index = root.node.cell_count;
        self.path.truncate(1);
        self.at_last = self.descend_rightmost(btree)?;
        Ok(self.at_last)
    }

    /// Goes to the next entry; `false` past the last one, or if the cursor stood nowhere.
    #[inline]
    pub fn next(&mut self, btree: &Btree) -> Result<bool> {
        if self.state == State::Row
            && self.path.is_fresh(btree)
            && let Some(level) = self.path.last_mut()
            && level.index + 1 < level.node.cell_count
            && level.node.is_leaf()
        {
            level.index += 1;
            self.row = None;
            return Ok(true);
        }
        self.assert_cursor_state();
        self.next_page(btree)
    }

    /// Goes to the entry before; `false` before the first one, or if the cursor stood nowhere.
    #[inline]
    pub fn previous(&mut self, btree: &Btree) -> Result<bool> {
        if self.state == State::Row
            && self.path.is_fresh(btree)
            && let Some(level) = self.path.last_mut()
            && level.index > 0
            && level.node.is_leaf()
        {
            level.index -= 1;
            self.row = None;
            self.at_last = false;
            return Ok(true);
        }
        self.assert_cursor_state();
        self.previous_page(btree)
    }

    /// The number of entries of the tree, found without decoding any. The cursor ends nowhere.
    pub fn count(&mut self, btree: &Btree) -> Result<u64> {
        self.assert_cursor_state();
        self.start(btree)?;
        let Some(root) = self.path.first() else { return Ok(0) };
        let root = root.node.clone();
        let mut pages = btree.pager().page_count();
        self.count_below(btree, &root, 1, &mut pages)
    }

    /// The number of entries on `node` and below. `node` is at level `depth`, counted from 1 at the root, and `pages` pages
    /// have not been counted yet.
    fn count_below(&self, btree: &Btree, node: &Node, depth: usize, pages: &mut u32) -> Result<u64> {
        if node.is_leaf() {
            return Ok(u64::from(node.cell_count));
        }
        let more = u32::try_from(node.count() + 1).ok().and_then(|children| pages.checked_sub(children));
        *pages = more.ok_or_else(|| corrupt(self.path.root, "tree with more pages than there are"))?;
        if depth >= MAX_DEPTH {
            return Err(corrupt(self.path.root, "tree deeper than any"));
        }
        let own = if self.kind() == TreeKind::Index { node.count() as u64 } else { 0 };
        (0..=node.count()).try_fold(own, |count, index| {
            let child = Node::load(btree, node.child(index)?, self.kind())?;
            if child.cell_count == 0 {
                return Err(child.corrupt("page without cells below the root"));
            }
            Ok(count + self.count_below(btree, &child, depth + 1, pages)?)
        })
    }

    /// The common beginning of all absolute movements.
    fn start(&mut self, btree: &Btree) -> Result<()> {
        self.state = State::Nowhere;
        self.at_last = false;
        self.removed_before = None;
        self.row = None;
        self.enter_root(btree)
    }

    #[inline(never)]
    fn next_page(&mut self, btree: &Btree) -> Result<bool> {
        self.synchronise(btree)?;
        match self.state {
            State::Nowhere | State::Written | State::Lost => return Ok(false),
            State::Gap(Neighbour::After) => {
                self.state = State::Row;
                return Ok(true);
            }
            State::Gap(Neighbour::Before) | State::Row => {}
        }
        self.row = None;
        self.at_last = false;
        self.state = State::Nowhere; // until the next entry has been found without an error
        let level = self.here_mut();
        if !level.node.is_leaf() {
            level.index += 1; // from an entry on an interior page to the subtree after it
            return self.descend_leftmost(btree);
        }
        if level.index + 1 < level.node.cell_count {
            level.index += 1;
            self.state = State::Row;
            return Ok(true);
        }
        self.ascend_forwards(btree)
    }

    /// Goes from the last cell of a leaf to the first ancestor that has more to the right.
    fn ascend_forwards(&mut self, btree: &Btree) -> Result<bool> {
        while self.path.len() > 1 {
            self.path.pop();
            let kind = self.kind();
            let level = self.here_mut();
            if level.index >= level.node.cell_count {
                continue;
            }
            if kind == TreeKind::Index {
                self.state = State::Row;
                return Ok(true);
            }
            level.index += 1;
            return self.descend_leftmost(btree);
        }
        Ok(false)
    }

    #[inline(never)]
    fn previous_page(&mut self, btree: &Btree) -> Result<bool> {
        self.synchronise(btree)?;
        match self.state {
            State::Nowhere | State::Written | State::Lost => return Ok(false),
            State::Gap(Neighbour::Before) => {
                self.state = State::Row;
                return Ok(true);
            }
            State::Gap(Neighbour::After) | State::Row => {}
        }
        self.row = None;
        self.at_last = false;
        self.state = State::Nowhere;
        let level = self.here_mut();
        if !level.node.is_leaf() {
            return self.descend_rightmost(btree);
        }
        if level.index > 0 {
            level.index -= 1;
            self.state = State::Row;
            return Ok(true);
        }
        self.ascend_backwards(btree)
    }

    fn ascend_backwards(&mut self, btree: &Btree) -> Result<bool> {
        while self.path.len() > 1 {
            self.path.pop();
            let kind = self.kind();
            let level = self.here_mut();
            if level.index == 0 {
                continue;
            }
            level.index -= 1;
            if kind == TreeKind::Index {
                self.state = State::Row;
                return Ok(true);
            }
            return self.descend_rightmost(btree);
        }
        Ok(false)
    }

    fn descend_leftmost(&mut self, btree: &Btree) -> Result<bool> {
        let is_there = self.path.descend_leftmost(btree)?;
        Ok(self.stand_if(is_there))
    }

    pub(super) fn descend_rightmost(&mut self, btree: &Btree) -> Result<bool> {
        let is_there = self.path.descend_rightmost(btree)?;
        Ok(self.stand_if(is_there))
    }

    fn stand_if(&mut self, on_entry: bool) -> bool {
        if on_entry {
            self.state = State::Row;
        }
        on_entry
    }
}
