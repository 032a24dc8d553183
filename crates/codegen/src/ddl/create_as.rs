//! CREATE TABLE AS SELECT: the text of the new table is built from the select's columns.

use std::fmt::Write;

use lithe_catalog::{Column, NameBuf, Result, Table};
use lithe_optimize::plan::RowsFor;
use lithe_resolve::ir::OutputColumn;
use lithe_resolve::{Found, Rules, Scope, unique_names};
use lithe_sql::ast::{CreateTable, Name, Select};
use lithe_value::Affinity;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, Db, Sequence};
use lithe_vm::program::{CursorInfo, CursorKind};

use super::new_table::{create_trees, finish};
use super::system;
use crate::Codegen;

/// Column names of less than this total length are written in one line.
const ONE_LINE_MAX: usize = 50;

/// Emits `CREATE TABLE name AS select`; `sql` is the statement's text.
pub(super) fn create_table_as<'a>(
    cg: &mut Codegen<'a>,
    db: Db,
    create: &CreateTable<'a>,
    select: &'a Select<'a>,
    sql: &'a [u8],
) -> Result<()> {
    let found = Found::default();
    let rules = Rules::of_statements(&cg.env.flags);
    let query = cg.resolver.query(&Scope { rules, ..Scope::outermost(sql, &found) }, select)?;
    let mut columns: Vec<_> = query.columns.iter().map(|column| column.renamed(column.stored_name)).collect();
    unique_names(cg.arena, &mut columns);
    let name = create.name.name.name;
    let text = table_text(name, &columns);
    let table = Table { name: name.into(), columns: columns.iter().map(column).collect(), ..Table::default() };
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    system::prepare_database(cg, db);
    let sql = cg.b.register();
    system::load_text(cg, text.as_bytes(), sql);
    let root = create_trees(cg, db, &table, sql)?;
    let query = cg.prepare_query(query);
    let width = columns.len();
    let cursor = cg.b.cursor(CursorInfo {
        kind: CursorKind::Table,
        db,
        root: None,
        key: None,
        column_count: width as u16,
        table: None,
    });
    cg.b.emit(Insn::OpenWriteAt { cursor, root });
    let affinities: Vec<_> = columns.iter().map(|column| column.affinity.or(Some(Affinity::Blob))).collect();
    let affinities = affinity_list(cg, &affinities);
    let plan = cg.plan_query(query, RowsFor::Coroutine)?;
    let coroutine = cg.emit_coroutine(plan)?;
    let (rowid, done) = (cg.b.register(), cg.b.label());
    let top = cg.b.here();
    cg.b.emit(Insn::Yield { co: coroutine.co, target: done });
    cg.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
    let (flags, count) = (insert_flags::APPEND, width as u16);
    cg.b.emit(Insn::InsertRow { flags, cursor, count, affinities, rowid, start: coroutine.start });
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(done);
    cg.b.emit(Insn::Close { cursor });
    finish(cg, db, &table)
}

fn column(output: &OutputColumn<'_>) -> Column {
    let affinity = match output.affinity.unwrap_or(Affinity::Blob) {
        Affinity::FlexNum => Affinity::Numeric,
        affinity => affinity,
    };
    Column { name: NameBuf::from(output.name), affinity, ..Column::default() }
}

/// The table's text, as SQLite writes it.
fn table_text(name: Name<'_>, columns: &[OutputColumn<'_>]) -> String {
    let length: usize =
        columns.iter().map(|column| quoted_length(column.name) + 5).sum::<usize>() + quoted_length(name);
    let (first, between, last) = if length < ONE_LINE_MAX { ("", ",", ")") } else { ("\n  ", ",\n  ", "\n)") };
    let mut text = format!("CREATE TABLE {}(", identifier(name));
    for (at, column) in columns.iter().enumerate() {
        let separator = if at == 0 { first } else { between };
        let type_name = match column.affinity.unwrap_or(Affinity::Blob) {
            Affinity::Blob => "",
            Affinity::Text => " TEXT",
            Affinity::Numeric | Affinity::FlexNum => " NUM",
            Affinity::Integer => " INT",
            Affinity::Real => " REAL",
        };
        let _ = write!(text, "{separator}{}{type_name}", identifier(column.name));
    }
    text + last
}

/// The length of the name in double quotes, whether it needs them or not.
fn quoted_length(name: Name<'_>) -> usize {
    super::names::quoted(name, '"').len()
}

/// The name, in double quotes unless it consists of letters, digits and underscores, is no keyword, and does not begin with a
/// digit.
fn identifier(name: Name<'_>) -> String {
    let text = name.to_str_lossy();
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_plain = is_word && !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit());
    let is_keyword = lithe_sql::keyword::find(name.as_bytes()).is_some();
    if is_plain && !is_keyword { text.into_owned() } else { super::names::quoted(name, '"') }
}

/// The list of these affinities; NONE if none of them has an effect.
fn affinity_list(cg: &mut Codegen<'_>, list: &[Option<Affinity>]) -> AffinityListId {
    if list.iter().all(|affinity| affinity.is_none_or(|affinity| affinity == Affinity::Blob)) {
        return AffinityListId::NONE;
    }
    let list: Vec<Affinity> = list.iter().map(|affinity| affinity.unwrap_or(Affinity::Blob)).collect();
    cg.b.affinity_list(&list)
}
