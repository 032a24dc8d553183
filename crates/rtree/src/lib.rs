//! R-Trees: virtual tables that find boxes by ranges of their coordinates, with SQLite's SQL and SQLite's tables.
//!
//! ```text
//!   CREATE VIRTUAL TABLE r USING rtree(id, min0, max0, min1, max1, +label)
//!
//!   module ─ update ──► tree ── split        choice of a leaf, split and removal of nodes
//!     │                   │
//!     └── cursor ──► query│                  the boxes that satisfy the constraints
//!                      └──┴──► store ──► sql_store     r_node, r_rowid, r_parent
//!                               node         the bytes of a node
//! ```
//!
//! | module | subject |
//! | --- | --- |
//! | `module`, `declaration`, `table`, `scans` | the modules `rtree` and `rtree_i32`; their arguments; opened tables, and the scans on them |
//! | `tree`, `choose`, `split` | changes of the tree: choice of a leaf, growth of boxes, split and removal of nodes |
//! | `node`, `columns`, `nodes`, `bounds` | the bytes of a node; its coordinates as numbers; a cache of nodes; bounding boxes |
//! | `store`, `sql_store`, `shadow_tables` | the three tables of a tree: the interface to them, access by SQL, creating and dropping |
//! | `plan`, `constraint`, `cursor` | the plan of a scan, its constraints, scans |
//! | [`query`], `walk` | rows in the order that callbacks ask for; a depth-first walk without callbacks |
//! | [`geometry`](mod@geometry) | geometries of the application: the right operands of MATCH |
//! | `check`, `functions` | checks of a tree; `rtreenode()`, `rtreedepth()`, `rtreecheck()` |
//! | `geopoly` | Geopoly: polygons, found by their boxes in the same trees |
//! | `error` | errors |
//!
//! Read first: `node::Node`, `tree::Tree`, [`query::Query`]. The crate must not know the engine: it sees a connection through `lithe-vtab`;
//! its rules are those of SQLite's documentation (<https://www.sqlite.org/rtree.html>) and of files that SQLite has made.

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

mod bounds;
mod check;
mod choose;
mod columns;
mod constraint;
mod cursor;
mod declaration;
mod error;
mod functions;
pub mod geometry;
mod geopoly;
mod module;
mod node;
mod nodes;
mod plan;
pub mod query;
mod queue;
mod scans;
mod shadow_tables;
mod split;
mod sql_store;
mod store;
mod table;
mod tree;
mod walk;

use lithe_vtab::{Extension, ExtensionModule};

use bounds::CoordinateType;
pub use geometry::geometry_function;

/// The modules and functions of this crate.
pub const EXTENSION: Extension = Extension {
    name: "rtree",
    modules: &[
        ExtensionModule { name: "rtree", make: || Box::new(module::RTreeModule(CoordinateType::Float)) },
        ExtensionModule { name: "rtree_i32", make: || Box::new(module::RTreeModule(CoordinateType::Integer)) },
        ExtensionModule { name: "geopoly", make: || Box::new(geopoly::GeopolyModule) },
    ],
    functions: functions::all,
    collations: &[],
};
