//! The write-ahead log: a header, then frames, each the new image of one page.
//!
//! ```text
//!   0       4         8           12         16       20       24      28      32
//!   | magic | format  | page size | sequence | salt 1 | salt 2 | sum 1 | sum 2 |        the header
//!
//!   0       4           8        12       16      20      24
//!   | page  | db size * | salt 1 | salt 2 | sum 1 | sum 2 | page image ...              a frame
//! ```
//!
//! * in pages, on the frame that commits a transaction; 0 on every other frame.
//!
//! The checksums run through the whole file: a frame's covers its first 8 bytes and its page, and continues the one
//! before. A frame counts if its salts are the header's, its checksum is right, and the frames before it count; content
//! counts up to the last frame that commits. All integers are big-endian, but the checksums add up words of the byte
//! order that the magic number states.

use crate::bytes::{at_u32, put_u32};
use crate::{PageNo, PageSize};

/// The length of the header.
pub const HEADER_LEN: usize = 32;
/// The bytes of a frame beside its page.
pub const FRAME_HEADER_LEN: usize = 24;
/// The version of the format.
pub const FORMAT: u32 = 3_007_000;

const MAGIC_LITTLE_ENDIAN: u32 = 0x377f_0682;
const MAGIC_BIG_ENDIAN: u32 = 0x377f_0683;

const FORMAT_AT: usize = 4;
const PAGE_SIZE_AT: usize = 8;
const SEQUENCE_AT: usize = 12;
const SALTS_AT: usize = 16;
const SUMS_AT: usize = 24;
const _: () = assert!(SUMS_AT + 8 == HEADER_LEN);

/// Offset of the size of the database, on a frame that commits.
pub const DB_SIZE_AT: usize = 4;
const FRAME_SALTS_AT: usize = 8;
const FRAME_SUMS_AT: usize = 16;
const _: () = assert!(FRAME_SUMS_AT + 8 == FRAME_HEADER_LEN);

/// The byte order of the words that checksums add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumOrder {
    /// Little-endian words.
    Little,
    /// Big-endian words.
    Big,
}

impl SumOrder {
    /// The order of this machine, which new logs use.
    pub const NATIVE: SumOrder = if cfg!(target_endian = "little") { SumOrder::Little } else { SumOrder::Big };
}

/// Two numbers that distinguish the frames of this run of the log from leftovers of the run before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Salts(pub [u32; 2]);

/// A running checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(pub [u32; 2]);

/// The header of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalHeader {
    /// The byte order of the checksums.
    pub order: SumOrder,
    /// The size of the pages.
    pub page_size: PageSize,
    /// How many times the log was restarted.
    pub sequence: u32,
    /// The salts of this run's frames.
    pub salts: Salts,
}

impl WalHeader {
    /// Reads a header and the checksum that the first frame continues; `None` if the header is not valid, which makes
    /// the log empty.
    pub fn read(bytes: &[u8; HEADER_LEN]) -> Option<(WalHeader, Sum)> {
        let order = match at_u32(bytes, 0) {
            MAGIC_LITTLE_ENDIAN => SumOrder::Little,
            MAGIC_BIG_ENDIAN => SumOrder::Big,
            _ => return None,
        };
        let sum = Sum::default().add(order, &bytes[..SUMS_AT]);
        if sum != read_sum(bytes, SUMS_AT) {
            return None;
        }
        let header = WalHeader {
            order,
            page_size: PageSize::new(at_u32(bytes, PAGE_SIZE_AT))?,
            sequence: at_u32(bytes, SEQUENCE_AT),
            salts: read_salts(bytes, SALTS_AT),
        };
        Some((header, sum))
    }

    /// The version of the format in a header.
    pub fn format_of(bytes: &[u8; HEADER_LEN]) -> u32 {
        at_u32(bytes, FORMAT_AT)
    }

    /// The header as bytes, and the checksum that the first frame continues.
    pub fn write(&self) -> ([u8; HEADER_LEN], Sum) {
        let mut bytes = [0; HEADER_LEN];
        let magic = match self.order {
            SumOrder::Little => MAGIC_LITTLE_ENDIAN,
            SumOrder::Big => MAGIC_BIG_ENDIAN,
        };
        put_u32(&mut bytes, 0, magic);
        put_u32(&mut bytes, FORMAT_AT, FORMAT);
        put_u32(&mut bytes, PAGE_SIZE_AT, self.page_size.get());
        put_u32(&mut bytes, SEQUENCE_AT, self.sequence);
        put_pair(&mut bytes, SALTS_AT, self.salts.0);
        let sum = Sum::default().add(self.order, &bytes[..SUMS_AT]);
        put_pair(&mut bytes, SUMS_AT, sum.0);
        (bytes, sum)
    }

