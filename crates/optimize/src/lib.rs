//! From the resolved tree to the plan of each join: rewriting, access paths, join order, costs.
//!
//! ```text
//!   ir::Query ──rewrite──▶ ir::Query         a tree of the same meaning that costs less
//!                              │
//!                              ▼ JoinRequest: sources, conditions, the order wanted
//!   PlanContext ─────────▶ access ──▶ JoinPlan ──▶ the code generator
//!   usage, estimates                     └──explain──▶ EXPLAIN QUERY PLAN
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `rewrite` | trees into better trees of the same meaning |
//! | [`access`] | how a join is run, and what it costs |
//! | [`explain`] | the plan in SQLite's words |
//!
//! Read first: [`access::PlanContext`], [`access::JoinRequest`], [`access::JoinPlan`].
//!
//! This crate must not know how a plan becomes a program: no register, no instruction, no cursor. A plan is data in the statement's arena.

#![forbid(unsafe_code)]

pub mod access;
pub mod explain;
mod rewrite;
