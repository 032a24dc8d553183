//! The dirty set: the private copies of the pages that a transaction has written.
//!
//! Slots never move while the transaction lasts, so a page being written is put back by its number.

use std::sync::Arc;

use hashbrown::HashMap;
use lithe_format::PageNo;

use crate::page_ref::UniquePage;

/// Which slot of the dirty set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotId(u32);

/// A page that was written.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) no: PageNo,
    /// Its newest bytes; `None` while a [`crate::PageMut`] has them, or in an unused slot.
    pub(crate) bytes: Option<Arc<[u8]>>,
    /// The serial number of the savepoint under which the version before was put aside.
    pub(crate) saved: u64,
}

/// The dirty set of one transaction.
#[derive(Debug, Default)]
pub(crate) struct DirtySet {
    slots: Vec<Slot>,
    index: HashMap<PageNo, SlotId, PageHashes>,
    unused: Vec<SlotId>,
    /// Buffers to be used again.
    spare: Vec<Arc<[u8]>>,
}

/// Buffers that are kept for the next transaction: enough for small ones, little memory.
const SPARE_MAX: usize = 32;

impl DirtySet {
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    #[inline]
    pub(crate) fn find(&self, no: PageNo) -> Option<SlotId> {
        self.index.get(&no).copied()
    }

    #[inline]
    pub(crate) fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id.0 as usize]
    }

    #[inline]
    pub(crate) fn slot_mut(&mut self, id: SlotId) -> &mut Slot {
        &mut self.slots[id.0 as usize]
    }

    pub(crate) fn insert(&mut self, no: PageNo, bytes: Arc<[u8]>, saved: u64) -> SlotId {
        let slot = Slot { no, bytes: Some(bytes), saved };
        let id = match self.unused.pop() {
            Some(id) => {
                *self.slot_mut(id) = slot;
                id
            }
            None => {
                self.slots.push(slot);
                SlotId(self.slots.len() as u32 - 1)
            }
        };
        let before = self.index.insert(no, id);
        assert!(before.is_none(), "page {no} is in the dirty set already");
        id
    }

    /// Forgets what was written to a page.
    pub(crate) fn remove(&mut self, no: PageNo) {
        let id = self.index.remove(&no).expect("the page is in the dirty set");
        let bytes = self.slot_mut(id).bytes.take();
        assert!(bytes.is_some(), "page {no} is being written");
        self.recycle(bytes);
        self.unused.push(id);
    }

    /// A buffer of `len` bytes for a copy: `like`, or zeros.
    pub(crate) fn buffer(&mut self, like: &[u8]) -> Arc<[u8]> {
        match self.take_spare(like.len()) {
            Some(mut page) => {
                page.copy_from_slice(like);
                page.into_shared()
            }
            None => Arc::from(like),
        }
    }

    /// A buffer of `len` zeros.
    pub(crate) fn zeroed(&mut self, len: usize) -> Arc<[u8]> {
        match self.take_spare(len) {
            Some(mut page) => {
                page.fill(0);
                page.into_shared()
            }
            None => Arc::from(&ZEROS[..len]),
        }
    }

    fn take_spare(&mut self, len: usize) -> Option<UniquePage> {
        let bytes = self.spare.pop()?;
        if bytes.len() != len {
            self.spare.clear();
            return None;
        }
        UniquePage::new(bytes).ok()
    }

    /// Keeps a buffer that is not needed any more, if nobody refers to it.
    pub(crate) fn recycle(&mut self, bytes: Option<Arc<[u8]>>) {
        if let Some(bytes) = bytes
            && self.spare.len() < SPARE_MAX
            && Arc::strong_count(&bytes) == 1
        {
            self.spare.push(bytes);
        }
    }

    /// All pages in it, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (PageNo, &Arc<[u8]>)> {
        self.index.values().map(|&id| {
            let slot = self.slot(id);
            (slot.no, slot.bytes.as_ref().expect("no page is being written"))
        })
    }

    /// Empties the set and hands out what was in it.
    pub(crate) fn drain(&mut self, mut to: impl FnMut(PageNo, Arc<[u8]>) -> Option<Arc<[u8]>>) {
        self.index.clear();
        self.unused.clear();
        let slots = std::mem::take(&mut self.slots);
        for slot in slots {
            // A slot without bytes is unused.
            if let Some(bytes) = slot.bytes {
                let left = to(slot.no, bytes);
                self.recycle(left);
            }
        }
    }
}

static ZEROS: [u8; 65536] = [0; 65536];

/// Page numbers are small and often consecutive: one multiplication spreads them over all bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PageHashes;

impl std::hash::BuildHasher for PageHashes {
    type Hasher = PageHasher;
    fn build_hasher(&self) -> PageHasher {
        PageHasher(0)
    }
}

/// See [`PageHashes`].
pub(crate) struct PageHasher(u64);

impl std::hash::Hasher for PageHasher {
    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0 ^ u64::from(n)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
