//! Where clean pages come from.

use std::sync::Arc;

use lithe_format::PageNo;

use super::FileStore;
use crate::error::Result;
use crate::page_ref::PageRef;
use crate::pager::View;

impl FileStore {
    /// The page `no` as the snapshot has it. What a file lacks at its end reads as zeros.
    pub(crate) fn page(&self, view: &View, no: PageNo) -> Result<PageRef> {
        let page_size = view.page_size.get();
        if let Some(wal) = &*self.wal.borrow()
            && let Some(frame) = wal.find(no)?
        {
            if let Some(page) = wal.mapped_page(frame, page_size) {
                return Ok(page);
            }
            let mut bytes = vec![0; page_size.bytes()];
            wal.read_page(frame, page_size, &mut bytes)?;
            return Ok(PageRef::from_arc(Arc::from(bytes)));
        }
        let mapped = view.mapped.get();
        if self.is_mapped(mapped, no, page_size.get()) {
            return Ok(mapped.page(no.index() * page_size.bytes(), page_size.get()));
        }
        let mut bytes = vec![0; page_size.bytes()];
        self.file.read_at(&mut bytes, no.offset(page_size.get()))?;
        Ok(PageRef::from_arc(Arc::from(bytes)))
    }
}
