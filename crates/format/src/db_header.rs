//! The database header: the first 100 bytes of page 1.
//!
//! ```text
//!    0   "SQLite format 3\0"                                     16 bytes
//!   16   page size, 1 for 65536                                   2
//!   18   write version: 1 rollback journal, 2 WAL                 1
//!   19   read version                                             1
//!   20   reserved bytes at the end of every page                  1
//!   21   maximum embedded payload fraction, always 64             1
//!   22   minimum embedded payload fraction, always 32             1
//!   23   leaf payload fraction, always 32                         1
//!   24   file change counter                                      4
//!   28   size of the database in pages                            4
//!   32   first freelist trunk page                                4
//!   36   number of freelist pages                      meta 0     4
//!   40   schema cookie                                 meta 1     4
//!   44   schema format, 1 to 4                         meta 2     4
//!   48   suggested cache size                          meta 3     4
//!   52   largest root page, 0 without auto-vacuum      meta 4     4
//!   56   text encoding                                 meta 5     4
//!   60   user version                                  meta 6     4
//!   64   non-zero for incremental vacuum               meta 7     4
//!   68   application id                                meta 8     4
//!   72   zeros, reserved for expansion                           20
//!   92   change counter when the size at 28 was written           4
//!   96   SQLITE_VERSION_NUMBER of the library that wrote          4
//!  100   the B-tree header of page 1 follows
//! ```

use crate::bytes::{at_u16, at_u32, put_u16, put_u32};
use crate::{Malformed, PageNo, PageSize};

/// The length of the header.
pub const HEADER_LEN: usize = 100;
/// What every database starts with.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Offset of the page size (two bytes).
pub const PAGE_SIZE_AT: usize = 16;
/// Offset of the write version.
pub const WRITE_VERSION_AT: usize = 18;
/// Offset of the read version.
pub const READ_VERSION_AT: usize = 19;
/// Offset of the number of reserved bytes a page.
pub const RESERVED_AT: usize = 20;
/// Offset of the three payload fractions.
pub const FRACTIONS_AT: usize = 21;
/// Offset of the file change counter.
pub const CHANGE_COUNTER_AT: usize = 24;
/// Offset of the size of the database in pages.
pub const PAGE_COUNT_AT: usize = 28;
/// Offset of the number of the first freelist trunk page.
pub const FREELIST_TRUNK_AT: usize = 32;
/// Offset of the number of freelist pages, the first of the meta values.
pub const FREELIST_COUNT_AT: usize = 36;
/// Offset of the zeros reserved for expansion.
pub const EXPANSION_AT: usize = 72;
/// Offset of the change counter for which the page count is valid.
pub const VERSION_VALID_FOR_AT: usize = 92;
/// Offset of the version number of the library that wrote last.
pub const WRITER_VERSION_AT: usize = 96;

/// The three payload fractions: no other values have ever been allowed.
pub const FRACTIONS: [u8; 3] = [64, 32, 32];
/// The number of four-byte values from [`FREELIST_COUNT_AT`] on.
pub const META_COUNT: usize = 16;

const _: () = assert!(MAGIC.len() == PAGE_SIZE_AT);
const _: () = assert!(PAGE_SIZE_AT + 2 == WRITE_VERSION_AT);
const _: () = assert!(FRACTIONS_AT + FRACTIONS.len() == CHANGE_COUNTER_AT);
const _: () = assert!(FREELIST_TRUNK_AT + 4 == FREELIST_COUNT_AT);
const _: () = assert!(FREELIST_COUNT_AT + 4 * META_COUNT == HEADER_LEN);
const _: () = assert!(Meta::ApplicationId.offset() + 4 == EXPANSION_AT);
const _: () = assert!(EXPANSION_AT + 20 == VERSION_VALID_FOR_AT);
const _: () = assert!(WRITER_VERSION_AT + 4 == HEADER_LEN);

/// A four-byte value of the header that belongs to the layers above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Meta {
    /// Pages on the freelist.
    FreelistCount = 0,
    /// Changes whenever the schema does.
    SchemaCookie = 1,
    /// 1 to 4; format 4 has descending indexes and serial types 8 and 9.
    SchemaFormat = 2,
    /// `PRAGMA default_cache_size`.
    DefaultCacheSize = 3,
    /// The largest root page; not zero exactly in auto-vacuum databases.
    LargestRoot = 4,
    /// See [`TextEncoding`].
    TextEncoding = 5,
    /// `PRAGMA user_version`.
    UserVersion = 6,
    /// Not zero if free pages stay until `PRAGMA incremental_vacuum`.
    IncrementalVacuum = 7,
    /// `PRAGMA application_id`.
    ApplicationId = 8,
}

