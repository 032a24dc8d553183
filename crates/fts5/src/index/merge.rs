//! Segments become fewer: merges, by steps or at once.
//!
//! ```text
//!   level 0   [newest ...]  ─┐  all segments of a level, or those that a merge that is under way has begun with
//!   level 1   [ ... output] ◄┘  become the last segment of the next level
//! ```

use std::sync::Arc;

use lithe_vtab::{FunctionError, code};

use super::Reader;
use super::leaf::{HEADER_LEN, Leaf};
use super::segment::SegmentCursor;
use super::store::{leaf_id, tombstone_id};
use super::tombstones::Tombstones;
use super::tournament::{Input, Tournament};
use super::writer::Writer;
use crate::Result;
use crate::config::Detail;
use crate::settings::Settings;
use crate::structure::{Level, SEGMENTS_MAX, Segment, Structure};
use crate::varint;

/// How many leaf pages of level 0 make a unit of work, and how many pages are then merged for each level.
const WORK_UNIT: u64 = 64;
/// How many pages `optimize` merges at a time.
const OPTIMIZE_PAGES: i64 = 1000;

impl Reader<'_> {
    /// Merges as much as the new pages are worth.
    pub(super) fn automerge(&self, structure: &mut Structure, pages: u64, settings: &Arc<Settings>) -> Result {
        if settings.automerge == 0 || structure.levels.is_empty() {
            return Ok(());
        }
        let before = structure.write_counter;
        structure.write_counter = before.wrapping_add(pages);
        let units = (structure.write_counter / WORK_UNIT).saturating_sub(before / WORK_UNIT);
        let budget = WORK_UNIT.saturating_mul(units).saturating_mul(structure.levels.len() as u64);
        self.merge_some(structure, budget as i64, settings.automerge, settings)?;
        Ok(())
    }

    /// Merges levels that have too many segments.
    pub(super) fn crisis_merge(&self, structure: &mut Structure, settings: &Arc<Settings>) -> Result {
        let mut level = 0;
        while structure.levels.get(level).is_some_and(|one| one.segments.len() >= settings.crisis_merge) {
            self.merge_level(structure, level, &mut None, settings)?;
            structure.promote(level + 1);
            level += 1;
        }
        Ok(())
    }

    /// Merges about so many pages, of levels with at least `least` segments; whether there was anything to merge.
    fn merge_some(
        &self,
        structure: &mut Structure,
        pages: i64,
        least: usize,
        settings: &Arc<Settings>,
    ) -> Result<bool> {
        let mut budget = Some(pages);
        let mut has_merged = false;
        while budget.is_some_and(|left| left > 0) {
            let Some(level) = structure.level_to_merge(least, settings.delete_merge) else { break };
            has_merged = true;
            self.merge_level(structure, level, &mut budget, settings)?;
            if structure.levels.get(level).is_some_and(|one| one.merging == 0) {
                structure.promote(level + 1);
            }
        }
        Ok(has_merged)
    }

    /// The command `merge`.
    ///
    /// # Errors
    /// As [`Reader::flush`].
    pub fn merge(&self, pages: i64) -> Result {
        self.flush()?;
        let settings = self.settings()?;
        let mut structure = Structure::clone(&*self.structure()?);
        let mut least = settings.user_merge;
        if pages < 0 {
            match structure.arranged() {
                Some(arranged) => structure = arranged,
                None if structure.levels.iter().all(|level| level.merging == 0) => return Ok(()),
                None => {}
            }
            least = 2;
        }
        if structure.levels.is_empty() {
            return Ok(());
        }
        self.index.changed();
        if self.merge_some(&mut structure, pages.saturating_abs(), least, &settings)? {
            self.put_structure(structure)?;
        }
        Ok(())
    }

    /// The command `optimize`: one segment.
    ///
    /// # Errors
    /// As [`Reader::flush`].
    pub fn optimize(&self) -> Result {
        self.flush()?;
        let settings = self.settings()?;
        let current = self.structure()?;
        let Some(mut structure) = current.arranged() else { return Ok(()) };
        self.index.changed();
        let Some(level) = structure.levels.iter().position(|level| !level.segments.is_empty()) else { return Ok(()) };
        while structure.levels.get(level).is_some_and(|one| !one.segments.is_empty()) {
            let mut budget = Some(OPTIMIZE_PAGES);
            self.merge_level(&mut structure, level, &mut budget, &settings)?;
        }
        self.put_structure(structure)
    }

    /// Merges a level into the next one, until the budget is spent.
    fn merge_level(
        &self,
        structure: &mut Structure,
        level: usize,
        budget: &mut Option<i64>,
        settings: &Arc<Settings>,
    ) -> Result {
        let corrupt = || self.store().corrupt_structure();
        if structure.levels.get(level).ok_or_else(corrupt)?.merging == 0 {
            structure.begin_merge(level)?;
        }
        let is_oldest = structure.levels.len() == level + 2
            && structure.levels.last().is_some_and(|output| output.segments.len() == 1);
        let [input, output] =
            structure.levels.get_mut(level..level + 2).and_then(<[_]>::first_chunk_mut).ok_or_else(corrupt)?;
        let output_segment = output.segments.last_mut().ok_or_else(corrupt)?;
        let first_page = output_segment.last_page + 1;
        let mut writer = Writer::new(self.store(), output_segment.id, first_page, settings.page_size);
        let merging = input.segments.get(..input.merging).ok_or_else(corrupt)?;
        // The newest first.
        let mut inputs = Vec::new();
        for segment in merging.iter().rev() {
            let cursor = SegmentCursor::first(self, segment)?;
            inputs.push(Input { cursor, tombstones: Tombstones::of(segment) });
        }
        let mut inputs = Tournament::new(self, inputs)?;
        let is_done = self.copy_rows(&mut inputs, &mut writer, is_oldest, *budget)?;
        output_segment.last_page = writer.finish()?;
        if output_segment.first_page == 0 && output_segment.last_page > 0 {
            output_segment.first_page = 1;
        }
        if let Some(left) = budget {
            *left -= writer.pages_written as i64;
        }
        if is_done {
            if output_segment.last_page == 0 {
                output.segments.pop();
            }
            for segment in input.segments.drain(..input.merging) {
                self.remove_segment(&segment)?;
            }
            input.merging = 0;
        } else {
            for (segment, merged) in input.segments.iter_mut().take(inputs.inputs.len()).rev().zip(&inputs.inputs) {
                self.trim(segment, &merged.cursor)?;
            }
        }
        Ok(())
    }

    /// Writes what the inputs have, until the budget is spent, where the next term would begin; whether that was all.
    fn copy_rows(
        &self,
        inputs: &mut Tournament,
        writer: &mut Writer<'_>,
        is_oldest: bool,
        budget: Option<i64>,
    ) -> Result<bool> {
        let (mut term, mut has_term, mut is_written) = (Vec::new(), false, false);
        while let Some(first) = inputs.first() {
            let input = inputs.inputs.get_mut(first).ok_or_else(|| self.store().corrupt())?;
            let row = input.cursor.row.ok_or_else(|| self.store().corrupt())?;
            if input.tombstones.has(self, row.rowid)? {
                inputs.next(self)?;
                continue;
            }
            if !has_term || term != input.cursor.term {
                // The end is in front of a term, whatever becomes of its rows: what a deletion cancels is not left alone.
                if budget.is_some_and(|pages| writer.pages_written as i64 > pages) {
                    return Ok(false);
                }
                if self.connection.is_interrupted() {
                    return Err(FunctionError::of_code(code::INTERRUPT));
                }
                term.clone_from(&input.cursor.term);
                (has_term, is_written) = (true, false);
            }
            if row.has_content || row.is_delete && !is_oldest {
                if !std::mem::replace(&mut is_written, true) {
                    writer.term_begin(&term)?;
                }
                writer.row_begin(row.rowid)?;
                if self.index.detail != Detail::None {
                    writer.positions(input.cursor.positions(), row.is_delete)?;
                    inputs.copy_run(self.index.detail, writer.space(), |rows, last| writer.rows(rows, last));
                } else if row.is_delete {
                    writer.deleted(row.has_content);
                }
            }
            inputs.next(self)?;
        }
        Ok(true)
    }

    /// Deletes a segment.
    pub(super) fn remove_segment(&self, segment: &Segment) -> Result {
        let store = self.store();
        store.delete(leaf_id(segment.id, 0), leaf_id(segment.id + 1, 0) - 1)?;
        if segment.tombstone_pages > 0 {
            store.delete(tombstone_id(segment.id, 0), tombstone_id(segment.id, segment.tombstone_pages - 1))?;
        }
        store.delete_pages(segment.id)
    }

    /// Deletes what of a segment is merged already: it begins with the term that comes next.
    fn trim(&self, segment: &mut Segment, cursor: &SegmentCursor) -> Result {
        let (page, doclist_at, doclist_end) = cursor.doclist();
        let store = self.store();
        if cursor.is_at_end() {
            (segment.first_page, segment.last_page) = (0, 0);
            return Ok(());
        }
        let leaf = self.leaf(segment.id, page)?;
        let bytes = trimmed(&leaf, &cursor.term, doclist_at, doclist_end);
        store.delete(leaf_id(segment.id, segment.first_page), leaf_id(segment.id, page))?;
        store.write(leaf_id(segment.id, page), &bytes)?;
        segment.first_page = page;
        Ok(())
    }
}

