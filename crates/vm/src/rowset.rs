//! A set of rowids: either collected and read in order, or tested one by one.

use hashbrown::HashSet;

/// The set of RowSetAdd, RowSetRead and RowSetTest. A program uses a set in one of the two ways.
#[derive(Debug, Default)]
pub struct RowSet {
    /// The rowids added; sorted, without duplicates, once reading has begun.
    added: Vec<i64>,
    /// The index of the next to be read, once reading has begun.
    next: Option<usize>,
    /// The rowids tested in earlier batches.
    tested: HashSet<i64>,
    /// The rowids tested in this batch, and not found.
    batch: Vec<i64>,
}

impl RowSet {
    /// Adds a rowid to be read later.
    pub fn add(&mut self, rowid: i64) {
        debug_assert!(self.next.is_none(), "rowid added after the first was read");
        self.added.push(rowid);
    }

    /// The smallest rowid not read yet.
    pub fn read(&mut self) -> Option<i64> {
        let next = match self.next {
            Some(next) => next,
            None => {
                self.sort();
                0
            }
        };
        self.next = Some(next + 1);
        self.added.get(next).copied()
    }

    /// Sorts the rowids, which usually come from a scan in order already.
    fn sort(&mut self) {
        if !self.added.is_sorted() {
            self.added.sort_unstable();
        }
        self.added.dedup();
    }

    /// Whether `rowid` was tested in a batch before this one.
    pub fn test(&mut self, rowid: i64) -> bool {
        let was_tested = self.tested.contains(&rowid);
        if !was_tested {
            self.batch.push(rowid);
        }
        was_tested
    }

    /// Begins another batch.
    pub fn begin_batch(&mut self) {
        self.tested.extend(self.batch.drain(..));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_in_order_and_once() {
        let mut set = RowSet::default();
        for rowid in [5, -3, 5, i64::MAX, 0, -3] {
            set.add(rowid);
        }
        let read: Vec<i64> = std::iter::from_fn(|| set.read()).collect();
        assert_eq!(read, [-3, 0, 5, i64::MAX]);
        assert_eq!(set.read(), None);
    }

    #[test]
    fn tested_against_batches_before() {
        let mut set = RowSet::default();
        let tested: Vec<bool> = [1, 2, 1].into_iter().map(|rowid| set.test(rowid)).collect();
        assert_eq!(tested, [false, false, false]);
        set.begin_batch();
        let tested: Vec<bool> = [1, 3, 2, 3].into_iter().map(|rowid| set.test(rowid)).collect();
        assert_eq!(tested, [true, false, true, false]);
        set.begin_batch();
        assert!(set.test(3));
    }
}
