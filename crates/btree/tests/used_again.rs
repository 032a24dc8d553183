//! A cursor that is reused keeps its path down the tree, and notices when the path is not current any more.

mod common;

use common::{Random, Shape, memory, writable};
use lithe_btree::{AutoVacuum, Btree, Cursor, KeyColumn, KeyInfo, Prefix, SearchKey, SecureDelete, Seek, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record;
use lithe_pager::{BeginKind, OpenOptions, PageCounter, Pager};
use lithe_value::ValueRef;
use lithe_vfs::UnixVfs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SHAPE: Shape = Shape { page_size: 512, reserved: 0, auto_vacuum: AutoVacuum::None };

/// A file of the test's own, removed with its companions.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> File {
        File(std::env::temp_dir().join(format!("lithe-again-{}-{name}", std::process::id())))
    }

    /// Even rowids up to `count`, with themselves as their content.
    fn fill(&self, options: &OpenOptions, count: i64) -> (Btree, PageNo) {
        let _ = std::fs::remove_file(&self.0);
        let btree = writable(open(&self.0, options), SHAPE);
        let root = btree.create_tree(TreeKind::Table).unwrap();
        insert(&btree, root, (0..count).map(|n| 2 * n));
        btree.pager().commit().unwrap();
        btree.pager().end_read().unwrap();
        (btree, root)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn open(path: &Path, options: &OpenOptions) -> Pager {
    Pager::open(Arc::new(UnixVfs), path, options).unwrap()
}

fn insert(btree: &Btree, root: PageNo, rowids: impl Iterator<Item = i64>) {
    let mut cursor = Cursor::table(root);
    for rowid in rowids {
        cursor.insert_table(btree, rowid, &Payload::from_bytes(&content(rowid)), None).unwrap();
    }
}

fn content(rowid: i64) -> Vec<u8> {
    // As a record: a header of its own length and one text.
    let text = format!("row {rowid}");
    let mut record = vec![2, 13 + 2 * text.len() as u8];
    record.extend_from_slice(text.as_bytes());
    record
}

/// Seeks rowids here and there, so often that interior pages are decoded, and checks the neighbours of some. The cursor is
/// reset each time, as by a statement that is run again.
fn check(cursor: &mut Cursor, btree: &Btree, count: i64, odd: bool) {
    let gap = if odd { 1 } else { 2 };
    for step in 0..3000 {
        let rowid = step * 7919 % (2 * count);
        let found = cursor.seek_rowid(btree, rowid).unwrap() == Seek::Exact;
        assert_eq!(found, rowid % 2 == 0 || odd, "row {rowid}");
        if found {
            assert_eq!(cursor.row(btree).unwrap().local(), content(rowid), "row {rowid}");
        }
        if found && step % 3 == 0 && cursor.next(btree).unwrap() {
            assert_eq!(cursor.rowid().unwrap(), rowid + gap);
        }
        if found && step % 3 == 1 && cursor.previous(btree).unwrap() {
            assert_eq!(cursor.rowid().unwrap(), rowid - gap);
        }
        cursor.reset();
    }
}

#[test]
fn changes_are_seen() {
    for mmap_size in [u64::MAX, 0] {
        let options = OpenOptions { mmap_size, ..OpenOptions::default() };
        let (one, other) = (File::new("one"), File::new("other"));
        let (btree, root) = one.fill(&options, 2000);
        let pager = btree.pager();
        let mut cursor = Cursor::table(root);
        pager.begin_read().unwrap();
        check(&mut cursor, &btree, 2000, false);
        pager.end_read().unwrap();
        // Nothing has changed since.
        pager.begin_read().unwrap();
        check(&mut cursor, &btree, 2000, false);
        pager.end_read().unwrap();
        // By another cursor, and undone: by a savepoint, by a rollback.
        pager.begin_write(BeginKind::Immediate).unwrap();
        check(&mut cursor, &btree, 2000, false);
        let savepoint = pager.savepoint().unwrap();
        insert(&btree, root, (0..2000).map(|n| 2 * n + 1));
        check(&mut cursor, &btree, 2000, true);
        pager.rollback_to(savepoint).unwrap();
        check(&mut cursor, &btree, 2000, false);
        insert(&btree, root, (0..2000).map(|n| 2 * n + 1));
        check(&mut cursor, &btree, 2000, true);
        pager.rollback().unwrap();
        check(&mut cursor, &btree, 2000, false);
        pager.end_read().unwrap();
        // By another connection.
        let another = Btree::new(open(&one.0, &options));
        another.pager().begin_write(BeginKind::Immediate).unwrap();
        insert(&another, root, (0..2000).map(|n| 2 * n + 1));
        another.pager().commit().unwrap();
        another.pager().end_read().unwrap();
        pager.begin_read().unwrap();
        check(&mut cursor, &btree, 2000, true);
        // In another database, which has the same pages.
        let (elsewhere, same_root) = other.fill(&options, 2000);
        assert_eq!(root, same_root);
        elsewhere.pager().begin_read().unwrap();
        check(&mut cursor, &elsewhere, 2000, false);
        check(&mut cursor, &btree, 2000, true);
        pager.end_read().unwrap();
        elsewhere.pager().end_read().unwrap();
    }
}

/// The state of a cursor and the tree stays valid after a commit of the connection's own, and not after that of another
/// one.
#[test]
fn a_commit_of_its_own_changes_no_tree() {
    for mmap_size in [u64::MAX, 0] {
        let options = OpenOptions { mmap_size, ..OpenOptions::default() };
        let file = File::new("commit");
        let (btree, root) = file.fill(&options, 2000);
        let mut cursor = Cursor::table(root);
        let odd = |from: i64| (0..2000).filter(move |n| n % 4 == from).map(|n| 2 * n + 1);
        for from in 0..4 {
            btree.pager().begin_write(BeginKind::Immediate).unwrap();
            check(&mut cursor, &btree, 2000, false);
            insert(&btree, root, odd(from));
            let version = btree.version(root);
            btree.commit().unwrap();
            assert_eq!(btree.version(root), version, "committed {from}");
            for rowid in odd(from) {
                assert_eq!(cursor.seek_rowid(&btree, rowid).unwrap(), Seek::Exact);
                assert_eq!(cursor.row(&btree).unwrap().local(), content(rowid), "row {rowid}");
                cursor.reset();
            }
            btree.pager().end_read().unwrap();

            let other = Btree::new(open(&file.0, &options));
            other.pager().begin_write(BeginKind::Immediate).unwrap();
            let mut others = Cursor::table(root);
            for rowid in odd(from) {
                assert_eq!(others.seek_rowid(&other, rowid).unwrap(), Seek::Exact);
                others.delete(&other).unwrap();
            }
            others.reset();
            other.commit().unwrap();
            other.pager().end_read().unwrap();

            btree.pager().begin_read().unwrap();
            assert_ne!(btree.version(root), version, "another connection has committed {from}");
            btree.pager().end_read().unwrap();
        }
    }
}

/// A row that does not fit the last leaf goes to a new leaf: page 1, the leaf's parent and the new leaf are written, but
/// not the full leaf.
#[test]
fn a_full_leaf_is_not_written() {
    let file = File::new("full");
    let (btree, root) = file.fill(&OpenOptions::default(), 1000);
    let pager = btree.pager();
    let written = |rowid| {
        pager.begin_write(BeginKind::Immediate).unwrap();
        insert(&btree, root, std::iter::once(rowid));
        pager.count(PageCounter::Write, true);
        pager.commit().unwrap();
        pager.end_read().unwrap();
        pager.count(PageCounter::Write, true)
    };
    let counts: Vec<u64> = (2000..2100).map(written).collect();
    assert!(counts.iter().all(|pages| *pages == 2 || *pages == 3), "{counts:?}");
    assert!(counts.contains(&2) && counts.contains(&3), "{counts:?}");
}

/// Rows make space for longer ones: the cells between the free blocks of a leaf move as a whole, or row by row where there are many.
#[test]
fn rows_move_together_on_their_page() {
    const LONG: usize = 90;
    for (every, secure) in [(2, false), (3, true), (5, false), (9, true), (20, false)] {
        let file = File::new(&format!("move-{every}"));
        let _ = std::fs::remove_file(&file.0);
        let btree = writable(open(&file.0, &OpenOptions::default()), Shape { page_size: 4096, ..SHAPE });
        btree.set_secure_delete(if secure { SecureDelete::On } else { SecureDelete::Off });
        let root = btree.create_tree(TreeKind::Table).unwrap();
        let mut cursor = Cursor::table(root);
        let text = |rowid: i64, len: usize| vec![b'a' + (rowid % 26) as u8; len];
        let record = |rowid: i64, len: usize| [&[2, 13 + 2 * (len.min(50)) as u8][..], &text(rowid, len)].concat();
        let put = |cursor: &mut Cursor, rowid: i64, len: usize| {
            cursor.insert_table(&btree, rowid, &Payload::from_bytes(&record(rowid, len)), None).unwrap();
        };
        let mut lengths = std::collections::BTreeMap::new();
        for rowid in 0..60 {
            let len = 40 + (rowid as usize * 7) % 11;
            put(&mut cursor, rowid, len);
            lengths.insert(rowid, len);
        }
        for rowid in (0..60).filter(|rowid| rowid % every == 1) {
            assert_eq!(cursor.seek_rowid(&btree, rowid).unwrap(), Seek::Exact);
            if rowid % 2 == 0 { cursor.delete(&btree) } else { cursor.remove(&btree) }.unwrap();
            lengths.remove(&rowid);
        }
        for rowid in 100..130 {
            put(&mut cursor, rowid, LONG);
            lengths.insert(rowid, LONG);
            for (&rowid, &len) in &lengths {
                assert_eq!(cursor.seek_rowid(&btree, rowid).unwrap(), Seek::Exact, "row {rowid}, every {every}");
                assert_eq!(cursor.row(&btree).unwrap().local(), record(rowid, len), "row {rowid}, every {every}");
            }
        }
        let found = btree.integrity_check(&[PageNo::FIRST, root], false, 10).unwrap().messages;
        assert_eq!(found, [] as [&str; 0], "every {every}");
        btree.pager().rollback().unwrap();
    }
}

/// Interior pages of an index that are searched often are decoded: what is found stays the same, whatever the keys have in common, and
/// whatever is added and deleted between.
#[test]
fn entries_are_found_on_pages_searched_often() {
    type MakeKey = fn(i64) -> Key;
    let makers: [MakeKey; 4] = [
        |n| Key::Integer(n * 3 - 900),
        |n| Key::Text(format!("{n:04} and more")),
        |n| Key::Text(format!("the same eight bytes {n:04}")),
        |n| if n % 2 == 0 { Key::Integer(n) } else { Key::Text(format!("{n}")) },
    ];
    for (at, make) in makers.into_iter().enumerate() {
        for descending in [false, true] {
            let btree = memory(SHAPE);
            let root = btree.create_tree(TreeKind::Index).unwrap();
            let column = KeyColumn { descending, ..KeyColumn::default() };
            let info = Arc::new(KeyInfo::new(vec![column], Default::default()));
            let mut cursor = Cursor::index(root, Arc::clone(&info));
            let mut present = std::collections::BTreeSet::new();
            for round in 0..4 {
                for n in (0..900).filter(|n| n % 4 == round) {
                    let key = make(n);
                    cursor.insert_index(&btree, &[key.value()], &Payload::from_bytes(&record_of(&key)), None).unwrap();
                    present.insert(n);
                }
                for n in (0..900).filter(|n| (n + round) % 7 == 3) {
                    if cursor.seek_key(&btree, &SearchKey::new(&info, &[make(n).value()], Prefix::Equal)).unwrap()
                        == Seek::Exact
                    {
                        cursor.delete(&btree).unwrap();
                    }
                    present.remove(&n);
                }
                for n in (0..900).chain((0..900).rev().step_by(11)) {
                    let key = make(n);
                    let seek = cursor.seek_key(&btree, &SearchKey::new(&info, &[key.value()], Prefix::Equal)).unwrap();
                    assert_eq!(seek == Seek::Exact, present.contains(&n), "{n} of kind {at}, descending {descending}");
                    if seek == Seek::Exact {
                        assert_eq!(cursor.row(&btree).unwrap().local(), record_of(&key), "{n} of kind {at}");
                    }
                }
            }
        }
    }
}

enum Key {
    Integer(i64),
    Text(String),
}

impl Key {
    fn value(&self) -> ValueRef<'_> {
        match self {
            Key::Integer(integer) => ValueRef::Integer(*integer),
            Key::Text(text) => ValueRef::Text(text.as_bytes()),
        }
    }
}

