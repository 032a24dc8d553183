//! Long payloads: stretches read and written in any order, from every kind of page source; bulk copies.

mod common;

use common::{Random, SHAPES, Shape, memory, writable};
use lithe_btree::{AutoVacuum, Btree, Cursor, KeyColumn, KeyInfo, SecureDelete, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record::Builder;
use lithe_pager::{OpenOptions, Pager};
use lithe_value::ValueRef;
use lithe_vfs::UnixVfs;
use std::path::PathBuf;
use std::sync::Arc;

fn whole(cursor: &mut Cursor, btree: &Btree) -> Vec<u8> {
    let mut out = vec![0; cursor.row(btree).unwrap().len() as usize];
    cursor.read_payload(btree, 0, &mut out).unwrap();
    out
}

fn check_sound(btree: &Btree, roots: &[PageNo]) {
    let mut all = vec![PageNo::FIRST];
    all.extend_from_slice(roots);
    assert_eq!(btree.integrity_check(&all, false, 10).unwrap().messages, [] as [&str; 0]);
}

#[test]
fn stretches_in_any_order() {
    for shape in SHAPES {
        let mut random = Random::new(7);
        let btree = memory(shape);
        let root = btree.create_tree(TreeKind::Table).unwrap();
        let mut cursor = Cursor::table(root);
        let mut contents: Vec<Vec<u8>> = Vec::new();
        for (rowid, len) in [50, 300, 5000, 70_000].into_iter().enumerate() {
            contents.push(random.bytes(len));
            cursor.insert_table(&btree, rowid as i64, &Payload::from_bytes(&contents[rowid]), None).unwrap();
        }
        for _ in 0..400 {
            let rowid = random.below(contents.len());
            let content = &mut contents[rowid];
            cursor.seek_rowid(&btree, rowid as i64).unwrap();
            for _ in 0..random.below(6) {
                let from = random.below(content.len());
                let len = random.below(content.len() - from + 1).min(random.below(3000));
                if random.chance(40) {
                    let new = random.bytes(len);
                    cursor.write_payload(&btree, from as u32, &new).unwrap();
                    content[from..from + len].copy_from_slice(&new);
                } else {
                    let mut out = vec![0; len];
                    cursor.read_payload(&btree, from as u32, &mut out).unwrap();
                    assert!(out == content[from..from + len], "{shape:?} row {rowid} from {from} to {}", from + len);
                }
            }
            assert!(whole(&mut cursor, &btree) == contents[rowid]);
            let end = contents[rowid].len() as u32;
            assert!(cursor.read_payload(&btree, end, &mut [0]).is_err());
            // Where a value of no bytes stands that ends a record.
            cursor.read_payload(&btree, end, &mut []).unwrap();
        }
        check_sound(&btree, &[root]);
    }
}

/// Chains that are in one piece, and chains that are not, read from a mapped file, an unmapped one, and dirty pages.
#[test]
fn chains_from_every_source() {
    let path = temp("chains");
    let shape = Shape { page_size: 1024, reserved: 8, auto_vacuum: AutoVacuum::None };
    let options = OpenOptions { create: true, ..OpenOptions::default() };
    let btree = writable(Pager::open(Arc::new(UnixVfs), &path, &options).unwrap(), shape);
    let root = btree.create_tree(TreeKind::Table).unwrap();
    let mut cursor = Cursor::table(root);
    let mut random = Random::new(3);
    let mut contents = vec![Vec::new(); 60];
    for round in 0..4 {
        for (rowid, content) in contents.iter_mut().enumerate() {
            if round == 0 || random.chance(40) {
                *content = random.some_bytes(9000);
                cursor.insert_table(&btree, rowid as i64, &Payload::from_bytes(content), None).unwrap();
            }
        }
        check_contents(&btree, root, &contents);
    }
    cursor.reset();
    btree.pager().commit().unwrap();
    for mmap_size in [1 << 30, 0] {
        let pager = Pager::open(Arc::new(UnixVfs), &path, &options).unwrap();
        pager.set_mmap_size(mmap_size);
        pager.begin_read().unwrap();
        let btree = Btree::new(pager);
        check_contents(&btree, root, &contents);
        check_sound(&btree, &[root]);
    }
    drop(btree);
    std::fs::remove_file(path).unwrap();
}

fn check_contents(btree: &Btree, root: PageNo, contents: &[Vec<u8>]) {
    let mut cursor = Cursor::table(root);
    for (rowid, content) in contents.iter().enumerate() {
        cursor.seek_rowid(btree, rowid as i64).unwrap();
        assert!(whole(&mut cursor, btree) == *content, "row {rowid}");
        let from = content.len() / 2;
        let mut half = vec![0; content.len() - from];
        cursor.read_payload(btree, from as u32, &mut half).unwrap();
        assert!(half == content[from..], "second half of row {rowid}");
    }
}

fn temp(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lithe-payloads-{}-{name}.db", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_copy_has_no_gaps() {
    for shape in SHAPES {
        let mut random = Random::new(11);
        let from = memory(shape);
        let (table, index) = fill(&from, &mut random, shape.page_size as usize);
        let to = memory(shape);
        let new_table = to.create_tree(TreeKind::Table).unwrap();
        let new_index = to.create_tree(TreeKind::Index).unwrap();
        let rows = to.copy_tree(new_table, &from, table).unwrap();
        let entries = to.copy_tree(new_index, &from, index).unwrap();
        assert_eq!((rows, entries), (500, 500));
        check_sound(&to, &[new_table, new_index]);
        assert!(to.pager().page_count() <= from.pager().page_count());
        for (old, new) in [(table, new_table), (index, new_index)] {
            let cursor = |root| if old == table { Cursor::table(root) } else { Cursor::index(root, info()) };
            let (mut old, mut new) = (cursor(old), cursor(new));
            let mut more = (old.first(&from).unwrap(), new.first(&to).unwrap());
            while more == (true, true) {
                assert!(whole(&mut old, &from) == whole(&mut new, &to));
                more = (old.next(&from).unwrap(), new.next(&to).unwrap());
            }
            assert_eq!(more, (false, false));
        }
    }
}

fn info() -> Arc<KeyInfo> {
    Arc::new(KeyInfo::new(vec![KeyColumn::default(); 2], Default::default()))
}

fn fill(btree: &Btree, random: &mut Random, page_size: usize) -> (PageNo, PageNo) {
    let table = btree.create_tree(TreeKind::Table).unwrap();
    let index = btree.create_tree(TreeKind::Index).unwrap();
    let (mut rows, mut entries) = (Cursor::table(table), Cursor::index(index, info()));
    let mut builder = Builder::new();
    for n in 0..500 {
        let rowid = n * 769 % 500;
        let content = random.content(page_size);
        rows.insert_table(btree, rowid, &Payload::from_bytes(&content), None).unwrap();
        let values = [ValueRef::Blob(&content), ValueRef::Integer(rowid)];
        entries.insert_index(btree, &values, &builder.build_parts(&values, 0), None).unwrap();
    }
    (table, index)
}

#[test]
fn sorted_entries_fill_their_pages() {
    let shape = Shape { page_size: 4096, reserved: 0, auto_vacuum: AutoVacuum::None };
    let btree = memory(shape);
    let root = btree.create_tree(TreeKind::Index).unwrap();
    let mut cursor = Cursor::index(root, info());
    let mut builder = Builder::new();
    let mut bytes = 0;
    for n in 0..20_000 {
        let values = [ValueRef::Integer(1_000_000 + n), ValueRef::Integer(n)];
        let payload = builder.build_parts(&values, 0);
        bytes += payload.len() as usize + 3; // with its length and its pointer
        cursor.append_index(&btree, &payload).unwrap();
    }
    check_sound(&btree, &[root]);
    let used = (btree.pager().page_count() - 1) as usize * 4096;
    assert!(bytes * 100 / used >= 97, "{bytes} of {used} bytes");
}

/// Four entries of 980 bytes fit on a page: every leaf but the last two gets four.
#[test]
fn long_sorted_entries_fill_their_pages() {
    let shape = Shape { page_size: 4096, reserved: 0, auto_vacuum: AutoVacuum::None };
    let btree = memory(shape);
    let root = btree.create_tree(TreeKind::Index).unwrap();
    let mut cursor = Cursor::index(root, info());
    let mut builder = Builder::new();
    let content = [b'x'; 970];
    for n in 0..160 {
        let values = [ValueRef::Integer(n), ValueRef::Blob(&content)];
        let payload = builder.build_parts(&values, 0);
        cursor.insert_index(&btree, &values, &payload, None).unwrap();
    }
    check_sound(&btree, &[root]);
    let pages = btree.pager().page_count() - 1;
    assert!(pages <= 43, "{pages} pages"); // 32 leaves, and 11 pages for the 31 entries between them
}

#[test]
fn secure_delete_leaves_nothing_behind() {
    let secret = b"the secret that must not stay";
    for mode in [SecureDelete::Off, SecureDelete::On] {
        let shape = Shape { page_size: 512, reserved: 0, auto_vacuum: AutoVacuum::None };
        let btree = memory(shape);
        btree.set_secure_delete(mode);
        let root = btree.create_tree(TreeKind::Table).unwrap();
        let mut cursor = Cursor::table(root);
        let long = secret.repeat(60);
        for rowid in 0..200 {
            let content = if rowid % 10 == 0 { &long[..] } else { &secret[..] };
            cursor.insert_table(&btree, rowid * 37 % 200, &Payload::from_bytes(content), None).unwrap();
        }
        let mut more = cursor.first(&btree).unwrap();
        while more {
            cursor.delete(&btree).unwrap();
            more = cursor.next(&btree).unwrap();
        }
        let pages = (1..=btree.pager().page_count()).filter_map(PageNo::new);
        let found = pages
            .map(|no| btree.pager().page(no).unwrap())
            .any(|page| page.windows(8).any(|window| window == &secret[4..12]));
        assert_eq!(found, mode == SecureDelete::Off);
    }
}
