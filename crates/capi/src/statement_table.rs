//! `sqlite_stmt`: the statements of the connection as a table.

use lithe_engine::value::ValueRef;
use lithe_engine::virtual_table::{
    ColumnContext, ConnectRequest, Connected, IndexInfo, Module, ModuleKind, Result, Risk, Scan, ScanPlan,
    SqlConnection, Values, VirtualCursor, VirtualTable,
};
use lithe_engine::{Counter, SqlText};

use crate::connection::sqlite3;
use crate::connection::statement::sqlite3_stmt;

/// The module, and its table.
pub(crate) struct Statements {
    db: *mut sqlite3,
}

// SAFETY: the connection owns it, and only one thread at a time uses that.
unsafe impl Send for Statements {}

impl Statements {
    /// The module of this connection, which outlives it.
    pub(crate) fn of(db: *mut sqlite3) -> Statements {
        Statements { db }
    }
}

const DECLARATION: &str = "CREATE TABLE x(sql,ncol,ro,busy,nscan,nsort,naidx,nstep,reprep,run,mem)";

impl Module for Statements {
    fn kind(&self) -> ModuleKind {
        ModuleKind::EponymousOnly
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        let table = Box::new(Statements { db: self.db });
        Ok(Connected { table, declaration: DECLARATION.to_owned(), risk: Risk::Normal })
    }
}

impl VirtualTable for Statements {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        info.estimated_cost = 500.0;
        info.estimated_rows = 500;
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Cursor { db: self.db, rows: Vec::new(), at: 0 }))
    }
}

/// A statement at the beginning of the scan: its text, and the other columns.
struct Row {
    sql: SqlText,
    numbers: [i64; 10],
}

impl Row {
    fn of(statement: &sqlite3_stmt) -> Row {
        const COUNTERS: [Counter; 7] = [
            Counter::FullscanStep,
            Counter::Sort,
            Counter::AutoIndex,
            Counter::VmStep,
            Counter::Reprepare,
            Counter::Run,
            Counter::MemoryUsed,
        ];
        let mut numbers = [0; 10];
        numbers[0] = statement.published.column_count().into();
        numbers[1] = statement.published.is_read_only.into();
        match statement.enter() {
            Ok(mut inside) => {
                numbers[2] = inside.get().is_running().into();
                for (number, counter) in numbers[3..].iter_mut().zip(COUNTERS) {
                    *number = inside.get().status(counter, false).cast_signed();
                }
            }
            // Another call runs the statement, and has access to its counters.
            Err(_) => {
                numbers[2] = 1;
                numbers[8] = statement.runs.get() + 1;
            }
        }
        Row { sql: statement.sql.clone(), numbers }
    }
}

struct Cursor {
    db: *mut sqlite3,
    rows: Vec<Row>,
    at: usize,
}

impl VirtualCursor for Cursor {
    fn filter(&mut self, _: &Scan<'_>, _: &ScanPlan, _: &Values<'_>) -> Result {
        (self.rows, self.at) = (Vec::new(), 0);
        // SAFETY: the connection outlives its tables, and its mutex is held.
        let mut next = unsafe { (*self.db).statements.get() };
        // SAFETY: the list has live statements of this connection.
        while let Some(statement) = unsafe { next.as_ref() } {
            self.rows.push(Row::of(statement));
            next = statement.next.get();
        }
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.rows.len()
    }

    fn column(&mut self, _: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some(row) = self.rows.get(self.at) else { return context.context.answer(ValueRef::Null) };
        context.context.answer(match column.checked_sub(1) {
            None => ValueRef::Text(row.sql.as_bytes()),
            Some(number) => row.numbers.get(number).map_or(ValueRef::Null, |number| ValueRef::Integer(*number)),
        })
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at as i64 + 1)
    }
}
