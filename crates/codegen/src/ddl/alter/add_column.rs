//! ADD COLUMN.
//!
//! No row is rewritten: rows that are too short have the default in the new column. Therefore the default must be constant, and
//! it must meet the constraints of the definition.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_base::ResultCode;
use lithe_catalog::{BuildOptions, Column, CompileError, ErrorKind, Result, Table, build_table, fail};
use lithe_optimize::plan::RowsFor;
use lithe_resolve::ir::{Coll, Expr, OutputColumn, SourceId};
use lithe_resolve::{Found, Rules, Scope, ScopeColumns, ScopeSource, Stored, plain_output};
use lithe_sql::ast::{
    self, ColumnConstraint, ColumnConstraintKind, ColumnDef, Conflict, CreateTable, JoinKind, Name, Span, TableBody,
    TableColumns,
};
use lithe_vm::insn::Insn;
use lithe_vm::operand::Reg;
use lithe_vm::program::TableMetadata;

use super::super::build_options::stored_options;
use super::super::names::quoted;
use super::super::system;
use super::edits::{self, RowEdit};
use super::text::{TextEdits, token_from};
use super::{Altered, SEPARATOR, failing_call, verify};
use crate::Destination;
use crate::write::{emit_affinities, emit_failure};
use crate::{Codegen, ColumnAccess};

/// ALTER TABLE ADD COLUMN; `sql` is the statement's text.
pub(super) fn add_column<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    definition: &'a ColumnDef<'a>,
    sql: &'a [u8],
) -> Result<&'a [OutputColumn<'a>]> {
    check_name(cg, altered, definition).map_err(|error| error.while_reading(sql, definition.constraints_start()))?;
    let Altered { db, table } = altered;
    let written = with_comments(sql, definition.span);
    let (new_sql, copy) = new_text(cg, altered, written.text(sql))?;
    let built = build(cg, altered, definition, &new_sql);
    let (new_table, refusal) = built.map_err(|error| error.moved(copy, written, sql))?;
    // What the text names exists; what else is wrong with its expressions SQLite finds when it has written the text.
    let refusal =
        refusal.or_else(|| verify::verify_last_column(cg, db, &new_table, &new_sql, "after add column").err());
    let column = new_table.columns.last().expect("a column has been added");
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    let columns = emit_demands(cg, altered, definition, column)?;
    cg.env.authorize_add_column(db)?;
    if let Some(error) = refusal {
        emit_failure(cg, Conflict::Abort, ResultCode::ERROR, error.into_report().message);
        return Ok(columns);
    }
    if table.strict && column.generated.is_some() {
        // SQLite checks the types by quick_check, which needs the collations of all indexes.
        table.indexes.iter().try_for_each(|index| cg.index_key(db, index).map(drop))?;
        emit_type_check(cg, altered, definition, column, sql)?;
    }
    edits::write(cg, db, &[RowEdit::text("table", &table.name, new_sql)])?;
    edits::reload(cg, db, table.name.name());
    edits::write_temporary(cg, db, &[])?;
    let has_check = definition.constraints.iter().any(|c| matches!(c.kind, ColumnConstraintKind::Check(_)));
    let may_be_null = column.generated.is_some() && column.not_null.is_some();
    if has_check || may_be_null || table.strict {
        emit_check(cg, altered)?;
    }
    Ok(columns)
}

/// Checks that the table can have another column, of this name.
fn check_name(cg: &Codegen<'_>, altered: Altered<'_>, definition: &ColumnDef<'_>) -> Result<()> {
    if altered.table.view().is_some() {
        return fail("Cannot add a column to a view");
    }
    altered.check("virtual tables may not be altered")?;
    if altered.table.columns.len() >= cg.env.limits.columns as usize {
        // The name of the copy of the table to which SQLite adds the column.
        return fail(format!("too many columns on sqlite_altertab_{}", altered.table.name));
    }
    if altered.table.column(definition.name.name).is_some() {
        return fail(format!("duplicate column name: {}", definition.name.name));
    }
    Ok(())
}

