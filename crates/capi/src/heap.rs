//! The allocator of the library: the system's, with a count of the memory in use, and with small blocks kept for the
//! next request.
//!
//! ```text
//!   63                       24 23       0
//!   | bytes                    | blocks   |     of one slot; the sum of all slots is the memory in use
//! ```
//!
//! A thread that allocates gets a slot of its own, if one is free: then counting is a plain addition, without
//! contention and without a locked instruction. The other threads share the last slot. A block may be freed by another
//! thread than the one that allocated it, so that one slot may fall below zero; the sum does not. A slot stays with its
//! thread's number: a new thread mostly gets the memory of one that has ended, and with it the number and the slot.
//!
//! Each slot stores its highest value. The highest value of the sum is exact as long as one thread allocates; else it
//! is estimated as the largest excess of any slot's highest value over its present one, added to the present sum.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::small_blocks::{Class, SmallBlocks, class};
use crate::thread::this_thread;

#[global_allocator]
static HEAP: Counting = Counting;

struct Counting;

/// One slot for the first thread, some that other threads find by their number, and the shared one.
const SLOT_COUNT: usize = 2 + (1 << OTHERS_BITS);
const OTHERS_BITS: u32 = 5;
const SHARED: usize = SLOT_COUNT - 1;

const BLOCK_BITS: u32 = 24;

/// The count that a block adds.
const fn amount(bytes: usize, blocks: i64) -> i64 {
    ((bytes as i64) << BLOCK_BITS) + blocks
}

#[repr(align(128))]
struct Slot {
    /// The number of the thread that owns the slot; 0 for the shared slot.
    thread: AtomicUsize,
    now: AtomicI64,
    /// The highest `now`, compared by bytes first.
    peak: AtomicI64,
    /// The largest request, in bytes.
    largest: AtomicUsize,
    /// Blocks that the thread has freed. The shared slot has none.
    free: SmallBlocks,
}

static SLOTS: [Slot; SLOT_COUNT] = [const {
    Slot {
        thread: AtomicUsize::new(0),
        now: AtomicI64::new(0),
        peak: AtomicI64::new(0),
        largest: AtomicUsize::new(0),
        free: SmallBlocks::new(),
    }
}; SLOT_COUNT];

/// The slot of this thread, and whether no other thread adds to it.
#[inline(always)]
fn slot() -> (&'static Slot, bool) {
    let me = this_thread();
    if SLOTS[0].thread.load(Ordering::Relaxed) == me { (&SLOTS[0], true) } else { other_slot(me) }
}

