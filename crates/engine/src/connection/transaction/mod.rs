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
//! In autocommit mode the transaction ends with the last statement that writes (commit) or runs (locks given back).
//!
//! Savepoints of the databases are one stack: the user's first, then those of running statements. A database that starts to
//! write later opens as many as there are, so that positions in the stack mean the same everywhere.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `state` | where the connection stands: counts, flags, the stack of savepoints |
//! | `statement_savepoints` | savepoints of running statements |
//! | `control` | BEGIN, COMMIT, ROLLBACK, SAVEPOINT, RELEASE, ROLLBACK TO |
//! | `statements` | a statement's part: what it begins, commits and undoes |

mod control;
mod state;
mod statement_savepoints;
mod statements;
#[cfg(test)]
mod tests;

pub(crate) use state::{StatementRun, TransactionState};
