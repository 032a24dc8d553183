//! The WAL index in memory: it finds the newest image of a page.
//!
//! Other processes write to it while this one reads, so every word is loaded on its own and checked before it is used.
//! A damaged index may give wrong answers, but no access out of bounds.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use lithe_format::PageNo;
use lithe_format::locks::READ_MARKS;
use lithe_format::wal_index::{
    BACKFILL_AT, BACKFILL_ATTEMPTED_AT, FramePlace, HASH_SLOTS, HEADER_WORDS, IndexHeader, READ_MARKS_AT,
    SECOND_COPY_AT, VERSION, first_frame_before, first_slot, next_slot, page_word, region_frames, slot_half,
};
use lithe_vfs::{File, ResultCode, ShmRegion};

use crate::call_policy::CallPolicy;
use crate::error::{Error, Result};

/// The words of a header, for a quick comparison.
pub(super) type HeaderWords = [u32; HEADER_WORDS];

/// The WAL index, as one connection sees it.
#[derive(Debug)]
pub(super) struct WalIndex {
    /// The file that has the shared memory; `None`: the index is in private memory, because no other connection uses
    /// the database.
    file: Option<Arc<dyn File>>,
    regions: RefCell<Vec<ShmRegion>>,
}

/// The result of reading the header.
#[derive(Clone, Copy, Debug)]
pub(super) enum HeaderState {
    /// A header, and its words.
    Good(IndexHeader, HeaderWords),
    /// There is no header yet, or one that is being written.
    Unreadable,
}

impl WalIndex {
    /// The index in the shared memory of `file`.
    pub(super) fn shared(file: Arc<dyn File>) -> WalIndex {
        WalIndex { file: Some(file), regions: RefCell::default() }
    }

    /// An index in private memory.
    pub(super) fn private() -> WalIndex {
        WalIndex { file: None, regions: RefCell::default() }
    }

    pub(super) fn is_private(&self) -> bool {
        self.file.is_none()
    }

    /// Whether the index may be changed; known once it is open.
    pub(super) fn is_writable(&self) -> bool {
        self.regions.borrow().first().is_some_and(ShmRegion::is_writable)
    }

    /// Makes region 0 available. `false`: the region does not exist, and this connection may not create it; with a VFS
    /// of the application only the holder of the write lock creates it.
    pub(super) fn open(&self) -> Result<bool> {
        self.ensure(0, self.file.as_ref().is_none_or(|file| CallPolicy::of(&**file).shares_log))
    }

    /// As [`WalIndex::open`], for the holder of the write lock, which rebuilds the index.
    pub(super) fn open_to_recover(&self) -> Result<bool> {
        let mut regions = self.regions.borrow_mut();
        if regions.is_empty()
            && let Some(file) = &self.file
        {
            regions.extend(file.shm_map_to_recover(0)?);
        }
        Ok(!regions.is_empty())
    }

    /// Orders this process's writes to the index and reads from it for other processes.
    fn barrier(&self) {
        match &self.file {
            Some(file) => file.shm_barrier(),
            None => fence(Ordering::SeqCst),
        }
    }