fn record_of(key: &Key) -> Vec<u8> {
    record::Builder::new().build(&[key.value()]).to_vec()
}

/// The cursor of a statement that has added the last row is the next statement's: it goes back over all rows, through pages of a
/// transaction that has ended.
#[test]
fn the_last_row_is_where_a_later_transaction_begins() {
    for mmap_size in [u64::MAX, 0] {
        let options = OpenOptions { mmap_size, ..OpenOptions::default() };
        let file = File::new("last");
        let (_, root) = file.fill(&options, 2000);
        let btree = Btree::new(open(&file.0, &options));
        let pager = btree.pager();
        let mut cursor = Cursor::table(root);
        pager.begin_read().unwrap();
        pager.begin_write(BeginKind::Immediate).unwrap();
        cursor.insert_table(&btree, 4000, &Payload::from_bytes(&content(4000)), None).unwrap();
        cursor.reset();
        btree.commit().unwrap();
        pager.end_read().unwrap();
        pager.begin_read().unwrap();
        let mut found = Vec::new();
        let mut is_there = cursor.last(&btree).unwrap();
        while is_there {
            found.push(cursor.rowid().unwrap());
            is_there = cursor.previous(&btree).unwrap();
        }
        assert!(found.into_iter().eq((0..=2000).map(|n| 2 * n).rev()));
        cursor.reset();
        pager.end_read().unwrap();
    }
}

