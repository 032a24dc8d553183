//! Pending terms become a segment.

use std::sync::Arc;

use lithe_vtab::{FunctionError, code};

use super::Reader;
use super::pending::{Pending, Place};
use super::row::read_from;
use super::state::State;
use super::writer::Writer;
use crate::Result;
use crate::config::Detail;
use crate::settings::Settings;
use crate::structure::{Level, Segment, Structure};

/// The first byte of a term: the main index. Prefix indexes follow.
pub const MAIN_INDEX: u8 = b'0';
/// Longer tokens are cut.
pub const TOKEN_LEN_MAX: usize = 32768;

impl Reader<'_> {
    /// A row is about to be changed: what is pending is written first if it does not take the row, or enough is pending.
    ///
    /// # Errors
    /// The errors of [`Reader::flush`].
    pub fn change_begin(&self, rowid: i64, is_delete: bool) -> Result {
        let settings = self.settings()?;
        self.index.changed();
        let must_flush = {
            let state = self.index.state()?;
            let is_out_of_order = state
                .last_change
                .is_some_and(|(last, last_is_delete)| rowid < last || rowid == last && !last_is_delete);
            is_out_of_order || state.pending.bytes() > settings.hash_size
        };
        if must_flush {
            self.flush()?;
        }
        let mut state = self.index.state()?;
        state.last_change = Some((rowid, is_delete));
        if !is_delete {
            state.pending_rows += 1;
        }
        Ok(())
    }

    /// Many tokens are about to be read. SQLite's reading passes for a change that is no deletion: a row that was deleted just before and
    /// comes again goes to a segment of its own then.
    ///
    /// # Errors
    /// SQLITE_INTERNAL.
    pub fn read_many_tokens(&self) -> Result {
        if let Some((_, is_delete)) = &mut self.index.state()?.last_change {
            *is_delete = false;
        }
        Ok(())
    }

    /// Notes the tokens of a row; see [`PendingRow`].
    ///
    /// # Errors
    /// SQLITE_INTERNAL.
    pub fn pending_row(&self, rowid: i64) -> Result<PendingRow<'_>> {
        Ok(PendingRow { state: self.index.state()?, prefixes: &self.index.prefixes, detail: self.index.detail, rowid })
    }

    /// Writes what is pending to a segment, and merges segments if it is time to.
    ///
    /// # Errors
    /// SQLITE_FULL if there are too many segments; SQLITE_CORRUPT_VTAB; the errors of writing shadow tables.
    pub fn flush(&self) -> Result {
        let (pending, rows, deletions) = {
            let mut state = self.index.state()?;
            if state.pending.is_empty() && state.deletions == 0 {
                state.last_change = None;
                return Ok(());
            }
            state.last_change = None;
            let counts = (std::mem::take(&mut state.pending_rows), std::mem::take(&mut state.deletions));
            (std::mem::take(&mut state.pending), counts.0, counts.1)
        };
        self.index.changed();
        let result = self.write_pending(&pending, rows, deletions);
        let mut pending = pending;
        pending.clear();
        let mut state = self.index.state()?;
        state.pending = pending;
        if result.is_err() {
            state.structure = None;
        }
        result
    }

    fn write_pending(&self, pending: &Pending, rows: u64, deletions: u64) -> Result {
        let settings = self.settings()?;
        let mut structure = Structure::clone(&*self.structure()?);
        let mut pages = 0;
        if !pending.is_empty() {
            let id = structure.free_id().ok_or_else(|| FunctionError::of_code(code::FULL))?;
            pages = self.write_segment(pending, id, &settings, &mut structure)?;
            if pages > 0 {
                let mut segment = Segment { id, first_page: 1, last_page: pages, ..Segment::default() };
                if structure.is_v2 {
                    segment.origin_first = structure.next_origin();
                    segment.origin_last = segment.origin_first;
                    segment.entries = rows;
                }
                if structure.levels.is_empty() {
                    structure.levels.push(Level::default());
                }
                if let Some(level) = structure.levels.first_mut() {
                    level.segments.push(segment);
                }
                structure.promote(0);
            }
        }
        self.automerge(&mut structure, pages + deletions, &settings)?;
        self.crisis_merge(&mut structure, &settings)?;
        self.put_structure(structure)
    }

    /// Writes all terms to a new segment; how many pages it has.
    fn write_segment(
        &self,
        pending: &Pending,
        id: u64,
        settings: &Arc<Settings>,
        structure: &mut Structure,
    ) -> Result<u64> {
        if settings.secure_delete {
            return self.write_segment_securely(pending, id, settings, structure);
        }
        let detail = self.index.detail;
        let mut writer = Writer::new(self.store(), id, 1, settings.page_size);
        let mut doclist = Vec::new();
        pending.in_order(b"", |term| {
            doclist.clear();
            term.doclist(detail, &mut doclist)?;
            writer.term_begin(term.key())?;
            if writer.doclist_if_it_fits(&doclist) {
                return Ok(());
            }
            write_rows(&mut writer, &doclist, detail)
        })?;
        writer.finish()
    }
}

