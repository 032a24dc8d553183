//! Leaf pages: where terms and their rows lie.
//!
//! ```text
//!   0          2            4                          size                end
//!   | u16 rowid | u16 size | terms and doclists ...    | page index        |
//!
//!   rowid        offset of the first rowid in front of the first term; 0: there is none
//!   page index   the offset of each term as a varint: the first one as it is, then differences
//!   a term       on a page the first: varint length | bytes; later: varint shared | varint length | bytes
//! ```

use std::sync::Arc;

use crate::varint;

/// The length of a leaf's header.
pub const HEADER_LEN: usize = 4;

/// A leaf page.
#[derive(Clone, Debug)]
pub struct Leaf {
    bytes: Arc<[u8]>,
    size: usize,
}

impl Leaf {
    /// Takes a page. None if its header makes no sense.
    pub fn new(bytes: Arc<[u8]>) -> Option<Leaf> {
        let (_, rest) = bytes.split_first_chunk::<2>()?;
        let size = usize::from(u16::from_be_bytes(*rest.first_chunk()?));
        if !(HEADER_LEN..=bytes.len()).contains(&size) {
            return None;
        }
        Some(Leaf { bytes, size })
    }

    /// Its bytes up to the page index.
    pub fn content(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or_default()
    }

    /// Where the page index begins.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The page index.
    pub fn index(&self) -> &[u8] {
        self.bytes.get(self.size..).unwrap_or_default()
    }

    /// The offset of the first rowid in front of the first term; on a damaged page perhaps beyond its end.
    pub fn first_rowid(&self) -> Option<usize> {
        let at = usize::from(u16::from_be_bytes(*self.bytes.first_chunk()?));
        (at != 0).then_some(at)
    }

    /// Whether any term begins here.
    pub fn has_terms(&self) -> bool {
        self.size < self.bytes.len()
    }

    /// The offsets of the terms.
    pub fn term_offsets(&self) -> TermOffsets<'_> {
        TermOffsets { index: self.index(), at: 0, last: 0, size: self.size }
    }

    /// The offset of the first term.
    pub fn first_term(&self) -> Option<usize> {
        self.term_offsets().next()
    }
}

/// The offsets of a page's terms. Damage ends them.
#[derive(Clone, Debug)]
pub struct TermOffsets<'l> {
    index: &'l [u8],
    at: usize,
    last: usize,
    size: usize,
}

impl TermOffsets<'_> {
    /// How far in the page index it is.
    pub fn position(&self) -> TermPosition {
        TermPosition { at: self.at, last: self.last }
    }
}

impl Iterator for TermOffsets<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let delta = usize::try_from(varint::read(self.index, &mut self.at)?).ok()?;
        let offset = self.last.checked_add(delta)?;
        // Offsets go up, and lie within the page.
        let is_sound = offset > self.last && (HEADER_LEN..self.size).contains(&offset);
        self.last = offset;
        is_sound.then_some(offset)
    }
}

/// A place in a page index: for iterators that own their page.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermPosition {
    at: usize,
    last: usize,
}

impl Leaf {
    /// The offset of the next term, and moves on. None behind the last; damage is one, too.
    #[inline]
    pub fn next_term(&self, position: &mut TermPosition) -> Option<usize> {
        let mut offsets = TermOffsets { index: self.index(), at: position.at, last: position.last, size: self.size };
        let next = offsets.next();
        *position = offsets.position();
        next
    }
}
