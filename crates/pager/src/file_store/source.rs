//! Where clean pages come from.

use lithe_format::{PageNo, PageSize};
use lithe_vfs::LockLevel;

use super::FileStore;
use crate::counts::PageCounter;
use crate::error::Result;
use crate::page_ref::PageRef;
use crate::rollback::journal_file::sector_size;
use crate::sector::Sectors;
use crate::snapshot::View;

impl FileStore {
    /// The page `no` as the snapshot has it. What a file lacks at its end reads as zeros.
    pub(crate) fn page(&self, view: &View, no: PageNo) -> Result<PageRef> {
        let page_size = view.page_size.get();
        let mut frame = None;
        if let Some(wal) = &*self.log.wal.borrow() {
            frame = wal.find(no)?;
            if let Some(page) = frame.and_then(|frame| wal.mapped_page(frame, page_size, view.epoch.get())) {
                return Ok(page);
            }
        }
        let mapped = if frame.is_none() { view.mapped_page(no) } else { None };
        if let Some(mapped) = &mapped
            && !view.reads_copies.get()
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
        self.counts.of_pool(|| pool.get_or_read(&view.id.get(), no, page_size.bytes(), read))
    }

    fn read(&self, no: PageNo, frame: Option<u32>, buf: &mut [u8]) -> Result<()> {
        let page_size = PageSize::new(buf.len() as u32).expect("buffers are pages");
        match frame {
            Some(frame) => self.with_wal(|wal| wal.read_page(frame, page_size, buf)),
            None => self.read_from_file(no, buf),
        }
    }

    /// A VFS of an application may show pages in memory to a reader: all but page 1.
    fn read_from_file(&self, no: PageNo, buf: &mut [u8]) -> Result<()> {
        let offset = no.offset(buf.len() as u32);
        let may_be_shown = self.calls.uses_fetch && self.mmap_size() > 0 && self.level.get() <= LockLevel::Shared;
        if !(may_be_shown && no > PageNo::FIRST && self.file.read_fetched(buf, offset)?) {
            self.file.read_at(buf, offset)?;
        }
        Ok(())
    }

    /// The page `no` of the snapshot if it is in memory: mapped, or in the pool.
    pub(crate) fn page_at_hand(&self, view: &View, no: PageNo) -> Option<PageRef> {
        if let Some(wal) = &*self.log.wal.borrow()
            && let Some(frame) = wal.find(no).ok()?
        {
            let mapped = wal.mapped_page(frame, view.page_size.get(), view.epoch.get());
            return mapped.or_else(|| self.database.pool.get(&view.id.get(), no));
        }
        let mapped = if view.reads_copies.get() { None } else { view.mapped_page(no) };
        mapped.or_else(|| self.database.pool.get(&view.id.get(), no))
    }

    /// Whether clean pages are references into the mapped file.
    pub(crate) fn reads_mapped(&self, view: &View) -> bool {
        self.mmap_size() > 0 && !view.reads_copies.get()
    }

    /// The sectors of the database file.
    pub(crate) fn sectors(&self, page_size: PageSize) -> Sectors {
        Sectors::new(sector_size(&*self.file), page_size)
    }
}
