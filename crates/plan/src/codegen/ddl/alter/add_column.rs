//! ADD COLUMN.
//!
//! No row is rewritten: rows that are too short have the default in the new column. So the default must be constant, and
//! what the definition demands must hold for it.

use std::sync::Arc;

use lithe_sql::ast::{ColumnConstraintKind, ColumnDef, Conflict, Expr as Ast, JoinKind, Name};
use lithe_vfs::ResultCode;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Reg;
use lithe_vm::program::TableFacts;

use super::super::known_names::build_options;
use super::super::system;
use super::edits::{self, RowEdit};
use super::text::{TextEdits, token_from};
use super::{Altered, verify};
use crate::catalog::{Column, Table, build_table};
use crate::codegen::write::{emit_affinities, emit_failure};
use crate::codegen::{Codegen, ColumnAccess};
use crate::error::{CompileError, Result, fail};
use crate::ir::{Expr, OutputColumn, SourceId};
use crate::resolve::{Found, Rules, Scope, ScopeColumns, ScopeSource, Stored, plain_output};

/// ALTER TABLE ADD COLUMN; `sql` is the statement's text.
pub(super) fn add_column<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    definition: &'a ColumnDef<'a>,
    sql: &'a [u8],
) -> Result<()> {
    altered.check("Cannot add a column to a view")?;
    let Altered { db, table } = altered;
    let new_sql = new_text(cg, altered, definition.span.text(sql))?;
    let new_table = build(cg, altered, definition, &new_sql)?;
    let column = new_table.columns.last().expect("a column has been added");
    check_definition(definition)?;
    cg.use_database(db, true);
    cg.note_more_changes();
    cg.note_may_abort();
    emit_demands(cg, altered, definition, column, sql)?;
    edits::write(cg, db, &[RowEdit::text("table", &table.name, new_sql)])?;
    edits::reload(cg, db, table.name.name());
    Ok(())
}

/// The new column comes before the constraints of the table.
fn new_text<'a>(cg: &Codegen<'a>, altered: Altered<'a>, definition: &[u8]) -> Result<Vec<u8>> {
    let (_, body) = altered.definition(cg)?;
    let text = &altered.table.sql;
    let at = match (body.columns.last(), body.constraints.first()) {
        (Some(last), Some(_)) => token_from(text, last.span.end).span.start,
        _ => body.close.start,
    };
    let mut edits = TextEdits::default();
    edits.replace(lithe_sql::ast::Span::new(at, at), [b", ", definition].concat());
    Ok(edits.apply(text))
}

fn build<'a>(cg: &Codegen<'a>, altered: Altered<'a>, definition: &ColumnDef<'_>, text: &[u8]) -> Result<Table> {
    if altered.table.column(definition.name.name).is_some() {
        return fail(format!("duplicate column name: {}", definition.name.name));
    }
    let parsed = lithe_sql::parse_statement(text, cg.arena, &cg.env.limits);
    let statement = parsed.map_err(|error| CompileError::new(error.message))?.statement;
    let Some(lithe_sql::ast::Stmt::CreateTable(create)) = statement.map(|statement| statement.kind) else {
        return fail(format!("malformed definition of table {}", altered.table.name));
    };
    build_table(create, text, &build_options(cg))
        .map_err(|error| verify::in_object("table", altered.table.name.name(), "after add column", &error))
}

fn check_definition(definition: &ColumnDef<'_>) -> Result<()> {
    for constraint in definition.constraints {
        match constraint.kind {
            ColumnConstraintKind::PrimaryKey { .. } => return fail("Cannot add a PRIMARY KEY column"),
            ColumnConstraintKind::Unique(_) => return fail("Cannot add a UNIQUE column"),
            _ => {}
        }
    }
    Ok(())
}

/// What must hold if the table has rows.
fn emit_demands<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    definition: &'a ColumnDef<'a>,
    column: &Column,
    sql: &'a [u8],
) -> Result<()> {
    let refers = definition.constraints.iter().any(|c| matches!(c.kind, ColumnConstraintKind::References(_)));
    let literal = column.default.as_ref().map(|default| default.old_rows.as_ref());
    let is_null = match literal {
        None => true,
        Some(value) => value.is_some_and(lithe_value::Value::is_null),
    };
    let mut refused = Vec::new();
    match &column.generated {
        Some(generated) if generated.stored => refused.push("cannot add a STORED column"),
        Some(_) => {}
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
        return emit_refusal(cg, altered, message);
    }
    let conditions = definition.constraints.iter().filter_map(|constraint| match &constraint.kind {
        ColumnConstraintKind::Check(check) => Some(&check.condition),
        _ => None,
    });
    let conditions: Vec<&Ast<'a>> = conditions.collect();
    if !conditions.is_empty() || column.generated.is_some() && column.not_null.is_some() || altered.table.strict {
        emit_check_of_rows(cg, altered, definition, column, &conditions, sql)?;
    }
    Ok(())
}

