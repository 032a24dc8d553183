//! The frame of all experiments: turns, clocks, temporary folders, progress, results.
//!
//! | module | subject |
//! | --- | --- |
//! | `turns` | contestants taking turns, round by round |
//! | `duels` | many operations, each run by one library after the other |
//! | `threads` | work of several threads at once |
//! | `statistics` | medians and spread |
//! | `results` | the results, as stored in JSON |
//! | `goals` | goals, and whether they were reached |
//! | `judge` | comparison of measurements with goals |
//! | `table` | results as text |
//! | `progress` | bars on a terminal, plain lines elsewhere |
//! | `scratch` | a temporary folder, removed on every exit |
//! | `error` | errors, with messages for the user |

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
