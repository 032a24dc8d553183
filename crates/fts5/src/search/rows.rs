//! The rows that match a query, many at a time, where nobody asks what phrases have found in them.
//!
//! ```text
//!   RowQuery ── Stream ── Term          rows of a token, from the index
//!                 │       Rowids        rows of all tokens that begin so
//!                 │       Conjunction   rows that all its streams have, and that pass its checks: phrases, columns, NEAR
//!                 │       Union         rows of any stream
//!                 │       Difference    rows of one stream that the other has not
//!                 │       Nodes         what the others cannot do: row by row
//!                 └ a block of rows: what is read is read until it is used up
//! ```
//!
//! A conjunction looks into positions only where all tokens meet, so that a rare word saves the work on frequent ones. Therefore what is sought
//! within one must be plain: to find the next row of a phrase may take a look at any number of others.
//!
//! [`super::node`] finds the same rows, and what auxiliary functions ask for.

mod check;
mod marks;

use lithe_value::Grow;
use lithe_vtab::{FunctionError, SqlConnection};

use super::leaf::{Leaf, TermScan};
use super::node::Node;
use super::scan::Scan;
use crate::Result;
use crate::config::Detail;
use crate::index::{Block, Order, Postings};
use crate::table::Table;
use check::Check;

/// The number of rows that a stream reads at first, and where it had to skip some. It grows with each block.
const COUNT_MIN: usize = 8;
/// The largest number of rows in a block.
const COUNT_MAX: usize = 512;
/// So many rows that all tokens have are checked at most for a block that has a row already.
const CHECKS_MAX: usize = 1024;

/// A query for rows, upwards.
#[derive(Debug)]
pub struct RowQuery {
    root: Stream,
    /// The generation of the index when the query was opened.
    generation: u64,
}

impl RowQuery {
    /// A query for the rows of a tree.
    ///
    /// # Errors
    /// The errors of reading the index.
    pub(super) fn open(root: &Node, table: &Table, connection: &dyn SqlConnection) -> Result<RowQuery> {
        let generation = table.index.generation();
        let scan = scan(table, connection);
        Ok(RowQuery { root: Stream::open(&scan, root, table.config.token_data)?, generation })
    }

    /// Whether the table was changed since the query was opened.
    pub fn is_outdated(&self, table: &Table) -> bool {
        table.index.generation() != self.generation
    }

    /// Replaces `rows` by rows from `from` on; none at the end. `from` never goes down.
    ///
    /// # Errors
    /// The errors of reading the index.
    pub fn read(&mut self, table: &Table, connection: &dyn SqlConnection, from: i64, rows: &mut Vec<i64>) -> Result {
        rows.clear();
        self.root.refill(&scan(table, connection), from)?;
        std::mem::swap(rows, self.root.block.rowids_mut());
        Ok(())
    }
}

fn scan<'s>(table: &'s Table, connection: &'s dyn SqlConnection) -> Scan<'s> {
    Scan { reader: table.index.reader(connection), order: Order::Ascending, detail: table.config.detail }
}

/// Rows in ascending order.
#[derive(Debug)]
struct Stream {
    block: Block,
    /// The place of the row in the block.
    at: usize,
    count_max: usize,
    source: Source,
    is_at_end: bool,
    /// What went wrong behind the rows of the block.
    failed: Option<FunctionError>,
}

#[derive(Debug)]
enum Source {
    Nothing,
    Term(Postings),
    Rowids { all: Vec<i64>, passed: usize },
    Conjunction { streams: Vec<Stream>, checks: Vec<Check> },
    Union(Vec<Stream>),
    Difference(Box<(Stream, Stream)>),
    Nodes(Box<Node>),
}

impl Stream {
    fn new(source: Source, has_places: bool) -> Stream {
        Stream { block: Block::new(has_places), at: 0, count_max: COUNT_MIN, source, is_at_end: false, failed: None }
    }