/// A page that begins with the term whose doclist is there.
fn trimmed(leaf: &Leaf, term: &[u8], doclist_at: usize, doclist_end: usize) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_LEN];
    varint::write(&mut bytes, term.len() as u64);
    bytes.extend_from_slice(term);
    let moved = bytes.len();
    bytes.extend_from_slice(leaf.content().get(doclist_at..).unwrap_or_default());
    let size = bytes.len() as u16;
    if let Some(header) = bytes.get_mut(2..).and_then(<[u8]>::first_chunk_mut) {
        *header = size.to_be_bytes();
    }
    let mut last = HEADER_LEN;
    varint::write(&mut bytes, last as u64);
    for at in leaf.term_offsets().filter(|at| *at >= doclist_end) {
        let at = at - doclist_at + moved;
        varint::write(&mut bytes, (at - last) as u64);
        last = at;
    }
    bytes
}

impl Structure {
    /// Begins to merge all segments of a level.
    fn begin_merge(&mut self, level: usize) -> Result {
        let id = self.free_id().ok_or_else(|| FunctionError::of_code(code::FULL))?;
        if self.levels.len() == level + 1 {
            if self.levels.len() as u64 >= SEGMENTS_MAX {
                return Err(FunctionError::of_code(code::FULL));
            }
            self.levels.push(Level::default());
        }
        let Some([input, output]) = self.levels.get_mut(level..).and_then(<[_]>::first_chunk_mut) else {
            return Ok(());
        };
        input.merging = input.segments.len();
        let mut segment = Segment { id, ..Segment::default() };
        if self.is_v2 {
            segment.origin_first = input.segments.first().map_or(0, |oldest| oldest.origin_first);
            segment.origin_last = input.segments.last().map_or(0, |newest| newest.origin_last);
            // (SQLite lets the number wrap where tombstones were counted twice.)
            let living = input.segments.iter().map(|one| one.entries.wrapping_sub(one.tombstones));
            segment.entries = living.fold(0, u64::wrapping_add);
        }
        output.segments.push(segment);
        Ok(())
    }

