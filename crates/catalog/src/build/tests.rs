//! Every check is compared with SQLite: the same statements give the same messages; tables have the columns and indexes
//! that PRAGMA shows.

use bumpalo::Bump;
use lithe_sql::Limits;
use lithe_sql::ast::{Name, Stmt};
use lithe_sql::parse_statement;
use rusqlite::Connection;

use super::*;
use crate::error::Result;
use crate::{Catalog, IndexOrigin, IndexTerm, Table};

/// A few functions and collations.
struct Names;

impl KnownNames for Names {
    fn function(&self, name: Name<'_>, argument_count: usize) -> KnownFunction {
        match &*name.to_str_lossy().to_ascii_lowercase() {
            "abs" if argument_count == 1 => KnownFunction::Scalar { deterministic: true, is_trusted: true },
            "abs" => KnownFunction::WrongArguments,
            "like" | "glob" => KnownFunction::Scalar { deterministic: true, is_trusted: true },
            "random" => KnownFunction::Scalar { deterministic: false, is_trusted: true },
            "count" | "sum" => KnownFunction::Aggregate,
            "row_number" => KnownFunction::Window,
            _ => KnownFunction::Missing,
        }
    }

    fn has_collation(&self, _name: Name<'_>) -> bool {
        false
    }
}

fn build(sql: &str, before: Option<&Table>) -> Result<Option<Table>> {
    let limits = Limits::default();
    let options = BuildOptions {
        names: Some(&Names),
        limits: &limits,
        quoted_strings: true,
        descending_indexes: true,
        is_altering: false,
    };
    let arena = Bump::new();
    let parsed = parse_statement(sql.as_bytes(), &arena, &limits).map_err(|e| crate::CompileError::new(e.message))?;
    match parsed.statement.unwrap().program().unwrap() {
        Stmt::CreateTable(create) => build_table(create, sql.as_bytes(), &options).map(Some),
        Stmt::CreateIndex(create) => {
            build_index(create, sql.as_bytes(), before.unwrap(), &options)?;
            Ok(None)
        }
        _ => unreachable!("only tables and indexes are built here"),
    }
}

/// The statement after an optional CREATE TABLE has the same outcome as in SQLite.
#[track_caller]
fn check(script: &str) {
    let oracle = Connection::open_in_memory().unwrap();
    let mut before = None;
    for sql in script.split(';').map(str::trim) {
        let theirs = oracle.execute_batch(sql).map_err(|error| message(&error));
        let ours = build(sql, before.as_ref());
        assert_eq!(ours.as_ref().map(|_| ()).map_err(|e| e.message.clone()), theirs, "{sql}");
        if let Ok(Some(table)) = ours {
            assert_eq!(columns(&table), oracle_columns(&oracle, &table), "{sql}");
            assert_eq!(indexes(&table), oracle_indexes(&oracle, &table), "{sql}");
            before = Some(table);
        }
    }
}

fn message(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}

/// A row of PRAGMA table_xinfo.
type ColumnRow = (String, String, bool, Option<String>, u16, u8);

fn columns(table: &Table) -> Vec<ColumnRow> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let hidden = |column: &crate::Column| match &column.generated {
        Some(generated) if generated.stored => 3,
        Some(_) => 2,
        None => 0,
    };
    let row = |column: &crate::Column| {
        let default = column.default.as_ref().map(|default| text(&default.text));
        let name = column.name.to_string();
        (name, text(&column.declared_type), column.not_null.is_some(), default, column.primary_key, hidden(column))
    };
    table.columns.iter().map(row).collect()
}

fn oracle_columns(oracle: &Connection, table: &Table) -> Vec<ColumnRow> {
    let sql = "select name, type, \"notnull\", dflt_value, pk, hidden from pragma_table_xinfo(?)";
    let mut statement = oracle.prepare(sql).unwrap();
    let row = |r: &rusqlite::Row<'_>| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?));
    statement.query_map([table.name.to_string()], row).unwrap().map(rusqlite::Result::unwrap).collect()
}

