//! Estimates for planners: about how many entries a tree has, and how many of them share their first columns.
//!
//! A few paths are followed from the root, spread evenly over its children. The fan-outs met on the way, multiplied, give
//! the number of entries; the leaves at the ends show how often the first columns change from one entry to the next.
//!
//! ```text
//!             root            children of the root
//!       ┌──┬──┴┬───┬──┐      × children of the pages below, on average
//!          ▼       ▼         × entries of the leaves, on average
//!        leaf     leaf       = entries of the tree
//! ```

use crate::btree::Btree;
use crate::error::Result;
use crate::node::{MAX_DEPTH, Node, TreeKind};
use lithe_format::PageNo;
use lithe_format::cell;
use lithe_format::payload::Limits;
use lithe_format::record;
use lithe_value::ValueRef;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

/// The number of paths that are followed in an index, where entries of leaves are read, and in a table, where they are
/// only counted.
const INDEX_PATHS: usize = 12;
const TABLE_PATHS: usize = 6;
/// The most rows of each leaf of a table that are read.
const TABLE_LEAF_ROWS: usize = 32;
/// On a leaf of an index, entries so far apart are compared: if they are equal, so is every entry between them.
const GAP: usize = 8;
/// On each leaf, all entries are read in so many of the gaps at whose ends entries differ, to see how often they change in such a gap.
const GAPS_READ: usize = 2;

/// Rows whose rowids differ by no more than this are probably on the same page, or on the next.
const CLOSE: u64 = 16;

/// Estimates for a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The approximate number of entries.
    pub rows: u64,
    /// `equal_rows[i]`: the approximate number of entries that have the same values in the first i + 1 columns. Empty
    /// for a table.
    pub equal_rows: Vec<u64>,
    /// The approximate number of different values in each column of a table. Empty for an index.
    pub distinct: Vec<u64>,
    /// Neighbours in this index mostly are neighbours in the table, too.
    pub is_clustered: bool,
}

/// About how many rows the table with this root has.
pub fn table(btree: &Btree, root: PageNo) -> Result<Estimate> {
    let mut sample = Sample::new(0);
    sample.samples_values = true;
    sample.follow(btree, root, TreeKind::Table, TABLE_PATHS)?;
    Ok(sample.estimate())
}

/// About how many entries the index with this root has, and how many share their first 1 … `columns` columns.
pub fn index(btree: &Btree, root: PageNo, columns: usize) -> Result<Estimate> {
    let mut sample = Sample::new(columns);
    sample.follow(btree, root, TreeKind::Index, INDEX_PATHS)?;
    Ok(sample.estimate())
}

/// What was read so far.
struct Sample {
    /// For each level the number of pages read, and of children or entries on them.
    levels: [(u64, u64); MAX_DEPTH],
    /// Of a table: hashes of the values of each column.
    values: Vec<Vec<u64>>,
    samples_values: bool,
    /// Pairs of neighbours on a leaf that were compared, or are known to be equal.
    pairs: u64,
    /// How many neighbours were compared, and how many of these lead to rowids close to each other.
    compared: u64,
    close: u64,
    /// How often the first i + 1 columns change.
    columns: Vec<Changes>,
}

/// How often the first columns of an index change from one entry to the next.
#[derive(Clone, Default)]
struct Changes {
    /// In the gaps that were read.
    seen: u64,
    /// Gaps with changes that were read, and that were not.
    gaps_read: u64,
    gaps_left_out: u64,
}

impl Changes {
    /// The approximate number in all gaps: those that were not read have as many as those that were.
    fn all(&self) -> u64 {
        self.seen + (self.gaps_left_out * self.seen).checked_div(self.gaps_read).unwrap_or(self.gaps_left_out)
    }
}

impl Sample {
    fn new(columns: usize) -> Sample {
        Sample {
            levels: [(0, 0); MAX_DEPTH],
            values: Vec::new(),
            samples_values: false,
            pairs: 0,
            compared: 0,
            close: 0,
            columns: vec![Changes::default(); columns],
        }
    }

