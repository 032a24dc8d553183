//! The interface of an auxiliary function to the current row of a scan, to the query that has found it, and to the table.

use std::any::Any;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use lithe_value::grow::{collected, copied, filled};
use lithe_value::{Grow, cast};
use lithe_vtab::{Arguments, FunctionError, PlainArguments, Pointer, SqlConnection, code};

use super::AuxiliaryFunction;
use super::state::{CursorState, Instance, LocaleText, Places, RowMatches};
use crate::Result;
use crate::config::Detail;
use crate::index::Order;
use crate::position::{column_of, offset_of, position};
use crate::query::{Phrase, Term};
use crate::search::{PhraseQuery, Search, before_nul};
use crate::table::{Table, Totals};
use crate::tokenizer::{Flow, Purpose, Sink, Token};

/// For so many tokens of a text there is space from the beginning.
const PLACES_AHEAD: usize = 64;

/// One call of an auxiliary function.
pub struct Api<'a> {
    state: &'a mut CursorState,
    connection: &'a dyn SqlConnection,
    function: &'a Arc<dyn AuxiliaryFunction>,
    arguments: &'a dyn Arguments,
    /// The properties of the result besides its value.
    pub(super) answered: Answered,
}

/// The properties of a result besides its value.
#[derive(Default)]
pub(super) struct Answered {
    pub subtype: u8,
    pub pointer: Option<Rc<Pointer>>,
}

/// The rows in which a phrase of a query occurs.
pub struct PhraseRows<'a> {
    state: CursorState,
    connection: &'a dyn SqlConnection,
    function: &'a Arc<dyn AuxiliaryFunction>,
    has_begun: bool,
}

impl PhraseRows<'_> {
    /// Goes to the next row. `None`: there is none.
    ///
    /// # Errors
    /// The errors of reading the index.
    pub fn next_row(&mut self) -> Result<Option<Api<'_>>> {
        let table = Arc::clone(&self.state.table);
        let Some(search) = &mut self.state.search else { return Ok(None) };
        if self.has_begun {
            search.next(&table, self.connection)?;
        } else {
            search.start(&table, self.connection, Order::Ascending, None)?;
            self.has_begun = true;
        }
        if search.is_at_end() {
            self.state.go_to(None);
            return Ok(None);
        }
        let rowid = search.rowid();
        self.state.go_to(Some(rowid));
        Ok(Some(Api::new(&mut self.state, self.connection, self.function, &PlainArguments)))
    }
}

