//! Arithmetic, comparison, truth.

use lithe_value::{Collation, Value, ValueRef, arith, cast, compare};

use crate::{Random, ask, oracle, rounds, same};

type Operator = fn(ValueRef<'_>, ValueRef<'_>) -> arith::Number;

const OPERATORS: [(&str, Operator); 9] = [
    ("+", arith::add),
    ("-", arith::subtract),
    ("*", arith::multiply),
    ("/", arith::divide),
    ("%", arith::remainder),
    ("&", arith::bit_and),
    ("|", arith::bit_or),
    ("<<", arith::shift_left),
    (">>", arith::shift_right),
];

#[test]
fn arithmetic() {
    let oracle = oracle();
    let columns: Vec<String> = OPERATORS.iter().map(|(name, _)| format!("?1 {name} ?2")).collect();
    let sql = format!("SELECT {}, -?1, ~?1, ?1 || ?2, ?1 IS TRUE, ?1 IS FALSE", columns.join(", "));
    let mut statement = oracle.prepare(&sql).unwrap();
    let mut random = Random::new(5);
    for _ in 0..rounds(50_000) {
        let (left, right) = (random.value(), random.value());
        let (left, right) = (left.as_ref(), right.as_ref());
        let answers = ask(&mut statement, &[left, right]).unwrap();
        let mut results: Vec<Value> = OPERATORS.iter().map(|(_, operate)| operate(left, right).into()).collect();
        results.push(arith::negate(left).into());
        results.push(arith::bit_not(left).into());
        let mut joined = Value::NULL;
        arith::concat(left, right, usize::MAX, &mut joined).unwrap();
        results.push(joined);
        results.push(Value::from(cast::truth(left) == Some(true)));
        results.push(Value::from(cast::truth(left) == Some(false)));
        for (at, (result, answer)) in results.iter().zip(&answers).enumerate() {
            let name = OPERATORS.get(at).map_or("other", |(name, _)| name);
            let (result, answer) = (result.as_ref(), answer.as_ref());
            assert!(same(result, answer), "{left} {name} ({at}) {right}: {result} is not {answer}");
        }
    }
}

#[test]
fn comparison() {
    let oracle = oracle();
    for collation in [Collation::Binary, Collation::NoCase, Collation::RTrim] {
        let sql = format!("SELECT ?1 < ?2 COLLATE {0}, ?1 = ?2 COLLATE {0}", collation.name());
        let mut statement = oracle.prepare(&sql).unwrap();
        let mut random = Random::new(6);
        for _ in 0..rounds(20_000) {
            let pieces: [&[u8]; 9] = [b"a", b"A", b"b", b"[", b" ", b"\0", b"\xc3\x84", b"_", b"z"];
            let value = |random: &mut Random| match random.below(3) {
                0 => Value::text(random.text(&pieces, 6)),
                _ => random.value(),
            };
            let (left, right) = (value(&mut random), value(&mut random));
            let (left, right) = (left.as_ref(), right.as_ref());
            if left.is_null() || right.is_null() {
                continue;
            }
            let answers = ask(&mut statement, &[left, right]).unwrap();
            let order = compare(left, right, &collation);
            let expected = [Value::from(order.is_lt()), Value::from(order.is_eq())];
            assert_eq!(answers, expected, "{left} {right} {collation:?}");
            assert_eq!(lithe_value::compare::equal(left, right, &collation), order.is_eq());
        }
    }
}
