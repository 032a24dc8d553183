//! A page that is read: in the mapping of a file, or in a buffer.
//!
//! ```text
//!   0            8       12      16
//!   | data       | len   | epoch |
//! ```
//!
//! `epoch` says what keeps the bytes alive. 0 is an `Arc<[u8]>`, of which the reference is one count. Any other number
//! is a mapping, which is never unmapped (see `lithe_vfs::Mapping`); the number tells how long the bytes stay unchanged
//! ([`crate::Pager::is_intact`]). Reading is the same either way, without a branch.
//!
//! This is the one unsafe module of the crate. What it relies on:
//! * a mapped page lies within the file at the time of the snapshot it belongs to, which the
//!   maker of a [`MappedFile`] has checked;
//! * its bytes do not change while the lock of that snapshot is held: all writers of all processes keep to the locks,
//!   and this pager writes to a mapped file only at commit, in rollback mode. Before that, the holder of a reference
//!   copies the page (see `page_holders`);
//! * no reference to a mapped page is read after the end of its epoch. With debug assertions, such a read panics.
#![allow(unsafe_code)]

use std::cell::RefMut;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use lithe_vfs::Mapping;

/// A page that is read. Cloning copies the reference, and for private pages increments the count.
pub struct PageRef {
    data: NonNull<u8>,
    len: u32,
    epoch: u32,
}

/// The epoch of private bytes, which never change.
const OWNED: u32 = 0;

const _: () = assert!(size_of::<PageRef>() == 16);
const _: () = assert!(size_of::<Option<PageRef>>() == 16);

// SAFETY: shared, immutable bytes; counts are atomic.
unsafe impl Send for PageRef {}
// SAFETY: as above.
unsafe impl Sync for PageRef {}

impl PageRef {
    /// A reference to private bytes.
    #[inline]
    pub(crate) fn from_arc(bytes: Arc<[u8]>) -> PageRef {
        let len = bytes.len() as u32;
        let data = NonNull::new(Arc::into_raw(bytes).cast_mut().cast::<u8>()).expect("an Arc is not null");
        PageRef { data, len, epoch: OWNED }
    }

    /// Whether both are the same bytes at the same place.
    #[inline]
    pub fn is_same(&self, other: &PageRef) -> bool {
        self.data == other.data
    }

    /// Whether this reference is to the private bytes `bytes`.
    pub(crate) fn is_of(&self, bytes: &[u8]) -> bool {
        self.data.as_ptr().cast_const() == bytes.as_ptr()
    }

    /// Whether the bytes are unchanged, given that mapped bytes are in `epoch`.
    #[inline]
    pub(crate) fn is_intact_in(&self, epoch: Epoch) -> bool {
        self.epoch == OWNED || self.epoch == epoch.0
    }

    /// Becomes a reference to a private copy, unless it is private already.
    pub(crate) fn own(&mut self) {
        if self.epoch != OWNED {
            *self = PageRef::from_arc(Arc::from(&**self));
        }
    }

    #[inline]
    fn as_slice_ptr(&self) -> *const [u8] {
        std::ptr::slice_from_raw_parts(self.data.as_ptr(), self.len as usize)
    }
}

impl Deref for PageRef {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        #[cfg(debug_assertions)]
        live::assert_live(self.epoch);
        // SAFETY: owned: we are a count of the Arc. Mapped: the module's docs.
        unsafe { &*self.as_slice_ptr() }
    }
}

impl AsRef<[u8]> for PageRef {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Clone for PageRef {
    #[inline]
    fn clone(&self) -> PageRef {
        if self.epoch == OWNED {
            // SAFETY: the pointer is from `Arc::into_raw` and we are one of its counts.
            unsafe { Arc::increment_strong_count(self.as_slice_ptr()) };
        }
        PageRef { ..*self }
    }
}

impl Drop for PageRef {
    #[inline]
    fn drop(&mut self) {
        if self.epoch == OWNED {
            // SAFETY: the pointer is from `Arc::into_raw`, and this count ends here.
            unsafe { Arc::decrement_strong_count(self.as_slice_ptr()) };
        }
    }
}

impl fmt::Debug for PageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.epoch == OWNED { "private" } else { "mapped" };
        write!(f, "PageRef({kind}, {} bytes at {:p})", self.len, self.data)
    }
}

/// A time in which mapped bytes do not change. It ends with the lock that keeps other connections from changing them,
/// and with a commit of this connection that changes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch(u32);

impl Epoch {
    /// The epoch of references that do not outlive the call that makes them.
    pub(crate) const OF_ONE_CALL: Epoch = Epoch(1);

    /// The epoch of a pager that has read nothing yet.
    pub(crate) fn first() -> Epoch {
        #[cfg(debug_assertions)]
        return Epoch(live::begin());
        #[cfg(not(debug_assertions))]
        Epoch::OF_ONE_CALL
    }

