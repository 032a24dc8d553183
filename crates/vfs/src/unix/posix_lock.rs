//! POSIX advisory record locks: the only kind that SQLite's processes see.
//!
//! They belong to the process and the file, not to a descriptor: a second lock by the same process never conflicts, and
//! closing any descriptor of the file drops them all. `inode` deals with both.

use std::os::fd::{AsRawFd, BorrowedFd};

use crate::error::{Error, Op, Result};

/// How bytes are to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Read,
    Write,
    Nothing,
}

/// Locks or unlocks `len` bytes (0: to the end) at `start`. `false`: another process holds a lock that conflicts.
pub(super) fn set(fd: BorrowedFd<'_>, hold: Hold, start: u64, len: u64, op: Op) -> Result<bool> {
    let range = flock(hold, start, len);
    loop {
        // SAFETY: fcntl reads `range` during the call only.
        if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETLK, &range) } == 0 {
            return Ok(true);
        }
        let errno = last_errno();
        match errno {
            libc::EINTR => {}
            libc::EACCES | libc::EAGAIN | libc::ETIMEDOUT | libc::EBUSY | libc::ENOLCK | libc::EDEADLK => {
                return Ok(false);
            }
            _ => return Err(Error::from_errno(op, errno)),
        }
    }
}

/// The lock of another process among `len` bytes at `start` that would conflict with a lock for writing.
pub(super) fn held_by_others(fd: BorrowedFd<'_>, start: u64, len: u64, op: Op) -> Result<Hold> {
    let mut range = flock(Hold::Write, start, len);
    // SAFETY: fcntl reads and writes `range` during the call only.
    if unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETLK, &mut range) } != 0 {
        return Err(Error::from_errno(op, last_errno()));
    }
    Ok(match i32::from(range.l_type) {
        libc::F_UNLCK => Hold::Nothing,
        libc::F_RDLCK => Hold::Read,
        _ => Hold::Write,
    })
}

fn flock(hold: Hold, start: u64, len: u64) -> libc::flock {
    let kind = match hold {
        Hold::Read => libc::F_RDLCK,
        Hold::Write => libc::F_WRLCK,
        Hold::Nothing => libc::F_UNLCK,
    };
    // SAFETY: a struct of integers, for which zero is a value.
    let mut range: libc::flock = unsafe { std::mem::zeroed() };
    range.l_type = kind as _;
    range.l_whence = libc::SEEK_SET as _;
    range.l_start = start as libc::off_t;
    range.l_len = len as libc::off_t;
    range
}

fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
