//! Shared memory that several processes read and write at once: words behind atomics, nothing else.

use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU32};

/// The size of one region.
pub const SHM_REGION_BYTES: usize = 32 * 1024;

const WORDS: usize = SHM_REGION_BYTES / 4;

/// One region of shared memory. Clones are the same memory, which stays mapped as long as one of
/// them lives.
#[derive(Clone, Debug)]
pub struct ShmRegion {
    base: NonNull<u8>,
    writable: bool,
    /// What keeps the memory mapped.
    _keeper: Arc<dyn Any + Send + Sync>,
}

// SAFETY: the memory is reached through atomics only.
unsafe impl Send for ShmRegion {}
// SAFETY: as above.
unsafe impl Sync for ShmRegion {}

impl ShmRegion {
    /// A region of private memory, for a database that only one connection can see.
    pub fn private() -> ShmRegion {
        let words: Arc<Vec<AtomicU32>> = Arc::new((0..WORDS).map(|_| AtomicU32::new(0)).collect());
        let base = NonNull::from(&words[0]).cast();
        ShmRegion { base, writable: true, _keeper: words }
    }

    /// The region at `base`.
    ///
    /// # Safety
    /// [`SHM_REGION_BYTES`] bytes at `base`, aligned to 4, can be read, and if `writable` written, as
    /// long as `keeper` lives, and everybody in this process reaches them by atomics.
    pub unsafe fn from_raw(base: NonNull<u8>, writable: bool, keeper: Arc<dyn Any + Send + Sync>) -> ShmRegion {
        ShmRegion { base, writable, _keeper: keeper }
    }

    /// Whether storing is allowed. Where it is not, a store kills the process.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// The region as words of 32 bits, in the byte order of the machine.
    #[inline]
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: the constructors' promise.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), WORDS) }
    }

    /// The region as words of 16 bits, in the byte order of the machine.
    #[inline]
    pub fn halves(&self) -> &[AtomicU16] {
        // SAFETY: the constructors' promise. Both views are never used for the same place.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), 2 * WORDS) }
    }
}
