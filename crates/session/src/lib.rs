//! Sessions: what changes in a database, recorded as a changeset, combined with others, and applied to another database.
//!
//! ```text
//!   rows that change ──► Session ──► changeset ──► Input ──► Iterator ──► apply ──► rows of another database
//!                          ▲            │                       │            │
//!   two tables ──── diff ──┘            │                       ▼            ▼
//!                                       └──► invert, ChangeGroup, Rebaser ◄── conflicts
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `record` | values and records as bytes |
//! | [`header`] | the table that changes are about |
//! | [`input`] | changesets as bytes that come whole or in pieces |
//! | [`iterator`] | the changes of a changeset, one after the other |
//! | `changes` | changes of one table by their primary key, in SQLite's order |
//! | `schema` | what a session knows of a table |
//! | [`session`], [`generate`], `diff` | recording changes, writing them out, comparing two tables |
//! | [`invert`](invert()) | the changeset that undoes another |
//! | [`group`] | several changesets as one; changes made by hand |
//! | [`mod@apply`] | applying a changeset, and what to do about conflicts |
//! | [`rebase`] | local changes on top of those of others |
//!
//! Must not know the engine: all that it does with a database goes through [`SqlConnection`].
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
pub mod generate;
pub mod group;
pub mod header;
pub mod input;
mod invert;
pub mod iterator;
mod merge;
pub mod rebase;
mod record;
mod schema;
pub mod session;
#[cfg(test)]
mod tests;

pub use apply::{Answer, Apply, Conflict, Handler, apply};
pub use group::ChangeGroup;
pub use header::{Format, TableHeader};
pub use input::Input;
pub use invert::invert;
pub use iterator::ChangesetIterator;
pub use lithe_vtab::{FunctionError, Result, RowOperation, SqlConnection, Value, ValueRef, code};
pub use rebase::Rebaser;
pub use session::{Session, SessionOptions, TableFilter};

/// The error of bytes that are no changeset.
pub(crate) fn corrupt() -> FunctionError {
    FunctionError::of_code(code::CORRUPT)
}
