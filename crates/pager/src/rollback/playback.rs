//! Restoring old pages from a journal.

use std::collections::HashSet;

use lithe_format::bytes::at_u32;
use lithe_format::journal::{
    HEADER_LEN, JournalHeader, MAGIC, RECORD_OVERHEAD, RECORDS_TO_THE_END, Record, super_journal_name_is_intact,
    super_journal_name_len,
};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::File;

use crate::call_policy::CallPolicy;
use crate::error::Result;

/// The result of a playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlayedBack {
    /// The size of the database in pages before the transaction.
    pub(crate) page_count: u32,
    /// The size of its pages.
    pub(crate) page_size: PageSize,
    /// How many pages were restored.
    pub(crate) restored: usize,
}

/// Plays `journal` back into `database`; `None` if the journal has no valid header. Reading stops at the first record
/// or header that is not valid: the commit never relied on what follows.
pub(crate) fn play_back(journal: &dyn File, database: &dyn File, calls: &CallPolicy) -> Result<Option<PlayedBack>> {
    let in_pieces = !calls.joins_neighbours;
    let mut reader = Reader { journal, size: journal.size()?, at: 0, sector_size: 1, in_pieces };
    let mut done = HashSet::new();
    let mut outcome = None;
    while let Some(header) = reader.next_header()? {
        let first = *outcome.get_or_insert(PlayedBack {
            page_count: header.page_count,
            page_size: header.page_size,
            restored: 0,
        });
        if first.page_size != header.page_size {
            break;
        }
        if reader.is_in_first_segment() {
            set_size(database, first)?;
        }
        if !play_segment(&mut reader, &header, first, database, &mut done)? {
            break;
        }
    }
    Ok(outcome.map(|outcome| PlayedBack { restored: done.len(), ..outcome }))
}

/// Plays back one segment. `false`: a record was not valid, and the journal ends there.
fn play_segment(
    reader: &mut Reader<'_>,
    header: &JournalHeader,
    before: PlayedBack,
    database: &dyn File,
    done: &mut HashSet<PageNo>,
) -> Result<bool> {
    let mut buf = vec![0; header.record_len() as usize];
    for _ in 0..reader.record_count(header) {
        if !reader.next_record(&mut buf)? {
            return Ok(false);
        }
        let Some(record) = Record::read(header, &buf) else { return Ok(false) };
        if record.no == before.page_size.lock_byte_page() {
            return Ok(false);
        }
        // Pages that the transaction added are cut off; of several records of a page the first is the oldest.
        if record.no.get() <= before.page_count && done.insert(record.no) {
            database.write_at(record.page, record.no.offset(before.page_size.get()))?;
        }
    }
    Ok(true)
}

/// Truncates the database to the size before, or extends it if a truncation was lost.
fn set_size(database: &dyn File, before: PlayedBack) -> Result<()> {
    let wanted = u64::from(before.page_count) * u64::from(before.page_size.get());
    let size = database.size()?;
    if size > wanted {
        database.truncate(wanted)?;
    } else if size < wanted {
        database.write_at(&vec![0; before.page_size.bytes()], wanted - u64::from(before.page_size.get()))?;
    }
    Ok(())
}

/// The name of the super-journal that a journal depends on.
pub(crate) fn super_journal_of(journal: &dyn File) -> Result<Option<String>> {
    let size = journal.size()?;
    let mut tail = [0; 16];
    let Some(tail_at) = size.checked_sub(16) else { return Ok(None) };
    journal.read_at(&mut tail[..4], tail_at)?;
    if u64::from(at_u32(&tail, 0)) > tail_at || at_u32(&tail, 0) == 0 {
        return Ok(None); // no length of a name, as nearly always
    }
    journal.read_at(&mut tail[4..8], tail_at + 4)?;
    journal.read_at(&mut tail[8..], tail_at + 8)?;
    let Some(len) = super_journal_name_len(&tail) else { return Ok(None) };
    // Names are paths: a longer one is damage, and must not make this function allocate memory for it.
    const NAME_MAX: u32 = 1 << 16;
    let Some(name_at) = tail_at.checked_sub(u64::from(len)) else { return Ok(None) };
    if len > NAME_MAX {
        return Ok(None);
    }
    let mut name = vec![0; len as usize];
    journal.read_at(&mut name, name_at)?;
    if !super_journal_name_is_intact(&name, &tail) {
        return Ok(None);
    }
    Ok(String::from_utf8(name).ok())
}

/// A journal being read from its start.
struct Reader<'f> {
    journal: &'f dyn File,
    size: u64,
    at: u64,
    /// Segments begin at multiples of the sector size.
    sector_size: u64,
    /// Each field is read by its own call, as SQLite does.
    in_pieces: bool,
}

/// The lengths of a header's fields.
const HEADER_FIELDS: [usize; 6] = [MAGIC.len(), 4, 4, 4, 4, 4];
const _: () = assert!(HEADER_LEN == MAGIC.len() + 5 * 4);

impl Reader<'_> {
    /// Reads the next segment's header and moves past it.
    fn next_header(&mut self) -> Result<Option<JournalHeader>> {
        let mut bytes = [0; HEADER_LEN];
        self.at = self.at.next_multiple_of(self.sector_size);
        if self.at + HEADER_LEN as u64 > self.size {
            return Ok(None);
        }
        match self.in_pieces {
            true => self.read_fields(&mut bytes, &HEADER_FIELDS)?,
            false => self.journal.read_at(&mut bytes, self.at)? == HEADER_LEN,
        };
        let Some(header) = JournalHeader::read(&bytes) else { return Ok(None) };
        self.sector_size = u64::from(header.sector_size);
        self.at += self.sector_size;
        Ok(Some(header))
    }

    fn is_in_first_segment(&self) -> bool {
        self.at == self.sector_size
    }

    fn record_count(&self, header: &JournalHeader) -> u64 {
        let fitting = self.size.saturating_sub(self.at) / header.record_len();
        if header.records == RECORDS_TO_THE_END { fitting } else { fitting.min(u64::from(header.records)) }
    }

    fn next_record(&mut self, buf: &mut [u8]) -> Result<bool> {
        let whole = match self.in_pieces {
            true => self.read_fields(buf, &[4, buf.len() - RECORD_OVERHEAD, 4])?,
            false => self.journal.read_at(buf, self.at)? == buf.len(),
        };
        self.at += buf.len() as u64;
        Ok(whole)
    }

    /// Reads fields of these lengths into `buf`. Answers `false` where the journal ends within one, or a header's magic number
    /// is wrong.
    fn read_fields(&self, buf: &mut [u8], lengths: &[usize]) -> Result<bool> {
        let mut start = 0;
        for &len in lengths {
            let field = &mut buf[start..start + len];
            if self.journal.read_at(field, self.at + start as u64)? < len || (len == MAGIC.len() && *field != MAGIC) {
                return Ok(false);
            }
            start += len;
        }
        Ok(true)
    }
}
