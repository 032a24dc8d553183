//! From the resolved tree to the plan of a statement: rewriting, access paths, join order, costs.
//!
//! ```text
//!   ir::Query ──rewrite──▶ ir::Query         a tree of the same meaning that costs less
//!                              │
//!                              ▼
//!   Planner ──query, select, from, …──▶ QueryPlan ──▶ the code generator
//!                   │ JoinRequest           └──explain──▶ EXPLAIN QUERY PLAN
//!                   ▼
//!   PlanContext ─▶ access ─▶ JoinPlan        sources, conditions, the order wanted ─▶ nested loops
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `rewrite` | trees into better trees of the same meaning |
//! | [`plan`] | the plan as data |
//! | [`planner`] | the state of planning a statement |
//! | `query`, `compound` | the plan of a query; UNION, INTERSECT, EXCEPT |
//! | [`select`], `window` | how one SELECT is run: count, groups, sorting, windows |
//! | [`aggregates`] | aggregates, and the columns that are used inside and outside of them |
//! | `from` | FROM and WHERE: queries in FROM, the join, the sources that a RIGHT JOIN reads once more |
//! | `queries` | queries in expressions |
//! | [`write`](mod@write) | what INSERT, UPDATE and DELETE do: triggers, keys, indexes, conflicts, how rows are found |
//! | [`access`] | how a join is run, and what it costs |
//! | [`explain`] | the plan in SQLite's format |
//!
//! Read first: [`plan::QueryPlan`], [`planner::Planner`], [`access::JoinPlan`], [`write::update::UpdatePlan`].
//!
//! This crate must not know how a plan becomes a program: no register, no instruction, no cursor. A plan is data in the statement's arena.

#![forbid(unsafe_code)]

pub mod access;
pub mod aggregates;
mod compound;
pub mod explain;
mod from;
pub mod plan;
pub mod planner;
mod queries;
mod query;
mod rewrite;
pub mod select;
mod window;
pub mod write;
