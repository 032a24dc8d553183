//! `matchinfo(t, format)`: 32-bit integers about the query, the row and the table, in the byte order of the machine.
//!
//! | letter | integers | meaning |
//! | --- | --- | --- |
//! | p, c | 1 | phrases; columns |
//! | n | 1 | rows in the table (FTS4) |
//! | a | columns | the average number of tokens of a row in a column (FTS4) |
//! | l | columns | the number of tokens of this row in a column |
//! | s | columns | the longest run of phrases that follow each other in the column as in the query |
//! | x | 3 * phrases * columns | hits in this row, hits in all rows, rows with hits |
//! | y | phrases * columns | hits in this row, of those parts of the query that match the row |
//! | b | phrases * words of 32 columns | the same as bits |

use std::rc::Rc;
use std::sync::Arc;

use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::{collected, copied, filled};
use lithe_value::{Grow, cast};
use lithe_vtab::{FunctionError, ValueRef};

use super::Call;
use crate::cursor::Totals;
use crate::doclist::Position;
use crate::search::{PhraseRows, Search};
use crate::{Result, corrupt};

const DEFAULT_FORMAT: &[u8] = b"pcx";

pub(super) fn matchinfo(call: &mut Call<'_, '_, '_>) -> Result {
    let Some(search) = call.state.search.as_ref().map(Rc::clone) else {
        return call.context.answer(ValueRef::Blob(&[]));
    };
    let format = match call.arguments.first() {
        None | Some(ValueRef::Null) => DEFAULT_FORMAT.to_vec(),
        Some(format) => copied(crate::table::before_nul(&cast::to_text(*format)))?,
    };
    let config = &call.state.table.config;
    let is_known = |letter: &u8| match letter {
        b'n' | b'a' => config.is_fts4,
        b'l' => config.has_sizes(),
        letter => b"pcsxyb".contains(letter),
    };
    if let Some(letter) = format.iter().find(|letter| !is_known(letter)) {
        // (As in SQLite, the message shows one byte, even of a character of several bytes.)
        let message = [b"unrecognized matchinfo request: ".as_slice(), &[*letter]].concat();
        return Err(FunctionError::new(String::from_utf8_lossy(&message).into_owned()));
    }
    let mut info = Info { columns: config.columns.len(), search, out: Vec::new() };
    for letter in format {
        match letter {
            b'p' => info.push(info.search.phrases.len() as u64)?,
            b'c' => info.push(info.columns as u64)?,
            b'n' => info.push(call.totals(0)?.rows)?,
            b'a' => {
                let totals = call.totals(info.columns)?;
                let average = |sum: &u64| u64::from(*sum as u32).saturating_add(totals.rows / 2) / totals.rows.max(1);
                totals.sizes.iter().take(info.columns).try_for_each(|sum| info.push(average(sum)))?;
            }
            b'l' => {
                let sizes = call.state.table.storage.sizes(call.connection, call.state.docid)?;
                sizes.iter().try_for_each(|size| info.push(*size))?;
            }
            b's' => info.longest_runs(call.state.docid)?,
            b'x' => {
                info.search.note_counts();
                let totals = call.counted(&info)?;
                info.hits(call.state.docid, &totals)?;
            }
            letter => info.matching_hits(call.state.docid, letter == b'b')?,
        }
    }
    let bytes: Vec<u8> = collected(info.out.iter().flat_map(|number| number.to_ne_bytes()))?;
    call.context.answer(ValueRef::Blob(&bytes))
}

impl Call<'_, '_, '_> {
    /// The totals of the table: its rows, and the tokens in its first `columns` columns.
    fn totals(&self, columns: usize) -> Result<crate::storage::Totals> {
        let totals = self.state.table.storage.exact_totals(self.connection, columns)?;
        totals.filter(|totals| totals.rows > 0).ok_or_else(corrupt)
    }

    /// The hits in all rows, counted once in a scan.
    fn counted(&mut self, info: &Info) -> Result<Arc<Totals>> {
        if let Some(totals) = &self.state.kept.totals {
            return Ok(Arc::clone(totals));
        }
        // The doclist of a deferred token is not read, so its hits are not counted: each row of the table counts as one hit.
        let rows = if info.search.phrases.iter().any(PhraseRows::is_deferred) { self.totals(0)?.rows } else { 0 };
        let totals = Arc::new(info.count(rows as u32)?);
        self.state.kept.totals = Some(Arc::clone(&totals));
        Ok(totals)
    }
}

struct Info {
    columns: usize,
    search: Rc<Search>,
    out: Vec<u32>,
}

