//! What a look at the trees themselves says about tables that ANALYZE has not counted.
//!
//! The planner cannot read files. A join over tables of unknown size is planned as if all were alike (as SQLite does) and
//! its trees are noted as [wanted](Wanted); the connection measures them and lets the statement be compiled again
//! if one of them is large: small tables are joined as fast in any order, in SQLite's as well as in another.

use std::cell::RefCell;

use hashbrown::HashMap;
use lithe_base::Db;
use lithe_format::PageNo;

use super::Table;

/// The rows from which on a table counts as large.
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
    /// Whether the tree has the rows of a table.
    pub is_table: bool,
}

/// What was measured of a tree.
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

/// What was measured of a connection's trees.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    trees: HashMap<(Db, PageNo), Measure>,
}

/// Trees that the planner would like to know more about.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    trees: RefCell<Vec<Tree>>,
}

impl Measures {
    /// What is known about a tree.
    pub fn of(&self, db: Db, root: Option<PageNo>) -> Option<&Measure> {
        self.trees.get(&(db, root?))
    }

    /// A tree was measured.
    pub fn set(&mut self, tree: Tree, measure: Measure) {
        self.trees.insert((tree.db, tree.root), measure);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.trees.clear();
    }
}

impl Wanted {
    /// All trees of a table are wanted.
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

    /// The trees that were wanted. None is wanted any more.
    pub fn take(&self) -> Vec<Tree> {
        self.trees.take()
    }
}
