//! EXPLAIN QUERY PLAN against SQLite: the same lines, the same tree, the same costs.
//!
//! A script has the statements that make a database, one a line, and queries, lines that begin with `?`. `===` begins another
//! database. SQLite runs all of it; its schema and statistics are loaded here, and no database is read or written.

mod plans;
mod writes;

use std::sync::Arc;

use bumpalo::Bump;
use lithe_catalog::{
    BuildOptions, Catalog, Index, IndexStatistics, Sample, SchemaRow, TableStatistics, sample_numbers,
};
use lithe_codegen::CompileRequest;
use lithe_format::record;
use lithe_functions::Registry;
use lithe_resolve::environment::{Environment, Flags, PlannedParameters};
use lithe_sql::Limits;
use lithe_sql::ast::Name;
use lithe_value::Value;
use lithe_vm::operand::Db;

/// Root pages of tests are no larger.
const PAGE_COUNT: u32 = 1_000_000;

#[test]
fn one_table() {
    check(include_str!("one_table.sql"));
}

#[test]
fn automatic_indexes() {
    check(include_str!("automatic.sql"));
}

#[test]
fn rowids_as_keys() {
    check(include_str!("rowids_as_keys.sql"));
}

#[test]
fn columns_that_are_never_null() {
    check(include_str!("never_null.sql"));
}

#[test]
fn recursive_and_compound_queries() {
    check(include_str!("recursive.sql"));
}

#[test]
fn constants() {
    check(include_str!("constants.sql"));
}

#[test]
fn sides_of_joins_and_compounds() {
    check(include_str!("sides.sql"));
}

#[test]
fn order_of_conditions() {
    check(include_str!("terms.sql"));
}

#[test]
fn orders_that_are_given() {
    check(include_str!("given_orders.sql"));
}

#[test]
fn ors_with_conditions_around_them() {
    check(include_str!("or_around.sql"));
}

#[test]
fn row_values() {
    check(include_str!("row_values.sql"));
}

#[test]
fn columns_bound_by_equalities() {
    check(include_str!("bound_columns.sql"));
}

#[test]
fn searches_of_odd_forms() {
    check(include_str!("odd_forms.sql"));
}

#[test]
fn what_implies_partial_indexes() {
    check(include_str!("partial_implied.sql"));
}

#[test]
fn partial_indexes() {
    check(include_str!("partial.sql"));
}

#[test]
fn changes() {
    check(include_str!("changes.sql"));
}

#[test]
fn expressions() {
    check(include_str!("expressions.sql"));
}

#[test]
fn joins() {
    check(include_str!("joins.sql"));
}

#[test]
fn constants_beside_indexes() {
    check(include_str!("constants_beside_indexes.sql"));
}

#[test]
fn sorted_rows() {
    check(include_str!("sorted_rows.sql"));
}

#[test]
fn one_source() {
    check(include_str!("one_source.sql"));
}

#[test]
fn flattened_queries() {
    check(include_str!("flatten.sql"));
}

#[test]
fn numbers_of_selects() {
    check(include_str!("numbers.sql"));
}

#[test]
fn orders() {
    check(include_str!("orders.sql"));
}

#[test]
fn names_as_they_are_written() {
    check(include_str!("names.sql"));
}

#[test]
fn queries_in_queries() {
    check(include_str!("queries.sql"));
}

#[test]
fn null_tests() {
    check(include_str!("null_tests.sql"));
}

#[test]
fn joined_views() {
    check(include_str!("joined_views.sql"));
}

#[test]
fn left_joins() {
    check(include_str!("left_joins.sql"));
}

#[test]
fn windows() {
    check(include_str!("windows.sql"));
}

#[test]
fn samples() {
    check(include_str!("samples.sql"));
}

#[test]
fn statistics() {
    check(include_str!("statistics.sql"));
}

#[test]
fn patterns() {
    check(include_str!("patterns.sql"));
}

#[test]
fn the_first_equality_of_a_column() {
    check(include_str!("first_equality.sql"));
}

#[test]
fn orders_at_the_start_of_recursive_queries() {
    check(include_str!("orders_in_recursion.sql"));
}

#[test]
fn orders_taken_from_views() {
    check(include_str!("orders_taken.sql"));
}

#[test]
fn parts_with_other_collations() {
    check(include_str!("parts_with_collations.sql"));
}

#[test]
fn queries_read_backwards() {
    check(include_str!("read_backwards.sql"));
}

#[test]
fn tpch() {
    check(include_str!("tpch.sql"));
}

