//! Leaves: rows in which phrases occur.
//!
//! The postings of all tokens meet on a row; then their positions decide whether the tokens occur in a row, in the wanted
//! columns, near each other.

use std::cell::{Cell, OnceCell};
use std::mem;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::{collected, copied};

use crate::Result;
use crate::config::Detail;
use crate::index::Postings;
use crate::position::{self, Reader};
use crate::query::{Near, Term};

use super::PhraseQuery;
use super::near::{self, Instances};
use super::scan::Scan;

/// Phrases near each other, or a single one.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The number of its first phrase in the query.
    first_phrase: usize,
    pub(super) phrases: Vec<LeafPhrase>,
    columns: Option<Vec<usize>>,
    distance: u32,
    row: Option<i64>,
    is_match: bool,
    /// Whether the instances of the phrases do not count for auxiliary functions.
    is_forgotten: bool,
    lateness: Lateness,
}

/// Most queries want rows, not places. A leaf that matches in every row of the query looks then for one place in a row, and finds all when
/// an auxiliary function asks. (Of other leaves, what they have found in a row may be asked for in later rows.)
#[derive(Clone, Debug, Default)]
struct Lateness {
    is_allowed: bool,
    /// The phrases were not found in this row yet.
    is_late: bool,
    /// An auxiliary function has asked for positions: from the next row on, phrases are found at once.
    was_asked: Cell<bool>,
    /// The instances of each phrase, once an auxiliary function has asked for them.
    found: OnceCell<Vec<Instances>>,
}

/// A phrase.
#[derive(Clone, Debug)]
pub struct LeafPhrase {
    pub(super) terms: Vec<TermScan>,
    is_first: bool,
    /// The places in the row. (Not of a leaf that [`Leaf::takes_all`].)
    matches: Instances,
}