impl Info {
    fn push(&mut self, number: u64) -> Result<(), OutOfMemory> {
        self.out.try_push(number as u32)
    }

    fn count(&self, rows_of_deferred: u32) -> Result<Totals, OutOfMemory> {
        let mut all = Vec::new();
        for phrase in &self.search.phrases {
            if phrase.is_deferred() {
                all.try_extend(std::iter::repeat_n((rows_of_deferred, rows_of_deferred), self.columns))?;
                continue;
            }
            let mut of_columns = vec![(0u32, 0u32); self.columns];
            let mut last_row = vec![None; self.columns];
            for (at, docid) in phrase.counted_rows().docids.iter().enumerate() {
                for position in phrase.counted_rows().positions_at(at) {
                    let column = position.column as usize;
                    let (Some(counts), Some(last)) = (of_columns.get_mut(column), last_row.get_mut(column)) else {
                        continue;
                    };
                    counts.0 = counts.0.wrapping_add(1);
                    if *last != Some(*docid) {
                        counts.1 = counts.1.wrapping_add(1);
                        *last = Some(*docid);
                    }
                }
            }
            all.try_extend(of_columns)?;
        }
        Ok(Totals(all))
    }

    /// The number of hits of a phrase in each column of a row.
    fn row_hits(&self, phrase: usize, docid: i64) -> Vec<u32> {
        let mut hits = vec![0u32; self.columns];
        for position in self.search.positions(phrase, docid) {
            if let Some(count) = hits.get_mut(position.column as usize) {
                *count = count.wrapping_add(1);
            }
        }
        hits
    }

    fn hits(&mut self, docid: i64, totals: &Totals) -> Result<(), OutOfMemory> {
        for phrase in 0..self.search.phrases.len() {
            let hits = self.row_hits(phrase, docid);
            let totals = totals.0.iter().skip(phrase * self.columns);
            for (hits, (all, rows)) in hits.iter().zip(totals) {
                self.out.try_extend([*hits, *all, *rows])?;
            }
        }
        Ok(())
    }

    fn matching_hits(&mut self, docid: i64, as_bits: bool) -> Result {
        let mut matching = filled(false, self.search.phrases.len())?;
        self.search.each_in_matching(docid, |phrase| {
            if let Some(matches) = matching.get_mut(phrase) {
                *matches = true;
            }
        });
        for (phrase, matches) in matching.into_iter().enumerate() {
            let is_beyond = |position: Position| position.column as usize >= self.columns;
            if matches && self.search.positions(phrase, docid).any(is_beyond) {
                return Err(corrupt());
            }
            let hits = if matches { self.row_hits(phrase, docid) } else { vec![0; self.columns] };
            if as_bits {
                let word = |columns: &[u32]| {
                    let bits = columns.iter().enumerate().filter(|(_, hits)| **hits > 0);
                    bits.fold(0, |word, (bit, _)| word | 1 << bit)
                };
                self.out.try_extend(hits.chunks(u32::BITS as usize).map(word))?;
            } else {
                self.out.try_extend(hits)?;
            }
        }
        Ok(())
    }

    /// For each column: the most phrases that follow each other in the row as they do in the query.
    fn longest_runs(&mut self, docid: i64) -> Result<(), OutOfMemory> {
        for column in 0..self.columns {
            let mut before = 0;
            let mut lists = Vec::new();
            for (number, phrase) in self.search.phrases.iter().enumerate() {
                before += phrase.phrase.tokens.len() as i64;
                let positions = self.search.positions(number, docid);
                let positions = positions.filter(|position| position.column as usize == column);
                // Where phrases follow each other, these differences are equal.
                lists.try_push(collected(positions.map(|position| position.offset - before))?)?;
            }
            self.push(longest_run(&lists)?)?;
        }
        Ok(())
    }
}

/// The most neighbouring lists that have a number in common.
fn longest_run(lists: &[Vec<i64>]) -> Result<u64, OutOfMemory> {
    let mut longest = 0;
    // The runs that end with the list before: their number and their length.
    let mut runs: Vec<(i64, u64)> = Vec::new();
    for list in lists {
        let length = |number: i64| {
            let found = runs.binary_search_by_key(&number, |(number, _)| *number);
            1 + found.ok().and_then(|at| runs.get(at)).map_or(0, |(_, length)| *length)
        };
        let mut here: Vec<(i64, u64)> = collected(list.iter().map(|number| (*number, length(*number))))?;
        here.dedup_by_key(|(number, _)| *number);
        longest = here.iter().map(|(_, length)| *length).max().unwrap_or(0).max(longest);
        runs = here;
    }
    Ok(longest)
}
