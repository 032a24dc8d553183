//! What the full-text modules share: characters, runs of letters and digits, stems of English words.
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`unicode`] | UTF-8 however damaged, categories, small letters, marks |
//! | [`unicode61`] | tokens of letters and digits of all scripts |
//! | [`porter`] | stems of English words |
//!
//! This crate must not know virtual tables: it turns bytes into bytes. An index is the same to SQLite only if its tokens
//! are, so tables and rules are SQLite's to the letter. Texts come from outside, and nothing here can panic.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used))]

pub mod porter;
pub mod unicode;
pub mod unicode61;
