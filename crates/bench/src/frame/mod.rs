//! What every experiment stands on: turns, clocks, temporary folders, progress, results.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `turns` | contestants taking turns, round by round |
//! | `duels` | many operations, each done by one library after the other |
//! | `threads` | work done by several threads at once |
//! | `statistics` | medians and spread |
//! | `results` | what was measured, as it is kept in JSON |
//! | `goals` | what was to be reached |
//! | `judge` | was it reached |
//! | `table` | results as text |
//! | `progress` | bars on a terminal, plain lines elsewhere |
//! | `scratch` | a temporary folder, gone on every way out |
//! | `error` | what can go wrong, in words that help |

pub mod duels;
pub mod error;
pub mod goals;
pub mod judge;
pub mod progress;
pub mod results;
pub mod scratch;
pub mod statistics;
pub mod table;
pub mod threads;
pub mod turns;

pub use error::{Context, Error, Result};