    /// Ends this epoch; the next one begins now.
    pub(crate) fn next(self) -> Epoch {
        #[cfg(debug_assertions)]
        {
            live::end(self.0);
            Epoch(live::begin())
        }
        #[cfg(not(debug_assertions))]
        Epoch(self.0.checked_add(1).unwrap_or(1))
    }
}

/// Which epochs have not ended, of all pagers: for assertions only.
#[cfg(debug_assertions)]
mod live {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    use super::{Epoch, OWNED};

    /// Epochs this far apart share a bit: an epoch that ended long ago may pass for a live one.
    const BITS: usize = 1 << 16;

    static NEXT: AtomicU32 = AtomicU32::new(2);
    static LIVE: [AtomicU64; BITS / 64] = [const { AtomicU64::new(0) }; BITS / 64];

    fn place(epoch: u32) -> (&'static AtomicU64, u64) {
        let index = epoch as usize % BITS;
        (&LIVE[index / 64], 1 << (index % 64))
    }

    pub(super) fn begin() -> u32 {
        let mut epoch = OWNED;
        while epoch == OWNED || epoch == Epoch::OF_ONE_CALL.0 {
            epoch = NEXT.fetch_add(1, Ordering::Relaxed);
        }
        let (word, bit) = place(epoch);
        word.fetch_or(bit, Ordering::Relaxed);
        epoch
    }

    pub(super) fn end(epoch: u32) {
        let (word, bit) = place(epoch);
        word.fetch_and(!bit, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn assert_live(epoch: u32) {
        let (word, bit) = place(epoch);
        let is_live = epoch == OWNED || epoch == Epoch::OF_ONE_CALL.0 || word.load(Ordering::Relaxed) & bit != 0;
        assert!(is_live, "a mapped page is looked at after its time");
    }
}

/// The part of a mapped file that may be touched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedFile {
    base: NonNull<u8>,
    /// Bytes from the base on that the file has.
    valid: usize,
}

// SAFETY: an address in space that is never unmapped; the bytes are read only.
unsafe impl Send for MappedFile {}
// SAFETY: as above.
unsafe impl Sync for MappedFile {}

impl MappedFile {
    /// Nothing.
    pub(crate) const NONE: MappedFile = MappedFile { base: NonNull::dangling(), valid: 0 };

    /// The first `file_size` bytes of a mapped file: its size when it was read, under a lock that keeps the file from
    /// shrinking.
    pub(crate) fn new(mapping: &Mapping, file_size: u64) -> MappedFile {
        let valid = usize::try_from(file_size).unwrap_or(usize::MAX).min(mapping.len());
        MappedFile { base: mapping.base(), valid }
    }

    /// How many bytes may be touched.
    #[inline]
    pub(crate) fn valid(&self) -> usize {
        self.valid
    }

    /// The `len` bytes at `offset`, a page or several, which must be within the valid part.
    #[inline]
    pub(crate) fn page(&self, offset: usize, len: u32, epoch: Epoch) -> PageRef {
        assert!(self.has(offset, len as usize), "a page outside the mapped file");
        // SAFETY: within the reservation, as was just checked.
        PageRef { data: unsafe { self.base.add(offset) }, len, epoch: epoch.0 }
    }

    /// Copies the bytes at `offset`, which must be within the valid part.
    pub(crate) fn read(&self, offset: usize, buf: &mut [u8]) {
        assert!(self.has(offset, buf.len()), "bytes outside the mapped file");
        // SAFETY: within the valid part, as was just checked; `buf` is memory of our own.
        unsafe { std::ptr::copy_nonoverlapping(self.base.as_ptr().add(offset), buf.as_mut_ptr(), buf.len()) }
    }

    #[inline]
    fn has(&self, offset: usize, len: usize) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.valid)
    }
}

/// Private bytes with no other reference: a page being written.
pub(crate) struct UniquePage {
    /// The bytes of an Arc with one count, from `Arc::into_raw`, so that no access has to check the count again; of length 0 once they are
    /// shared again.
    data: NonNull<[u8]>,
}

impl UniquePage {
    /// Takes `bytes` if it is the only reference to them.
    #[inline]
    pub(crate) fn new(mut bytes: Arc<[u8]>) -> Result<UniquePage, Arc<[u8]>> {
        if Arc::get_mut(&mut bytes).is_none() {
            return Err(bytes);
        }
        assert!(!bytes.is_empty(), "a page has bytes");
        let data = NonNull::new(Arc::into_raw(bytes).cast_mut()).expect("an Arc is not null");
        Ok(UniquePage { data })
    }

    /// A new page with these bytes.
    pub(crate) fn copy_of(bytes: &[u8]) -> UniquePage {
        UniquePage::new(Arc::from(bytes)).unwrap_or_else(|_| unreachable!("a new buffer has one owner"))
    }

    /// The bytes, to be shared again.
    pub(crate) fn into_shared(mut self) -> Arc<[u8]> {
        self.take_shared().expect("a page is shared again once")
    }