impl Leaf {
    /// The leaf for phrases, which are appended to `phrases`.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn new(near: Near, phrases: &mut Vec<PhraseQuery>) -> Result<Leaf> {
        let first_phrase = phrases.len();
        let mut own = Vec::new();
        for phrase in near.phrases {
            let scan = |term: &Term| TermScan { term: term.clone(), postings: Vec::new() };
            let terms = collected(phrase.terms.iter().map(scan))?;
            let is_first = phrase.is_first;
            let matches = Instances::of_len(phrase.terms.len() as u64);
            phrases.try_push(PhraseQuery { phrase, columns: near.columns.clone() })?;
            own.try_push(LeafPhrase { terms, is_first, matches })?;
        }
        Ok(Leaf {
            first_phrase,
            phrases: own,
            columns: near.columns,
            distance: near.distance,
            row: None,
            is_match: false,
            is_forgotten: false,
            lateness: Lateness::default(),
        })
    }

    /// Whether the leaf matches in every row of the query.
    pub fn allow_lateness(&mut self) {
        self.lateness.is_allowed = true;
    }

    /// Whether it has a phrase of the query.
    pub fn has(&self, phrase: usize) -> bool {
        (self.first_phrase..self.first_phrase + self.phrases.len()).contains(&phrase)
    }

    /// The rowid of the row. None if there is no row (any more).
    pub fn row(&self) -> Option<i64> {
        self.row
    }

    /// Whether the row matches: the phrases occur in the wanted columns, near each other.
    pub fn is_match(&self) -> bool {
        self.is_match
    }

    /// Goes to the end.
    pub fn end(&mut self) {
        self.row = None;
    }

    /// Whether the instances of the phrases do not count for auxiliary functions.
    pub fn is_forgotten(&self) -> bool {
        self.is_forgotten
    }

    /// Forgets the instances of the phrases in the row.
    pub fn forget(&mut self) {
        self.is_forgotten = true;
        self.lateness.is_late = false;
        self.phrases.iter_mut().for_each(|phrase| phrase.matches.positions.clear());
    }

    /// Whether filters have left no column.
    pub fn has_no_columns(&self) -> bool {
        self.columns.as_ref().is_some_and(Vec::is_empty)
    }

    /// Goes to the first row.
    pub fn open(&mut self, scan: &Scan<'_>, has_token_data: bool) -> Result {
        // A leaf whose filters leave no column has no rows: SQLite opens no postings for it, so that the leaf is never on a row.
        if self.has_no_columns() {
            return Ok(());
        }
        for term in self.phrases.iter_mut().flat_map(|phrase| &mut phrase.terms) {
            term.open(scan, has_token_data, self.columns.as_deref())?;
        }
        self.settle(scan)
    }

    /// Goes to the next row.
    pub fn next(&mut self, scan: &Scan<'_>) -> Result {
        if let Some(first) = self.phrases.iter_mut().flat_map(|phrase| &mut phrase.terms).next() {
            first.next(scan)?;
        }
        self.settle(scan)
    }

    /// Goes to the first row that is not before `rowid`.
    pub fn seek(&mut self, scan: &Scan<'_>, rowid: i64) -> Result {
        if let Some(first) = self.phrases.iter_mut().flat_map(|phrase| &mut phrase.terms).next() {
            first.seek(scan, rowid)?;
        }
        self.settle(scan)
    }

    /// Called after a token has moved: moves all tokens to a row that has each of them.
    fn settle(&mut self, scan: &Scan<'_>) -> Result {
        self.row = self.meet(scan)?;
        self.is_forgotten = false;
        self.lateness.is_late = false;
        self.is_match = self.row.is_some() && (self.takes_all() || self.find_soon(scan.detail)?);
        Ok(())
    }

    /// Whether the phrases occur in the row; finds them, unless that can wait.
    fn find_soon(&mut self, detail: Detail) -> Result<bool> {
        let may_be_late = self.lateness.is_allowed && !self.lateness.was_asked.get() && detail == Detail::Full;
        if may_be_late && let Some(is_match) = self.matches_somewhere()? {
            self.lateness.is_late = true;
            self.lateness.found.take();
            return Ok(is_match);
        }
        self.find(detail)
    }

    /// Whether the phrases occur in the row, if the leaf consists of two tokens without conditions on columns; else `None`.
    fn matches_somewhere(&self) -> Result<Option<bool>> {
        if self.columns.is_some() || self.phrases.iter().any(|phrase| phrase.is_first) {
            return Ok(None);
        }
        let terms = |phrase: usize| self.phrases.get(phrase).map(|phrase| phrase.terms.as_slice());
        let (is_near, first, second) = match (self.phrases.len(), terms(0), terms(1)) {
            (1, Some([first, second]), None) => (false, first, second),
            (2, Some([first]), Some([second])) => (true, first, second),
            _ => return Ok(None),
        };
        let Some(first) = first.single_list(self.row)? else { return Ok(None) };
        let Some(second) = second.single_list(self.row)? else { return Ok(None) };
        let (first, second) = (Reader::new(first), Reader::new(second));
        let is_match =
            if is_near { near::are_near(first, second, self.distance) } else { near::are_neighbours(first, second) };
        Ok(Some(is_match))
    }

    /// Finds the instances of the phrases in the row, late.
    fn found_late(&self) -> Result<&[Instances]> {
        self.lateness.was_asked.set(true);
        if let Some(known) = self.lateness.found.get() {
            return Ok(known);
        }
        let find = |phrase: &LeafPhrase| {
            let mut positions = Vec::new();
            phrase.find_into(self.row, Detail::Full, None, &mut positions)?;
            Ok(Instances::at(positions, phrase.terms.len() as u64))
        };
        let mut all = self.phrases.iter().map(find).collect::<Result<Vec<Instances>>>()?;
        if all.len() > 1 {
            near::trim(&mut all, self.distance);
        }
        Ok(self.lateness.found.get_or_init(|| all))
    }

    /// Moves all tokens on to a row that has each of them. `None`: there are no tokens, or one occurs in no more rows.
    fn meet(&mut self, scan: &Scan<'_>) -> Result<Option<i64>> {
        let phrases = &mut self.phrases;
        if let [LeafPhrase { terms, .. }] = phrases.as_slice()
            && let [term] = terms.as_slice()
        {
            return Ok(term.row(scan));
        }
        let first = phrases.first().and_then(|phrase| phrase.terms.first());
        let Some(mut row) = first.and_then(|first| first.row(scan)) else { return Ok(None) };
        loop {
            let wanted = row;
            for term in phrases.iter_mut().flat_map(|phrase| &mut phrase.terms) {
                term.seek(scan, row)?;
                match term.row(scan) {
                    Some(found) => row = found,
                    None => return Ok(None),
                }
            }
            if row == wanted {
                return Ok(Some(row));
            }
        }
    }

    /// Whether each row of the leaf's token matches.
    pub fn takes_all(&self) -> bool {
        let one = |phrase: &LeafPhrase| phrase.terms.len() == 1 && !phrase.is_first;
        self.columns.is_none() && matches!(self.phrases.as_slice(), [phrase] if one(phrase))
    }

    /// Whether it consists of one token, without alternatives and conditions.
    pub fn is_token(&self) -> bool {
        self.takes_all() && self.terms().all(|term| !term.has_alternatives())
    }

    /// All tokens.
    pub fn terms(&self) -> impl Iterator<Item = &TermScan> {
        self.phrases.iter().flat_map(|phrase| &phrase.terms)
    }

    /// The number of tokens of each phrase.
    pub fn phrase_lens(&self) -> impl Iterator<Item = usize> {
        self.phrases.iter().map(|phrase| phrase.terms.len())
    }

    /// Whether each phrase must be at the beginning of a column.
    pub fn first_marks(&self) -> impl Iterator<Item = bool> {
        self.phrases.iter().map(|phrase| phrase.is_first)
    }

    /// The columns in which the phrases may be. None: all.
    pub fn columns(&self) -> Option<&[usize]> {
        self.columns.as_deref()
    }

    /// The number of tokens that may be between the phrases.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// Finds the phrases in the row. At the first one that is not there it stops: what is known of others is from earlier rows.
    fn find(&mut self, detail: Detail) -> Result<bool> {
        for phrase in &mut self.phrases {
            let mut positions = mem::take(&mut phrase.matches.positions);
            phrase.find_into(self.row, detail, self.columns.as_deref(), &mut positions)?;
            phrase.matches.positions = positions;
            if phrase.matches.positions.is_empty() {
                return Ok(false);
            }
        }
        Ok(self.phrases.len() == 1 || near::trim(&mut self.phrases, self.distance))
    }

    /// The places of a phrase of the query in the row.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn positions(&self, phrase: usize, detail: Detail) -> Result<Vec<u64>> {
        let found = phrase.checked_sub(self.first_phrase).and_then(|at| self.phrases.get(at));
        Ok(match found {
            Some(LeafPhrase { terms, .. }) if self.takes_all() && !self.is_forgotten => {
                let mut positions = Vec::new();
                if let Some(term) = terms.first() {
                    term.positions(self.row, detail, &mut positions)?;
                }
                positions
            }
            Some(_) if self.lateness.is_late => {
                let at = phrase - self.first_phrase;
                copied(self.found_late()?.get(at).map(|found| found.positions.as_slice()).unwrap_or_default())?
            }
            Some(phrase) => copied(&phrase.matches.positions)?,
            None => Vec::new(),
        })
    }

    /// Calls `each` with the positions of [`Leaf::positions`], if they can be found without a list of them.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn each_position(&self, phrase: usize, detail: Detail, each: &mut dyn FnMut(u64)) -> Result {
        let found = phrase.checked_sub(self.first_phrase).and_then(|at| self.phrases.get(at));
        let single = found.and_then(|found| found.terms.first()).filter(|term| term.postings.len() == 1);
        match (found, single) {
            (Some(_), Some(term)) if self.takes_all() && !self.is_forgotten && detail == Detail::Full => {
                for list in term.lists(self.row) {
                    Reader::new(list?).for_each(&mut *each);
                }
            }
            _ => self.positions(phrase, detail)?.into_iter().for_each(each),
        }
        Ok(())
    }
}

