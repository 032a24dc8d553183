//! The part of integrity_check that evaluates expressions: a program that reads every row of a table, and its entries in the
//! table's indexes.
//!
//! The program itself checks CHECK constraints and index entries, and returns values for the other checks: it returns two kinds
//! of rows.
//!
//! ```text
//!   0, row, column, column, ...     the columns that have a rule (NOT NULL, a type), of a row that may break one: see RowCheck::columns
//!   n, row                          the row has the fault number n - 1 of RowCheck::faults
//! ```
//!
//! `row` counts the rows from 1: SQLite's messages have that number, and no rowid.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_catalog::{Column, Index, IndexOrigin, IndexTerm, Result, Table};
use lithe_format::PageNo;
use lithe_optimize::explain::Explain;
use lithe_optimize::write::table::{index_exprs, index_filter};
use lithe_resolve::environment::Environment;
use lithe_resolve::ir::SourceId;
use lithe_resolve::{Resolver, Stored};
use lithe_value::{Affinity, StorageClass};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, CursorId, Db, Reg};
use lithe_vm::program::Program;

use super::write::entry_affinities;
use super::{Codegen, ColumnAccess};

/// The check of a table's rows.
#[derive(Debug)]
pub struct RowCheck {
    /// The program.
    pub program: Arc<Program>,
    /// The columns that it returns, by their position in the table.
    pub columns: Vec<u16>,
    /// The faults that it finds itself.
    pub faults: Vec<Fault>,
}

/// A possible fault of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The message, up to the row's number if it has one.
    pub text: String,
    /// The text after the row's number; `None` if the message does not have it.
    pub after_row: Option<String>,
}

impl Fault {
    /// The message about row number `row`.
    pub fn message(&self, row: i64) -> String {
        match &self.after_row {
            Some(after) => format!("{}{row}{after}", self.text),
            None => self.text.clone(),
        }
    }
}

/// Compiles the check of the rows of `table`, and of its indexes but those with the roots `agreeing`, which are known to have the
/// rows' entries. `None`: of no index.
pub fn compile_row_check<'a>(
    db: Db,
    table: &'a Table,
    agreeing: Option<&[PageNo]>,
    arena: &'a Bump,
    env: &'a Environment,
) -> Result<RowCheck> {
    let resolver: &'a Resolver<'a> = arena.alloc(Resolver::new(env, arena));
    let mut cg = Codegen::new(resolver, Explain::off(), None);
    let columns: Vec<u16> = (0..table.columns.len() as u16).filter(|&at| has_rule(table, at)).collect();
    let source = cg.resolver.new_source();
    let cursor = cg.open_table(db, table)?;
    cg.set_access(source, ColumnAccess::Table { cursor, table });
    let answer = cg.b.registers(2 + columns.len());
    let mut check = Checking { db, table, source, cursor, answer, faults: Vec::new() };
    let indexes = agreeing.map_or(Ok(Vec::new()), |agreeing| check.open_indexes(&mut cg, agreeing))?;
    check.emit_loop(&mut cg, &columns, agreeing.is_some(), &indexes)?;
    let faults = check.faults;
    cg.b.emit(Insn::Halt {});
    let program = cg.finish(0);
    debug_assert!(program.is_read_only, "a program of nothing but reads");
    Ok(RowCheck { program, columns, faults })
}

/// Whether a column has a rule that a value may violate.
fn has_rule(table: &Table, at: u16) -> bool {
    let column = &table.columns[usize::from(at)];
    let is_rowid = table.rowid_column == Some(at);
    !is_rowid && (column.not_null.is_some() || has_type(table, column))
}

fn has_type(table: &Table, column: &Column) -> bool {
    if table.strict { !column.declared_type.eq_ignore_ascii_case(b"any") } else { column.affinity != Affinity::Blob }
}

/// The storage classes whose values break no rule of the column. A value of another class may break one.
fn classes_without_fault(table: &Table, column: &Column) -> u8 {
    use StorageClass::{Blob, Integer, Null, Real, Text};
    let null = if column.not_null.is_some() { 0 } else { Null.bit() };
    let is_type = |name: &[u8]| column.declared_type.eq_ignore_ascii_case(name);
    let values = match column.affinity {
        _ if table.strict && is_type(b"text") => Text.bit(),
        _ if table.strict && is_type(b"blob") => Blob.bit(),
        _ if table.strict && is_type(b"real") => Integer.bit() | Real.bit(),
        _ if table.strict && !is_type(b"any") => Integer.bit(),
        _ if !has_type(table, column) => Integer.bit() | Real.bit() | Text.bit() | Blob.bit(),
        Affinity::Text => Text.bit() | Blob.bit(),
        _ => Integer.bit() | Real.bit() | Blob.bit(),
    };
    null | values
}

