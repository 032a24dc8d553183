//! `snippet(t, start, end, ellipsis, column, n)`: the fragments of a row that show the most of the query.
//!
//! A fragment is a window of tokens of one column. One fragment is tried, then two, up to four, until they show each phrase
//! that any window can show. A window's score is 1000 for each phrase that no earlier fragment shows, and 1 for each further hit.

use std::rc::Rc;

use lithe_value::Grow;
use lithe_value::grow::collected;
use lithe_vtab::ValueRef;

use super::Call;
use crate::Result;
use crate::cursor::CursorState;
use crate::search::Search;
use crate::tokenizer::Flow;

/// The most fragments of a snippet.
const FRAGMENTS_MAX: usize = 4;
/// The most tokens of a fragment: each has a bit in a mask.
const TOKENS_MAX: i64 = 64;
/// The tokens of a snippet when the call gives no number.
const TOKENS_DEFAULT: i64 = 15;
const SCORE_OF_PHRASE: i64 = 1000;

/// A window of a column.
#[derive(Clone, Copy, Debug, Default)]
struct Fragment {
    column: usize,
    /// Its first token.
    start: i64,
    /// Which phrases it shows.
    covered: u64,
    /// Which tokens belong to a phrase.
    highlighted: u64,
}

/// The texts around matches and fragments.
struct Marks {
    open: Vec<u8>,
    close: Vec<u8>,
    ellipsis: Vec<u8>,
}

pub(super) fn snippet(call: &mut Call<'_, '_, '_>) -> Result {
    let marks =
        Marks { open: call.text(0, "<b>")?, close: call.text(1, "</b>")?, ellipsis: call.text(2, "<b>...</b>")? };
    let column = usize::try_from(call.integer(3, -1)).ok();
    let tokens = call.integer(4, TOKENS_DEFAULT).clamp(-TOKENS_MAX, TOKENS_MAX);
    let mut out = Vec::new();
    let mut has_text = call.state.search.is_none() || tokens == 0;
    if let Some(search) = call.state.search.as_ref().map(Rc::clone).filter(|_| tokens != 0) {
        let columns = call.state.table.config.columns.len();
        let columns: Vec<usize> = (0..columns).filter(|one| column.is_none_or(|column| column == *one)).collect();
        if columns.is_empty() {
            return call.context.answer(ValueRef::Text(b"")); // there is no such column
        }
        let (fragments, len) = choose(&search, call.state.docid, &columns, tokens)?;
        for (number, fragment) in fragments.iter().enumerate() {
            let is_last = number + 1 == fragments.len();
            has_text |= append(call, fragment, number, is_last, len, &marks, &mut out)?;
        }
    }
    call.context.answer(if has_text { ValueRef::Text(&out) } else { ValueRef::Null })
}

/// The fragments, and the number of tokens of each.
fn choose(search: &Search, docid: i64, columns: &[usize], tokens: i64) -> Result<(Vec<Fragment>, i64)> {
    let mut count = 1;
    loop {
        let len = if tokens > 0 { (tokens + count as i64 - 1) / count as i64 } else { -tokens };
        let (mut covered, mut seen) = (0, 0);
        let mut fragments = Vec::with_capacity(count);
        for _ in 0..count {
            let mut best = (Fragment::default(), -1);
            for column in columns {
                let (found, score) = best_window(search, docid, *column, len, covered, &mut seen)?;
                if score > best.1 {
                    best = (found, score);
                }
            }
            covered |= best.0.covered;
            fragments.push(best.0);
        }
        if seen == covered || count == FRAGMENTS_MAX {
            return Ok((fragments, len));
        }
        count += 1;
    }
}

/// The positions of a phrase's last token in a column, and how many tokens the phrase has.
struct Hits {
    positions: Vec<i64>,
    len: i64,
}

fn best_window(
    search: &Search,
    docid: i64,
    column: usize,
    len: i64,
    covered: u64,
    seen: &mut u64,
) -> Result<(Fragment, i64)> {
    let mut hits = Vec::new();
    for (number, phrase) in search.phrases.iter().enumerate() {
        let positions = search.positions(number, docid).filter(|position| position.column as usize == column);
        let positions: Vec<i64> = collected(positions.map(|position| position.offset))?;
        if !positions.is_empty() {
            *seen |= phrase_bit(number);
        }
        hits.try_push(Hits { positions, len: phrase.phrase.tokens.len() as i64 })?;
    }
    let mut best = (Fragment { column, ..Fragment::default() }, -1);
    // The first window begins with the column; every further window ends with a hit.
    let mut start = 0;
    loop {
        let (found, score) = window(&hits, column, start, len, covered);
        if score > best.1 {
            best = (found, score);
        }
        let behind = |hits: &Hits| {
            let at = hits.positions.partition_point(|position| *position < start + len);
            hits.positions.get(at).copied()
        };
        let Some(end) = hits.iter().filter_map(behind).min() else { return Ok(best) };
        start = end - len + 1;
    }
}

