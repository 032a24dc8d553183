//! The plans of INSERT, UPDATE and DELETE.
//!
//! ```text
//!   statement ──▶ triggers, foreign keys ──▶ table and indexes ──▶ constraints, unique ──▶ rows                 ──▶ returning
//!                 which take part            which are written     what fails the change   where they come from
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `refuse` | tables that cannot be changed |
//! | `prepare` | rewriting the queries in statements, recording the columns that they use |
//! | [`insert`], [`update`], [`delete`] | the plan of each statement |
//! | [`statement`], [`trigger_body`] | the plan of any of them; the steps of a trigger, planned one after the other |
//! | [`source`], `records` | where the rows of an INSERT come from; the records of a table of the same shape |
//! | [`view`], [`virtual_table`] | UPDATE and DELETE of views and virtual tables |
//! | `rows` | how the rows of UPDATE and DELETE are found: in one pass or in two |
//! | [`constraints`] | which NOT NULL and CHECK constraints are checked |
//! | [`unique`] | the uniqueness checks before a row is written, and the resolution of conflicts |
//! | [`replace`] | the effects of a row's deletion by REPLACE |
//! | [`upsert`] | the effects of ON CONFLICT … DO UPDATE |
//! | [`returning`], `stored_reals` | what RETURNING computes of a row |
//! | [`table`] | the table, and the indexes that have to follow |
//! | [`changed`] | which columns an UPDATE changes, and what depends on them |
//! | [`triggers`], [`foreign_keys`] | which triggers and foreign keys take part |
//!
//! Errors are reported in SQLite's order. So a part of a plan that SQLite checks late (the keys of a row that REPLACE deletes, the update
//! of an ON CONFLICT clause, the condition of a CHECK, the queries in RETURNING) may be an error that is kept until then.

pub mod changed;
pub mod constraints;
pub mod delete;
pub mod foreign_keys;
pub mod insert;
mod prepare;
mod records;
mod refuse;
pub mod replace;
pub mod returning;
mod rows;
pub mod source;
pub mod statement;
mod stored_reals;
pub mod table;
pub mod trigger_body;
pub mod triggers;
pub mod unique;
pub mod update;
pub mod upsert;
pub mod view;
pub mod virtual_table;

use lithe_sql::ast::Conflict;

/// The body of a trigger in which a statement stands.
#[derive(Clone, Copy, Debug)]
pub struct TriggerBody {
    /// The conflict action of the statement that fires the trigger, which overrides that of the statement in the body.
    pub policy: Option<Conflict>,
}

/// The conflict action of a statement whose own clause is `own`.
fn statement_policy(body: Option<TriggerBody>, own: Option<Conflict>) -> Option<Conflict> {
    body.and_then(|body| body.policy).or(own)
}
