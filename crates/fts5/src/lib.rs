//! FTS5: full-text search in the file format of SQLite's FTS5.
//!
//! Here are the parts that need no storage. The virtual table, the segments and the functions are not there yet, so
//! nothing registers the module: `CREATE VIRTUAL TABLE … USING fts5` still answers `no such module`.
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`config`] | the arguments of CREATE VIRTUAL TABLE |
//! | [`query`] | the text of a MATCH: tokens, grammar, tree |
//! | [`tokenizer`] | text to tokens: the interface, `unicode61`, `ascii`, `porter`, `trigram` |
//! | [`unicode`] | characters: reading them, categories, small letters, marks |
//! | [`registry`] | the tokenizers and functions that an application adds to a connection |
//! | [`varint`] | SQLite's integers of one to nine bytes |
//! | [`position`] | position lists: where in a row a token stands |
//! | [`structure`] | the structure record: levels and segments |
//! | [`index`] | the inverted index: which rows a token stands in |
//! | [`search`] | a query that is being evaluated |
//! | [`table`] | what a table is: names, options, tokenizer, index |
//! | [`cursor`] | scans, and what functions see of a row |
//! | [`names`] | the names of shadow tables |
//!
//! This crate must not know the engine: it sees a connection through `lithe-vtab` only.
//!
//! What shadow tables, documents and queries contain comes from outside. Reading it never panics: the lints below leave no
//! operation that could.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used))]

pub mod config;
pub mod cursor;
pub mod index;
pub mod names;
pub mod position;
pub mod query;
pub mod rank;
pub mod registry;
pub mod search;
pub mod settings;
pub mod structure;
pub mod table;
pub mod tokenizer;
pub mod unicode;
pub mod varint;

pub use lithe_vtab::Result;
use lithe_vtab::{FunctionError, code};

/// A shadow table contains what cannot be.
pub(crate) fn corrupt() -> FunctionError {
    FunctionError::of_code(code::CORRUPT_VTAB)
}

/// Whether a byte belongs to a bareword, in queries as in options: an ASCII letter or digit, `_`, 0x1A, or not ASCII at all.
pub(crate) fn is_bareword(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x1a | 0x80..)
}
