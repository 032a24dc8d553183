//! secure-delete: deleted entries are removed from their pages.
//!
//! A page is taken apart, changed, and put together again. What is left without rows goes: a term, and what `x_idx` says of
//! a page without terms. Pages stay, even empty.

use std::sync::Arc;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;

use lithe_vtab::{SqlConnection, ValueRef};

use super::Reader;
use super::flush::write_rows;
use super::leaf::{HEADER_LEN, Leaf};
use super::pending::Pending;
use super::row::read_from;
use super::segment::{SegmentCursor, common};
use super::store::leaf_id;
use super::writer::Writer;
use crate::Result;
use crate::config::Detail;
use crate::settings::{Settings, VERSION_SECURE_DELETE};
use crate::structure::{Segment, Structure};
use crate::varint;

/// A page, taken apart.
#[derive(Default)]
struct Parts {
    /// The end of positions that begin on a page in front.
    lead: Vec<u8>,
    /// Rows of a term that begins on an earlier page.
    rows: Vec<RowPart>,
    /// The terms, each with its rows.
    terms: Vec<(Vec<u8>, Vec<RowPart>)>,
}

/// The part of a row that is on the page.
struct RowPart {
    rowid: i64,
    /// The bytes behind the rowid.
    data: Vec<u8>,
    /// How many bytes of positions follow on the next pages.
    spilled: usize,
}

impl Parts {
    /// The parts of a page. None if it makes no sense.
    fn read(leaf: &Leaf, detail: Detail) -> Option<Result<Parts, OutOfMemory>> {
        let content = leaf.content();
        let offsets: Vec<usize> = leaf.term_offsets().collect();
        let first_term = offsets.first().copied().unwrap_or(content.len());
        let first_row = leaf.first_rowid().unwrap_or(first_term);
        let mut parts = Parts {
            lead: content.get(HEADER_LEN..first_row)?.to_vec(),
            rows: match read_rows(content.get(..first_term)?, first_row, detail)? {
                Ok(rows) => rows,
                Err(error) => return Some(Err(error)),
            },
            terms: Vec::new(),
        };
        let mut term = Vec::new();
        for (at, start) in offsets.iter().enumerate() {
            let end = offsets.get(at + 1).copied().unwrap_or(content.len());
            let mut place = *start;
            let shared = if at == 0 { 0 } else { varint::read(content, &mut place)? };
            let len = usize::try_from(varint::read(content, &mut place)?).ok()?;
            term.truncate(usize::try_from(shared).ok()?);
            term.extend_from_slice(content.get(place..place.checked_add(len)?)?);
            match read_rows(content.get(..end)?, place + len, detail)? {
                Ok(rows) => parts.terms.push((term.clone(), rows)),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(parts))
    }

    fn write(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_LEN];
        bytes.extend_from_slice(&self.lead);
        if !self.rows.is_empty() {
            set_header(&mut bytes, 0);
        }
        write_parts(&mut bytes, &self.rows);
        let mut index = Vec::new();
        let (mut last_at, mut last): (usize, &[u8]) = (0, &[]);
        for (at, (term, rows)) in self.terms.iter().enumerate() {
            varint::write(&mut index, (bytes.len() - last_at) as u64);
            last_at = bytes.len();
            let shared = if at == 0 { 0 } else { common(last, term) };
            if at > 0 {
                varint::write(&mut bytes, shared as u64);
            }
            let rest = term.get(shared..).unwrap_or_default();
            varint::write(&mut bytes, rest.len() as u64);
            bytes.extend_from_slice(rest);
            write_parts(&mut bytes, rows);
            last = term;
        }
        set_header(&mut bytes, 2);
        bytes.extend_from_slice(&index);
        bytes
    }
}

/// Notes in a page's header where its bytes end now.
fn set_header(bytes: &mut [u8], at: usize) {
    let len = bytes.len() as u16;
    if let Some(header) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *header = len.to_be_bytes();
    }
}