    fn follow(&mut self, btree: &Btree, root: PageNo, kind: TreeKind, paths: usize) -> Result<()> {
        let root = Node::load(btree, root, kind)?;
        if root.is_leaf() {
            return self.sample_leaf(btree, 0, &root);
        }
        let children = root.count() + 1;
        self.count_node(0, children);
        let paths = paths.min(children);
        for path in 0..paths {
            let child = root.child((2 * path + 1) * children / (2 * paths))?;
            self.descend(btree, child, kind, path)?;
        }
        Ok(())
    }

    /// Goes from a child of the root to a leaf; the number of the path selects the children, so that not all paths end in
    /// the middle.
    fn descend(&mut self, btree: &Btree, mut no: PageNo, kind: TreeKind, path: usize) -> Result<()> {
        for depth in 1..MAX_DEPTH {
            let node = Node::load(btree, no, kind)?;
            if node.is_leaf() {
                return self.sample_leaf(btree, depth, &node);
            }
            let children = node.count() + 1;
            self.count_node(depth, children);
            no = node.child(children * (path % 4 + 1) / 5)?;
        }
        Ok(())
    }

    fn count_node(&mut self, depth: usize, count: usize) {
        let (pages, all) = &mut self.levels[depth];
        *pages += 1;
        *all += count as u64;
    }

    fn sample_leaf(&mut self, btree: &Btree, depth: usize, leaf: &Node) -> Result<()> {
        self.count_node(depth, leaf.count());
        if self.samples_values {
            return self.sample_rows(btree, leaf);
        }
        self.sample_entries(&Entries { leaf, limits: Limits::index(btree.usable_size()) })
    }

    /// Samples a leaf of an index, gap by gap.
    fn sample_entries(&mut self, entries: &Entries<'_>) -> Result<()> {
        let Some(last) = entries.leaf.count().checked_sub(1) else { return Ok(()) };
        let mut gaps_left = GAPS_READ;
        entries.for_each_pair((0..last).step_by(GAP).chain([last]), |gap, before, after| {
            let (start, end) = (*gap.start(), *gap.end());
            let same = equal_columns(before, after);
            let has_changes = same < self.columns.len();
            let is_read = start == 0 || has_changes && gaps_left > 0;
            self.pairs += (end - start) as u64;
            for column in self.columns.iter_mut().skip(same) {
                *(if is_read { &mut column.gaps_read } else { &mut column.gaps_left_out }) += 1;
            }
            if is_read {
                gaps_left -= usize::from(has_changes);
                entries.for_each_pair(gap, |_, before, after| {
                    self.compare(before, after);
                    Ok(())
                })?;
            }
            Ok(())
        })
    }

    fn sample_rows(&mut self, btree: &Btree, leaf: &Node) -> Result<()> {
        let limits = Limits::table_leaf(btree.usable_size());
        let step = leaf.count().div_ceil(TABLE_LEAF_ROWS).max(1);
        let mut values = Vec::new();
        for index in (0..leaf.count()).step_by(step) {
            let cell = cell::read_table_leaf(&leaf.page, leaf.cell_at(index)?, &limits);
            let span = cell.map(|cell| cell.payload).filter(|span| !span.overflows());
            let local = span.map(|span| &leaf.page[span.range()]);
            if local.is_none_or(|local| record::read_values(local, &mut values).is_err()) {
                continue;
            }
            self.values.resize(self.values.len().max(values.len()), Vec::new());
            for (column, value) in self.values.iter_mut().zip(&values) {
                column.push(hash_of(value));
            }
        }
        Ok(())
    }

    fn compare(&mut self, before: &[ValueRef<'_>], values: &[ValueRef<'_>]) {
        self.compared += 1;
        if let (Some(ValueRef::Integer(a)), Some(ValueRef::Integer(b))) = (before.last(), values.last()) {
            self.close += u64::from(a.abs_diff(*b) <= CLOSE);
        }
        let same = equal_columns(before, values);
        self.columns.iter_mut().skip(same).for_each(|column| column.seen += 1);
    }

    fn estimate(&self) -> Estimate {
        let mut rows = 1_f64;
        for &(pages, all) in self.levels.iter().take_while(|(pages, _)| *pages > 0) {
            rows *= all as f64 / pages as f64;
        }
        let equal = |column: &Changes| (self.pairs + 1).div_ceil(column.all() + 1).min(rows as u64).max(1);
        Estimate {
            rows: rows as u64,
            equal_rows: self.columns.iter().map(equal).collect(),
            distinct: self.values.iter().map(|hashes| distinct_in_all(hashes.clone(), rows as u64)).collect(),
            is_clustered: self.close * 2 > self.compared,
        }
    }
}

