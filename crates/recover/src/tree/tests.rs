use std::convert::Infallible;

use lithe_format::btree_page::{PageKind, header_at, put_right_child};
use lithe_format::bytes::{put_u16, put_u32};
use lithe_format::db_header::{DbHeader, HEADER_LEN};
use lithe_format::{PageSize, varint};

use super::*;
use crate::Image;

const SIZE: usize = 512;

fn page_no(no: u32) -> PageNo {
    PageNo::new(no).unwrap()
}

/// A file of pages: page 1 is an empty leaf with the header of a database.
struct File(Vec<u8>);

impl File {
    fn new(pages: usize) -> File {
        let mut file = File(vec![0; SIZE * pages]);
        file.leaf(1, &[]);
        DbHeader::new(PageSize::MIN, 0).write(&mut file.0[..HEADER_LEN]);
        file
    }

    fn page(&mut self, no: u32) -> &mut [u8] {
        &mut self.0[(no as usize - 1) * SIZE..no as usize * SIZE]
    }

    fn header(&mut self, no: u32, kind: PageKind, cells: usize, content_at: usize) -> usize {
        let at = header_at(page_no(no));
        let page = self.page(no);
        page[at] = kind as u8;
        put_u16(page, at + 3, cells as u16);
        put_u16(page, at + 5, content_at as u16);
        at + kind.header_len()
    }

    /// A table's leaf with these rows of one text each.
    fn leaf(&mut self, no: u32, rows: &[(i64, &str)]) {
        let mut content_at = SIZE;
        let mut offsets = Vec::new();
        for (rowid, text) in rows {
            let mut cell = Vec::new();
            varint::push(&mut cell, text.len() as u64 + 2);
            varint::push(&mut cell, *rowid as u64);
            cell.extend([2, text.len() as u8 * 2 + 13]);
            cell.extend(text.bytes());
            content_at -= cell.len();
            self.page(no)[content_at..content_at + cell.len()].copy_from_slice(&cell);
            offsets.push(content_at);
        }
        let pointers_at = self.header(no, PageKind::TableLeaf, rows.len(), content_at);
        for (i, offset) in offsets.into_iter().enumerate() {
            put_u16(self.page(no), pointers_at + 2 * i, offset as u16);
        }
    }

    /// A table's interior page.
    fn interior(&mut self, no: u32, left: &[u32], right: u32) {
        let pointers_at = self.header(no, PageKind::TableInterior, left.len(), SIZE - 8 * left.len());
        for (i, child) in left.iter().enumerate() {
            let at = SIZE - 8 * (i + 1);
            put_u32(self.page(no), at, *child);
            put_u16(self.page(no), pointers_at + 2 * i, at as u16);
        }
        let at = header_at(page_no(no));
        if let Some(right) = PageNo::new(right) {
            put_right_child(self.page(no), at, right);
        }
    }

    fn read(self, roots: &[u32]) -> (Vec<String>, Vec<String>) {
        let geometry = Geometry::of(&self.0);
        let image = Image::new(self.0, geometry.page_size);
        let mut recovery = Recovery::new(&image, geometry);
        recovery.skip_freelist();
        let (mut found, mut lost) = (Vec::new(), Vec::new());
        for root in roots {
            let Ok(()) = recovery.tree(page_no(*root), |row| {
                found.push(described(row));
                Ok::<(), Infallible>(())
            });
        }
        let Ok(()) = recovery.lost_rows(|row| {
            lost.push(format!("{}/{} {}", row.root.get(), row.page.get(), described(&row.row)));
            Ok::<(), Infallible>(())
        });
        (found, lost)
    }
}

fn described(row: &Row) -> String {
    let texts = row
        .values()
        .iter()
        .map(|value| String::from_utf8_lossy(value.bytes().unwrap_or_default()).into_owned())
        .collect::<Vec<_>>();
    format!("{}:{}", row.rowid.unwrap_or_default(), texts.join(","))
}

fn check(file: File, roots: &[u32], found: &[&str], lost: &[&str]) {
    assert_eq!(
        file.read(roots),
        (found.iter().map(|&s| s.to_owned()).collect(), lost.iter().map(|&s| s.to_owned()).collect())
    );
}

#[test]
fn a_tree_left_to_right_and_what_it_does_not_lead_to() {
    let mut file = File::new(7);
    file.interior(2, &[5, 4], 3);
    file.leaf(5, &[(1, "a"), (2, "b")]);
    file.leaf(4, &[(3, "c")]);
    file.leaf(3, &[(9, "d")]);
    file.interior(6, &[7], 0);
    file.leaf(7, &[(1, "lost")]);
    check(file, &[2], &["1:a", "2:b", "3:c", "9:d"], &["6/7 1:lost"]);
}

#[test]
fn pointers_in_a_circle_end() {
    let mut file = File::new(4);
    file.interior(2, &[2, 3], 99);
    file.interior(3, &[2], 4);
    file.leaf(4, &[(1, "a")]);
    check(file, &[2], &["1:a"], &[]);
    let mut file = File::new(3);
    file.interior(2, &[3], 2);
    file.interior(3, &[2], 3);
    check(file, &[], &[], &[]);
}

#[test]
fn one_bad_cell_spares_the_others() {
    let mut file = File::new(2);
    file.leaf(2, &[(1, "a"), (2, "b"), (3, "c")]);
    put_u16(file.page(2), 10, 511);
    check(file, &[2], &["1:a", "3:c"], &[]);
}

#[test]
fn the_freelist_is_skipped() {
    let mut file = File::new(4);
    put_u32(&mut file.0, 32, 2);
    put_u32(file.page(2), 0, 2); // the next trunk page is itself
    put_u32(file.page(2), 4, 1_000_000);
    put_u32(file.page(2), 8, 3);
    file.leaf(3, &[(1, "deleted")]);
    file.leaf(4, &[(2, "lost")]);
    check(file, &[], &[], &["4/4 2:lost"]);
}

#[test]
fn any_bytes_can_be_read() {
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..300 {
        let mut file = File::new(12);
        file.interior(2, &[3, 4, 5], 6);
        for no in 3..10 {
            file.leaf(no, &[(i64::from(no), "some text"), (i64::from(no) + 100, "more")]);
        }
        let count = if round % 3 == 0 { file.0.len() } else { 40 };
        for _ in 0..count {
            let at = random.usize(..file.0.len());
            const LIKELY: [u8; 9] = [0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0xff];
            file.0[at] = LIKELY.get(random.usize(..12)).copied().unwrap_or_else(|| random.u8(..));
        }
        let size = file.0.len();
        let (found, lost) = file.read(&[1, 2, 11]);
        let bytes: usize = found.iter().chain(&lost).map(String::len).sum();
        assert!(bytes < 40 * size, "round {round}: {bytes} bytes");
    }
}
