//! Starting writes to the device before a sync has to wait for them.
//!
//! The system keeps written data in memory until a sync, or for half a minute. A program that writes much before one sync
//! leaves the device idle meanwhile, and waits for it afterwards.

use std::os::fd::BorrowedFd;

/// The system writes whole pages; a page that is only written in part will change again.
#[cfg(target_os = "linux")]
const PAGE: u64 = 4096;

/// Starts to write a range of a file, without waiting. The sync reports errors.
#[cfg(target_os = "linux")]
pub(super) fn begin(fd: BorrowedFd<'_>, offset: u64, len: u64) {
    use std::os::fd::AsRawFd;
    let whole = (offset.saturating_add(len) / PAGE * PAGE).saturating_sub(offset);
    let (Ok(offset), Ok(len @ 1..)) = (offset.try_into(), whole.try_into()) else { return };
    // SAFETY: the call accesses no memory of this process.
    unsafe { libc::sync_file_range(fd.as_raw_fd(), offset, len, libc::SYNC_FILE_RANGE_WRITE) };
}

/// Other systems have no such call.
#[cfg(not(target_os = "linux"))]
pub(super) fn begin(_fd: BorrowedFd<'_>, _offset: u64, _len: u64) {}
