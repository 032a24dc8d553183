//! `highlight(table, column, open, close)`: the text of a column with marks around what the query asks for.

use lithe_value::buffer::OutOfMemory;
use lithe_value::{Grow, cast};
use lithe_vtab::{Value, ValueRef};

use super::api::{Api, text_of};
use super::wrong_number;
use crate::Result;

/// The tokens of one column that belong to phrases: the first and the last of each run. Runs that share a token are one run.
pub(super) fn runs(api: &mut Api<'_>, column: usize) -> Result<Vec<(usize, usize)>> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for instance in api.instances()?.iter().filter(|instance| instance.column == column) {
        let len = api.phrase(instance.phrase).map_or(0, |phrase| phrase.terms.len());
        let first = instance.offset as usize;
        let last = (first + len).saturating_sub(1);
        match runs.last_mut() {
            Some(run) if first <= run.1 => run.1 = run.1.max(last),
            _ => runs.try_push((first, last))?,
        }
    }
    Ok(runs)
}

/// The function.
pub fn highlight(api: &mut Api<'_>, arguments: &[ValueRef<'_>]) -> Result<Value> {
    let [column, open, close] = arguments else { return Err(wrong_number("highlight")) };
    let column = usize::try_from(cast::to_integer(*column) as i32).ok().filter(|column| *column < api.column_count());
    let Some(column) = column else { return Ok(Value::text(Vec::new())) };
    let (Some(text), tokens) = api.tokens_of(column)? else { return Ok(Value::NULL) };
    let (open, close) = (text_of(*open), text_of(*close));
    let marks = marks(&runs(api, column)?, &tokens)?;
    let mut out = Vec::new();
    out.try_grow(text.len().saturating_add(marks.len().saturating_mul(open.len() + close.len())))?;
    let mut copied = 0;
    for (start, end) in marks {
        copy(&mut out, &text, &mut copied, start)?;
        out.try_append(&open)?;
        copy(&mut out, &text, &mut copied, end)?;
        out.try_append(&close)?;
    }
    copy(&mut out, &text, &mut copied, text.len())?;
    Ok(Value::text(out))
}

/// Appends the text up to `end`.
pub(super) fn copy(out: &mut Vec<u8>, text: &[u8], copied: &mut usize, end: usize) -> Result<(), OutOfMemory> {
    if let Some(piece) = text.get(*copied..end) {
        out.try_append(piece)?;
        *copied = end;
    }
    Ok(())
}

/// The bytes of runs of tokens. Runs that overlap in the text, as trigrams do, are one mark.
pub(super) fn marks(runs: &[(usize, usize)], tokens: &[(usize, usize)]) -> Result<Vec<(usize, usize)>, OutOfMemory> {
    let mut marks: Vec<(usize, usize)> = Vec::new();
    for (first, last) in runs {
        let Some((start, _)) = tokens.get(*first) else { break };
        // If the text differs from the indexed one, the last token may be missing.
        let end = tokens.get(*last).map_or(*start, |(_, end)| *end);
        match marks.last_mut() {
            Some(mark) if *start < mark.1 => mark.1 = mark.1.max(end),
            _ => marks.try_push((*start, end))?,
        }
    }
    Ok(marks)
}