/// A row of PRAGMA index_list, with those of PRAGMA index_xinfo.
type IndexRow = (String, bool, String, Vec<(i64, bool, String, bool)>);

fn indexes(table: &Table) -> Vec<IndexRow> {
    let column = |(at, column): (usize, &crate::IndexColumn), keys: u16| {
        let number = match &column.term {
            IndexTerm::Column(column) => i64::from(*column),
            IndexTerm::Rowid => -1,
            IndexTerm::Expr(_) => -2,
        };
        (number, column.descending, column.collation.name().to_string(), at < usize::from(keys))
    };
    let row = |index: &std::sync::Arc<crate::Index>| {
        let origin = match index.origin {
            IndexOrigin::Create => "c",
            IndexOrigin::Unique => "u",
            IndexOrigin::PrimaryKey => "pk",
        };
        let columns = index.columns.iter().enumerate().map(|c| column(c, index.key_count)).collect();
        (index.name.to_string(), index.is_unique(), origin.to_string(), columns)
    };
    table.indexes.iter().map(row).collect()
}

fn oracle_indexes(oracle: &Connection, table: &Table) -> Vec<IndexRow> {
    let sql = "select name, \"unique\", origin from pragma_index_list(?)";
    let mut list = oracle.prepare(sql).unwrap();
    let mut info = oracle.prepare("select cid, desc, coll, key from pragma_index_xinfo(?)").unwrap();
    let list: Vec<(String, bool, String)> = list
        .query_map([table.name.to_string()], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))
        .unwrap()
        .map(|r| r.unwrap())
        .collect();
    let mut row = |(name, unique, origin): (String, bool, String)| {
        let columns = info.query_map([&name], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)));
        let columns = columns.unwrap().map(rusqlite::Result::unwrap).collect();
        (name, unique, origin, columns)
    };
    list.into_iter().map(&mut row).collect()
}

#[test]
fn columns_and_their_constraints() {
    check("create table t(a, b int, c \"text\", d varchar ( 10 ), e integer not null default 5)");
    check("create table t(a any, b INT, c Integer, d double precision, e blob, f real, g Text)");
    check("create table t(a, b, A)");
    check(
        "create table t(a default 'x', b default \"y\", c default -5, d default +5, e default (1+2), f default null)",
    );
    check("create table t(a default current_time, b default true, c default x'00', d default - 5.5, e default x)");
    check("create table t(a not null on conflict ignore null collate nocase, b check(a > b) constraint foo)");
    check("create table t(a constraint x primary key constraint y default 5)");
}

#[test]
fn defaults() {
    check("create table t(a default (b))");
    check("create table t(a default (\"x\"))");
    check("create table t(a default (x.y))");
    check("create table t(a default (?))");
    check("create table t(a default ((select 1)))");
    check("create table t(a default (raise(abort, 'x')))");
    check("create table t(a default (foo(1)), b default (count(*)), c default (random()))");
    check("create table t(a default (foo(a)))");
}

#[test]
fn primary_keys() {
    check("create table t(a integer primary key, b)");
    check("create table t(a integer primary key desc, b)");
    check("create table t(a integer, b, primary key(a desc))");
    check("create table t(a integer, primary key('a'))");
    check("create table t(a integer, primary key(a collate nocase))");
    check("create table t(a int primary key, b)");
    check("create table t(a, b, c, primary key(c, a desc))");
    check("create table t(a primary key, b primary key)");
    check("create table t(a integer primary key, primary key(a))");
    check("create table t(a, primary key(b))");
    check("create table t(a, primary key(a+1))");
    check("create table t(a, primary key(a nulls first))");
    check("create table t(a primary key autoincrement)");
    check("create table t(a integer primary key autoincrement)");
    check("create table t(a integer, b, primary key(a autoincrement))");
    check("create table t(a integer, b, primary key(a, b autoincrement))");
}

