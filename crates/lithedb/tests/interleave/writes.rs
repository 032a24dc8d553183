//! Random statements that change rows.

use fastrand::Rng;

use crate::generate::{Table, World, one_in, pick};
use crate::scans::predicate;

const POLICIES: [&str; 10] =
    ["", "", "", "", " OR REPLACE", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT", " OR ROLLBACK"];

/// An INSERT, UPDATE or DELETE.
pub fn write(rng: &mut Rng, world: &World) -> String {
    let table = world.table(rng);
    match rng.u32(0..10) {
        0..4 => insert(rng, world, table),
        4..7 => update(rng, world, table),
        _ => delete(rng, world, table),
    }
}

/// The same with RETURNING.
pub fn with_returning(rng: &mut Rng, world: &World) -> String {
    let returning = pick(rng, &[" RETURNING a", " RETURNING *", " RETURNING a, b, length(c)", " RETURNING b"]);
    write(rng, world) + returning
}

/// A statement that changes rows related to the current row of another statement: ?1 and ?2 are that row's first columns.
pub fn write_for_row(rng: &mut Rng, world: &World) -> String {
    let table = world.table(rng);
    let name = &table.name;
    let far = rng.u32(1..2000);
    match rng.u32(0..20) {
        0..3 => format!("DELETE FROM {name} WHERE a = ?1"),
        3 => format!("DELETE FROM {name} WHERE b = ?1"),
        4 => format!("DELETE FROM {name} WHERE a < ?1 AND a > ?1 - 12"),
        5 => format!("DELETE FROM {name} WHERE a > ?1 AND a < ?1 + 5"),
        6 => format!("UPDATE {name} SET c = {} WHERE a = ?1", text(rng)),
        7 => format!("UPDATE {name} SET b = b + {} WHERE a = ?1", rng.u32(1..9)),
        8 => format!("UPDATE {name} SET b = -b WHERE a = ?1 OR b = ?2"),
        9 => format!("UPDATE OR REPLACE {name} SET a = a + {far} WHERE a = ?1"),
        10 => format!("UPDATE {name} SET d = {} WHERE b = ?2", blob(rng)),
        11 => format!("INSERT INTO {name}(a, b, c) VALUES (?1 + {far}, ?2, {})", text(rng)),
        12 => format!("INSERT INTO {name}(a, b, c) VALUES (-{far} - ?1, 1, {})", text(rng)),
        13 => format!("INSERT OR REPLACE INTO {name}(a, b, c) VALUES (?1, ?2, {})", text(rng)),
        14 => format!("INSERT INTO {name}(a, b) SELECT a + {far}, b FROM {name} WHERE a = ?1"),
        15 => format!("REPLACE INTO {name}(a, b, d) VALUES (?1, 3, {})", blob(rng)),
        16 => format!("INSERT INTO {name}(a, b) VALUES (?1, 1) ON CONFLICT DO UPDATE SET b = b + 1, c = {}", text(rng)),
        17 => format!("DELETE FROM {name} WHERE a % 5 = ?1 % 5"),
        18 => format!("SELECT a, b FROM {name} WHERE a = ?1"),
        _ => format!("SELECT count(*) FROM {name} WHERE b = ?2"),
    }
}

/// A text, mostly short, sometimes longer than a page.
pub fn text(rng: &mut Rng) -> String {
    let len = match rng.u32(0..12) {
        0 => rng.u32(500..9000),
        1..4 => rng.u32(60..500),
        _ => rng.u32(0..60),
    };
    match rng.u32(0..12) {
        0 => "NULL".to_owned(),
        1 => "'x'".to_owned(),
        _ => format!("printf('%03d%.*c', {}, {len}, '{}')", rng.u32(0..1000), pick(rng, &["y", "z", "Q"])),
    }
}

fn blob(rng: &mut Rng) -> String {
    match rng.u32(0..5) {
        0 => "NULL".to_owned(),
        1 => format!("zeroblob({})", rng.u32(500..20000)),
        _ => format!("zeroblob({})", rng.u32(0..300)),
    }
}

fn insert(rng: &mut Rng, world: &World, table: &Table) -> String {
    let policy = pick(rng, &POLICIES);
    let name = &table.name;
    let new = rng.u64(0..table.rows * 3 + 20);
    match rng.u32(0..12) {
        0 => format!("INSERT{policy} INTO {name} DEFAULT VALUES"),
        1 | 2 => {
            let rows: Vec<String> =
                (0..rng.u64(2..6)).map(|i| format!("({}, {}, {})", new + i * 3, rng.u32(0..12), text(rng))).collect();
            format!("INSERT{policy} INTO {name}(a, b, c) VALUES {}", rows.join(", "))
        }
        3 | 4 => {
            let other = world.table(rng);
            format!(
                "INSERT{policy} INTO {name}(a, b, c) SELECT a + {new}, b, c FROM {} WHERE {}",
                other.name,
                predicate(rng, other)
            )
        }
        5 => format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) INSERT{policy} INTO {name}(a, b, c, d) SELECT i * {} + {new}, i % 11, printf('%03d%.*c', i * 37 % 1000, i % {}, 'n'), zeroblob(i % {}) FROM n",
            rng.u32(5..150),
            rng.u32(1..5),
            rng.u32(1..200),
            rng.u32(1..200)
        ),
        6 => format!(
            "INSERT INTO {name}(a, b, c) VALUES ({new}, {}, {}) ON CONFLICT DO {}",
            rng.u32(0..12),
            text(rng),
            pick(
                rng,
                &[
                    "NOTHING",
                    "UPDATE SET b = b + 1",
                    "UPDATE SET c = excluded.c, a = a + 7000",
                    "UPDATE SET c = excluded.c WHERE b > 3"
                ]
            )
        ),
        7 => format!("INSERT{policy} INTO {name}(b, c) VALUES ({}, {})", rng.u32(0..12), text(rng)),
        8 => format!("INSERT{policy} INTO {name} SELECT * FROM {}", world.table(rng).name),
        _ => format!(
            "INSERT{policy} INTO {name}(a, b, c, d) VALUES ({new}, {}, {}, {})",
            rng.u32(0..12),
            text(rng),
            blob(rng)
        ),
    }
}

