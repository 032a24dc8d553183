//! Databases without a file: all pages are private, and a commit moves buffers. A temporary database moves pages to a
//! temporary file when there are many.

use std::cell::RefCell;
use std::sync::Arc;

use lithe_format::PageNo;
use lithe_vfs::{OpenFlags, ResultCode, Vfs};

use crate::error::{Error, Result};
use crate::page_ref::PageRef;
use crate::temp_file::TempPages;
use crate::write_txn::WriteTxn;

/// The committed pages.
#[derive(Debug)]
pub(crate) struct MemoryStore {
    /// The VFS of a temporary database's file; `None` for a database in memory.
    vfs: Option<Arc<dyn Vfs>>,
    /// The database is read-only, and so stays empty.
    is_read_only: bool,
    pages: RefCell<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    all: Vec<Stored>,
    in_memory: usize,
    /// The clock's hand, which finds pages to move to the temporary file.
    hand: usize,
    temp: TempPages,
    /// Places in the temporary file that are free again.
    free: Vec<u32>,
    /// Pages in the temporary file that the prepared commit will adopt.
    prepared: Vec<(PageNo, u32)>,
}

#[derive(Clone, Debug)]
enum Stored {
    Memory(Arc<[u8]>),
    Temp(u32),
}

impl MemoryStore {
    /// A database in memory, or with a `vfs` a temporary one.
    pub(crate) fn new(vfs: Option<Arc<dyn Vfs>>, is_read_only: bool) -> MemoryStore {
        MemoryStore { vfs, is_read_only, pages: RefCell::default() }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    pub(crate) fn begin_write(&self) -> Result<()> {
        if self.is_read_only { Err(Error::ReadOnly(ResultCode::READONLY)) } else { Ok(()) }
    }

    /// How many pages are in memory.
    pub(crate) fn pages_in_memory(&self) -> usize {
        let pages = self.pages.borrow();
        // Only a temporary database counts them, because some of its pages may be in the temporary file.
        if self.vfs.is_some() { pages.in_memory } else { pages.all.len() }
    }

    pub(crate) fn vfs(&self) -> Option<&Arc<dyn Vfs>> {
        self.vfs.as_ref()
    }

    #[inline]
    pub(crate) fn page(&self, no: PageNo, page_size: usize) -> Result<Option<PageRef>> {
        let pages = self.pages.borrow();
        Ok(match pages.all.get(no.index()) {
            None => None,
            Some(Stored::Memory(bytes)) => Some(PageRef::from_arc(bytes.clone())),
            Some(Stored::Temp(place)) => {
                let mut bytes = vec![0; page_size];
                pages.temp.read(*place, &mut bytes)?;
                Some(PageRef::from_arc(Arc::from(bytes)))
            }
        })
    }

    /// The part of a commit that can fail: pages that the transaction spilled get places here, so that their adoption
    /// cannot fail.
    pub(crate) fn prepare(&self, txn: &WriteTxn, page_size: usize) -> Result<()> {
        let Some(vfs) = &self.vfs else { return Ok(()) };
        let pages = &mut *self.pages.borrow_mut();
        // The places of an earlier commit that was prepared and not made.
        pages.free.extend(pages.prepared.drain(..).map(|(_, place)| place));
        if txn.spill.temp.is_empty() {
            return Ok(());
        }
        let mut bytes = vec![0; page_size];
        for no in txn.spill.temp.page_numbers().filter(|no| txn.dirty.find(*no).is_none()) {
            txn.spill.temp.read(no, &mut bytes)?;
            let place = pages.put_into_file(&**vfs, &bytes)?;
            pages.prepared.push((no, place));
        }
        Ok(())
    }

    /// Commits: adopts the pages that a transaction wrote.
    pub(crate) fn publish(&self, txn: &mut WriteTxn, page_count: u32, page_size: usize) {
        let pages = &mut *self.pages.borrow_mut();
        let len = page_count as usize;
        if len > pages.all.len() {
            let blank = txn.dirty.zeroed(page_size);
            pages.in_memory += len - pages.all.len();
            pages.all.resize(len, Stored::Memory(blank));
        }
        txn.dirty.drain(|no, bytes| pages.replace(no.index(), bytes));
        for (no, place) in std::mem::take(&mut pages.prepared) {
            pages.replace_by_place(no.index(), place);
        }
        while pages.all.len() > len {
            if let Some(last) = pages.all.pop() {
                pages.forget(last);
            }
        }
        txn.spill.temp.clear();
    }

    /// Moves pages to the temporary file until no more than `max` are in memory. After an error the rest stays in
    /// memory.
    pub(crate) fn shrink_to(&self, max: usize) -> Result<()> {
        let Some(vfs) = &self.vfs else { return Ok(()) };
        let pages = &mut *self.pages.borrow_mut();
        while pages.in_memory > max {
            pages.put_one_elsewhere(&**vfs)?;
        }
        Ok(())
    }
}

impl Pages {
    /// Replaces a page by its new version, and answers a buffer for reuse.
    fn replace(&mut self, index: usize, bytes: Arc<[u8]>) -> Option<Arc<[u8]>> {
        let Some(place) = self.all.get_mut(index) else { return Some(bytes) };
        match std::mem::replace(place, Stored::Memory(bytes)) {
            Stored::Memory(old) => Some(old),
            Stored::Temp(old) => {
                self.in_memory += 1;
                self.free.push(old);
                None
            }
        }
    }

    fn replace_by_place(&mut self, index: usize, place: u32) {
        match self.all.get_mut(index) {
            Some(stored) => {
                let old = std::mem::replace(stored, Stored::Temp(place));
                self.forget(old);
            }
            None => self.free.push(place),
        }
    }

    fn put_into_file(&mut self, vfs: &dyn Vfs, bytes: &[u8]) -> Result<u32> {
        let Some(place) = self.free.pop() else { return self.temp.append(vfs, OpenFlags::TEMP_DB, &[bytes]) };
        self.temp.overwrite(place, &[bytes])?;
        Ok(place)
    }

    fn forget(&mut self, stored: Stored) {
        match stored {
            Stored::Memory(_) => self.in_memory -= 1,
            Stored::Temp(place) => self.free.push(place),
        }
    }

    fn put_one_elsewhere(&mut self, vfs: &dyn Vfs) -> Result<()> {
        loop {
            self.hand = (self.hand + 1) % self.all.len();
            let Stored::Memory(bytes) = self.all[self.hand].clone() else { continue };
            let place = self.put_into_file(vfs, &bytes)?;
            self.all[self.hand] = Stored::Temp(place);
            self.in_memory -= 1;
            return Ok(());
        }
    }
}
