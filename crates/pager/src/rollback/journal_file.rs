//! The journal of one commit: written in one go, since the old pages are in the database file until
//! the commit overwrites them.

use std::io::IoSlice;
use std::sync::Arc;

use lithe_format::bytes::put_u32;
use lithe_format::journal::{HEADER_LEN, JournalHeader, MAGIC, record_checksum, super_journal_record};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{DeviceCharacteristics, File, SyncFlags};

use super::playback::super_journal_of;
use crate::error::Result;
use crate::options::Synchronous;

/// Headers are padded to this where a torn write cannot harm its neighbours.
const SECTOR_SIZE_POWERSAFE: u32 = 512;

/// How many pages go into one write.
const BATCH: usize = 256;

/// A journal that is being written, or waits to be finished.
#[derive(Debug)]
pub(crate) struct JournalFile {
    file: Arc<dyn File>,
    header: JournalHeader,
    /// Where the next record goes.
    end: u64,
    /// It names a super-journal, so its end must not survive it.
    pub(crate) has_super: bool,
}

/// The sector size that journal headers are padded to.
pub(crate) fn sector_size(database: &dyn File) -> u32 {
    if database.characteristics().contains(DeviceCharacteristics::POWERSAFE_OVERWRITE) {
        return SECTOR_SIZE_POWERSAFE;
    }
    database.sector_size().clamp(SECTOR_SIZE_POWERSAFE, lithe_format::journal::SECTOR_SIZE_MAX)
}

impl JournalFile {
    /// A journal in `file`.
    pub(crate) fn new(file: Arc<dyn File>, nonce: u32, page_size: PageSize, sector_size: u32) -> JournalFile {
        let header = JournalHeader { records: 0, nonce, page_count: 0, sector_size, page_size };
        JournalFile { file, header, end: u64::from(sector_size), has_super: false }
    }

    pub(crate) fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    /// Writes the journal, or writes it anew, of a transaction that found `page_count` pages: a header that does not count,
    /// and the old content of `pages`.
    pub(crate) fn write<'a>(
        &mut self,
        page_count: u32,
        pages: impl Iterator<Item = Result<(PageNo, impl AsRef<[u8]> + 'a)>>,
    ) -> Result<()> {
        self.header.page_count = page_count;
        self.header.records = 0;
        let mut lead = vec![0u8; self.header.sector_size as usize];
        lead[..HEADER_LEN].copy_from_slice(&self.header.write());
        lead[..MAGIC.len()].fill(0);
        self.end = lead.len() as u64;
        let mut batch = Vec::with_capacity(BATCH);
        for page in pages {
            batch.push(page?);
            if batch.len() == BATCH {
                self.write_records(&lead, &batch)?;
                lead.clear();
                batch.clear();
            }
        }
        self.write_records(&lead, &batch)
    }

    /// Writes records, behind `lead` if that is not written yet. The checksum of one record and the page number of the next
    /// are neighbours: two pieces a page.
    fn write_records(&mut self, lead: &[u8], pages: &[(PageNo, impl AsRef<[u8]>)]) -> Result<()> {
        if pages.is_empty() && lead.is_empty() {
            return Ok(());
        }
        let mut glue = vec![[0u8; 8]; pages.len() + 1];
        for (at, (no, page)) in pages.iter().enumerate() {
            put_u32(&mut glue[at], 4, no.get());
            put_u32(&mut glue[at + 1], 0, record_checksum(self.header.nonce, page.as_ref()));
        }
        let mut pieces = Vec::with_capacity(2 * pages.len() + 2);
        pieces.push(IoSlice::new(lead));
        if !pages.is_empty() {
            pieces.push(IoSlice::new(&glue[0][4..]));
        }
        for (at, (_, page)) in pages.iter().enumerate() {
            let after = &glue[at + 1];
            pieces.push(IoSlice::new(page.as_ref()));
            pieces.push(IoSlice::new(if at + 1 < pages.len() { after } else { &after[..4] }));
        }
        self.file.write_vectored_at(&pieces, self.end - lead.len() as u64)?;
        self.end += self.header.record_len() * pages.len() as u64;
        self.header.records += pages.len() as u32;
        Ok(())
    }

    /// Makes the journal hot: from now on a crash leads back to before the transaction.
    ///
    /// The number of records is written last, and with `Full` the records are synced before it: the
    /// checksums are too weak to tell a record from garbage on its own.
    pub(crate) fn make_hot(
        &mut self,
        super_journal: Option<&str>,
        synchronous: Synchronous,
        flags: SyncFlags,
    ) -> Result<()> {
        if let Some(name) = super_journal {
            self.append_super_journal(name.as_bytes())?;
        } else {
            self.blind_leftover()?;
        }
        if synchronous >= Synchronous::Full {
            self.file.sync(flags)?;
        }
        self.restore_header(synchronous, flags)
    }

    /// The name must be what the file ends with.
    fn append_super_journal(&mut self, name: &[u8]) -> Result<()> {
        let record = super_journal_record(name, self.header.page_size);
        self.file.write_at(&record, self.end)?;
        self.file.truncate(self.end + record.len() as u64)?;
        self.has_super = true;
        Ok(())
    }

    /// A journal that persisted may be longer than ours, and hold a header where our next segment
    /// would be; or it may end with the name of a super-journal, on which ours would seem to depend.
    fn blind_leftover(&self) -> Result<()> {
        if self.file.size()? <= self.end {
            return Ok(());
        }
        if super_journal_of(&*self.file)?.is_some() {
            self.file.truncate(self.end)?;
        } else if let Some(next) = self.header.next_sector(self.end) {
            self.file.write_at(&[0; HEADER_LEN], next)?;
        }
        Ok(())
    }

    /// Makes the journal hot again.
    pub(crate) fn restore_header(&self, synchronous: Synchronous, flags: SyncFlags) -> Result<()> {
        self.file.write_at(&self.header.write(), 0)?;
        if synchronous >= Synchronous::Normal {
            self.file.sync(flags)?;
        }
        Ok(())
    }

    /// Zeroes the header: the journal is no longer hot.
    pub(crate) fn zero_header(&self) -> Result<()> {
        self.file.write_at(&[0; HEADER_LEN], 0)?;
        Ok(())
    }
}
