//! SQL functions: scalar, aggregate, window, date and time.
//!
//! Each built-in function is one entry of a table: its name, how many arguments it takes, what the planner may assume about it,
//! and its code. The application's functions are of the same type, [`Function`].
//! This crate must not know statements: a function receives borrowed values and a [`Context`], and writes a result.
//!
//! ```text
//!   name, number of arguments ──► Registry ──► Function ──► its code, with Context and &[ValueRef] ──► Context::out
//! ```
//!
//! Read first: [`Function`], [`Context`], [`Registry`]. The modules in reading order:
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`signature`] | how a function is called: arguments, flags, the code of scalar functions |
//! | `function` | [`Function`], of any kind |
//! | `context` | [`Context`]: the result, the connection, the state kept per call site |
//! | [`sql`] | the access of functions and modules to their connection: statements, BLOBs, other tables |
//! | `row_change` | a change of a row, as the pre-update hook receives it |
//! | `registry` | [`Registry`]: finding a function by name and number of arguments |
//! | [`scalar`] | scalar functions, a module for each kind |
//! | `format` | `format()`, alias `printf()` |
//! | [`date`] | dates and times |
//! | [`json`] | JSON and JSONB |
//! | [`aggregate`] | aggregates: built-in ones and the application's |
//! | `window` | functions that need a window |

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
    allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable)
)]

pub mod aggregate;
mod context;
pub mod date;
pub mod error;
mod format;
mod function;
pub mod json;
mod kept_table;
mod registry;
mod row_change;
mod row_table;
pub mod scalar;
pub mod signature;
pub mod sql;
mod table;
mod window;

pub use aggregate::{AggregateFunction, AggregateState, BuiltinAccumulator, BuiltinAggregate};
pub use context::{Arguments, CallSite, Connection, Context, PlainArguments, Pointer};
pub use error::{FunctionError, Result};
pub use format::{FormatArguments, IntegerType, Output as FormatOutput, format_arguments, format_values};
pub use function::{Function, Kind};
pub use kept_table::KeptTable;
pub use registry::{Lookup, Registry};
pub use row_change::{RowChange, RowOperation};
pub use row_table::RowTable;
pub use signature::{
    Arity, Beside, ConditionFn, Flags, SHORT_TEXT_MAX, ScalarFn, ScalarFunction, ShortText, Shortcut, ShortcutFn,
};
pub use sql::{BlobPlace, ChangeWatcher, Kept, PageAccess, SqlBlob, SqlConnection, SqlStatement};
pub use window::{Ranking, WindowFunction};
