//! SQL text to syntax tree.
//!
//! This crate must not know databases: it resolves no names, opens no files and has no state.

#![forbid(unsafe_code)]

pub mod ast;
mod limits;

pub use limits::Limits;
