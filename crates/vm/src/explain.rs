//! EXPLAIN: a program as rows.
//!
//! The columns are SQLite's (addr, opcode, p1 to p5, comment). An instruction's operands have names, and there may be
//! more or fewer than five: the first three are p1 to p3, further ones are in p4 by name. The comment has the names of
//! the first three.

use std::fmt::Write;

use lithe_value::ValueRef;

use crate::insn::Insn;
use crate::operand::{CollationId, CursorId, OperandText};
use crate::program::Program;

/// One line of EXPLAIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainRow {
    /// The address. A subprogram's addresses start at 0 again.
    pub addr: i64,
    /// The instruction's name.
    pub opcode: &'static str,
    /// The first operand.
    pub p1: i64,
    /// The second operand.
    pub p2: i64,
    /// The third operand.
    pub p3: i64,
    /// The entries of the program's tables that the operands refer to, and further operands.
    pub p4: Option<String>,
    /// Always 0: flags are operands with names.
    pub p5: i64,
    /// The names of the first operands.
    pub comment: Option<String>,
}

/// The names of EXPLAIN's columns.
pub const COLUMNS: [&str; 8] = ["addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment"];

/// The program's listing; those of its subprograms follow.
pub fn listing(program: &Program) -> Vec<ExplainRow> {
    let mut rows = Vec::with_capacity(program.insns.len());
    list(program, &mut rows);
    rows
}

/// The program's listing without those of its subprograms.
pub fn lines(program: &Program) -> impl Iterator<Item = ExplainRow> {
    program.insns.iter().enumerate().map(|(addr, insn)| row(program, addr, insn))
}

fn list(program: &Program, rows: &mut Vec<ExplainRow>) {
    rows.extend(lines(program));
    for subprogram in &program.subprograms {
        list(&subprogram.program, rows);
    }
}

fn row(program: &Program, addr: usize, insn: &Insn) -> ExplainRow {
    let operands = insn.operands();
    let first = |index: usize| operands.get(index).map_or(0, |(_, operand)| number(operand));
    let row = ExplainRow {
        addr: addr as i64,
        opcode: insn.name(),
        p1: first(0),
        p2: first(1),
        p3: first(2),
        p4: details(program, &operands),
        p5: 0,
        comment: names(&operands),
    };
    match insn {
        Insn::OpenRead { cursor } | Insn::OpenWrite { cursor } => with_tree(program, *cursor, row),
        // As in SQLite, the table's text for the plan (idxStr).
        Insn::VFilter { scan, .. } => {
            let scan = program.scans.get(usize::from(scan.0));
            ExplainRow { p4: scan.and_then(|scan| scan.plan.text.as_deref().map(str::to_owned)), ..row }
        }
        _ => row,
    }
}

/// Adds the tree of a cursor: the root page and the database, in SQLite's columns.
fn with_tree(program: &Program, cursor: CursorId, row: ExplainRow) -> ExplainRow {
    let Some(info) = program.cursors.get(cursor.0 as usize) else { return row };
    let root = info.root.map_or(0, |root| i64::from(root.get()));
    ExplainRow { p2: root, p3: i64::from(info.db.0), comment: Some("cursor root db".to_owned()), ..row }
}

fn number(operand: &OperandText) -> i64 {
    match operand {
        OperandText::Number(number) => *number,
        OperandText::Target(target) => i64::from(*target),
        OperandText::Id(_, id) => i64::from(*id),
        OperandText::None => -1,
    }
}

fn names(operands: &[(&'static str, OperandText)]) -> Option<String> {
    let names: Vec<&str> = operands.iter().take(3).map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

/// The entries that the operands refer to, and the operands after the third.
fn details(program: &Program, operands: &[(&'static str, OperandText)]) -> Option<String> {
    let mut details = String::new();
    for (index, (name, operand)) in operands.iter().enumerate() {
        let meaning = match operand {
            OperandText::Id(table, id) => meaning(program, table, *id as usize),
            _ => None,
        };
        match meaning {
            // A function is shown without the operand's name, as in SQLite.
            Some(meaning) if details.is_empty() && matches!(operand, OperandText::Id("f" | "agg", _)) => {
                details = meaning;
            }
            Some(meaning) => add(&mut details, name, &meaning),
            None if index >= 3 => add(&mut details, name, &number(operand).to_string()),
            None => {}
        }
    }
    (!details.is_empty()).then_some(details)
}

fn add(details: &mut String, name: &str, meaning: &str) {
    if !details.is_empty() {
        details.push(' ');
    }
    let _ = write!(details, "{name}={meaning}");
}

/// The text of an entry of one of the program's tables, which are named by the prefixes of their ids.
fn meaning(program: &Program, table: &str, id: usize) -> Option<String> {
    match table {
        "c" => program.cursors.get(id).and_then(|info| Some(info.table.as_ref()?.name.clone())),
        "k" => program.constants.get(id).map(shortened),
        "t" => program.texts.get(id).map(|text| text.to_string()),
        "coll" if id <= program.collations.len() => Some(program.collation(CollationId(id as u16)).name().to_string()),
        "aff" => program.affinities.get(id).map(|list| list.iter().map(|affinity| affinity.letter()).collect()),
        "f" => program.calls.get(id).map(|call| format!("{}({})", call.function.name(), call.argument_count)),
        "agg" => program.aggregates.get(id).map(|call| format!("{}({})", call.function.name(), call.argument_count)),
        "sub" => program.subprograms.get(id).map(|subprogram| subprogram.name.clone()),
        _ => None,
    }
}

/// A constant, cut to a readable length.
fn shortened(value: ValueRef<'_>) -> String {
    const SHOWN_MAX: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
