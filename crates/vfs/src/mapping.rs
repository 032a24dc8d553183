//! Files mapped for reading, with address space to grow.
//!
//! ```text
//!   base                    end of file             base + len
//!   | the file              | not there yet         |
//!   '--------- reserved once, never moved ----------'
//! ```
//!
//! Bytes that the file gains within the reservation appear there by themselves. A file that outgrows it is mapped
//! again, and the older mapping stays as long as it has users. No byte past the end of the file may be read, so a
//! reader checks the size first. `mapping_fault` handles a file that loses bytes all the same, and a device that fails.
//!
//! Address space is recycled and never unmapped: a reservation that is no longer used is covered with zeros and kept
//! for the next file. A stale reference into it reads zeros or another file's bytes, but never unmapped memory.
//! Therefore page references can be plain pointers without a count.

use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::sync::Mutex;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap};

use crate::address_space::{RESERVE_MIN, is_within_limit, note_taken, zeros};
use crate::mapping_fault::Watch;
use crate::memory_bytes::MemoryBytes;

/// The most system pages that are checked to find out whether a range is in memory.
const RESIDENT_LOOK: usize = 64;

/// A file mapped for reading.
#[derive(Debug)]
pub struct Mapping {
    reservation: Reservation,
    len: usize,
    /// The number of faults in the range before this mapping.
    faults_before: u32,
}

impl Mapping {
    /// Maps the file behind `fd` with address space for more than `reserve` bytes; if the system does not grant that (a limit on
    /// address space), with less. `None`: the system grants none.
    pub(crate) fn of_file(fd: BorrowedFd<'_>, reserve: u64) -> Option<Mapping> {
        let mut wanted = reserve.max(RESERVE_MIN - 1).checked_add(1)?.checked_next_power_of_two()?;
        loop {
            if let Some(range) = Range::take(usize::try_from(wanted).ok()?) {
                return Mapping::cover_with_file(range, fd);
            }
            wanted /= 2;
            if wanted < RESERVE_MIN {
                return None;
            }
        }
    }

    fn cover_with_file(range: Range, fd: BorrowedFd<'_>) -> Option<Mapping> {
        if cfg!(miri) {
            return None; // Miri maps no files
        }
        let len = range.len;
        // SAFETY: the range is owned by this call; a fixed mapping replaces what covers it, atomically.
        let mapped = unsafe {
            mmap(
                range.base.as_ptr().cast(),
                len,
                ProtFlags::READ,
                MapFlags::SHARED | MapFlags::NORESERVE | MapFlags::FIXED,
                fd,
                0,
            )
        };
        mapped.ok()?;
        let faults_before = range.watch.faults();
        Some(Mapping { reservation: Reservation::Own(range), len, faults_before })
    }

    /// Whether the mapping has failed to show its file: some of its bytes stay zeros.
    #[inline]
    pub fn has_failed(&self) -> bool {
        matches!(&self.reservation, Reservation::Own(range) if range.watch.faults() != self.faults_before)
    }

    /// A mapping of bytes in memory, as long as their capacity is now.
    pub(crate) fn of_memory(bytes: &std::sync::Arc<MemoryBytes>) -> Mapping {
        Mapping { reservation: Reservation::Shared(bytes.clone()), len: bytes.capacity(), faults_before: 0 }
    }

    /// The address of the file's first byte. It stays mapped as long as the process lives (see the module's docs), but
    /// shows the file's content only as long as the mapping lives.
    #[inline]
    pub fn base(&self) -> NonNull<u8> {
        self.reservation.base()
    }

    /// How many bytes are reserved, whatever the size of the file.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the file's bytes from `offset` on are in memory already, as far as the system reports it; `true` if it
    /// does not. Only the beginning of a long range is checked. The caller has checked that the bytes are within the
    /// file.
    pub fn is_resident(&self, offset: usize, len: usize) -> bool {
        let Some((start, len)) = self.stretch(offset, len) else { return true };
        self.reservation.is_resident(start, len)
    }

    /// Advises the system to read the file's bytes from `offset` on into memory, all at once, without waiting. The
    /// system may ignore the advice.
    pub fn will_need(&self, offset: usize, len: usize) {
        let Some((start, len)) = self.stretch(offset, len) else { return };
        self.reservation.will_need(start, len);
    }

    /// The range of system pages that contain these bytes.
    fn stretch(&self, offset: usize, len: usize) -> Option<(usize, usize)> {
        let start = offset / rustix::param::page_size() * rustix::param::page_size();
        let end = offset.checked_add(len)?.min(self.len);
        (start < end).then(|| (start, end - start))
    }

    /// Whether the reservation is empty, which never happens.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A range of address space.
#[derive(Debug)]
enum Reservation {
    Own(Range),
    /// The range of bytes in memory.
    Shared(std::sync::Arc<MemoryBytes>),
}

impl Reservation {
    #[inline]
    fn base(&self) -> NonNull<u8> {
        match self {
            Reservation::Own(range) => range.base,
            Reservation::Shared(bytes) => bytes.base(),
        }
    }

