//! `snippet(table, column, open, close, ellipsis, n)`: the best piece of so many tokens out of a row, with marks.
//!
//! Pieces that begin at a phrase's instance, with tokens in front and behind, compete with those that begin at the sentence of
//! the instance.

use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::{collected, filled};
use lithe_value::{Grow, cast};
use lithe_vtab::{Value, ValueRef};

use super::api::{Api, text_of};
use super::highlight::{copy, marks, runs};
use super::state::Instance;
use super::wrong_number;
use crate::Result;

/// The scores of the first instance of a phrase within a piece, and of each further one.
const FIRST_SCORE: i64 = 1000;
const AGAIN_SCORE: i64 = 1;
/// The scores of a piece that begins with a sentence, and with the first one of the column.
const SENTENCE_SCORE: i64 = 100;
const BEGINNING_SCORE: i64 = 120;

/// The best piece so far: from which token of which column.
struct Best {
    score: i64,
    column: usize,
    start: i64,
}

/// A column that is searched for pieces.
struct Candidate<'c> {
    column: usize,
    /// The number of its tokens.
    len: i64,
    /// The tokens at which sentences begin, in order.
    sentences: &'c [i64],
    /// The number of tokens of a piece.
    wanted: i64,
}

/// The function.
pub fn snippet(api: &mut Api<'_>, arguments: &[ValueRef<'_>]) -> Result<Value> {
    let [column, open, close, ellipsis, wanted] = arguments else { return Err(wrong_number("snippet")) };
    let column = i64::from(cast::to_integer(*column) as i32);
    let wanted = i64::from(cast::to_integer(*wanted) as i32);
    let columns = match usize::try_from(column) {
        Ok(column) => column..column.saturating_add(1).min(api.column_count()),
        Err(_) => 0..api.column_count(),
    };
    let mut best = Best { score: 0, column: usize::try_from(column).unwrap_or(0), start: 0 };
    // What a phrase of an OR is said to have found may be from another row (see `search::node`). Like SQLite, this notices an
    // instance behind the end of its column, and fails if there is one in the last column that it looks at.
    let mut is_sound = true;
    for column in columns {
        is_sound = find(api, column, wanted, &mut best)?;
    }
    if !is_sound {
        return Err(crate::corrupt());
    }
    if best.column >= api.column_count() {
        return Ok(Value::text(Vec::new()));
    }
    let (Some(text), tokens) = api.tokens_of(best.column)? else { return Ok(Value::NULL) };
    let runs = runs(api, best.column)?;
    let piece = Piece { text: &text, tokens: &tokens, start: best.start, end: best.start + wanted };
    Ok(Value::text(piece.marked(&runs, [&text_of(*open), &text_of(*close), &text_of(*ellipsis)])?))
}

/// Looks for a better piece in a column. False: an instance is behind the end of the column, and the search has stopped there.
fn find(api: &mut Api<'_>, column: usize, wanted: i64, best: &mut Best) -> Result<bool> {
    let (text, tokens) = api.tokens_of(column)?;
    let sentences = sentences(text.as_deref().unwrap_or_default(), &tokens)?;
    let all = api.instances()?;
    let len_of = |phrase| api.phrase(phrase).map_or(0, |phrase| phrase.terms.len() as i64);
    let lens: Vec<i64> = collected((0..api.phrase_count()).map(len_of))?;
    let len = api.column_size(Some(column))?;
    let candidate = Candidate { column, len, sentences: &sentences, wanted };
    for instance in all.iter().filter(|instance| instance.column == column) {
        if i64::from(instance.offset) > len {
            return Ok(false);
        }
        candidate.around(&all, &lens, i64::from(instance.offset), best)?;
    }
    Ok(true)
}

/// The tokens at which sentences begin: the first, and those behind a period or colon and white space.
fn sentences(text: &[u8], tokens: &[(usize, usize)]) -> Result<Vec<i64>, OutOfMemory> {
    let begins = |start: usize| {
        let before = text.get(..start).unwrap_or_default();
        let trimmed = before.trim_ascii_end_of_sentence();
        trimmed.len() < before.len() && matches!(trimmed.last(), Some(b'.' | b':'))
    };
    let begun = tokens.iter().enumerate().filter(|(at, (start, _))| *at == 0 || begins(*start));
    collected(begun.map(|(at, _)| at as i64))
}

trait TrimEnd {
    fn trim_ascii_end_of_sentence(&self) -> &[u8];
}

impl TrimEnd for [u8] {
    /// The text without spaces, tabs and line ends at its end.
    fn trim_ascii_end_of_sentence(&self) -> &[u8] {
        let len = self.iter().rposition(|byte| !b" \t\n\r".contains(byte)).map_or(0, |at| at + 1);
        self.get(..len).unwrap_or_default()
    }
}

