//! CAST and affinity.

use lithe_value::cast::cast;
use lithe_value::{Affinity, Encoding, NumberText, Value};

use crate::{Random, ask, oracle, rounds, same};

const AFFINITIES: [Affinity; 5] =
    [Affinity::Integer, Affinity::Real, Affinity::Numeric, Affinity::Text, Affinity::Blob];

#[test]
fn casts() {
    let oracle = oracle();
    let sql = "SELECT CAST(?1 AS INTEGER), CAST(?1 AS REAL), CAST(?1 AS NUMERIC), CAST(?1 AS TEXT), CAST(?1 AS BLOB)";
    let mut statement = oracle.prepare(sql).unwrap();
    let mut random = Random::new(3);
    let mut out = Value::NULL;
    for _ in 0..rounds(50_000) {
        let value = random.value();
        let answers = ask(&mut statement, &[value.as_ref()]).unwrap();
        for (affinity, answer) in AFFINITIES.into_iter().zip(&answers) {
            cast(value.as_ref(), affinity, Encoding::Utf8, &mut out);
            assert!(
                same(out.as_ref(), answer.as_ref()),
                "{} as {affinity:?}: {} is not {}",
                value.as_ref(),
                out.as_ref(),
                answer.as_ref(),
            );
        }
    }
}

#[test]
fn affinities() {
    let oracle = oracle();
    let ddl = "CREATE TABLE t(i INTEGER, r REAL, n NUMERIC, t TEXT, b BLOB)";
    oracle.execute_batch(ddl).unwrap();
    let mut replace = oracle.prepare("REPLACE INTO t(rowid, i, r, n, t, b) VALUES(1, ?1, ?1, ?1, ?1, ?1)").unwrap();
    let mut select = oracle.prepare("SELECT * FROM t").unwrap();
    oracle.execute_batch("BEGIN").unwrap();
    let mut random = Random::new(4);
    for _ in 0..rounds(30_000) {
        let value = random.value();
        replace.execute([crate::Bound(value.as_ref())]).unwrap();
        let answers = ask(&mut select, &[]).unwrap();
        for (affinity, answer) in AFFINITIES.into_iter().zip(&answers) {
            let mut scratch = NumberText::default();
            let applied = affinity.apply(value.as_ref(), &mut scratch);
            // The stored value is compared, and a table stores no negative zero.
            assert!(
                applied == answer.as_ref(),
                "{} as {affinity:?}: {applied} is not {}",
                value.as_ref(),
                answer.as_ref(),
            );
        }
    }
}
