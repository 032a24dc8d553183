//! A page that is read, wherever its bytes are: in the mapping of a file, or in memory of our own.
//!
//! ```text
//!   0            8       12      16
//!   | data       | len   | epoch |
//! ```
//!
//! `epoch` says who keeps the bytes alive: 0 for an `Arc<[u8]>`, of which the reference is one count;
//! otherwise nobody, because mapped address space is never unmapped (see `lithe_vfs::Mapping`), and the
//! number tells for how long the bytes are what they were ([`crate::Pager::is_intact`]). Reading is
//! the same either way, without a branch.
//!
//! This is the one unsafe room of the crate. What it relies on:
//! * a mapped page lies within the file at the time of the snapshot it belongs to, which whoever
//!   makes a [`MappedFile`] has checked;
//! * its bytes stand still while the lock of that snapshot is held: all writers of all processes
//!   keep to the locks, and our own writes to a mapped file happen at commit, in rollback mode only.
//!   There, a reference that outlives the commit sees new bytes ([`crate::Pager::borrows_are_stable`]
//!   tells), as it would through any mapping that another process writes to.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use lithe_vfs::Mapping;

/// A page that is read. Cloning is a copy of the reference, and for private pages a count.
pub struct PageRef {
    data: NonNull<u8>,
    len: u32,
    epoch: u32,
}

/// The epoch of private bytes, which stay what they are.
const OWNED: u32 = 0;

const _: () = assert!(size_of::<PageRef>() == 16);
const _: () = assert!(size_of::<Option<PageRef>>() == 16);

// SAFETY: shared, immutable bytes; counts are atomic.
unsafe impl Send for PageRef {}
// SAFETY: as above.
unsafe impl Sync for PageRef {}

impl PageRef {
    /// A reference to private bytes.
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

    /// Whether this refers to the private bytes `bytes`.
    pub(crate) fn is_of(&self, bytes: &[u8]) -> bool {
        self.data.as_ptr().cast_const() == bytes.as_ptr()
    }

    /// Whether the bytes are still what they were, given that mapped ones were in `epoch`.
    #[inline]
    pub(crate) fn is_intact_in(&self, epoch: Epoch) -> bool {
        self.epoch == OWNED || self.epoch == epoch.0
    }

    fn as_slice_ptr(&self) -> *const [u8] {
        std::ptr::slice_from_raw_parts(self.data.as_ptr(), self.len as usize)
    }
}

impl Deref for PageRef {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
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

/// A time in which mapped bytes stand still. It ends with the lock that keeps others from changing
/// them, and with a commit of our own that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch(u32);

impl Epoch {
    pub(crate) const FIRST: Epoch = Epoch(1);

    /// The time after.
    pub(crate) fn next(self) -> Epoch {
        Epoch(self.0.checked_add(1).unwrap_or(1))
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

    /// The first `file_size` bytes of a mapped file: its size when it was looked at, under a lock
    /// that keeps it from shrinking.
    pub(crate) fn new(mapping: &Mapping, file_size: u64) -> MappedFile {
        let valid = usize::try_from(file_size).unwrap_or(usize::MAX).min(mapping.len());
        MappedFile { base: mapping.base(), valid }
    }

    /// How many bytes may be touched.
    #[inline]
    pub(crate) fn valid(&self) -> usize {
        self.valid
    }

    /// The page of `len` bytes at `offset`, which must end within the valid part.
    #[inline]
    pub(crate) fn page(&self, offset: usize, len: u32, epoch: Epoch) -> PageRef {
        debug_assert!(offset + len as usize <= self.valid, "page outside the mapped file");
        // SAFETY: within the reservation, by the caller's check against `valid`.
        PageRef { data: unsafe { self.base.add(offset) }, len, epoch: epoch.0 }
    }

    /// A stretch of the file. The caller bounds the lifetime by the transaction's.
    #[inline]
    pub(crate) fn bytes<'a>(self, offset: usize, len: usize) -> &'a [u8] {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.valid), "bytes outside the mapped file");
        // SAFETY: within the valid part; the module's docs say why the bytes stand still.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().add(offset), len) }
    }
}

/// Private bytes that nobody else refers to: a page being written.
pub(crate) struct UniquePage {
    bytes: Arc<[u8]>,
    /// The bytes, without asking the Arc each time whether it is still alone.
    data: NonNull<u8>,
}

impl UniquePage {
    /// Takes `bytes` if it is the only reference to them.
    pub(crate) fn new(mut bytes: Arc<[u8]>) -> Result<UniquePage, Arc<[u8]>> {
        match Arc::get_mut(&mut bytes) {
            Some(alone) => {
                let data = NonNull::from(alone).cast();
                Ok(UniquePage { bytes, data })
            }
            None => Err(bytes),
        }
    }

    /// The bytes, to be shared again.
    pub(crate) fn into_shared(self) -> Arc<[u8]> {
        self.bytes
    }
}

impl Deref for UniquePage {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for UniquePage {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: `data` came from the Arc when it was alone, and no clone was handed out since.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.bytes.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
