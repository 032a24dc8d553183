//! The evaluation of a query: the rows that match it, and the positions of its phrases in them.

mod deferred;
mod near;
mod phrase;

use std::cell::Cell;
use std::collections::HashMap;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::{collected, copied};
use lithe_vtab::SqlConnection;

use crate::Result;
use crate::doclist::{Position, Positions};
use crate::query::{Expr, Phrase, QueryToken};
use crate::table::Table;
use deferred::Chooser;

/// The rows that have a phrase, ascending, with the positions of its last token.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows.
    pub docids: Vec<i64>,
    /// Where the positions of each row end.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl Rows {
    /// Appends a row with the positions that `write` writes; a row without any is left out.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn push(
        &mut self,
        docid: i64,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let before = self.bytes.len();
        write(&mut self.bytes)?;
        if self.bytes.len() > before {
            self.docids.try_push(docid)?;
            self.ends.try_push(self.bytes.len())?;
        }
        Ok(())
    }

    /// The positions in the row number `at` of the list.
    pub fn positions_at(&self, at: usize) -> Positions<'_> {
        Positions::new(self.bytes_at(at))
    }

    /// The same, as encoded bytes.
    pub fn bytes_at(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The positions in a row.
    pub fn positions(&self, docid: i64) -> Positions<'_> {
        self.docids.binary_search(&docid).map_or_else(|_| Positions::default(), |at| self.positions_at(at))
    }

    /// Whether a row has the phrase.
    pub fn contains(&self, docid: i64) -> bool {
        self.docids.binary_search(&docid).is_ok()
    }

    /// A copy.
    fn copied(&self) -> Result<Rows, OutOfMemory> {
        Ok(Rows { docids: copied(&self.docids)?, ends: copied(&self.ends)?, bytes: copied(&self.bytes)? })
    }

    /// Reverses the rows.
    fn reverse(&mut self) -> Result<(), OutOfMemory> {
        let mut reversed = Rows::default();
        for (at, docid) in self.docids.iter().enumerate().rev() {
            reversed.push(*docid, |bytes| bytes.try_append(self.bytes_at(at)))?;
        }
        *self = reversed;
        Ok(())
    }
}

/// A phrase of a query, with the rows that have it. In a NEAR, only positions within its distance count.
#[derive(Clone, Debug)]
pub struct PhraseRows {
    /// The phrase.
    pub phrase: Phrase,
    /// Its rows.
    pub rows: Rows,
    /// If some of its tokens are deferred: the rows of the others.
    loaded: Option<Rows>,
    /// Of a phrase in a NEAR beside an OR: the rows in which the NEAR does not hold, though all its phrases are there.
    failed: Rows,
}

impl PhraseRows {
    /// Whether all tokens of the phrase are deferred, so that only candidate rows were searched for it.
    pub fn is_deferred(&self) -> bool {
        !self.phrase.tokens.is_empty() && self.phrase.tokens.iter().all(|token| token.is_deferred)
    }

    /// The rows by which it is counted: deferred tokens are left out.
    pub fn counted_rows(&self) -> &Rows {
        self.loaded.as_ref().unwrap_or(&self.rows)
    }
}

/// The rows of tokens that the choice of deferred tokens has read already: all rows of a token whose doclist was read, and of a deferred
/// token the candidate rows that have it.
type KnownRows = HashMap<QueryToken, Rows>;

/// An evaluated query.
#[derive(Clone, Debug)]
pub struct Search {
    /// The phrases from left to right, without those to the right of a NOT, because no auxiliary function reports them.
    pub phrases: Vec<PhraseRows>,
    /// The matching rows, ascending.
    pub docids: Vec<i64>,
    root: Node,
    /// The language that is searched.
    pub language: i32,
    first: FirstCall,
}

/// The first call of an auxiliary function that looks at all rows, as in SQLite: where that is `offsets()`, a NEAR beside an OR that does not
/// hold in this row counts as one that holds, for all calls on this row.
#[derive(Clone, Debug, Default)]
struct FirstCall {
    is_over: Cell<bool>,
    row: Cell<Option<i64>>,
}

/// The tree of a query. A phrase is a position in [`Search::phrases`].
#[derive(Clone, Debug)]
enum Node {
    Phrase(usize),
    /// The phrases of a chain of NEAR.
    Near(Vec<usize>),
    /// The left side. The rows of the right side are subtracted already.
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
}