/// Runs a script; all plans that differ are shown.
#[track_caller]
fn check(script: &str) {
    let mut differences = String::new();
    let mut count = 0;
    for database in script.split("\n===\n") {
        let theirs = rusqlite::Connection::open_in_memory().unwrap();
        for line in database.lines().filter(|line| !line.is_empty() && !line.starts_with("--")) {
            let Some(query) = line.strip_prefix("? ") else {
                theirs.execute_batch(line).unwrap_or_else(|error| panic!("{error}: {line}"));
                continue;
            };
            count += 1;
            let (expected, found) = (their_plan(&theirs, query), our_plan(&theirs, query));
            if expected != found {
                differences.push_str(&format!("? {query}\nSQLite:\n{expected}Lithe:\n{found}\n"));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {count} plans differ:\n{differences}",
        differences.matches("SQLite:").count()
    );
}

fn their_plan(theirs: &rusqlite::Connection, query: &str) -> String {
    let mut statement = match theirs.prepare(&format!("EXPLAIN QUERY PLAN {query}")) {
        Ok(statement) => statement,
        Err(rusqlite::Error::SqlInputError { msg, .. }) => return format!("{msg}\n"),
        Err(error) => return format!("{error}\n"),
    };
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let rows: Vec<(i32, i32, i32, String)> = statement.query_map([], row).unwrap().map(Result::unwrap).collect();
    tree(rows.into_iter())
}

fn our_plan(theirs: &rusqlite::Connection, query: &str) -> String {
    let env = environment(theirs);
    let sql = format!("EXPLAIN QUERY PLAN {query}");
    let arena = Bump::new();
    let parsed = match lithe_sql::parse_statement(sql.as_bytes(), &arena, &env.limits) {
        Ok(parsed) => parsed.statement.expect("a query is no comment"),
        Err(error) => return format!("{}\n", error.message),
    };
    let request = CompileRequest {
        stmt: parsed.program().expect("a query is no command"),
        sql: sql.as_bytes(),
        explain: parsed.explain,
        parameter_count: parsed.parameters.count,
        select_count: parsed.select_count,
        builders: None,
        evaluator: None,
    };
    match lithe_codegen::compile(&request, &arena, &env) {
        Ok(program) => tree(program.query_plan.iter().map(|row| (row.id, row.parent, row.cost, row.detail.clone()))),
        Err(error) => format!("{}\n", error.message),
    }
}

/// Lines with their depth and cost: the numbers of nodes do not matter.
fn tree(rows: impl Iterator<Item = (i32, i32, i32, String)>) -> String {
    let mut depths = vec![(0, 0)];
    let mut text = String::new();
    for (id, parent, cost, detail) in rows {
        let depth = depths.iter().find(|(id, _)| *id == parent).map_or(0, |(_, depth)| depth + 1);
        depths.push((id, depth));
        let cost = if cost == 0 { String::new() } else { format!("   [{cost}]") };
        text.push_str(&format!("{}{detail}{cost}\n", "   ".repeat(depth)));
    }
    text
}

/// The environment of the planner, from SQLite's database.
fn environment(theirs: &rusqlite::Connection) -> Environment {
    let limits = Limits::default();
    let mut catalog = Catalog::new();
    catalog.schema_mut(Db::MAIN).file_format = 4; // DESC counts in indexes
    let options = BuildOptions::of_stored(&limits);
    for_each_row(theirs, "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema", |row| {
        let [kind, name, table_name, sql] = [0, 1, 2, 4].map(|at| row.get::<_, Option<String>>(at).unwrap());
        let row = SchemaRow {
            kind: kind.as_deref().map(str::as_bytes),
            name: name.as_deref().map(str::as_bytes),
            table_name: table_name.as_deref().map(str::as_bytes),
            root_page: row.get(3).unwrap(),
            sql: sql.as_deref().map(str::as_bytes),
        };
        catalog.load_row(Db::MAIN, &row, PAGE_COUNT, &options).unwrap();
    });
    if theirs.prepare("SELECT * FROM sqlite_stat1").is_ok() {
        for_each_row(theirs, "SELECT tbl, idx, stat FROM sqlite_stat1", |row| {
            let (table, index, stat): (String, Option<String>, String) =
                (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
            load_statistics(&mut catalog, &table, index.as_deref(), stat.as_bytes());
        });
    }
    if theirs.prepare("SELECT * FROM sqlite_stat4").is_ok() {
        for_each_row(theirs, "SELECT tbl, idx, neq, nlt, ndlt, sample FROM sqlite_stat4", |row| {
            let names: (String, String) = (row.get(0).unwrap(), row.get(1).unwrap());
            let numbers = |at| sample_numbers(row.get::<_, String>(at).unwrap().as_bytes());
            let (equal, less, distinct_less) = (numbers(2), numbers(3), numbers(4));
            let record = row.get::<_, Vec<u8>>(5).unwrap();
            let values = record::values(&record).unwrap().iter().map(|value| Value::from(*value)).collect();
            load_sample(&mut catalog, &names.0, &names.1, Sample { equal, less, distinct_less, values });
        });
    }
    Environment {
        catalog: Arc::new(catalog),
        functions: Arc::new(Registry::builtin()),
        collations: Arc::default(),
        missing_collations: Vec::new(),
        limits,
        flags: Flags::default(),
        authorizer: Default::default(),
        shadow_tables: Default::default(),
        virtual_tables: Default::default(),
        overloaded: Default::default(),
        parameters: Vec::new(),
        planned_parameters: PlannedParameters::default(),
        measures: Default::default(),
        wanted: Default::default(),
    }
}

fn load_statistics(catalog: &mut Catalog, table: &str, index: Option<&str>, stat: &[u8]) {
    match index {
        Some(index) => {
            if let Some(index) = index_mut(catalog, table, index) {
                index.statistics = Some(Box::new(IndexStatistics::parse(stat)));
            }
        }
        None => {
            if let Some(table) = catalog.schema_mut(Db::MAIN).table_mut(Name::new(table.as_bytes())) {
                table.statistics = Some(TableStatistics::parse(stat));
            }
        }
    }
}

fn load_sample(catalog: &mut Catalog, table: &str, index: &str, sample: Sample) {
    let statistics = index_mut(catalog, table, index).and_then(|index| index.statistics.as_mut());
    statistics.unwrap().samples.push(sample);
}

/// The index of a table; the primary key of a WITHOUT ROWID table has the table's name.
fn index_mut<'c>(catalog: &'c mut Catalog, table: &str, index: &str) -> Option<&'c mut Index> {
    let key_of_table = format!("sqlite_autoindex_{table}_1");
    let index = if index == table { &*key_of_table } else { index };
    catalog.schema_mut(Db::MAIN).index_mut(Name::new(index.as_bytes()))
}

fn for_each_row(theirs: &rusqlite::Connection, sql: &str, mut f: impl FnMut(&rusqlite::Row<'_>)) {
    let mut statement = theirs.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        f(row);
    }
}
