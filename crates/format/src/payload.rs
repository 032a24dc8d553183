//! How much of a payload stays on its page, and payloads that are written in parts.
//!
//! With U usable bytes, a payload of P bytes is completely local up to X. Of a longer one K bytes stay if K is not more
//! than X, so that the last overflow page is full; otherwise M bytes stay:
//!
//! ```text
//!   X = U - 35                       leaf of a table
//!   X = (U - 12) * 64 / 255 - 23     pages of an index: four cells must fit
//!   M = (U - 12) * 32 / 255 - 23
//!   K = M + (P - M) % (U - 4)
//! ```

/// The embedded-payload arithmetic of one kind of page at one usable size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The usable size of a page.
    pub usable: u32,
    /// X: the longest payload without overflow.
    pub max_local: u32,
    /// M: the least that stays on the page of a payload with overflow.
    pub min_local: u32,
}

/// No payload is longer: SQLite's own bound on a row.
pub const MAX_PAYLOAD: u64 = 0x7fff_ffff;

const INTERIOR_HEADER_LEN: u32 = crate::btree_page::INTERIOR_HEADER_LEN as u32;
/// Two varints, a child pointer and an overflow pointer at their longest, and the cell pointer.
const CELL_OVERHEAD: u32 = 23;
const TABLE_LEAF_OVERHEAD: u32 = 35;
const MAX_FRACTION: u32 = crate::db_header::FRACTIONS[0] as u32;
const MIN_FRACTION: u32 = crate::db_header::FRACTIONS[1] as u32;

const _: () = assert!(Limits::index(480).min_local > 4 && Limits::index(480).max_local < 255);

impl Limits {
    /// For the leaves of a table.
    #[inline]
    pub const fn table_leaf(usable: u32) -> Limits {
        Limits { usable, max_local: usable - TABLE_LEAF_OVERHEAD, min_local: min_local(usable) }
    }

    /// For the leaves and interior pages of an index.
    #[inline]
    pub const fn index(usable: u32) -> Limits {
        // Four cells must fit on an index page: with fewer, a tree of long keys decays into a list.
        let max_local = (usable - INTERIOR_HEADER_LEN) * MAX_FRACTION / 255 - CELL_OVERHEAD;
        Limits { usable, max_local, min_local: min_local(usable) }
    }

    /// How many bytes of a payload of `len` bytes stay on the page. The rest, if any, overflows,
    /// and the four-byte number of its first page follows the local bytes.
    #[inline]
    pub const fn local(&self, len: u32) -> u32 {
        if len <= self.max_local {
            return len;
        }
        let surplus = self.min_local + (len - self.min_local) % self.overflow_content();
        if surplus <= self.max_local { surplus } else { self.min_local }
    }

    /// The bytes of payload that one overflow page holds.
    #[inline]
    pub(crate) const fn overflow_content(&self) -> u32 {
        self.usable - crate::overflow::CONTENT_AT as u32
    }

    /// The number of overflow pages of a payload of `len` bytes.
    #[inline]
    pub const fn overflow_pages(&self, len: u32) -> u32 {
        (len - self.local(len)).div_ceil(self.overflow_content())
    }
}

const fn min_local(usable: u32) -> u32 {
    (usable - INTERIOR_HEADER_LEN) * MIN_FRACTION / 255 - CELL_OVERHEAD
}

/// The bytes of a row or key to be written, in a few parts, so that a large BLOB is copied from its source to its pages
/// without a copy in a record first. Zeros at the end need no memory.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    parts: Parts<'a>,
    zeros: u32,
    len: u32,
}

