//! Small modules of virtual tables and functions, each in one file, that use only the traits of `lithe-vtab`.
//!
//! | module | content |
//! | --- | --- |
//! | `base64`, `base85` | functions that encode BLOBs as text, and decode them |
//! | `completion` | the words that can complete the user's input |
//! | `csv` | the rows of a CSV file |
//! | `dbstat` | the pages of a database: their trees, and how full they are |
//! | `dbpage` | `sqlite_dbpage`: the pages themselves, readable and writable |
//! | `decimal` | arithmetic with decimal numbers of any length |
//! | `fileio` | functions that read and write files |
//! | `fsdir` | the files in a directory |
//! | `hash` | functions that hash values and results: SHA-1, SHA-3 |
//! | `ieee754` | functions that decompose reals |
//! | `percentile` | the aggregates `median`, `percentile`, `percentile_cont`, `percentile_disc` |
//! | `regexp` | functions that match a text against a pattern: the operator REGEXP |
//! | `series` | `generate_series(start, stop, step)` |
//! | `sqlar` | functions that compress and uncompress the files of an archive |
//! | `uint` | the collation that compares digits as numbers |
//! | `zipfile` | the members of a ZIP archive, readable and writable |
//!
//! [`LIBRARY`] has the modules of a `libsqlite3` that is built with SQLite's options for them; [`SHELL`] has those that SQLite's shell
//! adds.
//!
//! Pages, numbers and arguments come from outside: the lints below forbid operations that could panic on them.
#![forbid(unsafe_code)]
#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

mod base64;
mod base85;
mod completion;
mod csv;
mod dbpage;
mod dbstat;
mod decimal;
mod fileio;
mod fsdir;
mod function;
mod hash;
mod ieee754;
mod percentile;
mod regexp;
mod series;
mod sqlar;
mod tree;
mod uint;
mod zipfile;

use std::sync::{Arc, OnceLock};

use lithe_vtab::{Extension, ExtensionModule, Function};

/// The modules of the library.
pub const LIBRARY: Extension = Extension {
    name: "modules",
    modules: &[
        ExtensionModule { name: "dbstat", make: || Box::new(dbstat::Dbstat) },
        ExtensionModule { name: "sqlite_dbpage", make: || Box::new(dbpage::Dbpage) },
    ],
    functions: percentile::functions,
    collations: &[],
};

/// The modules that the shell adds.
pub const SHELL: Extension = Extension {
    name: "shell modules",
    modules: &[
        ExtensionModule { name: "completion", make: || Box::new(completion::Completion) },
        ExtensionModule { name: "csv", make: || Box::new(csv::Csv) },
        ExtensionModule { name: "fsdir", make: || Box::new(fsdir::FileSystem) },
        ExtensionModule { name: "generate_series", make: || Box::new(series::GenerateSeries) },
        ExtensionModule { name: "zipfile", make: || Box::new(zipfile::ZipFile) },
    ],
    functions: shell_functions,
    collations: &[("uint", uint::compare), ("decimal", decimal::collate)],
};

/// The functions that the shell adds, shared by the connections of a process.
fn shell_functions() -> &'static [Arc<Function>] {
    static FUNCTIONS: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let mut all = ieee754::functions().to_vec();
        all.extend(base64::functions());
        all.extend(base85::functions());
        all.extend(decimal::functions());
        all.extend(fileio::functions());
        all.extend(hash::functions());
        all.extend(regexp::functions());
        all.extend(sqlar::functions());
        all.extend(zipfile::functions());
        all
    })
}
