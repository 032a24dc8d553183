//! Bytes in memory at an address that never changes, with capacity to grow: the content of a file of the memory and simulation VFS,
//! which can therefore be "mapped" like a real one.
//!
//! ```text
//!   the zone                                                                     address space
//!   | file 1 | 2 | 4 |         ...         | file 2 | 2 |        ...         |
//!   '-- taken little by little, doubled each time, as far as the addresses are free
//! ```
//!
//! Files begin far from each other in a zone of address space that systems leave empty: the first ones 64 GiB apart, later ones in
//! the middle between those. Only the length that a file has grown to is taken, so that a process may have thousands of files, or a
//! limit on its address space. Where the zone is not available, a file gets a fixed reservation instead.
//!
//! As in `mapping`, address space is recycled and never unmapped: a stale reference reads zeros or another file's bytes.

use std::ptr::{self, NonNull};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rustix::mm::{MapFlags, ProtFlags, munmap};

use crate::address_space::{RESERVE_MIN, is_within_limit, note_taken, zeros};

/// The start of the zone: above the shadow memory of sanitizers, below the addresses where systems put libraries, stacks and
/// mappings without an address.
const ZONE: u64 = 0x2000_0000_0000;
/// The zone has this many places, as a power of two, ...
const PLACES_BITS: u32 = 15;
/// ... this far from each other.
const PLACE_BYTES: u64 = 1 << 30;

/// How many places are tried for a file.
const TRIES_MAX: u32 = 16;

/// Concurrent reads and writes of one place are as unordered as those of a real file: the locks of the database prevent them.
#[derive(Debug)]
pub(crate) struct MemoryBytes {
    base: NonNull<u8>,
    /// The length that is taken so far; it only grows.
    capacity: AtomicUsize,
    capacity_max: usize,
}

// SAFETY: an address and lengths; the bytes are accessed through copying calls only, or by a holder of a mapping.
unsafe impl Send for MemoryBytes {}
// SAFETY: as above.
unsafe impl Sync for MemoryBytes {}

/// Address space that is not in use.
struct Spare {
    base: NonNull<u8>,
    capacity: usize,
}

// SAFETY: an address and a length.
unsafe impl Send for Spare {}

static SPARE: Mutex<Vec<Spare>> = Mutex::new(Vec::new());
static NEXT_PLACE: AtomicU32 = AtomicU32::new(0);

const WRITABLE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

impl MemoryBytes {
    /// Bytes with no content yet, which may grow to `capacity_max` if the address space allows. `None`: the system
    /// grants no address space.
    pub(crate) fn new(capacity_max: usize) -> Option<MemoryBytes> {
        let capacity_max = capacity_max.max(RESERVE_MIN as usize);
        let (base, capacity) = recycled(capacity_max).or_else(in_zone).or_else(|| anywhere(capacity_max))?;
        Some(MemoryBytes { base, capacity: AtomicUsize::new(capacity), capacity_max })
    }

    /// The address of the first byte.
    #[inline]
    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// How many bytes fit now.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Acquire)
    }

    /// Raises the capacity to `len` bytes, and to twice as many if possible; answers whether. One thread at a time.
    pub(crate) fn grow_to(&self, len: u64) -> bool {
        let capacity = self.capacity();
        let Some(len) = usize::try_from(len).ok().filter(|&len| len <= self.capacity_max) else { return false };
        if len <= capacity {
            return true;
        }
        let Some(just_enough) = len.checked_next_multiple_of(RESERVE_MIN as usize) else { return false };
        let twice = len.checked_next_power_of_two().map_or(self.capacity_max, |twice| twice.min(self.capacity_max));
        [twice, just_enough.min(self.capacity_max)].into_iter().any(|wanted| self.take_behind(capacity, wanted))
    }

    fn take_behind(&self, capacity: usize, wanted: usize) -> bool {
        let more = wanted - capacity;
        // SAFETY: within the taken range or one past it, so that the sum does not overflow.
        let end = unsafe { self.base.as_ptr().add(capacity) };
        let taken = is_within_limit(more) && take_at(end, more);
        if taken {
            note_taken(more);
            self.capacity.store(wanted, Ordering::Release);
        }
        taken
    }

    pub(crate) fn read(&self, at: usize, buf: &mut [u8]) {
        assert!(at.checked_add(buf.len()).is_some_and(|end| end <= self.capacity()));
        // SAFETY: within the capacity, by the assertion; `buf` is private memory and cannot overlap it.
        unsafe { ptr::copy_nonoverlapping(self.base.as_ptr().add(at), buf.as_mut_ptr(), buf.len()) }
    }

    pub(crate) fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at.checked_add(bytes.len()).is_some_and(|end| end <= self.capacity()));
        // SAFETY: within the capacity, by the assertion. `bytes` may be a page mapped from another file,
        // or from another place of this one, but never the place that is written.
        unsafe { ptr::copy(bytes.as_ptr(), self.base.as_ptr().add(at), bytes.len()) }
    }

    pub(crate) fn zero(&self, at: usize, len: usize) {
        assert!(at.checked_add(len).is_some_and(|end| end <= self.capacity()));
        // SAFETY: within the capacity, by the assertion.
        unsafe { ptr::write_bytes(self.base.as_ptr().add(at), 0, len) }
    }
}

impl Drop for MemoryBytes {
    fn drop(&mut self) {
        let (base, capacity) = (self.base, self.capacity());
        // If the system refuses, the bytes stay mapped: a leak, but no more harm.
        if zeros(base.as_ptr().cast(), capacity, MapFlags::FIXED, ProtFlags::READ).is_some() {
            SPARE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(Spare { base, capacity });
        }
    }
}

