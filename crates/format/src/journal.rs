//! The rollback journal: the old versions of the pages that a transaction overwrites.
//!
//! The file is one or more segments. Each begins on a sector boundary with a header, padded to the sector size, and
//! continues with its records:
//!
//! ```text
//!   0           8         12      16          20            24          28
//!   | magic     | records | nonce | db size * | sector size | page size | padding
//!   | page number 4 | page as it was           | checksum 4 |            a record
//! ```
//!
//! * in pages, when the transaction began: a rollback truncates the file to it.
//!
//! A commit over several files ends the journal of each with the name of their super-journal. Such a journal counts
//! only as long as the super-journal exists:
//!
//! ```text
//!   | lock-byte page 4 | name | its length 4 | checksum 4 | magic 8 |      end of the file
//! ```

use crate::bytes::{at_u32, get_u32, put_u32};
use crate::{PageNo, PageSize};

/// The first bytes of every segment. A journal whose first byte is zero is not hot.
pub const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// The part of the header that is not padding.
pub const HEADER_LEN: usize = 28;
/// Offset of the number of records.
pub const RECORDS_AT: usize = 8;
const NONCE_AT: usize = 12;
const PAGE_COUNT_AT: usize = 16;
const SECTOR_SIZE_AT: usize = 20;
const PAGE_SIZE_AT: usize = 24;
const _: () = assert!(MAGIC.len() == RECORDS_AT && PAGE_SIZE_AT + 4 == HEADER_LEN);

/// A number of records that means: as many as fit the file.
pub const RECORDS_TO_THE_END: u32 = 0xffff_ffff;

/// The bytes of a record beside its page.
pub const RECORD_OVERHEAD: usize = 8;

/// No device has larger sectors; a header with a larger size is damaged.
pub const SECTOR_SIZE_MAX: u32 = 0x10000;
/// The least length that a header is padded to.
pub const SECTOR_SIZE_MIN: u32 = 32;

/// The header of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalHeader {
    /// How many records follow.
    pub records: u32,
    /// The start value of the records' checksums: random, so that leftovers of an older journal are not taken for
    /// records of this one.
    pub nonce: u32,
    /// The size of the database in pages when the transaction began.
    pub page_count: u32,
    /// The length that headers are padded to.
    pub sector_size: u32,
    /// The size of a page of the database.
    pub page_size: PageSize,
}

impl JournalHeader {
    /// Reads a header; `None` if the bytes are not a valid one, which ends a journal.
    pub fn read(bytes: &[u8]) -> Option<JournalHeader> {
        if bytes.len() < HEADER_LEN || !bytes.starts_with(&MAGIC) {
            return None;
        }
        let sector_size = at_u32(bytes, SECTOR_SIZE_AT);
        let sane = (SECTOR_SIZE_MIN..=SECTOR_SIZE_MAX).contains(&sector_size) && sector_size.is_power_of_two();
        if !sane {
            return None;
        }
        Some(JournalHeader {
            records: at_u32(bytes, RECORDS_AT),
            nonce: at_u32(bytes, NONCE_AT),
            page_count: at_u32(bytes, PAGE_COUNT_AT),
            sector_size,
            page_size: PageSize::new(at_u32(bytes, PAGE_SIZE_AT))?,
        })
    }

    /// The header as bytes, without its padding.
    pub fn write(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes.iter_mut().zip(MAGIC).for_each(|(byte, magic)| *byte = magic);
        put_u32(&mut bytes, RECORDS_AT, self.records);
        put_u32(&mut bytes, NONCE_AT, self.nonce);
        put_u32(&mut bytes, PAGE_COUNT_AT, self.page_count);
        put_u32(&mut bytes, SECTOR_SIZE_AT, self.sector_size);
        put_u32(&mut bytes, PAGE_SIZE_AT, self.page_size.get());
        bytes
    }

    /// The length of one record.
    pub const fn record_len(&self) -> u64 {
        self.page_size.get() as u64 + RECORD_OVERHEAD as u64
    }

    /// Where the segment after one that ends at `end` begins.
    pub const fn next_sector(&self, end: u64) -> Option<u64> {
        end.checked_next_multiple_of(self.sector_size as u64)
    }
}

