//! Where clean pages come from.

use std::sync::Arc;

use lithe_format::{PageNo, PageSize};

use super::{FileStore, Reading};
use crate::counts::PageCounter;
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
        let reading = self.reading.get();
        let mapped = if frame.is_none() && reading != Reading::Called { self.mapped_page(view, no) } else { None };
        if let Some(mapped) = &mapped
            && reading == Reading::Mapped
        {
            return Ok(mapped.clone());
        }
        let read = |buf: &mut [u8]| match mapped {
            Some(mapped) => {
                buf.copy_from_slice(&mapped);
                Ok(())
            }
            None => {
                self.counts.add(PageCounter::Miss, 1);
                self.read(no, frame, buf)
            }
        };
        let pool = &self.database.pool;
        self.counts.of_pool(|| pool.get_or_read(self.pool_state.get(), no, page_size.bytes(), read))
    }

    /// The clean page `no` is `bytes` from now on.
    pub(crate) fn put_into_pool(&self, no: PageNo, bytes: Arc<[u8]>) {
        self.database.pool.put(self.pool_state.get(), no, bytes);
    }

    /// The clean page `no`, if it is in the pool, which forgets it.
    pub(crate) fn take_from_pool(&self, no: PageNo) -> Option<Arc<[u8]>> {
        self.database.pool.take(self.pool_state.get(), no)
    }

    /// The page `no` where it lies in the mapped file, whatever a log may have.
    pub(crate) fn mapped_page(&self, view: &View, no: PageNo) -> Option<PageRef> {
        let page_size = view.page_size.get();
        let mapped = view.mapped.get();
        let there = self.is_mapped(mapped, no, page_size.get());
        there.then(|| mapped.page(no.index() * page_size.bytes(), page_size.get(), view.epoch.get()))
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
        if self.reading.get() == Reading::Mapped
            && let Some(page) = self.mapped_page(view, no)
        {
            return Some(page);
        }
        self.database.pool.get(self.pool_state.get(), no)
    }
}