    fn open(scan: &Scan<'_>, node: &Node, has_token_data: bool) -> Result<Stream> {
        let open = |node: &Node| Stream::open(scan, node, has_token_data);
        let source = match node {
            Node::Leaf(leaf) if leaf.is_token() => return Stream::open_token(scan, leaf, has_token_data),
            Node::Or(group) => {
                let mut streams = Vec::new();
                for node in group.all() {
                    streams.try_push(open(node)?)?;
                }
                Source::Union(streams)
            }
            Node::Not(both) if is_plain(&both.1) => Source::Difference(Box::new((open(&both.0)?, open(&both.1)?))),
            node => match Parts::of(node, scan.detail)? {
                Some(parts) => parts.open(scan, has_token_data)?,
                None => {
                    let mut node = node.clone();
                    node.open(scan, has_token_data)?;
                    Source::Nodes(Box::new(node))
                }
            },
        };
        Ok(Stream::new(source, false))
    }

    /// The rows of a leaf that consists of one token without conditions.
    fn open_token(scan: &Scan<'_>, leaf: &Leaf, has_token_data: bool) -> Result<Stream> {
        let source = match leaf.terms().next() {
            Some(term) => match term.prefix_rowids(scan, has_token_data)? {
                Some(all) => Source::Rowids { all, passed: 0 },
                None => return Stream::open_term(scan, term, has_token_data, None, false),
            },
            None => Source::Nothing,
        };
        Ok(Stream::new(source, false))
    }

    /// The rows of a token that has no alternatives.
    fn open_term(
        scan: &Scan<'_>,
        term: &TermScan,
        has_token_data: bool,
        columns: Option<&[usize]>,
        has_places: bool,
    ) -> Result<Stream> {
        let source = match term.open_postings(scan, has_token_data, columns)?.pop() {
            Some(postings) => Source::Term(postings),
            None => Source::Nothing,
        };
        Ok(Stream::new(source, has_places))
    }

    /// The row. None: at the end.
    #[inline]
    fn row(&self) -> Option<i64> {
        self.block.rowids().get(self.at).copied()
    }

    /// The position list of the row.
    #[inline]
    fn list(&self) -> &[u8] {
        self.block.list(self.at)
    }

    /// The last row that is in memory.
    fn last(&self) -> Option<i64> {
        self.block.rowids().last().copied()
    }

    /// Goes to the first row from `from` on. Never goes back.
    #[inline]
    fn seek(&mut self, scan: &Scan<'_>, from: i64) -> Result {
        let rest = self.block.rowids().get(self.at..).unwrap_or_default();
        match rest.last() {
            Some(last) if *last >= from => {
                self.at += distance(rest, from);
                Ok(())
            }
            _ => self.refill(scan, from),
        }
    }

    /// Reads another block: rows from `from` on, none at the end.
    fn refill(&mut self, scan: &Scan<'_>, from: i64) -> Result {
        let skips = self.skips(from);
        self.block.clear();
        self.at = 0;
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.is_at_end {
            return Ok(());
        }
        self.count_max = if skips { COUNT_MIN } else { (2 * self.count_max).min(COUNT_MAX) };
        let filled = self.fill(scan, from);
        self.is_at_end = self.block.is_empty() || filled.is_err();
        match filled {
            Err(error) if !self.block.is_empty() => self.failed = Some(error),
            filled => return filled,
        }
        Ok(())
    }
}

impl Stream {
    /// Reads rows into the block, from `from` on and upwards, whatever the index says.
    fn fill(&mut self, scan: &Scan<'_>, from: i64) -> Result {
        loop {
            let filled = self.source.fill(scan, from, self.count_max, &mut self.block);
            let is_at_end = self.block.is_empty();
            self.block.keep_ascending(from)?;
            if !self.block.is_empty() || is_at_end || filled.is_err() {
                return filled;
            }
            self.block.clear();
        }
    }

    /// Whether so much lies between the block and `from` that rows behind that are hardly wanted, either.
    fn skips(&self, from: i64) -> bool {
        let ends = self.block.rowids().first().zip(self.last());
        ends.is_some_and(|(first, last)| from.abs_diff(last) > last.abs_diff(*first).saturating_add(1))
    }
}

