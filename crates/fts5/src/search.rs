//! A query that is being evaluated: the rows that match, in the order of their rowids.
//!
//! [`Search::prepare`] parses the operands of all MATCHes of a scan and cuts their strings into tokens; [`Search::start`] finds
//! the first row. Between two calls it keeps its postings, not the connection.
//!
//! ```text
//!   Search ── Node ── And, Or, Not ── Leaf ── phrases ── tokens ── index::Postings
//! ```
//!
//! [`node`] combines rows, [`leaf`] finds those where phrases occur, by the positions that [`near`] compares. Where nobody asks what phrases have
//! found in a row, [`rows`] finds the same rows, many at a time.

mod leaf;
mod near;
mod node;
mod rows;
mod scan;

use lithe_value::Grow;
use lithe_value::grow::copied;
use lithe_vtab::{FunctionError, SqlConnection, code};

use crate::config::Detail;
use crate::index::Order;
use crate::query::parser::{self, Request};
use crate::query::pattern::{self, Pattern};
use crate::query::{Expr, Near, Phrase, Term};
use crate::table::Table;
use crate::tokenizer::{Flow, Purpose, Token};
use crate::{Result, position};
pub(crate) use leaf::before_nul;
use node::Node;
pub use rows::RowQuery;
use scan::Scan;

/// Longer tokens are cut, in documents as in queries.
pub const TOKEN_LEN_MAX: usize = 32768;

/// An operand of a scan that the index serves. A scan's operands must all be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The operator.
    pub kind: OperandKind,
    /// The text on the right side.
    pub text: Vec<u8>,
    /// The locale that `fts5_locale()` has given the text.
    pub locale: Option<Vec<u8>>,
    /// The column on the left side; None: the table.
    pub column: Option<usize>,
    /// `fts5_insttoken()` was called on it.
    pub wants_tokens: bool,
}

/// The operator of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// `MATCH` or `=`.
    Match,
    /// `LIKE`, served by the trigrams of the pattern.
    Like,
    /// `GLOB`, likewise.
    Glob,
}

/// A query.
#[derive(Debug)]
pub struct Search {
    root: Node,
    phrases: Vec<PhraseQuery>,
    order: Order,
    /// The generation of the index when the postings were opened.
    generation: u64,
    /// The positions of the phrases in the row of a sorted scan, which the query has left.
    recalled: Option<Found>,
}

/// The positions of the phrases of a query in a row, of each as [`Search::positions`] answers them.
pub type Found = Box<[Option<Vec<u64>>]>;

/// A phrase of a query, with the columns in which it may occur.
#[derive(Clone, Debug)]
pub struct PhraseQuery {
    /// The phrase.
    pub phrase: Phrase,
    /// The columns; `None`: all.
    pub columns: Option<Vec<usize>>,
}

impl Search {
    /// Makes a query of operands, which is on no row yet. `None`: a pattern has too few characters in a row, so all rows have to
    /// be checked.
    ///
    /// # Errors
    /// SQLite's messages for queries.
    pub fn prepare(table: &Table, connection: &dyn SqlConnection, operands: &[Operand]) -> Result<Option<Search>> {
        let _ = connection;
        let mut all = Vec::new();
        // Errors are those of the first one, phrases are counted from the last one on.
        for operand in operands {
            all.extend(parse(table, operand)?); // (As many as the statement has.)
        }
        all.reverse();
        let expr = if all.len() > 1 { Some(Expr::And(all)) } else { all.pop() };
        expr.map(Search::new).transpose()
    }

    fn new(expr: Expr) -> Result<Search> {
        let mut phrases = Vec::new();
        let root = Node::new(expr, &mut phrases)?.into_root();
        Ok(Search { root, phrases, order: Order::default(), generation: 0, recalled: None })
    }

    /// Another query, for one phrase of this one.
    ///
    /// # Errors
    /// SQLITE_RANGE if there is no such phrase; SQLITE_NOMEM.
    pub fn of_phrase(&self, phrase: usize) -> Result<Search> {
        let range = || FunctionError::of_code(code::RANGE);
        let PhraseQuery { phrase, columns } = self.phrases.get(phrase).ok_or_else(range)?;
        let phrase = Phrase { terms: copied(&phrase.terms)?, is_first: phrase.is_first };
        Search::new(Expr::Near(Near { columns: columns.clone(), ..Near::single(phrase) }))
    }

