//! Small modules of virtual tables, each one file, on the traits of `lithe-vtab` alone.
//!
//! | module | its rows |
//! | --- | --- |
//! | `base64`, `base85` | functions that write BLOBs as text, and read them |
//! | `completion` | the words that may follow what somebody has typed |
//! | `csv` | the rows of a CSV file |
//! | `dbstat` | the pages of a database: to which tree they belong, and how full they are |
//! | `dbpage` | `sqlite_dbpage`: the pages themselves, to be read and written |
//! | `decimal` | arithmetic with decimal numbers of any length |
//! | `fileio` | functions that read and write files |
//! | `fsdir` | the files in a directory |
//! | `hash` | functions that hash values and results: SHA-1, SHA-3 |
//! | `ieee754` | functions that take reals apart |
//! | `percentile` | the aggregates `median`, `percentile`, `percentile_cont`, `percentile_disc` |
//! | `regexp` | functions that look for a pattern in a text: the operator REGEXP |
//! | `series` | `generate_series(start, stop, step)` |
//! | `sqlar` | functions that compress and uncompress the files of an archive |
//! | `uint` | the collation that compares digits as numbers |
//! | `zipfile` | the members of a ZIP archive, to be read and written |
//!
//! [`LIBRARY`] is what `libsqlite3` has when it is built with SQLite's options for them; [`SHELL`] has what SQLite's shell
//! adds.
//!
//! Pages, numbers and arguments come from outside: the lints below leave no operation that panics over them.
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

/// The modules that a library has.
pub const LIBRARY: Extension = Extension {
    name: "modules",
    modules: &[
        ExtensionModule { name: "dbstat", make: || Box::new(dbstat::Dbstat) },
        ExtensionModule { name: "sqlite_dbpage", make: || Box::new(dbpage::Dbpage) },
    ],
    functions: percentile::functions,
    collations: &[],
};

/// Those that a shell adds.
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

/// The functions that a shell adds, which the connections of a process share.
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
