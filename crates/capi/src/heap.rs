//! The allocator of the library: the system's, with a count of what is in use.
//!
//! ```text
//!   63                       24 23       0
//!   | bytes                    | blocks   |     of one slot; the sum of all slots is what is in use
//! ```
//!
//! A thread that allocates gets a slot of its own, where there is one: then counting is an addition that nobody else can be in
//! the way of, and no locked instruction. The other threads share the last slot. A block may be freed by another thread than made
//! it, so that one slot may fall below zero; the sum does not. Slots stay with their threads: a thread that has ended mostly
//! leaves its place, and with it its number and its slot, to one that begins.
//!
//! Each slot knows how high it has been. The highest value of all is exact as long as one thread allocates; else it is what the
//! slot that was highest had together with what the others have now.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::thread::this_thread;

#[global_allocator]
static HEAP: Counting = Counting;

struct Counting;

/// One slot for the first thread, some that the others find by their number, and the shared one.
const SLOT_COUNT: usize = 2 + (1 << OTHERS_BITS);
const OTHERS_BITS: u32 = 5;
const SHARED: usize = SLOT_COUNT - 1;

const BLOCK_BITS: u32 = 24;

/// What a block adds.
const fn amount(bytes: usize, blocks: i64) -> i64 {
    ((bytes as i64) << BLOCK_BITS) + blocks
}

#[repr(align(128))]
struct Slot {
    /// Whose it is. The shared one is nobody's.
    thread: AtomicUsize,
    now: AtomicI64,
    /// The highest `now`: bytes first.
    peak: AtomicI64,
    /// The largest request, in bytes.
    largest: AtomicUsize,
}

static SLOTS: [Slot; SLOT_COUNT] = [const {
    Slot { thread: AtomicUsize::new(0), now: AtomicI64::new(0), peak: AtomicI64::new(0), largest: AtomicUsize::new(0) }
}; SLOT_COUNT];

/// The slot of this thread, and whether nobody else adds to it.
#[inline(always)]
fn slot() -> (&'static Slot, bool) {
    let me = this_thread();
    if SLOTS[0].thread.load(Ordering::Relaxed) == me { (&SLOTS[0], true) } else { other_slot(me) }
}

#[inline(never)]
fn other_slot(me: usize) -> (&'static Slot, bool) {
    // Threads' own memory lies far apart: the upper bits of a product tell them apart.
    let hash = (me as u64 >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - OTHERS_BITS);
    for index in [0, 1 + hash as usize] {
        let thread = &SLOTS[index].thread;
        let owner = thread.load(Ordering::Relaxed);
        if owner == me || (owner == 0 && thread.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed).is_ok()) {
            return (&SLOTS[index], true);
        }
    }
    (&SLOTS[SHARED], false)
}

/// Adds to what is in use. Answers the slot, and what its count is now.
#[inline(always)]
fn add(amount: i64) -> (&'static Slot, i64) {
    let (slot, is_mine) = slot();
    if is_mine {
        let now = slot.now.load(Ordering::Relaxed).wrapping_add(amount);
        slot.now.store(now, Ordering::Relaxed);
        (slot, now)
    } else {
        (slot, slot.now.fetch_add(amount, Ordering::Relaxed).wrapping_add(amount))
    }
}

#[inline(always)]
fn note(bytes: usize, request: usize, blocks: i64) {
    let (slot, now) = add(amount(bytes, blocks));
    if now > slot.peak.load(Ordering::Relaxed) {
        slot.peak.store(now, Ordering::Relaxed);
    }
    if request > slot.largest.load(Ordering::Relaxed) {
        slot.largest.store(request, Ordering::Relaxed);
    }
}

#[inline(always)]
fn forget(bytes: usize, blocks: i64) {
    add(-amount(bytes, blocks));
}

/// Bytes and blocks of a sum.
fn parts(sum: i64) -> (i64, i64) {
    (sum >> BLOCK_BITS, sum & ((1 << BLOCK_BITS) - 1))
}

fn sum() -> i64 {
    SLOTS.iter().fold(0, |sum, slot| sum.wrapping_add(slot.now.load(Ordering::Relaxed)))
}

/// Bytes and blocks in use.
pub(crate) fn used() -> (i64, i64) {
    parts(sum())
}

/// The most bytes that were in use, and the blocks at that time; `reset` makes that what is in use now.
pub(crate) fn highest(reset: bool) -> (i64, i64) {
    let now = sum();
    let with_peak = |slot: &Slot| {
        let above = slot.peak.load(Ordering::Relaxed).wrapping_sub(slot.now.load(Ordering::Relaxed));
        now.wrapping_add(above.max(0))
    };
    let highest = SLOTS.iter().map(with_peak).max().unwrap_or(now);
    if reset {
        for slot in &SLOTS {
            slot.peak.store(slot.now.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
    let (bytes, blocks) = parts(highest);
    (bytes, blocks.max(parts(now).1))
}

/// The largest request of all since the last reset.
pub(crate) fn largest(reset: bool) -> usize {
    let one = |slot: &Slot| {
        if reset { slot.largest.swap(0, Ordering::Relaxed) } else { slot.largest.load(Ordering::Relaxed) }
    };
    SLOTS.iter().map(one).max().unwrap_or(0)
}

// SAFETY: all work is the system allocator's; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: our caller's promise.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            note(layout.size(), layout.size(), 1);
        }
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: our caller's promise.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            note(layout.size(), layout.size(), 1);
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: our caller's promise.
        unsafe { System.dealloc(block, layout) };
        forget(layout.size(), 1);
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: our caller's promise.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            match size.checked_sub(layout.size()) {
                Some(more) => note(more, size, 0),
                None => forget(layout.size() - size, 0),
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other tests of the process allocate at the same time: what is looked for is larger than all they do.
    #[test]
    fn what_is_in_use_and_what_was() {
        const LARGE: i64 = 300 << 20;
        let before = used();
        let block = std::hint::black_box(Vec::<u8>::with_capacity(LARGE as usize));
        assert!(used().0 - before.0 > LARGE / 2);
        std::thread::spawn(move || drop(block)).join().unwrap();
        assert!(used().0 - before.0 < LARGE / 2, "freed by another thread");
        assert!(highest(true).0 - before.0 > LARGE / 2);
        assert!(highest(false).0 - before.0 < LARGE / 2);
        assert!(largest(true) >= LARGE as usize && largest(false) < LARGE as usize);
    }
}
