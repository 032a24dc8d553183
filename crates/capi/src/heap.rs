//! The allocator of the library: the system's, with a count of what is in use.
//!
//! ```text
//!   63          40 39                    0
//!   | blocks       | bytes                |     of one shard; the sum of all shards is what is in use
//! ```
//!
//! Threads count in shards of their own, as far as there are enough: nobody waits for a line of memory that another thread
//! writes. A block may be freed by another thread than made it, so one shard may fall below zero; the sum does not.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

#[global_allocator]
static HEAP: Counting = Counting;

struct Counting;

const SHARD_COUNT: usize = 16;
const BLOCK: u64 = 1 << 40;
const BYTES: u64 = BLOCK - 1;

#[repr(align(128))]
struct Shard(AtomicU64);

static SHARDS: [Shard; SHARD_COUNT] = [const { Shard(AtomicU64::new(0)) }; SHARD_COUNT];
static BYTES_HIGHEST: AtomicI64 = AtomicI64::new(0);
static BLOCKS_HIGHEST: AtomicI64 = AtomicI64::new(0);

/// Blocks of at least this size, and every so many of the others, are an occasion to look how high the sum is.
const LARGE: usize = 1024;
const BLOCKS_BETWEEN_LOOKS: u64 = 64;

fn shard() -> &'static AtomicU64 {
    // Threads' own memory lies far apart: the upper bits of a product tell them apart.
    let thread = (crate::mutex::this_thread() as u64 >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    &SHARDS[(thread >> 60) as usize].0
}

fn note(bytes: usize, blocks: u64) {
    let added = (bytes as u64).wrapping_add(blocks * BLOCK);
    let before = shard().fetch_add(added, Ordering::Relaxed);
    if bytes >= LARGE || (before / BLOCK).is_multiple_of(BLOCKS_BETWEEN_LOOKS) {
        look();
    }
}

fn forget(bytes: usize, blocks: u64) {
    shard().fetch_sub((bytes as u64).wrapping_add(blocks * BLOCK), Ordering::Relaxed);
}

/// Remembers how high the sums are.
#[cold]
fn look() {
    let (bytes, blocks) = used();
    BYTES_HIGHEST.fetch_max(bytes, Ordering::Relaxed);
    BLOCKS_HIGHEST.fetch_max(blocks, Ordering::Relaxed);
}

/// Bytes and blocks in use.
pub(crate) fn used() -> (i64, i64) {
    let sum = SHARDS.iter().fold(0_u64, |sum, shard| sum.wrapping_add(shard.0.load(Ordering::Relaxed)));
    ((sum & BYTES) as i64, (sum / BLOCK) as i64)
}

/// The most bytes and blocks that were in use, as far as anybody looked; `reset` makes that what is in use now.
pub(crate) fn highest(reset_bytes: bool, reset_blocks: bool) -> (i64, i64) {
    look();
    let highest = (BYTES_HIGHEST.load(Ordering::Relaxed), BLOCKS_HIGHEST.load(Ordering::Relaxed));
    let (bytes, blocks) = used();
    if reset_bytes {
        BYTES_HIGHEST.store(bytes, Ordering::Relaxed);
    }
    if reset_blocks {
        BLOCKS_HIGHEST.store(blocks, Ordering::Relaxed);
    }
    highest
}

// SAFETY: all work is the system allocator's; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: our caller's promise.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            note(layout.size(), 1);
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: our caller's promise.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            note(layout.size(), 1);
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: our caller's promise.
        unsafe { System.dealloc(block, layout) };
        forget(layout.size(), 1);
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: our caller's promise.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            match size.checked_sub(layout.size()) {
                Some(more) => note(more, 0),
                None => forget(layout.size() - size, 0),
            }
        }
        moved
    }
}