/// The range of a dropped file whose capacity is within this file's limit.
fn recycled(capacity_max: usize) -> Option<(NonNull<u8>, usize)> {
    let mut spare = SPARE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let at = spare.iter().rposition(|spare| spare.capacity <= capacity_max)?;
    let Spare { base, capacity } = spare.swap_remove(at);
    drop(spare);
    zeros(base.as_ptr().cast(), capacity, MapFlags::FIXED, WRITABLE)?;
    Some((base, capacity))
}

/// A place of its own in the zone.
fn in_zone() -> Option<(NonNull<u8>, usize)> {
    let capacity = RESERVE_MIN as usize;
    if !is_within_limit(capacity) {
        return None;
    }
    let place = (0..TRIES_MAX).find_map(|_| {
        let number = NEXT_PLACE.fetch_add(1, Ordering::Relaxed);
        // 0, 1/2, 1/4, 3/4, 1/8 ... of the zone: each file is as far from the others as possible.
        let place = number.reverse_bits() >> (u32::BITS - PLACES_BITS);
        let address = usize::try_from(ZONE + u64::from(place) * PLACE_BYTES).ok()?;
        let base = NonNull::new(ptr::without_provenance_mut::<u8>(address)).filter(|_| number >> PLACES_BITS == 0)?;
        take_at(base.as_ptr(), capacity).then_some(address)
    })?;
    note_taken(capacity);
    NonNull::new(ptr::with_exposed_provenance_mut(place)).map(|base| (base, capacity))
}

/// A reservation that does not grow: as much as the system grants.
fn anywhere(capacity_max: usize) -> Option<(NonNull<u8>, usize)> {
    let mut capacity = capacity_max;
    while capacity >= RESERVE_MIN as usize {
        if is_within_limit(capacity)
            && let Some(base) = zeros(ptr::null_mut(), capacity, MapFlags::empty(), WRITABLE)
        {
            note_taken(capacity);
            return Some((base, capacity));
        }
        capacity /= 2;
    }
    None
}

/// Takes a range of zeros at this address if it is free.
fn take_at(at: *mut u8, len: usize) -> bool {
    if cfg!(miri) {
        return false; // Miri has its own memory only
    }
    let Some(base) = zeros(at.cast(), len, MapFlags::FIXED_NOREPLACE, WRITABLE) else { return false };
    if base.as_ptr() == at {
        return true;
    }
    // A system that does not know the flag treats the address as a hint.
    // SAFETY: the range was just mapped, and no other code has its address.
    let _ = unsafe { munmap(base.as_ptr().cast(), len) };
    false
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    const MIB: usize = 1 << 20;

    /// One of these tests takes all of the address space for a moment.
    static TURN: Mutex<()> = Mutex::new(());

    fn turn() -> MutexGuard<'static, ()> {
        TURN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no address space of its own")]
    fn capacity_grows_in_place() {
        let _turn = turn();
        let bytes = MemoryBytes::new(64 << 30).unwrap();
        // The range that another file has left behind may be larger already.
        let (base, capacity) = (bytes.base(), bytes.capacity());
        bytes.write(5, b"abc");
        let mut buf = [1u8; 3];
        for len in [1, 3 * MIB, 40 * MIB, 300 * MIB] {
            assert!(bytes.grow_to(len as u64), "{len}");
            assert!(
                bytes.capacity() >= len && bytes.capacity() <= (2 * len).max(capacity),
                "{len}: {}",
                bytes.capacity()
            );
            bytes.write(len - 1, b"x");
            bytes.read(len - 1, &mut buf[..1]);
            assert_eq!(buf[0], b'x');
        }
        bytes.read(5, &mut buf);
        assert_eq!((&buf, bytes.base()), (b"abc", base));
        assert!(!bytes.grow_to(65 << 30) && !bytes.grow_to(u64::MAX));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no address space of its own")]
    fn many_files_take_little() {
        let _turn = turn();
        let files: Vec<MemoryBytes> = (0..3000).map(|_| MemoryBytes::new(64 << 30).unwrap()).collect();
        for (n, file) in files.iter().enumerate() {
            file.write(0, &n.to_le_bytes());
        }
        let mut places: Vec<usize> = files.iter().map(|file| file.base().addr().get()).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), files.len());
        // All grow, up to their neighbours.
        assert!(files.iter().all(|file| file.grow_to(8 * MIB as u64)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no address space of its own")]
    fn less_capacity_is_better_than_none() {
        let _turn = turn();
        // More than a process can have on any system.
        let (base, capacity) = anywhere(1 << 55).unwrap();
        assert!((MIB..1 << 55).contains(&capacity));
        // SAFETY: the range was just mapped, and no other code has its address.
        unsafe { munmap(base.as_ptr().cast(), capacity) }.unwrap();
    }

    #[test]
    fn address_space_is_recycled() {
        // Where no other test writes.
        const AT: usize = 900_000;
        let bytes = MemoryBytes::new(MIB).unwrap();
        bytes.write(AT, b"abc");
        let stale = bytes.base();
        drop(bytes);
        // SAFETY: address space stays mapped for ever.
        assert_eq!(unsafe { stale.as_ptr().add(AT).read() }, 0);
        let again = MemoryBytes::new(MIB).unwrap();
        let mut buf = [1u8; 3];
        again.read(AT, &mut buf);
        assert_eq!(buf, [0; 3]);
    }
}
