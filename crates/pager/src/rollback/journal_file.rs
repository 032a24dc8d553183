//! The journal of one commit: written in one go, since the old pages are in the database file until
//! the commit overwrites them.

use std::cell::Cell;
use std::io::IoSlice;
use std::sync::Arc;

use lithe_format::bytes::put_u32;
use lithe_format::journal::{
    HEADER_LEN, JournalHeader, MAGIC, RECORDS_AT, RECORDS_TO_THE_END, SECTOR_SIZE_MAX, SECTOR_SIZE_MIN,
    record_checksum, super_journal_record,
};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{DeviceCharacteristics, File, SyncFlags};

use super::playback::super_journal_of;
use crate::error::{Error, Result};
use crate::options::Synchronous;

/// Headers are padded to this size where a torn write cannot harm its neighbours.
const SECTOR_SIZE_POWERSAFE: u32 = 512;

/// How many pages most transactions do not exceed.
const FEW: usize = 7;

/// How many pages go into one write.
const BATCH: usize = 256;

/// A journal that is being written, or that is complete and not ended yet.
#[derive(Debug)]
pub(crate) struct JournalFile {
    file: Arc<dyn File>,
    /// The header of the newest segment.
    header: JournalHeader,
    segment_at: u64,
    /// How many records the first segment has, if there are more.
    records_of_first: Option<u32>,
    /// The first header was zeroed.
    header_is_gone: Cell<bool>,
    /// Where the next record goes.
    end: u64,
    /// The journal names a super-journal. The name must not stay at the end of a file that is reused.
    pub(crate) has_super: bool,
}

/// The state of a journal whose file is closed.
#[derive(Debug)]
pub(crate) struct ClosedJournal {
    header: JournalHeader,
    segment_at: u64,
    records_of_first: Option<u32>,
    end: u64,
    has_super: bool,
}

/// The sector size that journal headers are padded to.
pub(crate) fn sector_size(database: &dyn File) -> u32 {
    if database.characteristics().contains(DeviceCharacteristics::POWERSAFE_OVERWRITE) {
        return SECTOR_SIZE_POWERSAFE;
    }
    database.sector_size().clamp(SECTOR_SIZE_MIN, SECTOR_SIZE_MAX)
}

impl JournalFile {
    /// A journal in `file`.
    pub(crate) fn new(file: Arc<dyn File>, nonce: u32, page_size: PageSize, sector_size: u32) -> JournalFile {
        let header = JournalHeader { records: 0, nonce, page_count: 0, sector_size, page_size };
        let end = u64::from(sector_size);
        let (segment_at, records_of_first, header_is_gone) = (0, None, Cell::new(false));
        JournalFile { file, header, segment_at, records_of_first, header_is_gone, end, has_super: false }
    }

    pub(crate) fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    /// Writes the journal, or rewrites it, for a transaction that found `page_count` pages: a header that does not count
    /// yet, and the old content of `pages`.
    pub(crate) fn write<'a>(
        &mut self,
        page_count: u32,
        pages: impl Iterator<Item = Result<(PageNo, impl AsRef<[u8]> + 'a)>>,
    ) -> Result<()> {
        self.header.page_count = page_count;
        self.header.records = 0;
        let (mut usual, mut longer) = ([0; SECTOR_SIZE_POWERSAFE as usize], Vec::new());
        let mut lead = match self.header.sector_size {
            SECTOR_SIZE_POWERSAFE => &mut usual[..],
            size => {
                longer.resize(size as usize, 0);
                &mut longer
            }
        };
        lead[..HEADER_LEN].copy_from_slice(&self.header.write());
        lead[..MAGIC.len()].fill(0);
        self.end = lead.len() as u64;
        let mut batch = Vec::with_capacity(pages.size_hint().0.min(BATCH)); // most transactions write a few pages
        for page in pages {
            batch.push(page?);
            if batch.len() == BATCH {
                self.write_records(lead, &batch)?;
                lead = &mut [];
                batch.clear();
            }
        }
        self.write_records(lead, &batch)
    }

