//! Whether the cells and freeblocks of a page cover its content area, each byte once.

use super::{Check, Place};
use lithe_format::btree_page::{Freeblock, PageHeader};

/// A range of bytes on a page, its last byte included.
pub(super) type Stretch = (usize, usize);

impl Check<'_> {
    /// Checks that `used`, the cells, and the freeblocks of the page do not overlap, and that the bytes
    /// between them are the fragments that the header counts.
    pub(super) fn check_coverage(&mut self, no: u32, page: &[u8], header: &PageHeader, mut used: Vec<Stretch>) {
        self.place = Place::Database;
        let mut at = usize::from(header.first_freeblock);
        while at != 0 {
            let Some(block) = Freeblock::read(page, at) else { return };
            used.push((at, (at + usize::from(block.size)).saturating_sub(1)));
            at = usize::from(block.next);
        }
        used.sort_unstable();
        let mut free_from = header.content_at as usize;
        let mut fragments = 0;
        let mut used = used.into_iter();
        for (first, last) in used.by_ref() {
            if first < free_from {
                self.say(format_args!("Multiple uses for byte {first} of page {no}"));
                break;
            }
            fragments += first - free_from;
            free_from = last + 1;
        }
        if used.next().is_some() {
            return; // the stretches after an overlap would be counted wrong; SQLite ends here too
        }
        fragments += self.usable.saturating_sub(free_from);
        if fragments != usize::from(header.fragmented) {
            let counted = header.fragmented;
            self.say(format_args!("Fragmentation of {fragments} bytes reported as {counted} on page {no}"));
        }
    }
}
