//! Times the paths that the crate promises to be fast: `cargo run --release -p lithe-btree --example tree_paths`.

use lithe_btree::{Btree, Cursor, KeyColumn, KeyInfo, Prefix, SearchKey, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record::Builder;
use lithe_pager::{BeginKind, OpenOptions, Pager};
use lithe_value::ValueRef;
use lithe_vfs::UnixVfs;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const ROWS: i64 = 100_000;

fn main() {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| name.contains(only));
    for (name, run) in BENCHES {
        if wanted(name) {
            run(name);
        }
    }
}

/// A name, and what runs under it.
type Bench = (&'static str, fn(&str));

const BENCHES: &[Bench] = &[
    ("append 100-byte rows", append),
    ("insert rows at random", insert_random),
    ("next over small rows", next),
    ("seek rowids at random", seek),
    ("append index entries", append_index),
    ("insert index entries at random", insert_index),
    ("seek index entries at random", seek_index),
    ("read BLOBs of 10 kB at random", read_blobs),
    ("read BLOBs of 1 MB", read_large),
    ("insert BLOBs of 10 kB", insert_blobs),
    ("overwrite BLOBs of 10 kB", overwrite_blobs),
    ("delete all rows in a loop", delete_loop),
];

fn time(name: &str, count: i64, mut work: impl FnMut()) {
    let rounds = 5;
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_nanos() as f64 / count as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:34} {:10.1} ns (best {:.1})", times[rounds / 2], times[0]);
}

fn memory() -> Btree {
    let btree = Btree::new(Pager::open_in_memory(&OpenOptions::default()));
    btree.pager().begin_write(BeginKind::Immediate).unwrap();
    btree
}

