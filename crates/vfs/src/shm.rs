//! Shared memory that several processes read and write at once: words behind atomics, nothing else.

use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The size of one region.
pub const SHM_REGION_BYTES: usize = 32 * 1024;

const WORDS: usize = SHM_REGION_BYTES / 4;

/// One region of shared memory. Clones are the same memory, which stays mapped as long as one of
/// them lives.
#[derive(Clone, Debug)]
pub struct ShmRegion {
    base: NonNull<u8>,
    writable: bool,
    /// The owner of the memory, which keeps it mapped.
    _keeper: Arc<dyn Any + Send + Sync>,
}

// SAFETY: the memory is accessed through atomics only.
unsafe impl Send for ShmRegion {}
// SAFETY: as above.
unsafe impl Sync for ShmRegion {}

impl ShmRegion {
    /// A region of private memory, for a database that only one connection can see.
    pub fn private() -> ShmRegion {
        let words: Arc<Vec<AtomicU32>> = Arc::new((0..WORDS).map(|_| AtomicU32::new(0)).collect());
        let base = NonNull::from(words.as_slice()).cast();
        ShmRegion { base, writable: true, _keeper: words }
    }

    /// The region at `base`.
    ///
    /// # Safety
    /// [`SHM_REGION_BYTES`] bytes at `base`, aligned to 4, can be read, and if `writable` written, as long as `keeper`
    /// lives, and all code in this process accesses them by atomics.
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
        // SAFETY: the constructors guarantee it.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), WORDS) }
    }

    /// The word of 16 bits at `index`, in the byte order of the machine. The memory is accessed by words of 32 bits only, because
    /// atomics of mixed sizes at one place have no defined meaning.
    #[inline]
    pub fn half(&self, index: usize, order: Ordering) -> u16 {
        (self.words()[index / 2].load(order) >> half_shift(index)) as u16
    }

    /// Stores a word of 16 bits. The neighbour in the same word of 32 bits is stored unchanged: no other thread stores meanwhile,
    /// because all processes keep to the lock for writing.
    pub fn set_half(&self, index: usize, value: u16, order: Ordering) {
        let word = &self.words()[index / 2];
        let mask = u32::from(u16::MAX) << half_shift(index);
        let neighbour = word.load(Ordering::Relaxed) & !mask;
        word.store(neighbour | u32::from(value) << half_shift(index), order);
    }
}

/// The position of a word of 16 bits in its word of 32 bits.
#[inline]
const fn half_shift(index: usize) -> u32 {
    let is_high = (index % 2 == 1) == cfg!(target_endian = "little");
    if is_high { 16 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_words() {
        let region = ShmRegion::private();
        region.words()[3].store(u32::from_ne_bytes([1, 2, 3, 4]), Ordering::Relaxed);
        let halves = [6, 7].map(|index| region.half(index, Ordering::Relaxed).to_ne_bytes());
        assert_eq!(halves, [[1, 2], [3, 4]]);
        region.set_half(7, u16::from_ne_bytes([5, 6]), Ordering::Relaxed);
        assert_eq!(region.words()[3].load(Ordering::Relaxed).to_ne_bytes(), [1, 2, 5, 6]);
    }
}
