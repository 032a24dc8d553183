//! SQLite reads files that this crate writes, and the other way round.

mod common;

use common::{Random, SHAPES, Shape, writable};
use lithe_btree::{AutoVacuum, Btree, Cursor, KeyColumn, KeyInfo, TreeKind};
use lithe_format::PageNo;
use lithe_format::db_header::Meta;
use lithe_format::record::{self, Builder};
use lithe_pager::{BeginKind, OpenOptions, PageHolder, Pager};
use lithe_value::ValueRef;
use lithe_vfs::UnixVfs;
use rusqlite::types::ValueRef as SqlValue;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// A file that is deleted at the end of the test.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str) -> TempFile {
        let path = std::env::temp_dir().join(format!("lithe-btree-{}-{name}.db", std::process::id()));
        let _ = std::fs::remove_file(&path);
        TempFile(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn open(path: &Path) -> Pager {
    let options = OpenOptions { create: true, ..OpenOptions::default() };
    Pager::open(Arc::new(UnixVfs), path, &options).unwrap()
}

/// Rows of `t(a INTEGER PRIMARY KEY, b, c)` with an index on b, and the same rows of `w(b PRIMARY KEY, a) WITHOUT ROWID`.
struct Row {
    a: i64,
    b: String,
    c: Vec<u8>,
}

fn rows(random: &mut Random, count: usize, page_size: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..count)
        .map(|n| {
            let len = random.length(page_size);
            let padding = random.below(100) / 90 * random.below(page_size);
            Row {
                a: n as i64 * 3 + random.below(3) as i64,
                b: format!("{:06}-{}", random.below(1000), "b".repeat(padding)) + &n.to_string(),
                c: random.bytes(len),
            }
        })
        .collect();
    for index in (1..rows.len()).rev() {
        rows.swap(index, random.below(index + 1));
    }
    rows
}

#[test]
fn sqlite_reads_what_we_write() {
    for (index, shape) in SHAPES.into_iter().enumerate() {
        let file = TempFile::new(&format!("ours{index}"));
        let mut random = Random::new(index as u64 + 50);
        let rows = rows(&mut random, 800, shape.page_size as usize);
        let deleted = write_ours(&file.0, shape, &rows, &mut random);

        let sqlite = rusqlite::Connection::open(&file.0).unwrap();
        let check: String = sqlite.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok", "{shape:?}");
        for row in &rows {
            let found = sqlite.query_row("SELECT b, c FROM t WHERE a = ?1", [row.a], |found| {
                Ok((found.get::<_, String>(0)?, found.get::<_, Vec<u8>>(1)?))
            });
            match found {
                Ok(found) => assert_eq!(found, (row.b.clone(), row.c.clone())),
                Err(error) => assert!(deleted.contains(&row.a), "{error}: {}", row.a),
            }
        }
        // SQLite then writes to the file.
        sqlite.execute_batch("DELETE FROM t WHERE a % 5 = 0; INSERT INTO t(b, c) SELECT b || 'x', c FROM t").unwrap();
        let check: String = sqlite.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok", "{shape:?}");
        drop(sqlite);
        let pager = open(&file.0);
        pager.begin_read().unwrap();
        let btree = Btree::new(pager);
        let roots: Vec<_> = roots(&btree);
        let report = btree.integrity_check(&roots, false, 10).unwrap();
        assert_eq!(report.messages, [] as [&str; 0], "{shape:?}");
    }
}

