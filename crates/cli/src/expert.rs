//! `.expert`: the indexes that the next statement would use if they existed.
//!
//! The schema is copied to a database in memory. There, the statement's columns get indexes on all lists of a few of them; the planner
//! chooses among the indexes. Each chosen index is then shortened while the plan stays the same.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lithe::{Action, Connection, Permission, Request};

use crate::quote;

/// The most columns of a table that are tried, and the longest lists of them.
const COLUMNS_MAX: usize = 5;
const LIST_MAX: usize = 3;

/// An index that might help.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    table: String,
    columns: Vec<String>,
}

impl Candidate {
    fn column_list(&self) -> String {
        self.columns.iter().map(|column| quote::identifier(column)).collect::<Vec<_>>().join(", ")
    }

    /// The name that `sqlite3` gives such an index.
    fn name(&self) -> String {
        let hash = self.column_list().bytes().fold(0_u32, |hash, byte| hash.wrapping_mul(9).wrapping_add(byte.into()));
        format!("{}_idx_{hash:08x}", self.table)
    }

    fn sql(&self) -> String {
        let [name, table] = [&self.name(), &self.table].map(|name| quote::identifier(name));
        format!("CREATE INDEX {name} ON {table}({});", self.column_list())
    }
}

/// The advice on a statement: CREATE INDEX statements, and the plan with them.
pub fn advice(connection: &Connection, sql: &str) -> lithe::Result<String> {
    let schema = Schema::of(connection)?;
    let copy = schema.copy(&[])?;
    let before = plan(&copy, sql)?;
    let candidates = candidates(&copy, sql)?;
    let with_all = plan(&schema.copy(&candidates)?, sql)?;
    let mut chosen: Vec<Candidate> = candidates.into_iter().filter(|index| uses(&with_all, index)).collect();
    if without_names(&with_all) == without_names(&before) {
        chosen.clear();
    }
    let mut after = plan(&schema.copy(&chosen)?, sql)?;
    for at in 0..chosen.len() {
        while chosen[at].columns.len() > 1 {
            let mut shorter = chosen.clone();
            shorter[at].columns.pop();
            let plan = plan(&schema.copy(&shorter)?, sql)?;
            if without_names(&plan) != without_names(&after) {
                break;
            }
            (chosen, after) = (shorter, plan);
        }
    }
    chosen.dedup();
    let mut text: String = chosen.iter().map(|index| format!("{}\n", index.sql())).collect();
    if chosen.is_empty() {
        text.push_str("(no new indexes)\n");
    }
    text.push('\n');
    after.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text.push('\n');
    Ok(text)
}

/// The copied schema, with its statistics.
struct Schema {
    statements: Vec<String>,
    statistics: Vec<[Option<String>; 3]>,
}

impl Schema {
    fn of(connection: &Connection) -> lithe::Result<Schema> {
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'trigger' AND name NOT LIKE 'sqlite^_%' \
                   ESCAPE '^' ORDER BY rowid";
        let statements = connection.prepare(sql)?.query_map([], |row| row.get(0))?;
        // A database without statistics has no such table.
        let statistics = connection
            .prepare("SELECT tbl, idx, stat FROM sqlite_stat1")
            .and_then(|mut rows| rows.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?])));
        Ok(Schema { statements, statistics: statistics.unwrap_or_default() })
    }

    /// A database in memory with the schema and more indexes.
    fn copy(&self, indexes: &[Candidate]) -> lithe::Result<Connection> {
        let copy = Connection::open(":memory:")?;
        // A virtual table whose module is missing is not created: statements that use it fail later.
        self.statements.iter().for_each(|sql| drop(copy.execute_batch(sql)));
        if !self.statistics.is_empty() {
            copy.execute_batch("ANALYZE sqlite_schema")?;
            for [table, index, statistics] in &self.statistics {
                let sql = "INSERT INTO sqlite_stat1 VALUES(?1, ?2, ?3)";
                copy.execute(sql, lithe::params![table.as_deref(), index.as_deref(), statistics.as_deref()])?;
            }
            copy.execute_batch("ANALYZE sqlite_schema")?;
        }
        indexes.iter().for_each(|index| drop(copy.execute_batch(&index.sql())));
        Ok(copy)
    }
}

fn plan(connection: &Connection, sql: &str) -> lithe::Result<Vec<String>> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let mut lines = Vec::new();
    // The parameters are NULL.
    while let Some(row) = statement.step()? {
        lines.push(row.get(3)?);
    }
    Ok(lines)
}

