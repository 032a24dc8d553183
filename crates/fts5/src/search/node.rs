//! AND, OR and NOT: rows out of rows.
//!
//! A node is on a row, or at its end. It is on each row that has all the tokens that must be there, in the order of the
//! scan; whether it *matches* the row, positions decide. [`super::Search`] passes over rows that its root does not match.
//!
//! That a node is on rows without matching is SQLite's way, and can be seen: what a phrase is said to have found in a row
//! (`highlight()`, `bm25()`) is what its leaf has found there, be the leaf part of a match or not. In `a OR NEAR(b c)`, b counts
//! where c is too far away.

use lithe_value::Grow;

use crate::Result;
use crate::query::Expr;

use super::PhraseQuery;
use super::leaf::Leaf;
use super::scan::Scan;

/// A node of a query. The parser bounds its height, so that recursion is bounded.
#[derive(Clone, Debug)]
pub enum Node {
    /// Phrases.
    Leaf(Leaf),
    /// Rows that all have.
    And(Group),
    /// Rows that one has.
    Or(Group),
    /// Rows of the first that the second has not.
    Not(Box<(Node, Node)>),
}

/// Nodes, and the row that they have in common; `None` at the end.
#[derive(Clone, Debug)]
pub struct Group {
    all: Vec<Node>,
    row: Option<i64>,
    is_match: bool,
    is_root: bool,
}

impl Group {
    /// The nodes.
    pub fn all(&self) -> &[Node] {
        &self.all
    }
}