    /// The length of one frame.
    pub const fn frame_len(&self) -> u64 {
        frame_len(self.page_size)
    }
}

/// The length of one frame.
pub const fn frame_len(page_size: PageSize) -> u64 {
    FRAME_HEADER_LEN as u64 + page_size.get() as u64
}

/// The offset of frame `frame`; the first is number 1.
#[inline]
pub const fn frame_offset(frame: u32, page_size: PageSize) -> u64 {
    HEADER_LEN as u64 + (frame as u64 - 1) * frame_len(page_size)
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// The page whose image the frame has.
    pub no: PageNo,
    /// The size of the database after the transaction that this frame commits; 0: the frame does not commit.
    pub db_size: u32,
}

impl FrameHeader {
    /// Reads a frame and the checksum that the next one continues; `None` if the frame does not count.
    pub fn read(
        wal: &WalHeader,
        before: Sum,
        header: &[u8; FRAME_HEADER_LEN],
        page: &[u8],
    ) -> Option<(FrameHeader, Sum)> {
        if read_salts(header, FRAME_SALTS_AT) != wal.salts {
            return None;
        }
        let no = PageNo::new(at_u32(header, 0))?;
        let sum = before.add(wal.order, &header[..FRAME_SALTS_AT]).add(wal.order, page);
        let counts = sum == read_sum(header, FRAME_SUMS_AT);
        counts.then_some((FrameHeader { no, db_size: at_u32(header, DB_SIZE_AT) }, sum))
    }

    /// The header of the frame of `page`, and the checksum that the next frame continues.
    pub fn write(&self, order: SumOrder, salts: Salts, before: Sum, page: &[u8]) -> ([u8; FRAME_HEADER_LEN], Sum) {
        let mut bytes = [0; FRAME_HEADER_LEN];
        put_u32(&mut bytes, 0, self.no.get());
        put_u32(&mut bytes, DB_SIZE_AT, self.db_size);
        put_pair(&mut bytes, FRAME_SALTS_AT, salts.0);
        let sum = before.add(order, &bytes[..FRAME_SALTS_AT]).add(order, page);
        put_pair(&mut bytes, FRAME_SUMS_AT, sum.0);
        (bytes, sum)
    }
}

impl Sum {
    /// Adds `bytes`, a multiple of 8 of them.
    ///
    /// Each pair of words goes through `a += x + b; b += y + a`, a chain in which every step depends on the one before.
    /// The steps are linear, though: four quarters are added up side by side, each from zero, and the contribution of
    /// the quarters before is multiplied in afterwards.
    #[must_use]
    pub fn add(self, order: SumOrder, bytes: &[u8]) -> Sum {
        match order {
            SumOrder::Little => self.add_words(bytes, u32::from_le_bytes),
            SumOrder::Big => self.add_words(bytes, u32::from_be_bytes),
        }
    }

    #[inline]
    fn add_words(self, bytes: &[u8], word: impl Fn([u8; 4]) -> u32 + Copy) -> Sum {
        assert!(bytes.len().is_multiple_of(8), "checksums add up pairs of words");
        const WORTHWHILE: usize = 256;
        if bytes.len() < WORTHWHILE || !bytes.len().is_multiple_of(32) {
            return bytes.as_chunks().0.iter().fold(self, |sum, pair| sum.step(pair, word));
        }
        let quarter = bytes.len() / 4;
        let (first, rest) = bytes.split_at(quarter);
        let (second, rest) = rest.split_at(quarter);
        let (third, fourth) = rest.split_at(quarter);
        let mut sums = [self, Sum::default(), Sum::default(), Sum::default()];
        let pairs =
            first.as_chunks().0.iter().zip(second.as_chunks().0).zip(third.as_chunks().0).zip(fourth.as_chunks().0);
        for (((a, b), c), d) in pairs {
            sums[0] = sums[0].step(a, word);
            sums[1] = sums[1].step(b, word);
            sums[2] = sums[2].step(c, word);
            sums[3] = sums[3].step(d, word);
        }
        let over_a_quarter = Steps::of(quarter / 8);
        sums[1..].iter().fold(sums[0], |before, sum| over_a_quarter.after(before).plus(*sum))
    }

    #[inline]
    fn step(self, pair: &[u8; 8], word: impl Fn([u8; 4]) -> u32) -> Sum {
        let [a, b] = self.0;
        let [x0, x1, x2, x3, y0, y1, y2, y3] = *pair;
        let a = a.wrapping_add(word([x0, x1, x2, x3])).wrapping_add(b);
        let b = b.wrapping_add(word([y0, y1, y2, y3])).wrapping_add(a);
        Sum([a, b])
    }