/// Writes schema and rows, deletes a few; answers which.
fn write_ours(path: &Path, shape: Shape, rows: &[Row], random: &mut Random) -> Vec<i64> {
    let btree = writable(open(path), shape);
    btree.set_meta(Meta::SchemaFormat, 4).unwrap();
    btree.set_meta(Meta::TextEncoding, 1).unwrap();
    let table = btree.create_tree(TreeKind::Table).unwrap();
    let index = btree.create_tree(TreeKind::Index).unwrap();
    let without = btree.create_tree(TreeKind::Index).unwrap();
    add_schema(&btree, 1, "table", "t", "t", table, Some("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)"));
    add_schema(&btree, 2, "index", "i", "t", index, Some("CREATE INDEX i ON t(b)"));
    add_schema(&btree, 3, "table", "w", "w", without, Some("CREATE TABLE w(b PRIMARY KEY, a) WITHOUT ROWID"));
    let info = |columns| Arc::new(KeyInfo::new(vec![KeyColumn::default(); columns], Default::default()));
    let mut table = Cursor::table(table);
    let mut index = Cursor::index(index, info(2));
    let mut without = Cursor::index(without, info(1));
    let mut builder = Builder::new();
    for row in rows {
        let b = ValueRef::Text(row.b.as_bytes());
        let values = [ValueRef::Null, b, ValueRef::Blob(&row.c)];
        table.insert_table(&btree, row.a, &builder.build_parts(&values, 0), None).unwrap();
        let values = [b, ValueRef::Integer(row.a)];
        index.insert_index(&btree, &values, &builder.build_parts(&values, 0), None).unwrap();
        without.insert_index(&btree, &values, &builder.build_parts(&values, 0), None).unwrap();
    }
    let mut deleted = Vec::new();
    for row in rows {
        if random.chance(40) {
            deleted.push(row.a);
            table.seek_rowid(&btree, row.a).unwrap();
            table.delete(&btree).unwrap();
            let key = [ValueRef::Text(row.b.as_bytes()), ValueRef::Integer(row.a)];
            for cursor in [&mut index, &mut without] {
                let info = cursor.key_info().unwrap().clone();
                let key = lithe_btree::SearchKey::new(&info, &key, Default::default());
                cursor.seek_key(&btree, &key).unwrap();
                cursor.delete(&btree).unwrap();
            }
        }
    }
    for cursor in [&mut table, &mut index, &mut without] {
        cursor.reset();
    }
    btree.auto_vacuum_commit(None).unwrap();
    btree.pager().commit().unwrap();
    btree.pager().end_read().unwrap();
    deleted
}

fn add_schema(btree: &Btree, rowid: i64, kind: &str, name: &str, table: &str, root: PageNo, sql: Option<&str>) {
    let mut schema = Cursor::table(PageNo::FIRST);
    let mut builder = Builder::new();
    let values = [
        ValueRef::Text(kind.as_bytes()),
        ValueRef::Text(name.as_bytes()),
        ValueRef::Text(table.as_bytes()),
        ValueRef::Integer(root.get().into()),
        sql.map_or(ValueRef::Null, |sql| ValueRef::Text(sql.as_bytes())),
    ];
    schema.insert_table(btree, rowid, &builder.build_parts(&values, 0), None).unwrap();
}

/// All roots, in the order of the schema table.
fn roots(btree: &Btree) -> Vec<PageNo> {
    let mut roots = vec![PageNo::FIRST];
    let mut schema = Cursor::table(PageNo::FIRST);
    let mut more = schema.first(btree).unwrap();
    while more {
        if let ValueRef::Integer(root) = record::values(&payload(&mut schema, btree)).unwrap()[3] {
            roots.extend(PageNo::new(root as u32));
        }
        more = schema.next(btree).unwrap();
    }
    roots
}

fn payload(cursor: &mut Cursor, btree: &Btree) -> Vec<u8> {
    let mut out = vec![0; cursor.row(btree).unwrap().len() as usize];
    cursor.read_payload(btree, 0, &mut out).unwrap();
    out
}

