//! Incremental merges: `merge=X,Y` and `automerge`.
//!
//! A merge of a whole level takes time in proportion to the level's size. An incremental merge takes the oldest segments of one level and
//! moves terms from their beginning to a segment of the next level, until it has written a number of leaves. The moved terms are deleted
//! from the input segments, so that each term is found once at any time. A later merge continues where this one stopped: the hint in
//! `x_stat` has the level, and how many of its segments are being merged.
//!
//! ```text
//!   level 1                          [a b c d]  ->  [a b c d e f]
//!   level 0    [a c e g] [b d f g]      [e g] [f g]       [g] [g]
//! ```

mod growing;
mod hint;
mod trim;

use lithe_vtab::SqlConnection;

use super::reader::MergeReader;
use super::store::Segment;
use super::{Index, LEVELS, Wanted};
use crate::{Result, corrupt};
use growing::GrowingSegment;
pub use hint::Hint;

/// The input and output of one pass of a merge.
#[derive(Debug)]
struct Pass {
    level: i64,
    /// The oldest segments of the level.
    inputs: Vec<Segment>,
    /// The merged terms of the inputs.
    terms: MergeReader,
    /// The output, a segment of the next level.
    output: GrowingSegment,
}

impl Index {
    /// Merges until about `leaves` leaves are written, beginning with a level that has `segments_min` segments. True if the hint has
    /// changed.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading and writing.
    pub fn merge_in_steps(
        &self,
        connection: &dyn SqlConnection,
        leaves: i64,
        segments_min: i64,
        hint: &mut Hint,
    ) -> Result<bool> {
        let _writing = self.begin_writing();
        let mut leaves_left = leaves;
        while leaves_left > 0 {
            let Some(pass) = self.next_pass(connection, segments_min, hint)? else { break };
            // A pass that fills no leaf counts as one, so that the loop ends.
            leaves_left -= 1 + self.run_pass(connection, pass, leaves_left, hint)?;
        }
        Ok(hint.has_changed())
    }

    /// Continues the merge that was interrupted last, unless a lower level has enough segments now. A hint whose segments have changed
    /// since is dropped.
    fn next_pass(&self, connection: &dyn SqlConnection, segments_min: i64, hint: &mut Hint) -> Result<Option<Pass>> {
        let found = self.store.level_to_merge(connection, segments_min)?;
        // As SQLite: of a merge that was interrupted, no more segments are merged than the level found here has.
        let segments_max = found.map_or(segments_min, |(_, segments)| segments.max(segments_min));
        let found = found.map(|(level, _)| level);
        let is_lower = |level: i64| found.is_none_or(|found| self.in_language(level) <= self.in_language(found));
        while let Some((level, segments)) = hint.last()?.filter(|(level, _)| is_lower(*level)) {
            hint.pop()?;
            if segments == 0 {
                return Ok(None);
            }
            if let Some(pass) = self.continued(connection, level, segments.min(segments_max))? {
                return Ok(Some(pass));
            }
            if found == Some(level) {
                break;
            }
        }
        found.map(|level| self.begun(connection, level, self.store.level(connection, level)?)).transpose()
    }

    /// A level's number within its language. The levels of the first index come first, in every language.
    fn in_language(&self, level: i64) -> i64 {
        level.rem_euclid(LEVELS * self.count() as i64)
    }

    /// Continues the interrupted merge of `segments` segments of a level. None if the segments have changed since.
    fn continued(&self, connection: &dyn SqlConnection, level: i64, segments: i64) -> Result<Option<Pass>> {
        let mut inputs = self.store.level(connection, level)?;
        let segments = usize::try_from(segments).map_err(|_| corrupt())?;
        if inputs.len() < segments {
            return Ok(None);
        }
        inputs.truncate(segments);
        let Some(output) = self.store.level(connection, next(level)?)?.pop() else {
            return self.begun(connection, level, inputs).map(Some);
        };
        let mut terms = self.reader_of(connection, &inputs, Vec::new(), &Wanted::All, true)?;
        let Some(output) = GrowingSegment::load(connection, &self.store, output, self.node_size)? else {
            return Ok(None);
        };
        if terms.least().is_some_and(|least| !output.is_before(least)) {
            return Ok(None);
        }
        terms.keeps_deletions = self.has_older(connection, next(level)?, output.index())?;
        Ok(Some(Pass { level, inputs, terms, output }))
    }

    /// Begins a merge of these segments of a level.
    fn begun(&self, connection: &dyn SqlConnection, level: i64, inputs: Vec<Segment>) -> Result<Pass> {
        let to = next(level)?;
        let index = self.store.next_index(connection, to)?;
        let keeps_deletions = self.has_older(connection, to, index)?;
        let terms = self.reader_of(connection, &inputs, Vec::new(), &Wanted::All, keeps_deletions)?;
        let leaves = inputs.iter().map(Segment::leaves).fold(0, i64::saturating_add);
        let output = GrowingSegment::new(connection, &self.store, (to, index), leaves, self.node_size)?;
        Ok(Pass { level, inputs, terms, output })
    }

    /// Whether older segments exist than that of a level with this index: then deletions are kept, because they hide rows of older
    /// segments.
    fn has_older(&self, connection: &dyn SqlConnection, level: i64, index: i64) -> Result<bool> {
        // (In SQLite the first level of the next index counts as well.)
        let above = Index::levels_of(level).last + 1;
        Ok(index > 0 || self.store.max_level(connection, level + 1, above)?.is_some())
    }

    /// Runs a pass and answers how many leaves it has filled.
    fn run_pass(&self, connection: &dyn SqlConnection, pass: Pass, leaves_max: i64, hint: &mut Hint) -> Result<i64> {
        let Pass { level, inputs, mut terms, mut output } = pass;
        let mut has_more = terms.next(connection, &self.store, &Wanted::All)?;
        while has_more && output.leaves_filled < leaves_max {
            output.append(connection, &self.store, &terms.term, terms.doclist())?;
            // (Terms without rows are skipped here, and thus deleted from the inputs.)
            has_more = terms.next(connection, &self.store, &Wanted::All)?;
        }
        let filled = output.leaves_filled;
        let written = output.save(connection, &self.store, !has_more)?;
        let left = self.take_from_inputs(connection, &inputs, &terms)?;
        if has_more {
            hint.push(level, left);
        } else if let Some(segment) = written {
            self.promote(connection, segment.level, segment.leaf_bytes)?;
        }
        Ok(filled)
    }

    /// Deletes the moved terms from the inputs; answers how many inputs still have terms.
    fn take_from_inputs(&self, connection: &dyn SqlConnection, inputs: &[Segment], terms: &MergeReader) -> Result<i64> {
        let (mut left, mut level) = (0, None);
        for (segment, reader) in inputs.iter().zip(&terms.readers) {
            if let Some(term) = reader.term() {
                trim::trim(connection, &self.store, segment, term)?;
                left += 1;
            } else {
                self.store.delete_blocks_of(connection, segment)?;
                self.store.delete_segment(connection, segment.level, segment.index)?;
                level = Some(segment.level);
            }
        }
        level.map_or(Ok(()), |level| self.store.renumber(connection, level))?;
        Ok(left)
    }
}

/// The level to which segments of a level are merged.
fn next(level: i64) -> Result<i64> {
    if level == Index::levels_of(level).last { Err(corrupt()) } else { Ok(level + 1) }
}
