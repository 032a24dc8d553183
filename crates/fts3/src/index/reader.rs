//! Readers of segments, term by term: of one segment, and of several merged.

use lithe_value::Grow;
use lithe_value::grow::copied;
use lithe_vtab::SqlConnection;

use super::Wanted;
use super::node::NodeReader;
use super::pending::Terms;
use super::store::{Segment, Store};
use crate::doclist::{self, Order, Writer};
use crate::{Result, corrupt};

/// The deepest tree that is read: each level has at least two children, and blocks have 63 bits.
const HEIGHT_MAX: usize = 64;

/// Reads the terms of a segment in order.
#[derive(Debug)]
pub struct SegmentReader {
    source: Source,
    is_at_end: bool,
    /// SQLite calls this the age: of two segments with the same term, the one with the higher age is newer.
    age: usize,
}

#[derive(Debug)]
enum Source {
    /// A segment: the current leaf, and the range of blocks after it.
    Leaves { leaf: NodeReader, next: i64, last: i64 },
    /// Pending terms.
    Pending { terms: std::vec::IntoIter<(Vec<u8>, Vec<u8>)>, current: (Vec<u8>, Vec<u8>) },
}

impl SegmentReader {
    /// A reader of the wanted terms of a segment, in front of the first.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn new(
        connection: &dyn SqlConnection,
        store: &Store,
        segment: &Segment,
        wanted: &Wanted<'_>,
        age: usize,
    ) -> Result<SegmentReader> {
        if segment.start_block == 0 {
            if segment.leaves_end_block != 0 {
                return Err(corrupt());
            }
            let leaf = if segment.root.is_empty() { NodeReader::default() } else { leaf(copied(&segment.root)?)? };
            return Ok(SegmentReader { source: Source::Leaves { leaf, next: 1, last: 0 }, is_at_end: false, age });
        }
        let (first, last) = leaves_of(connection, store, segment, wanted)?.ok_or_else(corrupt)?;
        Ok(SegmentReader {
            source: Source::Leaves { leaf: NodeReader::default(), next: first, last },
            is_at_end: false,
            age,
        })
    }

    /// A reader of pending terms, which are newer than all segments.
    pub fn pending(terms: Terms) -> SegmentReader {
        let source = Source::Pending { terms: terms.into_iter(), current: Default::default() };
        SegmentReader { source, is_at_end: false, age: usize::MAX }
    }

    /// Goes to the next term.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn next(&mut self, connection: &dyn SqlConnection, store: &Store) -> Result {
        match &mut self.source {
            Source::Pending { terms, current } => match terms.next() {
                Some(term) => *current = term,
                None => self.is_at_end = true,
            },
            Source::Leaves { leaf: node, next, last } => {
                while !node.advance()? {
                    if *next > *last {
                        self.is_at_end = true;
                        break;
                    }
                    *node = leaf(store.block(connection, *next)?)?;
                    *next = next.wrapping_add(1);
                }
            }
        }
        Ok(())
    }

    /// The term. None at the end.
    pub fn term(&self) -> Option<&[u8]> {
        (!self.is_at_end).then_some(match &self.source {
            Source::Leaves { leaf, .. } => &leaf.term,
            Source::Pending { current, .. } => &current.0,
        })
    }

    /// Its doclist.
    pub fn doclist(&self) -> &[u8] {
        match &self.source {
            Source::Leaves { leaf, .. } => leaf.doclist(),
            Source::Pending { current, .. } => &current.1,
        }
    }
}

fn leaf(bytes: Vec<u8>) -> Result<NodeReader> {
    if bytes.first() != Some(&0) {
        return Err(corrupt());
    }
    NodeReader::new(bytes)
}

/// The first and the last leaf that can have the wanted terms. None if the segment is a single leaf, its root.
///
/// # Errors
/// SQLITE_CORRUPT_VTAB; those of reading.
pub fn leaves_of(
    connection: &dyn SqlConnection,
    store: &Store,
    segment: &Segment,
    wanted: &Wanted<'_>,
) -> Result<Option<(i64, i64)>> {
    if segment.start_block == 0 {
        return Ok(None);
    }
    let (first, last) = match wanted {
        Wanted::All => (segment.start_block, segment.leaves_end_block),
        Wanted::Term(term) | Wanted::Prefix(term) => {
            leaves_with(connection, store, &segment.root, term, matches!(wanted, Wanted::Prefix(_)))?
        }
    };
    Ok(Some((first, last.min(segment.leaves_end_block))))
}

