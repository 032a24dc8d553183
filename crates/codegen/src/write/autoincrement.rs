//! AUTOINCREMENT: sqlite_sequence keeps the largest rowid that each such table has ever had.
//!
//! The numbers of all tables into which the statement or one of its triggers inserts are read when the statement begins, and
//! written when it ends: a trigger continues with the number of the statement. One cursor does both: a second one would hold the page that
//! the first one writes, and the pager would copy it for each row.

use lithe_catalog::{NameBuf, SEQUENCE_TABLE};
use lithe_sql::ast::Name;
use lithe_value::ValueRef;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{ConstId, CursorId, Db, Sequence};

use super::target::Target;
use crate::Codegen;

/// The AUTOINCREMENT tables into which a statement inserts, by the number of their [`Sequence`].
pub(super) type Sequences = Vec<Numbered>;

/// An AUTOINCREMENT table.
#[derive(Clone)]
pub(super) struct Numbered {
    db: Db,
    name: NameBuf,
    /// The cursor on sqlite_sequence, once it is known that one is needed.
    cursor: Option<CursorId>,
}

/// The largest rowid of the target, if it is AUTOINCREMENT.
pub(super) fn sequence_of(cg: &Codegen<'_>, target: &Target<'_>) -> Sequence {
    let (db, table) = (target.db, target.table);
    if !table.autoincrement {
        return Sequence::NONE;
    }
    let sequences = &mut cg.write.programs.get().borrow_mut().sequences;
    let known = sequences.iter().position(|known| known.db == db && known.name == table.name);
    let at = known.unwrap_or_else(|| {
        sequences.push(Numbered { db, name: table.name.clone(), cursor: None });
        sequences.len() - 1
    });
    Sequence(at as u16)
}

/// Reads the numbers, after the transactions of the whole program have begun.
pub(super) fn emit_begin(cg: &mut Codegen<'_>) {
    let outer = cg.b.set_prologue(true);
    for_each(cg, |cg, cursor, name, sequence| {
        cg.b.emit(Insn::OpenWrite { cursor });
        cg.b.emit(Insn::ReadSequence { cursor, name, sequence });
    });
    cg.b.set_prologue(outer);
}

/// Writes the numbers that have grown.
pub(super) fn emit_end(cg: &mut Codegen<'_>) {
    for_each(cg, |cg, cursor, name, sequence| {
        cg.b.emit(Insn::WriteSequence { cursor, name, sequence });
    });
}

fn for_each<'a>(cg: &mut Codegen<'a>, emit: impl Fn(&mut Codegen<'a>, CursorId, ConstId, Sequence)) {
    let Some(programs) = cg.write.programs.known().cloned() else { return };
    let mut sequences = programs.borrow().sequences.clone();
    // In SQLite's order, which shows in sqlite_sequence: the table that was found last comes first.
    for (at, numbered) in sequences.iter_mut().enumerate().rev() {
        let cursor = *numbered.cursor.get_or_insert_with(|| cursor_on_sequences(cg, numbered.db));
        let name = cg.b.constant(ValueRef::Text(numbered.name.name().as_bytes()));
        emit(cg, cursor, name, Sequence(at as u16));
    }
    programs.borrow_mut().sequences = sequences;
}

fn cursor_on_sequences(cg: &mut Codegen<'_>, db: Db) -> CursorId {
    let table = cg.env.catalog.schema(db).table(Name::new(SEQUENCE_TABLE.as_bytes()));
    let table = table.expect("it was there when the table was found to be AUTOINCREMENT");
    cg.system_cursor(db, table).expect("a program may have one cursor more")
}