/// The definition with the comments behind it, which belong to the text: a comment that goes to the end of its line makes that text
/// incomplete.
fn with_comments(sql: &[u8], definition: Span) -> Span {
    let end = token_from(sql, definition.end).span.start;
    let behind = Span::new(definition.end, end).text(sql);
    let trailing = behind.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    Span::new(definition.start, end - trailing as u32)
}

/// The new text of the table, with the new column before the constraints of the table, and where the definition of the column
/// stands in it.
fn new_text<'a>(cg: &Codegen<'a>, altered: Altered<'a>, definition: &[u8]) -> Result<(Vec<u8>, Span)> {
    let (_, body) = altered.definition(cg)?;
    let text = &altered.table.sql;
    let at = match (body.columns.last(), body.constraints.first()) {
        (Some(last), Some(_)) => token_from(text, last.span.end).span.start,
        _ => body.close.start,
    };
    let mut edits = TextEdits::default();
    edits.replace(Span::new(at, at), [SEPARATOR, definition].concat());
    let start = at + SEPARATOR.len() as u32;
    Ok((edits.apply(text), Span::new(start, start + definition.len() as u32)))
}

/// Builds the altered table. Errors are reported in SQLite's order: first those of the definition, then those of constraints that
/// no added column may have. Those of the new text are reported after the constraints on rows: one of them is returned with the table that
/// has the definition alone.
fn build<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    definition: &ColumnDef<'_>,
    text: &[u8],
) -> Result<(Table, Option<CompileError>)> {
    let in_table =
        |error: &CompileError| verify::in_object("table", altered.table.name.name(), "after add column", error);
    let parsed = lithe_sql::parse_statement(text, cg.arena, &cg.env.limits);
    let statement = parsed.map_err(|error| in_table(&CompileError::new(error.message)))?.statement;
    let Some(ast::Stmt::CreateTable(create)) = statement.and_then(|statement| statement.program()) else {
        return fail(format!("malformed definition of table {}", altered.table.name));
    };
    let options = BuildOptions { quoted_strings: true, ..stored_options(cg.env) };
    let built = build_table(create, text, &options);
    let alone = match &built {
        Ok(_) => None,
        Err(_) => Some(build_table(with_one_definition(cg.arena, create), text, &options)),
    };
    if let Some(Err(error)) = &alone
        && matches!(error.kind, ErrorKind::ColumnDefinition)
    {
        return Err(error.clone());
    }
    find_collation(cg, create, text)?;
    check_definition(definition)?;
    altered.refuse_rowid_name("add", definition.name)?;
    match (built, alone) {
        (Ok(table), _) => Ok((table, None)),
        (Err(error), Some(Ok(table))) => Ok((table, Some(in_table(&error)))),
        (Err(error), _) => Err(in_table(&error)),
    }
}

/// The table with nothing but the names of the columns and the definition of the last one, into which SQLite reads the definition. What the
/// definition says about other columns is left out.
fn with_one_definition<'t>(arena: &'t Bump, create: &CreateTable<'t>) -> &'t CreateTable<'t> {
    let TableBody::Columns(body) = create.body else { return arena.alloc(*create) };
    let columns = arena.alloc_slice_copy(body.columns);
    if let Some((last, others)) = columns.split_last_mut() {
        others.iter_mut().for_each(|column| column.constraints = &[]);
        let alone = |constraint: &ColumnConstraint<'t>| match constraint.kind {
            ColumnConstraintKind::Check(_)
            | ColumnConstraintKind::PrimaryKey { autoincrement: false, .. }
            | ColumnConstraintKind::Unique(_) => None,
            ColumnConstraintKind::Generated { value, text, stored } => {
                let value = ast::Expr { kind: ast::ExprKind::Null, height: 1, ..value };
                Some(ColumnConstraint { kind: ColumnConstraintKind::Generated { value, text, stored }, ..*constraint })
            }
            _ => Some(*constraint),
        };
        let own: Vec<ColumnConstraint<'t>> = last.constraints.iter().filter_map(alone).collect();
        last.constraints = arena.alloc_slice_copy(&own);
    }
    let body = TableColumns { columns, constraints: &[], strict: false, without_rowid: false, ..*body };
    arena.alloc(CreateTable { body: TableBody::Columns(arena.alloc(body)), ..*create })
}

