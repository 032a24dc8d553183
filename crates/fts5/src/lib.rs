//! FTS5: full-text search in the file format of SQLite's FTS5.
//!
//! ```text
//!   CREATE VIRTUAL TABLE t USING fts5(title, body)
//!
//!   vtab ── update ──► table ── storage         x_content, x_docsize, x_config
//!     │                  └───── index           x_data, x_idx: segments of terms with their rows
//!     └──── plan ────► cursor ── search ──► index
//!                           └─── auxiliary      bm25, highlight, snippet
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `config` | the arguments of CREATE VIRTUAL TABLE |
//! | `settings` | the settings that commands change: `x_config` |
//! | `vtab` | the module and its tables: the interface to the engine |
//! | `table`, `update`, `check` | adding and removing documents; rows and commands; integrity-check |
//! | `storage` | documents, their sizes, the totals |
//! | `index` | the inverted index: the rows in which a token occurs |
//! | `structure`, [`position`], `varint` | the records of the index: levels and segments, places in a row, integers |
//! | `plan`, `cursor`, `numbers` | the plan of a scan; scans; their numbers |
//! | `query`, `search` | the text of a MATCH; a query that is being evaluated |
//! | [`auxiliary`], `rank` | functions of the current row of a scan, and their interface to it; the value of `rank` |
//! | `functions`, `locale` | functions of SQL that need no row; texts with a locale |
//! | `vocabulary` | the module fts5vocab |
//! | [`tokenizer`], [`registry`] | text to tokens; tokenizers and functions of the application |
//!
//! Read first: `table::Table`, `index::Index`, `cursor::Fts5Cursor`. This crate must not know the engine: it sees a connection through
//! `lithe-vtab` only.
//!
//! Shadow tables, documents and queries come from outside and may contain anything. Reading them never panics: the lints below forbid every
//! operation that could.
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

pub mod auxiliary;
mod check;
mod config;
mod cursor;
mod functions;
mod index;
mod locale;
mod numbers;
mod plan;
pub mod position;
mod query;
mod rank;
pub mod registry;
mod search;
mod settings;
mod storage;
mod structure;
mod table;
pub mod tokenizer;
mod update;
mod varint;
mod vocabulary;
mod vtab;

pub use lithe_vtab::Result;
use lithe_vtab::{Extension, ExtensionModule, FunctionError, code};

/// The module and functions of this crate.
pub const EXTENSION: Extension = Extension {
    name: "fts5",
    modules: &[
        ExtensionModule { name: "fts5", make: || Box::new(vtab::Fts5Module) },
        ExtensionModule { name: "fts5vocab", make: || Box::new(vocabulary::VocabularyModule) },
    ],
    functions: functions::all,
    collations: &[],
};

/// A shadow table contains what cannot be.
pub(crate) fn corrupt() -> FunctionError {
    FunctionError::of_code(code::CORRUPT_VTAB)
}

/// Whether a byte belongs to a bareword, in queries as in options: an ASCII letter or digit, `_`, 0x1A, or not ASCII at all.
pub(crate) fn is_bareword(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x1a | 0x80..)
}
