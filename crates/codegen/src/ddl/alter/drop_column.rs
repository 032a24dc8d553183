//! DROP COLUMN: every row is rewritten without the column.

use lithe_catalog::{Column, IndexOrigin, IndexTerm, Result, fail};
use lithe_sql::TokenKind;
use lithe_sql::ast::{Ident, Span};
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, Db};

use super::Altered;
use super::change::Change;
use super::edits::{self, RowEdit};
use super::objects::edits_of_both;
use super::text::{token_before, token_from};
use super::verify::{self, After};
use crate::Codegen;

/// ALTER TABLE DROP COLUMN.
pub(super) fn drop_column<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, name: Ident<'a>, sql: &[u8]) -> Result<()> {
    altered.check("cannot drop column from {}")?;
    let Altered { db, table } = altered;
    let at = altered.column(name, sql)?;
    altered.refuse_rowid_name("drop", name)?;
    let column = &table.columns[usize::from(at)];
    if column.primary_key > 0 {
        return fail(format!("cannot drop PRIMARY KEY column: \"{}\"", name.name));
    }
    let is_alone = |origin, terms: &[lithe_catalog::IndexColumn]| {
        origin == IndexOrigin::Unique && matches!(terms, [only] if only.term == IndexTerm::Column(at))
    };
    if table.indexes.iter().any(|index| is_alone(index.origin, index.key_columns())) && has_unique(cg, altered, at)? {
        return fail(format!("cannot drop UNIQUE column: \"{}\"", name.name));
    }
    if table.columns.len() == 1 {
        return fail(format!("cannot drop column \"{}\": no other columns exist", name.name));
    }
    cg.env.authorize_drop_column(db)?;
    let (own, temporary) = match cg.env.authorizer.silent(|| edits_of_all(cg, altered, at)) {
        Ok(edits) => edits,
        Err(error) => return super::fail_when_run(cg, db, error),
    };
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    edits::write(cg, db, &own)?;
    if column.is_stored() {
        emit_rewrite(cg, altered, column)?;
    }
    edits::reload(cg, db, table.name.name());
    edits::write_temporary(cg, db, &temporary)
}

/// The schema rows to edit in the schema of the table, and in that of temp.
fn edits_of_all<'a>(cg: &Codegen<'a>, altered: Altered<'a>, at: u16) -> Result<(Vec<RowEdit>, Vec<RowEdit>)> {
    let db = altered.db;
    let change = Change::Cut(span_of(cg, altered, at)?);
    let (own, temporary) = edits_of_both(cg, altered, change)?;
    let edited: [(Db, &[RowEdit]); 2] = [(db, &own), (Db::TEMP, &temporary)];
    verify::verify(cg, db, &edited[..if db == Db::TEMP { 1 } else { 2 }], After::DropColumn)?;
    Ok((own, temporary))
}

/// Whether the column definition itself has UNIQUE. A constraint of the table that names the column fails when the new text is
/// parsed.
fn has_unique<'a>(cg: &Codegen<'a>, altered: Altered<'a>, at: u16) -> Result<bool> {
    use lithe_sql::ast::ColumnConstraintKind::Unique;
    let (_, body) = altered.definition(cg)?;
    let constraints = body.columns.get(usize::from(at)).map_or(&[][..], |column| column.constraints);
    Ok(constraints.iter().any(|constraint| matches!(constraint.kind, Unique(_))))
}

/// The part of the text to remove: the column with the comma after it, or for the last column with the comma before it.
fn span_of<'a>(cg: &Codegen<'a>, altered: Altered<'a>, at: u16) -> Result<Span> {
    let (_, body) = altered.definition(cg)?;
    let text = &altered.table.sql;
    let column = body.columns[usize::from(at)].span;
    Ok(match body.columns.get(usize::from(at) + 1) {
        Some(next) => Span::new(column.start, next.span.start),
        None => {
            let comma = token_before(text, column.start);
            debug_assert_eq!(comma.kind, TokenKind::Comma, "another column stands before the last one");
            Span::new(comma.span.start, token_from(text, column.end).span.start)
        }
    })
}

fn emit_rewrite<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, dropped: &Column) -> Result<()> {
    let Altered { db, table } = altered;
    let cursor = cg.table_cursor(db, table)?;
    cg.b.emit(Insn::OpenWrite { cursor });
    // The key of a WITHOUT ROWID table may have a column twice.
    let count = match table.primary_key().filter(|_| table.is_without_rowid()) {
        Some(key) => key.columns.len(),
        None => table.stored_columns(),
    };
    let (values, rowid, record) = (cg.b.registers(count), cg.b.register(), cg.b.register());
    let done = cg.b.label();
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    // The columns after the dropped one move up.
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
