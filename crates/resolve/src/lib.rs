//! From the syntax tree to the resolved tree: every name is resolved to its object, and every expression gets its affinity
//! and collation.
//!
//! ```text
//!                       Environment                  the connection, as compilation sees it
//!                         │  ├─ Arc<Catalog>
//!                         │  ├─ functions, collations, limits, flags
//!                         │  └─ Authorizer           called about what a statement reads and changes
//!                         ▼
//!   sql::ast ──────▶ resolver ──────▶ ir::Query      rewritten, planned and turned into programs by the crates above
//!                                     ResolvedInsert, ResolvedChange
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`environment`] | the state of the connection; the calls of its authorizer |
//! | [`authorize`] | the arguments and results of the authorizer callback |
//! | [`ir`] | the resolved tree |
//! | `resolver` | names → the resolved tree |
//!
//! Read first: [`environment::Environment`], [`ir::Query`], [`Resolver`].
//!
//! This crate must not know how a statement is run: no access path, no cost, no instruction. Trees live in the arena of one statement,
//! which is freed when its program is generated.

#![forbid(unsafe_code)]

pub mod authorize;
pub mod environment;
pub mod ir;
mod resolver;

pub use resolver::*;
