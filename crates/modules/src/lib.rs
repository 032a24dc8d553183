//! Small modules of virtual tables, each one file, on the traits of `lithe-vtab` alone.
//!
//! | module | its rows |
//! | --- | --- |
//! | `dbstat` | the pages of a database: to which tree they belong, and how full they are |
//! | `dbpage` | `sqlite_dbpage`: the pages themselves, to be read and written |
//! | `ieee754` | functions that take reals apart |
//! | `percentile` | the aggregates `median`, `percentile`, `percentile_cont`, `percentile_disc` |
//! | `series` | `generate_series(start, stop, step)` |
//! | `uint` | the collation that compares digits as numbers |
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

mod dbpage;
mod dbstat;
mod ieee754;
mod percentile;
mod series;
mod tree;
mod uint;

use lithe_vtab::{Extension, ExtensionModule, ModuleKind};

/// The modules that a library has.
pub const LIBRARY: Extension = Extension {
    name: "modules",
    modules: &[
        ExtensionModule { name: "dbstat", kind: ModuleKind::Eponymous, make: || Box::new(dbstat::Dbstat) },
        ExtensionModule { name: "sqlite_dbpage", kind: ModuleKind::Eponymous, make: || Box::new(dbpage::Dbpage) },
    ],
    functions: percentile::functions,
    collations: &[],
};

/// Those that a shell adds.
pub const SHELL: Extension = Extension {
    name: "shell modules",
    modules: &[ExtensionModule {
        name: "generate_series",
        kind: ModuleKind::EponymousOnly,
        make: || Box::new(series::GenerateSeries),
    }],
    functions: ieee754::functions,
    collations: &[("uint", uint::compare)],
};