    /// Writes records, behind `lead` if that is not written yet. The checksum of one record and the page number of the next
    /// are adjacent, so each page takes two pieces.
    fn write_records(&mut self, lead: &[u8], pages: &[(PageNo, impl AsRef<[u8]>)]) -> Result<()> {
        if pages.is_empty() && lead.is_empty() {
            return Ok(());
        }
        assert!(self.end >= lead.len() as u64, "records come behind the header");
        let (mut few, mut many) = ([[0; 8]; FEW + 1], Vec::new());
        let glue = match pages.len() {
            ..=FEW => &mut few[..],
            count => {
                many.resize(count + 1, [0; 8]);
                &mut many
            }
        };
        for (at, (no, page)) in pages.iter().enumerate() {
            put_u32(&mut glue[at], 4, no.get());
            put_u32(&mut glue[at + 1], 0, record_checksum(self.header.nonce, page.as_ref()));
        }
        let (mut few, mut many) = ([IoSlice::new(&[]); 2 * FEW + 2], Vec::new());
        let pieces = match pages.len() {
            0 => &mut few[..1],
            count @ 1..=FEW => &mut few[..2 * count + 2],
            count => {
                many.resize(2 * count + 2, IoSlice::new(&[]));
                &mut many
            }
        };
        pieces[0] = IoSlice::new(lead);
        if let Some(piece) = pieces.get_mut(1) {
            *piece = IoSlice::new(&glue[0][4..]);
        }
        for (at, (_, page)) in pages.iter().enumerate() {
            let after = &glue[at + 1];
            pieces[2 * at + 2] = IoSlice::new(page.as_ref());
            pieces[2 * at + 3] = IoSlice::new(if at + 1 < pages.len() { after } else { &after[..4] });
        }
        self.file.write_vectored_at(pieces, self.end - lead.len() as u64)?;
        self.end += self.header.record_len() * pages.len() as u64;
        self.header.records += pages.len() as u32;
        Ok(())
    }

    /// Begins a journal that is written record by record: with a header that does not count yet, or without syncs with one that
    /// counts from the beginning.
    pub(crate) fn begin(&mut self, page_count: u32, synchronous: Synchronous) -> Result<()> {
        self.header.page_count = page_count;
        self.begin_segment(0, synchronous)
    }

    fn begin_segment(&mut self, at: u64, synchronous: Synchronous) -> Result<()> {
        self.segment_at = at;
        self.header.records = 0;
        let mut lead = vec![0; self.header.sector_size as usize];
        if synchronous == Synchronous::Off {
            let counts_to_the_end = JournalHeader { records: RECORDS_TO_THE_END, ..self.header };
            lead[..HEADER_LEN].copy_from_slice(&counts_to_the_end.write());
        } else {
            lead[..HEADER_LEN].copy_from_slice(&self.header.write());
            lead[..MAGIC.len()].fill(0);
        }
        let piece = self.header.page_size.bytes().min(lead.len());
        for (n, bytes) in lead.chunks(piece).enumerate() {
            self.file.write_at(bytes, at + (n * piece) as u64)?;
        }
        self.end = at + lead.len() as u64;
        Ok(())
    }

    /// Makes the segment count: a crash from here on restores its pages. The next records go to a new segment, which does not
    /// count yet.
    pub(crate) fn seal(&mut self, synchronous: Synchronous, flags: SyncFlags) -> Result<()> {
        if synchronous == Synchronous::Off {
            return Ok(());
        }
        self.sync_segment(synchronous, flags)?;
        let Some(next) = self.header.next_sector(self.end) else { return Err(Error::Full) };
        self.records_of_first.get_or_insert(self.header.records);
        self.begin_segment(next, synchronous)
    }

    /// Adds the record of one page.
    pub(crate) fn append(&mut self, no: PageNo, page: &[u8]) -> Result<()> {
        assert_eq!(page.len(), self.header.page_size.bytes(), "a record has a whole page");
        let mut word = [0; 4];
        put_u32(&mut word, 0, no.get());
        self.file.write_at(&word, self.end)?;
        self.file.write_at(page, self.end + 4)?;
        put_u32(&mut word, 0, record_checksum(self.header.nonce, page));
        self.file.write_at(&word, self.end + 4 + page.len() as u64)?;
        self.end += self.header.record_len();
        self.header.records += 1;
        Ok(())
    }

    /// As [`JournalFile::make_hot`], in SQLite's order.
    pub(crate) fn make_hot_in_steps(
        &mut self,
        super_journal: Option<&str>,
        synchronous: Synchronous,
        flags: SyncFlags,
    ) -> Result<()> {
        if let Some(name) = super_journal {
            self.append_super_journal_in_steps(name.as_bytes(), synchronous >= Synchronous::Full)?;
        }
        if synchronous == Synchronous::Off { Ok(()) } else { self.sync_segment(synchronous, flags) }
    }

    fn sync_segment(&self, synchronous: Synchronous, flags: SyncFlags) -> Result<()> {
        // An older, longer journal may have a header where the next one would be: it must not be read as part of this
        // journal.
        if let Some(next) = self.header.next_sector(self.end) {
            let mut leftover = [0; MAGIC.len()];
            if self.file.read_at(&mut leftover, next)? == leftover.len() && leftover == MAGIC {
                self.file.write_at(&[0], next)?;
            }
        }
        let in_order = self.file.characteristics().contains(DeviceCharacteristics::SEQUENTIAL);
        if synchronous >= Synchronous::Full && !in_order {
            self.file.sync(flags)?;
        }
        self.file.write_at(&self.header.write()[..RECORDS_AT + 4], self.segment_at)?;
        if !in_order {
            // The length is on the device already.
            let only_data = if flags == SyncFlags::FULL { flags | SyncFlags::DATAONLY } else { flags };
            self.file.sync(only_data)?;
        }
        Ok(())
    }

