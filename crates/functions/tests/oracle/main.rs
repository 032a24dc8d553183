//! The functions compared with SQLite: random and extreme arguments must have the same results and the same errors.
//!
//! `FUNCTIONS_ROUNDS=100 cargo test --profile checked -p lithe-functions` runs a hundred times as many cases; `FUNCTIONS_SEED` selects other
//! random numbers.

mod aggregates;
mod catalog;
mod dates;
mod formats;
mod scalars;
mod support;
