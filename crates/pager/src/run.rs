//! Reading pages that lie one after the other, in one go: the overflow pages of a long value.

use std::io::IoSliceMut;

use lithe_format::wal::{FRAME_HEADER_LEN, frame_offset};
use lithe_format::{PageNo, PageSize};

use crate::error::Result;
use crate::file_store::FileStore;
use crate::pager::{Pager, State, Store};

/// The number of an overflow page's successor, which comes before its content.
pub type Head = [u8; 4];

/// More pieces than one call of the system takes are of no use.
const PAGES_MAX: usize = 256;

/// Where consecutive pages lie one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the database file.
    Database,
    /// From this frame of the log on.
    Log(u32),
}

impl Pager {
    /// Reads up to `heads.len()` pages, `first` and those after it, as far as they lie one after the other and a
    /// single read brings them: of each the first four bytes into `heads`, and the `content_len` bytes that follow
    /// into `content`, one page's behind the other's; `content` may end within the last page's.
    ///
    /// Answers how many pages were read. 0 says that reading page by page is the way: the pages are mapped, where a
    /// copy from [`Pager::page`] costs no more, or were written by this transaction.
    pub fn read_run(&self, first: PageNo, heads: &mut [Head], content_len: usize, content: &mut [u8]) -> Result<usize> {
        let Store::File(file) = &self.store else { return Ok(0) };
        let wanted = heads.len().min(content.len().div_ceil(content_len.max(1))).min(PAGES_MAX);
        if self.state.get() == State::Idle || wanted < 2 || self.view.direct.get() >= first.get() {
            return Ok(0);
        }
        let Some((place, count)) = self.find_run(file, first, wanted)? else { return Ok(0) };
        let content_end = content.len().min(count * content_len);
        let stretch = Stretch { page_size: self.page_size(), content_len };
        file.read_stretch(place, first, &stretch, &mut heads[..count], &mut content[..content_end])?;
        Ok(count)
    }

    /// How many of the pages from `first` on lie one after the other, and where.
    fn find_run(&self, file: &FileStore, first: PageNo, wanted: usize) -> Result<Option<(Place, usize)>> {
        let mut start = None;
        let mut count = 0;
        while count < wanted {
            let Some(no) = first.plus(count as u32) else { break };
            if no.get() > self.page_count() || no == self.view.lock_byte_page.get() || self.was_written(no) {
                break;
            }
            let Some(place) = file.place_of(no)? else { break };
            let expected = match *start.get_or_insert(place) {
                Place::Database => Place::Database,
                Place::Log(frame) => Place::Log(frame.saturating_add(count as u32)),
            };
            if place != expected {
                break;
            }
            if self.concurrent.is_active() {
                self.concurrent.note_read(no);
            }
            count += 1;
        }
        Ok(start.filter(|_| count > 1).map(|start| (start, count)))
    }

    fn was_written(&self, no: PageNo) -> bool {
        self.state.get() == State::Writing && self.is_written(no)
    }
}

/// The shape of the pages that are read.
struct Stretch {
    page_size: PageSize,
    content_len: usize,
}

impl FileStore {
    /// Where a clean page is, if it is not mapped.
    fn place_of(&self, no: PageNo) -> Result<Option<Place>> {
        if self.mmap_size() > 0 {
            return Ok(None);
        }
        match self.is_wal() {
            true => Ok(Some(self.with_wal(|wal| wal.find(no))?.map_or(Place::Database, Place::Log))),
            false => Ok(Some(Place::Database)),
        }
    }

    fn read_stretch(
        &self,
        place: Place,
        first: PageNo,
        stretch: &Stretch,
        heads: &mut [Head],
        content: &mut [u8],
    ) -> Result<()> {
        let page_size = stretch.page_size;
        let behind = page_size.bytes() - size_of::<Head>() - stretch.content_len;
        let before = if place == Place::Database { 0 } else { FRAME_HEADER_LEN };
        // What is between the contents of two pages comes along and is thrown away.
        let mut gaps = vec![0; (before + behind) * heads.len()];
        let mut gaps = gaps.chunks_mut((before + behind).max(1));
        let mut pieces = Vec::with_capacity(4 * heads.len());
        for (head, content) in heads.iter_mut().zip(content.chunks_mut(stretch.content_len)) {
            let (gap_before, gap_behind) = gaps.next().unwrap_or_default().split_at_mut(before);
            pieces.push(IoSliceMut::new(gap_before));
            pieces.push(IoSliceMut::new(head));
            pieces.push(IoSliceMut::new(content));
            pieces.push(IoSliceMut::new(gap_behind));
        }
        pieces.retain(|piece| !piece.is_empty());
        match place {
            Place::Database => self.file.read_vectored_at(&mut pieces, first.offset(page_size.get()))?,
            Place::Log(frame) => self.with_wal(|wal| wal.read_vectored(&mut pieces, frame_offset(frame, page_size)))?,
        };
        Ok(())
    }
}
