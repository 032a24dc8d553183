//! Pages in a temporary file, which is created with the first of them.

use std::io::IoSlice;
use std::sync::Arc;

use lithe_vfs::{File, OpenFlags, Vfs};

use crate::error::{Error, Result};

/// A temporary file of pages; their places are numbered from 0.
#[derive(Debug, Default)]
pub(crate) struct TempPages {
    file: Option<Arc<dyn File>>,
    /// The number of places in use.
    len: u32,
}

impl TempPages {
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Adds pages at the end, and answers the place of the first.
    pub(crate) fn append(&mut self, vfs: &dyn Vfs, flags: OpenFlags, pages: &[&[u8]]) -> Result<u32> {
        let first = self.len;
        let end = u32::try_from(pages.len()).ok().and_then(|n| first.checked_add(n)).ok_or(Error::Full)?;
        let page_size = pages.first().map_or(0, |page| page.len() as u64);
        let slices: Vec<IoSlice<'_>> = pages.iter().map(|page| IoSlice::new(page)).collect();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(vfs.open(None, flags | TEMPORARY)?.file),
        };
        file.write_vectored_at(&slices, u64::from(first) * page_size)?;
        self.len = end;
        Ok(first)
    }

    /// Replaces the pages from `place` on.
    pub(crate) fn overwrite(&self, place: u32, pages: &[&[u8]]) -> Result<()> {
        let page_size = pages.first().map_or(0, |page| page.len() as u64);
        let slices: Vec<IoSlice<'_>> = pages.iter().map(|page| IoSlice::new(page)).collect();
        self.file().write_vectored_at(&slices, u64::from(place) * page_size)?;
        Ok(())
    }

    /// Reads the page at `place`.
    pub(crate) fn read(&self, place: u32, page: &mut [u8]) -> Result<()> {
        self.file().read_at(page, u64::from(place) * page.len() as u64)?;
        Ok(())
    }

    /// Reads pages at consecutive places, from `first` on.
    pub(crate) fn read_run(&self, first: u32, page_size: usize, pages: &mut [u8]) -> Result<()> {
        self.file().read_at(pages, u64::from(first) * page_size as u64)?;
        Ok(())
    }

    /// Forgets the places from `len` on.
    pub(crate) fn truncate(&mut self, len: u32) {
        self.len = self.len.min(len);
    }

    /// Forgets everything; a large file is closed, which frees its space.
    pub(crate) fn clear(&mut self) {
        const WORTH_KEEPING: u32 = 256;
        if self.len > WORTH_KEEPING {
            self.file = None;
        }
        self.len = 0;
    }

    /// The file, if there is one.
    pub(crate) fn handle(&self) -> Option<Arc<dyn File>> {
        self.file.clone()
    }

    fn file(&self) -> &Arc<dyn File> {
        self.file.as_ref().expect("a place was given out")
    }
}

const TEMPORARY: OpenFlags =
    OpenFlags(OpenFlags::READWRITE.0 | OpenFlags::CREATE.0 | OpenFlags::EXCLUSIVE.0 | OpenFlags::DELETEONCLOSE.0);
