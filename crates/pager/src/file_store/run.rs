//! Reading pages that lie one after the other, in one go: the overflow pages of a long value.

use std::io::IoSliceMut;

use lithe_format::wal::{FRAME_HEADER_LEN, frame_offset};
use lithe_format::{PageNo, PageSize};

use super::FileStore;
use crate::error::Result;
use crate::snapshot::View;

/// The number of an overflow page's successor, which comes before its content.
pub type Head = [u8; 4];

/// Where consecutive pages lie one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunPlace {
    /// In the database file.
    Database,
    /// From this frame of the log on.
    Log(u32),
}

/// The layout of the pages that are read.
pub(crate) struct Stretch {
    pub(crate) page_size: PageSize,
    pub(crate) content_len: usize,
}

impl FileStore {
    /// Where a clean page lies, if pages are not read through the mapping.
    pub(crate) fn run_place_of(&self, view: &View, no: PageNo) -> Result<Option<RunPlace>> {
        if self.reads_mapped(view) {
            return Ok(None);
        }
        match self.is_wal() {
            true => Ok(Some(self.with_wal(|wal| wal.find(no))?.map_or(RunPlace::Database, RunPlace::Log))),
            false => Ok(Some(RunPlace::Database)),
        }
    }

    pub(crate) fn read_stretch(
        &self,
        place: RunPlace,
        first: PageNo,
        stretch: &Stretch,
        heads: &mut [Head],
        content: &mut [u8],
    ) -> Result<()> {
        let page_size = stretch.page_size;
        let before = if place == RunPlace::Database { 0 } else { FRAME_HEADER_LEN };
        let read = |pieces: &mut [IoSliceMut<'_>]| {
            match place {
                RunPlace::Database => self.file.read_vectored_at(pieces, first.offset(page_size.get()))?,
                RunPlace::Log(frame) => {
                    self.with_wal(|wal| wal.read_vectored(pieces, frame_offset(frame, page_size)))?
                }
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

/// Pages up to this size are read in one piece with the bytes between them, and closed up afterwards: the system takes
/// longer over two more pieces a page than the processor takes to move that much in its cache.
const SMALL_PAGE: usize = 2048;

/// Runs up to this length are read the same way.
const SHORT_RUN: usize = 16 << 10;

impl Stretch {
    /// The distance between the content of one page and that of the next, with `before` bytes in front of each page.
    fn gap(&self, before: usize) -> usize {
        before + self.page_size.bytes() - self.content_len
    }

    /// Reads everything between the first page's head and the end in one piece, and moves the contents together:
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

    /// Reads with a piece for each head, each content, and each gap between them, which is read and discarded.
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
