//! Sizes of tables without ANALYZE's statistics, measured on their trees.
//!
//! The planner cannot read files. A join over tables of unknown size is planned as if all had the same size (as in
//! SQLite), and their trees are recorded as [wanted](Wanted); the connection measures them and lets the statement be
//! compiled again if one of them is large: small tables are joined as fast in any order, in SQLite's as well as in
//! another.

use std::cell::{Cell, RefCell};

use hashbrown::HashMap;
use lithe_base::Db;
use lithe_format::PageNo;

use super::Table;

/// A table with at least so many rows counts as large.
pub const LARGE: u64 = 10_000;

/// A tree whose size is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its database.
    pub db: Db,
    /// Its root page.
    pub root: PageNo,
    /// How many columns its keys have; 0 if it is a table with rowids.
    pub columns: usize,
    /// Whether the tree holds the rows of a table.
    pub is_table: bool,
}

/// The measured statistics of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// About so many entries.
    pub rows: u64,
    /// `equal_rows[i]`: about so many entries are equal in the first i + 1 columns.
    pub equal_rows: Vec<u64>,
    /// About so many different values are in each column of a table with rowids.
    pub distinct: Vec<u64>,
    /// Whether rows that are neighbours in the index are so in the table, too.
    pub is_clustered: bool,
}

/// The measured statistics of a connection's trees.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    trees: HashMap<(Db, PageNo), Measure>,
}

/// Trees whose sizes the planner lacks.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    trees: RefCell<Vec<Tree>>,
    is_asked: Cell<bool>,
}

impl Measures {
    /// The statistics of a tree.
    pub fn of(&self, db: Db, root: Option<PageNo>) -> Option<&Measure> {
        self.trees.get(&(db, root?))
    }

    /// Stores the statistics of a tree.
    pub fn set(&mut self, tree: Tree, measure: Measure) {
        self.trees.insert((tree.db, tree.root), measure);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.trees.clear();
    }
}

impl Wanted {
    /// Notes that the plan depends on sizes, whether they are known or not.
    pub fn note_asked(&self) {
        self.is_asked.set(true);
    }

    /// Whether the plan depends on sizes.
    pub fn is_asked(&self) -> bool {
        self.is_asked.get()
    }

    /// Adds all trees of a table.
    pub fn add(&self, db: Db, table: &Table) {
        let Some(root) = table.root else { return };
        let mut trees = self.trees.borrow_mut();
        if trees.iter().any(|tree| tree.db == db && tree.root == root) {
            return;
        }
        if table.has_rowid() {
            trees.push(Tree { db, root, columns: 0, is_table: true });
        }
        for index in &table.indexes {
            let Some(own) = index.root else { continue };
            trees.push(Tree { db, root: own, columns: usize::from(index.key_count), is_table: own == root });
        }
    }

    /// Removes all trees and returns them.
    pub fn take(&self) -> Vec<Tree> {
        self.trees.take()
    }
}
