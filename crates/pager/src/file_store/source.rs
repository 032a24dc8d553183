//! Where clean pages come from.

use lithe_format::{PageNo, PageSize};

use super::FileStore;
use crate::error::Result;
use crate::page_ref::PageRef;
use crate::pager::View;

impl FileStore {
    /// The page `no` as the snapshot has it. What a file lacks at its end reads as zeros.
    pub(crate) fn page(&self, view: &View, no: PageNo) -> Result<PageRef> {
        let page_size = view.page_size.get();
        let mut frame = None;
        if let Some(wal) = &*self.wal.borrow() {
            frame = wal.find(no)?;
            if let Some(page) = frame.and_then(|frame| wal.mapped_page(frame, page_size, view.epoch.get())) {
                return Ok(page);
            }
        }
        let mapped = view.mapped.get();
        if frame.is_none() && self.is_mapped(mapped, no, page_size.get()) {
            return Ok(mapped.page(no.index() * page_size.bytes(), page_size.get(), view.epoch.get()));
        }
        self.database.pool.get_or_read(self.pool_state.get(), no, page_size.bytes(), |buf| self.read(no, frame, buf))
    }

    fn read(&self, no: PageNo, frame: Option<u32>, buf: &mut [u8]) -> Result<()> {
        let page_size = PageSize::new(buf.len() as u32).expect("buffers are pages");
        match frame {
            Some(frame) => self.with_wal(|wal| wal.read_page(frame, page_size, buf)),
            None => {
                self.file.read_at(buf, no.offset(page_size.get()))?;
                Ok(())
            }
        }
    }

    /// The page `no` of the snapshot if that takes no reading.
    pub(crate) fn page_at_hand(&self, view: &View, no: PageNo) -> Option<PageRef> {
        let page_size = view.page_size.get();
        if let Some(wal) = &*self.wal.borrow()
            && let Some(frame) = wal.find(no).ok()?
        {
            let mapped = wal.mapped_page(frame, page_size, view.epoch.get());
            return mapped.or_else(|| self.database.pool.get(self.pool_state.get(), no));
        }
        let mapped = view.mapped.get();
        if self.is_mapped(mapped, no, page_size.get()) {
            return Some(mapped.page(no.index() * page_size.bytes(), page_size.get(), view.epoch.get()));
        }
        self.database.pool.get(self.pool_state.get(), no)
    }
}
