//! ADD CONSTRAINT, DROP CONSTRAINT, SET NOT NULL, DROP NOT NULL.

use lithe_base::{Db, ResultCode};
use lithe_catalog::{CompileError, Result, build_table, fail};
use lithe_optimize::access::{JoinRequest, Purpose};
use lithe_resolve::Stored;
use lithe_resolve::environment::ConstraintChange;
use lithe_resolve::ir::{Expr, Indexed, JoinKind, Source, SourceKind, Term, TermOrigin};
use lithe_sql::ast::{Check, ColumnConstraint, ColumnConstraintKind, Conflict, Ident, Span, TableConstraintKind};
use lithe_vm::insn::Insn;

use super::super::build_options::stored_options;
use super::super::system;
use super::edits::{self, RowEdit};
use super::text::{TextEdits, token_from, without_constraint};
use super::{Altered, SEPARATOR};
use crate::loops::{PreparedJoin, begin_loops, end_loops};
use crate::write::emit_failure;
use crate::{Codegen, ColumnAccess};

const REFUSAL: &str = "cannot edit constraints of {}";

/// ADD [CONSTRAINT name] CHECK (...); `sql` is the statement's text.
pub(super) fn add_check<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    name: Option<Ident<'a>>,
    check: &Check<'a>,
    span: Span,
    sql: &'a [u8],
) -> Result<()> {
    altered.check(REFUSAL)?;
    let (_, body) = altered.definition(cg)?;
    let text = &altered.table.sql;
    let mut edits = TextEdits::default();
    let end = body.close.start;
    edits.replace(Span::new(end, end), [SEPARATOR, span.text(sql)].concat());
    let new_sql = edits.apply(text);
    let start = end + SEPARATOR.len() as u32;
    let copy = Span::new(start, start + (span.end - span.start));
    check_text(cg, &new_sql).map_err(|error| error.moved(copy, span, sql))?;
    let source = cg.resolver.new_source();
    let Altered { db, table } = altered;
    let resolve = |cg: &Codegen<'a>| cg.resolver.table_expr(&check.condition, sql, Stored::Check, source, db, table);
    resolve(cg)?;
    if name.is_some() {
        cg.env.authorize_find_constraint(db)?;
    }
    // SQLite resolves the condition once more, for the check of the rows.
    cg.env.authorize_check_of_rows(db)?;
    let condition = resolve(cg)?;
    cg.env.authorize_constraint(db, ConstraintChange::Add)?;
    if let Some(name) = name
        && !named(body, name).is_empty()
    {
        fail_at_run(cg, db, &format!("constraint {} already exists", name.name))?;
        // This code is never run, but what is wrong with the condition is found when it is made.
        return emit_check_of_rows(cg, altered, source, &condition);
    }
    emit_check_of_rows(cg, altered, source, &condition)?;
    replace_text(cg, altered, new_sql)
}

/// ALTER COLUMN SET NOT NULL; `span` is from NOT on, in the statement's text `sql`.
pub(super) fn set_not_null<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    column: Ident<'a>,
    span: Span,
    sql: &'a [u8],
) -> Result<()> {
    altered.check(REFUSAL)?;
    let at = find(altered, column)?;
    let without = text_without_not_null(cg, altered, at)?;
    let definition = parse(cg, without)?;
    let end = token_from(without, definition.columns[usize::from(at)].span.end).span.start;
    let mut edits = TextEdits::default();
    edits.replace(Span::new(end, end), [b" ", span.text(sql)].concat());
    let new_sql = edits.apply(without);
    check_text(cg, &new_sql).map_err(CompileError::without_offset)?;
    let source = cg.resolver.new_source();
    let value = cg.resolver.table_column(source, altered.table, at);
    let Altered { db, table } = altered;
    cg.env.authorize_check_of_rows(db)?;
    cg.env.authorize_read(table.name.name(), table.columns[usize::from(at)].name.name(), db, None)?;
    cg.env.authorize_constraint(db, ConstraintChange::Replace)?;
    emit_check_for_nulls(cg, altered, source, value)?;
    replace_text(cg, altered, new_sql)
}