/// How many rows come before `from`, which is not above the last one.
#[inline]
fn distance(rows: &[i64], from: i64) -> usize {
    const NEAR: usize = 8;
    match rows.iter().take(NEAR).position(|row| *row >= from) {
        Some(at) => at,
        None => rows.partition_point(|row| *row < from),
    }
}

impl Source {
    /// Appends rows from `from` on to a block, about as many as `count_max`; none at the end.
    fn fill(&mut self, scan: &Scan<'_>, from: i64, count_max: usize, block: &mut Block) -> Result {
        match self {
            Source::Nothing => Ok(()),
            Source::Term(postings) => {
                postings.seek(&scan.reader, from)?;
                postings.take(&scan.reader, count_max, block)
            }
            Source::Rowids { all, passed } => {
                let rest = all.get(*passed..).unwrap_or_default();
                let before = rest.partition_point(|row| *row < from);
                let rows = rest.iter().skip(before).take(count_max);
                block.rowids_mut().extend(rows);
                *passed += before + block.len();
                Ok(())
            }
            Source::Conjunction { streams, checks } => conjunction(scan, streams, checks, from, count_max, block),
            Source::Union(streams) => union(scan, streams, from, block),
            Source::Difference(both) => difference(scan, &mut both.0, &mut both.1, from, block),
            Source::Nodes(node) => {
                node.seek(scan, from)?;
                while let Some(row) = node.row().filter(|_| block.len() < count_max) {
                    if node.is_match() && row >= from {
                        block.rowids_mut().push(row);
                    }
                    node.next(scan)?;
                }
                Ok(())
            }
        }
    }
}

/// Rows that all streams have, and that pass the checks.
fn conjunction(
    scan: &Scan<'_>,
    streams: &mut [Stream],
    checks: &mut [Check],
    from: i64,
    count_max: usize,
    block: &mut Block,
) -> Result {
    let (mut from, mut steps) = (from, 0);
    loop {
        let Some(mut row) = meet(scan, streams, from)? else { return Ok(()) };
        let mut last = row;
        loop {
            let mut passes = true;
            for check in &mut *checks {
                passes = passes && check.passes(scan.detail, streams)?;
            }
            if passes {
                block.rowids_mut().push(row);
            }
            steps += 1;
            if block.len() >= count_max || steps >= CHECKS_MAX && !block.is_empty() {
                return Ok(());
            }
            let [one, other] = streams else { break };
            match next_common(one, other) {
                Next::Row(next) => (row, last) = (next, next),
                Next::NotUpTo(end) => {
                    last = end;
                    break;
                }
            }
        }
        let Some(next) = last.checked_add(1) else { return Ok(()) };
        from = next;
    }
}

/// Moves streams on to the first row from `from` on that all of them have. None: there is none.
#[inline]
fn meet(scan: &Scan<'_>, streams: &mut [Stream], from: i64) -> Result<Option<i64>> {
    let mut wanted = from;
    let (mut agreed, count) = (0, streams.len());
    while agreed < count {
        for stream in &mut *streams {
            stream.seek(scan, wanted)?;
            match stream.row() {
                Some(row) if row == wanted => agreed += 1,
                Some(row) => (wanted, agreed) = (row, 1),
                None => return Ok(None),
            }
            if agreed == count {
                break;
            }
        }
    }
    Ok((count > 0).then_some(wanted))
}

/// The answer of [`next_common`].
enum Next {
    /// Both streams are on this row.
    Row(i64),
    /// One block has ended: up to this row there is none.
    NotUpTo(i64),
}

/// Two streams are on the same row: moves both on to the next row that the blocks of both have.
#[inline]
fn next_common(one: &mut Stream, other: &mut Stream) -> Next {
    let (first, second) = (one.block.rowids(), other.block.rowids());
    let (mut at, mut other_at) = (one.at + 1, other.at + 1);
    while let (Some(row), Some(other_row)) = (first.get(at), second.get(other_at)) {
        if row == other_row {
            let row = *row;
            (one.at, other.at) = (at, other_at);
            return Next::Row(row);
        }
        // (Without a branch: which row is the lower one is as good as random.)
        at += usize::from(row < other_row);
        other_at += usize::from(other_row < row);
    }
    // Where one block ends, no row of the other one was passed that is above its last.
    let end = one.last().min(other.last()).unwrap_or(i64::MAX);
    (one.at, other.at) = (at, other_at);
    Next::NotUpTo(end)
}