impl<'a> Api<'a> {
    pub(super) fn new(
        state: &'a mut CursorState,
        connection: &'a dyn SqlConnection,
        function: &'a Arc<dyn AuxiliaryFunction>,
        arguments: &'a dyn Arguments,
    ) -> Api<'a> {
        Api { state, connection, function, arguments, answered: Answered::default() }
    }

    /// The subtypes and pointers of the arguments behind the table.
    pub fn arguments(&self) -> &'a dyn Arguments {
        self.arguments
    }

    /// Sets the subtype of the result, and the pointer of a result that is NULL.
    pub fn answer_with(&mut self, subtype: u8, pointer: Option<Rc<Pointer>>) {
        self.answered = Answered { subtype, pointer };
    }

    /// The connection.
    pub fn connection(&self) -> &'a dyn SqlConnection {
        self.connection
    }

    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.state.table
    }

    /// The number of columns (xColumnCount).
    pub fn column_count(&self) -> usize {
        self.state.table.config.columns.len()
    }

    /// The number of rows in the table (xRowCount).
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, also if there are none: the scan is on one. Those of reading shadow tables.
    pub fn row_count(&self) -> Result<u64> {
        let rows = self.totals()?.rows;
        if rows as i64 > 0 { Ok(rows) } else { Err(crate::corrupt()) }
    }

    /// The numbers of rows and tokens in the table (xColumnTotalSize).
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn totals(&self) -> Result<Totals> {
        self.state.table.totals(self.connection)
    }

    /// The rowid of the row (xRowid).
    pub fn rowid(&self) -> i64 {
        self.state.rowid.unwrap_or_default()
    }

    /// A column of the row with its locale (xColumnText, xColumnLocale). NULL in a contentless table.
    ///
    /// # Errors
    /// SQLITE_RANGE; the errors of reading the row.
    pub fn column(&mut self, column: usize) -> Result<LocaleText> {
        self.check_column(column)?;
        // (Auxiliary functions tell errors of reading the row by their codes, as in SQLite.)
        self.state.column(self.connection, column).map_err(FunctionError::silent)
    }

    fn check_column(&self, column: usize) -> Result {
        if column < self.column_count() { Ok(()) } else { Err(FunctionError::of_code(code::RANGE)) }
    }

    /// How many tokens a column of the row has, or all of them (xColumnSize). -1 for each indexed column whose size is unknown: in
    /// contentless tables with columnsize=0.
    ///
    /// # Errors
    /// SQLITE_RANGE; the errors of reading the row.
    pub fn column_size(&mut self, column: Option<usize>) -> Result<i64> {
        column.map_or(Ok(()), |column| self.check_column(column))?;
        let columns = column.map_or(0..self.column_count(), |column| column..column + 1);
        if let Some(sizes) = self.state.sizes(self.connection).map_err(FunctionError::silent)? {
            let sizes = sizes.get(columns).unwrap_or_default();
            return Ok(sizes.iter().fold(0u64, |sum, size| sum.wrapping_add(*size)) as i64);
        }
        let mut sum = 0i64;
        for column in columns {
            let is_indexed = self.state.table.config.columns.get(column).is_some_and(|column| column.is_indexed);
            sum = sum.wrapping_add(match is_indexed {
                false => 0,
                true if self.state.table.is_contentless() => -1,
                true => self.tokens_of(column)?.1.len() as i64,
            });
        }
        Ok(sum)
    }

    /// The text of a column, and the places of its tokens in it, those that share a place left out. None if the column is NULL.
    pub(super) fn tokens_of(&mut self, column: usize) -> Result<(Option<Vec<u8>>, Places)> {
        let LocaleText { value, locale } = self.column(column)?;
        if value.as_ref().is_null() {
            return Ok((None, Vec::new()));
        }
        let text = copied(&cast::to_text(value.as_ref()))?;
        let mut places = Vec::new();
        // Most columns have no more tokens than this; the vector of others grows.
        places.try_grow((text.len() / 4).min(PLACES_AHEAD))?;
        let mut sink = |token: Token<'_>| {
            if !token.is_colocated {
                places.try_push((token.range.start, token.range.end))?;
            }
            Ok(Flow::More)
        };
        self.tokenize(&text, locale.as_deref(), &mut sink)?;
        Ok((Some(text), places))
    }

    /// Cuts a text with the table's tokenizer (xTokenize).
    ///
    /// # Errors
    /// The errors of the tokenizer and of the sink.
    pub fn tokenize(&self, text: &[u8], locale: Option<&[u8]>, sink: &mut Sink<'_>) -> Result {
        self.state.table.tokenizer.tokenize(text, Purpose::Auxiliary, locale, sink)
    }

    fn phrases(&self) -> &[PhraseQuery] {
        self.state.search.as_ref().map_or(&[], Search::phrases)
    }

    /// The number of phrases of the query (xPhraseCount).
    pub fn phrase_count(&self) -> usize {
        self.phrases().len()
    }

    /// A phrase of the query (xPhraseSize, xQueryToken).
    pub fn phrase(&self, phrase: usize) -> Option<&Phrase> {
        self.phrases().get(phrase).map(|query| &query.phrase)
    }

    /// The number of rows in which a phrase occurs.
    ///
    /// # Errors
    /// SQLITE_RANGE; the errors of reading the index.
    pub fn count_rows(&self, phrase: usize) -> Result<u64> {
        let search = self.search_of(phrase)?;
        search.count(&self.state.table, self.connection)
    }

    fn search_of(&self, phrase: usize) -> Result<Search> {
        let search = self.state.search.as_ref().ok_or_else(|| FunctionError::of_code(code::RANGE))?;
        self.state.table.cursors.next();
        search.of_phrase(phrase)
    }

    /// The rows in which a phrase occurs (xQueryPhrase): a scan of its own, with auxiliary data of its own.
    ///
    /// # Errors
    /// SQLITE_RANGE.
    pub fn phrase_rows(&self, phrase: usize) -> Result<PhraseRows<'a>> {
        let search = self.search_of(phrase)?;
        let mut state = CursorState::new(&self.state.table);
        state.search = Some(search);
        Ok(PhraseRows { state, connection: self.connection, function: self.function, has_begun: false })
    }

    /// The data that this function has kept (xGetAuxdata).
    pub fn auxiliary(&self) -> Option<Rc<dyn Any>> {
        self.state.repeat();
        let key = self.key();
        let found = self.state.auxiliary.kept.iter().find(|(own, _)| *own == key);
        found.map(|(_, kept)| Rc::clone(kept))
    }

    /// Keeps data until the scan ends, in place of the data that was kept (xSetAuxdata).
    pub fn set_auxiliary(&mut self, keep: Option<Rc<dyn Any>>) {
        let key = self.key();
        let all = &mut self.state.auxiliary.kept;
        all.retain(|(own, _)| *own != key);
        all.extend(keep.map(|keep| (key, keep)));
    }

    /// Functions are identified by their addresses.
    fn key(&self) -> usize {
        Arc::as_ptr(self.function).cast::<()>().addr()
    }

    fn row_matches(&mut self) -> &mut RowMatches {
        let rowid = self.rowid();
        let row = &mut self.state.auxiliary.row;
        match row {
            Some((of, _)) if *of == rowid => {}
            _ => *row = Some((rowid, RowMatches::default())),
        }
        &mut row.get_or_insert_with(|| (rowid, RowMatches::default())).1
    }

    /// The places of each phrase of the query in the row.
    ///
    /// # Errors
    /// The errors of reading the row.
    pub fn positions(&mut self) -> Result<Rc<Vec<Vec<u64>>>> {
        if let Some(known) = &self.row_matches().positions {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(match self.state.table.config.detail {
            Detail::Full => self.listed_positions(Option::unwrap_or_default)?,
            _ => self.searched_positions()?,
        });
        self.row_matches().positions = Some(Rc::clone(&found));
        Ok(found)
    }

    /// What `of` makes of the positions of each phrase, from the index. None of a phrase that has no part in the match of the row.
    fn listed_positions<T>(&self, of: impl Fn(Option<Vec<u64>>) -> T) -> Result<Vec<T>> {
        let table = &self.state.table;
        let mut all = Vec::new();
        let Some(search) = &self.state.search else { return Ok(all) };
        let count = search.phrases().len();
        all.try_grow(count)?;
        for phrase in 0..count {
            all.push(of(search.positions(table, phrase)?));
        }
        Ok(all)
    }

    /// The places of phrases that the index does not have: the text is searched for their tokens.
    fn searched_positions(&mut self) -> Result<Vec<Vec<u64>>> {
        let table = Arc::clone(&self.state.table);
        let is_there = self.listed_positions(|positions| positions.is_some())?;
        let phrases = copied(self.phrases())?;
        let mut found = filled(Vec::new(), phrases.len())?;
        for column in 0..self.column_count() {
            let LocaleText { value, locale } = self.column(column)?;
            let text = cast::to_text(value.as_ref());
            let mut offset = 0u32;
            let mut is_first = true;
            let mut sink = |token: Token<'_>| {
                if !token.is_colocated && !std::mem::take(&mut is_first) {
                    offset = offset.saturating_add(1);
                }
                for ((query, is_there), found) in phrases.iter().zip(&is_there).zip(&mut found) {
                    let is_wanted = query.columns.as_ref().is_none_or(|columns| columns.contains(&column));
                    let term = query.phrase.terms.first();
                    let here = position(column as u32, offset);
                    if *is_there
                        && is_wanted
                        && term.is_some_and(|term| is_token(term, token.text, table.config.token_data))
                        && found.last() != Some(&here)
                    {
                        found.try_push(here)?;
                    }
                }
                Ok(Flow::More)
            };
            table.tokenizer.tokenize(&text, Purpose::Document, locale.as_deref(), &mut sink)?;
        }
        Ok(found)
    }

    /// The columns and offsets at which a phrase occurs in the row (xPhraseFirst, xPhraseNext).
    ///
    /// # Errors
    /// The errors of reading the row.
    pub(crate) fn phrase_positions(&mut self, phrase: usize) -> Result<Vec<u64>> {
        Ok(copied(self.positions()?.get(phrase).map(Vec::as_slice).unwrap_or_default())?)
    }

    /// Calls `each` with the places of a phrase in the row, in the form of [`crate::position`].
    ///
    /// # Errors
    /// The errors of reading the row.
    pub(crate) fn each_position(&mut self, phrase: usize, each: &mut dyn FnMut(u64)) -> Result {
        let table = &self.state.table;
        if table.config.detail == Detail::Full {
            return match &self.state.search {
                Some(search) => search.each_position(table, phrase, each),
                None => Ok(()),
            };
        }
        if let Some(positions) = self.positions()?.get(phrase) {
            positions.iter().for_each(|position| each(*position));
        }
        Ok(())
    }

    /// The columns in which a phrase occurs in the row (xPhraseFirstColumn, xPhraseNextColumn).
    ///
    /// # Errors
    /// The errors of reading the row.
    pub fn phrase_columns(&mut self, phrase: usize) -> Result<Vec<usize>> {
        let positions = match self.state.table.config.detail {
            // The index has the columns, so the text is not read.
            Detail::Columns => {
                self.listed_positions(Option::unwrap_or_default)?.into_iter().nth(phrase).unwrap_or_default()
            }
            _ => self.phrase_positions(phrase)?,
        };
        let mut columns: Vec<usize> = collected(positions.into_iter().map(column_of))?;
        columns.dedup();
        Ok(columns)
    }

    /// All phrases in the row: by their places, and of those at one place, by their numbers (xInstCount, xInst).
    ///
    /// # Errors
    /// The errors of reading the row.
    pub fn instances(&mut self) -> Result<Rc<Vec<Instance>>> {
        if let Some(known) = &self.row_matches().instances {
            return Ok(Rc::clone(known));
        }
        let all = self.positions()?;
        let mut found = Vec::new();
        found.try_grow(all.iter().map(Vec::len).sum())?;
        for (phrase, positions) in all.iter().enumerate() {
            found.extend(positions.iter().map(|at| Instance {
                phrase,
                column: column_of(*at),
                offset: offset_of(*at),
            }));
        }
        if all.len() > 1 {
            found.sort_unstable_by_key(|one: &Instance| (position(one.column as u32, one.offset), one.phrase));
        }
        let found = Rc::new(found);
        self.row_matches().instances = Some(Rc::clone(&found));
        Ok(found)
    }

    /// The token of the document that stands for a token of a phrase's instance (xInstToken): with prefixes and
    /// tokendata=1, another one than the query's.
    ///
    /// # Errors
    /// SQLITE_RANGE; the errors of reading the index.
    pub fn instance_token(&mut self, instance: usize, token: usize) -> Result<Option<Vec<u8>>> {
        let range = || FunctionError::of_code(code::RANGE);
        let Instance { phrase, column, offset } = *self.instances()?.get(instance).ok_or_else(range)?;
        let term = self.phrase(phrase).and_then(|phrase| phrase.terms.get(token)).ok_or_else(range)?.clone();
        let table = Arc::clone(&self.state.table);
        if !term.is_prefix && !table.config.token_data {
            return Ok(term.tokens.into_iter().next());
        }
        let wanted = match table.config.detail {
            Detail::Full => position(column as u32, offset.saturating_add(token as u32)),
            _ => position(column as u32, 0),
        };
        let reader = table.index.reader(self.connection);
        let prefix = term.tokens.first().map_or(&[][..], Vec::as_slice);
        let prefix = if table.config.token_data { before_nul(prefix) } else { prefix };
        let mut terms = reader.terms(prefix)?;
        while !terms.is_at_end() && terms.token().starts_with(prefix) {
            let is_here = |list| crate::search::positions(list, table.config.detail).any(|at| at == wanted);
            if is_token(&term, terms.token(), table.config.token_data)
                && terms.rowid() == self.rowid()
                && (table.config.detail == Detail::None || is_here(terms.positions()?))
            {
                return Ok(Some(terms.token().to_vec()));
            }
            terms.next(&reader)?;
        }
        Ok(None)
    }
}

/// Whether a token of a document is what a term of a query asks for.
fn is_token(term: &Term, token: &[u8], has_token_data: bool) -> bool {
    fn compared(text: &[u8], has_token_data: bool) -> &[u8] {
        if has_token_data { before_nul(text) } else { text }
    }
    let is_same = |wanted: &Vec<u8>| match term.is_prefix {
        true => token.starts_with(compared(wanted, has_token_data)),
        false => compared(token, has_token_data) == compared(wanted, has_token_data),
    };
    term.tokens.iter().any(is_same)
}

/// A value as text; nothing for NULL.
pub(super) fn text_of(value: lithe_vtab::ValueRef<'_>) -> Cow<'_, [u8]> {
    cast::to_text(value)
}