    /// The level that is most worth merging.
    fn level_to_merge(&self, least: usize, delete_merge: u32) -> Option<usize> {
        let (mut best, mut count) = (0, 0);
        for (at, level) in self.levels.iter().enumerate() {
            if level.merging > 0 {
                if level.merging > count {
                    (best, count) = (at, level.merging);
                }
                break;
            }
            if level.segments.len() > count {
                (best, count) = (at, level.segments.len());
            }
        }
        // A merge that has begun continues, however few segments it has.
        if count >= least || self.levels.get(best).is_some_and(|level| level.merging > 0) {
            return Some(best);
        }
        self.level_with_tombstones(delete_merge)
    }

    /// The level with the largest part of deleted rows, if that is large enough.
    fn level_with_tombstones(&self, delete_merge: u32) -> Option<usize> {
        if !self.is_v2 || delete_merge == 0 {
            return None;
        }
        let (mut best, mut most) = (None, 0);
        for (at, level) in self.levels.iter().enumerate() {
            let entries = level.segments.iter().fold(0, |sum: u64, one| sum.wrapping_add(one.entries));
            let tombstones = level.segments.iter().fold(0, |sum: u64, one| sum.wrapping_add(one.tombstones));
            if entries == 0 {
                continue;
            }
            let percent = tombstones.saturating_mul(100) / entries;
            if percent >= u64::from(delete_merge) && percent > most {
                (best, most) = (Some(at), percent);
            }
            // A level that is being merged is merged to its end first.
            if level.merging > 0 {
                break;
            }
        }
        best
    }

    /// The same segments on one level, to be merged into one. None: there is nothing to do.
    fn arranged(&self) -> Option<Structure> {
        let count = self.segment_count();
        if count == 0 {
            return None;
        }
        for level in &self.levels {
            let tombstones = level.segments.iter().any(|one| one.tombstones > 0);
            let all_but_output = level.segments.len() + 1 == count && level.merging == level.segments.len();
            if level.segments.len() == count && count == 1 && !tombstones {
                return None;
            }
            if level.segments.len() == count || all_but_output && level.merging > 0 {
                return Some(self.clone());
            }
        }
        let level_count = (self.levels.len() + 1).min(SEGMENTS_MAX as usize);
        let mut levels = vec![Level::default(); level_count];
        let segments = self.levels.iter().rev().flat_map(|level| level.segments.iter().cloned());
        if let Some(last) = levels.last_mut() {
            last.segments = segments.collect();
        }
        Some(Structure { levels, ..self.clone() })
    }
}
