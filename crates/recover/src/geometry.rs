//! The sizes and the encoding of a database whose header may be damaged.

use lithe_format::btree_page::{PageHeader, header_at};
use lithe_format::bytes::{get_u16, get_u32};
use lithe_format::db_header::{FREELIST_TRUNK_AT, Meta, PAGE_SIZE_AT, RESERVED_AT, TextEncoding};
use lithe_format::ptrmap;
use lithe_format::{PageNo, PageSize};

/// The sizes and the encoding that are needed to read a database's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The size of a page.
    pub page_size: PageSize,
    /// The part of a page that the format uses.
    pub usable: u32,
    /// The encoding of texts.
    pub encoding: TextEncoding,
    /// The first trunk page of the freelist.
    pub first_trunk: Option<PageNo>,
    /// Whether the database has pointer-map pages (auto-vacuum).
    pub has_pointer_map: bool,
}

/// The most pages that are examined to guess the page size.
const SAMPLE_PAGES: usize = 200;

impl Geometry {
    /// The geometry of the database that begins with `bytes`. Invalid fields of the header are guessed: the page size is that at whose
    /// multiples most B-tree pages begin.
    pub fn of(bytes: &[u8]) -> Geometry {
        let stated = get_u16(bytes, PAGE_SIZE_AT).and_then(PageSize::decode);
        let page_size = stated
            .filter(|size| begins_tree_page(bytes, PageNo::FIRST, *size))
            .unwrap_or_else(|| guess_page_size(bytes));
        let reserved = bytes.get(RESERVED_AT).copied().unwrap_or_default();
        let usable = page_size.usable(reserved).unwrap_or_else(|| page_size.get());
        let meta = |meta: Meta| get_u32(bytes, meta.offset()).unwrap_or_default();
        Geometry {
            page_size,
            usable,
            encoding: TextEncoding::from_meta(meta(Meta::TextEncoding)).unwrap_or(TextEncoding::Utf8),
            first_trunk: get_u32(bytes, FREELIST_TRUNK_AT).and_then(PageNo::new),
            has_pointer_map: meta(Meta::LargestRoot) != 0,
        }
    }

    /// Whether a page belongs to the pointer map, and so not to a B-tree.
    pub(crate) fn is_pointer_map(&self, no: PageNo) -> bool {
        self.has_pointer_map && ptrmap::Geometry::new(self.page_size, self.usable).is_map(no)
    }
}

fn guess_page_size(bytes: &[u8]) -> PageSize {
    let sizes = (9..=16).rev().filter_map(|shift| PageSize::new(1 << shift));
    // Among equal counts the last size wins, the smallest: it fits a file of a single page.
    let best = sizes.max_by_key(|size| {
        let pages = (bytes.len() / size.bytes()).min(SAMPLE_PAGES);
        let found = (1..=pages as u32).filter_map(PageNo::new).filter(|no| begins_tree_page(bytes, *no, *size)).count();
        found * 1000 / pages.max(1)
    });
    best.filter(|_| bytes.len() >= PageSize::MIN.bytes()).unwrap_or(PageSize::DEFAULT)
}

/// Whether a page of that size begins with a B-tree header whose pointers and content fit the page.
fn begins_tree_page(bytes: &[u8], no: PageNo, size: PageSize) -> bool {
    let Some(page) =
        usize::try_from(no.offset(size.get())).ok().and_then(|start| bytes.get(start..)?.get(..size.bytes()))
    else {
        return false;
    };
    PageHeader::read(page, header_at(no), size.get()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_format::btree_page::PageKind;

    fn image(size: usize, pages: usize) -> Vec<u8> {
        let mut bytes = vec![0; size * pages];
        for no in 1..=pages {
            let page = &mut bytes[(no - 1) * size..no * size];
            let at = header_at(PageNo::new(no as u32).unwrap());
            PageHeader::empty(at, PageKind::TableLeaf, size as u32).write(page);
        }
        bytes
    }

    #[test]
    fn a_lost_page_size_is_guessed() {
        for size in [512, 1024, 4096, 65536] {
            let geometry = Geometry::of(&image(size, 9));
            assert_eq!(geometry.page_size.bytes(), size);
            assert_eq!(geometry.usable as usize, size);
        }
    }

    #[test]
    fn no_bytes_have_a_geometry() {
        assert_eq!(Geometry::of(&[]).page_size, PageSize::DEFAULT);
        assert_eq!(Geometry::of(&[0xff; 100]).encoding, TextEncoding::Utf8);
    }
}