/// ALTER COLUMN DROP NOT NULL.
pub(super) fn drop_not_null<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, column: Ident<'a>) -> Result<()> {
    altered.check(REFUSAL)?;
    let at = find(altered, column)?;
    cg.env.authorize_constraint(altered.db, ConstraintChange::Drop)?;
    let new_sql = text_without_not_null(cg, altered, at)?;
    replace_text(cg, altered, new_sql.to_vec())
}

/// DROP CONSTRAINT name: drops the first constraint of that name.
pub(super) fn drop_constraint<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, name: Ident<'a>) -> Result<()> {
    altered.check(REFUSAL)?;
    cg.env.authorize_constraint(altered.db, ConstraintChange::Drop)?;
    let (_, body) = altered.definition(cg)?;
    let text = &altered.table.sql;
    let edits = match named(body, name).first() {
        None => return fail_at_run(cg, altered.db, &format!("no such constraint: {}", name.name)),
        Some(Dropped::Never) => {
            return fail_at_run(cg, altered.db, &format!("constraint may not be dropped: {}", name.name));
        }
        Some(Dropped::Whole(span)) => without_constraint(text, *span),
        Some(Dropped::Name(span)) => without_constraint(text, *span),
    };
    replace_text(cg, altered, edits.apply(text))
}

/// The statement fails when it runs, as in SQLite, and has begun to write.
fn fail_at_run(cg: &mut Codegen<'_>, db: Db, message: &str) -> Result<()> {
    cg.transactions.use_database(db, true);
    cg.emit_run_error(message);
    Ok(())
}

/// What is removed when a constraint of some name is dropped.
enum Dropped {
    /// An error: a key cannot be dropped.
    Never,
    /// The whole constraint.
    Whole(Span),
    /// CONSTRAINT and the name, because the clause after it (a DEFAULT, for instance) is no constraint that can be dropped.
    Name(Span),
}

/// The constraints of that name, in the order of the text.
fn named(body: &lithe_sql::ast::TableColumns<'_>, name: Ident<'_>) -> Vec<Dropped> {
    let is_named = |constraint: Option<Ident<'_>>| constraint.is_some_and(|constraint| constraint.name == name.name);
    let of_columns = body.columns.iter().flat_map(|column| column.constraints);
    let mut found: Vec<Dropped> = of_columns.filter(|c| is_named(c.name)).map(of_column).collect();
    for constraint in body.constraints.iter().filter(|constraint| is_named(constraint.name)) {
        found.push(match constraint.kind {
            TableConstraintKind::Check(_) | TableConstraintKind::ForeignKey { .. } => Dropped::Whole(constraint.span),
            TableConstraintKind::PrimaryKey { .. } | TableConstraintKind::Unique { .. } => Dropped::Never,
        });
    }
    found
}

fn of_column(constraint: &ColumnConstraint<'_>) -> Dropped {
    match constraint.kind {
        ColumnConstraintKind::PrimaryKey { .. } | ColumnConstraintKind::Unique(_) => Dropped::Never,
        ColumnConstraintKind::Null(_)
        | ColumnConstraintKind::NotNull(_)
        | ColumnConstraintKind::Check(_)
        | ColumnConstraintKind::References(_) => Dropped::Whole(constraint.span),
        _ => {
            let end = constraint.name.map_or(constraint.span.start, |name| name.span().end);
            Dropped::Name(Span::new(constraint.span.start, end))
        }
    }
}

fn find(altered: Altered<'_>, column: Ident<'_>) -> Result<u16> {
    let missing = || CompileError::no_such("column", column.name);
    altered.table.column(column.name).ok_or_else(missing)
}

