//! SQLite's file format as bytes: this crate opens no file and keeps no state.
//!
//! ```text
//!   file        header and page 1 | page 2 | page 3 | …
//!   -journal    header | records: old pages
//!   -wal        header | frames: new pages
//!   -shm        header, read marks, hash tables: the WAL index
//! ```
//!
//! Read first: [`btree_page::PageHeader`], [`record`], [`wal::FrameHeader`].
//!
//! Every module is one structure of the file, opens with its drawing, and is the only home of the offsets in it. The
//! crate knows storage classes (crate `value`) because records hold them; it must not know files, transactions, caches
//! or SQL.
//!
//! | module | what it draws |
//! | --- | --- |
//! | `page_no`, `page_size` | the number of a page, and how large it is |
//! | [`db_header`] | the first 100 bytes of a database |
//! | [`btree_page`] | the header of a B-tree page, its cell pointers and freeblocks |
//! | [`cell`], [`payload`] | the cells of the four kinds of page, and how much of a payload stays on the page |
//! | [`overflow`] | the pages of a payload that does not |
//! | [`serial_type`], [`record`] | a row or an index key as bytes: building, and reading column by column |
//! | [`freelist`], [`ptrmap`] | trunk pages; pointer-map pages of auto-vacuum databases |
//! | [`varint`], [`bytes`] | integers |
//! | [`journal`], [`wal`], [`wal_index`], [`locks`] | the files beside the database, and the bytes that are locked |
#![forbid(unsafe_code)]
#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]
#![cfg_attr(
    test,
    allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod btree_page;
pub mod bytes;
pub mod cell;
pub mod db_header;
pub mod freelist;
pub mod journal;
pub mod locks;
pub mod overflow;
mod page_no;
mod page_size;
pub mod payload;
pub mod ptrmap;
pub mod record;
pub mod serial_type;
pub mod varint;
pub mod wal;
pub mod wal_index;

pub use page_no::{MAX_PAGE_NO, PageNo};
pub use page_size::PageSize;

/// Bytes that no writer of the format writes, and the kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}
