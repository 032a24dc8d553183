//! Deferred tokens: a frequent word beside a rare one.
//!
//! The doclist of a frequent word can be far longer than the documents that have a rare one. So the doclist of the frequent word is not
//! read: the documents that have the rare word are tokenized again, and searched for the frequent word. The tokens that an AND or a NEAR
//! joins are chosen from together; each branch of an OR is chosen from separately. The tokens beside and after a NOT are always read.

use std::borrow::Cow;
use std::collections::HashSet;

use lithe_value::Grow;
use lithe_value::grow::filled;
use lithe_vtab::{FunctionError, SqlConnection, ValueRef};

use super::phrase::{self, wanted_of};
use super::{KnownRows, Rows};
use crate::doclist::Position;
use crate::query::{Expr, Phrase, QueryToken};
use crate::table::{Table, before_nul};
use crate::tokenizer::{Flow, Token};
use crate::{Result, corrupt};

/// Each token that is read is expected to cut the number of rows to a quarter; after this many, no further cut is expected.
const LOADED_MAX: u32 = 12;

pub(super) struct Chooser<'c> {
    pub table: &'c Table,
    pub connection: &'c dyn SqlConnection,
    pub language: i32,
}

/// A token of a query, with the column of its phrase.
struct Candidate<'q> {
    token: &'q mut QueryToken,
    column: Option<usize>,
    pages: i64,
}

impl Chooser<'_> {
    /// Marks the deferred tokens of a query, and searches for them in the documents that have the other tokens.
    pub(super) fn choose(&self, expr: &mut Expr, found: &mut KnownRows) -> Result {
        let mut tokens = Vec::new();
        self.gather(expr, &mut tokens, found)?;
        self.choose_from(tokens, found)
    }

    fn gather<'q>(&self, expr: &'q mut Expr, tokens: &mut Vec<Candidate<'q>>, found: &mut KnownRows) -> Result {
        match expr {
            Expr::Phrase(phrase) => gather_phrase(phrase, tokens),
            Expr::Near(left, phrase, _) => {
                self.gather(left, tokens, found)?;
                gather_phrase(phrase, tokens)
            }
            Expr::And(left, right) => {
                self.gather(left, tokens, found)?;
                self.gather(right, tokens, found)
            }
            Expr::Or(left, right) => {
                self.choose(left, found)?;
                self.choose(right, found)
            }
            Expr::Not(..) => Ok(()),
        }
    }

    fn choose_from(&self, mut tokens: Vec<Candidate<'_>>, found: &mut KnownRows) -> Result {
        if tokens.len() < 2 {
            return Ok(());
        }
        for candidate in &mut tokens {
            let (index, wanted) = wanted_of(&self.table.index, candidate.token);
            candidate.pages = self.table.index.overflow_pages(self.connection, self.language, index, &wanted)?;
        }
        if tokens.iter().all(|candidate| candidate.pages == 0) {
            return Ok(());
        }
        // (Of equal ones, those that come first in the query are read first.)
        let mut numbered = Vec::new();
        numbered.try_extend(tokens.into_iter().enumerate())?;
        numbered.sort_unstable_by_key(|(at, candidate)| (candidate.pages, *at));
        let pages_of_row = self.pages_of_row()?;
        let mut docids: Option<Vec<i64>> = None;
        let mut loaded = 0;
        // (A phrase may have a token many times, which is searched for once.)
        let mut deferred = Vec::new();
        let mut is_deferred = HashSet::new();
        for (_, candidate) in numbered {
            if let Some(docids) = &docids {
                let expected = docids.len().div_ceil(1 << (2 * loaded.min(LOADED_MAX)));
                if candidate.pages >= (expected as i64).saturating_mul(pages_of_row) {
                    candidate.token.is_deferred = true;
                    if is_deferred.insert(candidate.token.clone()) {
                        deferred.try_push(candidate.token.clone())?;
                    }
                    continue;
                }
            }
            loaded += 1;
            let rows = phrase::token_rows(self.table, self.connection, self.language, candidate.token)?;
            let own = phrase::only_in(Cow::Borrowed(&rows), candidate.column, candidate.token.is_first)?;
            docids = Some(match docids {
                Some(docids) => super::intersection(&docids, &own.docids)?,
                None => super::copied(&own.docids)?,
            });
            found.insert(candidate.token.clone(), rows);
        }
        self.search(&docids.unwrap_or_default(), &deferred, found)
    }

    /// The average number of pages of a document.
    fn pages_of_row(&self) -> Result<i64> {
        let columns = self.table.config.columns.len();
        let totals = self.table.storage.exact_totals(self.connection, columns + 1)?.ok_or_else(corrupt)?;
        let bytes = totals.sizes.last().copied().unwrap_or(0);
        if totals.rows == 0 || bytes == 0 {
            return Err(corrupt());
        }
        let page_size = self.table.index.page_size();
        let average = i64::try_from(bytes / totals.rows).unwrap_or(i64::MAX);
        Ok(average.saturating_add(page_size) / page_size.max(1))
    }

    /// Searches documents for tokens.
    fn search(&self, docids: &[i64], tokens: &[QueryToken], found: &mut KnownRows) -> Result {
        if tokens.is_empty() {
            return Ok(());
        }
        let mut all: Vec<Rows> = filled(Rows::default(), tokens.len())?;
        let mut positions: Vec<Vec<Position>> = filled(Vec::new(), tokens.len())?;
        for docid in docids {
            positions.iter_mut().for_each(Vec::clear);
            self.search_document(*docid, tokens, &mut positions)?;
            for (rows, positions) in all.iter_mut().zip(&positions) {
                rows.push(*docid, |bytes| phrase::write(bytes, positions.iter().copied()))?;
            }
        }
        for (token, rows) in tokens.iter().zip(all) {
            // The token may also be in another branch of the query, and have been searched for in other documents.
            let rows = match found.remove(token) {
                Some(known) => phrase::union(&[known, rows])?,
                None => rows,
            };
            found.insert(token.clone(), rows);
        }
        Ok(())
    }

    fn search_document(&self, docid: i64, tokens: &[QueryToken], found: &mut [Vec<Position>]) -> Result {
        let table = self.table;
        let mut statement = self.connection.statement(&table.storage.find).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(docid))?;
        if !statement.step().map_err(FunctionError::silent)? {
            return Err(corrupt());
        }
        let values = table.values(&*statement)?;
        drop(statement);
        for (column, value) in values.iter().enumerate() {
            let value = value.as_ref();
            if value.is_null() || !table.config.is_indexed(column) {
                continue;
            }
            let mut sink = |one: Token<'_>| {
                for (token, positions) in tokens.iter().zip(found.iter_mut()) {
                    let is_meant =
                        if token.is_prefix { one.text.starts_with(&token.text) } else { *one.text == **token.text };
                    if is_meant {
                        positions.try_push(Position { column: column as u32, offset: one.position })?;
                    }
                }
                Ok(Flow::More)
            };
            table.tokenizer.tokenize(before_nul(&lithe_value::cast::to_text(value)), self.language, &mut sink)?;
        }
        Ok(())
    }
}

fn gather_phrase<'q>(phrase: &'q mut Phrase, tokens: &mut Vec<Candidate<'q>>) -> Result {
    let column = phrase.column;
    Ok(tokens.try_extend(phrase.tokens.iter_mut().map(|token| Candidate { token, column, pages: 0 }))?)
}
