//! The dirty set: the private copies of the pages that a transaction has written.
//!
//! Slots never move while the transaction lasts, so a page being written is put back by its number.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;
use lithe_format::PageNo;

use crate::page_ref::UniquePage;

/// Which slot of the dirty set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotId(u32);

/// The memo of a page of whose bytes nothing is known.
pub(crate) const NO_MEMO: u32 = 0;

/// A page that was written.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) no: PageNo,
    /// Its newest bytes; `None` while a [`crate::PageMut`] has them, or in an unused slot.
    pub(crate) bytes: Option<Arc<[u8]>>,
    /// The serial number of the savepoint under which the page came here, or under which its version before was last
    /// saved.
    pub(crate) saved: u64,
    /// What the page's writer knows of these bytes; see [`crate::PageMut::memo`].
    pub(crate) memo: u32,
    /// The page was used since the clock's hand last passed.
    used: Cell<bool>,
    /// The page's writer does not expect to write it again.
    finished: bool,
}

impl Slot {
    #[inline]
    pub(crate) fn touch(&self) {
        self.used.set(true);
    }

    /// Marks a finished page as being written again.
    #[inline]
    pub(crate) fn unfinish(&mut self) {
        self.finished = false;
    }
}

/// The dirty set of one transaction, as far as it is in memory.
#[derive(Debug, Default)]
pub(crate) struct DirtySet {
    slots: Vec<Slot>,
    index: HashMap<PageNo, SlotId, PageHashes>,
    /// Pages that were found last, by page number modulo the length: statements go back to few pages.
    recent: Recent,
    unused: Vec<SlotId>,
    /// The hand of the clock that finds pages to spill.
    hand: usize,
    /// Buffers for reuse.
    spare: Vec<Arc<[u8]>>,
    /// Slots that were finished; a slot may have been written or reused since.
    finished: Vec<SlotId>,
}

/// Buffers that are kept for the next transaction: enough for small ones, little memory.
const SPARE_MAX: usize = 32;

/// Buffers that are kept within a transaction in any case: those of one batch of finished pages, still in the processor's cache.
const SPARE_MIN_WITHIN: usize = 160;

/// The number of finished pages that are spilled at once.
pub(crate) const FINISHED_MAX: usize = 128;

impl DirtySet {
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    #[inline]
    pub(crate) fn find(&self, no: PageNo) -> Option<SlotId> {
        let recent = self.recent.at(no);
        match recent.get() {
            Some((known, id)) if known == no => Some(id),
            _ => {
                let id = self.index.get(&no).copied()?;
                recent.set(Some((no, id)));
                Some(id)
            }
        }
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
        let slot = Slot { no, bytes: Some(bytes), saved, memo: NO_MEMO, used: Cell::new(true), finished: false };
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
        self.recent.at(no).set(Some((no, id)));
        debug_assert_eq!(self.index.len() + self.unused.len(), self.slots.len(), "each slot is used or unused");
        id
    }

    /// Forgets what was written to a page, if the set has the page.
    pub(crate) fn remove(&mut self, no: PageNo) {
        let bytes = self.take(no);
        self.recycle(bytes);
    }

    /// Takes a page out, if the set has it.
    pub(crate) fn take(&mut self, no: PageNo) -> Option<Arc<[u8]>> {
        let id = self.index.remove(&no)?;
        self.recent.at(no).set(None);
        let bytes = self.slot_mut(id).bytes.take();
        assert!(bytes.is_some(), "page {no} is being written");
        debug_assert_eq!(self.slot(id).no, no, "the index leads to the slot of the page");
        self.unused.push(id);
        bytes
    }

    /// Forgets the pages that came, or whose versions before were saved, under the savepoint `serial` or a later one, and
    /// answers which they are.
    pub(crate) fn remove_saved_since(&mut self, serial: u64) -> Vec<PageNo> {
        let since = self.slots.iter().filter(|slot| slot.saved >= serial && slot.bytes.is_some());
        let since: Vec<PageNo> = since.map(|slot| slot.no).collect();
        since.iter().for_each(|no| self.remove(*no));
        since
    }

    /// Marks a page as finished; answers how many finished pages there are now.
    pub(crate) fn finish(&mut self, id: SlotId) -> usize {
        let slot = self.slot_mut(id);
        if !std::mem::replace(&mut slot.finished, true) {
            self.finished.push(id);
        }
        self.finished.len()
    }

    /// Takes the finished pages that were not written since, by number. Their marks are cleared.
    pub(crate) fn take_finished(&mut self) -> Vec<SlotId> {
        let mut finished = std::mem::take(&mut self.finished);
        finished.retain(|&id| {
            let slot = self.slot_mut(id);
            std::mem::take(&mut slot.finished) && slot.bytes.is_some()
        });
        finished.sort_unstable_by_key(|&id| self.slot(id).no);
        finished
    }

