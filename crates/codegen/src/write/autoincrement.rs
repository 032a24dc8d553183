//! AUTOINCREMENT: sqlite_sequence keeps the largest rowid that each such table has ever had.
//!
//! The numbers of all tables into which the statement or one of its triggers inserts are read when the statement begins, and
//! written when it ends: a trigger continues with the number of the statement.

use lithe_catalog::{NameBuf, SEQUENCE_TABLE};
use lithe_sql::ast::Name;
use lithe_value::Value;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Db, Sequence};

use super::target::Target;
use crate::Codegen;

/// The AUTOINCREMENT tables into which a statement inserts, by the number of their [`Sequence`].
pub(super) type Sequences = Vec<(Db, NameBuf)>;

/// The largest rowid of the target, if it is AUTOINCREMENT.
pub(super) fn sequence_of(cg: &Codegen<'_>, target: &Target<'_>) -> Sequence {
    let (db, table) = (target.db, target.table);
    if !table.autoincrement {
        return Sequence::NONE;
    }
    let sequences = &mut cg.write.programs.get().borrow_mut().sequences;
    let known = sequences.iter().position(|(of, name)| *of == db && *name == table.name);
    let at = known.unwrap_or_else(|| {
        sequences.push((db, table.name.clone()));
        sequences.len() - 1
    });
    Sequence(at as u16)
}

/// Reads the numbers, after the transactions of the whole program have begun.
pub(super) fn emit_begin(cg: &mut Codegen<'_>) {
    let outer = cg.b.set_prologue(true);
    for_each(cg, |cursor, name, sequence| Insn::ReadSequence { cursor, name, sequence });
    cg.b.set_prologue(outer);
}

/// Writes the numbers that have grown.
pub(super) fn emit_end(cg: &mut Codegen<'_>) {
    for_each(cg, |cursor, name, sequence| Insn::WriteSequence { cursor, name, sequence });
}

fn for_each(
    cg: &mut Codegen<'_>,
    insn: impl Fn(lithe_vm::operand::CursorId, lithe_vm::operand::ConstId, Sequence) -> Insn,
) {
    let Some(programs) = cg.write.programs.known() else { return };
    let sequences = programs.borrow().sequences.clone();
    for (at, (db, name)) in sequences.iter().enumerate() {
        let table = cg.env.catalog.schema(*db).table(Name::new(SEQUENCE_TABLE.as_bytes()));
        let table = table.expect("it was there when the table was found to be AUTOINCREMENT");
        let cursor = cg.open_system_table(*db, table).expect("a program may have one cursor more");
        let name = cg.b.constant(Value::text(name.name().as_bytes()));
        cg.b.emit(insn(cursor, name, Sequence(at as u16)));
    }
}