#[test]
fn unique_constraints() {
    check("create table t(a, b, c unique, primary key(b), unique(a) on conflict replace, unique(b, c))");
    check("create table t(a, b, c unique, unique(a) on conflict replace, unique(b, c), unique(b) on conflict replace)");
    check("create table t(a, b unique, c, primary key(b))");
    check("create table t(a, b primary key, c unique, unique(c))");
    check("create table t(a, b, c unique on conflict ignore, unique(c) on conflict replace)");
    check("create table t(a, b, c unique on conflict ignore, unique(c))");
    check("create table t(a, b, c unique, unique(c) on conflict ignore)");
    check("create table t(a, b, c unique, unique(c desc))");
    check("create table t(a, b, c unique, unique(c collate nocase))");
    check("create table t(a unique collate nocase, b unique, c, unique(a, b))");
    check("create table t(a, unique(a, b))");
    check("create table t(a, unique(a + 1))");
    check("create table t(a, unique(a asc nulls last))");
    check("create table t(a collate foo)");
    check("create table t(a, unique(a collate foo))");
    check("create table t(a primary key on conflict replace unique on conflict ignore)");
    check("create table t(a int, b, unique(a, a))");
}

#[test]
fn without_rowid() {
    check("create table t(a, b, c, primary key(c, b, c)) without rowid");
    check("create table t(a, b, c, primary key(c collate nocase, b, c)) without rowid");
    check("create table t(a integer primary key, b, c unique) without rowid");
    check("create table t(a integer primary key desc, b, c unique) without rowid");
    check("create table t(a integer, b, primary key(a desc)) without rowid");
    check("create table t(a int unique, b unique, unique(a), primary key(a)) without rowid");
    check("create table t(a int, b as (a + 1), c as (a) stored, d, primary key(d)) without rowid");
    check("create table t(a) without rowid");
    check("create table t(a integer primary key autoincrement) without rowid");
    check("create table t(a primary key, b, c, unique(b, a)) without rowid");
}

#[test]
fn strict() {
    check("create table t(a) strict");
    check("create table t(a foo) strict");
    check("create table t(a int, b text, c) strict");
    check("create table t(a any, b \"TEXT\", c blob, d real, e Integer) strict");
    check("create table t(a int primary key, b any) strict");
    check("create table t(a integer primary key, b any, c int unique) strict, without rowid");
    check("create table t(a any, b int, primary key(a, b)) strict");
}

#[test]
fn generated_columns() {
    check("create table t(a, b as (a), c generated always as (b || 'x') stored)");
    check("create table t(a as (1))");
    check("create table t(a, b as (a) primary key)");
    check("create table t(a, b primary key as (a))");
    check("create table t(a, b as (a), primary key(b))");
    check("create table t(a, b as (a) default 5)");
    check("create table t(a, b default 5 as (a))");
    check("create table t(a, b as (a) as (5))");
    check("create table t(a, b as (c))");
    check("create table t(a, b as (random()))");
    check("create table t(a, b as (current_timestamp))");
    check("create table t(a, b as (?))");
    check("create table t(a, b as ((select 1)))");
    check("create table t(a, b as (t.a))");
    check("create table t(a, b as (rowid))");
    check("create table t(a, b int as (a) not null check(b > 1) collate nocase unique references t(a))");
}