/// The first and the last leaf that can have the term, or terms with it as prefix.
fn leaves_with(
    connection: &dyn SqlConnection,
    store: &Store,
    root: &[u8],
    term: &[u8],
    is_prefix: bool,
) -> Result<(i64, i64)> {
    let descend = |takes_last: bool| -> Result<i64> {
        let mut node = copied(root)?;
        for _ in 0..HEIGHT_MAX {
            let height = NodeReader::height(&node)?;
            let (first, last) = NodeReader::children_with(node, term)?;
            let child = if takes_last { last } else { first };
            if height <= 1 {
                return Ok(child);
            }
            let below = store.block(connection, child)?;
            // Each node must be lower than its parent, or the descent would not end.
            if NodeReader::height(&below)? >= height {
                return Err(corrupt());
            }
            node = below;
        }
        Err(corrupt())
    };
    let first = descend(false)?;
    Ok((first, if is_prefix { descend(true)? } else { first }))
}

/// Merges several segments, term by term: each term once, with a doclist in which newer rows hide older ones.
#[derive(Debug)]
pub struct MergeReader {
    /// The readers, the oldest first.
    pub readers: Vec<SegmentReader>,
    order: Order,
    /// Whether deletions stay in doclists, to hide rows of older segments.
    pub keeps_deletions: bool,
    /// The current term.
    pub term: Vec<u8>,
    doclist: Writer,
    /// The readers whose current term this is.
    at_term: Vec<usize>,
}

impl MergeReader {
    /// A reader in front of the first term.
    pub fn new(readers: Vec<SegmentReader>, order: Order, keeps_deletions: bool) -> MergeReader {
        MergeReader {
            readers,
            order,
            keeps_deletions,
            term: Vec::new(),
            doclist: Writer::new(order),
            at_term: Vec::new(),
        }
    }

    /// Moves all readers to their first term.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn start(&mut self, connection: &dyn SqlConnection, store: &Store) -> Result {
        self.readers.iter_mut().try_for_each(|reader| reader.next(connection, store))
    }

    /// Skips the terms before this one. Only valid at the start.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn skip_to(&mut self, connection: &dyn SqlConnection, store: &Store, first: &[u8]) -> Result {
        for reader in &mut self.readers {
            while reader.term().is_some_and(|term| term < first) {
                reader.next(connection, store)?;
            }
        }
        Ok(())
    }

    /// Goes to the next wanted term that has rows. False at the end.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn next(&mut self, connection: &dyn SqlConnection, store: &Store, wanted: &Wanted<'_>) -> Result<bool> {
        loop {
            for at in std::mem::take(&mut self.at_term) {
                let Some(reader) = self.readers.get_mut(at) else { continue };
                reader.next(connection, store)?;
                // Terms that do not ascend would make the merge run for ever.
                if reader.term().is_some_and(|term| *term <= *self.term) {
                    return Err(corrupt());
                }
            }
            let Some(least) = self.readers.iter().filter_map(SegmentReader::term).min() else { return Ok(false) };
            if wanted.is_before(least) {
                return Ok(false);
            }
            self.term.clear();
            self.term.try_append(least)?;
            let readers = self.readers.iter().enumerate();
            self.at_term = readers.filter(|(_, one)| one.term() == Some(&self.term)).map(|(at, _)| at).collect();
            if !wanted.includes(&self.term) {
                continue;
            }
            self.doclist.clear();
            let mut sources: Vec<&SegmentReader> = self.at_term.iter().filter_map(|at| self.readers.get(*at)).collect();
            sources.sort_by_key(|reader| std::cmp::Reverse(reader.age));
            if let ([only], true) = (sources.as_slice(), self.keeps_deletions) {
                self.doclist.bytes.try_append(only.doclist())?;
            } else {
                let lists: Vec<&[u8]> = sources.iter().map(|reader| reader.doclist()).collect();
                doclist::merge(&lists, self.order, self.keeps_deletions, &mut self.doclist)?;
            }
            if !self.doclist.bytes.is_empty() {
                return Ok(true);
            }
        }
    }

    /// The least current term of the readers.
    pub fn least(&self) -> Option<&[u8]> {
        self.readers.iter().filter_map(SegmentReader::term).min()
    }

    /// The doclist of the term.
    pub fn doclist(&self) -> &[u8] {
        &self.doclist.bytes
    }
}
