//! What a row must have beside the tokens: phrases, near each other, in certain columns.

use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::collected;

use super::Stream;
use super::marks::{Found, Marks};
use crate::config::Detail;
use crate::position::{self, Reader};
use crate::search::leaf::{Leaf, find_phrase};
use crate::search::near::{self, Instances};

/// The conditions of a leaf on the positions of its tokens, which are the streams of a conjunction from one on.
#[derive(Debug)]
pub(super) struct Check {
    first_stream: usize,
    phrases: Vec<PhraseCheck>,
    columns: Option<Vec<usize>>,
    distance: u32,
    marks: Marks,
}

#[derive(Debug)]
struct PhraseCheck {
    len: usize,
    is_first: bool,
    found: Instances,
}

impl AsMut<Instances> for PhraseCheck {
    fn as_mut(&mut self) -> &mut Instances {
        &mut self.found
    }
}

impl Check {
    /// Whether a leaf can be checked by the position lists of its tokens: each phrase has tokens, of which none has alternatives, and the index
    /// has their offsets, if there are several.
    pub fn can_check(leaf: &Leaf, detail: Detail) -> bool {
        let is_known = detail == Detail::Full || leaf.terms().count() == 1;
        is_known && leaf.phrase_lens().all(|len| len > 0) && leaf.terms().all(|term| !term.has_alternatives())
    }

    /// The conditions of a leaf. The streams of its tokens begin with `first_stream`.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn new(leaf: &Leaf, first_stream: usize) -> Result<Check, OutOfMemory> {
        let phrase = |(len, is_first)| PhraseCheck { len, is_first, found: Instances::of_len(len as u64) };
        let phrases = collected(leaf.phrase_lens().zip(leaf.first_marks()).map(phrase))?;
        Ok(Check {
            first_stream,
            phrases,
            columns: leaf.columns().map(<[_]>::to_vec),
            distance: leaf.distance(),
            marks: Marks::default(),
        })
    }

    /// Whether the row on which all streams are has the phrases.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn passes(&mut self, detail: Detail, streams: &[Stream]) -> Result<bool, OutOfMemory> {
        let streams = streams.get(self.first_stream..).unwrap_or_default();
        let list = |at: usize| streams.get(at).map(Stream::list).unwrap_or_default();
        let has_conditions = self.columns.is_some() || self.phrases.iter().any(|phrase| phrase.is_first);
        match self.phrases.as_slice() {
            [PhraseCheck { len: 1, is_first, .. }] => {
                let columns = self.columns.as_deref();
                let is_here = |position: u64| {
                    columns.is_none_or(|columns| columns.contains(&position::column_of(position)))
                        && !(*is_first && position::offset_of(position) != 0)
                };
                Ok(crate::search::positions(list(0), detail).any(is_here))
            }
            [PhraseCheck { len: 1, .. }, PhraseCheck { len: 1, .. }] if !has_conditions => {
                Ok(near::are_near(Reader::new(list(0)), Reader::new(list(1)), self.distance))
            }
            phrases => {
                let is_alone = phrases.len() == 1 && !has_conditions;
                match self.may_be_there(list) {
                    Found::No => Ok(false),
                    Found::Yes if is_alone => Ok(true),
                    _ => self.find(list),
                }
            }
        }
    }

    /// Whether the tokens of each phrase stand one behind the other.
    fn may_be_there<'l>(&mut self, list: impl Fn(usize) -> &'l [u8]) -> Found {
        let mut all = Found::Yes;
        let mut first = 0;
        for phrase in &self.phrases {
            let lists = first..first + phrase.len;
            first += phrase.len;
            if phrase.len == 1 {
                continue;
            }
            match self.marks.follow(lists.map(&list)) {
                Found::Yes => {}
                Found::Perhaps => all = Found::Perhaps,
                Found::No => return Found::No,
            }
        }
        all
    }

    fn find<'l>(&mut self, list: impl Fn(usize) -> &'l [u8]) -> Result<bool, OutOfMemory> {
        let mut first = 0;
        for phrase in &mut self.phrases {
            let lists = first..first + phrase.len;
            first += phrase.len;
            let columns = self.columns.as_deref();
            find_phrase(lists.map(&list), phrase.is_first, columns, &mut phrase.found.positions)?;
            if phrase.found.positions.is_empty() {
                return Ok(false);
            }
        }
        Ok(self.phrases.len() == 1 || near::trim(&mut self.phrases, self.distance))
    }
}