fn read_rows(content: &[u8], start: usize, detail: Detail) -> Option<Result<Vec<RowPart>, OutOfMemory>> {
    let mut rows = Vec::new();
    let (mut at, mut last) = (start, None);
    while at < content.len() {
        let row = read_from(content, at, last, detail)?;
        let mut data_at = at;
        varint::read(content, &mut data_at)?;
        let end = row.data_at + row.data_len;
        let spilled = end.saturating_sub(content.len());
        let part = RowPart { rowid: row.rowid, data: content.get(data_at..end - spilled)?.to_vec(), spilled };
        if let Err(error) = rows.try_push(part) {
            return Some(Err(error));
        }
        (at, last) = (end, Some(row.rowid));
    }
    Some(Ok(rows))
}

fn write_parts(bytes: &mut Vec<u8>, rows: &[RowPart]) {
    let mut last = 0;
    for row in rows {
        varint::write(bytes, row.rowid.wrapping_sub(last) as u64);
        bytes.extend_from_slice(&row.data);
        last = row.rowid;
    }
}

impl Reader<'_> {
    /// Writes all terms to a new segment, but removes from others what is deleted; how many pages the new one has.
    pub(super) fn write_segment_securely(
        &self,
        pending: &Pending,
        id: u64,
        settings: &Arc<Settings>,
        structure: &mut Structure,
    ) -> Result<u64> {
        let detail = self.index.detail;
        let mut writer = Writer::new(self.store(), id, 1, settings.page_size);
        let (mut doclist, mut kept) = (Vec::new(), Vec::new());
        let mut has_version = settings.version >= VERSION_SECURE_DELETE;
        pending.in_order(b"", |term| {
            doclist.clear();
            term.doclist(detail, &mut doclist)?;
            kept.clear();
            let (mut at, mut last, mut last_kept) = (0, None, 0);
            while at < doclist.len() {
                let Some(row) = read_from(&doclist, at, last, detail) else { break };
                let end = row.data_at + row.data_len;
                if row.is_delete {
                    if !std::mem::replace(&mut has_version, true) {
                        self.note_version(structure)?;
                    }
                    self.delete_entry(structure, term.key(), row.rowid)?;
                }
                if row.has_content {
                    kept.try_grow(2 * lithe_format::varint::MAX_LEN + row.data_len)?;
                    varint::write(&mut kept, row.rowid.wrapping_sub(last_kept) as u64);
                    if detail != Detail::None {
                        // (What is deleted has no entry any more: there is none to be cancelled.)
                        varint::write(&mut kept, (row.data_len as u64) << 1);
                        kept.extend_from_slice(doclist.get(row.data_at..end).unwrap_or_default());
                    }
                    last_kept = row.rowid;
                }
                (at, last) = (end, Some(row.rowid));
            }
            if kept.is_empty() {
                return Ok(());
            }
            writer.term_begin(term.key())?;
            if writer.doclist_if_it_fits(&kept) { Ok(()) } else { write_rows(&mut writer, &kept, detail) }
        })?;
        writer.finish()
    }

    /// From now on, pages are as readers of the first version do not expect them.
    fn note_version(&self, structure: &mut Structure) -> Result {
        let config = self.index.names.shadow("config");
        let connection: &dyn SqlConnection = self.connection;
        let mut statement = connection.prepare(&format!("REPLACE INTO {config} VALUES(?1, ?2)"))?;
        statement.run(&[ValueRef::Text(b"version"), ValueRef::Integer(VERSION_SECURE_DELETE)])?;
        drop(statement);
        structure.cookie = structure.cookie.wrapping_add(1);
        self.index.state()?.cookie = None;
        Ok(())
    }

    /// Removes a row of a term from all segments that have it: older ones do if the option was not on always.
    fn delete_entry(&self, structure: &Structure, term: &[u8], rowid: i64) -> Result {
        for segment in structure.newest_first() {
            let mut cursor = SegmentCursor::seek(self, segment, term)?;
            if cursor.is_at_end() || cursor.term != term {
                continue;
            }
            cursor.seek_row(self, rowid)?;
            if cursor.row.is_some_and(|row| row.rowid == rowid) {
                let (term_page, ..) = cursor.doclist();
                self.remove_row(segment, term, term_page, cursor.row_page(), rowid)?;
            }
        }
        Ok(())
    }

    fn parts(&self, segment: &Segment, page: u64) -> Result<Parts> {
        let leaf = self.leaf(segment.id, page)?;
        Ok(Parts::read(&leaf, self.index.detail).ok_or_else(|| self.store().corrupt_page(segment.id, page))??)
    }

    fn put_parts(&self, segment: &Segment, page: u64, parts: &Parts) -> Result {
        self.store().write(leaf_id(segment.id, page), &parts.write())
    }

    fn remove_row(&self, segment: &Segment, term: &[u8], term_page: u64, page: u64, rowid: i64) -> Result {
        let mut parts = self.parts(segment, page)?;
        let own = if page == term_page { parts.terms.iter_mut().find(|(found, _)| found == term) } else { None };
        let rows = match own {
            Some((_, rows)) => rows,
            None => &mut parts.rows,
        };
        let at = rows.iter().position(|row| row.rowid == rowid);
        let at = at.ok_or_else(|| self.store().corrupt_page(segment.id, page))?;
        let removed = rows.remove(at);
        let is_bare = rows.is_empty();
        self.remove_lead(segment, page, removed.spilled)?;
        if is_bare && !self.has_other_rows(segment, term_page, page, term, &parts)? {
            if page == term_page {
                self.remove_term(segment, page, term, &mut parts)?;
            } else {
                self.put_parts(segment, page, &parts)?;
                let mut first = self.parts(segment, term_page)?;
                self.remove_term(segment, term_page, term, &mut first)?;
                return self.put_parts(segment, term_page, &first);
            }
        }
        self.put_parts(segment, page, &parts)
    }

    /// Removes the end of positions from the pages behind `page`.
    fn remove_lead(&self, segment: &Segment, page: u64, len: usize) -> Result {
        let (mut left, mut page) = (len, page);
        while left > 0 {
            page += 1;
            if page > segment.last_page {
                return Err(self.store().corrupt_page(segment.id, page - 1));
            }
            let mut parts = self.parts(segment, page)?;
            let removed = left.min(parts.lead.len());
            if removed < left && !(parts.rows.is_empty() && parts.terms.is_empty()) {
                return Err(self.store().corrupt_page(segment.id, page));
            }
            parts.lead.drain(..removed);
            left -= removed;
            self.put_parts(segment, page, &parts)?;
        }
        Ok(())
    }

    /// Whether a term has rows on other pages than this one, from which the last one of this page is already gone.
    fn has_other_rows(&self, segment: &Segment, term_page: u64, page: u64, term: &[u8], parts: &Parts) -> Result<bool> {
        if page != term_page {
            let first = self.parts(segment, term_page)?;
            if first.terms.iter().any(|(found, rows)| found == term && !rows.is_empty()) {
                return Ok(true);
            }
            for before in term_page + 1..page {
                if !self.parts(segment, before)?.rows.is_empty() {
                    return Ok(true);
                }
            }
            if !parts.terms.is_empty() {
                return Ok(false);
            }
        } else if parts.terms.last().is_some_and(|(last, _)| last != term) {
            return Ok(false);
        }
        for behind in page + 1..=segment.last_page {
            let next = self.parts(segment, behind)?;
            if !next.rows.is_empty() {
                return Ok(true);
            }
            if !next.terms.is_empty() {
                break;
            }
        }
        Ok(false)
    }

    /// Removes a term from its page; `x_idx` forgets a page that has no terms any more, unless it is the first.
    fn remove_term(&self, segment: &Segment, page: u64, term: &[u8], parts: &mut Parts) -> Result {
        parts.terms.retain(|(found, _)| found != term);
        if parts.terms.is_empty() && page != 1 {
            self.store().delete_page(segment.id, page)?;
        }
        Ok(())
    }
}
