//! The WAL index: the shared memory in which processes find the frames of a log. Words are in the byte
//! order of the machine: the memory never leaves it.
//!
//! It is a row of regions of 32 KiB, each a table of the pages of some frames and a hash over it:
//!
//! ```text
//!   0                136                        16384                        32768
//!   | header         | 4062 page numbers        | 8192 hash slots of 16 bits |    region 0
//!   | 4096 page numbers                         | 8192 hash slots of 16 bits |    regions 1, 2, ...
//! ```
//!
//! The header of region 0, in words of 32 bits:
//!
//! ```text
//!    0  12      24         25              30        32                     34
//!    | header | the same | backfilled    | 5 read  | lock slots (bytes)   | being      | unused
//!    | copy   | again    | frames        | marks   | nothing is stored    | backfilled |
//!
//!   0       1      2        3              4       5         6        8       10
//!   | 3007000 | 0 | changes | init, order, | last  | db size | sum of | salts | checksum of     |
//!   |         |   |         | page size    | frame | (pages) | it     |       | the words before|
//! ```
//!
//! A writer stores the second copy first, and a reader reads the first copy first: a reader that reads two equal copies
//! has read one state.

use crate::wal::{Salts, Sum, SumOrder};
use crate::{PageNo, PageSize};

/// The version of the layout.
pub const VERSION: u32 = 3_007_000;

/// How many words one copy of the header has.
pub const HEADER_WORDS: usize = 12;
/// The word of the second copy.
pub const SECOND_COPY_AT: usize = HEADER_WORDS;
/// The word that counts the frames that are in the database file.
pub const BACKFILL_AT: usize = 24;
/// The first word of the read marks.
pub const READ_MARKS_AT: usize = 25;
/// The word that counts the frames that a checkpoint has started to copy into the database file.
pub const BACKFILL_ATTEMPTED_AT: usize = 32;
/// The words before the first page number.
const INDEX_HEADER_WORDS: usize = 34;
const _: () = assert!(READ_MARKS_AT + crate::locks::READ_MARKS == 30);
const _: () = assert!(4 * 30 == crate::locks::SHM_LOCKS_AT as usize);

/// A read mark that no reader uses.
pub const READ_MARK_UNUSED: u32 = 0xffff_ffff;

/// The page numbers of a region, in words.
const PAGES_WORDS: usize = 4096;
/// The hash slots of a region.
pub const HASH_SLOTS: usize = 8192;
/// The 16-bit word of a region at which the hash begins.
const HASH_AT: usize = 2 * PAGES_WORDS;
/// How many frames fit the first region.
pub const FIRST_REGION_FRAMES: u32 = (PAGES_WORDS - INDEX_HEADER_WORDS) as u32;
const _: () = assert!(FIRST_REGION_FRAMES == 4062);
const _: () = assert!(4 * PAGES_WORDS + 2 * HASH_SLOTS == 32 * 1024);

/// The state of the log, on which all processes agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexHeader {
    /// Counts the transactions.
    pub changes: u32,
    /// The byte order of the log's checksums.
    pub order: SumOrder,
    /// The size of the pages; `None` as long as there is no log.
    pub page_size: Option<PageSize>,
    /// The last committed frame; 0: the log is empty.
    pub last_frame: u32,
    /// The size of the database in pages.
    pub page_count: u32,
    /// The checksum of the last frame.
    pub sum: Sum,
    /// The salts of the log.
    pub salts: Salts,
}

impl IndexHeader {
    /// The header of an empty log.
    pub const EMPTY: IndexHeader = IndexHeader {
        changes: 0,
        order: SumOrder::NATIVE,
        page_size: None,
        last_frame: 0,
        page_count: 0,
        sum: Sum([0; 2]),
        salts: Salts([0; 2]),
    };

    /// Reads one copy; `None` if it has never been initialised or is half written.
    pub fn read(words: &[u32; HEADER_WORDS]) -> Option<IndexHeader> {
        let [initialised, big_endian, size @ ..] = words[3].to_ne_bytes();
        if initialised == 0 || words[10..] != checksum(words) {
            return None;
        }
        Some(IndexHeader {
            changes: words[2],
            order: if big_endian == 0 { SumOrder::Little } else { SumOrder::Big },
            page_size: PageSize::decode(u16::from_ne_bytes(size)),
            last_frame: words[4],
            page_count: words[5],
            sum: Sum([words[6], words[7]]),
            salts: Salts([u32::from_be(words[8]), u32::from_be(words[9])]),
        })
    }

