//! The locks of Lithe in every order in which threads may run through them, by [loom](https://docs.rs/loom).
//!
//! The sources are those of the product (see `build.rs`); what they call is modelled here as far as they need it.
//! `tests/soundness/run.sh` runs it: `LOOM_MAX_PREEMPTIONS=3 cargo test --release`.

#![cfg(test)]

mod mutex;
mod readers;
mod sync;
mod thread;
mod commit_queue;
