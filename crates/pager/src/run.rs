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
        if !file.calls.joins_neighbours {
            return Ok(0);
        }
        if self.state.get() == State::Idle || self.has_draft() || wanted < 2 || self.view.direct.get() >= first.get() {
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
        if self.state.get() == State::Reading && !file.is_wal() {
            return Ok(self.find_run_in_file(file, first, wanted).map(|count| (Place::Database, count)));
        }
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

    /// The same where all pages are in the file.
    fn find_run_in_file(&self, file: &FileStore, first: PageNo, wanted: usize) -> Option<usize> {
        let lock_byte_page = self.view.lock_byte_page.get().get();
        let end = if first.get() <= lock_byte_page { lock_byte_page - 1 } else { u32::MAX };
        let left = self.page_count().min(end).checked_sub(first.get())?.saturating_add(1);
        let count = wanted.min(left as usize);
        (!file.reads_mapped() && count > 1).then_some(count)
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
        if self.reads_mapped() {
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
        let before = if place == Place::Database { 0 } else { FRAME_HEADER_LEN };
        let read = |pieces: &mut [IoSliceMut<'_>]| {
            match place {
                Place::Database => self.file.read_vectored_at(pieces, first.offset(page_size.get()))?,
                Place::Log(frame) => self.with_wal(|wal| wal.read_vectored(pieces, frame_offset(frame, page_size)))?,
            };
            Ok(())
        };
        let is_short = heads.len() * page_size.bytes() <= SHORT_RUN;
        if page_size.bytes() <= SMALL_PAGE || is_short {
            stretch.read_and_close_up(before, heads, content, read)
        } else {
            stretch.read_scattered(before, heads, content, read)
        }
    }
}

/// Pages up to this size are read as they lie, and closed up afterwards: the system takes longer over two more pieces a
/// page than it takes to move that much in the processor's cache.
const SMALL_PAGE: usize = 2048;

/// So are short runs.
const SHORT_RUN: usize = 16 << 10;

impl Stretch {
    /// What is between the content of one page and that of the next, with `before` bytes in front of each page.
    fn gap(&self, before: usize) -> usize {
        before + self.page_size.bytes() - self.content_len
    }

    /// One piece for everything between the first page's head and the end, and then:
    ///
    /// ```text
    ///   read     first head | content | gap | content | gap | cont : ent     the last of it behind the end of `content`
    ///   moved                 content | content | content
    /// ```
    fn read_and_close_up(
        &self,
        before: usize,
        heads: &mut [Head],
        content: &mut [u8],
        read: impl FnOnce(&mut [IoSliceMut<'_>]) -> Result<()>,
    ) -> Result<()> {
        let len = self.content_len;
        let gap = self.gap(before);
        let mut front = [0; FRAME_HEADER_LEN + size_of::<Head>()];
        let front = &mut front[..before + size_of::<Head>()];
        let mut behind = vec![0; gap * (heads.len() - 1)];
        read(&mut [IoSliceMut::new(front), IoSliceMut::new(content), IoSliceMut::new(&mut behind)])?;
        heads[0].copy_from_slice(&front[before..]);
        for (index, head) in heads.iter_mut().enumerate().skip(1) {
            // Where this page's content was read to, and where it belongs.
            let from = index * (len + gap);
            copy_across(content, &behind, from - size_of::<Head>(), head);
            let to = index * len;
            let here = len.min(content.len() - to);
            let in_content = content.len().saturating_sub(from).min(here);
            if in_content > 0 {
                content.copy_within(from..from + in_content, to);
            }
            if in_content < here {
                let start = (from + in_content) - content.len();
                content[to + in_content..to + here].copy_from_slice(&behind[start..][..here - in_content]);
            }
        }
        Ok(())
    }

    /// A piece for each head, each content, and what is between them, which comes along and is thrown away.
    fn read_scattered(
        &self,
        before: usize,
        heads: &mut [Head],
        content: &mut [u8],
        read: impl FnOnce(&mut [IoSliceMut<'_>]) -> Result<()>,
    ) -> Result<()> {
        let gap = self.gap(before) - size_of::<Head>();
        let mut gaps = vec![0; gap * heads.len()];
        let mut gaps = gaps.chunks_mut(gap.max(1));
        let mut pieces = Vec::with_capacity(4 * heads.len());
        for (head, content) in heads.iter_mut().zip(content.chunks_mut(self.content_len)) {
            let (gap_before, gap_behind) = gaps.next().unwrap_or_default().split_at_mut(before);
            for piece in [gap_before, head, content, gap_behind] {
                if !piece.is_empty() {
                    pieces.push(IoSliceMut::new(piece));
                }
            }
        }
        read(&mut pieces)
    }
}

/// Fills `out` with the bytes from `at` on of `first` and `second`, one behind the other.
fn copy_across(first: &[u8], second: &[u8], at: usize, out: &mut [u8]) {
    let in_first = first.len().saturating_sub(at).min(out.len());
    let (head, tail) = out.split_at_mut(in_first);
    if !head.is_empty() {
        head.copy_from_slice(&first[at..][..in_first]);
    }
    if !tail.is_empty() {
        tail.copy_from_slice(&second[at + in_first - first.len()..][..tail.len()]);
    }
}