    /// The phrases of the query, in the order of its text.
    pub fn phrases(&self) -> &[PhraseQuery] {
        &self.phrases
    }

    /// Goes to the first row that is not before `from`, in the query's order. Postings are opened anew.
    ///
    /// # Errors
    /// The errors of reading the index.
    pub fn start(&mut self, table: &Table, connection: &dyn SqlConnection, order: Order, from: Option<i64>) -> Result {
        self.order = order;
        self.recalled = None;
        self.flush_tokens(table, connection)?;
        self.generation = table.index.generation();
        let scan = Scan { reader: table.index.reader(connection), order, detail: table.config.detail };
        self.root.open(&scan, table.config.token_data)?;
        if let Some(from) = from {
            self.root.seek(&scan, from)?;
        }
        self.pass_over(&scan)
    }

    /// With tokendata=1, as in SQLite, tokens that are no prefixes are looked up in segments alone.
    fn flush_tokens(&self, table: &Table, connection: &dyn SqlConnection) -> Result {
        let has_whole_token = || self.phrases.iter().flat_map(|query| &query.phrase.terms).any(|term| !term.is_prefix);
        if table.config.token_data && has_whole_token() { table.flush_tokens(connection) } else { Ok(()) }
    }

    /// Moves to the next matching row, unless the query is on one.
    fn pass_over(&mut self, scan: &Scan<'_>) -> Result {
        while self.root.row().is_some() && !self.root.is_match() {
            self.root.next(scan)?;
        }
        Ok(())
    }

    /// Goes to the next row.
    ///
    /// # Errors
    /// The errors of reading the index.
    pub fn next(&mut self, table: &Table, connection: &dyn SqlConnection) -> Result {
        let Some(rowid) = self.root.row() else { return Ok(()) };
        if table.index.generation() != self.generation {
            self.start(table, connection, self.order, Some(rowid))?;
            if self.root.row() != Some(rowid) {
                return Ok(());
            }
        }
        let scan = Scan { reader: table.index.reader(connection), order: self.order, detail: table.config.detail };
        self.root.next(&scan)?;
        self.pass_over(&scan)
    }

    /// The query for its rows alone, upwards. It is another one: this query moves no row.
    ///
    /// # Errors
    /// The errors of reading the index.
    pub fn row_query(&self, table: &Table, connection: &dyn SqlConnection) -> Result<RowQuery> {
        self.flush_tokens(table, connection)?;
        RowQuery::open(&self.root, table, connection)
    }

    /// The number of rows that match.
    ///
    /// # Errors
    /// The errors of reading the index.
    pub fn count(&self, table: &Table, connection: &dyn SqlConnection) -> Result<u64> {
        let mut query = self.row_query(table, connection)?;
        let (mut rows, mut count, mut from) = (Vec::new(), 0, Some(i64::MIN));
        while let Some(first) = from {
            query.read(table, connection, first, &mut rows)?;
            count += rows.len() as u64;
            from = rows.last().and_then(|last| last.checked_add(1));
        }
        Ok(count)
    }

    /// Whether there is no row (any more).
    pub fn is_at_end(&self) -> bool {
        self.root.row().is_none()
    }

    /// The rowid of the row.
    pub fn rowid(&self) -> i64 {
        self.root.row().unwrap_or(0)
    }

