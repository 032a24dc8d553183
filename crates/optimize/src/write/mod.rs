//! What INSERT, UPDATE and DELETE do, planned before their code.
//!
//! ```text
//!   statement ──▶ triggers, foreign keys ──▶ table and indexes ──▶ constraints, unique ──▶ rows                 ──▶ returning
//!                 which take part            which are written     what fails the change   where they come from
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `refuse` | tables that cannot be changed |
//! | `prepare` | queries in statements rewritten, what they use noted |
//! | [`insert`], [`update`], [`delete`] | the plan of each statement |
//! | [`source`], `records` | where the rows of an INSERT come from; the records of a table of the same shape |
//! | [`view`], [`virtual_table`] | UPDATE and DELETE of views and virtual tables |
//! | `rows` | how the rows of UPDATE and DELETE are found: in one pass or in two |
//! | [`constraints`] | which NOT NULL and CHECK constraints are checked |
//! | [`unique`] | what is looked for before a row is written, and what becomes of a conflict |
//! | [`replace`] | what the deletion of a row by REPLACE entails |
//! | [`upsert`] | what ON CONFLICT … DO UPDATE entails |
//! | [`returning`], `stored_reals` | what RETURNING computes of a row |
//! | [`table`] | the table, and the indexes that have to follow |
//! | [`changed`] | which columns an UPDATE changes, and what depends on them |
//! | [`triggers`], [`foreign_keys`] | which triggers and foreign keys take part |
//!
//! Errors are reported in SQLite's order. So a part of a plan that SQLite looks at late (the keys of a row that REPLACE deletes, the update of an
//! ON CONFLICT clause, the condition of a CHECK, the queries in RETURNING) may be an error that is kept until then.

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
mod stored_reals;
pub mod table;
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
    /// What the statement that fires the trigger says about conflicts: it counts more than what the statement in the body says.
    pub policy: Option<Conflict>,
}

/// What holds about conflicts in a statement that says `own`.
fn statement_policy(body: Option<TriggerBody>, own: Option<Conflict>) -> Option<Conflict> {
    body.and_then(|body| body.policy).or(own)
}