/// Whether a plan uses an index.
fn uses(plan: &[String], index: &Candidate) -> bool {
    let name = index.name();
    plan.iter().any(|line| line.split_whitespace().any(|word| word == name))
}

/// A plan without the names of its indexes, and without COVERING.
fn without_names(plan: &[String]) -> Vec<String> {
    let line = |line: &String| {
        let mut words: Vec<&str> = line.split_whitespace().filter(|word| *word != "COVERING").collect();
        if let Some(at) = words.iter().position(|word| *word == "INDEX").filter(|at| at + 1 < words.len()) {
            words[at + 1] = "*";
        }
        words.join(" ")
    };
    plan.iter().map(line).collect()
}

/// Lists of the columns that the statement reads and that occur in its text after FROM or UPDATE.
fn candidates(copy: &Connection, sql: &str) -> lithe::Result<Vec<Candidate>> {
    let read: Arc<Mutex<BTreeMap<String, Vec<String>>>> = Arc::default();
    let noted = Arc::clone(&read);
    copy.set_authorizer(Some(move |request: &Request<'_>| {
        if let (Action::Read, Some(table), Some(column)) = (request.action, request.first, request.second) {
            let mut read = noted.lock().unwrap_or_else(|e| e.into_inner());
            let columns = read.entry(table.to_owned()).or_default();
            if !column.is_empty() && !columns.iter().any(|known| known == column) {
                columns.push(column.to_owned());
            }
        }
        Permission::Allow
    }));
    let prepared = copy.prepare(sql).map(drop);
    copy.set_authorizer(None::<fn(&Request<'_>) -> Permission>);
    prepared?;
    let words = words_behind_from(sql);
    let is_named = |column: &String| words.iter().any(|word| word.eq_ignore_ascii_case(column));
    let mut candidates = Vec::new();
    let read = std::mem::take(&mut *read.lock().unwrap_or_else(|e| e.into_inner()));
    for (table, columns) in read.into_iter().filter(|(table, _)| !table.starts_with("sqlite_")) {
        let columns: Vec<String> = columns.into_iter().filter(is_named).take(COLUMNS_MAX).collect();
        let mut lists: Vec<Vec<String>> = vec![Vec::new()];
        for _ in 0..LIST_MAX {
            let longer = |list: &Vec<String>| {
                let others: Vec<&String> = columns.iter().filter(|column| !list.contains(column)).collect();
                others.into_iter().map(|column| [&list[..], std::slice::from_ref(column)].concat()).collect::<Vec<_>>()
            };
            lists = lists.iter().flat_map(longer).collect();
            let candidate = |columns: &Vec<String>| Candidate { table: table.clone(), columns: columns.clone() };
            candidates.extend(lists.iter().map(candidate));
        }
    }
    Ok(candidates)
}

fn words_behind_from(sql: &str) -> Vec<&str> {
    let words = sql.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.skip_while(|word| !["from", "update"].iter().any(|start| start.eq_ignore_ascii_case(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_that_a_statement_would_use() {
        let check = |schema: &str, sql: &str, expected: &str| {
            let connection = Connection::open(":memory:").unwrap();
            connection.execute_batch(schema).unwrap();
            assert_eq!(advice(&connection, sql).unwrap(), expected, "{sql}");
        };
        let plan = "SEARCH x1 USING INDEX x1_idx_000123a7 (a=? AND b>?)";
        let sql = "SELECT * FROM x1 WHERE a=? AND b>?";
        check("CREATE TABLE x1(a, b, c)", sql, &format!("CREATE INDEX x1_idx_000123a7 ON x1(a, b);\n\n{plan}\n\n"));
        let plan = "SEARCH x1 USING INDEX x1ab (a=? AND b>?)";
        check(
            "CREATE TABLE x1(a, b, c); CREATE INDEX x1ab ON x1(a, b)",
            sql,
            &format!("(no new indexes)\n\n{plan}\n\n"),
        );
        let plan = "SEARCH t1 USING INDEX t1_idx_00000061 (a=?)";
        let expected = format!("CREATE INDEX t1_idx_00000061 ON t1(a);\n\n{plan}\n\n");
        check("CREATE TABLE t1(a, b, c)", "SELECT * FROM t1 WHERE a=?", &expected);
        check("CREATE TABLE t1(a, b, c)", "SELECT * FROM t1", "(no new indexes)\n\nSCAN t1\n\n");
    }
}