#[test]
fn we_read_what_sqlite_writes() {
    for (index, shape) in SHAPES.into_iter().enumerate() {
        let file = TempFile::new(&format!("theirs{index}"));
        let mut random = Random::new(index as u64 + 500);
        let sqlite = rusqlite::Connection::open(&file.0).unwrap();
        let auto_vacuum = match shape.auto_vacuum {
            AutoVacuum::None => 0,
            AutoVacuum::Full => 1,
            AutoVacuum::Incremental => 2,
        };
        sqlite
            .execute_batch(&format!("PRAGMA page_size={}; PRAGMA auto_vacuum={auto_vacuum}", shape.page_size))
            .unwrap();
        sqlite
            .execute_batch(
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE INDEX i ON t(b COLLATE nocase DESC, c);
                            CREATE TABLE w(b PRIMARY KEY, a) WITHOUT ROWID; BEGIN",
            )
            .unwrap();
        for row in rows(&mut random, 800, shape.page_size as usize) {
            let b: rusqlite::types::Value = match random.below(4) {
                0 => row.a.into(),
                1 => (row.a as f64 + 0.5).into(),
                _ => row.b.into(),
            };
            sqlite.execute("INSERT INTO t VALUES (?1, ?2, ?3)", rusqlite::params![row.a, b, row.c]).unwrap();
            sqlite.execute("INSERT INTO w VALUES (?2, ?1)", rusqlite::params![row.a, b]).unwrap();
        }
        sqlite.execute_batch("DELETE FROM t WHERE a % 7 < 3; DELETE FROM w WHERE a % 7 < 3; COMMIT").unwrap();

        let pager = open(&file.0);
        pager.begin_read().unwrap();
        let btree = Btree::new(pager);
        let roots = roots(&btree);
        let report = btree.integrity_check(&roots, false, 10).unwrap();
        assert_eq!(report.messages, [] as [&str; 0], "{shape:?}");
        compare(&btree, &mut Cursor::table(roots[1]), &sqlite, "SELECT a, NULL, b, c FROM t ORDER BY a", true);
        let info = |columns| Arc::new(KeyInfo::new(vec![KeyColumn::default(); columns], Default::default()));
        let by_b = "SELECT b, c, a FROM t ORDER BY b COLLATE nocase DESC, c, a";
        compare(&btree, &mut Cursor::index(roots[2], info(3)), &sqlite, by_b, false);
        compare(&btree, &mut Cursor::index(roots[3], info(1)), &sqlite, "SELECT b, a FROM w ORDER BY b", false);
    }
}

/// All entries of a tree are the rows of a query; the rowid comes first in a table.
fn compare(btree: &Btree, cursor: &mut Cursor, sqlite: &rusqlite::Connection, sql: &str, rowid: bool) {
    let mut statement = sqlite.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut more = cursor.first(btree).unwrap();
    while let Some(row) = rows.next().unwrap() {
        assert!(more, "{sql}");
        let payload = payload(cursor, btree);
        let mut ours = record::values(&payload).unwrap();
        if rowid {
            ours.insert(0, ValueRef::Integer(cursor.rowid().unwrap()));
        }
        for (column, ours) in ours.iter().enumerate() {
            let theirs = match row.get_ref(column).unwrap() {
                SqlValue::Null => ValueRef::Null,
                SqlValue::Integer(i) => ValueRef::Integer(i),
                SqlValue::Real(r) => ValueRef::Real(r),
                SqlValue::Text(text) => ValueRef::Text(text),
                SqlValue::Blob(blob) => ValueRef::Blob(blob),
            };
            assert_eq!(*ours, theirs, "{sql}, column {column}");
        }
        more = cursor.next(btree).unwrap();
    }
    assert!(!more, "{sql}");
}

#[test]
fn a_transaction_after_another() {
    let file = TempFile::new("transactions");
    let shape = Shape { page_size: 512, reserved: 0, auto_vacuum: AutoVacuum::None };
    let btree = writable(open(&file.0), shape);
    let root = btree.create_tree(TreeKind::Table).unwrap();
    let mut cursor = Cursor::table(root);
    let mut builder = Builder::new();
    for round in 0..20 {
        for n in 0..50 {
            let values = [ValueRef::Integer(round), ValueRef::Integer(n)];
            cursor.insert_table(&btree, round * 50 + n, &builder.build_parts(&values, 0), None).unwrap();
        }
        cursor.reset();
        if round % 3 == 2 {
            btree.pager().rollback().unwrap();
        } else {
            btree.pager().commit().unwrap();
        }
        btree.pager().end_read().unwrap();
        btree.pager().begin_write(BeginKind::Immediate).unwrap();
        if round == 0 {
            assert_eq!(cursor.count(&btree).unwrap(), 50);
        }
    }
    assert_eq!(cursor.count(&btree).unwrap(), 14 * 50);
    assert!(btree.integrity_check(&[PageNo::FIRST, root], false, 10).unwrap().messages.is_empty());
}

