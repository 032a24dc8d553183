//! Small blocks that a thread has freed, kept for its next allocations.
//!
//! ```text
//!   class      0    1    2  ...  31
//!   bytes     16   32   48      512       a request is rounded up to its class
//!   free       |    |    |        |
//!            block block ...              the first one of a list: | next | how many |
//! ```
//!
//! Preparing a statement allocates and frees about eighty blocks, nearly all of them small, and the system's allocator
//! takes 40 to 250 instructions for a pair of calls. Here such a pair takes 45. Blocks for the application come from
//! the system, so that tools that watch memory see them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

const ALIGN: usize = 16;
const CLASSES: usize = 32;

/// The most bytes that a list keeps.
const LIST_BYTES_MAX: usize = 8 * 1024;

/// The first bytes of a free block.
struct Free {
    next: AtomicPtr<Free>,
    /// The blocks of the list, this one included.
    count: AtomicUsize,
}

const _: () = assert!(size_of::<Free>() <= ALIGN && align_of::<Free>() <= ALIGN);

/// The free blocks of one thread. No other thread reads them while it lives; a later thread that gets the same slot may
/// find them. So everything is read and written atomically, which costs nothing.
pub(crate) struct SmallBlocks {
    lists: [AtomicPtr<Free>; CLASSES],
}

/// The class of a block, if it is small.
#[inline(always)]
pub(crate) fn class(layout: Layout) -> Option<Class> {
    let is_small = layout.size() <= ALIGN * CLASSES && layout.align() <= ALIGN;
    is_small.then(|| Class(layout.size().saturating_sub(1) / ALIGN))
}

/// A size class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class(usize);

impl Class {
    #[inline(always)]
    fn bytes(self) -> usize {
        (self.0 + 1) * ALIGN
    }

    #[inline(always)]
    fn layout(self) -> Layout {
        // SAFETY: the alignment is a power of two, and the size is small.
        unsafe { Layout::from_size_align_unchecked(self.bytes(), ALIGN) }
    }

    /// A new block of the class.
    ///
    /// # Safety
    /// It is freed by [`Class::free`], or kept by [`SmallBlocks::put`].
    pub(crate) unsafe fn alloc(self) -> *mut u8 {
        // SAFETY: the layout has a size.
        unsafe { System.alloc(self.layout()) }
    }

    /// Returns a block to the system.
    ///
    /// # Safety
    /// The block is of this class and is not used any more.
    pub(crate) unsafe fn free(self, block: *mut u8) {
        // SAFETY: our caller's promise.
        unsafe { System.dealloc(block, self.layout()) }
    }
}

impl SmallBlocks {
    pub(crate) const fn new() -> SmallBlocks {
        SmallBlocks { lists: [const { AtomicPtr::new(null_mut()) }; CLASSES] }
    }

    /// A free block of the class; null if there is none.
    ///
    /// # Safety
    /// The lists are the calling thread's. The block is freed by [`Class::free`], or kept by [`SmallBlocks::put`].
    #[inline(always)]
    pub(crate) unsafe fn take(&self, class: Class) -> *mut u8 {
        let list = &self.lists[class.0];
        let first = list.load(Ordering::Relaxed);
        // SAFETY: a list contains free blocks, whose first bytes `put` has written, and no other thread takes them.
        if let Some(free) = unsafe { first.as_ref() } {
            list.store(free.next.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        first.cast()
    }

    /// Keeps a block; false if the list of its class is full.
    ///
    /// # Safety
    /// The lists are the calling thread's. The block is of this class, and is not used any more if the result is true.
    #[inline(always)]
    pub(crate) unsafe fn put(&self, class: Class, block: *mut u8) -> bool {
        let list = &self.lists[class.0];
        let next = list.load(Ordering::Relaxed);
        // SAFETY: as in `take`.
        let count = 1 + unsafe { next.as_ref() }.map_or(0, |free| free.count.load(Ordering::Relaxed));
        if count * class.bytes() > LIST_BYTES_MAX {
            return false;
        }
        let free = block.cast::<Free>();
        // SAFETY: the block is at least as large and as aligned as a `Free`, and is not used any more.
        unsafe { free.write(Free { next: AtomicPtr::new(next), count: AtomicUsize::new(count) }) };
        list.store(free, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let of = |size, align| class(Layout::from_size_align(size, align).unwrap()).map(Class::bytes);
        assert_eq!([1, 16, 17, 512, 513].map(|size| of(size, 8)), [Some(16), Some(16), Some(32), Some(512), None]);
        assert_eq!((of(64, 16), of(64, 32)), (Some(64), None));
    }

    #[test]
    fn the_newest_block_goes_first_and_a_list_has_a_limit() {
        let blocks = SmallBlocks::new();
        let class = class(Layout::new::<[u8; 512]>()).unwrap();
        let limit = LIST_BYTES_MAX / 512;
        // SAFETY: the lists are this thread's, and each block is put, taken and freed once.
        unsafe {
            let made: Vec<*mut u8> = (0..=limit).map(|_| class.alloc()).collect();
            for block in &made[..limit] {
                assert!(blocks.put(class, *block));
            }
            assert!(!blocks.put(class, made[limit]));
            class.free(made[limit]);
            for block in made[..limit].iter().rev() {
                assert_eq!(blocks.take(class), *block);
                class.free(*block);
            }
            assert!(blocks.take(class).is_null());
        }
    }
}
