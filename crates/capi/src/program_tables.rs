//! `bytecode` and `tables_used`: the instructions of a statement, and its tables and indexes, as tables. The argument
//! is the text of a statement, or a statement that is bound as a pointer of the kind `stmt-pointer`.

use lithe_engine::value::{Value, ValueRef};
use lithe_engine::virtual_table::{
    ColumnContext, ConnectRequest, Connected, FunctionError, IndexConstraint, IndexInfo, Module, ModuleKind, Result,
    Risk, Scan, ScanPlan, SqlConnection, Values, VirtualCursor, VirtualTable, constraint,
};
use lithe_engine::{Instruction, Statement, TreeOpened};

use crate::connection::sqlite3;
use crate::context::application_pointer;

/// Which of the two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramTable {
    Bytecode,
    TablesUsed,
}

impl ProgramTable {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ProgramTable::Bytecode => "bytecode",
            ProgramTable::TablesUsed => "tables_used",
        }
    }

    fn declaration(self) -> &'static str {
        match self {
            ProgramTable::Bytecode => {
                "CREATE TABLE x(addr INT, opcode TEXT, p1 INT, p2 INT, p3 INT, p4 TEXT, p5 INT, comment TEXT, \
                 subprog TEXT, nexec INT, ncycle INT, stmt HIDDEN)"
            }
            ProgramTable::TablesUsed => {
                "CREATE TABLE x(type TEXT, schema TEXT, name TEXT, wr INT, subprog TEXT, stmt HIDDEN)"
            }
        }
    }

    /// The columns for constraints: the statement, and its subprogram.
    fn columns(self) -> (i32, i32) {
        match self {
            ProgramTable::Bytecode => (11, 8),
            ProgramTable::TablesUsed => (5, 4),
        }
    }

    fn row_of_instruction(Instruction { line, subprogram, cost }: Instruction) -> Row {
        let text = |text: Option<String>| text.map_or(Value::NULL, Value::from);
        let columns = vec![
            line.addr.into(),
            line.opcode.into(),
            line.p1.into(),
            line.p2.into(),
            line.p3.into(),
            text(line.p4),
            line.p5.into(),
            text(line.comment),
            text(subprogram.clone()),
            cost.runs.cast_signed().into(),
            cost.cycles.cast_signed().into(),
        ];
        Row { columns, is_in_subprogram: subprogram.is_some() }
    }

    fn row_of_tree(tree: TreeOpened) -> Row {
        let kind = if tree.is_index { "index" } else { "table" };
        let is_in_subprogram = tree.subprogram.is_some();
        let subprogram = tree.subprogram.map_or(Value::NULL, Value::from);
        let write = i64::from(tree.is_write).into();
        Row { columns: vec![kind.into(), tree.schema.into(), tree.name.into(), write, subprogram], is_in_subprogram }
    }
}

struct Row {
    columns: Vec<Value>,
    is_in_subprogram: bool,
}

/// The module, and its table.
pub(crate) struct Programs {
    db: *mut sqlite3,
    table: ProgramTable,
}

// SAFETY: the connection owns it, and only one thread at a time uses that.
unsafe impl Send for Programs {}

impl Programs {
    /// The module of this connection, which outlives it.
    pub(crate) fn of(db: *mut sqlite3, table: ProgramTable) -> Programs {
        Programs { db, table }
    }

    /// Calls `f` with the statement of the argument; `None` if it is not a statement.
    fn with_statement<T>(&self, argument: &Values<'_>, f: impl FnOnce(&Statement) -> T) -> Option<T> {
        // SAFETY: the connection outlives its tables, and its mutex is held.
        let db = unsafe { &*self.db };
        if let Some(pointer) = argument.attributes.pointer(0) {
            let pointer = application_pointer(pointer).filter(|_| *pointer.kind == *b"stmt-pointer")?;
            let mut next = db.statements.get();
            // SAFETY: the list has live statements of this connection; only one of them is read.
            while let Some(statement) = unsafe { next.as_ref() } {
                if next.cast() == pointer.address {
                    return statement.look().map(f);
                }
                next = statement.next.get();
            }
            return None;
        }
        let Some(ValueRef::Text(sql)) = argument.values.first() else { return None };
        let statement = db.core().prepare(sql).ok()?.statement?;
        let answer = f(&statement);
        db.core().put_back(statement);
        Some(answer)
    }

    fn rows(&self, argument: &Values<'_>) -> Option<Vec<Row>> {
        // SAFETY: as above.
        let core = unsafe { (*self.db).core() };
        self.with_statement(argument, |statement| match self.table {
            ProgramTable::Bytecode => {
                statement.instructions().into_iter().map(ProgramTable::row_of_instruction).collect()
            }
            ProgramTable::TablesUsed => {
                statement.trees_opened(core).into_iter().map(ProgramTable::row_of_tree).collect()
            }
        })
    }
}

impl Module for Programs {
    fn kind(&self) -> ModuleKind {
        ModuleKind::EponymousOnly
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        let table = Box::new(Programs { db: self.db, table: self.table });
        Ok(Connected { table, declaration: self.table.declaration().to_owned(), risk: Risk::Normal })
    }
}

/// The number of a plan in which rows of subprograms are left out.
const WITHOUT_SUBPROGRAMS: i32 = 1;

impl VirtualTable for Programs {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let (statement, subprogram) = self.table.columns();
        let is_statement = |of: &IndexConstraint| of.column == statement && of.op == constraint::EQ && of.usable;
        let Some(at) = info.constraints.iter().position(is_statement) else { return Ok(false) };
        info.pass(at, 1, true);
        let is_null = |of: &IndexConstraint| of.column == subprogram && of.op == constraint::ISNULL && of.usable;
        if info.constraints.iter().any(is_null) {
            info.plan.number |= WITHOUT_SUBPROGRAMS;
        }
        (info.estimated_cost, info.estimated_rows) = (100.0, 100);
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Cursor { rows: Vec::new(), at: 0 }))
    }
}

struct Cursor {
    rows: Vec<Row>,
    at: usize,
}

impl VirtualCursor for Cursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let table: &Programs = scan.table()?;
        let rows = table.rows(arguments).ok_or_else(|| {
            FunctionError::new(format!("argument to {}() is not a valid SQL statement", table.table.name()))
        });
        (self.rows, self.at) = (rows?, 0);
        if plan.number & WITHOUT_SUBPROGRAMS != 0 {
            self.rows.retain(|row| !row.is_in_subprogram);
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
        let value = self.rows.get(self.at).and_then(|row| row.columns.get(column));
        context.context.answer(value.map_or(ValueRef::Null, Value::as_ref))
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at as i64 + 1)
    }
}