/// Looks up the collation of the new column, the last one in the table's new text.
fn find_collation(cg: &Codegen<'_>, create: &CreateTable<'_>, text: &[u8]) -> Result<()> {
    let TableBody::Columns(body) = create.body else { return Ok(()) };
    for constraint in body.columns.last().map_or(&[][..], |column| column.constraints) {
        if let ColumnConstraintKind::Collate(name) = constraint.kind {
            let found = cg.env.collation(Coll::named(name.name));
            found.map_err(|error| error.while_reading(text, name.span().end))?;
        }
    }
    Ok(())
}

fn check_definition(definition: &ColumnDef<'_>) -> Result<()> {
    let any = |is: fn(&ColumnConstraintKind<'_>) -> bool| definition.constraints.iter().any(|c| is(&c.kind));
    if any(|kind| matches!(kind, ColumnConstraintKind::PrimaryKey { .. })) {
        // Before SQLite refuses the key, it reads the definition into a table that has no other key.
        return match any(|kind| matches!(kind, ColumnConstraintKind::Generated { .. })) {
            true => fail("generated columns cannot be part of the PRIMARY KEY"),
            false => fail("Cannot add a PRIMARY KEY column"),
        };
    }
    if any(|kind| matches!(kind, ColumnConstraintKind::Unique(_))) {
        return fail("Cannot add a UNIQUE column");
    }
    Ok(())
}

/// Emits the checks of the definition that fail only if the table has rows; returns the columns that the statement has by them.
fn emit_demands<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    definition: &'a ColumnDef<'a>,
    column: &Column,
) -> Result<&'a [OutputColumn<'a>]> {
    let refers = definition.constraints.iter().any(|c| matches!(c.kind, ColumnConstraintKind::References(_)));
    let literal = column.default.as_ref().map(|default| default.old_rows.as_ref());
    let is_null = match literal {
        None => true,
        Some(value) => value.is_some_and(lithe_value::Value::is_null),
    };
    let mut refused = Vec::new();
    let stored = definition.constraints.iter().find_map(|constraint| match constraint.kind {
        ColumnConstraintKind::Generated { stored, .. } => Some(stored),
        _ => None,
    });
    match stored {
        Some(true) => refused.push("cannot add a STORED column"),
        Some(false) => {}
        None => {
            if refers && !is_null && cg.env.flags.foreign_keys {
                refused.push("Cannot add a REFERENCES column with non-NULL default value");
            }
            if column.not_null.is_some() && is_null {
                refused.push("Cannot add a NOT NULL column with default value NULL");
            }
            if literal.is_some_and(|value| value.is_none()) {
                refused.push("Cannot add a column with non-constant default");
            }
        }
    }
    if let Some(message) = refused.first() {
        emit_refusal(cg, altered, message)?;
        return Ok(failing_call(cg, format!("raise(ABORT,{})", quoted(Name::new(message.as_bytes()), '\''))));
    }
    Ok(&[])
}

