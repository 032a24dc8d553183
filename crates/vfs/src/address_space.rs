//! Address space: how much of it the process may take, and ranges of zeros that mappings and memory files are placed
//! in.
//!
//! Ranges are never unmapped: see `mapping`.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags};

/// The least range for a file: most databases stay within it, and thousands of them take little.
pub(crate) const RESERVE_MIN: u64 = 1 << 20;

/// If the process has a limit on address space, an eighth is for mappings: memory needs the rest.
const SHARE_OF_LIMIT: u64 = 8;

/// The length of all ranges that were taken.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Whether the limit of the process, if it has one, allows `len` bytes more of address space.
pub(crate) fn is_within_limit(len: usize) -> bool {
    if cfg!(miri) {
        return len <= 2 * RESERVE_MIN as usize; // Miri keeps notes on each byte
    }
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    let taken = TAKEN.load(Ordering::Relaxed);
    limit.is_none_or(|limit| taken.saturating_add(len as u64) <= limit / SHARE_OF_LIMIT)
}

/// Records that `len` bytes more are taken, permanently.
pub(crate) fn note_taken(len: usize) {
    TAKEN.fetch_add(len as u64, Ordering::Relaxed);
}

/// Miri's memory, in place of the system's: it behaves the same, without the protection.
#[cfg(miri)]
pub(crate) fn zeros(at: *mut c_void, len: usize, _extra: MapFlags, _protection: ProtFlags) -> Option<NonNull<u8>> {
    if at.is_null() {
        return Some(NonNull::from(Vec::leak(vec![0u8; len])).cast());
    }
    // SAFETY: a range of this length was made above, and is never freed.
    unsafe { std::ptr::write_bytes(at.cast::<u8>(), 0, len) };
    NonNull::new(at.cast())
}

/// Covers a range (or, at null, a free one) with zeros that cost no memory until written.
#[cfg(not(miri))]
pub(crate) fn zeros(at: *mut c_void, len: usize, extra: MapFlags, protection: ProtFlags) -> Option<NonNull<u8>> {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | extra;
    // SAFETY: at null the system picks unused addresses; a fixed address is passed by the owner of the range only.
    let base = unsafe { rustix::mm::mmap_anonymous(at, len, protection, flags) };
    NonNull::new(base.ok()?.cast())
}
