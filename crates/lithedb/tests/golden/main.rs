//! The life of statements as text: `life.txt` has statements, each with its syntax tree, its plan, its program and its rows. A line
//! that begins with `? ` is such a statement, a line that begins with `--` a comment; any other is run for its effect. `UPDATE=1`
//! rewrites the file; the difference is then read.
//!
//! A tree is a line for each node, without what is not written in the statement, and without places in the text.

mod tree;

use std::fmt::Write as _;

use lithe::{Connection, Result, ValueRef};

#[test]
fn life_of_statements() {
    let script = include_str!("life.txt");
    let connection = Connection::open_in_memory().unwrap();
    let mut found = String::new();
    for line in script.lines().filter(|line| !line.starts_with("  ")) {
        writeln!(found, "{line}").unwrap();
        match line.strip_prefix("? ") {
            Some(sql) => found.push_str(&life(&connection, sql).unwrap_or_else(|error| panic!("{error}: {sql}"))),
            None if line.starts_with("--") => {}
            None => connection.execute_batch(line).unwrap_or_else(|error| panic!("{error}: {line}")),
        }
    }
    let path = format!("{}/tests/golden/life.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    } else {
        assert_eq!(found, script, "UPDATE=1 writes {path} anew");
    }
}

fn life(connection: &Connection, sql: &str) -> Result<String> {
    let mut text = String::new();
    let mut section = |name: &str, lines: Vec<String>| {
        writeln!(text, "  {name}").unwrap();
        lines.iter().for_each(|line| writeln!(text, "    {line}").unwrap());
    };
    section("tree", tree::of(sql));
    section("plan", plan(connection, sql)?);
    section("program", rows(connection, &format!("EXPLAIN {sql}"), " ")?);
    section("rows", rows(connection, sql, "|")?);
    Ok(text)
}

/// The lines of EXPLAIN QUERY PLAN, indented by their depth.
fn plan(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let nodes: Vec<(i64, i64, String)> = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(3)?)))?;
    let parent = |id: i64| nodes.iter().find(|node| node.0 == id).map(|node| node.1);
    let depth = |id: i64| std::iter::successors(parent(id), |&above| parent(above)).count() - 1;
    Ok(nodes.iter().map(|(id, _, detail)| format!("{}{detail}", "  ".repeat(depth(*id)))).collect())
}

fn rows(connection: &Connection, sql: &str, between: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let mut lines = Vec::new();
    while let Some(row) = statement.step()? {
        let values = (0..row.column_count()).map(|at| match row.get_ref(at) {
            ValueRef::Null => String::new(),
            ValueRef::Integer(integer) => integer.to_string(),
            ValueRef::Real(real) => real.to_string(),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        });
        lines.push(values.collect::<Vec<_>>().join(between).trim_end().to_owned());
    }
    Ok(lines)
}
