//! Random common table expressions.

use fastrand::Rng;

use crate::query::{simple, total_order};
use crate::schema::{Schema, pick};

/// WITH a common table that is used once or twice.
pub fn with(rng: &mut Rng, schema: &Schema) -> String {
    let inner = simple(rng, schema, 1).replace(" /* ordered */", "");
    let materialized = pick(rng, &["", " MATERIALIZED", " NOT MATERIALIZED"]);
    let body = match rng.u32(0..4) {
        0 => "SELECT * FROM w AS x, w AS y",
        1 => "SELECT * FROM w AS x LEFT JOIN (SELECT count(*) AS n FROM w) AS y ON y.n > 2",
        2 => "SELECT (SELECT count(*) FROM w), x.* FROM w AS x",
        _ => "SELECT * FROM w AS x",
    };
    format!("WITH w AS{materialized} ({inner}) {body}")
}

/// WITH RECURSIVE.
pub fn recursive(rng: &mut Rng, schema: &Schema) -> String {
    let (start, end) = (rng.i32(0..5), rng.i32(3..12));
    let union = pick(rng, &["UNION ALL", "UNION"]);
    let step = pick(rng, &["n + 1", "n + 2", "(n * 3) % 7 + 5"]);
    let limit = rng.i32(1..15);
    let counter =
        format!("WITH RECURSIVE r(n) AS (SELECT {start} {union} SELECT {step} FROM r WHERE n < {end} LIMIT {limit})");
    match rng.u32(0..4) {
        0 => match schema.any_table(rng) {
            Some(table) => graph(rng, &table.name, &table.columns),
            None => format!("{counter} SELECT n FROM r"),
        },
        1 => {
            let order = pick(rng, &["2 DESC, 1", "2, 1", "1"]);
            format!(
                "WITH RECURSIVE r(n, d) AS (VALUES ({start}, 0) UNION ALL SELECT n * 2 + x.a, d + 1 FROM r, (SELECT 0 AS a UNION ALL SELECT 1) AS x WHERE d < 3 ORDER BY {order}) SELECT n, d FROM r"
            )
        }
        _ => format!("{counter} SELECT n, n * n FROM r"),
    }
}

/// The nodes that can be reached in a table of edges.
fn graph(rng: &mut Rng, table: &str, columns: &[String]) -> String {
    let (from, to) = (pick(rng, columns), pick(rng, columns));
    format!(
        "WITH RECURSIVE g(n) AS (SELECT hex({from}) FROM {table} UNION SELECT hex(t.{to}) FROM g JOIN {table} AS t ON hex(t.{from}) = g.n) SELECT n FROM g ORDER BY {} /* ordered */",
        total_order(&["n".to_owned()])
    )
}
