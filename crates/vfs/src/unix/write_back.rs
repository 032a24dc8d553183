//! Beginning to write to the device what a sync will wait for.
//!
//! The system keeps what is written until somebody syncs, or for half a minute. Who writes much before one sync leaves the
//! device idle meanwhile, and waits for it afterwards.

use std::os::fd::BorrowedFd;

/// The system writes whole pages; one that is written only in part will change again.
#[cfg(target_os = "linux")]
const PAGE: u64 = 4096;

/// Begins to write a stretch of a file, and waits for nothing. What goes wrong shows in the sync.
#[cfg(target_os = "linux")]
pub(super) fn begin(fd: BorrowedFd<'_>, offset: u64, len: u64) {
    use std::os::fd::AsRawFd;
    let whole = (offset.saturating_add(len) / PAGE * PAGE).saturating_sub(offset);
    let (Ok(offset), Ok(len @ 1..)) = (offset.try_into(), whole.try_into()) else { return };
    // SAFETY: the call reads and writes no memory of ours.
    unsafe { libc::sync_file_range(fd.as_raw_fd(), offset, len, libc::SYNC_FILE_RANGE_WRITE) };
}

/// Nothing like it.
#[cfg(not(target_os = "linux"))]
pub(super) fn begin(_fd: BorrowedFd<'_>, _offset: u64, _len: u64) {}
