//! FTS3 and FTS4: full-text search in the file formats of SQLite's older modules.
//!
//! ```text
//!   CREATE VIRTUAL TABLE t USING fts4(title, body)
//!
//!   vtab ── update ──► table ── storage         x_content, x_docsize, x_stat
//!     │                  └───── index           x_segdir, x_segments: segments of terms with their rows
//!     └──── plan ────► cursor ── search ──► index
//!                           └─── auxiliary      snippet, offsets, matchinfo, optimize
//! ```
//!
//! | module | subject |
//! | --- | --- |
//! | `config`, `words` | the arguments of CREATE VIRTUAL TABLE; the words that they are made of |
//! | `vtab` | the modules and their tables: the interface to the engine |
//! | `table`, `update`, `check` | indexing of documents; changes of rows and commands; integrity-check |
//! | `storage`, `shadow` | documents, their sizes, the totals; the tables that hold them |
//! | `index` | the inverted index: the rows that have a term |
//! | `doclist`, `varint` | rows with positions, integers |
//! | `plan`, `cursor` | the plan of a scan; scans, and the state that auxiliary functions read |
//! | `query`, `search` | the parser of a MATCH; the evaluation of a query |
//! | `auxiliary` | functions of the current row of a scan |
//! | `terms`, `tokenize` | the modules fts4aux and fts3tokenize |
//! | [`tokenizer`], [`registry`] | text to tokens; the tokenizers of a connection |
//!
//! Read first: `table::Table`, `index::Index`, `cursor::Fts3Cursor`. This crate must not know the engine: it sees a connection through
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

mod auxiliary;
mod check;
mod config;
mod cursor;
mod doclist;
mod index;
mod plan;
mod query;
pub mod registry;
mod search;
mod shadow;
mod storage;
mod table;
mod terms;
mod tokenize;
pub mod tokenizer;
mod update;
mod varint;
mod vtab;
mod words;

pub use lithe_vtab::Result;
use lithe_vtab::{Extension, ExtensionModule, FunctionError, code};

/// The modules and functions of this crate.
pub const EXTENSION: Extension = Extension {
    name: "fts3",
    modules: &[
        ExtensionModule { name: "fts3", make: || Box::new(vtab::Fts3Module { is_fts4: false }) },
        ExtensionModule { name: "fts4", make: || Box::new(vtab::Fts3Module { is_fts4: true }) },
        ExtensionModule { name: "fts4aux", make: || Box::new(terms::TermsModule) },
        ExtensionModule { name: "fts3tokenize", make: || Box::new(tokenize::TokenizeModule) },
    ],
    functions: auxiliary::unusable,
    collations: &[],
};

/// A shadow table has invalid content.
pub(crate) fn corrupt() -> FunctionError {
    FunctionError::of_code(code::CORRUPT_VTAB)
}