fn window(hits: &[Hits], column: usize, start: i64, len: i64, covered: u64) -> (Fragment, i64) {
    let mut fragment = Fragment { column, start, covered: 0, highlighted: 0 };
    let mut score = 0;
    for (number, hits) in hits.iter().enumerate() {
        let from = hits.positions.partition_point(|position| *position < start);
        let inside = hits.positions.get(from..).unwrap_or_default();
        for position in inside.iter().take_while(|position| **position < start + len) {
            let is_new = (fragment.covered | covered) & phrase_bit(number) == 0;
            score += if is_new { SCORE_OF_PHRASE } else { 1 };
            fragment.covered |= phrase_bit(number);
            for back in 0..hits.len.min(len) {
                fragment.highlighted |= (1u64 << (position - start)).checked_shr(back as u32).unwrap_or(0);
            }
        }
    }
    (fragment, score)
}

fn phrase_bit(number: usize) -> u64 {
    1 << (number % u64::BITS as usize)
}

/// Appends the text of a fragment; false if the column is NULL.
fn append(
    call: &mut Call<'_, '_, '_>,
    fragment: &Fragment,
    number: usize,
    is_last: bool,
    len: i64,
    marks: &Marks,
    out: &mut Vec<u8>,
) -> Result<bool> {
    let Some(text) = call.document(fragment.column)? else { return Ok(false) };
    let state = &*call.state;
    let (mut start, mut highlighted) = (fragment.start, fragment.highlighted);
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let mut shifted: Option<Result> = None;
    let mut end = 0;
    let has_enough = state.tokenize(&text, |token| {
        if token.position < start {
            return Ok(Flow::More);
        }
        if shifted.is_none() {
            let rest = text.get(token.range.start..).unwrap_or_default();
            let result = shift(state, rest, len, &mut start, &mut highlighted);
            let is_wrong = result.is_err();
            shifted = Some(result);
            if is_wrong {
                return Ok(Flow::Enough);
            }
            if start > 0 || number > 0 {
                out.try_append(&marks.ellipsis)?;
            } else {
                out.try_append(piece(0, token.range.start))?;
            }
            if token.position < start {
                return Ok(Flow::More);
            }
        }
        if token.position >= start + len {
            if is_last {
                out.try_append(&marks.ellipsis)?;
            }
            return Ok(Flow::Enough);
        }
        if token.position > start {
            out.try_append(piece(end, token.range.start))?;
        }
        let is_match = highlighted >> (token.position - start) & 1 != 0;
        if is_match {
            out.try_append(&marks.open)?;
        }
        out.try_append(piece(token.range.start, token.range.end))?;
        if is_match {
            out.try_append(&marks.close)?;
        }
        end = token.range.end;
        Ok(Flow::More)
    })?;
    shifted.unwrap_or(Ok(()))?;
    if !has_enough {
        // The column ends within the fragment: the text after its last token belongs to the fragment.
        out.try_append(crate::table::before_nul(piece(end, text.len())))?;
    }
    Ok(true)
}

/// Moves a window to the right until its matches are in its middle, or the text is at its end.
fn shift(state: &CursorState, text: &[u8], len: i64, start: &mut i64, highlighted: &mut u64) -> Result {
    if *highlighted == 0 {
        return Ok(());
    }
    let left = i64::from(highlighted.trailing_zeros());
    let right = len - 1 - i64::from(u64::BITS - 1 - highlighted.leading_zeros());
    let wanted = (left - right) / 2;
    if wanted <= 0 {
        return Ok(());
    }
    let mut position = 0;
    let is_there = state.tokenize(text, |token| {
        position = token.position;
        Ok(if position < len + wanted { Flow::More } else { Flow::Enough })
    })?;
    let by = i64::from(!is_there) + position - len;
    if by > 0 {
        *start += by;
        *highlighted = highlighted.checked_shr(by as u32).unwrap_or(0);
    }
    Ok(())
}
