//! A trunk page of the freelist: the numbers of unused pages, the leaves. Leaves have no content; trunks form a list.
//!
//! ```text
//!   0                4                8           12
//!   | next trunk, 0  | number of      | leaf 0    | leaf 1    | ...
//!   | at the end     | leaves         |           |           |
//! ```

use crate::PageNo;
use crate::bytes::{at_u32, put_u32};

/// Offset of the number of the next trunk page.
pub const NEXT_AT: usize = 0;
/// Offset of the number of leaves.
pub const LEAF_COUNT_AT: usize = 4;
/// Offset of the first leaf.
pub const LEAVES_AT: usize = 8;

const _: () = assert!(LEAF_COUNT_AT + 4 == LEAVES_AT);

/// The most leaves that fit a trunk page.
#[inline]
pub const fn max_leaves(usable: u32) -> u32 {
    usable / 4 - 2
}

/// The most leaves that a writer puts on a trunk page. Six places stay empty because releases of
/// SQLite before 3.6.0 took a full trunk for corruption.
#[inline]
pub const fn fill_leaves(usable: u32) -> u32 {
    usable / 4 - 8
}

/// The trunk after this one.
#[inline]
pub fn next(trunk: &[u8]) -> Option<PageNo> {
    PageNo::new(at_u32(trunk, NEXT_AT))
}

/// Links this trunk to the next.
#[inline]
pub fn put_next(trunk: &mut [u8], next: Option<PageNo>) {
    put_u32(trunk, NEXT_AT, next.map_or(0, PageNo::get));
}

/// The number of leaves as the page states it, unchecked.
#[inline]
pub fn leaf_count(trunk: &[u8]) -> u32 {
    at_u32(trunk, LEAF_COUNT_AT)
}

/// Stores the number of leaves.
#[inline]
pub fn put_leaf_count(trunk: &mut [u8], count: u32) {
    put_u32(trunk, LEAF_COUNT_AT, count);
}

/// The leaf at `index`, which must be less than [`max_leaves`]; `None` if the file has 0 there.
#[inline]
pub fn leaf(trunk: &[u8], index: u32) -> Option<PageNo> {
    PageNo::new(at_u32(trunk, LEAVES_AT + 4 * index as usize))
}

/// Stores the leaf at `index`.
#[inline]
pub fn put_leaf(trunk: &mut [u8], index: u32, leaf: PageNo) {
    put_u32(trunk, LEAVES_AT + 4 * index as usize, leaf.get());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_trunk_fits() {
        for usable in [480u32, 512, 4095, 65536] {
            assert!(LEAVES_AT + 4 * max_leaves(usable) as usize <= usable as usize);
            let mut page = vec![0; usable as usize];
            let last = max_leaves(usable) - 1;
            put_leaf(&mut page, last, PageNo::FIRST);
            put_leaf_count(&mut page, last + 1);
            put_next(&mut page, PageNo::new(9));
            assert_eq!(leaf(&page, last), Some(PageNo::FIRST));
            assert_eq!(leaf(&page, 0), None);
            assert_eq!((leaf_count(&page), next(&page)), (last + 1, PageNo::new(9)));
        }
    }
}
