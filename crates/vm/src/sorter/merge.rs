//! Merging sorted runs: a heap of readers, the one with the smallest row on top.
//!
//! At most [`WIDTH_MAX`] runs are merged at once, so that memory stays bounded; with more of them, groups of
//! neighbours are merged into longer runs first. Of equal rows the one from the earlier run comes first.

use std::cmp::Ordering;
use std::sync::Arc;

use lithe_btree::KeyInfo;
use lithe_vfs::File;

use super::run::{RunFile, RunReader};
use crate::error::Error;
use crate::keys::compare_records;

/// How many runs are merged at once: each has a buffer.
const WIDTH_MAX: usize = 32;

/// A merge under way.
#[derive(Debug)]
pub struct Merge {
    key: Arc<KeyInfo>,
    readers: Vec<RunReader>,
    /// A binary heap of indexes into `readers`; a reader at its end is removed.
    heap: Vec<usize>,
}

impl Merge {
    /// A merge of all runs of a file. `new_file` makes files for longer runs, if there are too many.
    pub fn new(
        mut runs: RunFile,
        key: &Arc<KeyInfo>,
        mut new_file: impl FnMut() -> Result<Arc<dyn File>, Error>,
    ) -> Result<Merge, Error> {
        while runs.count() > WIDTH_MAX {
            let mut longer = RunFile::new(new_file()?);
            for first in (0..runs.count()).step_by(WIDTH_MAX) {
                let group = first..(first + WIDTH_MAX).min(runs.count());
                Merge::of(runs.readers(group)?, key).write_to(&mut longer)?;
            }
            runs = longer;
        }
        assert!(runs.count() <= WIDTH_MAX, "more runs than are merged at once");
        let readers = runs.readers(0..runs.count())?;
        Ok(Merge::of(readers, key))
    }

    fn of(readers: Vec<RunReader>, key: &Arc<KeyInfo>) -> Merge {
        let heap = (0..readers.len()).filter(|&index| readers[index].row().is_some()).collect();
        let mut merge = Merge { key: Arc::clone(key), readers, heap };
        for place in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(place);
        }
        merge
    }

    fn write_to(mut self, file: &mut RunFile) -> Result<(), Error> {
        let mut writer = file.writer();
        while let Some((prefix, record)) = self.smallest() {
            writer.row(prefix, record)?;
            self.next()?;
        }
        let run = writer.finish()?;
        file.add(run);
        Ok(())
    }

    /// The smallest row.
    #[inline]
    pub fn row(&self) -> Option<&[u8]> {
        self.smallest().map(|(_, record)| record)
    }

    #[inline]
    fn smallest(&self) -> Option<(u64, &[u8])> {
        self.readers[*self.heap.first()?].row()
    }

    /// Goes past the smallest row; false if there is none after it.
    pub fn next(&mut self) -> Result<bool, Error> {
        let Some(&top) = self.heap.first() else {
            return Ok(false);
        };
        assert!(self.heap.len() <= self.readers.len(), "each run stands once in the heap");
        self.readers[top].next()?;
        if self.readers[top].row().is_none() {
            self.heap.swap_remove(0);
        }
        self.sift_down(0);
        Ok(!self.heap.is_empty())
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let children = 2 * place + 1..(2 * place + 3).min(self.heap.len());
            let Some(child) = children.min_by(|&a, &b| self.compare(a, b)) else {
                return;
            };
            if self.compare(place, child).is_le() {
                return;
            }
            self.heap.swap(place, child);
            place = child;
        }
    }

    fn compare(&self, left: usize, right: usize) -> Ordering {
        let (left, right) = (self.heap[left], self.heap[right]);
        let row = |reader: usize| self.readers[reader].row().expect("a reader at its end has left the heap");
        let ((a_prefix, a), (b_prefix, b)) = (row(left), row(right));
        let order = a_prefix.cmp(&b_prefix).then_with(|| compare_records(a, b, &self.key));
        order.then(left.cmp(&right))
    }
}