/// Cursors move from one tree to another while the trees grow and shrink, and counters of changes of two trees meet: a cursor takes
/// nothing of the tree before for current.
#[test]
fn cursors_move_between_trees() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let btree = memory(SHAPE);
        let roots = [(); 3].map(|()| btree.create_tree(TreeKind::Table).unwrap());
        let mut rows: [std::collections::BTreeSet<i64>; 3] = Default::default();
        let mut cursors = [(); 4].map(|()| (Cursor::table(roots[0]), 0));
        for step in 0..6000 {
            let tree = random.below(3);
            let rowid = random.below(120) as i64;
            let mut changer = Cursor::table(roots[tree]);
            if random.chance(if step / 500 % 2 == 0 { 70 } else { 20 }) {
                changer.insert_table(&btree, rowid, &Payload::from_bytes(&content(rowid)), None).unwrap();
                rows[tree].insert(rowid);
            } else if changer.seek_rowid(&btree, rowid).unwrap() == Seek::Exact {
                changer.delete(&btree).unwrap();
                rows[tree].remove(&rowid);
            }
            let (cursor, tree) = &mut cursors[random.below(4)];
            if random.chance(40) {
                cursor.reset();
                let before = btree.version(roots[*tree]);
                *tree = random.below(3);
                if let Some(&rowid) = rows[*tree].first() {
                    // Overwriting a row changes the tree's version, and none of its pages but the leaf.
                    let mut changer = Cursor::table(roots[*tree]);
                    while btree.version(roots[*tree]) < before {
                        changer.insert_table(&btree, rowid, &Payload::from_bytes(&content(rowid)), None).unwrap();
                    }
                }
                cursor.reopen(roots[*tree], None);
            }
            let rowid = random.below(120) as i64;
            let found = cursor.seek_rowid(&btree, rowid).unwrap() == Seek::Exact;
            assert_eq!(found, rows[*tree].contains(&rowid), "seed {seed}, step {step}: row {rowid} of tree {tree}");
        }
    }
}