#[test]
fn check_constraints() {
    check("create table t(a check(b > 1))");
    check("create table t(a check(a > ?))");
    check("create table t(a check(a > (select 1)))");
    check("create table t(a check(a in (select 1)))");
    check("create table t(a check(a in x))");
    check("create table t(a check(exists(select 1)))");
    check("create table t(a check(random() > current_time))");
    check("create table t(a check(t.a > 1 and T.A > rowid))");
    check("create table t(a check(x.a > 1))");
    check("create table t(a check(count(a)))");
    check("create table t(a check(row_number()))");
    check("create table t(a check(row_number() over ()))");
    check("create table t(a check(sum(a) over ()))");
    check("create table t(a check(sum(a) filter (where 1)))");
    check("create table t(a check(abs(a) filter (where 1)))");
    check("create table t(a check(abs(distinct a)))");
    check("create table t(a check(abs(a, 1)))");
    check("create table t(a check(foo(a)))");
    check("create table t(a check(a REGEXP 1))");
    check("create table t(a check(a like 'x' escape 'y'))");
    check("create table t(a check(raise(abort, 'x')))");
    check("create table t(a check(\"x\" > true), check(false))");
    check("create table t(a, check(0) on conflict ignore, check(case a when 1 then b end), b)");
}

#[test]
fn foreign_keys() {
    check("create table t(a references x(a, b))");
    check("create table t(a references x deferrable initially deferred, b references t(a) on delete cascade)");
    check("create table t(a, foreign key(a) references x(a, b))");
    check("create table t(a, foreign key(b) references x(a))");
    check("create table t(a, b, foreign key(b, a) references x)");
}

#[test]
fn create_index() {
    let check = |sql: &str| check(&format!("create table t(a, b collate nocase, c integer primary key); {sql}"));
    check("create index i on t(a, b desc, a + b, b collate rtrim)");
    check("create index i on t(x)");
    check("create index i on t('a')");
    check("create index i on t('x')");
    check("create index i on t(\"x\")");
    check("create index i on t(1)");
    check("create index i on t(t.a)");
    check("create index i on t(t.a + 1)");
    check("create index i on t(rowid)");
    check("create index i on t(rowid + 1)");
    check("create index i on t(random())");
    check("create index i on t(current_timestamp)");
    check("create index i on t(?)");
    check("create index i on t((select 1))");
    check("create index i on t(count(a))");
    check("create index i on t(a nulls first)");
    check("create index i on t(a collate foo)");
    check("create index i on t(a) where b > 1");
    check("create index i on t(a) where x > 1");
    check("create index i on t(a) where t.a > rowid");
    check("create index i on t(a) where random()");
    check("create index i on t(a) where (select 1)");
    check("create index i on t(a) where ?");
}

#[test]
fn rows_that_no_schema_should_have() {
    let check = |row: &SchemaRow<'_>, expected: &str| {
        let limits = Limits::default();
        let options = BuildOptions::of_stored(&limits);
        let mut catalog = Catalog::new();
        let error = catalog.load_row(lithe_base::Db::MAIN, row, 10, &options).unwrap_err();
        assert_eq!(error.message, expected);
        assert_eq!(error.code, lithe_base::ResultCode::CORRUPT);
    };
    fn row<'r>(kind: &'r str, name: &'r str, root: i64, sql: &'r str) -> SchemaRow<'r> {
        let bytes = |text: &'r str| Some(text.as_bytes());
        let sql = if sql.is_empty() { None } else { bytes(sql) };
        SchemaRow { kind: bytes(kind), name: bytes(name), table_name: bytes(name), root_page: Some(root), sql }
    }
    check(&row("table", "t", 2, "create tabl t(a)"), "malformed database schema (t) - near \"tabl\": syntax error");
    check(&row("table", "t", 2, "drop table t"), "malformed database schema (t)");
    check(&row("table", "t", 2, "create table u(a)"), "malformed database schema (t)");
    check(&row("index", "t", 2, "create table t(a)"), "malformed database schema (t)");
    check(&row("table", "t", 11, "create table t(a)"), "malformed database schema (t) - invalid rootpage");
    check(&row("table", "t", -1, "create table t(a)"), "malformed database schema (t) - invalid rootpage");
    check(&row("index", "i", 3, ""), "malformed database schema (i) - orphan index");
    check(&SchemaRow::default(), "malformed database schema (?)");
}