    fn append_super_journal_in_steps(&mut self, name: &[u8], on_a_sector: bool) -> Result<()> {
        let record = super_journal_record(name, self.header.page_size);
        let mut at = self.end;
        if on_a_sector {
            at = self.header.next_sector(at).unwrap_or(at);
        }
        let (no, rest) = record.split_at(4);
        let (name, rest) = rest.split_at(name.len());
        let (len, rest) = rest.split_at(4);
        let (sum, magic) = rest.split_at(4);
        for part in [no, name, len, sum, magic] {
            self.file.write_at(part, at)?;
            at += part.len() as u64;
        }
        self.end = at;
        self.has_super = true;
        if self.file.size()? > at {
            self.file.truncate(at)?;
        }
        Ok(())
    }

    /// Closes the file, and answers what a handle that is opened again needs.
    pub(crate) fn close(self) -> ClosedJournal {
        let JournalFile { header, segment_at, records_of_first, end, has_super, .. } = self;
        ClosedJournal { header, segment_at, records_of_first, end, has_super }
    }

    /// A journal that was closed, in a new handle.
    pub(crate) fn reopen(closed: ClosedJournal, file: Arc<dyn File>) -> JournalFile {
        let ClosedJournal { header, segment_at, records_of_first, end, has_super } = closed;
        JournalFile { file, header, segment_at, records_of_first, header_is_gone: Cell::new(false), end, has_super }
    }

    /// Truncates the journal to nothing.
    pub(crate) fn truncate(&self, synchronous: Synchronous, flags: SyncFlags) -> Result<()> {
        self.file.truncate(0)?;
        if synchronous >= Synchronous::Full {
            self.file.sync(flags)?;
        }
        Ok(())
    }

    /// Ends the journal by zeroing its header, and truncates it to `size_max`.
    pub(crate) fn end_in_place(&self, synchronous: Synchronous, flags: SyncFlags, size_max: Option<u64>) -> Result<()> {
        // The next journal must not end with the name of this one's super-journal.
        let size_max = if self.has_super { Some(0) } else { size_max };
        if size_max == Some(0) {
            self.file.truncate(0)?;
        } else {
            self.zero_header()?;
        }
        if synchronous >= Synchronous::Normal {
            self.file.sync(flags | SyncFlags::DATAONLY)?;
        }
        if let Some(size_max) = size_max.filter(|size_max| *size_max > 0)
            && self.file.size()? > size_max
        {
            self.file.truncate(size_max)?;
        }
        Ok(())
    }

    /// Makes the journal hot: from now on a crash leads back to the state before the transaction.
    ///
    /// The number of records is written last, and with `Full` the records are synced before it, because the checksums
    /// are too weak to tell a record from garbage.
    pub(crate) fn make_hot(
        &mut self,
        super_journal: Option<&str>,
        synchronous: Synchronous,
        flags: SyncFlags,
    ) -> Result<()> {
        if let Some(name) = super_journal {
            self.append_super_journal(name.as_bytes())?;
        } else {
            self.invalidate_leftover()?;
        }
        if synchronous >= Synchronous::Full {
            self.file.sync(flags)?;
        }
        self.write_header(&self.header, synchronous, flags)
    }

    /// Appends the record of the super-journal's name, and truncates the file behind it: the name must be what the file
    /// ends with.
    fn append_super_journal(&mut self, name: &[u8]) -> Result<()> {
        let record = super_journal_record(name, self.header.page_size);
        self.file.write_at(&record, self.end)?;
        self.file.truncate(self.end + record.len() as u64)?;
        self.has_super = true;
        Ok(())
    }

    /// Removes what an older journal in the same file may have left behind this one: a header where the next segment
    /// would be, or the name of a super-journal at the end, on which this journal would seem to depend.
    fn invalidate_leftover(&self) -> Result<()> {
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

    /// Writes the header of a journal back that a failed commit may have zeroed: the journal is hot again.
    pub(crate) fn bring_back_header(&self, synchronous: Synchronous, flags: SyncFlags) -> Result<()> {
        if !self.header_is_gone.get() {
            return Ok(());
        }
        let records = self.records_of_first.unwrap_or(self.header.records);
        self.write_header(&JournalHeader { records, ..self.header }, synchronous, flags)?;
        self.header_is_gone.set(false);
        Ok(())
    }

    fn write_header(&self, header: &JournalHeader, synchronous: Synchronous, flags: SyncFlags) -> Result<()> {
        self.file.write_at(&header.write(), 0)?;
        if synchronous >= Synchronous::Normal {
            self.file.sync(flags)?;
        }
        Ok(())
    }

    /// Zeroes the header: the journal is no longer hot.
    pub(crate) fn zero_header(&self) -> Result<()> {
        self.header_is_gone.set(true);
        self.file.write_at(&[0; HEADER_LEN], 0)?;
        Ok(())
    }
}