    /// The positions of the phrases in the row, for a scan that comes back to the row later. None: the phrases find the same positions again,
    /// because these do not depend on the rows before.
    ///
    /// Where the index does not know offsets, SQLite evaluates the query once more on the text of a row that a sort gives. The unwanted
    /// side of a NOT without rows then counts as little as the NOT.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn found(&self, table: &Table) -> Result<Option<Found>> {
        let phrases = 0..self.phrases.len();
        if table.config.detail == Detail::Full {
            let of_phrase = |phrase| self.positions(table, phrase);
            return self.root.depends_on_rows_before(false).then(|| phrases.map(of_phrase).collect()).transpose();
        }
        let Some(row) = self.root.row() else { return Ok(None) };
        let has_part = |phrase: &usize| self.root.evaluated_leaf(row, *phrase).is_some();
        if phrases.clone().all(|phrase| has_part(&phrase) || self.root.leaf(row, phrase).is_none()) {
            return Ok(None);
        }
        let of_phrase = |phrase| Ok(self.positions(table, phrase)?.filter(|_| has_part(&phrase)));
        phrases.map(of_phrase).collect::<Result<_>>().map(Some)
    }

    /// From now on, until it is started, the query returns the positions that it has found earlier.
    pub fn recall(&mut self, found: Found) {
        self.recalled = Some(found);
    }

    /// Calls `each` with the result of [`Search::positions`].
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn each_position(&self, table: &Table, phrase: usize, each: &mut dyn FnMut(u64)) -> Result {
        if let Some(found) = &self.recalled {
            found.get(phrase).into_iter().flatten().flatten().copied().for_each(each);
            return Ok(());
        }
        match self.root.row().and_then(|row| self.root.leaf(row, phrase)) {
            Some(leaf) => leaf.each_position(phrase, table.config.detail, each),
            None => Ok(()),
        }
    }

    /// The places of a phrase in the row, as far as the index knows: with detail=columns, all offsets are 0. None if what
    /// looks for the phrase is on another row, or its instances do not count.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn positions(&self, table: &Table, phrase: usize) -> Result<Option<Vec<u64>>> {
        if let Some(found) = &self.recalled {
            let found = found.get(phrase).and_then(Option::as_ref);
            return Ok(found.map(|positions| copied(positions)).transpose()?);
        }
        let leaf = self.root.row().and_then(|row| self.root.leaf(row, phrase)).filter(|leaf| !leaf.is_forgotten());
        leaf.map(|leaf| leaf.positions(phrase, table.config.detail)).transpose()
    }
}

/// The positions that a position list says, as far as the index knows: with detail=columns, all offsets are 0.
pub fn positions(list: &[u8], detail: Detail) -> impl Iterator<Item = u64> {
    let full = (detail == Detail::Full).then(|| position::Reader::new(list));
    let columns = (detail == Detail::Columns).then(|| position::read_columns(list));
    let columns = columns.into_iter().flatten().map(|column| position::position(column, 0));
    full.into_iter().flatten().chain(columns)
}

fn parse(table: &Table, operand: &Operand) -> Result<Option<Expr>> {
    let mut tokenize = |text: &[u8], purpose| terms(table, operand.locale.as_deref(), text, purpose);
    let detail = table.config.detail;
    if operand.kind != OperandKind::Match {
        let is_glob = operand.kind == OperandKind::Glob;
        let pattern = Pattern { text: &operand.text, is_glob, column: operand.column };
        return pattern::parse(&pattern, detail, &mut tokenize);
    }
    let columns: Vec<&str> = table.config.columns.iter().map(|column| column.name.as_str()).collect();
    let mut expr = parser::parse(&operand.text, Request { columns: &columns, detail, tokenize: &mut tokenize })?;
    if let Some(column) = operand.column {
        parser::check_restriction(detail)?;
        expr.restrict(&[column]);
    }
    Ok(Some(expr))
}

/// The tokens of a string. A token at the place of the token before it is an alternative to that one.
fn terms(table: &Table, locale: Option<&[u8]>, text: &[u8], purpose: Purpose) -> Result<Vec<Term>> {
    let mut terms: Vec<Term> = Vec::new();
    let mut sink = |token: Token<'_>| {
        let text = token.text.get(..TOKEN_LEN_MAX).unwrap_or(token.text).to_vec();
        match terms.last_mut() {
            Some(last) if token.is_colocated => last.tokens.push(text),
            _ => terms.try_push(Term { tokens: vec![text], is_prefix: false })?,
        }
        Ok(Flow::More)
    };
    table.tokenizer.tokenize(text, purpose, locale, &mut sink)?;
    Ok(terms)
}