#[inline(never)]
fn other_slot(me: usize) -> (&'static Slot, bool) {
    // The addresses of thread-local memory lie far apart: the upper bits of a product distinguish them.
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

impl Slot {
    /// Adds to the memory in use. Returns the slot's count.
    #[inline(always)]
    fn add(&self, is_mine: bool, amount: i64) -> i64 {
        if is_mine {
            let now = self.now.load(Ordering::Relaxed).wrapping_add(amount);
            self.now.store(now, Ordering::Relaxed);
            now
        } else {
            self.now.fetch_add(amount, Ordering::Relaxed).wrapping_add(amount)
        }
    }

    #[inline(always)]
    fn note(&self, is_mine: bool, bytes: usize, request: usize, blocks: i64) {
        let now = self.add(is_mine, amount(bytes, blocks));
        if now > self.peak.load(Ordering::Relaxed) {
            self.peak.store(now, Ordering::Relaxed);
        }
        if request > self.largest.load(Ordering::Relaxed) {
            self.largest.store(request, Ordering::Relaxed);
        }
    }
}

/// Splits a sum into bytes and blocks.
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

/// The most bytes that were in use, and the blocks at that time; `reset` sets it to the present values.
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

impl Counting {
    /// A block of a class: one that this thread has freed, if there is any.
    #[inline(always)]
    fn small(class: Class, request: usize) -> *mut u8 {
        let (slot, is_mine) = slot();
        // SAFETY: `slot` returned whether the slot is this thread's; `dealloc` keeps or frees the block.
        unsafe {
            let kept = if is_mine { slot.free.take(class) } else { std::ptr::null_mut() };
            let block = if kept.is_null() { class.alloc() } else { kept };
            if !block.is_null() {
                slot.note(is_mine, request, request, 1);
            }
            block
        }
    }

    #[inline(always)]
    fn note(block: *mut u8, request: usize) -> *mut u8 {
        if !block.is_null() {
            let (slot, is_mine) = slot();
            slot.note(is_mine, request, request, 1);
        }
        block
    }
}

/// Memory of the system, counted: for blocks that the application gets.
///
/// # Safety
/// The layout has a size. The block is freed by [`dealloc_of_system`].
pub(crate) unsafe fn alloc_of_system(layout: Layout) -> *mut u8 {
    // SAFETY: our caller's promise.
    Counting::note(unsafe { System.alloc(layout) }, layout.size())
}

/// Frees a block of [`alloc_of_system`] or [`realloc_of_system`].
///
/// # Safety
/// The block was made with this layout, and is not used any more.
pub(crate) unsafe fn dealloc_of_system(block: *mut u8, layout: Layout) {
    // SAFETY: our caller's promise.
    unsafe { System.dealloc(block, layout) };
    let (slot, is_mine) = slot();
    slot.add(is_mine, -amount(layout.size(), 1));
}

/// Resizes a block of the system.
///
/// # Safety
/// As [`dealloc_of_system`]; `size` is that of a layout.
pub(crate) unsafe fn realloc_of_system(block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    // SAFETY: our caller's promise.
    let moved = unsafe { System.realloc(block, layout, size) };
    if !moved.is_null() {
        let (slot, is_mine) = slot();
        match size.checked_sub(layout.size()) {
            Some(more) => slot.note(is_mine, more, size, 0),
            None => _ = slot.add(is_mine, -amount(layout.size() - size, 0)),
        }
    }
    moved
}

// SAFETY: the memory is the system allocator's, and a small block is of the class of its layout from first to last; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    /// The path of nearly all requests is inlined: a small block that the first thread of the process has freed before.
    /// It makes no call, so that it saves no registers.
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let slot = &SLOTS[0];
        if let Some(class) = class(layout)
            && slot.thread.load(Ordering::Relaxed) == this_thread()
        {
            // SAFETY: the slot is this thread's; `dealloc` keeps or frees the block.
            let block = unsafe { slot.free.take(class) };
            if !block.is_null() {
                slot.note(true, layout.size(), layout.size(), 1);
                return block;
            }
        }
        alloc_otherwise(layout)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class(layout) else {
            // SAFETY: our caller's promise.
            return Counting::note(unsafe { System.alloc_zeroed(layout) }, layout.size());
        };
        let block = Counting::small(class, layout.size());
        if !block.is_null() {
            // SAFETY: the block is as long as its layout says.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    /// As [`Counting::alloc`].
    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let slot = &SLOTS[0];
        if let Some(class) = class(layout)
            && slot.thread.load(Ordering::Relaxed) == this_thread()
            // SAFETY: the block is of this class, by our caller's promise, and the slot is this thread's.
            && unsafe { slot.free.put(class, block) }
        {
            slot.add(true, -amount(layout.size(), 1));
            return;
        }
        // SAFETY: our caller's promise.
        unsafe { dealloc_otherwise(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: our caller promises that the size is one of a layout.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (class(layout), class(new)) {
            // SAFETY: our caller's promise.
            (None, None) => unsafe { realloc_of_system(block, layout, size) },
            (Some(old), Some(new)) if old == new => {
                let (slot, is_mine) = slot();
                match size.checked_sub(layout.size()) {
                    Some(more) => slot.note(is_mine, more, size, 0),
                    None => _ = slot.add(is_mine, -amount(layout.size() - size, 0)),
                }
                block
            }
            // SAFETY: our caller's promise; what fits both is copied.
            _ => unsafe {
                let moved = self.alloc(new);
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(block, size.min(layout.size()));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

#[inline(never)]
fn alloc_otherwise(layout: Layout) -> *mut u8 {
    match class(layout) {
        Some(class) => Counting::small(class, layout.size()),
        // SAFETY: a layout that is not small has a size.
        None => unsafe { alloc_of_system(layout) },
    }
}

/// # Safety
/// As [`GlobalAlloc::dealloc`].
#[inline(never)]
unsafe fn dealloc_otherwise(block: *mut u8, layout: Layout) {
    let Some(class) = class(layout) else {
        // SAFETY: our caller's promise.
        return unsafe { dealloc_of_system(block, layout) };
    };
    let (slot, is_mine) = slot();
    slot.add(is_mine, -amount(layout.size(), 1));
    // SAFETY: the block is of this class, by our caller's promise, and `slot` returned whether the slot is this
    // thread's.
    unsafe {
        if !is_mine || !slot.free.put(class, block) {
            class.free(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other tests of the process allocate at the same time, so this test allocates more than all of them together.
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
