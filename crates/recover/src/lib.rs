//! Recovery: reads the rows that the pages of a damaged database still contain.
//!
//! ```text
//!   bytes ── Geometry::of ──► page size, usable size, encoding
//!     │
//!   PageSource ── Recovery::tree(root) ──► rows of one B-tree, damaged pages skipped
//!                     │   marks the pages that it visits
//!                 Recovery::lost_rows ──► rows of B-tree pages that no tree has visited
//! ```
//!
//! Every page is read on its own, and nothing on a page is trusted: a cell, a child or an overflow page outside the file is skipped, and
//! each page is visited at most once, so that reading ends whatever the pointers are. An overflow page belongs to the first cell that
//! reaches it; a payload is never longer than the file.
//!
//! The crate knows pages and records. It must not know SQL, connections or files.
#![forbid(unsafe_code)]

mod cells;
mod geometry;
mod page_set;
mod pages;
mod record;
mod tree;

pub use geometry::Geometry;
pub use lithe_format::PageNo;
pub use lithe_format::db_header::TextEncoding;
pub use pages::{Image, PageSource};
pub use record::Row;
pub use tree::{LostRow, Recovery};