impl AsMut<Instances> for LeafPhrase {
    fn as_mut(&mut self) -> &mut Instances {
        &mut self.matches
    }
}

impl LeafPhrase {
    /// Finds the places of the row where its tokens are one behind the other.
    fn find_into(&self, row: Option<i64>, detail: Detail, columns: Option<&[usize]>, matches: &mut Vec<u64>) -> Result {
        let LeafPhrase { terms, is_first, .. } = self;
        let Some((first, mut others)) = terms.split_first() else { return Ok(()) };
        let pair = match others.first().filter(|_| detail == Detail::Full) {
            Some(second) => first.single_list(row)?.zip(second.single_list(row)?),
            None => None,
        };
        match pair {
            Some((first, second)) => {
                read_pairs(first, second, matches)?;
                others = others.get(1..).unwrap_or_default();
            }
            None => first.positions(row, detail, matches)?,
        }
        let behind = terms.len() - others.len();
        retain_allowed(matches, *is_first, columns);
        others.iter().zip(behind as u64..).try_for_each(|(term, behind)| term.retain_near(row, matches, behind))
    }
}

/// The rows of a token, and of its alternatives.
#[derive(Clone, Debug)]
pub(super) struct TermScan {
    term: Term,
    postings: Vec<Postings>,
}

impl TermScan {
    fn open(&mut self, scan: &Scan<'_>, has_token_data: bool, columns: Option<&[usize]>) -> Result {
        self.postings = self.open_postings(scan, has_token_data, columns)?;
        Ok(())
    }

