//! The rows of a query: where they go, and where those of a query in FROM come from.

use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};

use crate::Codegen;
use crate::access::ColumnAccess;

/// Where the rows of a query go.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    /// To the application.
    Output,
    /// To the code that resumes the coroutine `co`: each row in the registers from `start` on.
    Coroutine {
        /// The coroutine.
        co: Reg,
        /// The row.
        start: Reg,
    },
    /// To a temporary table, in order.
    Table {
        /// The table.
        cursor: CursorId,
    },
    /// To a temporary set or index whose entries are the rows.
    Set {
        /// The set.
        cursor: CursorId,
        /// Applied to the rows first.
        affinities: AffinityListId,
    },
    /// To the queue of a recursive common table.
    Queue(Queue<'a>),
    /// The first row goes to registers; then it is over.
    FirstRow {
        /// The registers.
        start: Reg,
    },
    /// 1 goes to a register when there is a row; then it is over.
    Exists {
        /// The register.
        reg: Reg,
    },
    /// Nowhere: the query runs for what its functions do.
    Discard,
}

/// The queue of a recursive common table.
#[derive(Clone, Copy, Debug)]
pub struct Queue<'a> {
    /// Rows that have not been shown yet: a temporary table, or an index by `order`.
    pub rows: CursorId,
    /// All rows that there have been, for UNION.
    pub seen: Option<CursorId>,
    /// For a queue in order: the columns that make the order, and where they stand in the recursive table's ORDER BY.
    pub order: Option<QueueOrder<'a>>,
}

/// The order of a queue: its index has the columns of ORDER BY, a number, and then the row.
#[derive(Clone, Copy, Debug)]
pub struct QueueOrder<'a> {
    /// Where the terms of ORDER BY stand in a row.
    pub positions: &'a [u16],
}

/// A coroutine that gives rows.
#[derive(Clone, Copy, Debug)]
pub struct Coroutine {
    /// The register that Yield takes.
    pub co: Reg,
    /// The row.
    pub start: Reg,
    /// Columns in it.
    pub count: usize,
}

/// The rows of a derived table.
#[derive(Clone, Copy, Debug)]
pub enum DerivedRows {
    /// Yield on `co` gives the next.
    Coroutine(Coroutine),
    /// In this temporary table.
    Table(CursorId),
}

impl DerivedRows {
    /// How the columns are read.
    pub fn access<'a>(&self) -> ColumnAccess<'a> {
        match self {
            DerivedRows::Coroutine(coroutine) => ColumnAccess::Registers { start: coroutine.start, rowid: Reg::NONE },
            DerivedRows::Table(cursor) => ColumnAccess::Cursor { cursor: *cursor, first: 0 },
        }
    }

    /// The cursor on the temporary table.
    pub fn cursor(&self) -> Option<CursorId> {
        match self {
            DerivedRows::Coroutine(_) => None,
            DerivedRows::Table(cursor) => Some(*cursor),
        }
    }

    /// Goes to the first row, or to `done`. What it gives goes to the next row and jumps to the code behind.
    pub fn begin(&self, cg: &mut Codegen<'_>, reverse: bool, done: Addr) -> Insn {
        match *self {
            DerivedRows::Coroutine(Coroutine { co, .. }) => {
                let target = cg.b.here();
                cg.b.emit(Insn::Yield { co, target: done });
                Insn::Goto { target }
            }
            DerivedRows::Table(cursor) if reverse => {
                cg.b.emit(Insn::Last { cursor, target: done });
                Insn::Previous { cursor, target: cg.b.here() }
            }
            DerivedRows::Table(cursor) => {
                cg.b.emit(Insn::Rewind { cursor, target: done });
                Insn::Next { cursor, target: cg.b.here() }
            }
        }
    }

    /// All columns are NULL from here on.
    pub fn emit_null_row(&self, cg: &mut Codegen<'_>) {
        match *self {
            DerivedRows::Coroutine(Coroutine { start, count, .. }) => {
                cg.b.emit(Insn::Null { start, count: count as u32 });
            }
            DerivedRows::Table(cursor) => cg.b.emit(Insn::NullRow { cursor }),
        }
    }
}
