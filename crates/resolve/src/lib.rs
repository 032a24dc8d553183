//! From the syntax tree to the resolved tree: every name finds what it means, every expression its affinity and collation.
//!
//! ```text
//!                       Environment                  the connection, as compilation sees it
//!                         │  ├─ Arc<Catalog>
//!                         │  ├─ functions, collations, limits, flags
//!                         │  └─ Authorizer           asked about what a statement reads and changes
//!                         ▼
//!   sql::ast ──────▶ resolver ──────▶ ir::Query      rewritten, planned and turned into programs by the crates above
//!                                     ResolvedInsert, ResolvedChange
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`environment`] | what is known of the connection; the questions to its authorizer |
//! | [`authorize`] | what the authorizer is asked, and what it answers |
//! | [`ir`] | the resolved tree |
//! | `resolver` | names → the resolved tree |
//!
//! Read first: [`environment::Environment`], [`ir::Query`], [`Resolver`].
//!
//! This crate must not know how a statement is run: no access path, no cost, no instruction. Trees live in the arena of one statement;
//! nothing of them is left when its program is made.

#![forbid(unsafe_code)]

pub mod authorize;
pub mod environment;
pub mod ir;
mod resolver;

pub use resolver::*;
