//! Entries and rows that a cursor replaces on the page on which it stands: beside other cursors that stand there too, under savepoints, and
//! with keys whose place the neighbours of the old one show.

mod common;

use common::{Random, Shape, memory};
use lithe_btree::{AutoVacuum, Btree, Cursor, KeyColumn, KeyInfo, Prefix, SearchKey, SecureDelete, Seek, TreeKind};
use lithe_format::db_header::TextEncoding;
use lithe_format::payload::Payload;
use lithe_format::record::Builder;
use lithe_value::ValueRef;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const SHAPE: Shape = Shape { page_size: 512, reserved: 0, auto_vacuum: AutoVacuum::None };

/// How many changes are made, of how many keys; Miri is slow.
const STEPS: usize = if cfg!(miri) { 60 } else { 5000 };
const KEYS: i64 = if cfg!(miri) { 50 } else { 400 };

/// An entry of an index: a text and a number, or a number alone.
fn entry(key: i64, is_text: bool) -> Vec<u8> {
    let text = format!("the same start {key:05}");
    let mut builder = Builder::new();
    match is_text {
        true => builder.build(&[ValueRef::Text(text.as_bytes()), ValueRef::Integer(key)]).to_vec(),
        false => builder.build(&[ValueRef::Integer(key)]).to_vec(),
    }
}

fn with_values<T>(key: i64, is_text: bool, f: impl FnOnce(&[ValueRef<'_>]) -> T) -> T {
    let text = format!("the same start {key:05}");
    match is_text {
        true => f(&[ValueRef::Text(text.as_bytes()), ValueRef::Integer(key)]),
        false => f(&[ValueRef::Integer(key)]),
    }
}

fn seek(cursor: &mut Cursor, btree: &Btree, info: &KeyInfo, key: i64, is_text: bool) -> Seek {
    with_values(key, is_text, |values| cursor.seek_key(btree, &SearchKey::new(info, values, Prefix::Equal)).unwrap())
}

fn put(cursor: &mut Cursor, btree: &Btree, key: i64, is_text: bool) {
    let record = entry(key, is_text);
    with_values(key, is_text, |values| {
        cursor.insert_index(btree, values, &Payload::from_bytes(&record), None).unwrap();
    });
    assert_eq!(cursor.row(btree).unwrap().local(), record, "the cursor stands on what it has written");
}

fn check_index(btree: &Btree, cursor: &mut Cursor, keys: &BTreeSet<i64>, is_text: bool) {
    let mut there = cursor.first(btree).unwrap();
    for key in keys {
        assert!(there, "entry {key} is missing");
        assert_eq!(cursor.row(btree).unwrap().local(), entry(*key, is_text));
        there = cursor.next(btree).unwrap();
    }
    assert!(!there, "an entry too many");
}

#[test]
fn keys_near_the_removed_one() {
    for (is_text, descending) in [(false, false), (true, false), (false, true), (true, true)] {
        let btree = memory(SHAPE);
        let root = btree.create_tree(TreeKind::Index).unwrap();
        let column = KeyColumn { descending, ..KeyColumn::default() };
        let info = Arc::new(KeyInfo::new(vec![column; if is_text { 2 } else { 1 }], TextEncoding::Utf8));
        let mut cursor = Cursor::index(root, Arc::clone(&info));
        let mut random = Random::new(7);
        let mut keys: BTreeSet<i64> = (0..KEYS).map(|n| 3 * n).collect();
        keys.iter().for_each(|key| put(&mut cursor, &btree, *key, is_text));
        for step in 0..STEPS {
            let nth = random.below(keys.len());
            let old = *keys.iter().nth(nth).unwrap();
            assert_eq!(seek(&mut cursor, &btree, &info, old, is_text), Seek::Exact);
            cursor.remove(&btree).unwrap();
            keys.remove(&old);
            if random.chance(10) {
                cursor.reset();
            }
            let new = old + random.below(9) as i64 - 4;
            let found = seek(&mut cursor, &btree, &info, new, is_text);
            assert_eq!(found == Seek::Exact, keys.contains(&new), "{new} after {old} in step {step}");
            put(&mut cursor, &btree, new, is_text);
            keys.insert(new);
            if step % 500 == 0 && !descending {
                check_index(&btree, &mut cursor, &keys, is_text);
            }
        }
        if !descending {
            check_index(&btree, &mut cursor, &keys, is_text);
        }
        assert_eq!(cursor.count(&btree).unwrap(), keys.len() as u64);
    }
}

/// A row whose record has this many bytes of content.
fn row(rowid: i64, len: usize) -> Vec<u8> {
    let content = vec![rowid as u8; len];
    Builder::new().build(&[ValueRef::Blob(&content)]).to_vec()
}

#[test]
fn rows_beside_other_cursors_and_savepoints() {
    for mode in [SecureDelete::Off, SecureDelete::On] {
        let btree = memory(SHAPE);
        btree.set_secure_delete(mode);
        let root = btree.create_tree(TreeKind::Table).unwrap();
        let (mut writer, mut reader) = (Cursor::table(root), Cursor::table(root));
        let mut random = Random::new(11);
        let mut rows: BTreeMap<i64, Vec<u8>> = BTreeMap::new();
        let mut saved: Option<BTreeMap<i64, Vec<u8>>> = None;
        for step in 0..STEPS {
            let rowid = random.below(300) as i64;
            // Now and then another cursor holds the page that is written: it sees the row as it was.
            let held = random.chance(30) && reader.seek_rowid(&btree, random.below(300) as i64).unwrap() == Seek::Exact;
            let before = held.then(|| reader.row(&btree).unwrap().local().to_vec());
            match random.below(10) {
                0..7 => {
                    let len = rows
                        .get(&rowid)
                        .map_or(20, |row| row.len().saturating_sub(2 + random.below(4)) + random.below(4));
                    let record = row(rowid, len.min(120));
                    writer.insert_table(&btree, rowid, &Payload::from_bytes(&record), None).unwrap();
                    assert_eq!(writer.row(&btree).unwrap().local(), record, "step {step}");
                    rows.insert(rowid, record);
                }
                7..9 => {
                    let is_there = writer.seek_rowid(&btree, rowid).unwrap() == Seek::Exact;
                    assert_eq!(is_there, rows.remove(&rowid).is_some(), "row {rowid} in step {step}");
                    if is_there && step % 2 == 0 {
                        writer.delete(&btree).unwrap();
                        let next = writer.next(&btree).unwrap().then(|| writer.rowid().unwrap());
                        assert_eq!(next, rows.range(rowid..).next().map(|(next, _)| *next), "after row {rowid}");
                    } else if is_there {
                        writer.remove(&btree).unwrap();
                    }
                }
                _ => match saved.take() {
                    None => {
                        btree.pager().savepoint().unwrap();
                        saved = Some(rows.clone());
                    }
                    Some(before) => {
                        if random.chance(50) {
                            btree.pager().rollback_to(0).unwrap();
                            rows = before;
                        }
                        btree.pager().release(0).unwrap();
                    }
                },
            }
            if let Some(before) = before {
                assert_eq!(reader.row(&btree).unwrap().local(), before, "what a cursor stands on, in step {step}");
            }
            reader.reset();
        }
        let mut there = writer.first(&btree).unwrap();
        for (rowid, record) in &rows {
            assert!(there, "row {rowid} is missing");
            assert_eq!((writer.rowid().unwrap(), writer.row(&btree).unwrap().local()), (*rowid, &record[..]));
            there = writer.next(&btree).unwrap();
        }
        assert!(!there, "a row too many");
    }
}
