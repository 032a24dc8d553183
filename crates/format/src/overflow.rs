//! An overflow page: the number of the next one, then payload.
//!
//! ```text
//!   0                4                                    usable size
//!   | next page, 0   | content ...                        | reserved |
//!   | on the last    |
//! ```

use crate::PageNo;
use crate::bytes::{at_u32, put_u32};

/// Offset of the number of the next overflow page.
pub const NEXT_AT: usize = 0;
/// Offset of the content.
pub const CONTENT_AT: usize = 4;
/// Length of the number of the first overflow page, at the end of a cell.
pub const POINTER_LEN: usize = 4;

const _: () = assert!(NEXT_AT + POINTER_LEN == CONTENT_AT);

/// The page after this one.
#[inline]
pub fn next(page: &[u8]) -> Option<PageNo> {
    PageNo::new(at_u32(page, NEXT_AT))
}

/// Links this page to the next.
#[inline]
pub fn put_next(page: &mut [u8], next: Option<PageNo>) {
    put_u32(page, NEXT_AT, next.map_or(0, PageNo::get));
}