/// Emits a failure if the table has a row.
fn emit_refusal<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, message: &str) -> Result<()> {
    cg.env.authorize_refusal(altered.db, altered.table.name.name())?;
    let cursor = system::open_for_reading(cg, altered.db, altered.table)?;
    let is_empty = cg.b.label();
    cg.b.emit(Insn::Rewind { cursor, target: is_empty });
    emit_failure(cg, Conflict::Abort, ResultCode::ERROR, message.to_owned());
    cg.b.place(is_empty);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

/// Emits a check of the altered table's rows: the new column may violate a constraint of any column.
fn emit_check<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>) -> Result<()> {
    let literal = |name: Name<'_>| quoted(name, '\'');
    let database = cg.env.catalog.database_name(altered.db).name();
    let text = format!(
        "SELECT CASE WHEN quick_check GLOB 'CHECK*' THEN raise(ABORT, 'CHECK constraint failed') \
         WHEN quick_check GLOB 'non-* value in*' THEN raise(ABORT, 'type mismatch on DEFAULT') \
         ELSE raise(ABORT, 'NOT NULL constraint failed') END FROM pragma_quick_check({}, {}) \
         WHERE quick_check GLOB 'CHECK*' OR quick_check GLOB 'NULL*' OR quick_check GLOB 'non-* value in*'",
        literal(altered.table.name.name()),
        literal(database)
    );
    let text: &'a [u8] = cg.arena.alloc_slice_copy(text.as_bytes());
    let select = cg.resolver.parse_stored_select(text)?;
    let found = Found::default();
    let rules = Rules { raise: true, ..Rules::default() };
    let query = cg.resolver.query(&Scope { rules, ..Scope::outermost(text, &found) }, select)?;
    let query = cg.prepare_query(query);
    let plan = cg.plan_query(query, RowsFor::Use)?;
    cg.emit_query(plan, &Destination::Discard)
}

/// STRICT: emits a check that the values of the new generated column have its type in every row. The column is a source of its
/// own next to the table, one register wide.
fn emit_type_check<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    definition: &'a ColumnDef<'a>,
    column: &Column,
    sql: &'a [u8],
) -> Result<()> {
    let Altered { db, table } = altered;
    let value = definition.constraints.iter().find_map(|constraint| match &constraint.kind {
        ColumnConstraintKind::Generated { value, .. } => Some(value),
        _ => None,
    });
    let Some(value) = value else { return Ok(()) };
    let (old, new) = (cg.resolver.new_source(), cg.resolver.new_source());
    let result = cg.b.register();
    let output = OutputColumn { affinity: Some(column.affinity), ..plain_output(&Expr::Null) };
    let columns: &'a [OutputColumn<'a>] = cg.arena.alloc_slice_copy(&[output.renamed(definition.name.name)]);
    let sources = [source(old, table, ScopeColumns::Table(table)), source(new, table, ScopeColumns::Query(columns))];
    let found = Found::default();
    let rules = Rules { stored: Some(Stored::Check), ..Rules::default() };
    let scope = Scope { sources: &sources, rules, ..Scope::outermost(sql, &found) };
    let value = cg.resolver.expr(&scope, value)?;
    let cursor = system::open_for_reading(cg, db, table)?;
    cg.set_access(old, ColumnAccess::Table { cursor, table });
    cg.set_access(new, ColumnAccess::Registers { start: result, rowid: Reg::NONE });
    let done = cg.b.label();
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.emit_into(&value, result)?;
    emit_affinities(cg, result, std::iter::once(column.affinity));
    emit_generated_type_demand(cg, column, result);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

/// STRICT: emits the check of the type of a generated column.
fn emit_generated_type_demand(cg: &mut Codegen<'_>, column: &Column, value: Reg) {
    let strict_type = (column.name.to_string(), String::from_utf8_lossy(&column.declared_type).into_owned());
    let metadata = TableMetadata { strict_types: Some(vec![strict_type]), ..TableMetadata::default() };
    let cursor = cg.ephemeral_table(1);
    cg.b.cursor_info(cursor).table = Some(Arc::new(metadata));
    cg.b.emit(Insn::TypeCheck { cursor, start: value, count: 1 });
    cg.journal.note_may_abort();
}

fn source<'a>(id: SourceId, table: &'a Table, columns: ScopeColumns<'a>) -> ScopeSource<'a> {
    let name: Name<'a> = table.name.name();
    ScopeSource {
        id,
        name,
        table_name: name,
        db: None,
        columns,
        join: JoinKind::Comma,
        using: &[],
        qualified_only: false,
        is_trigger_row: false,
        is_returned: false,
    }
}
