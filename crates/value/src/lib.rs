//! Values: storage classes, affinity, collation, comparison, number to text and back.
//!
//! ```text
//!   bytes of a record, arguments ──► ValueRef ──► compare, cast, arith, affinity ──► Value
//! ```
//!
//! Read first: [`ValueRef`], [`Value`], [`Affinity`].
//!
//! One of the lowest crates: it uses no other crate of the workspace. It must not know files, pages, statements or connections; it has no
//! state and does no I/O. All code that holds, compares, converts or computes with an SQL value uses this crate, so that each of SQLite's rules
//! has one home.
//!
//! The modules in reading order:
//!
//! | module | its one subject |
//! | --- | --- |
//! | `value_ref` | [`ValueRef`]: a borrowed value, the argument of functions and comparisons |
//! | `value`, [`buffer`] | [`Value`]: an owned one whose buffer is reused |
//! | [`grow`] | vectors and texts that fail where memory is short |
//! | [`compare`], [`collation`] | the order of values, and of texts |
//! | `affinity` | column affinity: the affinity of a declared type, applying it, comparing under it |
//! | [`number`] | numbers as text, to SQLite's last digit, and back |
//! | [`cast`] | CAST, and reading any value as an integer, a real, or a truth |
//! | [`arith`] | the arithmetic and bit operators |
//! | `encoding`, [`utf8`] | UTF-16 and back, and UTF-8 that was not validated |
//! | [`pattern`] | LIKE and GLOB |
//!
//! Text is bytes: UTF-8 if the application that stored it passed valid UTF-8. No function here validates it, and none
//! fails on other bytes.

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

mod affinity;
pub mod arith;
pub mod buffer;
pub mod bytes;
pub mod cast;
pub mod collation;
pub mod compare;
mod encoding;
pub mod grow;
pub mod number;
pub mod pattern;
pub mod utf8;
mod value;
mod value_ref;

pub use affinity::Affinity;
pub use buffer::Buffer;
pub use collation::{Collation, CustomCollation};
pub use compare::compare;
pub use encoding::Encoding;
pub use grow::Grow;
pub use number::{NumberText, Numeric};
pub use value::Value;
pub use value_ref::{StorageClass, ValueRef};
