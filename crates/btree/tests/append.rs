//! Sorted entries that are added many at a time make the pages that they make one by one.

mod common;

use common::{Random, SHAPES, memory};
use lithe_btree::{Btree, Cursor, Error, KeyColumn, KeyInfo, SortedEntries, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record::Builder;
use lithe_value::ValueRef;
use std::sync::Arc;

/// Entries, of which the first `known` can be read.
struct Entries<'e> {
    list: &'e [(i64, Vec<u8>)],
    at: usize,
    known: usize,
}

impl SortedEntries for Entries<'_> {
    type Error = Error;

    fn entry(&mut self) -> Result<Option<(i64, &[u8])>, Error> {
        Ok(self.list.get(self.at).map(|(rowid, record)| (*rowid, &record[..])))
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.at += 1;
        if self.at < self.known { Ok(()) } else { Err(Error::RolledBack) }
    }
}

fn entries(random: &mut Random, page_size: usize) -> Vec<(i64, Vec<u8>)> {
    let mut rowid = 0;
    let entry = |number: i64| {
        rowid += 1 + random.below(300) as i64;
        let content = random.content(page_size);
        (rowid, Builder::new().build(&[ValueRef::Integer(number * 1000), ValueRef::Blob(&content)]).to_vec())
    };
    (0..1500).map(entry).collect()
}

fn cursor(kind: TreeKind, root: PageNo) -> Cursor {
    match kind {
        TreeKind::Table => Cursor::table(root),
        TreeKind::Index => {
            Cursor::index(root, Arc::new(KeyInfo::new(vec![KeyColumn::default(); 2], Default::default())))
        }
    }
}

fn add(btree: &Btree, cursor: &mut Cursor, kind: TreeKind, (rowid, record): &(i64, Vec<u8>)) {
    let payload = Payload::from_bytes(record);
    match kind {
        TreeKind::Table => cursor.append_table(btree, *rowid, &payload).unwrap(),
        TreeKind::Index => cursor.append_index(btree, &payload).unwrap(),
    }
}

fn pages(btree: &Btree) -> Vec<Vec<u8>> {
    (1..=btree.pager().page_count()).map(|no| btree.pager().page(PageNo::new(no).unwrap()).unwrap().to_vec()).collect()
}

#[test]
#[cfg_attr(miri, ignore = "millions of steps")]
fn many_at_a_time_as_one_by_one() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for kind in [TreeKind::Table, TreeKind::Index] {
            let list = entries(&mut Random::new(seed as u64), shape.page_size as usize);
            let (single, many) = (memory(shape), memory(shape));
            let root = single.create_tree(kind).unwrap();
            assert_eq!(many.create_tree(kind).unwrap(), root);
            let mut one = cursor(kind, root);
            list.iter().for_each(|entry| add(&single, &mut one, kind, entry));
            let mut all = cursor(kind, root);
            let mut rest = Entries { list: &list, at: 0, known: usize::MAX };
            let mut together = 0;
            while let Some(entry) = list.get(rest.at) {
                add(&many, &mut all, kind, entry);
                rest.at += 1;
                together += all.append_to_leaf(&many, &mut rest).unwrap();
            }
            assert!(pages(&single) == pages(&many), "{shape:?} {kind:?}");
            assert!(together > 500, "{shape:?} {kind:?}: only {together} were added together");
            let messages = many.integrity_check(&[PageNo::FIRST, root], false, 10).unwrap().messages;
            assert_eq!(messages, [] as [&str; 0]);
            // The cursor stands on the last entry.
            assert_eq!(all.row(&many).unwrap().len() as usize, list.last().unwrap().1.len());
            assert!(!all.next(&many).unwrap());
        }
    }
}

#[test]
fn an_error_of_reading_leaves_the_entries_before_it() {
    for kind in [TreeKind::Table, TreeKind::Index] {
        let list: Vec<_> =
            (1..20).map(|rowid| (rowid, Builder::new().build(&[ValueRef::Integer(rowid)]).to_vec())).collect();
        let btree = memory(SHAPES[3]);
        let root = btree.create_tree(kind).unwrap();
        let mut cursor = cursor(kind, root);
        add(&btree, &mut cursor, kind, &list[0]);
        let mut rest = Entries { list: &list, at: 1, known: 12 };
        assert!(matches!(cursor.append_to_leaf(&btree, &mut rest), Err(Error::RolledBack)));
        let messages = btree.integrity_check(&[PageNo::FIRST, root], false, 10).unwrap().messages;
        assert_eq!(messages, [] as [&str; 0]);
        let mut count = u64::from(cursor.first(&btree).unwrap());
        while cursor.next(&btree).unwrap() {
            count += 1;
        }
        assert_eq!(count, 12);
    }
}