/// An error if the table has a row.
fn emit_refusal<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, message: &str) -> Result<()> {
    let cursor = system::open_for_reading(cg, altered.db, altered.table)?;
    let is_empty = cg.b.label();
    cg.b.emit(Insn::Rewind { cursor, target: is_empty });
    emit_failure(cg, Conflict::Abort, ResultCode::ERROR, message.to_owned());
    cg.b.place(is_empty);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

/// The conditions of the new column, for every row. The column is a source of its own beside the table, one register wide.
fn emit_check_of_rows<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    definition: &'a ColumnDef<'a>,
    column: &Column,
    conditions: &[&Ast<'a>],
    sql: &'a [u8],
) -> Result<()> {
    let Altered { db, table } = altered;
    let (old, new) = (cg.resolver.new_source(), cg.resolver.new_source());
    let value = cg.b.register();
    let output = OutputColumn { affinity: Some(column.affinity), ..plain_output(&Expr::Null) };
    let output = output.renamed(definition.name.name);
    let columns: &'a [OutputColumn<'a>] = cg.arena.alloc_slice_copy(&[output]);
    let sources = [source(old, table, ScopeColumns::Table(table)), source(new, table, ScopeColumns::Query(columns))];
    let found = Found::default();
    let rules = Rules { stored: Some(Stored::Check), ..Rules::default() };
    let scope = Scope { sources: &sources, rules, ..Scope::outermost(sql, &found) };
    let mut resolved = Vec::with_capacity(conditions.len());
    for condition in conditions {
        resolved.push(cg.resolver.expr(&scope, condition)?);
    }
    let generated = definition.constraints.iter().find_map(|constraint| match &constraint.kind {
        ColumnConstraintKind::Generated { value, .. } => Some(value),
        _ => None,
    });
    let generated = generated.map(|value| cg.resolver.expr(&scope, value)).transpose()?;

    let cursor = system::open_for_reading(cg, db, table)?;
    cg.set_access(old, ColumnAccess::Table { cursor, table });
    cg.set_access(new, ColumnAccess::Registers { start: value, rowid: Reg::NONE });
    let done = cg.b.label();
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    match &generated {
        Some(expr) => cg.emit_into(expr, value)?,
        None => emit_default(cg, column, value)?,
    }
    emit_affinities(cg, value, std::iter::once(column.affinity));
    if table.strict && generated.is_none() {
        emit_type_demand(cg, column, value);
    }
    if table.strict && generated.is_some() {
        emit_generated_type_demand(cg, column, value);
    }
    if column.not_null.is_some() {
        let message = cg.b.text("NOT NULL constraint failed");
        let (policy, code) = (lithe_vm::operand::OnConflict::Abort as u8, ResultCode::ERROR.0);
        cg.b.emit(Insn::HaltIfNull { policy, value, code, message });
    }
    for condition in &resolved {
        let holds = cg.b.label();
        cg.jump_if_true(condition, holds, true)?;
        emit_failure(cg, Conflict::Abort, ResultCode::ERROR, "CHECK constraint failed".to_owned());
        cg.b.place(holds);
    }
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

fn emit_default(cg: &mut Codegen<'_>, column: &Column, dst: Reg) -> Result<()> {
    match column.default.as_ref().and_then(|default| default.old_rows.clone()) {
        Some(value) => {
            let value = cg.b.constant(value);
            cg.b.emit(Insn::Const { value, dst });
        }
        None => cg.b.emit(Insn::Null { start: dst, count: 1 }),
    }
    Ok(())
}

/// STRICT: "type mismatch on DEFAULT". The default is a constant, so it is known now whether it fits.
fn emit_type_demand(cg: &mut Codegen<'_>, column: &Column, value: Reg) {
    if default_fits(column) {
        return;
    }
    let is_null = cg.b.label();
    cg.b.emit(Insn::IsNull { reg: value, target: is_null });
    emit_failure(cg, Conflict::Abort, ResultCode::ERROR, "type mismatch on DEFAULT".to_owned());
    cg.b.place(is_null);
}

/// STRICT: the values of a generated column must have its type.
fn emit_generated_type_demand(cg: &mut Codegen<'_>, column: &Column, value: Reg) {
    let strict_type = (column.name.to_string(), String::from_utf8_lossy(&column.declared_type).into_owned());
    let facts = TableFacts { strict_types: Some(vec![strict_type]), ..TableFacts::default() };
    let cursor = cg.ephemeral_table(1);
    cg.b.cursor_info(cursor).table = Some(Arc::new(facts));
    cg.b.emit(Insn::TypeCheck { cursor, start: value, count: 1 });
    cg.note_may_abort();
}

fn default_fits(column: &Column) -> bool {
    use lithe_value::{NumberText, StorageClass};
    let Some(default) = column.default.as_ref().and_then(|default| default.old_rows.as_ref()) else { return true };
    let mut scratch = NumberText::default();
    let class = column.affinity.apply(default.as_ref(), &mut scratch).class();
    match (&*column.declared_type, class) {
        (_, StorageClass::Null) | (b"ANY", _) => true,
        (b"INT" | b"INTEGER", class) => class == StorageClass::Integer,
        (b"REAL", class) => matches!(class, StorageClass::Real | StorageClass::Integer),
        (b"TEXT", class) => class == StorageClass::Text,
        (b"BLOB", class) => class == StorageClass::Blob,
        _ => true,
    }
}

fn source<'a>(id: SourceId, table: &'a Table, columns: ScopeColumns<'a>) -> ScopeSource<'a> {
    let name: Name<'a> = table.name.name();
    ScopeSource {
        id,
        name,
        db: None,
        columns,
        join: JoinKind::Comma,
        using: &[],
        qualified_only: false,
        is_trigger_row: false,
    }
}