    fn is_resident(&self, start: usize, len: usize) -> bool {
        let Reservation::Own(range) = self else { return true };
        assert!(start.checked_add(len).is_some_and(|end| end <= range.len), "outside the reservation");
        let mut pages = [1u8; RESIDENT_LOOK];
        let len = len.min(RESIDENT_LOOK * rustix::param::page_size());
        // SAFETY: inside the range, by the assertion; the system writes a byte for each of its pages there, of which
        // there are no more than fit `pages`.
        let asked = unsafe { libc::mincore(range.base.as_ptr().add(start).cast(), len, pages.as_mut_ptr().cast()) };
        asked != 0 || pages[..len.div_ceil(rustix::param::page_size())].iter().all(|page| page & 1 != 0)
    }

    fn will_need(&self, start: usize, len: usize) {
        let Reservation::Own(range) = self else { return };
        assert!(start.checked_add(len).is_some_and(|end| end <= range.len), "outside the reservation");
        // SAFETY: inside the range, by the assertion; the advice only changes when the system reads.
        let _ = unsafe { madvise(range.base.as_ptr().add(start).cast(), len, Advice::WillNeed) };
    }
}

/// A range of address space, kept for reuse when it is dropped.
#[derive(Debug)]
struct Range {
    base: NonNull<u8>,
    len: usize,
    watch: &'static Watch,
}

// SAFETY: a range is an address and a length; its users synchronize reads and writes.
unsafe impl Send for Range {}
// SAFETY: as above.
unsafe impl Sync for Range {}

/// Ranges that are not in use.
static SPARE: Mutex<Vec<Range>> = Mutex::new(Vec::new());

impl Range {
    fn take(len: usize) -> Option<Range> {
        let mut spare = SPARE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(at) = spare.iter().position(|range| range.len == len) {
            return Some(spare.swap_remove(at));
        }
        drop(spare);
        if !is_within_limit(len) {
            return None;
        }
        let base = zeros(ptr::null_mut(), len, MapFlags::empty(), ProtFlags::READ)?;
        note_taken(len);
        Some(Range { base, len, watch: Watch::new(base, len) })
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        let (base, len, watch) = (self.base, self.len, self.watch);
        // If the system refuses, the range stays covered as it is: a leak of address space, but no more harm.
        if zeros(base.as_ptr().cast(), len, MapFlags::FIXED, ProtFlags::READ).is_some() {
            SPARE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(Range { base, len, watch });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    #[cfg_attr(miri, ignore = "Miri maps no files")]
    fn a_mapping_shows_what_the_file_gains() {
        let path = std::env::temp_dir().join(format!("lithe-mapping-{}", std::process::id()));
        std::fs::write(&path, b"before").unwrap();
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mapping = Mapping::of_file(file.as_fd(), 1).unwrap();
        // SAFETY: the file is long enough for both reads when they are made.
        let at = |offset: usize| unsafe { *mapping.base().as_ptr().add(offset) };
        assert_eq!(at(0), b'b');
        std::os::unix::fs::FileExt::write_all_at(&file, b"after", 100_000).unwrap();
        assert_eq!(at(100_000), b'a');
    }

    /// A program that truncates a mapped file, and ignores all locks, takes only the bytes from a reader.
    #[test]
    #[cfg_attr(miri, ignore = "Miri maps no files")]
    fn a_mapping_of_a_file_that_was_cut() {
        // Ranges are reused by their length: no other test has one of this length, and takes this one.
        const OWN_LENGTH: u64 = 32 << 20;
        let path = std::env::temp_dir().join(format!("lithe-cut-{}", std::process::id()));
        std::fs::write(&path, vec![b'x'; 100_000]).unwrap();
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mapping = Mapping::of_file(file.as_fd(), OWN_LENGTH).unwrap();
        let other = Mapping::of_file(file.as_fd(), OWN_LENGTH).unwrap();
        // SAFETY: within the reservation.
        let at = |mapping: &Mapping, offset: usize| unsafe { mapping.base().as_ptr().add(offset).read_volatile() };
        assert_eq!((at(&mapping, 50_000), mapping.has_failed()), (b'x', false));
        file.set_len(10).unwrap();
        let before = crate::mapping_faults();
        assert_eq!((at(&mapping, 50_000), at(&mapping, 5), at(&mapping, 50_001)), (0, b'x', 0));
        assert!(mapping.has_failed() && !other.has_failed());
        assert!(crate::mapping_faults() > before);
        // A page that was covered is shown again when the range is reused.
        let base = mapping.base();
        drop(mapping);
        file.set_len(100_000).unwrap();
        let again = Mapping::of_file(file.as_fd(), OWN_LENGTH).unwrap();
        assert_eq!((again.base(), again.has_failed()), (base, false));
        std::os::unix::fs::FileExt::write_all_at(&file, b"y", 50_000).unwrap();
        assert_eq!(at(&again, 50_000), b'y');
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri maps no files")]
    fn a_mapping_tells_what_is_in_memory() {
        let path = std::env::temp_dir().join(format!("lithe-resident-{}", std::process::id()));
        std::fs::write(&path, vec![b'x'; 1 << 20]).unwrap();
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mapping = Mapping::of_file(file.as_fd(), 4 << 20).unwrap();
        // Just written: it is in memory.
        for (offset, len) in [(0, 1), (5000, 10_000), (0, 1 << 20), (4096, 0), (usize::MAX, 2)] {
            mapping.will_need(offset, len);
            assert!(mapping.is_resident(offset, len), "{len} bytes at {offset}");
        }
        // Beyond the end of the file nothing is.
        assert!(!mapping.is_resident(1 << 21, 4096));
    }
}