/// Rows of any stream.
fn union(scan: &Scan<'_>, streams: &mut [Stream], from: i64, block: &mut Block) -> Result {
    let mut end: Option<i64> = None;
    for stream in &mut *streams {
        stream.seek(scan, from)?;
        end = [end, stream.last()].into_iter().flatten().min();
    }
    let Some(end) = end else { return Ok(()) };
    let rows = block.rowids_mut();
    for stream in streams {
        let rest = stream.block.rowids().get(stream.at..).unwrap_or_default();
        let count = rest.partition_point(|row| *row <= end);
        rows.extend(rest.iter().take(count));
        stream.at += count;
    }
    rows.sort_unstable();
    rows.dedup();
    Ok(())
}

/// Rows of one stream that the other has not.
fn difference(scan: &Scan<'_>, wanted: &mut Stream, unwanted: &mut Stream, from: i64, block: &mut Block) -> Result {
    let mut from = from;
    while block.is_empty() {
        wanted.seek(scan, from)?;
        let Some(last) = wanted.last() else { return Ok(()) };
        while let Some(row) = wanted.row() {
            unwanted.seek(scan, row)?;
            if unwanted.row() != Some(row) {
                block.rowids_mut().push(row);
            }
            wanted.at += 1;
        }
        let Some(next) = last.checked_add(1) else { return Ok(()) };
        from = next;
    }
    Ok(())
}

/// Whether the rows of a node come without a look into positions.
fn is_plain(node: &Node) -> bool {
    match node {
        Node::Leaf(leaf) => leaf.is_token(),
        Node::Or(group) | Node::And(group) => group.all().iter().all(is_plain),
        Node::Not(both) => is_plain(&both.0) && is_plain(&both.1),
    }
}

/// What a conjunction is made of.
#[derive(Default)]
struct Parts<'n> {
    leaves: Vec<&'n Leaf>,
    plain: Vec<&'n Node>,
}

impl<'n> Parts<'n> {
    /// The parts of a leaf or an AND. None: something in it cannot be part of a conjunction.
    fn of(node: &'n Node, detail: Detail) -> Result<Option<Parts<'n>>> {
        let mut parts = Parts::default();
        let can_be = parts.add(node, detail)?;
        Ok(can_be.then_some(parts))
    }

    /// Adds a node; whether it can be part of a conjunction.
    fn add(&mut self, node: &'n Node, detail: Detail) -> Result<bool> {
        match node {
            Node::Leaf(leaf) if !leaf.is_token() => {
                self.leaves.try_push(leaf)?;
                Ok(Check::can_check(leaf, detail))
            }
            Node::And(group) => {
                for one in group.all() {
                    if !self.add(one, detail)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            node => {
                self.plain.try_push(node)?;
                Ok(is_plain(node))
            }
        }
    }

    fn open(self, scan: &Scan<'_>, has_token_data: bool) -> Result<Source> {
        let (mut streams, mut checks) = (Vec::new(), Vec::new());
        for leaf in self.leaves {
            if leaf.has_no_columns() {
                return Ok(Source::Nothing);
            }
            checks.try_push(Check::new(leaf, streams.len())?)?;
            for term in leaf.terms() {
                streams.try_push(Stream::open_term(scan, term, has_token_data, leaf.columns(), true)?)?;
            }
        }
        for node in self.plain {
            streams.try_push(Stream::open(scan, node, has_token_data)?)?;
        }
        Ok(Source::Conjunction { streams, checks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_near_and_far() {
        let rows: Vec<i64> = (0..100).map(|at| 3 * at).collect();
        for from in 0..=297 {
            assert_eq!(distance(&rows, from) as i64, (from + 2) / 3, "{from}");
        }
    }
}