    /// The bytes, to be shared again: an empty page remains. `None` if they were taken before.
    #[inline]
    pub(crate) fn take_shared(&mut self) -> Option<Arc<[u8]>> {
        let data = std::mem::replace(&mut self.data, NonNull::from(&mut []));
        // SAFETY: bytes that are not of length 0 are from `Arc::into_raw`, and this count has not been given up before.
        (!data.is_empty()).then(|| unsafe { Arc::from_raw(data.as_ptr().cast_const()) })
    }
}

impl Drop for UniquePage {
    #[inline]
    fn drop(&mut self) {
        drop(self.take_shared());
    }
}

impl Deref for UniquePage {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: as below, and a slice of length 0 may be read anywhere.
        unsafe { self.data.as_ref() }
    }
}

impl DerefMut for UniquePage {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the bytes of an Arc that was alone, of which no clone was handed out since; or no bytes.
        unsafe { self.data.as_mut() }
    }
}

/// Private bytes that are written where they are. All references to them are borrowed meanwhile: an Arc, and a page reference if there is
/// one.
pub(crate) struct BytesInPlace<'a> {
    data: NonNull<[u8]>,
    bytes: RefMut<'a, Arc<[u8]>>,
    held: PhantomData<&'a mut PageRef>,
}

impl<'a> BytesInPlace<'a> {
    /// The bytes of `bytes`, to which `held` may be a reference, too. `None` if there is any other reference to them.
    #[inline(always)]
    pub(crate) fn new(bytes: RefMut<'a, Arc<[u8]>>, held: Option<&'a mut PageRef>) -> Option<BytesInPlace<'a>> {
        let references = match held {
            Some(page) if page.epoch == OWNED && page.is_of(&bytes) => 2,
            Some(_) => return None,
            None => 1,
        };
        if Arc::strong_count(&bytes) != references || Arc::weak_count(&bytes) != 0 {
            return None;
        }
        // Other threads may have read the bytes before they gave their references up.
        fence(Ordering::Acquire);
        let data = NonNull::new(Arc::as_ptr(&bytes).cast_mut()).expect("an Arc is not null");
        Some(BytesInPlace { data, bytes, held: PhantomData })
    }

    /// Ends the writing, and answers a reference to the bytes.
    pub(crate) fn share(self) -> PageRef {
        PageRef::from_arc(Arc::clone(&self.bytes))
    }
}

impl Deref for BytesInPlace<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: as below.
        unsafe { self.data.as_ref() }
    }
}

impl DerefMut for BytesInPlace<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the bytes of an Arc whose references, one or two, are all borrowed mutably by `self`: none is read, cloned or dropped
        // before `self` is. There is no weak reference either, from which another could be made.
        unsafe { self.data.as_mut() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn private_pages_are_counted() {
        let bytes: Arc<[u8]> = Arc::from(&[1u8, 2, 3][..]);
        let page = PageRef::from_arc(bytes.clone());
        let other = page.clone();
        assert_eq!(Arc::strong_count(&bytes), 3);
        assert_eq!(&other[..], &[1, 2, 3]);
        assert!(page.is_same(&other) && page.is_of(&bytes));
        drop((page, other));
        assert_eq!(Arc::strong_count(&bytes), 1);
    }

    #[test]
    fn bytes_in_place_have_no_other_reference() {
        let slot = RefCell::new(Arc::<[u8]>::from(&[1u8, 2, 3][..]));
        let write = |held: Option<&mut PageRef>, byte: u8| {
            let Some(mut bytes) = BytesInPlace::new(slot.borrow_mut(), held) else { return false };
            bytes[1] = byte;
            assert_eq!(bytes[..], [1, byte, 3]);
            true
        };
        assert!(write(None, 7));
        let mut page = PageRef::from_arc(slot.borrow().clone());
        assert!(!write(None, 8));
        assert!(write(Some(&mut page), 9));
        let mut other = page.clone();
        assert!(!write(Some(&mut other), 10));
        assert_eq!((&page[..], &other[..]), (&[1, 9, 3][..], &[1, 9, 3][..]));
        drop(other);
        let weak = Arc::downgrade(&slot.borrow());
        assert!(!write(Some(&mut page), 11));
        drop(weak);
        let mut foreign = PageRef::from_arc(Arc::from(&[1u8, 2, 3][..]));
        assert!(!write(Some(&mut foreign), 12));
        drop(page);
        assert!(write(None, 13));
        let shared = BytesInPlace::new(slot.borrow_mut(), None).unwrap().share();
        assert_eq!(&shared[..], [1, 13, 3]);
    }

    #[test]
    fn unique_pages_are_unique() {
        let bytes: Arc<[u8]> = Arc::from(&[0u8; 4][..]);
        let page = PageRef::from_arc(bytes.clone());
        let bytes = UniquePage::new(bytes).err().unwrap();
        drop(page);
        let mut unique = UniquePage::new(bytes).ok().unwrap();
        unique[3] = 7;
        assert_eq!(&unique.into_shared()[..], &[0, 0, 0, 7]);
    }
}