/// Most payloads are in one piece, and cost no list.
#[derive(Clone, Copy, Debug)]
enum Parts<'a> {
    One([&'a [u8]; 1]),
    Several { parts: [&'a [u8]; Payload::MAX_PARTS], count: u8 },
}

impl<'a> Payload<'a> {
    /// The most parts of one payload.
    pub const MAX_PARTS: usize = 8;

    /// A payload in one piece.
    ///
    /// # Panics
    /// If the payload is longer than [`MAX_PAYLOAD`]; the code that makes values checks the limits on lengths.
    #[inline]
    pub fn from_bytes(bytes: &'a [u8]) -> Payload<'a> {
        assert!(bytes.len() as u64 <= MAX_PAYLOAD, "payload longer than any");
        Payload { parts: Parts::One([bytes]), zeros: 0, len: bytes.len() as u32 }
    }

    /// A payload of several parts with zeros after them.
    ///
    /// # Panics
    /// If there are more than [`Payload::MAX_PARTS`] parts, or more than [`MAX_PAYLOAD`] bytes.
    pub fn from_parts(parts: &[&'a [u8]], zeros: u32) -> Payload<'a> {
        let len = parts.iter().fold(u64::from(zeros), |len, part| len.saturating_add(part.len() as u64));
        assert!(len <= MAX_PAYLOAD, "payload longer than any");
        let mut places = [&[] as &[u8]; Payload::MAX_PARTS];
        #[expect(clippy::indexing_slicing, reason = "a caller owes no more parts than fit")]
        places[..parts.len()].copy_from_slice(parts);
        Payload { parts: Parts::Several { parts: places, count: parts.len() as u8 }, zeros, len: len as u32 }
    }

    /// The length in bytes, zeros included.
    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is not one byte.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All bytes, if they lie in one piece.
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [u8]> {
        match self.parts() {
            [all] if self.zeros == 0 => Some(all),
            _ => None,
        }
    }

    /// The parts before the zeros.
    #[inline]
    pub fn parts(&self) -> &[&'a [u8]] {
        match &self.parts {
            Parts::One(part) => part,
            Parts::Several { parts, count } => parts.get(..usize::from(*count)).unwrap_or_default(),
        }
    }

    /// The number of zeros after the last part.
    #[inline]
    pub fn zeros(&self) -> u32 {
        self.zeros
    }

    /// A reader from the first byte on.
    #[inline]
    pub fn reader(&self) -> PayloadReader<'_, 'a> {
        PayloadReader { payload: self, part: 0, at: 0 }
    }
}

/// Copies a [`Payload`] out piece by piece, or compares it.
#[derive(Clone, Debug)]
pub struct PayloadReader<'p, 'a> {
    payload: &'p Payload<'a>,
    part: usize,
    at: usize,
}

impl<'a> PayloadReader<'_, 'a> {
    /// Fills `out` with the next bytes; after the last part come zeros.
    #[inline]
    pub fn copy_to(&mut self, mut out: &mut [u8]) {
        while let Some(part) = self.payload.parts().get(self.part) {
            let rest = part.get(self.at..).unwrap_or_default();
            if let Some(enough) = rest.get(..out.len()).filter(|enough| enough.len() < rest.len()) {
                out.copy_from_slice(enough);
                self.at += out.len();
                return;
            }
            let Some((head, tail)) = out.split_at_mut_checked(rest.len()) else { return };
            head.copy_from_slice(rest);
            out = tail;
            self.part += 1;
            self.at = 0;
        }
        out.fill(0);
    }

    /// Whether the next bytes are these; after the last part come zeros. If so, the reader moves behind them.
    #[inline]
    pub fn is_next(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(part) = self.payload.parts().get(self.part) {
            let rest = part.get(self.at..).unwrap_or_default();
            if let Some(enough) = rest.get(..bytes.len()).filter(|enough| enough.len() < rest.len()) {
                self.at += bytes.len();
                return enough == bytes;
            }
            match bytes.split_at_checked(rest.len()) {
                Some((head, tail)) if head == rest => bytes = tail,
                _ => return false,
            }
            self.part += 1;
            self.at = 0;
        }
        bytes.iter().all(|byte| *byte == 0)
    }

    /// Skips the next `count` bytes.
    pub fn skip(&mut self, mut count: usize) {
        while let Some(part) = self.payload.parts().get(self.part) {
            let rest = part.len() - self.at;
            if count < rest {
                self.at += count;
                return;
            }
            count -= rest;
            self.part += 1;
            self.at = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_limits() {
        let leaf = Limits::table_leaf(4096);
        assert_eq!((leaf.max_local, leaf.min_local), (4061, 489));
        let index = Limits::index(4096);
        assert_eq!((index.max_local, index.min_local), (1002, 489));
        assert_eq!(Limits::index(480).max_local, 94);
        assert_eq!(Limits::index(480).min_local, 35);
        assert_eq!(leaf.local(4061), 4061);
        assert_eq!(leaf.local(4062), 489);
        // A payload whose overflow fills whole pages keeps exactly the minimum.
        assert_eq!(leaf.local(489 + 2 * 4092), 489);
        assert_eq!(leaf.local(490 + 2 * 4092), 490);
        assert_eq!(leaf.overflow_pages(4061), 0);
        assert_eq!(leaf.overflow_pages(489 + 2 * 4092), 2);
        assert_eq!(leaf.overflow_pages(490 + 2 * 4092), 2);
    }

    #[test]
    fn parts_are_compared_as_one() {
        let payload = Payload::from_parts(&[b"ab", b"", b"cde"], 2);
        let is = |bytes: &[u8], step: usize| {
            let mut reader = payload.reader();
            bytes.chunks(step).all(|chunk| reader.is_next(chunk))
        };
        for step in 1..8 {
            assert!(is(b"abcde\0\0", step));
            for other in [b"abcde\0x", b"abcdx\0\0", b"axcde\0\0", b"xbcde\0\0"] {
                assert!(!is(other, step), "{other:?} in steps of {step}");
            }
        }
    }

    #[test]
    fn local_never_exceeds_the_maximum() {
        for usable in [480, 481, 512, 1000, 4096, 65536] {
            for limits in [Limits::table_leaf(usable), Limits::index(usable)] {
                for len in (0..70_000).chain([i32::MAX as u32]) {
                    let local = limits.local(len);
                    assert!(local <= limits.max_local && local <= len);
                    assert!(local == len || local >= limits.min_local);
                }
            }
        }
    }

    #[test]
    fn parts_are_read_as_one() {
        let payload = Payload::from_parts(&[b"abc", b"", b"defgh"], 3);
        assert_eq!(payload.len(), 11);
        for step in 1..12 {
            let mut reader = payload.reader();
            let mut out = [0xff; 11];
            for chunk in out.chunks_mut(step) {
                reader.copy_to(chunk);
            }
            assert_eq!(&out, b"abcdefgh\0\0\0", "in steps of {step}");
            let mut reader = payload.reader();
            reader.skip(step);
            reader.copy_to(&mut out[step.min(11)..]);
            assert_eq!(&out, b"abcdefgh\0\0\0", "after {step}");
        }
    }
}