/// A statement reads while another commits: in rollback mode that changes the mapped pages under the reader's cursor, which
/// copies its pages first.
#[test]
fn a_place_survives_a_commit() {
    struct Held(RefCell<Cursor>);
    impl PageHolder for Held {
        fn make_pages_private(&self, pager: &Pager) -> bool {
            self.0.borrow_mut().make_pages_private(pager);
            true
        }
    }

    for index in [false, true] {
        let file = TempFile::new(&format!("noted{index}"));
        let shape = Shape { page_size: 512, reserved: 0, auto_vacuum: AutoVacuum::None };
        let btree = writable(open(&file.0), shape);
        let root = btree.create_tree(if index { TreeKind::Index } else { TreeKind::Table }).unwrap();
        let info = Arc::new(KeyInfo::new(vec![KeyColumn::default()], Default::default()));
        let cursor = || if index { Cursor::index(root, info.clone()) } else { Cursor::table(root) };
        let insert = |cursor: &mut Cursor, n: i64| {
            let values = [ValueRef::Integer(n)];
            let mut builder = Builder::new();
            let payload = builder.build_parts(&values, 0);
            match index {
                true => cursor.insert_index(&btree, &values, &payload, None).unwrap(),
                false => cursor.insert_table(&btree, n, &payload, None).unwrap(),
            }
        };
        let mut writer = cursor();
        (0..1000).for_each(|n| insert(&mut writer, 2 * n));
        writer.reset();
        btree.pager().commit().unwrap();

        let reader = Rc::new(Held(RefCell::new(cursor())));
        let holder: Weak<Held> = Rc::downgrade(&reader);
        btree.pager().page_holders().register(holder);
        let mut more = reader.0.borrow_mut().first(&btree).unwrap();
        let mut expected = 0;
        while more {
            let entry = payload(&mut reader.0.borrow_mut(), &btree);
            assert_eq!(record::values(&entry).unwrap(), [ValueRef::Integer(2 * expected)]);
            if expected % 10 == 0 {
                btree.pager().begin_write(BeginKind::Immediate).unwrap();
                insert(&mut writer, 2 * expected - 1); // in front of the reader, which pushes its row along
                writer.reset();
                btree.pager().commit().unwrap();
            }
            expected += 1;
            more = reader.0.borrow_mut().next(&btree).unwrap();
        }
        assert_eq!(expected, 1000, "index {index}");
    }
}

#[test]
fn indexes_of_utf16_databases() {
    use lithe_btree::{Prefix, SearchKey, Seek};
    use lithe_format::db_header::TextEncoding;
    for (name, encoding) in [("UTF-16le", TextEncoding::Utf16Le), ("UTF-16be", TextEncoding::Utf16Be)] {
        let file = TempFile::new(name);
        let sqlite = rusqlite::Connection::open(&file.0).unwrap();
        let schema = format!("PRAGMA encoding='{name}'; CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID; BEGIN");
        sqlite.execute_batch(&schema).unwrap();
        let texts: Vec<String> =
            (0..400u32).map(|n| format!("{}{n}", char::from_u32(0x60 + n * 97 % 0x800).unwrap_or('?'))).collect();
        for text in texts.iter().step_by(2) {
            sqlite.execute("INSERT INTO t VALUES (?1)", [text]).unwrap();
        }
        sqlite.execute_batch("COMMIT").unwrap();
        drop(sqlite);

        let btree = Btree::new(open(&file.0));
        btree.pager().begin_write(BeginKind::Immediate).unwrap();
        let root = roots(&btree)[1];
        let info = Arc::new(KeyInfo::new(vec![KeyColumn::default()], encoding));
        let mut cursor = Cursor::index(root, info.clone());
        let unit = |unit: u16| if encoding == TextEncoding::Utf16Le { unit.to_le_bytes() } else { unit.to_be_bytes() };
        for (n, text) in texts.iter().enumerate() {
            let values = [ValueRef::Text(text.as_bytes())];
            let seek = cursor.seek_key(&btree, &SearchKey::new(&info, &values, Prefix::Equal)).unwrap();
            assert_eq!(seek == Seek::Exact, n % 2 == 0, "{text}");
            let encoded: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            let mut builder = Builder::new();
            let payload = builder.build(&[ValueRef::Text(&encoded)]).to_vec();
            let payload = lithe_format::payload::Payload::from_bytes(&payload);
            cursor.insert_index(&btree, &values, &payload, Some(seek)).unwrap();
        }
        cursor.reset();
        btree.pager().commit().unwrap();
        btree.pager().end_read().unwrap();
        drop(btree);
        let sqlite = rusqlite::Connection::open(&file.0).unwrap();
        let check: String = sqlite.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        let count: i64 = sqlite.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 400);
    }
}
