//! A virtual table whose module has declared its columns.

use bumpalo::Bump;
use lithe_sql::Limits;
use lithe_sql::ast::Stmt;
use lithe_sql::parse_statement;

use super::{BuildOptions, build_table};
use crate::error::{CompileError, Result, fail};
use crate::{Column, ConnectedTable, Table, TableKind, VirtualState};

/// The virtual table `table` with the columns of `declaration`, a CREATE TABLE statement.
pub fn connect_table(table: &Table, declaration: &[u8], connected: ConnectedTable, limits: &Limits) -> Result<Table> {
    let arena = Bump::new();
    let parsed = parse_statement(declaration, &arena, limits).map_err(|error| CompileError::new(error.message))?;
    let Some(Stmt::CreateTable(create)) = parsed.statement.and_then(|statement| statement.program()) else {
        return fail("syntax error");
    };
    let options = BuildOptions::of_stored(limits);
    let declared = build_table(create, declaration, &options).map_err(CompileError::without_offset)?;
    let Some(virtual_table) = table.virtual_table() else { return fail("not a virtual table") };
    let key = declared.is_without_rowid().then(|| declared.columns.iter().position(|column| column.primary_key > 0));
    let keys = declared.columns.iter().filter(|column| column.primary_key > 0).count();
    if key.is_some() && connected.is_writable && keys != 1 {
        return fail("a virtual table without rowid that can be written has a primary key of one column");
    }
    let connected = ConnectedTable { key: key.flatten().map(|at| at as u16), ..connected };
    let mut columns = declared.columns;
    columns.iter_mut().for_each(hide);
    let mut virtual_table = virtual_table.clone();
    virtual_table.state = VirtualState::Connected(connected);
    let rowid_column = None;
    Ok(Table { kind: TableKind::Virtual(virtual_table), columns, rowid_column, root: None, ..table.clone() })
}

/// The word HIDDEN in a column's type hides the column and is removed from the type. The affinity is determined before
/// that: a column whose type is HIDDEN alone has affinity NUMERIC.
fn hide(column: &mut Column) {
    let declared = String::from_utf8_lossy(&column.declared_type).into_owned();
    let is_hidden = |word: &&str| word.eq_ignore_ascii_case("hidden");
    if declared.split(' ').any(|word| is_hidden(&word)) {
        let mut is_first = true;
        let kept = declared.split(' ').filter(|word| !(is_hidden(word) && std::mem::take(&mut is_first)));
        let kept: Vec<&str> = kept.collect();
        column.declared_type = kept.join(" ").into_bytes().into();
        column.hidden = true;
    }
}