    /// The rows of the token, and of each alternative.
    pub fn open_postings(
        &self,
        scan: &Scan<'_>,
        has_token_data: bool,
        columns: Option<&[usize]>,
    ) -> Result<Vec<Postings>> {
        let open = |token: &Vec<u8>| {
            let token = if has_token_data { before_nul(token) } else { token };
            match self.term.is_prefix {
                true => scan.reader.prefix(token, scan.order, columns),
                false if has_token_data => scan.reader.token_data(token, scan.order),
                false => scan.reader.term(token, scan.order),
            }
        };
        self.term.tokens.iter().map(open).collect()
    }

    /// Whether there are several tokens, of which any will do.
    pub fn has_alternatives(&self) -> bool {
        self.term.tokens.len() != 1
    }

    /// The rowids of the rows with a prefix, if the token is one for which they are collected.
    pub fn prefix_rowids(&self, scan: &Scan<'_>, has_token_data: bool) -> Result<Option<Vec<i64>>> {
        let Some(token) = self.term.tokens.first().filter(|_| self.term.is_prefix) else { return Ok(None) };
        scan.reader.prefix_rowids(if has_token_data { before_nul(token) } else { token })
    }

    /// The postings, if there is one token.
    fn single(&mut self) -> Option<&mut Postings> {
        if let [postings] = self.postings.as_mut_slice() { Some(postings) } else { None }
    }

    fn row(&self, scan: &Scan<'_>) -> Option<i64> {
        if let [postings] = self.postings.as_slice() {
            return (!postings.is_at_end()).then(|| postings.rowid());
        }
        let rows = self.postings.iter().filter(|one| !one.is_at_end()).map(Postings::rowid);
        rows.min_by(|one, other| scan.compare(*one, *other))
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        if let Some(postings) = self.single() {
            return postings.next(&scan.reader);
        }
        let row = self.row(scan);
        let is_here = |one: &&mut Postings| !one.is_at_end() && Some(one.rowid()) == row;
        self.postings.iter_mut().filter(is_here).try_for_each(|one| one.next(&scan.reader))
    }

    fn seek(&mut self, scan: &Scan<'_>, rowid: i64) -> Result {
        if let Some(postings) = self.single() {
            return postings.seek(&scan.reader, rowid);
        }
        let is_behind = |one: &&mut Postings| !one.is_at_end() && scan.is_before(one.rowid(), rowid);
        self.postings.iter_mut().filter(is_behind).try_for_each(|one| one.seek(&scan.reader, rowid))
    }

