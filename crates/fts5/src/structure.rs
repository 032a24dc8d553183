//! The structure record (id 10 of `x_data`): the segments, their levels, and the progress of merges.
//!
//! ```text
//!   u32 cookie | FF 00 00 01 if V2 | varint levels | varint segments | varint write counter
//!   a level:    varint merging | varint segments
//!   a segment:  varint id | varint first page | varint last page
//!               V2: varint origin 1 | varint origin 2 | varint tombstone pages | varint tombstones | varint entries
//! ```
//!
//! Level 0 has the newest segments, and the last segment of a level is its newest. Tables with contentless_delete=1 have V2.

use crate::{Result, corrupt, varint};

const COOKIE_LEN: usize = 4;
/// Behind the cookie of a V2 record.
const V2_MARK: [u8; 4] = [0xff, 0, 0, 1];
/// The largest number of levels or segments.
pub const SEGMENTS_MAX: u64 = 2000;

/// The segments of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Counts changes of the configuration.
    pub cookie: u32,
    /// Whether segments have origins and tombstones.
    pub is_v2: bool,
    /// The number of leaf pages that were ever written to level 0.
    pub write_counter: u64,
    /// The levels, the newest first.
    pub levels: Vec<Level>,
}

/// Segments of about the same size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// The number of segments, from the oldest on, that are being merged into the last segment of the next level.
    pub merging: usize,
    /// The segments, the oldest first.
    pub segments: Vec<Segment>,
}

/// A sorted run of terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Its number: part of the ids of its pages.
    pub id: u64,
    /// Its first leaf page.
    pub first_page: u64,
    /// Its last leaf page.
    pub last_page: u64,
    /// V2: the oldest transaction that it has rows of.
    pub origin_first: u64,
    /// V2: the newest transaction that it has rows of.
    pub origin_last: u64,
    /// V2: the number of pages of tombstones.
    pub tombstone_pages: u64,
    /// V2: the number of tombstones.
    pub tombstones: u64,
    /// V2: the number of rows.
    pub entries: u64,
}

impl Structure {
    /// Reads a record.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    pub fn read(bytes: &[u8]) -> Result<Structure> {
        let (cookie, rest) = bytes.split_first_chunk::<COOKIE_LEN>().ok_or_else(corrupt)?;
        let (is_v2, body) = match rest.strip_prefix(&V2_MARK) {
            Some(body) => (true, body),
            None => (false, rest),
        };
        let mut numbers = Numbers { bytes: body, at: 0 };
        let level_count = numbers.count()?;
        let segment_count = numbers.count()?;
        let write_counter = numbers.next()?;
        let mut structure = Structure { cookie: u32::from_be_bytes(*cookie), is_v2, write_counter, levels: Vec::new() };
        let mut left = segment_count;
        for _ in 0..level_count {
            let merging = numbers.count()?;
            let count = numbers.count()?;
            left = left.checked_sub(count).ok_or_else(corrupt)?;
            let segments = (0..count).map(|_| numbers.segment(is_v2)).collect::<Result<Vec<_>>>()?;
            structure.levels.push(Level { merging, segments });
        }
        if left != 0 || !structure.merges_make_sense() {
            return Err(corrupt());
        }
        Ok(structure)
    }

    /// Checks that a merge has its segments, and a segment on the next level that it fills.
    fn merges_make_sense(&self) -> bool {
        let next = self.levels.iter().skip(1).map(Some).chain(std::iter::once(None));
        self.levels.iter().zip(next).all(|(level, next)| {
            let has_output = next.is_some_and(|next| !next.segments.is_empty());
            level.merging <= level.segments.len() && (level.merging == 0 || has_output)
        })
    }

    /// The record.
    pub fn write(&self) -> Vec<u8> {
        let mut out = self.cookie.to_be_bytes().to_vec();
        if self.is_v2 {
            out.extend(V2_MARK);
        }
        varint::write(&mut out, self.levels.len() as u64);
        varint::write(&mut out, self.segment_count() as u64);
        varint::write(&mut out, self.write_counter);
        for level in &self.levels {
            varint::write(&mut out, level.merging as u64);
            varint::write(&mut out, level.segments.len() as u64);
            for segment in &level.segments {
                segment.write(&mut out, self.is_v2);
            }
        }
        out
    }

    /// The number of segments.
    pub fn segment_count(&self) -> usize {
        self.levels.iter().map(|level| level.segments.len()).sum()
    }

    /// The lowest number that no segment has. `None` if there is no place for another segment.
    pub fn free_id(&self) -> Option<u64> {
        let mut taken: Vec<u64> = self.levels.iter().flat_map(|level| &level.segments).map(|one| one.id).collect();
        taken.sort_unstable();
        taken.dedup();
        let free = taken.iter().zip(1..).find(|(id, wanted)| *id != wanted).map(|(_, wanted)| wanted);
        free.or(Some(taken.len() as u64 + 1)).filter(|id| *id <= SEGMENTS_MAX)
    }

    /// The origin that rows get that are inserted now (V2).
    pub fn next_origin(&self) -> u64 {
        let newest = self.levels.iter().flat_map(|level| &level.segments).map(|one| one.origin_last).max();
        newest.unwrap_or(0).saturating_add(1)
    }
}

