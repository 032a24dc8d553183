//! DROP COLUMN: every row is written anew without the column.

use lithe_sql::TokenKind;
use lithe_sql::ast::{Ident, Span};
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::AffinityListId;

use super::edits::{self, RowEdit};
use super::text::{TextEdits, token_before, token_from};
use super::{Altered, verify};
use crate::catalog::{Column, IndexOrigin, IndexTerm};
use crate::codegen::Codegen;
use crate::error::{Result, fail};

/// ALTER TABLE DROP COLUMN.
pub(super) fn drop_column<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, name: Ident<'a>) -> Result<()> {
    altered.check("cannot drop column from view \"{}\"")?;
    let Altered { db, table } = altered;
    let Some(at) = table.column(name.name) else {
        return fail(format!("no such column: \"{}\"", name.name));
    };
    let column = &table.columns[usize::from(at)];
    if column.primary_key > 0 {
        return fail(format!("cannot drop PRIMARY KEY column: \"{}\"", column.name));
    }
    let is_alone = |origin, terms: &[crate::catalog::IndexColumn]| {
        origin == IndexOrigin::Unique && matches!(terms, [only] if only.term == IndexTerm::Column(at))
    };
    if table.indexes.iter().any(|index| is_alone(index.origin, index.key_columns())) && has_unique(cg, altered, at)? {
        return fail(format!("cannot drop UNIQUE column: \"{}\"", column.name));
    }
    if table.columns.len() == 1 {
        return fail(format!("cannot drop column \"{}\": no other columns exist", column.name));
    }
    verify::verify(cg, db, &[], "")?;
    let edit = RowEdit::text("table", &table.name, new_text(cg, altered, at)?);
    verify::verify(cg, db, &[(db, std::slice::from_ref(&edit))], "after drop column")?;
    cg.use_database(db, true);
    cg.note_more_changes();
    edits::write(cg, db, &[edit])?;
    if column.is_stored() {
        emit_rewrite(cg, altered, column)?;
    }
    edits::reload(cg, db, table.name.name());
    Ok(())
}

/// Whether UNIQUE stands at the column itself; a constraint of the table that names it is found by reading the new text.
fn has_unique<'a>(cg: &Codegen<'a>, altered: Altered<'a>, at: u16) -> Result<bool> {
    use lithe_sql::ast::ColumnConstraintKind::Unique;
    let (_, body) = altered.definition(cg)?;
    let constraints = body.columns.get(usize::from(at)).map_or(&[][..], |column| column.constraints);
    Ok(constraints.iter().any(|constraint| matches!(constraint.kind, Unique(_))))
}

/// The text without the column: with the comma behind it, or for the last one with the comma before it.
fn new_text<'a>(cg: &Codegen<'a>, altered: Altered<'a>, at: u16) -> Result<Vec<u8>> {
    let (_, body) = altered.definition(cg)?;
    let text = &altered.table.sql;
    let column = body.columns[usize::from(at)].span;
    let span = match body.columns.get(usize::from(at) + 1) {
        Some(next) => Span::new(column.start, next.span.start),
        None => {
            let comma = token_before(text, column.start);
            debug_assert_eq!(comma.kind, TokenKind::Comma, "another column stands before the last one");
            Span::new(comma.span.start, token_from(text, column.end).span.start)
        }
    };
    let mut edits = TextEdits::default();
    edits.replace(span, "");
    Ok(edits.apply(text))
}

fn emit_rewrite<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, dropped: &Column) -> Result<()> {
    let Altered { db, table } = altered;
    let cursor = cg.table_cursor(db, table)?;
    cg.b.emit(Insn::OpenWrite { cursor });
    let count = table.stored_columns();
    let (values, rowid, record) = (cg.b.registers(count), cg.b.register(), cg.b.register());
    let done = cg.b.label();
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    // The columns behind the dropped one move up.
    let gap = usize::from(dropped.stored_at);
    let behind = count - gap - 1;
    if gap > 0 {
        cg.b.emit(Insn::Columns { cursor, column: 0, dst: values, count: gap as u32 });
    }
    if behind > 0 {
        let column = dropped.stored_at + 1;
        cg.b.emit(Insn::Columns { cursor, column, dst: values.at(gap), count: behind as u32 });
    }
    if let Some(alias) = table.rowid_column {
        let place = usize::from(table.columns[usize::from(alias)].stored_at);
        let place = if place > gap { place - 1 } else { place };
        cg.b.emit(Insn::Null { start: values.at(place), count: 1 });
    }
    let (affinities, width) = (AffinityListId::NONE, count as u16 - 1);
    cg.b.emit(Insn::MakeRecord { count: width, affinities, start: values, dst: record });
    let flags = insert_flags::SAVE_POSITION;
    if table.is_without_rowid() {
        let keys = table.primary_key().map_or(0, |key| key.key_count);
        cg.b.emit(Insn::IdxInsert { flags, cursor, count: keys, record, start: values });
    } else {
        cg.b.emit(Insn::Rowid { cursor, dst: rowid });
        cg.b.emit(Insn::Insert { flags, cursor, rowid, record });
    }
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}
