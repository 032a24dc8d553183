//! Limits of the process's memory (`sqlite3_soft_heap_limit64`, `sqlite3_hard_heap_limit64`, and the pragmas).
//!
//! Only the allocator knows how much memory is in use, and it belongs to the program: an interface with an allocator of
//! its own registers a gauge. Above the soft limit a connection frees what it caches; above the hard limit statements
//! fail with SQLITE_NOMEM.
//! Caches have their own bounds, `cache_size` and `temp_store`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

use lithe_vfs::ResultCode;

use crate::error::{Error, Result};

static SOFT: AtomicI64 = AtomicI64::new(0);
static HARD: AtomicI64 = AtomicI64::new(0);
static GAUGE: OnceLock<fn() -> i64> = OnceLock::new();

/// Sets the function that returns how many bytes are in use. Only the first call has an effect.
pub fn set_memory_gauge(gauge: fn() -> i64) {
    let _ = GAUGE.set(gauge);
}

/// Whether a gauge is set.
pub(crate) fn has_gauge() -> bool {
    GAUGE.get().is_some()
}

/// Sets the soft limit to `bytes` and returns the one before: 0 is none, a negative number changes nothing. The soft
/// limit is never above the hard one.
pub fn soft_heap_limit(bytes: i64) -> i64 {
    let before = SOFT.load(Ordering::Relaxed);
    if bytes >= 0 {
        let hard = HARD.load(Ordering::Relaxed);
        SOFT.store(if hard > 0 && (bytes == 0 || bytes > hard) { hard } else { bytes }, Ordering::Relaxed);
    }
    before
}

/// Sets the hard limit to `bytes` and returns the one before.
pub fn hard_heap_limit(bytes: i64) -> i64 {
    let before = HARD.load(Ordering::Relaxed);
    if bytes >= 0 {
        HARD.store(bytes, Ordering::Relaxed);
        let soft = SOFT.load(Ordering::Relaxed);
        if bytes < soft || soft == 0 {
            SOFT.store(bytes, Ordering::Relaxed);
        }
    }
    before
}

/// Whether `more` bytes would exceed the hard limit.
#[inline]
pub fn is_over_hard_limit(more: u64) -> bool {
    let limit = HARD.load(Ordering::Relaxed);
    limit > 0 && is_above(limit, more)
}

#[cold]
fn is_above(limit: i64, more: u64) -> bool {
    GAUGE.get().is_some_and(|gauge| gauge().saturating_add_unsigned(more) > limit)
}

/// Enforces the limits: above the soft one, `release` is called to free memory.
///
/// # Errors
/// SQLITE_NOMEM above the hard limit.
#[inline]
pub(crate) fn keep(release: impl FnOnce()) -> Result<()> {
    if is_unlimited() { Ok(()) } else { keep_both(release) }
}

/// Whether there is no limit.
#[inline]
pub(crate) fn is_unlimited() -> bool {
    SOFT.load(Ordering::Relaxed) == 0 // the soft limit is never above the hard one
}

#[cold]
fn keep_both(release: impl FnOnce()) -> Result<()> {
    if is_above(SOFT.load(Ordering::Relaxed), 0) {
        release();
    }
    if is_over_hard_limit(0) { Err(Error::from_code(ResultCode::NOMEM)) } else { Ok(()) }
}
