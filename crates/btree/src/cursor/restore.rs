//! Finding the row again after the tree has changed under the cursor.

use super::{Cursor, Neighbour, Seek, State};
use crate::btree::Btree;
use crate::error::Result;
use crate::key::{Prefix, SearchKey, with_entry_as_key};
use crate::overflow;
use std::sync::Arc;

impl Cursor {
    /// Brings the cursor up to date after writes through other cursors, savepoints rolled back, and
    /// the like. True if it stands on its row; false if the row is gone (the cursor then stands in
    /// the gap, and `next` and `previous` skip nothing) or if it stood nowhere.
    #[inline]
    pub fn restore(&mut self, btree: &Btree) -> Result<bool> {
        self.synchronise(btree)?;
        Ok(self.state == State::Row)
    }

    #[inline]
    pub(super) fn synchronise(&mut self, btree: &Btree) -> Result<()> {
        if self.version == btree.version(self.root) && self.state != State::Lost {
            return Ok(());
        }
        self.find_again(btree)
    }

    #[inline(never)]
    fn find_again(&mut self, btree: &Btree) -> Result<()> {
        match self.state {
            State::Nowhere => return Ok(()),
            State::Row | State::Gap(_) if self.path_is_current(btree) => {
                self.version = btree.version(self.root);
                return Ok(());
            }
            State::Row | State::Gap(_) => self.save_key(btree)?,
            State::Lost => {}
        }
        let before = self.state;
        let seek = match &self.key_info {
            None => {
                let rowid = self.parse()?.rowid;
                self.state = State::Nowhere;
                self.seek_rowid(btree, rowid)?
            }
            Some(info) => {
                let info = Arc::clone(info);
                let entry = std::mem::take(&mut self.saved_key);
                let seek = with_entry_as_key(&info, &entry, |values| {
                    self.seek_key(btree, &SearchKey::new(&info, values, Prefix::Equal))
                });
                self.saved_key = entry;
                seek.map_err(|malformed| crate::error::corrupt(self.root, malformed.0))??
            }
        };
        self.state = match (seek, before) {
            (Seek::Empty, _) => State::Nowhere,
            (Seek::Exact, State::Gap(neighbour)) => State::Gap(neighbour),
            (Seek::Exact, _) => State::Row,
            (Seek::Less, _) => State::Gap(Neighbour::Before),
            (Seek::Greater, _) => State::Gap(Neighbour::After),
        };
        Ok(())
    }

    /// A page that is what it was points to the children it had: if all pages of the path are
    /// current, from the root down, so is the path.
    fn path_is_current(&self, btree: &Btree) -> bool {
        let pager = btree.pager();
        self.path.iter().all(|level| pager.is_current(level.node.no, &level.node.page))
    }

    /// Keeps what is needed to seek the entry, from the old page that the path still holds.
    pub(super) fn save_key(&mut self, btree: &Btree) -> Result<()> {
        let row = self.parse()?;
        if self.key_info.is_some() {
            let mut entry = std::mem::take(&mut self.saved_key);
            let node = &self.here().node;
            let whole = overflow::read_whole(btree, &node.page, node.no, row.span, &mut entry);
            self.saved_key = entry;
            whole?;
        }
        Ok(())
    }
}