impl Search {
    /// Finds the rows of a query.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn new(table: &Table, connection: &dyn SqlConnection, language: i32, mut expr: Expr) -> Result<Search> {
        let mut known = KnownRows::default();
        if table.config.is_fts4 && table.config.has_own_content() {
            Chooser { table, connection, language }.choose(&mut expr, &mut known)?;
        }
        let mut finder = Finder { table, connection, language, known, phrases: Vec::new() };
        let (root, docids) = finder.find(expr, false)?;
        Ok(Search { phrases: finder.phrases, docids, root, language, first: FirstCall::default() })
    }

    /// Notes that hits are counted in all rows (matchinfo's `x`).
    pub fn note_counts(&self) {
        self.first.is_over.set(true);
    }

    /// Notes that all hits in a row are listed.
    pub fn note_offsets(&self, docid: i64) {
        if !self.first.is_over.replace(true) {
            self.first.row.set(Some(docid));
        }
    }

    /// Calls `f` with the phrases of the parts of the query that match a row.
    pub fn each_in_matching(&self, docid: i64, mut f: impl FnMut(usize)) {
        self.walk(&self.root, docid, &mut f);
    }

    fn walk(&self, node: &Node, docid: i64, f: &mut dyn FnMut(usize)) {
        if !self.matches(node, docid) {
            return;
        }
        match node {
            Node::Phrase(phrase) => f(*phrase),
            Node::Near(phrases) => phrases.iter().for_each(|phrase| f(*phrase)),
            Node::Not(left) => self.walk(left, docid, f),
            Node::And(left, right) | Node::Or(left, right) => {
                self.walk(left, docid, f);
                self.walk(right, docid, f);
            }
        }
    }

    fn matches(&self, node: &Node, docid: i64) -> bool {
        match node {
            Node::Phrase(phrase) => self.has(*phrase, docid),
            Node::Near(phrases) => phrases.iter().all(|phrase| self.has(*phrase, docid)),
            // (A NOT counts as matching wherever its left side matches.)
            Node::Not(left) => self.matches(left, docid),
            Node::And(left, right) => self.matches(left, docid) && self.matches(right, docid),
            Node::Or(left, right) => self.matches(left, docid) || self.matches(right, docid),
        }
    }

    fn has(&self, phrase: usize, docid: i64) -> bool {
        self.phrases.get(phrase).is_some_and(|phrase| self.rows(phrase, docid).contains(docid))
    }

    /// The positions of a phrase's last token in a row.
    pub fn positions(&self, phrase: usize, docid: i64) -> impl Iterator<Item = Position> + '_ {
        self.phrases.get(phrase).into_iter().flat_map(move |phrase| self.rows(phrase, docid).positions(docid))
    }

    /// The rows of a phrase that count in a row.
    fn rows<'p>(&self, phrase: &'p PhraseRows, docid: i64) -> &'p Rows {
        let counts_failed = self.first.row.get() == Some(docid) && phrase.failed.contains(docid);
        if counts_failed { &phrase.failed } else { &phrase.rows }
    }
}

struct Finder<'f> {
    table: &'f Table,
    connection: &'f dyn SqlConnection,
    language: i32,
    known: KnownRows,
    phrases: Vec<PhraseRows>,
}

impl Finder<'_> {
    /// Finds the rows of an expression; `is_in_or` if it is part of an operand of OR.
    fn find(&mut self, expr: Expr, is_in_or: bool) -> Result<(Node, Vec<i64>)> {
        Ok(match expr {
            Expr::Phrase(phrase) => {
                let rows = self.rows(&phrase)?;
                let docids = copied(&rows.docids)?;
                self.push(phrase, rows, Rows::default())?;
                (Node::Phrase(self.phrases.len() - 1), docids)
            }
            Expr::Near(left, last, distance) => {
                let (chain, distances) = chain(*left, last, distance)?;
                let first = self.phrases.len();
                let mut lists = Vec::new();
                for phrase in &chain {
                    lists.try_push(self.rows(phrase)?)?;
                }
                let lens: Vec<i64> = collected(chain.iter().map(|phrase| phrase.tokens.len() as i64))?;
                let (near, failed) = near::near(&lists, (&lens, &distances), is_in_or)?;
                let docids = copied(near.first().map(|rows| rows.docids.as_slice()).unwrap_or_default())?;
                for (phrase, (near, failed)) in chain.into_iter().zip(near.into_iter().zip(failed)) {
                    self.push(phrase, near, failed)?;
                }
                (Node::Near(collected(first..self.phrases.len())?), docids)
            }
            Expr::Not(left, right) => {
                let (left, found) = self.find(*left, is_in_or)?;
                let count = self.phrases.len();
                let (_, not_wanted) = self.find(*right, is_in_or)?;
                self.phrases.truncate(count);
                let mut docids = found;
                docids.retain(|docid| not_wanted.binary_search(docid).is_err());
                (Node::Not(Box::new(left)), docids)
            }
            Expr::And(left, right) => {
                let ((left, one), (right, other)) = (self.find(*left, is_in_or)?, self.find(*right, is_in_or)?);
                (Node::And(Box::new(left), Box::new(right)), intersection(&one, &other)?)
            }
            Expr::Or(left, right) => {
                let ((left, mut one), (right, other)) = (self.find(*left, true)?, self.find(*right, true)?);
                one.try_extend(other)?;
                one.sort_unstable();
                one.dedup();
                (Node::Or(Box::new(left), Box::new(right)), one)
            }
        })
    }

    fn push(&mut self, phrase: Phrase, rows: Rows, failed: Rows) -> Result {
        let loaded = phrase::loaded_rows(&phrase, &self.known)?;
        self.phrases.try_push(PhraseRows { phrase, rows, loaded, failed })?;
        Ok(())
    }

    fn rows(&self, phrase: &Phrase) -> Result<Rows> {
        phrase::rows(self.table, self.connection, self.language, phrase, &self.known)
    }
}

/// The phrases of a chain of NEAR, and the distance of each to the one before it.
fn chain(left: Expr, last: Phrase, distance: i64) -> Result<(Vec<Phrase>, Vec<i64>)> {
    let (mut phrases, mut distances) = (vec![last], vec![distance]);
    let mut rest = left;
    loop {
        match rest {
            Expr::Near(left, phrase, distance) => {
                phrases.try_push(phrase)?;
                distances.try_push(distance)?;
                rest = *left;
            }
            Expr::Phrase(phrase) => {
                phrases.try_push(phrase)?;
                break;
            }
            _ => break,
        }
    }
    phrases.reverse();
    distances.reverse();
    Ok((phrases, distances))
}

/// The intersection of two sorted lists.
fn intersection(one: &[i64], other: &[i64]) -> Result<Vec<i64>, OutOfMemory> {
    let (mut shorter, mut longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut found = Vec::new();
    while let Some((first, rest)) = shorter.split_first() {
        longer = longer.get(longer.partition_point(|docid| docid < first)..).unwrap_or_default();
        if longer.first() == Some(first) {
            found.try_push(*first)?;
        }
        shorter = rest;
    }
    Ok(found)
}
