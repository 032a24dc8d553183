//! Joins over large tables without ANALYZE: the order of the loops follows from the sizes of the tables, which are estimated from their
//! pages. Small tables are joined in SQLite's order.

use lithe::{Connection, Result};

/// A small or large shop: a part belongs to one of 40 makers, an order of a part to one of three states.
fn shop(parts: usize, orders: usize) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(
        "CREATE TABLE maker(id INTEGER PRIMARY KEY, name TEXT);
         CREATE TABLE part(id INTEGER PRIMARY KEY, maker INTEGER, kind TEXT);
         CREATE TABLE sale(part INTEGER, state TEXT, price REAL);
         CREATE INDEX sale_part ON sale(part);",
    )?;
    let series =
        |count: usize| format!("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT {count})");
    connection.execute_batch(&format!("{} INSERT INTO maker SELECT i, 'maker ' || i FROM n", series(40)))?;
    let part = "INSERT INTO part SELECT i, i % 40, 'kind ' || (i * 7919 % 150) FROM n";
    connection.execute_batch(&format!("{} {part}", series(parts)))?;
    let sale = format!("INSERT INTO sale SELECT i * 7 % {parts}, 'state ' || (i % 3), i FROM n");
    connection.execute_batch(&format!("{} {sale}", series(orders)))?;
    Ok(connection)
}

fn plan(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let mut rows = statement.query([])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        lines.push(row.get::<String>(3)?);
    }
    Ok(lines)
}

#[test]
fn few_rows_come_first_where_many_rows_follow() -> Result<()> {
    let connection = shop(2000, 60_000)?;
    let sql = "SELECT count(*), sum(price) FROM sale, part WHERE sale.part = part.id AND kind = 'kind 5'";
    let lines = plan(&connection, sql)?;
    assert_eq!(lines, ["SCAN part", "SEARCH sale USING INDEX sale_part (part=?)"]);
    // The rows are the same with either plan.
    let forced = sql.replace("sale, part", "sale CROSS JOIN part");
    let answer = |sql: &str| connection.query_row(sql, [], |row| Ok((row.get::<i64>(0)?, row.get::<f64>(1)?)));
    let (count, sum) = answer(sql)?;
    assert!(count > 100, "{count}");
    assert_eq!((count, sum), answer(&forced)?);
    Ok(())
}

/// The sales of parts, selected by the part's kind.
const BY_KIND: &str = "SELECT sum(price) FROM sale, part WHERE sale.part = part.id AND kind = 'kind 5'";

#[test]
fn small_tables_are_joined_as_ever() -> Result<()> {
    let connection = shop(200, 600)?;
    assert_eq!(plan(&connection, BY_KIND)?, ["SCAN part", "SEARCH sale USING INDEX sale_part (part=?)"]);
    Ok(())
}

#[test]
fn sizes_are_looked_at_again_when_much_has_changed() -> Result<()> {
    let connection = shop(200, 600)?;
    assert_eq!(plan(&connection, BY_KIND)?[0], "SCAN part");
    connection.execute_batch(
        "WITH RECURSIVE n(i) AS (SELECT 200 UNION ALL SELECT i + 1 FROM n LIMIT 50000)
         INSERT INTO part SELECT i, i % 40, 'kind ' || (i % 150) FROM n",
    )?;
    assert_eq!(plan(&connection, BY_KIND)?, ["SCAN sale", "SEARCH part USING INTEGER PRIMARY KEY (rowid=?)"]);
    Ok(())
}

#[test]
fn branches_of_an_or_ask_the_outer_row_first() -> Result<()> {
    let connection = shop(2000, 60_000)?;
    let sql = "SELECT count(*) FROM sale, part
         WHERE sale.part = part.id AND kind = 'kind 5' AND price < 30000.0
            OR sale.part = part.id AND kind = 'kind 6' AND state = 'state 1'";
    let lines = plan(&connection, sql)?;
    assert_eq!(lines[..2], ["SCAN part", "MULTI-INDEX OR"], "{lines:?}");
    let simply = "SELECT (SELECT count(*) FROM sale CROSS JOIN part WHERE sale.part = part.id AND kind = 'kind 5' AND price < 30000.0)
         + (SELECT count(*) FROM sale CROSS JOIN part WHERE sale.part = part.id AND kind = 'kind 6' AND state = 'state 1')";
    let answer = |sql: &str| connection.query_row(sql, [], |row| row.get::<i64>(0));
    assert_eq!(answer(sql)?, answer(simply)?);
    Ok(())
}