/// The checksum of a record: every 200th byte of the page, from its end backwards. It detects records of another
/// journal, not every torn page; the syncs protect against torn pages.
pub fn record_checksum(nonce: u32, page: &[u8]) -> u32 {
    const STRIDE: usize = 200;
    // The first byte never counts.
    let behind = page.get(1..).unwrap_or_default();
    let counted = behind.rchunks_exact(STRIDE).filter_map(<[u8]>::first);
    counted.fold(nonce, |sum, &byte| sum.wrapping_add(u32::from(byte)))
}

/// One record, with a checked checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The page.
    pub no: PageNo,
    /// The old content of the page.
    pub page: &'a [u8],
}

impl<'a> Record<'a> {
    /// Reads a record of the segment of `header`; `None` if the checksum or the page number is not valid.
    pub fn read(header: &JournalHeader, bytes: &'a [u8]) -> Option<Record<'a>> {
        let no = PageNo::new(get_u32(bytes, 0)?)?;
        let end = 4 + header.page_size.bytes();
        let page = bytes.get(4..end)?;
        let intact = get_u32(bytes, end)? == record_checksum(header.nonce, page);
        intact.then_some(Record { no, page })
    }
}

/// The bytes that a super-journal adds to the end of a journal, beside its name.
pub const SUPER_OVERHEAD: usize = 20;
const SUPER_TAIL: usize = 16;

/// The last bytes of a journal whose commit depends on the super-journal `name`.
pub fn super_journal_record(name: &[u8], page_size: PageSize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len() + SUPER_OVERHEAD);
    bytes.extend_from_slice(&page_size.lock_byte_page().get().to_be_bytes());
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(&(name.len() as u32).to_be_bytes());
    bytes.extend_from_slice(&name_checksum(name).to_be_bytes());
    bytes.extend_from_slice(&MAGIC);
    bytes
}

/// The length of the super-journal's name, from the last 16 bytes of a journal; `None` if there is
/// no name.
pub fn super_journal_name_len(tail: &[u8; SUPER_TAIL]) -> Option<u32> {
    let len = at_u32(tail, 0);
    (tail[8..] == MAGIC && len > 0).then_some(len)
}

/// Whether `name` has the checksum that is in the last 16 bytes of a journal.
pub fn super_journal_name_is_intact(name: &[u8], tail: &[u8; SUPER_TAIL]) -> bool {
    at_u32(tail, 4) == name_checksum(name)
}

/// The sum of the bytes as values of the platform's C type `char`, signed or not.
fn name_checksum(name: &[u8]) -> u32 {
    name.iter().fold(0u32, |sum, &byte| sum.wrapping_add(byte as std::ffi::c_char as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> JournalHeader {
        JournalHeader { records: 3, nonce: 77, page_count: 9, sector_size: 512, page_size: PageSize::DEFAULT }
    }

    #[test]
    fn headers_come_back() {
        let bytes = header().write();
        assert_eq!(JournalHeader::read(&bytes), Some(header()));
        assert_eq!(JournalHeader::read(&bytes[..27]), None);
        let check = |at: usize, byte: u8| {
            let mut bad = bytes;
            bad[at] = byte;
            assert_eq!(JournalHeader::read(&bad), None, "byte {at}");
        };
        check(0, 0);
        check(SECTOR_SIZE_AT + 3, 1);
        check(SECTOR_SIZE_AT, 1);
        check(PAGE_SIZE_AT + 3, 1);
    }

    #[test]
    fn records_are_checked() {
        let mut bytes = vec![0u8; 4096 + RECORD_OVERHEAD];
        bytes[3] = 5;
        bytes[4 + 4096 - 200] = 9;
        let sum = record_checksum(77, &bytes[4..4100]);
        assert_eq!(sum, 77 + 9);
        bytes[4100..].copy_from_slice(&sum.to_be_bytes());
        let record = Record::read(&header(), &bytes).unwrap();
        assert_eq!(record.no.get(), 5);
        bytes[4 + 4096 - 400] = 1;
        assert_eq!(Record::read(&header(), &bytes), None);
        assert_eq!(Record::read(&header(), &bytes[..4100]), None);
    }

    #[test]
    fn super_journals() {
        let record = super_journal_record(b"/tmp/x-mj01", PageSize::DEFAULT);
        let tail = record.last_chunk().unwrap();
        assert_eq!(super_journal_name_len(tail), Some(11));
        let name = &record[4..15];
        assert!(super_journal_name_is_intact(name, tail));
        assert!(!super_journal_name_is_intact(b"/tmp/x-mj02", tail));
        assert_eq!(super_journal_name_len(&[0; 16]), None);
    }
}
