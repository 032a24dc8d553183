//! The mappings of one file, as the connections of this process share them.
//!
//! A mapping reserves little more than the file's size, because address space is scarce in a process that has thousands of databases
//! open or a limit on its address space. A file that has outgrown its mapping is mapped again, twice as long, and the older mappings
//! stay, because readers hold references into them. All mappings of a file together take no more than twice the last one.
//!
//! ```text
//!   file        | a | b | c | d | e |
//!   mappings    | a | b |                    older references
//!               | a | b | c | d |
//!               | a | b | c | d | e |   |   |   |       new references
//! ```
//!
//! A file that the system does not map is read through buffers. So is every file with a mapping that has failed: see
//! `lithe_vfs::Mapping::has_failed`.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use lithe_vfs::{File, Mapping};

use crate::error::Result;
use crate::page_ref::MappedFile;

/// The mappings of one file, the longest last.
#[derive(Debug, Default)]
pub(crate) struct Mappings(Mutex<Vec<Arc<Mapping>>>);

impl Mappings {
    /// The mapping that shows the first `size` bytes, or as many of them as the system grants.
    pub(crate) fn covering(&self, file: &dyn File, size: u64) -> Result<Option<Arc<Mapping>>> {
        let mut all = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if all.iter().any(|mapping| mapping.has_failed()) {
            return Ok(None);
        }
        let len = all.last().map_or(0, |mapping| mapping.len());
        if (len as u64) < size
            && let Some(longer) = file.map(size)?
            && longer.len() > len
        {
            all.push(Arc::new(longer));
        }
        Ok(all.last().cloned())
    }
}

/// The mapping of a file that one connection has used last.
#[derive(Debug, Default)]
pub(crate) struct LastMapping(RefCell<Option<Arc<Mapping>>>);

impl LastMapping {
    /// The first `size` bytes of the file, as far as they are mapped. `covering` answers a mapping where this one is too
    /// short or has failed.
    pub(crate) fn show(
        &self,
        size: u64,
        covering: impl FnOnce() -> Result<Option<Arc<Mapping>>>,
    ) -> Result<MappedFile> {
        let mapping = &mut *self.0.borrow_mut();
        let is_long_enough = |mapping: &Arc<Mapping>| mapping.len() as u64 >= size && !mapping.has_failed();
        if size > 0 && !mapping.as_ref().is_some_and(is_long_enough) {
            *mapping = covering()?;
        }
        Ok(mapping.as_ref().map_or(MappedFile::NONE, |mapping| MappedFile::new(mapping, size)))
    }

    /// Calls `look` with the mapping, if there is one.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&Mapping) -> T) -> Option<T> {
        self.0.borrow().as_deref().map(look)
    }

    /// Whether the mapping has failed to show its file: what was read through it may be zeros.
    pub(crate) fn has_failed(&self) -> bool {
        self.with(Mapping::has_failed).unwrap_or(false)
    }

    /// Drops the mapping: nothing is read through it from now on.
    pub(crate) fn forget(&self) {
        self.0.replace(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_ref::Epoch;
    use lithe_vfs::{OpenFlags, UnixVfs, Vfs};

    #[test]
    #[cfg_attr(miri, ignore = "Miri maps no files")]
    fn references_outlive_a_longer_mapping() {
        let path = std::env::temp_dir().join(format!("lithe-mappings-{}", std::process::id()));
        let flags = OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::MAIN_DB | OpenFlags::DELETEONCLOSE;
        let file = UnixVfs.open(Some(&path), flags).unwrap().file;
        let mappings = Mappings::default();
        let mut pages = Vec::new();
        let mut lens = Vec::new();
        for n in 0..6u64 {
            let size = (512 << 10) << n;
            file.write_at(&[n as u8 + 1; 4096], size - 4096).unwrap();
            let mapping = mappings.covering(&*file, size).unwrap().unwrap();
            assert!(mapping.len() as u64 >= size && mapping.len() as u64 <= 2 * size.max(1 << 20));
            lens.push(mapping.len());
            let mapped = MappedFile::new(&mapping, size);
            pages.push(mapped.page(size as usize - 4096, 4096, Epoch::OF_ONE_CALL));
        }
        lens.dedup();
        assert!(lens.len() > 2, "{lens:?}");
        for (n, page) in pages.iter().enumerate() {
            assert_eq!(page[..], [n as u8 + 1; 4096]);
        }
        // What is written shows in all of them.
        file.write_at(&[77; 4096], (512 << 10) - 4096).unwrap();
        assert_eq!(pages[0][..], [77; 4096]);
    }
}
