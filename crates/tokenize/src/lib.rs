//! Common to the full-text modules: characters, runs of letters and digits, stems of English words.
//!
//! ```text
//!   bytes ── unicode ──► characters ── unicode61 ──► tokens ── porter ──► stems
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`unicode`] | UTF-8 that may be damaged, categories, small letters, marks |
//! | [`unicode61`] | tokens of letters and digits of all scripts |
//! | [`porter`] | stems of English words |
//!
//! Read first: [`unicode61::Unicode61`], [`porter::stem`], [`unicode::read`].
//!
//! This crate must not know virtual tables: it turns bytes into bytes. SQLite and this library only find the same rows
//! in an index if the tokens are the same, so tables and rules are exactly SQLite's. Texts come from outside, and no
//! function here may panic.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used))]

pub mod porter;
pub mod unicode;
pub mod unicode61;