/// A committed database file with what `fill` writes, opened anew and mapped.
fn file(fill: impl FnOnce(&Btree) -> PageNo) -> (Btree, PageNo) {
    let path = std::env::temp_dir().join(format!("lithe-hot-paths-{}.db", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let options = OpenOptions { create: true, ..OpenOptions::default() };
    let open = || Btree::new(Pager::open(Arc::new(UnixVfs), &path, &options).unwrap());
    let btree = open();
    btree.pager().begin_write(BeginKind::Immediate).unwrap();
    let root = fill(&btree);
    btree.pager().commit().unwrap();
    btree.pager().end_read().unwrap();
    drop(btree);
    let btree = open();
    btree.pager().begin_read().unwrap();
    std::fs::remove_file(&path).unwrap();
    (btree, root)
}

fn fill(btree: &Btree, rows: i64, len: usize) -> PageNo {
    let root = btree.create_tree(TreeKind::Table).unwrap();
    let mut cursor = Cursor::table(root);
    let content = vec![7; len];
    for rowid in 0..rows {
        cursor.insert_table(btree, rowid, &Payload::from_bytes(&content), None).unwrap();
    }
    root
}

/// Each number below `ROWS` once, in no order.
fn shuffled() -> impl Iterator<Item = i64> {
    (0..ROWS).map(|n| n * 61_651 % ROWS)
}

fn append(name: &str) {
    time(name, ROWS, || {
        fill(&memory(), ROWS, 100);
    });
}

fn insert_random(name: &str) {
    time(name, ROWS, || {
        let btree = memory();
        let mut cursor = Cursor::table(btree.create_tree(TreeKind::Table).unwrap());
        let content = [7; 100];
        for rowid in shuffled() {
            cursor.insert_table(&btree, rowid, &Payload::from_bytes(&content), None).unwrap();
        }
    });
}

fn next(name: &str) {
    let (btree, root) = file(|btree| fill(btree, ROWS, 20));
    let mut cursor = Cursor::table(root);
    time(name, ROWS, || {
        let mut more = cursor.first(&btree).unwrap();
        while more {
            more = cursor.next(&btree).unwrap();
        }
    });
    time("  and rowid and payload", ROWS, || {
        let mut more = cursor.first(&btree).unwrap();
        while more {
            black_box(cursor.rowid().unwrap());
            black_box(cursor.row(&btree).unwrap().local());
            more = cursor.next(&btree).unwrap();
        }
    });
    time("  count", ROWS, || {
        black_box(cursor.count(&btree).unwrap());
    });
}

fn seek(name: &str) {
    let (btree, root) = file(|btree| fill(btree, ROWS, 100));
    let mut cursor = Cursor::table(root);
    time(name, ROWS, || {
        for rowid in shuffled() {
            black_box(cursor.seek_rowid(&btree, rowid).unwrap());
            black_box(cursor.row(&btree).unwrap().local());
        }
    });
    time("  in order", ROWS, || {
        for rowid in 0..ROWS {
            black_box(cursor.seek_rowid(&btree, rowid).unwrap());
            black_box(cursor.row(&btree).unwrap().local());
        }
    });
}

fn info(columns: usize) -> Arc<KeyInfo> {
    Arc::new(KeyInfo::new(vec![KeyColumn::default(); columns], Default::default()))
}

fn fill_index(btree: &Btree, keys: impl Iterator<Item = i64>) -> PageNo {
    let root = btree.create_tree(TreeKind::Index).unwrap();
    let mut cursor = Cursor::index(root, info(2));
    let mut builder = Builder::new();
    for key in keys {
        let values = [ValueRef::Integer(key * 1000), ValueRef::Integer(key)];
        let payload = Payload::from_bytes(builder.build(&values));
        cursor.insert_index(btree, &values, &payload, None).unwrap();
    }
    root
}

fn append_index(name: &str) {
    time(name, ROWS, || {
        fill_index(&memory(), 0..ROWS);
    });
}

fn insert_index(name: &str) {
    time(name, ROWS, || {
        fill_index(&memory(), shuffled());
    });
}

fn seek_index(name: &str) {
    let (btree, root) = file(|btree| fill_index(btree, 0..ROWS));
    let info = info(2);
    let mut cursor = Cursor::index(root, info.clone());
    time(name, ROWS, || {
        for key in shuffled() {
            let values = [ValueRef::Integer(key * 1000)];
            let key = SearchKey::new(&info, &values, Prefix::Before);
            black_box(cursor.seek_key(&btree, &key).unwrap());
        }
    });
}

fn read_all(name: &str, rows: i64, len: usize) {
    let (btree, root) = file(|btree| fill(btree, rows, len));
    let mut cursor = Cursor::table(root);
    let mut out = vec![0; len];
    time(name, rows, || {
        for rowid in (0..rows).map(|n| n * 7919 % rows) {
            cursor.seek_rowid(&btree, rowid).unwrap();
            cursor.read_payload(&btree, 0, &mut out).unwrap();
            black_box(&out);
        }
    });
}

fn read_blobs(name: &str) {
    read_all(name, 10_000, 10_000);
}

fn read_large(name: &str) {
    read_all(name, 100, 1_000_000);
}

fn insert_blobs(name: &str) {
    time(name, 5000, || {
        fill(&memory(), 5000, 10_000);
    });
}

fn overwrite_blobs(name: &str) {
    let btree = memory();
    let root = fill(&btree, 5000, 10_000);
    let mut cursor = Cursor::table(root);
    let content = vec![9; 10_000];
    time(name, 5000, || {
        for rowid in (0..5000).map(|n| n * 7919 % 5000) {
            cursor.insert_table(&btree, rowid, &Payload::from_bytes(&content), None).unwrap();
        }
    });
}

fn delete_loop(name: &str) {
    time(name, ROWS, || {
        let btree = memory();
        let root = fill(&btree, ROWS, 100);
        let mut cursor = Cursor::table(root);
        let mut more = cursor.first(&btree).unwrap();
        while more {
            cursor.delete(&btree).unwrap();
            more = cursor.next(&btree).unwrap();
        }
    });
}
