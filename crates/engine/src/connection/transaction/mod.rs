//! Transactions of a connection: when they begin and end, savepoints, and what is undone when a statement fails.
//!
//! ```text
//!             BEGIN, SAVEPOINT
//!  autocommit ───────────────► explicit ── SAVEPOINT ──► deeper …
//!      ▲                         │   ▲                      │
//!      └── COMMIT, ROLLBACK,     │   └── RELEASE, ROLLBACK TO
//!          RELEASE of the first ─┘
//! ```
//!
//! In autocommit mode the transaction ends with the last statement that writes (commit) or that runs (locks released).
//!
//! The savepoints of a database form one stack: the user's first, then those of running statements. A database in which
//! writing begins later opens as many as the stack has, so that positions in the stack mean the same in every database.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `state` | the state of the transaction: counts, flags, the stack of savepoints |
//! | `statement_run` | what one running statement has begun, caused and found |
//! | `statement_savepoints` | savepoints of running statements |
//! | `control` | BEGIN, COMMIT, ROLLBACK, SAVEPOINT, RELEASE, ROLLBACK TO |
//! | `statements` | one statement in the transaction: what it begins, commits and undoes |

mod control;
mod state;
mod statement_run;
mod statement_savepoints;
mod statements;
#[cfg(test)]
mod tests;

pub(crate) use state::TransactionState;
pub(crate) use statement_run::StatementRun;
