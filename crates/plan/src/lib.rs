//! From the syntax tree to a program: catalog, name resolution, access paths and costs, code generation.
//!
//! Must not know files, transactions or connections: all that it knows of the world is an [`Environment`].
//!
//! ```text
//!   ast ──resolve──▶ ir ──rewrite──▶ ir ──access──▶ join plans ──codegen──▶ Program
//!            ▲                               │
//!         catalog                            └──explain──▶ EXPLAIN QUERY PLAN
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`catalog`] | tables, indexes, views, triggers; building them from CREATE statements |
//! | [`ir`] | the resolved tree |
//! | [`resolve`] | names → the resolved tree |
//! | [`rewrite`] | trees into better trees of the same meaning |
//! | [`access`] | how a join is run, and what it costs |
//! | [`explain`] | the plan in SQLite's words |
//! | [`codegen`] | instructions |
//! | [`environment`] | what is known of the connection |
//! | [`authorize`] | asking the application whether a statement may do what it says |
//!
//! Trees live in the arena of one statement; nothing of them is left when its program is there.

#![forbid(unsafe_code)]

pub mod access;
pub mod authorize;
pub mod catalog;
pub mod codegen;
mod compile;
pub mod environment;
mod error;
pub mod explain;
pub mod ir;
pub mod resolve;
pub mod rewrite;

pub use codegen::ddl::with_single_quotes;
pub use compile::compile;
pub use environment::Environment;
pub use error::{CompileError, Result};
