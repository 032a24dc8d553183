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
        let mapped = view.mapped.get();
        if self.is_mapped(mapped, no, page_size.get()) {
            return Ok(mapped.page(no.index() * page_size.bytes(), page_size.get()));
        }
        let mut bytes = vec![0; page_size.bytes()];
        self.file.read_at(&mut bytes, no.offset(page_size.get()))?;
        Ok(PageRef::from_arc(Arc::from(bytes)))
    }
}