/// A table that is being checked.
struct Checking<'a> {
    db: Db,
    table: &'a Table,
    source: SourceId,
    cursor: CursorId,
    /// The registers of a result: its kind, the row's number, the columns.
    answer: Reg,
    faults: Vec<Fault>,
}

impl<'a> Checking<'a> {
    fn row_number(&self) -> Reg {
        self.answer.at(1)
    }

    fn open_indexes(&self, cg: &mut Codegen<'a>, agreeing: &[PageNo]) -> Result<Vec<(&'a Index, CursorId)>> {
        let mut opened = Vec::new();
        for index in &self.table.indexes {
            let is_table = self.table.is_without_rowid() && index.origin == IndexOrigin::PrimaryKey;
            if !is_table && !index.root.is_some_and(|root| agreeing.contains(&root)) {
                opened.push((&**index, cg.open_index(self.db, index)?));
            }
        }
        Ok(opened)
    }

    fn emit_loop(
        &mut self,
        cg: &mut Codegen<'a>,
        columns: &[u16],
        with_order: bool,
        indexes: &[(&'a Index, CursorId)],
    ) -> Result<()> {
        let previous = self.emit_previous_key(cg, with_order);
        let done = cg.b.label();
        cg.b.emit(Insn::Integer { value: 0, dst: self.row_number() });
        cg.b.emit(Insn::Rewind { cursor: self.cursor, target: done });
        let top = cg.b.here();
        cg.b.emit(Insn::AddImmediate { reg: self.row_number(), value: 1 });
        cg.in_loop(|cg| {
            if let Some(previous) = previous {
                self.emit_order(cg, previous);
            }
            self.emit_columns(cg, columns)?;
            self.emit_checks(cg)?;
            indexes.iter().try_for_each(|(index, cursor)| self.emit_entry(cg, index, *cursor))
        })?;
        cg.b.emit(Insn::Next { cursor: self.cursor, target: top });
        cg.b.place(done);
        Ok(())
    }

    /// Registers for the primary key of the row before, for a WITHOUT ROWID table. They begin as NULLs.
    fn emit_previous_key(&self, cg: &mut Codegen<'a>, with_order: bool) -> Option<(Reg, u16)> {
        let key = self.table.primary_key().filter(|_| with_order && self.table.is_without_rowid())?;
        let previous = cg.b.registers(usize::from(key.key_count));
        cg.b.emit(Insn::Null { start: previous, count: u32::from(key.key_count) });
        Some((previous, key.key_count))
    }

    fn emit_order(&mut self, cg: &mut Codegen<'a>, (previous, count): (Reg, u16)) {
        let (doubtful, in_order) = (cg.b.label(), cg.b.label());
        cg.b.emit(Insn::IdxLe { cursor: self.cursor, count, start: previous, target: doubtful });
        cg.b.emit(Insn::Goto { target: in_order });
        cg.b.place(doubtful);
        cg.b.emit(Insn::IsNull { reg: previous, target: in_order });
        self.emit_fault(cg, format!("row not in PRIMARY KEY order for {}", self.table.name), None);
        cg.b.place(in_order);
        cg.b.emit(Insn::Columns { cursor: self.cursor, column: 0, dst: previous, count: u32::from(count) });
    }

    fn emit_columns(&self, cg: &mut Codegen<'a>, columns: &[u16]) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let (doubtful, fine) = (cg.b.label(), cg.b.label());
        for (place, at) in columns.iter().enumerate() {
            let value = cg.resolver.table_column(self.source, self.table, *at);
            cg.emit_into(&value, self.answer.at(2 + place))?;
        }
        for (place, at) in columns.iter().enumerate() {
            let classes = classes_without_fault(self.table, &self.table.columns[usize::from(*at)]);
            cg.b.emit(Insn::ClassNotIn { classes, reg: self.answer.at(2 + place), target: doubtful });
        }
        cg.b.emit(Insn::Goto { target: fine });
        cg.b.place(doubtful);
        cg.b.emit(Insn::Integer { value: 0, dst: self.answer });
        cg.b.emit(Insn::ResultRow { start: self.answer, count: 2 + columns.len() as u32 });
        cg.b.place(fine);
        Ok(())
    }

    /// There is one message, however many conditions fail.
    fn emit_checks(&mut self, cg: &mut Codegen<'a>) -> Result<()> {
        if cg.env.flags.ignore_check_constraints || self.table.checks.is_empty() {
            return Ok(());
        }
        let (fails, hold) = (cg.b.label(), cg.b.label());
        for check in &self.table.checks {
            let condition = cg.resolver.stored_expr(&check.text, Stored::Check, self.source, self.db, self.table)?;
            cg.jump_if_false(&condition, fails, false)?;
        }
        cg.b.emit(Insn::Goto { target: hold });
        cg.b.place(fails);
        self.emit_fault(cg, format!("CHECK constraint failed in {}", self.table.name), None);
        cg.b.place(hold);
        Ok(())
    }

    /// The row's entry must be in the index, end in the row's rowid, and have a key of its own if the index is unique.
    fn emit_entry(&mut self, cg: &mut Codegen<'a>, index: &'a Index, cursor: CursorId) -> Result<()> {
        let (found, done) = (cg.b.label(), cg.b.label());
        if let Some(filter) = index_filter(cg.resolver, self.db, self.table, self.source, index)? {
            cg.jump_if_false(&filter, done, true)?;
        }
        let exprs = index_exprs(cg.resolver, self.db, self.table, self.source, index)?;
        let start = cg.b.registers(exprs.len());
        cg.emit_list_into(exprs, start)?;
        let affinities = entry_affinities(cg, exprs);
        if affinities != lithe_vm::operand::AffinityListId::NONE {
            cg.b.emit(Insn::Affinity { start, affinities });
        }
        cg.b.emit(Insn::Found { cursor, count: exprs.len() as u16, start, target: found });
        self.emit_fault(cg, "row ".to_owned(), Some(format!(" missing from index {}", index.name)));
        cg.b.emit(Insn::Goto { target: done });
        cg.b.place(found);
        self.emit_rowid(cg, index, cursor, start, done);
        if index.is_unique() {
            self.emit_unique(cg, index, cursor, start, done);
        }
        cg.b.place(done);
        Ok(())
    }

    fn emit_rowid(&mut self, cg: &mut Codegen<'a>, index: &Index, cursor: CursorId, entry: Reg, done: Addr) {
        if index.columns.last().is_none_or(|column| column.term != IndexTerm::Rowid) {
            return;
        }
        let (rowid, is_same) = (cg.b.register(), cg.b.label());
        let flags = CompareFlags(CompareFlags::NULL_EQ);
        let expected = entry.at(index.columns.len() - 1);
        cg.b.emit(Insn::IdxRowid { cursor, dst: rowid });
        let (lhs, rhs) = (rowid, expected);
        cg.b.emit(Insn::Eq { flags, collation: CollationId::BINARY, lhs, rhs, target: is_same });
        let after = format!(" of index {}", index.name);
        self.emit_fault(cg, "rowid not at end-of-record for row ".to_owned(), Some(after));
        cg.b.emit(Insn::Goto { target: done });
        cg.b.place(is_same);
    }

    /// NULLs equal nothing.
    fn emit_unique(&mut self, cg: &mut Codegen<'a>, index: &Index, cursor: CursorId, start: Reg, done: Addr) {
        let has_next = cg.b.label();
        let count = index.key_count;
        cg.b.emit(Insn::AnyNull { start, count: u32::from(count), target: done });
        cg.b.emit(Insn::Next { cursor, target: has_next });
        cg.b.emit(Insn::Goto { target: done });
        cg.b.place(has_next);
        cg.b.emit(Insn::IdxGt { cursor, count, start, target: done });
        self.emit_fault(cg, format!("non-unique entry in index {}", index.name), None);
    }

    fn emit_fault(&mut self, cg: &mut Codegen<'a>, text: String, after_row: Option<String>) {
        self.faults.push(Fault { text, after_row });
        cg.b.emit(Insn::Integer { value: self.faults.len() as i32, dst: self.answer });
        cg.b.emit(Insn::ResultRow { start: self.answer, count: 2 });
    }
}