impl Meta {
    /// The value with this number.
    pub fn from_number(number: u8) -> Option<Meta> {
        Some(match number {
            0 => Meta::FreelistCount,
            1 => Meta::SchemaCookie,
            2 => Meta::SchemaFormat,
            3 => Meta::DefaultCacheSize,
            4 => Meta::LargestRoot,
            5 => Meta::TextEncoding,
            6 => Meta::UserVersion,
            7 => Meta::IncrementalVacuum,
            8 => Meta::ApplicationId,
            _ => return None,
        })
    }

    /// Where the value lies on page 1.
    #[inline]
    pub const fn offset(self) -> usize {
        FREELIST_COUNT_AT + 4 * self as usize
    }
}

/// The encoding of every text in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
#[repr(u8)]
pub enum TextEncoding {
    /// UTF-8.
    #[default]
    Utf8 = 1,
    /// UTF-16, little-endian.
    Utf16Le = 2,
    /// UTF-16, big-endian.
    Utf16Be = 3,
}

impl TextEncoding {
    /// The encoding of the header's value; 0 is a database whose encoding is not decided yet.
    pub const fn from_meta(value: u32) -> Option<TextEncoding> {
        match value {
            0 | 1 => Some(TextEncoding::Utf8),
            2 => Some(TextEncoding::Utf16Le),
            3 => Some(TextEncoding::Utf16Be),
            _ => None,
        }
    }
}

/// How a file is written or read, from its write or read version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileVersion {
    /// With a rollback journal (1).
    Rollback,
    /// With a write-ahead log (2).
    Wal,
    /// A version that is not known yet.
    Unknown(u8),
}

impl FileVersion {
    /// From the byte of the header.
    pub const fn decode(byte: u8) -> FileVersion {
        match byte {
            0 | 1 => FileVersion::Rollback,
            2 => FileVersion::Wal,
            n => FileVersion::Unknown(n),
        }
    }

    /// The byte of the header.
    pub const fn encode(self) -> u8 {
        match self {
            FileVersion::Rollback => 1,
            FileVersion::Wal => 2,
            FileVersion::Unknown(n) => n,
        }
    }
}

/// All the fields of the database header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbHeader {
    /// The size of every page.
    pub page_size: PageSize,
    /// The version that a writer must support.
    pub write_version: FileVersion,
    /// The version that a reader must support.
    pub read_version: FileVersion,
    /// Bytes at the end of each page that the format does not use.
    pub reserved: u8,
    /// Counts the transactions that changed the file (in rollback mode).
    pub change_counter: u32,
    /// The size in pages; trusted only if `version_valid_for` equals `change_counter`.
    pub page_count: u32,
    /// The first trunk page of the freelist.
    pub first_trunk: Option<PageNo>,
    /// The meta values, by [`Meta`].
    pub meta: [u32; 9],
    /// The change counter when `page_count` was written.
    pub version_valid_for: u32,
    /// The library that wrote last.
    pub writer_version: u32,
}

impl DbHeader {
    /// The header of a new database: schema format and encoding are still undecided (zero).
    pub fn new(page_size: PageSize, reserved: u8) -> DbHeader {
        DbHeader {
            page_size,
            write_version: FileVersion::Rollback,
            read_version: FileVersion::Rollback,
            reserved,
            change_counter: 0,
            page_count: 1,
            first_trunk: None,
            meta: [0; 9],
            version_valid_for: 0,
            writer_version: 0,
        }
    }