impl Candidate<'_> {
    /// Tries the pieces for an instance that is at a token.
    fn around(&self, all: &[Instance], lens: &[i64], at: i64, best: &mut Best) -> Result<(), OutOfMemory> {
        let (score, middle) = self.score(all, lens, at)?;
        let start = match middle {
            Some((first, last)) => first - (self.wanted - (last - first)) / 2,
            None => at,
        };
        let start = start.min(self.len - self.wanted).max(0);
        self.take(score, start, best);
        if self.len <= self.wanted {
            return Ok(());
        }
        let sentence = self.sentences.iter().rev().find(|sentence| **sentence <= at).copied();
        if let Some(sentence) = sentence.filter(|sentence| *sentence < at) {
            let (score, _) = self.score(all, lens, sentence)?;
            self.take(score + if sentence == 0 { BEGINNING_SCORE } else { SENTENCE_SCORE }, sentence, best);
        }
        Ok(())
    }

    /// The score of the instances within the piece that begins at `start`, and the range that they cover.
    fn score(&self, all: &[Instance], lens: &[i64], start: i64) -> Result<(i64, Option<(i64, i64)>), OutOfMemory> {
        let mut seen = filled(false, lens.len())?;
        let mut score = 0;
        let mut reach: Option<(i64, i64)> = None;
        let end = start + self.wanted;
        for instance in all.iter().filter(|instance| instance.column == self.column) {
            let at = i64::from(instance.offset);
            if !(start..end).contains(&at) {
                continue;
            }
            let is_new = seen.get_mut(instance.phrase).is_some_and(|seen| !std::mem::replace(seen, true));
            score += if is_new { FIRST_SCORE } else { AGAIN_SCORE };
            let last = at + lens.get(instance.phrase).copied().unwrap_or(0);
            reach = Some((reach.map_or(at, |(first, _)| first), last));
        }
        Ok((score, reach))
    }

    fn take(&self, score: i64, start: i64, best: &mut Best) {
        if score > best.score {
            *best = Best { score, column: self.column, start };
        }
    }
}

/// Tokens `start..end` of a text.
struct Piece<'p> {
    text: &'p [u8],
    tokens: &'p [(usize, usize)],
    start: i64,
    end: i64,
}

impl Piece<'_> {
    /// A piece that ends before the first token: the marks, and the text before the token.
    fn marked_without_end(
        &self,
        runs: &[(usize, usize)],
        [open, close, ellipsis]: [&[u8]; 3],
    ) -> Result<Vec<u8>, OutOfMemory> {
        let mut out = Vec::new();
        let mut copied = 0;
        for (start, end) in marks(runs, self.tokens)? {
            copy(&mut out, self.text, &mut copied, start)?;
            out.try_append(open)?;
            copy(&mut out, self.text, &mut copied, end)?;
            out.try_append(close)?;
        }
        if !self.text.is_empty() {
            out.try_append(ellipsis)?;
        }
        Ok(out)
    }

    /// The piece with marks around runs of tokens, and an ellipsis at each end that is not an end of the text.
    fn marked(&self, runs: &[(usize, usize)], [open, close, ellipsis]: [&[u8]; 3]) -> Result<Vec<u8>, OutOfMemory> {
        let count = self.tokens.len() as i64;
        if self.start == 0 && self.end <= 0 {
            return self.marked_without_end(runs, [open, close, ellipsis]);
        }
        let start = usize::try_from(self.start).unwrap_or(0);
        let is_cut = self.end < count;
        let last = if is_cut { self.end - 1 } else { count - 1 };
        let mut out = Vec::new();
        let mut copied = 0;
        if self.start > 0 {
            out.try_append(ellipsis)?;
            copied = self.tokens.get(start).map_or(self.text.len(), |(start, _)| *start);
        }
        let within = |(first, end): &(usize, usize)| {
            let is_within = *first >= start && (*first as i64) <= last;
            is_within.then(|| (*first, (*end as i64).min(last) as usize))
        };
        let runs: Vec<(usize, usize)> = collected(runs.iter().filter_map(within))?;
        for (start, end) in marks(&runs, self.tokens)? {
            copy(&mut out, self.text, &mut copied, start)?;
            out.try_append(open)?;
            copy(&mut out, self.text, &mut copied, end)?;
            out.try_append(close)?;
        }
        if is_cut {
            let end = usize::try_from(last).ok().filter(|last| *last >= start).and_then(|last| self.tokens.get(last));
            if let Some((_, end)) = end {
                copy(&mut out, self.text, &mut copied, *end)?;
            }
            out.try_append(ellipsis)?;
        } else {
            copy(&mut out, self.text, &mut copied, self.text.len())?;
        }
        Ok(out)
    }
}
