//! The instructions of a compiled statement, and the tables and indexes that it opens.

use lithe_catalog::Schema;
use lithe_format::PageNo;
use lithe_vm::explain::{ExplainRow, lines};
use lithe_vm::insn::Insn;
use lithe_vm::operand::CursorId;
use lithe_vm::profile::InsnCost;
use lithe_vm::program::Program;

use crate::connection::Connection;
use crate::connection::statement::{Body, Statement};
use crate::shared_cache::SCHEMA;

/// An instruction of a statement.
#[derive(Debug)]
pub struct Instruction {
    /// As in a row of EXPLAIN.
    pub line: ExplainRow,
    /// The name that SQLite gives to the trigger or foreign key action of the instruction; `None`: the statement
    /// itself.
    pub subprogram: Option<String>,
    /// The cost of the instruction, if the statement is measured.
    pub cost: InsnCost,
}

/// A table or index that a statement opens.
#[derive(Debug)]
pub struct TreeOpened {
    /// Whether the tree is an index.
    pub is_index: bool,
    /// The name of its database.
    pub schema: String,
    /// The name of the table or index.
    pub name: String,
    /// Whether the statement opens the tree for writing.
    pub is_write: bool,
    /// As [`Instruction::subprogram`].
    pub subprogram: Option<String>,
}

impl Statement {
    /// The instructions of the statement, and those of its triggers and foreign key actions. A statement that the
    /// engine runs itself has none.
    pub fn instructions(&self) -> Vec<Instruction> {
        let mut instructions = Vec::new();
        for (subprogram, program) in self.programs() {
            let costs = self.costs_of(program);
            instructions.extend(lines(program).enumerate().map(|(at, line)| Instruction {
                line,
                subprogram: subprogram.clone(),
                cost: costs.get(at).copied().unwrap_or_default(),
            }));
        }
        instructions
    }

    /// The tables and indexes that the instructions open, in their order. `connection` is the statement's.
    pub fn trees_opened(&self, connection: &Connection) -> Vec<TreeOpened> {
        let catalog = connection.catalog();
        let mut opened = Vec::new();
        for (subprogram, program) in self.programs() {
            for insn in program.insns.iter() {
                let (Insn::OpenRead { cursor } | Insn::OpenWrite { cursor }) = *insn else { continue };
                // A cursor that seeks rows and deletes them is opened for reading.
                let is_write = matches!(insn, Insn::OpenWrite { .. }) || writes_through(program, cursor);
                let info = program.cursor(cursor);
                let Some(root) = info.root else { continue };
                let Some((is_index, name)) = tree_named(catalog.schema(info.db), root) else { continue };
                let schema = catalog.database_name(info.db).to_string();
                opened.push(TreeOpened { is_index, schema, name, is_write, subprogram: subprogram.clone() });
            }
        }
        opened
    }

    /// The statement's program and its subprograms, each once.
    fn programs(&self) -> Vec<(Option<String>, &Program)> {
        let Body::Program(program) = &self.compiled.body else { return Vec::new() };
        let mut programs: Vec<(Option<String>, &Program)> = vec![(None, program)];
        let mut at = 0;
        while let Some(program) = programs.get(at).map(|(_, program)| *program) {
            for subprogram in &program.subprograms {
                if programs.iter().any(|(_, known)| std::ptr::eq(*known, &subprogram.program)) {
                    continue;
                }
                let name = match &*subprogram.name {
                    "" => "(FK)".to_owned(),
                    name => format!("TRIGGER {name}"),
                };
                programs.push((Some(name), &subprogram.program));
            }
            at += 1;
        }
        programs
    }
}

/// Whether an instruction changes the row or entry of the cursor.
fn writes_through(program: &Program, wanted: CursorId) -> bool {
    program.insns.iter().any(|insn| match *insn {
        Insn::Insert { cursor, .. }
        | Insn::InsertRow { cursor, .. }
        | Insn::Delete { cursor, .. }
        | Insn::IdxInsert { cursor, .. }
        | Insn::IdxInsertRow { cursor, .. }
        | Insn::IdxDelete { cursor, .. }
        | Insn::ClearTree { cursor, .. } => cursor == wanted,
        _ => false,
    })
}

/// Whether a tree is an index, and its name.
fn tree_named(schema: &Schema, root: PageNo) -> Option<(bool, String)> {
    if root == PageNo::FIRST {
        return Some((false, SCHEMA.to_owned()));
    }
    schema.tables().into_iter().find_map(|table| {
        if table.root == Some(root) {
            return Some((false, table.name.to_string()));
        }
        let index = table.indexes.iter().find(|index| index.root == Some(root))?;
        Some((true, index.name.to_string()))
    })
}
