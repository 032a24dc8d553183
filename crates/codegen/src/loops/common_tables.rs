//! Common tables of a statement: the rows of one that is materialised for several users, and the current row of a recursive one
//! while its steps run.

use lithe_resolve::ir::SubqueryId;
use lithe_vm::operand::{CursorId, Reg};

use super::fill::Fill;

/// The common tables for which code has been emitted so far.
#[derive(Default)]
pub(crate) struct CommonTables {
    materialized: Vec<Materialized>,
    recursive_rows: Vec<CurrentRow>,
}

/// A common table that is materialised for several users.
#[derive(Clone, Copy)]
pub(super) struct Materialized {
    pub id: SubqueryId,
    pub cursor: CursorId,
    pub fill: Fill,
}

/// The row that a recursive table consists of while its steps run.
struct CurrentRow {
    id: SubqueryId,
    start: Reg,
}

impl CommonTables {
    /// The table, if code that fills it has been emitted.
    pub(super) fn materialized(&self, id: SubqueryId) -> Option<Materialized> {
        self.materialized.iter().find(|known| known.id == id).copied()
    }

    /// Records that code that fills the table has been emitted.
    pub(super) fn add_materialized(&mut self, table: Materialized) {
        self.materialized.push(table);
    }

    /// Begins the steps of a recursive table: the table is the row in the registers from `start` on.
    pub fn begin_steps(&mut self, id: SubqueryId, start: Reg) {
        self.recursive_rows.push(CurrentRow { id, start });
    }

    /// Ends the steps that were begun last.
    pub fn end_steps(&mut self) {
        self.recursive_rows.pop();
    }

    /// The registers of the recursive table's row, within its steps.
    pub(super) fn recursive_row(&self, id: SubqueryId) -> Reg {
        let row = self.recursive_rows.iter().rev().find(|row| row.id == id);
        row.expect("the table's steps are being generated").start
    }
}