    fn ensure(&self, region: u32, extend: bool) -> Result<bool> {
        let mut regions = self.regions.borrow_mut();
        while regions.len() <= region as usize {
            let next = match &self.file {
                Some(file) => file.shm_map(regions.len() as u32, extend)?,
                None if extend => Some(ShmRegion::private()),
                None => None,
            };
            match next {
                Some(next) => regions.push(next),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Runs `work` on a region that is known to exist.
    #[inline]
    fn with<T>(&self, region: u32, work: impl FnOnce(&ShmRegion) -> T) -> T {
        work(&self.regions.borrow()[region as usize])
    }

    fn load(&self, word: usize) -> u32 {
        self.with(0, |region| region.words()[word].load(Ordering::Relaxed))
    }

    fn store(&self, word: usize, value: u32) {
        self.with(0, |region| region.words()[word].store(value, Ordering::Relaxed));
    }

    /// Whether the header is still `words`. Every read transaction checks that when it begins.
    #[inline]
    pub(super) fn header_is(&self, words: &HeaderWords) -> bool {
        self.with(0, |region| {
            fence(Ordering::Acquire);
            let now = &region.words()[..HEADER_WORDS];
            now.iter().zip(words).all(|(now, then)| now.load(Ordering::Relaxed) == *then)
        })
    }

    /// Reads both copies of the header.
    pub(super) fn header(&self) -> Result<HeaderState> {
        let first = self.copy_at(0);
        self.barrier();
        let second = self.copy_at(SECOND_COPY_AT);
        if first != second {
            return Ok(HeaderState::Unreadable);
        }
        let Some(header) = IndexHeader::read(&first) else { return Ok(HeaderState::Unreadable) };
        if IndexHeader::version_of(&first) != VERSION {
            return Err(Error::CantOpen(ResultCode::CANTOPEN));
        }
        Ok(HeaderState::Good(header, first))
    }

    fn copy_at(&self, start: usize) -> HeaderWords {
        self.with(0, |region| std::array::from_fn(|at| region.words()[start + at].load(Ordering::Relaxed)))
    }

    /// Publishes a header: the second copy first, so that a reader that reads the first copy first finds either state
    /// whole. Answers its words.
    pub(super) fn publish(&self, header: &IndexHeader) -> HeaderWords {
        let words = header.write();
        let store = |start: usize| {
            self.with(0, |region| {
                for (at, word) in words.iter().enumerate() {
                    region.words()[start + at].store(*word, Ordering::Relaxed);
                }
            });
        };
        fence(Ordering::SeqCst);
        store(SECOND_COPY_AT);
        self.barrier();
        store(0);
        fence(Ordering::SeqCst);
        words
    }

    /// How many frames are in the database file.
    #[inline]
    pub(super) fn backfilled(&self) -> u32 {
        self.load(BACKFILL_AT)
    }

    pub(super) fn set_backfilled(&self, frames: u32) {
        fence(Ordering::SeqCst);
        self.store(BACKFILL_AT, frames);
    }

    /// The last frame that a checkpoint may have started to copy.
    pub(super) fn backfill_attempted(&self) -> u32 {
        self.load(BACKFILL_ATTEMPTED_AT)
    }

    pub(super) fn set_backfill_attempted(&self, frames: u32) {
        self.store(BACKFILL_ATTEMPTED_AT, frames);
        fence(Ordering::SeqCst);
    }

    pub(super) fn read_mark(&self, mark: usize) -> u32 {
        assert!(mark < READ_MARKS);
        self.load(READ_MARKS_AT + mark)
    }

    pub(super) fn set_read_mark(&self, mark: usize, frame: u32) {
        assert!(mark < READ_MARKS);
        self.store(READ_MARKS_AT + mark, frame);
        fence(Ordering::SeqCst);
    }

    /// The newest frame of page `no` among `first..=last`, the frames of a snapshot; regions up to `last` are
    /// available. Also answers how many slots were read.
    pub(super) fn search(&self, no: PageNo, first: u32, last: u32) -> Result<(Option<u32>, u32)> {
        let regions = self.regions.borrow();
        let lowest = FramePlace::of(first).region;
        let mut number = FramePlace::of(last).region;
        let mut looks = 0;
        loop {
            let (found, looks_here) = find_in_region(&regions[number as usize], number, no, first, last)?;
            looks += looks_here;
            if found.is_some() || number == lowest {
                return Ok((found, looks));
            }
            number -= 1;
        }
    }

    /// Makes the regions of the frames up to `last` available.
    pub(super) fn ensure_frame(&self, last: u32, extend: bool) -> Result<()> {
        if last > 0 && !self.ensure(FramePlace::of(last).region, extend)? {
            return Err(Error::corrupt("the WAL index is shorter than its header says"));
        }
        Ok(())
    }

    /// The page of a frame; `None` if the index says 0 there.
    pub(super) fn page_of(&self, frame: u32) -> Option<PageNo> {
        let place = FramePlace::of(frame);
        self.with(place.region, |region| PageNo::new(region.words()[place.page_word()].load(Ordering::Relaxed)))
    }

    /// Adds frame `frame`, which comes after all others.
    pub(super) fn append(&self, frame: u32, no: PageNo) -> Result<()> {
        let place = FramePlace::of(frame);
        if !self.ensure(place.region, true)? {
            return Err(Error::corrupt("the WAL index cannot grow"));
        }
        let regions = self.regions.borrow();
        let region = &regions[place.region as usize];
        if place.entry == 1 {
            clear(region, place.region);
        } else if region.words()[place.page_word()].load(Ordering::Relaxed) != 0 {
            // A writer that did not commit has left entries.
            forget_after(region, place.region, place.entry - 1);
        }
        let mut slot = first_slot(no);
        for _ in 0..HASH_SLOTS {
            if region.half(slot_half(slot), Ordering::Relaxed) == 0 {
                region.words()[place.page_word()].store(no.get(), Ordering::Relaxed);
                region.set_half(slot_half(slot), place.entry, Ordering::Release);
                return Ok(());
            }
            slot = next_slot(slot);
        }
        Err(Error::corrupt("the WAL index is full"))
    }

    /// Removes the entries after frame `last`, which were not committed.
    pub(super) fn truncate(&self, last: u32) -> Result<()> {
        if last == 0 {
            return Ok(());
        }
        let place = FramePlace::of(last);
        if self.ensure(place.region, false)? {
            self.with(place.region, |region| forget_after(region, place.region, place.entry));
        }
        Ok(())
    }

    /// Unmaps the shared memory; with `delete` its last user deletes it.
    pub(super) fn close(&self, delete: bool) {
        self.regions.borrow_mut().clear();
        if let Some(file) = &self.file {
            let _ = file.shm_unmap(delete);
        }
    }
}

#[inline]
fn find_in_region(region: &ShmRegion, number: u32, no: PageNo, first: u32, last: u32) -> Result<(Option<u32>, u32)> {
    let before = first_frame_before(number);
    let words = region.words();
    let mut found = None;
    let mut slot = first_slot(no);
    for looks in 1..=HASH_SLOTS as u32 {
        let entry = region.half(slot_half(slot), Ordering::Acquire);
        if entry == 0 {
            return Ok((found, looks));
        }
        let frame = before + u32::from(entry);
        let counts = first <= frame && frame <= last && u32::from(entry) <= region_frames(number);
        // Later frames come later in the search, so the last that fits is the newest.
        if counts && words[page_word(number, entry)].load(Ordering::Relaxed) == no.get() {
            found = Some(frame);
        }
        slot = next_slot(slot);
    }
    Err(Error::corrupt("the WAL index has no free slot"))
}

/// Empties a region for its first frame.
fn clear(region: &ShmRegion, number: u32) {
    for word in &region.words()[page_word(number, 1)..] {
        word.store(0, Ordering::Relaxed);
    }
}

/// Removes the entries after `entry`. Searches may run meanwhile: the entries that they search for are older, so no
/// search passes over a slot that becomes free.
fn forget_after(region: &ShmRegion, number: u32, entry: u16) {
    for slot in 0..HASH_SLOTS {
        if region.half(slot_half(slot), Ordering::Relaxed) > entry {
            region.set_half(slot_half(slot), 0, Ordering::Relaxed);
        }
    }
    let end = page_word(number, region_frames(number) as u16) + 1;
    let words: &[AtomicU32] = &region.words()[page_word(number, entry) + 1..end];
    for word in words {
        word.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no(n: u32) -> PageNo {
        PageNo::new(n).unwrap()
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn the_newest_frame_within_the_snapshot() {
        let index = WalIndex::private();
        assert!(index.open().unwrap());
        for frame in 1..=10_000u32 {
            index.append(frame, no(frame % 97 + 1)).unwrap();
        }
        let check = |page: u32, first: u32, last: u32| {
            let expected = (first..=last).rev().find(|frame| frame % 97 + 1 == page);
            assert_eq!(index.search(no(page), first, last).unwrap().0, expected, "page {page} in {first}..={last}");
        };
        for (first, last) in [(1, 10_000), (1, 50), (1, 4062), (1, 4063), (4000, 8200), (9_990, 10_000)] {
            for page in [1, 2, 50, 97, 98, 200] {
                check(page, first, last);
            }
        }
        assert_eq!(index.page_of(97 * 3), Some(no(1)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn uncommitted_entries_are_forgotten() {
        let index = WalIndex::private();
        index.open().unwrap();
        for frame in 1..=20 {
            index.append(frame, no(frame)).unwrap();
        }
        index.truncate(10).unwrap();
        assert_eq!(index.search(no(10), 1, 20).unwrap().0, Some(10));
        assert_eq!(index.search(no(11), 1, 20).unwrap().0, None);
        index.append(11, no(30)).unwrap();
        for frame in 12..=15 {
            index.append(frame, no(40)).unwrap();
        }
        // Without a truncation in between as well: the writer crashed.
        index.append(12, no(50)).unwrap();
        assert_eq!(index.search(no(40), 1, 20).unwrap().0, None);
        assert_eq!(index.search(no(50), 1, 20).unwrap().0, Some(12));
    }

    #[test]
    fn headers_are_published_whole() {
        let index = WalIndex::private();
        index.open().unwrap();
        assert!(matches!(index.header(), Ok(HeaderState::Unreadable)));
        let header = IndexHeader { last_frame: 7, ..IndexHeader::EMPTY };
        let words = index.publish(&header);
        assert!(index.header_is(&words));
        assert!(matches!(index.header(), Ok(HeaderState::Good(read, _)) if read == header));
        index.store(SECOND_COPY_AT + 2, 99);
        assert!(matches!(index.header(), Ok(HeaderState::Unreadable)));
    }
}