impl Segment {
    fn write(&self, out: &mut Vec<u8>, is_v2: bool) {
        for number in [self.id, self.first_page, self.last_page] {
            varint::write(out, number);
        }
        if is_v2 {
            let more = [self.origin_first, self.origin_last, self.tombstone_pages, self.tombstones, self.entries];
            more.into_iter().for_each(|number| varint::write(out, number));
        }
    }
}

struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Numbers<'_> {
    fn next(&mut self) -> Result<u64> {
        varint::read(self.bytes, &mut self.at).ok_or_else(corrupt)
    }

    fn count(&mut self) -> Result<usize> {
        self.next()?.try_into().ok().filter(|count| *count as u64 <= SEGMENTS_MAX).ok_or_else(corrupt)
    }

    fn segment(&mut self, is_v2: bool) -> Result<Segment> {
        let (id, first_page, last_page) = (self.next()?, self.next()?, self.next()?);
        if last_page < first_page {
            return Err(corrupt());
        }
        let mut segment = Segment { id, first_page, last_page, ..Segment::default() };
        if is_v2 {
            segment.origin_first = self.next()?;
            segment.origin_last = self.next()?;
            segment.tombstone_pages = self.next()?;
            segment.tombstones = self.next()?;
            segment.entries = self.next()?;
        }
        Ok(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_table_is_sqlites() {
        assert_eq!(Structure::default().write(), [0; 7]);
        let v2 = Structure { is_v2: true, ..Structure::default() };
        assert_eq!(v2.write(), [0, 0, 0, 0, 0xff, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn records_come_back_and_every_shorter_one_is_damaged() {
        let segment =
            |id| Segment { id, first_page: 1, last_page: 300, origin_first: 1, origin_last: 7, ..Segment::default() };
        let merging = Level { merging: 2, segments: vec![segment(1), segment(3)] };
        let output = Level { merging: 0, segments: vec![segment(2)] };
        let structure = Structure { cookie: 9, is_v2: true, write_counter: 70, levels: vec![merging, output] };
        let bytes = structure.write();
        assert_eq!(Structure::read(&bytes).unwrap(), structure);
        assert_eq!((structure.free_id(), structure.next_origin()), (Some(4), 8));
        for len in 0..bytes.len() {
            assert_eq!(Structure::read(&bytes[..len]).unwrap_err(), corrupt(), "{len}");
        }
    }

    #[test]
    fn damage_is_found() {
        for body in [
            &[1, 1, 0, 0, 0][..],            // a segment is missing
            &[1, 1, 0, 1, 1, 1, 1, 1],       // a merge on the last level
            &[1, 1, 0, 0, 1, 1, 2, 1],       // the last page in front of the first
            &[2, 1, 0, 1, 1, 1, 1, 1, 0, 0], // a merge into nothing
            &[0x8f, 0x51, 0, 0],             // 2001 levels
        ] {
            let bytes = [&[0; 4], body].concat();
            assert_eq!(Structure::read(&bytes).unwrap_err(), corrupt(), "{body:?}");
        }
    }
}
