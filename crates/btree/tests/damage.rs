//! Damaged files: never a panic or an endless loop, and the integrity check finds what SQLite's does, in its words.

mod common;

use common::{Random, SHAPES, memory};
use lithe_btree::{Btree, Cursor, KeyColumn, KeyInfo, Seek, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record;
use lithe_pager::{BeginKind, OpenOptions, Pager};
use lithe_value::ValueRef;
use lithe_vfs::UnixVfs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PAGE: usize = 512;
/// The order in which SQLite checks the trees of the test's database: `w`, `t`, its index, the schema. With
/// auto-vacuum all but the last are one page further.
const ROOTS: [u32; 4] = [4, 2, 3, 1];

fn temp(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lithe-damage-{}-{name}.db", std::process::id()))
}

/// A database with everything that can break: overflow chains, an index, a freelist, pointer maps.
fn image(name: &str, auto_vacuum: bool, random: &mut Random) -> Vec<u8> {
    let path = temp(name);
    let _ = std::fs::remove_file(&path);
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    // Incremental: the free pages stay.
    sqlite
        .execute_batch(&format!("PRAGMA page_size={PAGE}; PRAGMA auto_vacuum={}", 2 * u8::from(auto_vacuum)))
        .unwrap();
    let schema = "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t(b);
                  CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; BEGIN";
    sqlite.execute_batch(schema).unwrap();
    for n in 0..200 {
        let len = [3, 20, 100, 900][random.below(4)];
        sqlite.execute("INSERT INTO t VALUES (?1, ?2)", (n * 3, "x".repeat(len) + &n.to_string())).unwrap();
        sqlite.execute("INSERT INTO w VALUES (?1, ?2)", (format!("k{n}"), "y".repeat(len / 2))).unwrap();
    }
    sqlite.execute_batch("DELETE FROM t WHERE a % 7 = 0 AND a > 300; COMMIT").unwrap();
    drop(sqlite);
    let image = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    image
}

fn damage(image: &[u8], random: &mut Random) -> Vec<u8> {
    let mut image = image.to_vec();
    for _ in 0..1 + random.below(3) {
        let page = random.below(image.len() / PAGE);
        let at = match random.below(3) {
            0 => random.below(12),
            1 => 8 + random.below(60),
            _ => random.below(PAGE),
        };
        let at = if page == 0 { [33, 35, 39, 55, 67, 101, 102, 107][at % 8] } else { page * PAGE + at };
        image[at] = match random.below(5) {
            0 => 0,
            1 => 1,
            2 => 255,
            3 => image[at] ^ 1,
            _ => random.next() as u8,
        };
    }
    image
}

fn open(path: &Path) -> Btree {
    let pager = Pager::open(Arc::new(UnixVfs), path, &OpenOptions::default()).unwrap();
    pager.begin_write(BeginKind::Immediate).unwrap();
    Btree::new(pager)
}

fn seeds() -> u64 {
    std::env::var("BTREE_WORLDS").map_or(150, |seeds| seeds.parse().expect("a number"))
}

#[test]
fn the_check_says_what_sqlite_says() {
    let path = temp("check");
    for auto_vacuum in [false, true] {
        let sound = image("image1", auto_vacuum, &mut Random::new(1));
        for seed in 0..seeds() {
            let damaged = damage(&sound, &mut Random::new(seed));
            std::fs::write(&path, &damaged).unwrap();
            let Some(theirs) = their_check(&path) else { continue };
            let btree = open(&path);
            let roots = ROOTS.map(|root| PageNo::new(if auto_vacuum && root > 1 { root + 1 } else { root }).unwrap());
            let ours = btree.integrity_check(&roots, false, 100).unwrap().messages;
            assert_eq!(ours, theirs, "seed {seed}, auto-vacuum {auto_vacuum}");
        }
    }
    std::fs::remove_file(&path).unwrap();
}

/// The result of SQLite's check of the structure; `None` if it gives up before.
fn their_check(path: &Path) -> Option<Vec<String>> {
    let sqlite = rusqlite::Connection::open(path).unwrap();
    let mut statement = sqlite.prepare("PRAGMA integrity_check(100)").ok()?;
    let mut rows = statement.query([]).ok()?;
    let first = rows.next().ok()??;
    let text = String::from_utf8_lossy(first.get_ref(0).unwrap().as_bytes().unwrap()).into_owned();
    let structure = text.strip_prefix("*** in database main ***\n");
    Some(structure.map_or(Vec::new(), |lines| lines.lines().map(str::to_owned).collect()))
}

#[test]
fn damage_is_an_error_and_nothing_else() {
    let path = temp("use");
    for auto_vacuum in [false, true] {
        let sound = image("image2", auto_vacuum, &mut Random::new(2));
        for seed in 0..seeds() {
            let mut random = Random::new(seed);
            std::fs::write(&path, damage(&sound, &mut random)).unwrap();
            let btree = open(&path);
            let first = if auto_vacuum { 3 } else { 2 };
            // Any of these may fail; none may panic or run for ever.
            let _ = use_table(&btree, PageNo::new(first).unwrap(), &mut random);
            let _ = use_index(&btree, PageNo::new(first + 1).unwrap(), &mut random);
            let _ = use_index(&btree, PageNo::new(first + 2).unwrap(), &mut random);
            let _ = btree.create_tree(TreeKind::Index);
            let _ = btree.drop_tree(PageNo::new(first + 1).unwrap());
            let _ = btree.incremental_vacuum(3);
            let _ = btree.clear_tree(PageNo::new(first).unwrap());
            let _ = btree.incremental_vacuum(0);
        }
    }
    std::fs::remove_file(&path).unwrap();
}

/// A row that extends into the next one's bytes is written where a freeblock is by now: the known number of the page's free bytes is
/// wrong.
#[test]
fn rows_that_overlap_are_no_panic() {
    let btree = memory(SHAPES[0]);
    let root = btree.create_tree(TreeKind::Table).unwrap();
    let mut cursor = Cursor::table(root);
    for rowid in 0..60 {
        cursor.insert_table(&btree, rowid, &Payload::from_bytes(&[7; 40]), None).unwrap();
    }
    cursor.reset();
    let cell = |page: &[u8], at: usize| usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
    let mut pages = (2..=btree.pager().page_count()).filter_map(PageNo::new);
    // Behind the length of a row is its rowid.
    let is_first = |page: &[u8]| page[0] == 13 && page[cell(page, 8) + 1] == 0;
    let first = pages.find(|no| is_first(&btree.pager().page(*no).unwrap())).unwrap();
    let mut page = btree.pager().write(first).unwrap();
    let second_row = cell(&page, 10);
    page[second_row] += 8;
    drop(page);
    assert_eq!(cursor.seek_rowid(&btree, 0).unwrap(), Seek::Exact);
    cursor.delete(&btree).unwrap();
    cursor.insert_table(&btree, 1, &Payload::from_bytes(&[1; 48]), None).unwrap();
    for rowid in 2..8 {
        let _ = cursor.insert_table(&btree, rowid, &Payload::from_bytes(&[2; 44]), None);
    }
}

/// A cell takes four bytes at least: one of three at the very end of a page leaves no space for the freeblock that follows it.
#[test]
fn a_cell_shorter_than_a_freeblock_is_no_panic() {
    let btree = memory(SHAPES[0]);
    let root = btree.create_tree(TreeKind::Table).unwrap();
    let mut cursor = Cursor::table(root);
    for rowid in 0..5 {
        cursor.insert_table(&btree, rowid, &Payload::from_bytes(&[7; 40]), None).unwrap();
    }
    cursor.reset();
    let mut page = btree.pager().write(root).unwrap();
    page[8..10].copy_from_slice(&(PAGE as u16 - 3).to_be_bytes());
    page[PAGE - 3..].copy_from_slice(&[1, 0, 7]);
    drop(page);
    assert_eq!(cursor.seek_rowid(&btree, 0).unwrap(), Seek::Exact);
    assert!(cursor.delete(&btree).is_err());
    assert!(cursor.insert_table(&btree, 0, &Payload::from_bytes(&[1; 48]), None).is_err());
}

fn use_table(btree: &Btree, root: PageNo, random: &mut Random) -> lithe_btree::Result<()> {
    let mut cursor = Cursor::table(root);
    walk(btree, &mut cursor)?;
    for _ in 0..200 {
        let rowid = random.below(700) as i64;
        cursor.seek_rowid(btree, rowid)?;
        match random.below(3) {
            0 => cursor.delete(btree)?,
            1 => {
                let len = [10, 100, 1000][random.below(3)];
                let content = random.bytes(len);
                cursor.insert_table(btree, rowid, &Payload::from_bytes(&content), None)?;
            }
            _ => drop(cursor.next(btree)?),
        }
    }
    Ok(())
}

fn use_index(btree: &Btree, root: PageNo, random: &mut Random) -> lithe_btree::Result<()> {
    let info = Arc::new(KeyInfo::new(vec![KeyColumn::default()], Default::default()));
    let mut cursor = Cursor::index(root, info);
    walk(btree, &mut cursor)?;
    for _ in 0..200 {
        let text = format!("k{}{}", random.below(300), "x".repeat(random.below(3) * 200));
        let values = [ValueRef::Text(text.as_bytes())];
        let mut builder = record::Builder::new();
        cursor.insert_index(btree, &values, &builder.build_parts(&values, 0), None)?;
        if random.chance(60) {
            cursor.next(btree)?;
            cursor.delete(btree)?;
        }
    }
    Ok(())
}

fn walk(btree: &Btree, cursor: &mut Cursor) -> lithe_btree::Result<()> {
    // A damaged tree may hold the same page many times, so that a walk is long, but it ends.
    let mut more = cursor.first(btree)?;
    for _ in 0..5000 {
        if !more {
            break;
        }
        let len = cursor.row(btree)?.len() as usize;
        let mut out = vec![0; len.min(5000)];
        cursor.read_payload(btree, 0, &mut out)?;
        more = cursor.next(btree)?;
    }
    cursor.count(btree)?;
    Ok(())
}