    /// The position lists of the row.
    fn lists(&self, row: Option<i64>) -> impl Iterator<Item = Result<&[u8]>> {
        let here = self.postings.iter().filter(move |one| !one.is_at_end() && Some(one.rowid()) == row);
        here.map(Postings::positions)
    }

    /// The position list of the row, if there is one token.
    fn single_list(&self, row: Option<i64>) -> Result<Option<&[u8]>> {
        let [postings] = self.postings.as_slice() else { return Ok(None) };
        (!postings.is_at_end() && Some(postings.rowid()) == row).then(|| postings.positions()).transpose()
    }

    /// The places of the token in the row. Of a row with detail=columns, the offsets are 0.
    fn positions(&self, row: Option<i64>, detail: Detail, out: &mut Vec<u64>) -> Result {
        out.clear();
        for list in self.lists(row) {
            match detail {
                Detail::Full => position::read_all(list?, out)?,
                _ => out.try_extend(super::positions(list?, detail))?,
            }
        }
        if self.postings.len() > 1 {
            out.sort_unstable();
            out.dedup();
        }
        Ok(())
    }

    /// Keeps only positions that the token follows at a distance of `behind` tokens.
    fn retain_near(&self, row: Option<i64>, positions: &mut Vec<u64>, behind: u64) -> Result {
        let mut lists = self.lists(row);
        match (lists.next(), self.postings.len()) {
            (Some(list), 1) => retain_in_front_of(positions, Reader::new(list?), behind),
            _ => {
                let mut own = Vec::new();
                self.positions(row, Detail::Full, &mut own)?;
                retain_in_front_of(positions, own.into_iter(), behind);
            }
        }
        Ok(())
    }
}

/// Finds the places where tokens with these position lists are one behind the other.
pub(super) fn find_phrase<'l>(
    mut lists: impl Iterator<Item = &'l [u8]>,
    is_first: bool,
    columns: Option<&[usize]>,
    places: &mut Vec<u64>,
) -> Result<(), OutOfMemory> {
    let Some(first) = lists.next() else { return Ok(()) };
    match lists.next() {
        Some(second) => read_pairs(first, second, places)?,
        None => {
            places.clear();
            position::read_all(first, places)?;
        }
    }
    retain_allowed(places, is_first, columns);
    for (list, behind) in lists.zip(2..) {
        retain_in_front_of(places, Reader::new(list), behind);
    }
    Ok(())
}

/// Keeps only positions in these columns, at their beginnings if `is_first`.
fn retain_allowed(places: &mut Vec<u64>, is_first: bool, columns: Option<&[usize]>) {
    if let Some(columns) = columns {
        places.retain(|position| columns.contains(&position::column_of(*position)));
    }
    if is_first {
        places.retain(|position| position::offset_of(*position) == 0);
    }
}

/// Appends to `out` the positions of one list that a position of the other list directly follows.
fn read_pairs(first: &[u8], second: &[u8], out: &mut Vec<u64>) -> Result<(), OutOfMemory> {
    out.clear();
    let (mut first, mut second) = (Reader::new(first), Reader::new(second));
    let (Some(mut one), Some(mut other)) = (first.next(), second.next()) else { return Ok(()) };
    loop {
        if other < one + 1 {
            let Some(next) = second.next() else { return Ok(()) };
            other = next;
            continue;
        }
        if other == one + 1 {
            out.try_push(one)?;
        }
        let Some(next) = first.next() else { return Ok(()) };
        one = next;
    }
}

/// Keeps only positions that one of the others follows at a distance of `behind` tokens.
fn retain_in_front_of(positions: &mut Vec<u64>, mut others: impl Iterator<Item = u64>, behind: u64) {
    let mut other = others.next();
    positions.retain(|position| {
        while other.is_some_and(|other| other < position + behind) {
            other = others.next();
        }
        other == Some(position + behind)
    });
}

/// The part of a token that is compared: with tokendata=1, the part before a NUL.
pub(crate) fn before_nul(token: &[u8]) -> &[u8] {
    token.split(|byte| *byte == 0).next().unwrap_or_default()
}
