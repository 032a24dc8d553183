//! `offsets(t)`: column, term, byte offset and byte length of each match, one after the other.

use std::rc::Rc;

use lithe_value::Grow;
use lithe_vtab::ValueRef;

use super::Call;
use crate::search::Search;
use crate::tokenizer::Flow;
use crate::{Result, corrupt};

/// A match in a column: the token's position, and which token of the query it is.
type Match = (i64, usize);

pub(super) fn offsets(call: &mut Call<'_, '_, '_>) -> Result {
    let mut out = Vec::new();
    if let Some(search) = call.state.search.as_ref().map(Rc::clone) {
        search.note_offsets(call.state.docid);
        let columns = call.state.table.config.columns.len();
        for column in 0..columns {
            of_column(call, &search, column, &mut out)?;
        }
    }
    let is_nothing = out.is_empty() && call.state.search.is_some();
    call.context.answer(if is_nothing { ValueRef::Null } else { ValueRef::Text(&out) })
}

fn of_column(call: &mut Call<'_, '_, '_>, search: &Search, column: usize, out: &mut Vec<u8>) -> Result {
    let Some(text) = call.document(column)? else { return Ok(()) };
    let mut matches = matches(search, call.state.docid, column)?.into_iter().peekable();
    if matches.peek().is_none() {
        return Ok(());
    }
    call.state.tokenize(&text, |token| {
        while let Some((_, term)) = matches.next_if(|(position, _)| *position <= token.position) {
            let space = if out.is_empty() { "" } else { " " };
            let entry = format!("{space}{column} {term} {} {}", token.range.start, token.range.len());
            out.try_append(entry.as_bytes())?;
        }
        Ok(if matches.peek().is_some() { Flow::More } else { Flow::Enough })
    })?;
    // The index has tokens that the text lacks.
    if matches.peek().is_some() && call.state.table.config.has_own_content() { Err(corrupt()) } else { Ok(()) }
}

/// The matches in a column by their positions, then by their terms.
fn matches(search: &Search, docid: i64, column: usize) -> Result<Vec<Match>> {
    let mut matches = Vec::new();
    let mut first_term = 0;
    for (number, phrase) in search.phrases.iter().enumerate() {
        let len = phrase.phrase.tokens.len();
        let positions = search.positions(number, docid).filter(|position| position.column as usize == column);
        for position in positions {
            // The position is that of the last token.
            let start = position.offset - len as i64 + 1;
            matches.try_extend((0..len).map(|at| (start + at as i64, first_term + at)))?;
        }
        first_term += len;
    }
    matches.sort_unstable();
    Ok(matches)
}