    fn plus(self, other: Sum) -> Sum {
        Sum([self.0[0].wrapping_add(other.0[0]), self.0[1].wrapping_add(other.0[1])])
    }
}

/// The effect of `n` steps over zeros on a checksum: a matrix of Fibonacci numbers.
///
/// One step is `(a, b) -> (a + b, a + 2b)`, so n of them are `(F(2n-1) F(2n); F(2n) F(2n+1))`.
#[derive(Clone, Copy, Debug)]
struct Steps {
    before: u32,
    middle: u32,
    after: u32,
}

impl Steps {
    const ONE: Steps = Steps { before: 1, middle: 1, after: 2 };
    const NONE: Steps = Steps { before: 1, middle: 0, after: 1 };

    fn of(mut n: usize) -> Steps {
        let (mut power, mut total) = (Steps::ONE, Steps::NONE);
        while n > 0 {
            if n & 1 == 1 {
                total = total.then(power);
            }
            power = power.then(power);
            n >>= 1;
        }
        total
    }

    /// The product of two such matrices, which is another one.
    fn then(self, other: Steps) -> Steps {
        let dot = |a: u32, b: u32, c: u32, d: u32| a.wrapping_mul(b).wrapping_add(c.wrapping_mul(d));
        Steps {
            before: dot(self.before, other.before, self.middle, other.middle),
            middle: dot(self.before, other.middle, self.middle, other.after),
            after: dot(self.middle, other.middle, self.after, other.after),
        }
    }

    fn after(self, sum: Sum) -> Sum {
        let [a, b] = sum.0;
        Sum([
            self.before.wrapping_mul(a).wrapping_add(self.middle.wrapping_mul(b)),
            self.middle.wrapping_mul(a).wrapping_add(self.after.wrapping_mul(b)),
        ])
    }
}

fn read_salts(bytes: &[u8], at: usize) -> Salts {
    Salts([at_u32(bytes, at), at_u32(bytes, at + 4)])
}

fn read_sum(bytes: &[u8], at: usize) -> Sum {
    Sum([at_u32(bytes, at), at_u32(bytes, at + 4)])
}

fn put_pair(bytes: &mut [u8], at: usize, pair: [u32; 2]) {
    put_u32(bytes, at, pair[0]);
    put_u32(bytes, at + 4, pair[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum as the file format's documentation defines it.
    fn by_the_book(start: Sum, order: SumOrder, bytes: &[u8]) -> Sum {
        let [mut a, mut b] = start.0;
        for pair in bytes.chunks(8) {
            let word = |at: usize| {
                let word: [u8; 4] = pair[at..at + 4].try_into().unwrap();
                if order == SumOrder::Little { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) }
            };
            a = a.wrapping_add(word(0)).wrapping_add(b);
            b = b.wrapping_add(word(4)).wrapping_add(a);
        }
        Sum([a, b])
    }

    #[test]
    fn sums() {
        let bytes: Vec<u8> = (0..65536u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for order in [SumOrder::Little, SumOrder::Big] {
            for len in [0, 8, 24, 64, 256, 264, 288, 512, 1024, 4096, 65536] {
                let start = Sum([0xdead_beef, len as u32]);
                assert_eq!(start.add(order, &bytes[..len]), by_the_book(start, order, &bytes[..len]), "{len} bytes");
            }
        }
    }

    #[test]
    fn headers_and_frames_come_back() {
        for order in [SumOrder::Little, SumOrder::Big] {
            let wal = WalHeader { order, page_size: PageSize::MIN, sequence: 4, salts: Salts([1, 0xffff_fff0]) };
            let (bytes, sum) = wal.write();
            assert_eq!(WalHeader::read(&bytes), Some((wal, sum)));
            let page = [7u8; 512];
            let frame = FrameHeader { no: PageNo::new(3).unwrap(), db_size: 12 };
            let (header, after) = frame.write(order, wal.salts, sum, &page);
            assert_eq!(FrameHeader::read(&wal, sum, &header, &page), Some((frame, after)));
            assert_eq!(FrameHeader::read(&wal, after, &header, &page), None);
            let other = WalHeader { salts: Salts([2, 0]), ..wal };
            assert_eq!(FrameHeader::read(&other, sum, &header, &page), None);
            let mut torn = bytes;
            torn[12] ^= 1;
            assert_eq!(WalHeader::read(&torn), None);
        }
    }

    #[test]
    fn places() {
        assert_eq!(frame_offset(1, PageSize::DEFAULT), 32);
        assert_eq!(frame_offset(u32::MAX, PageSize::MAX), 32 + (u64::from(u32::MAX) - 1) * 65560);
    }
}