    /// Up to `count` pages that were not used for a while, by number.
    pub(crate) fn coldest(&mut self, count: usize) -> Vec<SlotId> {
        let mut found = Vec::with_capacity(count);
        // Two rounds: in the first, pages in use are skipped and lose their mark.
        for _ in 0..2 * self.slots.len() {
            if found.len() == count {
                break;
            }
            self.hand = (self.hand + 1) % self.slots.len();
            let slot = &self.slots[self.hand];
            if slot.bytes.is_some() && !slot.used.replace(false) {
                found.push(SlotId(self.hand as u32));
            }
        }
        found.sort_unstable_by_key(|&id| self.slot(id).no);
        found.dedup();
        found
    }

    /// A copy of the page.
    pub(crate) fn copy(&mut self, page: &[u8]) -> UniquePage {
        match self.take_spare(page.len()) {
            Some(mut copy) => {
                copy.copy_from_slice(page);
                copy
            }
            None => UniquePage::copy_of(page),
        }
    }

    /// A buffer with the bytes of `like`, except that the range `without` has arbitrary content.
    pub(crate) fn buffer_but(&mut self, like: &[u8], without: Range<usize>) -> Arc<[u8]> {
        assert!(without.start <= without.end && without.end <= like.len(), "a part of the page is left out");
        let mut page = self.blank(like.len());
        page[..without.start].copy_from_slice(&like[..without.start]);
        page[without.end..].copy_from_slice(&like[without.end..]);
        page.into_shared()
    }

    /// A buffer of `len` zeros.
    pub(crate) fn zeroed(&mut self, len: usize) -> Arc<[u8]> {
        match self.take_spare(len) {
            Some(mut page) => {
                page.fill(0);
                page.into_shared()
            }
            None => zeros(len),
        }
    }

    /// A buffer of `len` bytes of arbitrary content.
    pub(crate) fn blank(&mut self, len: usize) -> UniquePage {
        self.take_spare(len).unwrap_or_else(|| UniquePage::copy_of(&ZEROS[..len]))
    }

    fn take_spare(&mut self, len: usize) -> Option<UniquePage> {
        let bytes = self.spare.pop()?;
        if bytes.len() != len {
            self.spare.clear();
            return None;
        }
        UniquePage::new(bytes).ok()
    }

    /// Keeps a buffer for reuse, if this was its only reference. Of a batch of pages that is spilled all buffers are kept,
    /// because the next pages need as many.
    pub(crate) fn recycle(&mut self, bytes: Option<Arc<[u8]>>) {
        if let Some(bytes) = bytes
            && self.spare.len() < SPARE_MIN_WITHIN.max(self.len() / 2)
            && Arc::strong_count(&bytes) == 1
        {
            self.spare.push(bytes);
        }
    }

    /// All dirty pages, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (PageNo, &Arc<[u8]>)> {
        debug_assert_eq!(
            self.slots.iter().filter(|slot| slot.bytes.is_some()).count(),
            self.len(),
            "no page is being written"
        );
        self.slots.iter().filter_map(|slot| Some((slot.no, slot.bytes.as_ref()?)))
    }

    /// Empties the set and hands out what was in it.
    pub(crate) fn drain(&mut self, mut to: impl FnMut(PageNo, Arc<[u8]>) -> Option<Arc<[u8]>>) {
        self.index.clear();
        self.recent.forget(&self.slots);
        self.unused.clear();
        self.finished.clear();
        self.hand = 0;
        let mut slots = std::mem::take(&mut self.slots);
        for slot in slots.drain(..) {
            // A slot without bytes is unused.
            if let Some(bytes) = slot.bytes {
                let left = to(slot.no, bytes);
                self.recycle(left);
            }
        }
        self.slots = slots;
        self.spare.truncate(SPARE_MAX);
        assert!(self.index.is_empty() && self.slots.is_empty(), "a set that was emptied has pages");
    }
}

/// Slots of pages that were found last.
#[derive(Debug, Default)]
struct Recent([Cell<Option<(PageNo, SlotId)>>; RECENT_COUNT]);

const RECENT_COUNT: usize = 32;

impl Recent {
    /// The entry for page `no`.
    #[inline]
    fn at(&self, no: PageNo) -> &Cell<Option<(PageNo, SlotId)>> {
        &self.0[no.index() % RECENT_COUNT]
    }

    /// Forgets all pages, which are in `slots`.
    fn forget(&mut self, slots: &[Slot]) {
        if slots.len() < RECENT_COUNT / 2 {
            slots.iter().for_each(|slot| self.at(slot.no).set(None));
        } else {
            *self = Recent::default();
        }
    }
}

static ZEROS: [u8; 65536] = [0; 65536];

/// A new buffer of zeros.
pub(crate) fn zeros(len: usize) -> Arc<[u8]> {
    Arc::from(&ZEROS[..len])
}

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