impl Node {
    /// The node for a tree. Its phrases are appended to `phrases`.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn new(expr: Expr, phrases: &mut Vec<PhraseQuery>) -> Result<Node> {
        let group = |all: Vec<Expr>, phrases: &mut _| -> Result<Group> {
            let mut nodes = Vec::new();
            nodes.try_grow(all.len())?;
            for one in all {
                nodes.push(Node::new(one, phrases)?);
            }
            Ok(Group { all: nodes, row: None, is_match: false, is_root: false })
        };
        Ok(match expr {
            Expr::Near(near) => Node::Leaf(Leaf::new(near, phrases)?),
            Expr::And(all) => Node::And(group(all, phrases)?),
            Expr::Or(all) => Node::Or(group(all, phrases)?),
            Expr::Not(wanted, unwanted) => {
                let wanted = Node::new(*wanted, phrases)?;
                Node::Not(Box::new((wanted, Node::new(*unwanted, phrases)?)))
            }
        })
    }

    /// Makes it the root.
    pub fn into_root(mut self) -> Node {
        if let Node::And(group) | Node::Or(group) = &mut self {
            group.is_root = true;
        }
        self.allow_lateness();
        self
    }

    /// Leaves that match in every row of the query need not find their phrases before an auxiliary function asks for these.
    fn allow_lateness(&mut self) {
        match self {
            Node::Leaf(leaf) => leaf.allow_lateness(),
            Node::And(group) => group.all.iter_mut().for_each(Node::allow_lateness),
            Node::Or(_) | Node::Not(_) => {}
        }
    }

    /// The rowid of the row. None if there is no row (any more).
    pub fn row(&self) -> Option<i64> {
        match self {
            Node::Leaf(leaf) => leaf.row(),
            Node::And(group) | Node::Or(group) => group.row,
            Node::Not(both) => both.0.row(),
        }
    }

    /// Whether the row matches.
    pub fn is_match(&self) -> bool {
        match self {
            Node::Leaf(leaf) => leaf.is_match(),
            Node::And(group) | Node::Or(group) => group.is_match,
            Node::Not(both) => both.0.is_match(),
        }
    }

    /// Goes to the end.
    fn end(&mut self) {
        match self {
            Node::Leaf(leaf) => leaf.end(),
            Node::And(group) | Node::Or(group) => {
                group.row = None;
                group.all.iter_mut().for_each(Node::end);
            }
            Node::Not(both) => {
                both.0.end();
                both.1.end();
            }
        }
    }

    /// Forgets what phrases have found in the row.
    fn forget(&mut self) {
        match self {
            Node::Leaf(leaf) => leaf.forget(),
            Node::And(group) | Node::Or(group) => group.all.iter_mut().for_each(Node::forget),
            Node::Not(both) => {
                both.0.forget();
                both.1.forget();
            }
        }
    }

    /// Goes to the first row.
    pub fn open(&mut self, scan: &Scan<'_>, has_token_data: bool) -> Result {
        match self {
            Node::Leaf(leaf) => return leaf.open(scan, has_token_data),
            Node::And(group) | Node::Or(group) => {
                group.all.iter_mut().try_for_each(|one| one.open(scan, has_token_data))?;
            }
            Node::Not(both) => {
                both.0.open(scan, has_token_data)?;
                both.1.open(scan, has_token_data)?;
                if both.0.row().is_none() {
                    return Ok(());
                }
            }
        }
        self.settle(scan)?;
        if let Node::Or(Group { row: None, .. }) = self {
            self.end();
        }
        Ok(())
    }

    /// Goes to the next row.
    pub fn next(&mut self, scan: &Scan<'_>) -> Result {
        match self {
            Node::Leaf(leaf) => return leaf.next(scan),
            Node::And(group) => {
                if let Some(first) = group.all.first_mut() {
                    first.next(scan)?;
                }
            }
            Node::Or(Group { all, row, .. }) => {
                all.iter_mut().filter(|one| one.row() == *row).try_for_each(|one| one.next(scan))?;
            }
            Node::Not(both) => both.0.next(scan)?,
        }
        self.settle(scan)
    }

    /// Goes to the first row that is not before `rowid`. Never goes back.
    pub fn seek(&mut self, scan: &Scan<'_>, rowid: i64) -> Result {
        if self.row().is_none_or(|row| !scan.is_before(row, rowid)) {
            return Ok(());
        }
        match self {
            Node::Leaf(leaf) => return leaf.seek(scan, rowid),
            Node::And(group) => {
                if let Some(first) = group.all.first_mut() {
                    first.seek(scan, rowid)?;
                }
            }
            Node::Or(group) => group.all.iter_mut().try_for_each(|one| one.seek(scan, rowid))?,
            Node::Not(both) => both.0.seek(scan, rowid)?,
        }
        self.settle(scan)
    }

    /// Called after children have moved: moves to a row on which the node can be.
    fn settle(&mut self, scan: &Scan<'_>) -> Result {
        match self {
            Node::Leaf(_) => {}
            Node::And(Group { all, row, is_match, is_root }) => {
                *row = meet(all, scan)?;
                *is_match = all.iter().all(Node::is_match);
                match (row, *is_match || *is_root) {
                    (None, _) => self.end(),
                    (_, false) => self.forget(),
                    _ => {}
                }
            }
            Node::Or(Group { all, row, is_match, .. }) => {
                *row = all.iter().filter_map(Node::row).min_by(|one, other| scan.compare(*one, *other));
                *is_match = all.iter().any(|one| one.row() == *row && one.is_match());
            }
            Node::Not(both) => {
                let (wanted, unwanted) = &mut **both;
                while let Some(row) = wanted.row() {
                    unwanted.seek(scan, row)?;
                    if unwanted.row() != Some(row) || !unwanted.is_match() {
                        break;
                    }
                    wanted.next(scan)?;
                }
                if wanted.row().is_none() {
                    unwanted.forget();
                }
            }
        }
        Ok(())
    }

    /// Whether what a phrase is said to have found may be what it has found in a row before: it is below an OR or a NOT, so that
    /// not every row of the query is one where it matches.
    pub fn depends_on_rows_before(&self, is_optional: bool) -> bool {
        match self {
            Node::Leaf(leaf) => is_optional && !leaf.takes_all(),
            Node::And(group) => group.all.iter().any(|one| one.depends_on_rows_before(is_optional)),
            Node::Or(group) => group.all.iter().any(|one| one.depends_on_rows_before(true)),
            Node::Not(both) => both.0.depends_on_rows_before(is_optional) || both.1.depends_on_rows_before(true),
        }
    }

    /// The leaf with a phrase of the query, if it is on `row`.
    pub fn leaf(&self, row: i64, phrase: usize) -> Option<&Leaf> {
        match self {
            Node::Leaf(leaf) => (leaf.row() == Some(row) && leaf.has(phrase)).then_some(leaf),
            Node::And(group) | Node::Or(group) => group.all.iter().find_map(|one| one.leaf(row, phrase)),
            Node::Not(both) => both.0.leaf(row, phrase).or_else(|| both.1.leaf(row, phrase)),
        }
    }

    /// The same, without the nodes behind a NOT whose other side has no row (any more).
    pub fn evaluated_leaf(&self, row: i64, phrase: usize) -> Option<&Leaf> {
        match self {
            Node::Leaf(_) => self.leaf(row, phrase),
            Node::And(group) | Node::Or(group) => group.all.iter().find_map(|one| one.evaluated_leaf(row, phrase)),
            Node::Not(both) if both.0.row().is_none() => None,
            Node::Not(both) => both.0.evaluated_leaf(row, phrase).or_else(|| both.1.evaluated_leaf(row, phrase)),
        }
    }
}

/// Moves nodes on until all are on one row. None: one of them is at its end.
fn meet(all: &mut [Node], scan: &Scan<'_>) -> Result<Option<i64>> {
    let Some(mut row) = all.first().and_then(Node::row) else { return Ok(None) };
    loop {
        let wanted = row;
        for one in &mut *all {
            one.seek(scan, row)?;
            match one.row() {
                Some(found) => row = found,
                None => return Ok(None),
            }
        }
        if row == wanted {
            return Ok(Some(row));
        }
    }
}