fn update(rng: &mut Rng, world: &World, table: &Table) -> String {
    let set = match rng.u32(0..12) {
        0 => format!("a = a + {}", rng.u32(1..3000)),
        1 => "a = -a".to_owned(),
        2 | 3 => format!("b = {}", rng.u32(0..12)),
        4 => "b = b + 1".to_owned(),
        5 => "b = b - 20, c = c || 'u'".to_owned(),
        6..9 => format!("c = {}", text(rng)),
        9 => format!("b = (SELECT max(a) FROM {}) % 13", world.table(rng).name),
        10 => "b = a, c = printf('%.*c', a % 200, 'v')".to_owned(),
        _ => format!("d = {}", blob(rng)),
    };
    let filter = if one_in(rng, 8) { String::new() } else { format!(" WHERE {}", predicate(rng, table)) };
    if one_in(rng, 15) {
        // One partner for each row, because which of several is used is undefined.
        return format!(
            "UPDATE {} SET b = o.m + 1 FROM (SELECT a AS k, max(b) AS m FROM {} GROUP BY 1) AS o WHERE o.k = {}.a AND o.m < 5",
            table.name,
            world.table(rng).name,
            table.alias()
        );
    }
    format!("UPDATE{} {} SET {set}{filter}", pick(rng, &POLICIES), table.name)
}

fn delete(rng: &mut Rng, world: &World, table: &Table) -> String {
    if one_in(rng, 12) {
        return format!("DELETE FROM {}", table.name);
    }
    if one_in(rng, 10) {
        return format!(
            "DELETE FROM {} WHERE a IN (SELECT a FROM {} WHERE b < {})",
            table.name,
            world.table(rng).name,
            rng.u32(0..12)
        );
    }
    format!("DELETE FROM {} WHERE {}", table.name, predicate(rng, table))
}
