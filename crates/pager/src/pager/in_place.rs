//! Writing a page in its place in the dirty set: for the many small changes of a statement to pages that it has written before.
//!
//! ```text
//!   write ─────────────► PageMut       takes the bytes out of their slot and puts them back: other pages can be read and written meanwhile
//!   write_in_place ────► PageInPlace   the bytes stay in their slot: until it is dropped, the pager cannot be called
//! ```
//!
//! A page is ready for that if it is in the dirty set, its version before is saved for the newest savepoint, and nobody but the caller
//! holds it. [`Pager::make_ready`] makes it ready.

use std::cell::RefMut;
use std::fmt;
use std::ops::{Deref, DerefMut};

use lithe_format::PageNo;

use crate::dirty::SlotId;
use crate::page_ref::{BytesInPlace, PageRef};
use crate::write_txn::WriteTxn;

/// A page being written in its place. While it lives, the pager must not be called.
pub struct PageInPlace<'p> {
    bytes: BytesInPlace<'p>,
    memo: RefMut<'p, u32>,
    no: PageNo,
}

impl<'p> PageInPlace<'p> {
    /// The page `no`, which is in slot `id` of the dirty set, if the version before is saved, and nobody but `held` has a reference to the
    /// page.
    #[inline(always)]
    pub(super) fn of_slot(
        txn: RefMut<'p, WriteTxn>,
        id: SlotId,
        no: PageNo,
        held: Option<&'p mut PageRef>,
    ) -> Option<PageInPlace<'p>> {
        if !txn.savepoints.has_saved(txn.dirty.slot(id)) {
            return None;
        }
        let (bytes, memo) = RefMut::map_split(txn, |txn| {
            let slot = txn.dirty.slot_mut(id);
            slot.touch();
            slot.unfinish();
            (slot.bytes.as_mut().expect("a page is not written twice at once"), &mut slot.memo)
        });
        Some(PageInPlace { bytes: BytesInPlace::new(bytes, held)?, memo, no })
    }

    /// The number of the page.
    #[inline]
    pub fn no(&self) -> PageNo {
        self.no
    }

    /// See [`crate::PageMut::memo`].
    #[inline]
    pub fn memo(&self) -> u32 {
        *self.memo
    }

    /// Leaves a memo for the next writer.
    #[inline]
    pub fn set_memo(&mut self, memo: u32) {
        *self.memo = memo;
    }

    /// Ends the writing, and answers the page as it is now.
    #[inline]
    pub fn share(self) -> PageRef {
        self.bytes.share()
    }
}

impl Deref for PageInPlace<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for PageInPlace<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl fmt::Debug for PageInPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageInPlace({}, {} bytes)", self.no, self.len())
    }
}
