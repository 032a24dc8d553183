//! SQL text to syntax tree.
//!
//! This crate must not know databases: it resolves no names, opens no files and has no state.
//!
//! ```text
//!   text ──lexer──▶ tokens ──parser──▶ ast::Statement, in an arena
//!            ▲                  ▲
//!         keyword         limits, error
//! ```
//!
//! Read first: [`Lexer`], [`ast::Statement`], [`parse_statement`]; then `parser`, starting with `parser/mod.rs`. `text` converts literals and quoted names;
//! `complete` is for shells, `template` for repeated statements with different literals, `normalize` for tools that group
//! statements of the same form.

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

pub mod ast;
mod bare;
mod complete;
mod error;
pub mod keyword;
mod lexer;
mod limits;
mod normalize;
mod parameter_names;
mod parser;
mod template;
pub mod text;
mod token;

pub use bare::{Bare, BareTexts};
pub use complete::{first_statement_len, is_complete};
pub use error::ParseError;
pub use keyword::keywords;
pub use lexer::{Lexer, end_of_next_token};
pub use limits::Limits;
pub use normalize::normalize;
pub use parameter_names::parameter_names;
pub use parser::{Beginning, Parsed, parse_beginning, parse_statement};
pub use template::{LiteralValue, Template, Templated, Templates};
pub use token::{Token, TokenKind};