    /// The version in a copy.
    pub fn version_of(words: &[u32; HEADER_WORDS]) -> u32 {
        words[0]
    }

    /// The header as words.
    pub fn write(&self) -> [u32; HEADER_WORDS] {
        let [high, low] = self.page_size.map_or(0, PageSize::encode).to_ne_bytes();
        let big_endian = u8::from(self.order == SumOrder::Big);
        let mut words = [
            VERSION,
            0,
            self.changes,
            u32::from_ne_bytes([1, big_endian, high, low]),
            self.last_frame,
            self.page_count,
            self.sum.0[0],
            self.sum.0[1],
            self.salts.0[0].to_be(),
            self.salts.0[1].to_be(),
            0,
            0,
        ];
        let sum = checksum(&words);
        words[10..].copy_from_slice(&sum);
        words
    }
}

/// The checksum of a header's first ten words, computed as for frames, in the machine's byte order.
fn checksum(words: &[u32; HEADER_WORDS]) -> [u32; 2] {
    let mut bytes = [0u8; 40];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    Sum::default().add(SumOrder::NATIVE, &bytes).0
}

/// The place of a frame in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlace {
    /// The region.
    pub region: u32,
    /// The frame's number within the region, from 1; hash slots contain this number.
    pub entry: u16,
}

impl FramePlace {
    /// The place of frame `frame`, which is not 0.
    #[inline]
    pub const fn of(frame: u32) -> FramePlace {
        let shifted = frame as u64 - 1 + INDEX_HEADER_WORDS as u64;
        let region = (shifted / PAGES_WORDS as u64) as u32;
        let entry = frame - first_frame_before(region);
        FramePlace { region, entry: entry as u16 }
    }

    /// The word of the region that holds the page number of this frame.
    #[inline]
    pub const fn page_word(self) -> usize {
        page_word(self.region, self.entry)
    }
}

/// The frame before the first of `region`: the entry of a hash slot is added to it.
#[inline]
pub const fn first_frame_before(region: u32) -> u32 {
    match region {
        0 => 0,
        n => FIRST_REGION_FRAMES + (n - 1) * PAGES_WORDS as u32,
    }
}

/// How many frames fit `region`.
#[inline]
pub const fn region_frames(region: u32) -> u32 {
    if region == 0 { FIRST_REGION_FRAMES } else { PAGES_WORDS as u32 }
}

/// The word of `region` that holds the page number of its frame `entry`.
#[inline]
pub const fn page_word(region: u32, entry: u16) -> usize {
    let first = if region == 0 { INDEX_HEADER_WORDS } else { 0 };
    first + entry as usize - 1
}

/// The hash slot with which a page's search begins.
#[inline]
pub const fn first_slot(no: PageNo) -> usize {
    (no.get().wrapping_mul(383) as usize) & (HASH_SLOTS - 1)
}

/// The slot after `slot`.
#[inline]
pub const fn next_slot(slot: usize) -> usize {
    (slot + 1) & (HASH_SLOTS - 1)
}

/// The 16-bit word of a region that is hash slot `slot`.
#[inline]
pub const fn slot_half(slot: usize) -> usize {
    HASH_AT + slot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        let header = IndexHeader {
            changes: 9,
            order: SumOrder::Big,
            page_size: Some(PageSize::MAX),
            last_frame: 4,
            page_count: 3,
            sum: Sum([5, 6]),
            salts: Salts([7, 8]),
        };
        let words = header.write();
        assert_eq!(IndexHeader::read(&words), Some(header));
        for word in 0..HEADER_WORDS {
            let mut torn = words;
            torn[word] ^= 1 << 20;
            assert_eq!(IndexHeader::read(&torn), None, "word {word}");
        }
        assert_eq!(IndexHeader::read(&[0; HEADER_WORDS]), None);
    }

    #[test]
    fn places_of_frames() {
        let check = |frame: u32, region: u32, entry: u16| {
            assert_eq!(FramePlace::of(frame), FramePlace { region, entry }, "frame {frame}");
            assert_eq!(first_frame_before(region) + u32::from(entry), frame);
            assert!(FramePlace::of(frame).page_word() < PAGES_WORDS);
        };
        check(1, 0, 1);
        check(4062, 0, 4062);
        check(4063, 1, 1);
        check(4062 + 4096, 1, 4096);
        check(4062 + 4097, 2, 1);
        check(0xffff_ffff, 1_048_576, 33);
        assert_eq!(FramePlace::of(1).page_word(), 34);
    }
}
