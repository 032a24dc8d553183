//! Compounds in FROM, in views and in common tables: their parts become parts of the query around them, in the order of which their rows come.

use fastrand::Rng;

use crate::schema::{one_in, pick};

const TABLES: [&str; 3] = ["a", "b", "w"];

/// Views of the tables `a`, `b` and `w` with the columns `k` and `s`, one of another.
pub fn views(rng: &mut Rng) -> Vec<String> {
    let sources: [&[&str]; 3] = [&TABLES, &["a", "b", "w", "v1", "v1"], &["a", "v1", "v2", "v2"]];
    let view = |(at, sources): (usize, &&[&str])| {
        let order = pick(rng, &["", "", "", " ORDER BY 2 DESC, 1", " ORDER BY 1 LIMIT 9"]);
        format!("CREATE VIEW v{} AS {}{order}", at + 1, cores(rng, sources))
    };
    sources.iter().enumerate().map(view).collect()
}

/// Several SELECTs, most of them appended.
fn cores(rng: &mut Rng, sources: &[&str]) -> String {
    let mut query = core(rng, sources);
    for _ in 0..rng.usize(0..3) {
        let operator = pick(rng, &["UNION ALL", "UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT"]);
        query = format!("{query} {operator} {}", core(rng, sources));
    }
    query
}

fn core(rng: &mut Rng, sources: &[&str]) -> String {
    let one = pick(rng, sources);
    let filter = pick(
        rng,
        &["", "", "", " WHERE p.k > 1", " WHERE p.k IN (1, 3)", " WHERE p.s IS NOT NULL", " WHERE p.s = 'x'"],
    );
    // Of a view whose parts have other collations, SQLite loses such rows where they are sorted.
    let is_lost = filter.contains("p.s = ") && one.starts_with('v');
    let filter = if is_lost { " WHERE p.s IS NOT NULL" } else { filter };
    match rng.u32(0..10) {
        0 => format!("SELECT p.k, p.s FROM {one} AS p JOIN {} AS q ON p.k = q.k{filter}", pick(rng, sources)),
        1 => format!("SELECT p.k, q.s FROM {one} AS p LEFT JOIN {} AS q ON p.s = q.s{filter}", pick(rng, &TABLES)),
        2 => format!("SELECT DISTINCT p.k, p.s FROM {one} AS p{filter}"),
        3 => format!("SELECT max(p.k) AS k, p.s FROM {one} AS p{filter} GROUP BY p.s"),
        _ => format!("SELECT p.k, p.s FROM {one} AS p{filter}"),
    }
}

/// A query of the views: a compound, a recursive query that begins with one, or a common table that is used twice.
pub fn query(rng: &mut Rng) -> String {
    const SOURCES: [&str; 5] = ["a", "b", "v1", "v2", "v3"];
    let cores = cores(rng, &SOURCES);
    let order = pick(rng, &["", "", "", " ORDER BY 1", " ORDER BY 2, 1 DESC", " ORDER BY 2 LIMIT 7"]);
    match rng.u32(0..6) {
        0 | 1 => {
            let union = pick(rng, &["UNION ALL", "UNION ALL", "UNION"]);
            let distinct = if one_in(rng, 6) { "DISTINCT " } else { "" };
            let step = match rng.u32(0..3) {
                0 => format!("SELECT {distinct}r.k + 1, p.s FROM r JOIN {} AS p ON p.k = r.k", pick(rng, &SOURCES)),
                _ => format!("SELECT {distinct}r.k + 1, r.s FROM r"),
            };
            let queue = pick(rng, &["", "", " ORDER BY 1", " ORDER BY 2 DESC"]);
            format!(
                "WITH RECURSIVE r(k, s) AS ({cores} {union} {step} WHERE r.k < {}{queue} LIMIT 70) SELECT * FROM r",
                rng.u32(2..5)
            )
        }
        2 => {
            let other = pick(rng, &["c", "c", "a", "v1"]);
            format!("WITH c AS ({cores}) SELECT c.k, d.s FROM c JOIN {other} AS d ON c.k = d.k{order}")
        }
        3 => format!("SELECT k, count(*), max(s) FROM ({cores}) GROUP BY k HAVING k > {}{order}", rng.u32(0..3)),
        _ => format!("{cores}{order}"),
    }
}