/// The table's text without the first NOT NULL of the column, in the arena.
fn text_without_not_null<'a>(cg: &Codegen<'a>, altered: Altered<'a>, at: u16) -> Result<&'a [u8]> {
    let (_, body) = altered.definition(cg)?;
    let text = &altered.table.sql;
    let constraints = body.columns[usize::from(at)].constraints;
    let found = constraints.iter().find(|c| matches!(c.kind, ColumnConstraintKind::NotNull(_)));
    match found {
        None => Ok(text),
        Some(constraint) => Ok(cg.arena.alloc_slice_copy(&without_constraint(text, constraint.span).apply(text))),
    }
}

fn parse<'a>(cg: &Codegen<'a>, text: &'a [u8]) -> Result<&'a lithe_sql::ast::TableColumns<'a>> {
    use lithe_sql::ast::{Stmt, TableBody};
    match cg.resolver.parse_stored(text)? {
        Stmt::CreateTable(create) => match create.body {
            TableBody::Columns(body) => Ok(body),
            TableBody::Select(_) => fail("a table in the schema has no columns"),
        },
        _ => fail("the schema has something else than a table"),
    }
}

/// Checks that the new text defines a table.
fn check_text(cg: &Codegen<'_>, text: &[u8]) -> Result<()> {
    let arena = bumpalo::Bump::new();
    let parsed = lithe_sql::parse_statement(text, &arena, &cg.env.limits).map_err(|e| CompileError::new(e.message))?;
    match parsed.statement.and_then(|statement| statement.program()) {
        Some(lithe_sql::ast::Stmt::CreateTable(create)) => {
            // What the schema names may not exist; the new condition is resolved for itself.
            build_table(create, text, &stored_options(cg.env)).map(|_| ())
        }
        _ => fail("malformed definition"),
    }
}

/// Emits a failure if the condition is false for an existing row.
fn emit_check_of_rows<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    source: lithe_resolve::ir::SourceId,
    condition: &Expr<'a>,
) -> Result<()> {
    let cursor = system::open_for_reading(cg, altered.db, altered.table)?;
    cg.set_access(source, ColumnAccess::Table { cursor, table: altered.table });
    let (next, done) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.jump_if_true(condition, next, true)?;
    emit_failure(cg, Conflict::Abort, ResultCode::CONSTRAINT, "constraint failed".to_owned());
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

/// Emits a failure if the value of a column of the source, which is the table, is NULL in an existing row. An index may find the row: it has
/// the value of a generated column, which is not computed then.
fn emit_check_for_nulls<'a>(
    cg: &mut Codegen<'a>,
    Altered { db, table }: Altered<'a>,
    source: lithe_resolve::ir::SourceId,
    value: Expr<'a>,
) -> Result<()> {
    let is_null = Expr::IsNull(cg.resolver.alloc(value), false);
    cg.planner.context.note_expr(&is_null);
    let sources = [Source {
        id: source,
        kind: SourceKind::Table(db, table),
        name: table.name.name(),
        is_alias: false,
        join: JoinKind::Inner,
        schema: None,
        is_exists: false,
        indexed: Indexed::Any,
    }];
    let terms = [Term::new(is_null, TermOrigin::Where)];
    let (sources, terms) = (cg.arena.alloc_slice_copy(&sources), cg.arena.alloc_slice_copy(&terms));
    let from = cg.planner.plan_from(JoinRequest::of_rows(sources, terms, Purpose::Read))?;
    let from = cg.arena.alloc(from);
    let loops = begin_loops(cg, &PreparedJoin::without_queries(from))?;
    emit_failure(cg, Conflict::Abort, ResultCode::CONSTRAINT, "constraint failed".to_owned());
    end_loops(cg, loops)
}

fn replace_text<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, new_sql: Vec<u8>) -> Result<()> {
    let Altered { db, table } = altered;
    cg.transactions.use_database(db, true);
    edits::write(cg, db, &[RowEdit::text("table", &table.name, new_sql)])?;
    edits::reload(cg, db, table.name.name());
    edits::write_temporary(cg, db, &[])
}
