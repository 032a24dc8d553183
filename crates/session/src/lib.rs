//! Sessions: the changes of a database, recorded as a changeset, combined with other changesets, and applied to another database.
//!
//! ```text
//!   rows that change ──► Session ──► changeset ──► Input ──► Iterator ──► apply ──► rows of another database
//!                          ▲            │                       │            │
//!   two tables ──── diff ──┘            │                       ▼            ▼
//!                                       └──► invert, ChangeGroup, Rebaser ◄── conflicts
//! ```
//!
//! | module | subject |
//! | --- | --- |
//! | `record`, `records` | values and records as bytes; the recorded rows |
//! | `header` | the header of a table's changes |
//! | `input` | the bytes of a changeset, whole or in pieces |
//! | `iterator` | the changes of a changeset, one after the other |
//! | `changes`, `merge` | changes of one table by their primary key, in SQLite's order; two changes of a row merged into one |
//! | `schema` | the schema of a recorded table |
//! | [`session`], `generate`, `diff` | recording changes, writing them, comparing two tables |
//! | `size_bound` | how long the changeset of a session may be |
//! | [`invert`](invert()) | the inverse of a changeset |
//! | `group` | several changesets combined into one; changes made value by value |
//! | [`mod@apply`] | applying a changeset; conflicts |
//! | `rebase` | local changes rebased on remote ones |
//!
//! Read first: [`Session`], [`ChangesetIterator`], [`Apply`]. This crate must not know the engine: it uses a database only through
//! [`SqlConnection`].
//!
//! # The bytes
//!
//! ```text
//!   changeset := table*                       a patchset begins its tables with P
//!   table     := 'T' | varint nCol | nCol PK bytes | name | 00 | change*
//!   change    := operation | indirect | record          DELETE: old values, INSERT: new values
//!              | operation | indirect | record record   UPDATE: old values, new values
//!   value     := 00 | 01 i64 | 02 f64 | 03 varint bytes | 04 varint bytes | 05
//! ```
//!
//! A patchset has only the primary key of a DELETE, and one record for an UPDATE: the primary key and the new values.

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

pub mod apply;
mod changes;
mod diff;
mod generate;
mod group;
mod header;
mod input;
mod invert;
mod iterator;
mod merge;
mod rebase;
mod record;
mod records;
mod schema;
pub mod session;
mod size_bound;
#[cfg(test)]
mod tests;

pub use apply::{Answer, Apply, Conflict, Handler, apply};
pub use group::ChangeGroup;
pub use header::{Format, TableHeader};
pub use input::Input;
pub use invert::invert;
pub use iterator::ChangesetIterator;
pub use lithe_vtab::{FunctionError, Grow, Result, RowOperation, SqlConnection, Value, ValueRef, code};
pub use rebase::Rebaser;
pub use session::{Session, SessionOptions, TableFilter};

/// The error for bytes that are not a changeset.
pub(crate) fn corrupt() -> FunctionError {
    FunctionError::of_code(code::CORRUPT)
}
