//! The functions against SQLite: random and nasty arguments, the same results and the same errors.
//!
//! `ORACLE_ROUNDS=100 cargo test --profile checked -p lithe-functions` makes a hundred times as many; `SEED` replays
//! others than the usual ones.

mod aggregates;
mod catalog;
mod dates;
mod formats;
mod scalars;
mod support;