/// The entries of a leaf of an index.
struct Entries<'l> {
    leaf: &'l Node,
    limits: Limits,
}

impl<'l> Entries<'l> {
    /// Reads an entry, and answers whether it could be. A payload that is too long to be on the page, or is no record, is left out: this is
    /// an estimate.
    fn read(&self, index: usize, values: &mut Vec<ValueRef<'l>>) -> Result<bool> {
        let leaf = self.leaf;
        let span = cell::read_index(&leaf.page, leaf.cell_at(index)?, leaf.kind, &self.limits);
        let local = span.filter(|span| !span.overflows()).map(|span| &leaf.page[span.range()]);
        Ok(local.is_some_and(|local| record::read_values(local, values).is_ok()))
    }

    /// Calls `f` with the entries at each two successive indexes, if both can be read.
    fn for_each_pair(
        &self,
        indexes: impl Iterator<Item = usize>,
        mut f: impl FnMut(RangeInclusive<usize>, &[ValueRef<'_>], &[ValueRef<'_>]) -> Result<()>,
    ) -> Result<()> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut start = None;
        for index in indexes {
            let end = self.read(index, &mut after)?.then_some(index);
            if let (Some(start), Some(end)) = (start, end) {
                f(start..=end, &before, &after)?;
            }
            std::mem::swap(&mut before, &mut after);
            start = end;
        }
        Ok(())
    }
}

/// In how many columns, from the first on, two entries are equal.
fn equal_columns(before: &[ValueRef<'_>], after: &[ValueRef<'_>]) -> usize {
    before.iter().zip(after).take_while(|(a, b)| a == b).count()
}

/// The approximate number of different values in `rows` rows, estimated from a sample. The number of values that were
/// seen once indicates how many more exist that were not seen: if each was seen again and again, none.
fn distinct_in_all(mut sample: Vec<u64>, rows: u64) -> u64 {
    sample.sort_unstable();
    let groups = || sample.chunk_by(|a, b| a == b);
    let (seen, once) = (groups().count() as u64, groups().filter(|group| group.len() == 1).count() as u64);
    let size = sample.len() as u64;
    let not_once = size - once;
    let all = if size >= rows { seen } else { (seen * size).checked_div(not_once).unwrap_or(rows) };
    all.clamp(1, rows.max(1))
}

fn hash_of(value: &ValueRef<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        ValueRef::Null => 0.hash(&mut hasher),
        ValueRef::Integer(integer) => integer.hash(&mut hasher),
        ValueRef::Real(real) => real.to_bits().hash(&mut hasher),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaps that are not read count as many changes as those that are.
    #[test]
    fn changes_are_guessed_from_some_gaps() {
        let all = |seen, gaps_read, gaps_left_out| Changes { seen, gaps_read, gaps_left_out }.all();
        assert_eq!(all(0, 0, 0), 0, "all entries are equal");
        assert_eq!(all(32, 4, 0), 32, "all of a small leaf");
        assert_eq!(all(32, 4, 30), 272, "all differ");
        assert_eq!(all(4, 4, 6), 10, "one change in each gap");
        assert_eq!(all(0, 0, 3), 3, "at least one");
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn distinct_values_are_guessed_from_a_sample() {
        let check = |sample: Vec<u64>, rows: u64, expected: std::ops::RangeInclusive<u64>| {
            let found = distinct_in_all(sample, rows);
            assert!(expected.contains(&found), "{found} is not in {expected:?}");
        };
        check((0..100).collect(), 10_000, 10_000..=10_000);
        check((0..25).collect(), 25, 25..=25);
        check((0..120).map(|n| n % 3).collect(), 100_000, 3..=3);
        // 150 values, uniformly distributed by a multiplicative generator.
        let spread = |n: u64| (n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n) >> 33) % 150;
        check((1..=120).map(spread).collect(), 20_000, 80..=400);
        check(Vec::new(), 0, 1..=1);
    }
}
