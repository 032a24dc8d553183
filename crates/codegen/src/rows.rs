//! The destination of a query's rows, and the source of those of a query in FROM.

use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};

use crate::Codegen;
use crate::access::ColumnAccess;

/// The destination of a query's rows.
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
        /// The registers are those of the row that a statement writes.
        is_written: bool,
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
        /// Affinities to apply to the rows first.
        affinities: AffinityListId,
    },
    /// To a temporary index by the first columns: of rows that are equal in those the last stays, and rows without a key are left out.
    Keyed {
        /// The index.
        cursor: CursorId,
        /// The number of first columns.
        key: usize,
    },
    /// To the queue of a recursive common table.
    Queue(Queue<'a>),
    /// To registers: the first row only; then the query ends.
    FirstRow {
        /// The registers.
        start: Reg,
    },
    /// 1 to a register if there is a row; then the query ends.
    Exists {
        /// The register.
        reg: Reg,
    },
    /// Nowhere: the query runs for the side effects of its functions.
    Discard,
}

/// The queue of a recursive common table.
#[derive(Clone, Copy, Debug)]
pub struct Queue<'a> {
    /// Rows that have not been returned yet: a temporary table, or an index by `order`.
    pub rows: CursorId,
    /// All rows so far, for UNION.
    pub seen: Option<CursorId>,
    /// For a queue in order: the columns of the order, and their positions in the recursive table's ORDER BY.
    pub order: Option<QueueOrder<'a>>,
}

/// The order of a queue: its index has the columns of ORDER BY, a number, and then the row.
#[derive(Clone, Copy, Debug)]
pub struct QueueOrder<'a> {
    /// The positions of ORDER BY's terms in a row.
    pub positions: &'a [u16],
}

/// A coroutine that returns rows.
#[derive(Clone, Copy, Debug)]
pub struct Coroutine {
    /// The register for Yield.
    pub co: Reg,
    /// The row.
    pub start: Reg,
    /// The number of its columns.
    pub count: usize,
}

/// The rows of a derived table.
#[derive(Clone, Copy, Debug)]
pub enum DerivedRows {
    /// Yield on `co` returns the next row.
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

    /// Goes to the first row, or jumps to `done`. The instruction that it returns goes to the next row and jumps to the code
    /// after.
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

    /// Makes all columns NULL from here on.
    pub fn emit_null_row(&self, cg: &mut Codegen<'_>) {
        match *self {
            DerivedRows::Coroutine(Coroutine { start, count, .. }) => {
                cg.b.emit(Insn::Null { start, count: count as u32 });
            }
            DerivedRows::Table(cursor) => cg.b.emit(Insn::NullRow { cursor }),
        }
    }
}
