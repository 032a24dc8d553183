//! The order of several segments: which of them has the lowest term and row.
//!
//! ```text
//!            1             a winner in each node: the number of the input with the lower entry
//!        2       3
//!      0   1   2   3       the inputs, the newest first
//! ```
//!
//! Where two inputs that meet have the same row of the same term, the older one moves on at once: the newer one counts. SQLite
//! does so in the same tree, so an unfinished merge leaves the same entries behind.
//!
//! The winner advances without a comparison as long as its rows belong to one term and precede the next row that any other
//! input has of that term, because no other input can win or tie.

use std::cmp::Ordering;

use super::Reader;
use super::segment::SegmentCursor;
use super::tombstones::Tombstones;
use crate::Result;
use crate::config::Detail;

/// A segment that is merged.
pub struct Input {
    /// Where in it the merge is.
    pub cursor: SegmentCursor,
    /// Its deleted rows.
    pub tombstones: Tombstones,
}

impl Input {
    fn is_at_end(&self) -> bool {
        self.cursor.is_at_end()
    }

    fn next(&mut self, reader: &Reader<'_>) -> Result {
        match self.cursor.is_on_last_row() {
            true => self.cursor.next_term(reader)?,
            false => self.cursor.next_row(reader)?,
        }
        self.settle(reader)
    }

    /// A term without rows (secure-delete leaves some) is passed over.
    fn settle(&mut self, reader: &Reader<'_>) -> Result {
        while self.cursor.row.is_none() && !self.cursor.is_at_end() {
            self.cursor.next_term(reader)?;
        }
        Ok(())
    }
}

/// The inputs of a merge, in order.
pub struct Tournament {
    /// The inputs, the newest first.
    pub inputs: Vec<Input>,
    /// The winners, from node 1 on.
    winners: Vec<usize>,
    lead: Lead,
}

/// How far the winner may advance without a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// Nothing yet.
    Unknown,
    /// To the end of its term.
    Term,
    /// To the row in front of this one.
    Row(i64),
}

impl Tournament {
    /// All inputs are on their first rows.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn new(reader: &Reader<'_>, mut inputs: Vec<Input>) -> Result<Tournament> {
        for input in &mut inputs {
            input.settle(reader)?;
        }
        let leaves = inputs.len().max(2).next_power_of_two();
        let mut tournament = Tournament { inputs, winners: vec![0; leaves], lead: Lead::Unknown };
        for node in (1..leaves).rev() {
            if let Some(older) = tournament.compare(node) {
                tournament.advance(reader, older, node)?;
            }
        }
        Ok(tournament)
    }

    /// The input with the lowest row. None: all are at their ends.
    pub fn first(&self) -> Option<usize> {
        let first = *self.winners.get(1)?;
        self.inputs.get(first).is_some_and(|input| !input.is_at_end()).then_some(first)
    }

    /// Passes over the lowest row.
    ///
    /// # Errors
    /// As [`Tournament::new`].
    pub fn next(&mut self, reader: &Reader<'_>) -> Result {
        let Some(first) = self.first() else { return Ok(()) };
        if self.is_last_of_term(first) {
            self.lead = Lead::Unknown;
            return self.advance(reader, first, 1);
        }
        if self.lead == Lead::Unknown {
            self.lead = self.find_lead(first);
        }
        let lead = self.lead;
        let Some(input) = self.inputs.get_mut(first) else { return Ok(()) };
        input.cursor.next_row(reader)?;
        let is_ahead = input.cursor.row.is_some_and(|row| match lead {
            Lead::Row(next) => row.rowid < next,
            Lead::Term | Lead::Unknown => true,
        });
        if is_ahead {
            return Ok(());
        }
        self.lead = Lead::Unknown;
        input.settle(reader)?;
        self.replay(reader, first, 1)
    }

    /// Shows `copy` the bytes of rows that follow the lowest one on its page, are before those of all other inputs, and take no more than `len_max`
    /// bytes, with the rowid of the last one, which becomes the lowest row. Not with detail=none.
    pub fn copy_run(&mut self, detail: Detail, len_max: usize, copy: impl FnOnce(&[u8], i64)) {
        let Some(first) = self.first().filter(|first| !self.is_last_of_term(*first)) else { return };
        if self.lead == Lead::Unknown {
            self.lead = self.find_lead(first);
        }
        let below = if let Lead::Row(next) = self.lead { Some(next) } else { None };
        let Some(input) = self.inputs.get_mut(first).filter(|input| input.tombstones.is_empty()) else { return };
        if let Some((bytes, last, behind)) = input.cursor.run(detail, below, len_max) {
            copy(bytes, last.rowid);
            input.cursor.pass_run(last, behind);
        }
    }

    /// Whether the row of an input is known to be the last of its term.
    fn is_last_of_term(&self, input: usize) -> bool {
        self.inputs.get(input).is_none_or(|input| input.cursor.is_on_last_row())
    }

    /// How far the winner may go: to the next row of the same term that an input has which it met on its way.
    fn find_lead(&self, first: usize) -> Lead {
        let Some(winner) = self.inputs.get(first) else { return Lead::Unknown };
        let rows = self.inputs.iter().enumerate().filter(|(at, input)| *at != first && !input.is_at_end());
        let same = rows.filter(|(_, input)| input.cursor.compare_terms(&winner.cursor) == Ordering::Equal);
        let next = same.filter_map(|(_, input)| input.cursor.row.map(|row| row.rowid)).min();
        next.map_or(Lead::Term, Lead::Row)
    }

    /// Moves an input on, and compares anew from its leaf up to a node.
    fn advance(&mut self, reader: &Reader<'_>, input: usize, top: usize) -> Result {
        self.step(reader, input)?;
        self.replay(reader, input, top)
    }

    /// Compares anew from an input's leaf up to a node.
    fn replay(&mut self, reader: &Reader<'_>, input: usize, top: usize) -> Result {
        let mut node = (self.winners.len() + input) / 2;
        while node >= top {
            match self.compare(node) {
                Some(older) => {
                    self.step(reader, older)?;
                    node = (self.winners.len() + older) / 2;
                }
                None => node /= 2,
            }
        }
        Ok(())
    }

    fn step(&mut self, reader: &Reader<'_>, input: usize) -> Result {
        self.inputs.get_mut(input).map_or(Ok(()), |input| input.next(reader))
    }

    /// Finds the winner of a node; the loser if it has the same row.
    fn compare(&mut self, node: usize) -> Option<usize> {
        let half = self.winners.len() / 2;
        let (newer, older) = if node >= half {
            ((node - half) * 2, (node - half) * 2 + 1)
        } else {
            (*self.winners.get(2 * node)?, *self.winners.get(2 * node + 1)?)
        };
        let order = self.order(newer, older);
        if let Some(winner) = self.winners.get_mut(node) {
            *winner = if order == Ordering::Greater { older } else { newer };
        }
        (order == Ordering::Equal).then_some(older)
    }

    fn order(&self, newer: usize, older: usize) -> Ordering {
        let standing = |at: usize| self.inputs.get(at).filter(|input| !input.is_at_end());
        let (Some(newer), Some(older)) = (standing(newer), standing(older)) else {
            return if standing(newer).is_some() { Ordering::Less } else { Ordering::Greater };
        };
        let rowid = |input: &Input| input.cursor.row.map(|row| row.rowid);
        newer.cursor.compare_terms(&older.cursor).then_with(|| rowid(newer).cmp(&rowid(older)))
    }
}