/// Writes the rows of a doclist in memory.
pub(super) fn write_rows(writer: &mut Writer<'_>, doclist: &[u8], detail: Detail) -> Result {
    let (mut at, mut last) = (0, None);
    while let Some(row) = read_from(doclist, at, last, detail) {
        let rowid_len = lithe_format::varint::len(row.rowid.wrapping_sub(last.unwrap_or(0)) as u64);
        let end = row.data_at + row.data_len;
        writer.row_from_memory(row.rowid, doclist.get(at + rowid_len..end).unwrap_or_default(), detail)?;
        (at, last) = (end, Some(row.rowid));
        if at >= doclist.len() {
            break;
        }
    }
    Ok(())
}

/// Takes the tokens of one row. While it exists, the connection must not be called.
pub struct PendingRow<'p> {
    state: std::sync::MutexGuard<'p, State>,
    prefixes: &'p [u32],
    detail: Detail,
    rowid: i64,
}

impl PendingRow<'_> {
    /// A token occurs in the row. Without an offset: older entries of the row are deleted.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    #[inline]
    pub fn add(&mut self, token: &[u8], column: u32, offset: Option<u32>) -> Result {
        let token = token.get(..TOKEN_LEN_MAX).unwrap_or(token);
        let place = Place { rowid: self.rowid, column, offset };
        self.state.pending.add(MAIN_INDEX, token, place, self.detail)?;
        for (index, chars) in (1..).zip(self.prefixes) {
            if let Some(prefix) = prefix_of(token, *chars) {
                self.state.pending.add(MAIN_INDEX + index, prefix, place, self.detail)?;
            }
        }
        Ok(())
    }
}

/// The first characters of a token. None: it has fewer.
pub fn prefix_of(token: &[u8], chars: u32) -> Option<&[u8]> {
    let mut at = 0;
    for left in (0..chars).rev() {
        let first = *token.get(at)?;
        at += 1;
        if first >= 0xc0 {
            token.get(at)?;
            while token.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
                at += 1;
            }
            if at >= token.len() && left > 0 {
                return None;
            }
        }
    }
    token.get(..at)
}

impl Structure {
    /// Segments of higher levels that are no longer than those of a level move there: `level` has got a new one.
    pub(super) fn promote(&mut self, level: usize) {
        let Some(newest) = self.levels.get(level).and_then(|one| one.segments.last()) else { return };
        let size = newest.page_count();
        let lower = (0..level).rev().find(|lower| self.levels.get(*lower).is_some_and(|one| !one.segments.is_empty()));
        let largest = |at: usize| self.levels.get(at)?.segments.iter().map(Segment::page_count).max();
        let lower = lower.and_then(|at| largest(at).filter(|largest| *largest >= size).map(|largest| (at, largest)));
        let (target, size) = lower.unwrap_or((level, size));
        if self.levels.get(target).is_none_or(|one| one.merging > 0) {
            return;
        }
        for at in target + 1..self.levels.len() {
            loop {
                let Some(upper) = self.levels.get_mut(at).filter(|upper| upper.merging == 0) else { return };
                match upper.segments.pop_if(|segment| segment.page_count() <= size) {
                    Some(segment) => {
                        if let Some(target) = self.levels.get_mut(target) {
                            target.segments.insert(0, segment);
                        }
                    }
                    None if upper.segments.is_empty() => break,
                    None => return,
                }
            }
        }
    }
}

impl Segment {
    /// How many leaf pages it has.
    pub fn page_count(&self) -> u64 {
        (self.last_page + 1).saturating_sub(self.first_page)
    }
}
