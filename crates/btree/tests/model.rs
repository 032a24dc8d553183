//! Random operations on trees, and the same on a `BTreeMap`: they must agree, and the database must be sound
//! all the while.

mod common;

use common::{Random, SHAPES, Shape, memory};
use lithe_btree::{Btree, Cursor, KeyColumn, KeyInfo, Prefix, SearchKey, Seek, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record::{self, Builder};
use lithe_value::ValueRef;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

const STEPS: usize = 3000;

/// How many seeds a shape runs through; `BTREE_WORLDS=100` for a long run.
fn seeds() -> u64 {
    std::env::var("BTREE_WORLDS").map_or(4, |seeds| seeds.parse().expect("a number"))
}

#[test]
fn tables() {
    for (index, shape) in SHAPES.into_iter().enumerate() {
        for seed in 0..seeds() {
            run(shape, 1000 * index as u64 + seed, &TableModel);
        }
    }
}

#[test]
fn indexes() {
    for (index, shape) in SHAPES.into_iter().enumerate() {
        for seed in 0..seeds() {
            run(shape, 1000 * index as u64 + seed, &IndexModel);
        }
    }
}

/// The differences between the two kinds of trees. Keys are numbers; the model decides how they are stored in the tree.
trait Model {
    const KIND: TreeKind;
    fn cursor(&self, root: PageNo) -> Cursor;
    fn seek(&self, cursor: &mut Cursor, btree: &Btree, key: i64) -> Seek;
    fn insert(&self, cursor: &mut Cursor, btree: &Btree, key: i64, content: &[u8], seek: Option<Seek>);
    fn read(&self, cursor: &mut Cursor, btree: &Btree) -> (i64, Vec<u8>);
}

struct TableModel;

impl Model for TableModel {
    const KIND: TreeKind = TreeKind::Table;

    fn cursor(&self, root: PageNo) -> Cursor {
        Cursor::table(root)
    }

    fn seek(&self, cursor: &mut Cursor, btree: &Btree, key: i64) -> Seek {
        cursor.seek_rowid(btree, key).unwrap()
    }

    fn insert(&self, cursor: &mut Cursor, btree: &Btree, key: i64, content: &[u8], seek: Option<Seek>) {
        let (head, tail) = content.split_at(content.len() / 3);
        let payload = Payload::from_parts(&[b"\x02\x00", head, tail], 0);
        cursor.insert_table(btree, key, &payload, seek).unwrap();
    }

    fn read(&self, cursor: &mut Cursor, btree: &Btree) -> (i64, Vec<u8>) {
        let rowid = cursor.rowid().unwrap();
        (rowid, whole(cursor, btree)[2..].to_vec())
    }
}

/// Entries of a number as text, so that its order is another than the number's, and a BLOB.
struct IndexModel;

impl IndexModel {
    fn info() -> Arc<KeyInfo> {
        Arc::new(KeyInfo::new(vec![KeyColumn::default()], Default::default()))
    }

    /// Longer than the local part for every seventh.
    fn text(key: i64) -> String {
        let padding = if key % 7 == 0 { 700 } else { key.unsigned_abs() as usize % 50 };
        format!("{key:020}{}", "p".repeat(padding))
    }
}

impl Model for IndexModel {
    const KIND: TreeKind = TreeKind::Index;

    fn cursor(&self, root: PageNo) -> Cursor {
        Cursor::index(root, Self::info())
    }

    fn seek(&self, cursor: &mut Cursor, btree: &Btree, key: i64) -> Seek {
        let text = Self::text(key);
        let values = [ValueRef::Text(text.as_bytes())];
        cursor.seek_key(btree, &SearchKey::new(&Self::info(), &values, Prefix::Equal)).unwrap()
    }

    fn insert(&self, cursor: &mut Cursor, btree: &Btree, key: i64, content: &[u8], seek: Option<Seek>) {
        let text = Self::text(key);
        let values = [ValueRef::Text(text.as_bytes()), ValueRef::Blob(content)];
        let mut builder = Builder::new();
        cursor.insert_index(btree, &values, &builder.build_parts(&values, 0), seek).unwrap();
    }

    fn read(&self, cursor: &mut Cursor, btree: &Btree) -> (i64, Vec<u8>) {
        let entry = whole(cursor, btree);
        match record::values(&entry).unwrap()[..] {
            [ValueRef::Text(text), ValueRef::Blob(content)] => {
                let key = std::str::from_utf8(&text[..20]).unwrap().parse().unwrap();
                assert_eq!(text, Self::text(key).as_bytes());
                (key, content.to_vec())
            }
            ref other => panic!("{other:?}"),
        }
    }
}

fn whole(cursor: &mut Cursor, btree: &Btree) -> Vec<u8> {
    let row = cursor.row(btree).unwrap();
    let len = row.len();
    if !row.span.overflows() {
        return row.local().to_vec();
    }
    let mut out = vec![0; len as usize];
    cursor.read_payload(btree, 0, &mut out).unwrap();
    out
}

type Map = BTreeMap<i64, Vec<u8>>;

fn run<M: Model>(shape: Shape, seed: u64, model: &M) {
    let mut random = Random::new(seed);
    let btree = memory(shape);
    let root = btree.create_tree(M::KIND).unwrap();
    let other = btree.create_tree(TreeKind::Table).unwrap();
    let mut writer = model.cursor(root);
    let mut scan = model.cursor(root);
    let mut map = Map::new();
    let range = 1 + random.below(3000);
    // Phases that grow and phases that shrink, so that trees get deep and shallow again.
    for step in 0..STEPS {
        let grows = step / 400 % 3 != 2;
        let key = if M::KIND == TreeKind::Index || random.chance(70) {
            random.below(range) as i64
        } else {
            map.last_key_value().map_or(0, |(last, _)| last + 1)
        };
        match random.below(100) {
            0..50 if grows => insert(model, &mut writer, &btree, key, &mut random, shape, &mut map),
            0..55 => delete(model, &mut writer, &btree, key, &mut map),
            55..75 => seek(model, &mut writer, &btree, key, &map),
            75..92 => scan_on(model, &mut scan, &btree, key, &mut random, &mut map),
            92..95 => savepoint(model, &mut writer, &btree, &mut random, shape, &mut map),
            95..97 => overwrite(model, &mut writer, &btree, key, &mut random, &mut map),
            97 => {
                btree.incremental_vacuum(random.below(5) as u32).unwrap();
            }
            98 => btree.auto_vacuum_commit(None).unwrap(),
            _ => {
                let mut cursor = model.cursor(root);
                assert_eq!(cursor.count(&btree).unwrap(), map.len() as u64);
            }
        }
        if step % 97 == 0 || step + 1 == STEPS {
            check_all(model, &btree, root, other, &map, &format!("{shape:?} seed {seed} step {step}"));
        }
    }
}

fn insert<M: Model>(
    model: &M,
    cursor: &mut Cursor,
    btree: &Btree,
    key: i64,
    random: &mut Random,
    shape: Shape,
    map: &mut Map,
) {
    let len = random.length(shape.page_size as usize);
    let content = random.bytes(len);
    let seek = if random.chance(50) { Some(model.seek(cursor, btree, key)) } else { None };
    model.insert(cursor, btree, key, &content, seek);
    assert!(cursor.restore(btree).unwrap(), "the cursor stands on row {key} just inserted after {seek:?}");
    assert_eq!(model.read(cursor, btree), (key, content.clone()));
    map.insert(key, content);
}

/// New content of the same length.
fn overwrite<M: Model>(model: &M, cursor: &mut Cursor, btree: &Btree, key: i64, random: &mut Random, map: &mut Map) {
    if let Some((&key, content)) = map.range_mut(key..).next() {
        *content = random.bytes(content.len());
        model.insert(cursor, btree, key, content, None);
    }
}

fn delete<M: Model>(model: &M, cursor: &mut Cursor, btree: &Btree, key: i64, map: &mut Map) {
    let found = model.seek(cursor, btree, key) == Seek::Exact;
    assert_eq!(found, map.contains_key(&key));
    if found && key % 3 == 0 {
        cursor.remove(btree).unwrap();
        map.remove(&key);
        assert!(!cursor.is_valid() && !cursor.next(btree).unwrap(), "nowhere after {key} is gone");
    } else if found {
        cursor.delete(btree).unwrap();
        map.remove(&key);
        let after = map.range(key..).next();
        assert_eq!(cursor.next(btree).unwrap(), after.is_some(), "after the gap of {key}");
        if let Some((key, content)) = after {
            assert_eq!(model.read(cursor, btree), (*key, content.clone()));
        }
    }
}

fn seek<M: Model>(model: &M, cursor: &mut Cursor, btree: &Btree, key: i64, map: &Map) {
    match model.seek(cursor, btree, key) {
        Seek::Exact => assert_eq!(model.read(cursor, btree), (key, map[&key].clone())),
        Seek::Less => {
            let expected = map.range(..key).next_back().unwrap();
            assert_eq!(model.read(cursor, btree), (*expected.0, expected.1.clone()));
            assert!(!map.contains_key(&key));
        }
        Seek::Greater => {
            let expected = map.range(key..).next().unwrap();
            assert_eq!(model.read(cursor, btree), (*expected.0, expected.1.clone()));
            assert!(!map.contains_key(&key));
        }
        Seek::Empty => assert!(map.is_empty()),
    }
}

/// A cursor that stands while other cursors write, and then moves on.
fn scan_on<M: Model>(model: &M, cursor: &mut Cursor, btree: &Btree, key: i64, random: &mut Random, map: &mut Map) {
    if !cursor.is_valid() || model_key(model, cursor, btree).is_none() {
        match model.seek(cursor, btree, key) {
            Seek::Empty => return,
            _ => assert!(cursor.is_valid()),
        }
    }
    let key = model_key(model, cursor, btree).unwrap();
    if random.chance(20) {
        cursor.delete(btree).unwrap();
        map.remove(&key);
    }
    let forwards = random.chance(50);
    let (moved, expected) = if forwards {
        (cursor.next(btree).unwrap(), map.range((Bound::Excluded(key), Bound::Unbounded)).next())
    } else {
        (cursor.previous(btree).unwrap(), map.range(..key).next_back())
    };
    assert_eq!(moved, expected.is_some(), "from {key}, forwards {forwards}");
    if let Some((key, content)) = expected {
        assert_eq!(model.read(cursor, btree), (*key, content.clone()));
    }
}

/// The key of the row under a cursor that another cursor may have deleted.
fn model_key<M: Model>(model: &M, cursor: &mut Cursor, btree: &Btree) -> Option<i64> {
    if !cursor.restore(btree).unwrap() {
        cursor.reset();
        return None;
    }
    Some(model.read(cursor, btree).0)
}

fn savepoint<M: Model>(
    model: &M,
    cursor: &mut Cursor,
    btree: &Btree,
    random: &mut Random,
    shape: Shape,
    map: &mut Map,
) {
    let before = map.clone();
    let depth = btree.pager().savepoint().unwrap();
    for _ in 0..random.below(30) {
        let key = random.below(3000) as i64;
        if random.chance(50) {
            insert(model, cursor, btree, key, random, shape, map);
        } else {
            delete(model, cursor, btree, key, map);
        }
    }
    if random.chance(50) {
        btree.pager().rollback_to(depth).unwrap();
        *map = before;
    }
    btree.pager().release(depth).unwrap();
}

fn check_all<M: Model>(model: &M, btree: &Btree, root: PageNo, other: PageNo, map: &Map, context: &str) {
    let report = btree.integrity_check(&[PageNo::FIRST, root, other], false, 10).unwrap();
    assert_eq!(report.messages, [] as [&str; 0], "{context}");
    assert_eq!(report.counts, [0, map.len() as u64, 0], "{context}");
    let mut cursor = model.cursor(root);
    let mut more = cursor.first(btree).unwrap();
    for (key, content) in map {
        assert!(more, "{context}");
        assert_eq!(model.read(&mut cursor, btree), (*key, content.clone()), "{context}");
        more = cursor.next(btree).unwrap();
    }
    assert!(!more, "{context}");
    let mut more = cursor.last(btree).unwrap();
    for key in map.keys().rev() {
        assert!(more, "{context}");
        assert_eq!(model.read(&mut cursor, btree).0, *key, "{context}");
        more = cursor.previous(btree).unwrap();
    }
    assert!(!more, "{context}");
}