    /// Reads and checks the first 100 bytes of a file. An error means that the file is "not a database".
    pub fn read(bytes: &[u8]) -> Result<DbHeader, Malformed> {
        let bytes = bytes.first_chunk::<HEADER_LEN>().ok_or(Malformed("file shorter than a database header"))?;
        if !bytes.starts_with(MAGIC) {
            return Err(Malformed("no database magic"));
        }
        let page_size = PageSize::decode(at_u16(bytes, PAGE_SIZE_AT)).ok_or(Malformed("page size is none"))?;
        if !bytes.iter().skip(FRACTIONS_AT).take(FRACTIONS.len()).eq(&FRACTIONS) {
            return Err(Malformed("payload fractions are not 64, 32, 32"));
        }
        let reserved = bytes[RESERVED_AT];
        page_size.usable(reserved).ok_or(Malformed("too many reserved bytes"))?;
        let mut meta = [0; 9];
        for (index, value) in meta.iter_mut().enumerate() {
            *value = at_u32(bytes, FREELIST_COUNT_AT + 4 * index);
        }
        Ok(DbHeader {
            page_size,
            write_version: FileVersion::decode(bytes[WRITE_VERSION_AT]),
            read_version: FileVersion::decode(bytes[READ_VERSION_AT]),
            reserved,
            change_counter: at_u32(bytes, CHANGE_COUNTER_AT),
            page_count: at_u32(bytes, PAGE_COUNT_AT),
            first_trunk: PageNo::new(at_u32(bytes, FREELIST_TRUNK_AT)),
            meta,
            version_valid_for: at_u32(bytes, VERSION_VALID_FOR_AT),
            writer_version: at_u32(bytes, WRITER_VERSION_AT),
        })
    }

    /// Writes all 100 bytes.
    #[expect(clippy::indexing_slicing, reason = "a caller owes the 100 bytes of a header")]
    pub fn write(&self, bytes: &mut [u8]) {
        bytes[..HEADER_LEN].fill(0);
        bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        put_u16(bytes, PAGE_SIZE_AT, self.page_size.encode());
        bytes[WRITE_VERSION_AT] = self.write_version.encode();
        bytes[READ_VERSION_AT] = self.read_version.encode();
        bytes[RESERVED_AT] = self.reserved;
        bytes[FRACTIONS_AT..][..3].copy_from_slice(&FRACTIONS);
        put_u32(bytes, CHANGE_COUNTER_AT, self.change_counter);
        put_u32(bytes, PAGE_COUNT_AT, self.page_count);
        put_u32(bytes, FREELIST_TRUNK_AT, self.first_trunk.map_or(0, PageNo::get));
        for (index, &value) in self.meta.iter().enumerate() {
            put_u32(bytes, FREELIST_COUNT_AT + 4 * index, value);
        }
        put_u32(bytes, VERSION_VALID_FOR_AT, self.version_valid_for);
        put_u32(bytes, WRITER_VERSION_AT, self.writer_version);
    }

    /// One of the meta values.
    pub fn meta(&self, which: Meta) -> u32 {
        self.meta.get(which as usize).copied().unwrap_or_default()
    }

    /// The page count, if the library that wrote last maintains it; `None`: the reader uses the file's size.
    pub fn trusted_page_count(&self) -> Option<u32> {
        let trusted = self.version_valid_for == self.change_counter && self.page_count > 0;
        trusted.then_some(self.page_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let mut header = DbHeader::new(PageSize::MAX, 8);
        header.change_counter = 7;
        header.version_valid_for = 7;
        header.page_count = 12;
        header.first_trunk = PageNo::new(5);
        header.meta = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        header.write_version = FileVersion::Wal;
        header.read_version = FileVersion::Unknown(9);
        header.writer_version = 3054001;
        let mut bytes = [0xffu8; 120];
        header.write(&mut bytes);
        assert_eq!(DbHeader::read(&bytes), Ok(header.clone()));
        assert_eq!(header.trusted_page_count(), Some(12));
        assert_eq!(header.meta(Meta::ApplicationId), 9);
        assert_eq!(at_u32(&bytes, Meta::UserVersion.offset()), 7);
        assert_eq!(bytes[100], 0xff);
    }

    #[test]
    fn what_is_not_a_database() {
        let mut good = [0u8; 100];
        DbHeader::new(PageSize::MIN, 32).write(&mut good);
        let check = |at: usize, byte: u8, what: &'static str| {
            let mut bytes = good;
            bytes[at] = byte;
            assert_eq!(DbHeader::read(&bytes), Err(Malformed(what)));
        };
        check(0, b's', "no database magic");
        check(PAGE_SIZE_AT + 1, 3, "page size is none");
        check(FRACTIONS_AT, 63, "payload fractions are not 64, 32, 32");
        check(RESERVED_AT, 33, "too many reserved bytes");
        assert!(DbHeader::read(&good).is_ok());
        assert!(DbHeader::read(&good[..99]).is_err());
    }
}
