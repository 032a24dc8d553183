//! Databases in files: locks, sources of pages, commits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lithe_format::PageNo;
use lithe_format::db_header::{DbHeader, HEADER_LEN};
use lithe_vfs::{File, LockLevel, OpenFlags, Opened, ResultCode, Vfs};

use crate::database::Database;
use crate::error::{Error, Result};
use crate::options::{BeginKind, OpenOptions};
use crate::page_ref::{MappedFile, PageRef};
use crate::pager::{Pager, View, WriteTxn, wants_exclusive};

/// A database in a file.
#[derive(Debug)]
pub(crate) struct FileStore {
    vfs: Arc<dyn Vfs>,
    path: PathBuf,
    file: Arc<dyn File>,
    database: Arc<Database>,
    read_only: bool,
    locks: bool,
    mmap_size: u64,
}

impl FileStore {
    pub(crate) fn new(
        vfs: Arc<dyn Vfs>,
        path: PathBuf,
        opened: Opened,
        database: Arc<Database>,
        options: &OpenOptions,
    ) -> FileStore {
        FileStore {
            vfs,
            path,
            file: opened.file,
            database,
            read_only: opened.flags.contains(OpenFlags::READONLY),
            locks: !options.no_lock && !options.immutable,
            mmap_size: options.mmap_size,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    pub(crate) fn borrows_are_stable(&self) -> bool {
        self.mmap_size == 0
    }

    pub(crate) fn begin_read(&self, pager: &Pager) -> Result<()> {
        if self.locks && !self.file.lock(LockLevel::Shared)? {
            return Err(Error::Busy);
        }
        let ready = self.look(pager);
        if ready.is_err() {
            self.end_read()?;
        }
        ready
    }

    /// Learns size and shape of the database from its first bytes.
    fn look(&self, pager: &Pager) -> Result<()> {
        let size = self.file.size()?;
        let view = &pager.view;
        view.page_count.set(0);
        view.direct.set(0);
        if size == 0 {
            return Ok(());
        }
        let mut header = [0; HEADER_LEN];
        self.file.read_at(&mut header, 0)?;
        let header = DbHeader::read(&header).map_err(|_| Error::NotADb)?;
        pager.adopt_page_size(header.page_size, header.reserved);
        let pages_in_file = u32::try_from(size / u64::from(header.page_size.get())).unwrap_or(u32::MAX);
        let page_count = header.trusted_page_count().unwrap_or(pages_in_file);
        if page_count > pages_in_file {
            return Err(Error::corrupt("the file is shorter than its header says"));
        }
        view.page_count.set(page_count);
        self.map(pager, size)?;
        pager.bump_write_version();
        Ok(())
    }

    fn map(&self, pager: &Pager, size: u64) -> Result<()> {
        let mapping = if self.mmap_size == 0 { None } else { self.database.mapping(&*self.file)? };
        let mapped = mapping.map_or(MappedFile::NONE, |mapping| MappedFile::new(mapping, size.min(self.mmap_size)));
        let mapped_pages = mapped.valid() / pager.page_size().bytes();
        pager.view.mapped.set(mapped);
        pager.view.direct.set(pager.page_count().min(u32::try_from(mapped_pages).unwrap_or(u32::MAX)));
        Ok(())
    }

    pub(crate) fn end_read(&self) -> Result<()> {
        if self.locks {
            self.file.unlock(LockLevel::None)?;
        }
        Ok(())
    }

    pub(crate) fn begin_write(&self, kind: BeginKind) -> Result<()> {
        if self.read_only {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        let level = if wants_exclusive(kind) { LockLevel::Exclusive } else { LockLevel::Reserved };
        if self.locks && !self.file.lock(level)? {
            return Err(Error::Busy);
        }
        Ok(())
    }

    pub(crate) fn page(&self, view: &View, no: PageNo) -> Result<PageRef> {
        let page_size = view.page_size.get();
        let mapped = view.mapped.get();
        let offset = no.offset(page_size.get());
        if offset + u64::from(page_size.get()) <= mapped.valid() as u64 {
            return Ok(mapped.page(offset as usize, page_size.get()));
        }
        let mut bytes = vec![0; page_size.bytes()];
        if self.file.read_at(&mut bytes, offset)? < bytes.len() {
            return Err(Error::corrupt_page(no, "page beyond the end of the file"));
        }
        Ok(PageRef::from_arc(Arc::from(bytes)))
    }

    pub(crate) fn commit_phase_one(&self, _pager: &Pager, _super_journal: Option<&str>) -> Result<()> {
        let _ = &self.vfs;
        Err(Error::NotSupported("writing to files"))
    }

    pub(crate) fn commit_phase_two(&self, _pager: &Pager, _txn: &mut WriteTxn) -> Result<()> {
        Err(Error::NotSupported("writing to files"))
    }

    pub(crate) fn rollback(&self, pager: &Pager) -> Result<()> {
        if self.locks {
            self.file.unlock(LockLevel::Shared)?;
        }
        self.look(pager)
    }
}
