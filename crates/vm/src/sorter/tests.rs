//! Sorting against a model: the standard library's stable sort.

use super::*;
use crate::keys::compare_column;
use crate::testing::{Random, TestHost};
use lithe_btree::KeyColumn;
use lithe_format::db_header::TextEncoding;
use lithe_format::record::values;
use lithe_value::{Collation, Value};

fn random_value(random: &mut Random) -> Value {
    match random.below(10) {
        0 => Value::NULL,
        1..4 => Value::from(random.below(50) as i64 - 25),
        4 => Value::from(random.next() as i64),
        5 => Value::from(random.below(100) as f64 / 4.0),
        6 | 7 => Value::from(["a", "A", "b ", "B", "abcdefghi", "abcdefghJ", "zz", ""][random.below(8)]),
        8 if random.below(2) == 0 => Value::from(format!("text {}", random.below(1000))),
        8 => Value::from(format!("{:>1$}", random.below(20), [9, 30, 200][random.below(3)])),
        _ => Value::from(vec![random.next() as u8; random.below(12)]),
    }
}

fn random_key(random: &mut Random) -> Arc<KeyInfo> {
    let collations = [Collation::Binary, Collation::NoCase, Collation::RTrim];
    let column = |random: &mut Random| KeyColumn {
        collation: collations[random.below(3)].clone(),
        descending: random.below(2) == 0,
        nulls_large: random.below(2) == 0,
    };
    let columns = (0..1 + random.below(3)).map(|_| column(random)).collect();
    Arc::new(KeyInfo::new(columns, TextEncoding::Utf8))
}

fn expected(rows: &[Vec<Value>], key: &KeyInfo, limit: Option<usize>) -> Vec<Vec<Value>> {
    let mut rows = rows.to_vec();
    rows.sort_by(|left, right| {
        let columns = left.iter().zip(right).zip(key.columns());
        columns
            .map(|((left, right), column)| compare_column(left.as_ref(), right.as_ref(), column))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    rows.truncate(limit.unwrap_or(usize::MAX));
    rows
}

fn sorted(sorter: &mut Sorter, host: &TestHost, limit: Option<usize>) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let mut found = sorter.sort(host).unwrap();
    while found && rows.len() < limit.unwrap_or(usize::MAX) {
        let row = values(sorter.row().unwrap().bytes()).unwrap();
        rows.push(row.into_iter().map(Value::from).collect());
        found = sorter.next().unwrap();
    }
    rows
}

fn check(seed: u64, row_count: usize, budget: usize, limit: Option<usize>) {
    let mut random = Random::new(seed);
    let key = random_key(&mut random);
    let host = TestHost::new();
    let mut sorter = Sorter::new(Arc::clone(&key), budget, limit);
    for round in 0..2 {
        let mut rows = Vec::new();
        for number in 0..row_count {
            let mut row: Vec<Value> = key.columns().iter().map(|_| random_value(&mut random)).collect();
            row.push(Value::from(number as i64));
            let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            sorter.insert(&values, &host).unwrap();
            rows.push(row);
        }
        let found = sorted(&mut sorter, &host, limit);
        assert_eq!(found, expected(&rows, &key, limit), "seed {seed} round {round}");
        sorter.clear();
    }
    assert_eq!(host.files.get() > 0, budget < 100_000 && limit.is_none() && row_count > 1000, "seed {seed}");
}

#[test]
fn in_memory() {
    for seed in 0..60 {
        check(seed, 200, 1 << 20, None);
    }
    check(99, 0, 1 << 20, None);
    check(99, 1, 1 << 20, None);
}

#[test]
fn only_the_smallest() {
    for seed in 0..40 {
        check(seed, 2000, 1 << 20, Some([0, 1, 10, 300, 5000][seed as usize % 5]));
    }
}

#[test]
fn through_files() {
    for seed in 0..10 {
        check(seed, 3000, 5000, None);
    }
    // More runs than are merged at once.
    check(7, 3000, 1000, None);
}

#[test]
fn rows_longer_than_a_buffer() {
    let host = TestHost::new();
    let key = crate::testing::key(1);
    let mut sorter = Sorter::new(key, 10_000, None);
    for i in (0..20i64).rev() {
        sorter.insert(&[i.into(), ValueRef::Blob(&vec![i as u8; 100_000])], &host).unwrap();
    }
    let rows = sorted(&mut sorter, &host, None);
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row[0].as_ref(), ValueRef::Integer(i as i64));
        assert_eq!(row[1].as_ref(), ValueRef::Blob(&vec![i as u8; 100_000]));
    }
}
