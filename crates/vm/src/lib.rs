//! The register machine: a compiled [`program::Program`] in, rows out.
//!
//! This crate knows cursors, values and functions. It must not know SQL text, names to be resolved, or plans.
//! Read first: [`insn::Insn`], [`Program`], [`Vm`].
//!
//! ```text
//!              Program (shared, immutable)             Host: the connection
//!                  │                                       │
//!   Vm ── bind ──► Machine ◄────────────── run ────────────┘
//!                  │  registers │ cursors │ frames
//!                  │            │
//!                  │            ├── trees       B-trees of the database
//!                  │            ├── ephemeral   temporary tables, indexes, sets: in memory, then in a temporary tree
//!                  │            ├── sorter      in memory, then in runs of a temporary file
//!                  │            └── hash        join tables: in memory, then in a temporary tree
//!                  └── rows
//! ```
//!
//! Reading order: [`insn`] (the instruction set), [`program`] and [`builder`] (how a program is put together),
//! [`vm`] (running one), `run` (the loop), `machine`, `frame` and [`register`] (what the loop works on), `row` (records and
//! cursors on trees), `cursor`, then the instruction families: `flow`, `compare`, `arithmetic`, `column`, `seek`, `record`,
//! `write`, `aggregate`, `grouping`, `subprogram`. Instruction families use the machine, and the machine knows none of them.
#![deny(unsafe_code)]

mod accumulator;
mod aggregate;
mod analyze;
mod arena;
mod arithmetic;
mod boxed_error;
pub mod builder;
mod call;
mod column;
mod compare;
pub mod connection_state;
mod constants;
mod cursor;
mod ephemeral;
pub mod error;
pub mod explain;
mod flow;
mod frame;
mod fuse;
mod group;
mod grouping;
mod hash;
mod held_pages;
pub mod host;
pub mod insn;
mod keys;
mod machine;
mod open;
pub mod operand;
mod preupdate;
pub mod profile;
pub mod program;
mod rare;
mod record;
pub mod register;
pub mod result_columns;
mod row;
mod rowset;
mod run;
mod scan;
mod schema;
mod seek;
mod sequence;
mod sorter;
pub mod status;
mod strict;
mod subprogram;
mod table_function;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod verify;
pub mod vm;
mod write;

pub use call::call_alone;
pub use connection_state::ConnectionState;
pub use error::Error;
pub use host::Host;
/// Virtual tables, as the machine uses them.
pub use lithe_vtab as virtual_table;
pub use program::Program;
pub use vm::{Step, Vm};
