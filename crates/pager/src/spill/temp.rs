//! Pages spilled into a temporary file.
//!
//! ```text
//!   place     0   1   2 | 3   4   5        a savepoint was opened after place 2
//!   page      7   8   9 | 8  12   9
//!                 ^---------'   ^         place 3 has replaced place 1, which the savepoint may need
//! ```

use lithe_format::PageNo;
use lithe_vfs::{OpenFlags, Vfs};

use super::{Marks, SpillMark};
use crate::error::Result;
use crate::page_map::PageMap;
use crate::temp_file::TempPages;

/// Pages spilled into a temporary file.
#[derive(Debug, Default)]
pub(crate) struct TempSpill {
    pages: TempPages,
    /// The place of the newest version of each page.
    newest: PageMap,
    /// By place: which places have replaced a version that a savepoint may need, and where that version is.
    replaced: Vec<Replaced>,
}

/// Consecutive places that hold newer versions of the pages at other consecutive places.
#[derive(Clone, Copy, Debug)]
struct Replaced {
    place: u32,
    len: u32,
    before: u32,
}

impl Replaced {
    fn continues(&self, place: u32, before: u32) -> bool {
        self.place + self.len == place && self.before + self.len == before
    }
}

impl TempSpill {
    pub(crate) fn is_empty(&self) -> bool {
        self.newest.is_empty()
    }

    pub(crate) fn contains(&self, no: PageNo) -> bool {
        self.newest.get(no).is_some()
    }

    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = PageNo> {
        self.newest.page_numbers()
    }

    /// Reads a page, if it was spilled here.
    pub(crate) fn read(&self, no: PageNo, buf: &mut [u8]) -> Result<bool> {
        let Some(place) = self.newest.get(no) else { return Ok(false) };
        self.pages.read(place, buf)?;
        Ok(true)
    }

    /// Reads pages that were spilled here into `buf`, one after the other. Neighbours, which mostly were spilled
    /// together, are read in one call.
    pub(crate) fn read_all(&self, pages: &[PageNo], page_size: usize, mut buf: &mut [u8]) -> Result<()> {
        let places: Vec<u32> = pages.iter().filter_map(|no| self.newest.get(*no)).collect();
        for run in places.chunk_by(|a, b| a + 1 == *b) {
            let (here, rest) = buf.split_at_mut(run.len() * page_size);
            self.pages.read_run(run[0], page_size, here)?;
            buf = rest;
        }
        Ok(())
    }

    pub(crate) fn mark(&self) -> SpillMark {
        SpillMark { len: self.pages.len(), ..SpillMark::default() }
    }

    /// Forgets a page whose newest version is elsewhere. No savepoint may need one of its versions here.
    pub(crate) fn forget(&mut self, no: PageNo) {
        self.newest.remove(no);
    }

    /// The memory of the maps, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.newest.memory() + self.replaced.capacity() * size_of::<Replaced>()
    }

    /// Adds pages. `marks` are those of the open savepoints: places before the newest are not overwritten, because a
    /// rollback may return to that savepoint.
    pub(crate) fn add(&mut self, vfs: &dyn Vfs, pages: &[(PageNo, &[u8])], marks: Marks) -> Result<()> {
        assert!(marks.oldest <= marks.newest, "the newest savepoint was opened last");
        self.forget_replaced(marks.oldest);
        let (mut new, mut again) = (Vec::with_capacity(pages.len()), Vec::new());
        for &(no, bytes) in pages {
            match self.newest.get(no) {
                Some(place) if place >= marks.newest => again.push((place, bytes)),
                _ => new.push((no, bytes)),
            }
        }
        again.sort_unstable_by_key(|(place, _)| *place);
        for run in again.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
            let bytes: Vec<&[u8]> = run.iter().map(|(_, bytes)| *bytes).collect();
            self.pages.overwrite(run[0].0, &bytes)?;
        }
        let bytes: Vec<&[u8]> = new.iter().map(|(_, bytes)| *bytes).collect();
        let first = self.pages.append(vfs, OpenFlags::TEMP_JOURNAL, &bytes)?;
        for (place, (no, _)) in (first..).zip(new) {
            if let Some(before) = self.newest.insert(no, place) {
                self.note_replaced(place, before);
            }
        }
        Ok(())
    }

    fn note_replaced(&mut self, place: u32, before: u32) {
        match self.replaced.last_mut() {
            Some(last) if last.continues(place, before) => last.len += 1,
            _ => self.replaced.push(Replaced { place, len: 1, before }),
        }
    }

    /// Forgets what places before `oldest` have replaced: no savepoint returns to it.
    fn forget_replaced(&mut self, oldest: u32) {
        let forgotten = self.replaced.partition_point(|replaced| replaced.place + replaced.len <= oldest);
        self.replaced.drain(..forgotten);
    }

    /// The place of the version that the one at `place` has replaced.
    fn replaced_by(&self, place: u32) -> Option<u32> {
        let at = self.replaced.partition_point(|replaced| replaced.place <= place).checked_sub(1)?;
        let replaced = self.replaced[at];
        let offset = place - replaced.place;
        (offset < replaced.len).then(|| replaced.before + offset)
    }

    pub(crate) fn back_to(&mut self, mark: SpillMark) {
        if mark.len >= self.pages.len() {
            return;
        }
        let after: Vec<PageNo> = self.newest.pages_from_place(mark.len).collect();
        for no in after {
            let newest = self.newest.remove(no);
            let kept = std::iter::successors(newest, |&place| self.replaced_by(place)).find(|&place| place < mark.len);
            if let Some(kept) = kept {
                self.newest.insert(no, kept);
            }
        }
        let left = self.replaced.partition_point(|replaced| replaced.place < mark.len);
        self.replaced.truncate(left);
        if let Some(last) = self.replaced.last_mut() {
            last.len = last.len.min(mark.len - last.place);
        }
        self.pages.truncate(mark.len);
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.replaced = Vec::new();
        self.newest.clear();
    }
}
