//! Cursors: scans of a table, and what functions see of the current row of one.

mod sorted;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicI32;

use lithe_value::Grow;
use lithe_value::grow::{Lossy, copied, lossy};
use lithe_vtab::{
    ColumnContext, FunctionError, Pointer, Scan, ScanPlan, SqlConnection, Value, ValueRef, Values, VirtualCursor, code,
};

use crate::auxiliary::state::{CursorState, POINTER_KIND};
use crate::config::Detail;
use crate::functions::{INSTTOKEN_SUBTYPE, rank_value, ranking};
use crate::index::Order;
use crate::plan::{Item, flag, items};
use crate::rank::{self, Rank};
use crate::registry::Registry;
use crate::search::{Operand, OperandKind, RowQuery, Search};
use crate::table::Table;
use crate::{Result, locale};
use sorted::{Sorted, SortedRow};

/// A full-text table as the engine keeps it.
pub struct Fts5Table {
    /// The table, which cursors share.
    pub table: Arc<Table>,
    /// The tokenizers and functions of the application.
    pub registry: Arc<Registry>,
    /// 1 + the innermost savepoint that the table knows.
    pub savepoint: AtomicI32,
}

/// The source of the next row of a scan.
enum Progress {
    /// There are no (more) rows.
    Ended,
    /// The content, row by row.
    Content,
    /// The rows that match, up to a rowid, many at a time: nobody asks what the query has found in them.
    Rows { query: Box<RowQuery>, last: i64 },
    /// The rows that match, up to a rowid, with what the query has found in each.
    Search { last: i64 },
    /// Rows in the order of their ranks.
    Sorted(Sorted),
    /// A single row that is not in the table: the answer to a special query.
    Special(i64),
}

/// A scan.
pub struct Fts5Cursor {
    state: Rc<RefCell<CursorState>>,
    pointer: Rc<Pointer>,
    progress: Progress,
    order: Order,
    rank: Rank,
    /// The rank of the row, if it is known.
    rank_of_row: Option<Value>,
    generation: u64,
    /// The query must be started at the row before it is read.
    is_stale: bool,
    table: Arc<Table>,
    ahead: Ahead,
    /// The scan is on `row` of a [`Progress::Rows`], and nobody has asked more than its rowid, so that the state does not know it yet.
    is_untold: bool,
    row: i64,
}

/// Rows of a [`Progress::Rows`].
#[derive(Default)]
struct Ahead {
    rows: Vec<i64>,
    /// The number of them that the scan has passed.
    passed: usize,
}

impl Ahead {
    /// Reads rows from `from` to `last`.
    fn read(&mut self, query: &mut RowQuery, scan: &Scan<'_>, table: &Table, from: i64, last: i64) -> Result {
        self.passed = 0;
        query.read(table, scan.connection, from, &mut self.rows)?;
        if self.rows.last().is_some_and(|row| *row > last) {
            self.rows.truncate(self.rows.partition_point(|row| *row <= last));
        }
        Ok(())
    }

    fn next(&mut self) -> Option<i64> {
        let rowid = self.rows.get(self.passed).copied()?;
        self.passed += 1;
        Some(rowid)
    }
}

impl Fts5Cursor {
    /// A scan that has not begun.
    pub fn new(table: &Arc<Table>) -> Fts5Cursor {
        let state = Rc::new(RefCell::new(CursorState::new(table)));
        let value = Box::new(Rc::clone(&state));
        Fts5Cursor {
            state,
            pointer: Rc::new(Pointer { kind: POINTER_KIND.into(), value, number: Some(table.cursors.next()) }),
            progress: Progress::Ended,
            order: Order::Ascending,
            rank: Rank::default(),
            rank_of_row: None,
            generation: 0,
            is_stale: false,
            table: Arc::clone(table),
            ahead: Ahead::default(),
            is_untold: false,
            row: 0,
        }
    }

    /// Tells the state on which row the scan is.
    fn tell(&mut self) {
        if self.is_untold {
            self.go_to(Some(self.row));
        }
    }

    fn go_to(&mut self, rowid: Option<i64>) {
        (self.rank_of_row, self.is_untold) = (None, false);
        if rowid.is_none() && !matches!(self.progress, Progress::Special(_)) {
            self.progress = Progress::Ended;
        }
        if let Ok(mut state) = self.state.try_borrow_mut() {
            state.go_to(rowid);
        }
    }

    /// Begins to go through the content.
    fn scan_content(&mut self, scan: &Scan<'_>, table: &Table, first: i64, last: i64) -> Result {
        let kept = table.storage.scan(self.order == Order::Descending);
        let mut statement = scan.connection.resume(&kept)?;
        statement.bind(1, ValueRef::Integer(first))?;
        statement.bind(2, ValueRef::Integer(last))?;
        drop(statement);
        self.progress = Progress::Content;
        let mut state = self.state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
        (state.reader, state.is_scan, state.read) = (kept, true, None);
        drop(state);
        self.next(scan)
    }

    /// Goes to the row of the query, if it is within the bounds.
    fn take_found(&mut self, last: i64) -> Result {
        let found = {
            let state = self.state.borrow();
            let search = state.search.as_ref().filter(|search| !search.is_at_end());
            search.map(Search::rowid)
        };
        let is_within = |rowid: &i64| match self.order {
            Order::Ascending => *rowid <= last,
            Order::Descending => *rowid >= last,
        };
        self.go_to(found.filter(is_within));
        Ok(())
    }

    /// Goes to the first row that matches from `from` on.
    fn read_rows(&mut self, scan: &Scan<'_>, table: &Table, from: Option<i64>) -> Result {
        let mut rowid = None;
        if let (Progress::Rows { query, last }, Some(from)) = (&mut self.progress, from) {
            if query.is_outdated(table) {
                let state = self.state.borrow();
                if let Some(search) = &state.search {
                    **query = search.row_query(table, scan.connection)?;
                }
            }
            self.generation = table.index.generation();
            self.ahead.read(query, scan, table, from, *last)?;
            rowid = self.ahead.next();
        }
        self.go_to(rowid);
        Ok(())
    }

    /// Goes to the next row of a query whose postings are valid.
    fn next_found(&mut self, connection: &dyn SqlConnection, table: &Table, last: i64) -> Result {
        let mut state = self.state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
        let state = &mut *state;
        let mut found = None;
        if let Some(search) = &mut state.search {
            search.next(table, connection)?;
            let is_within = |rowid: &i64| if self.order == Order::Ascending { *rowid <= last } else { *rowid >= last };
            found = (!search.is_at_end()).then(|| search.rowid()).filter(is_within);
        }
        self.generation = table.index.generation();
        self.rank_of_row = None;
        if found.is_none() {
            self.progress = Progress::Ended;
        }
        state.go_to(found);
        Ok(())
    }

    /// Runs `f` on the query.
    fn with_search(
        &mut self,
        scan: &Scan<'_>,
        f: impl FnOnce(&mut Search, &Table, &dyn SqlConnection) -> Result,
    ) -> Result {
        let table = &scan.table::<Fts5Table>()?.table;
        let mut state = self.state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
        let Some(search) = &mut state.search else { return Ok(()) };
        let result = f(search, table, scan.connection);
        drop(state);
        self.generation = table.index.generation();
        result
    }

    /// Finds all rows and sorts them by rank.
    fn sort(&mut self, scan: &Scan<'_>, first: i64, last: i64, descending: bool) -> Result {
        self.with_search(scan, |search, table, connection| {
            search.start(table, connection, Order::Ascending, Some(first))
        })?;
        ranking(&self.state, scan.connection, &self.rank)?;
        // SQLite sorts by a statement of its own, with a cursor, and whose errors are told by their codes.
        let before = self.table.cursors.next();
        let mut rows = Vec::new();
        loop {
            self.take_found(last)?;
            let Some(rowid) = self.state.borrow().rowid else { break };
            let rank = rank_value(&self.state, scan.connection, &self.rank).map_err(FunctionError::silent)?;
            let found = {
                let state = self.state.borrow();
                state.search.as_ref().map(|search| search.found(&state.table)).transpose()?.flatten()
            };
            rows.try_push(SortedRow { rank, rowid, found })?;
            self.with_search(scan, |search, table, connection| search.next(table, connection))?;
        }
        let opened = self.table.cursors.count(0).wrapping_sub(before);
        self.state.borrow().auxiliary.repeated.set(opened);
        self.progress = Progress::Sorted(Sorted::new(rows, descending)?);
        self.is_stale = true;
        self.next(scan)
    }

    /// The answer to a query that begins with `*`.
    fn special(&mut self, query: &[u8]) -> Result {
        let name = query.split(|byte| *byte == b' ').find(|word| !word.is_empty()).unwrap_or_default();
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        if !is(b"reads") && !is(b"id") {
            let message = format_args!("unknown special query: {}", Lossy(name));
            return Err(FunctionError::quoting(code::ERROR, message));
        }
        let id = self.pointer.number.unwrap_or_default();
        self.progress = Progress::Special(if is(b"id") { id } else { self.table.index.reads() });
        self.go_to(Some(0));
        Ok(())
    }
}

impl VirtualCursor for Fts5Cursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let table = Arc::clone(&scan.table::<Fts5Table>()?.table);
        {
            let mut state = self.state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
            state.search = None;
            state.auxiliary.clear();
            (state.reader, state.is_scan, state.read) = (table.storage.lookup(), false, None);
        }
        self.progress = Progress::Ended;
        self.ahead = Ahead::default();
        self.go_to(None);
        let is_descending = plan.number & flag::DESCENDING != 0;
        self.order = if is_descending { Order::Descending } else { Order::Ascending };
        let asked = Asked::read(scan.connection, &table, plan, arguments)?;
        let Some(asked) = asked else { return Ok(()) };
        if let Some(query) = &asked.special {
            return self.special(query);
        }
        let search =
            if asked.operands.is_empty() { None } else { Search::prepare(&table, scan.connection, &asked.operands)? };
        let (low, high) = (asked.low, asked.high);
        if search.is_none() {
            table.check_scannable()?;
            return self.scan_content(scan, &table, low, high);
        }
        self.rank = match asked.rank_at {
            Some(at) => named_rank(arguments.values.get(at).copied().unwrap_or_default())?,
            None => configured_rank(&table, scan.connection)?,
        };
        let query = match &search {
            Some(search) if plan.number & (flag::BY_RANK | flag::DESCENDING) == 0 && !reads_findings(scan, &table) => {
                Some(Box::new(search.row_query(&table, scan.connection)?))
            }
            _ => None,
        };
        if let Ok(mut state) = self.state.try_borrow_mut() {
            state.search = search;
        }
        if let Some(query) = query {
            self.progress = Progress::Rows { query, last: high };
            return self.read_rows(scan, &table, Some(low));
        }
        if plan.number & flag::BY_RANK != 0 {
            self.order = Order::Ascending;
            return self.sort(scan, low, high, is_descending);
        }
        let (first, last) = if is_descending { (high, low) } else { (low, high) };
        let order = self.order;
        self.with_search(scan, |search, table, connection| search.start(table, connection, order, Some(first)))?;
        self.progress = Progress::Search { last };
        self.take_found(last)
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        self.tell();
        match &mut self.progress {
            Progress::Ended => self.go_to(None),
            Progress::Special(_) => {
                self.progress = Progress::Ended;
                self.go_to(None);
            }
            Progress::Content => {
                let rowid = {
                    let state = self.state.borrow();
                    let mut statement = scan.connection.resume(&state.reader)?;
                    let reading = state.table.begin_reading()?;
                    let is_row = statement.step()?;
                    drop(reading);
                    is_row.then(|| lithe_value::cast::to_integer(statement.column(0)))
                };
                self.go_to(rowid);
            }
            Progress::Sorted(sorted) => {
                let row = sorted.pop();
                self.is_stale = true;
                self.go_to(row.as_ref().map(|row| row.rowid));
                let Some(SortedRow { rank, found, .. }) = row else { return Ok(()) };
                self.rank_of_row = Some(rank);
                let state = &mut *self.state.borrow_mut();
                if let (Some(found), Some(search)) = (found, &mut state.search) {
                    search.recall(found);
                    self.is_stale = false;
                    if state.table.config.detail != Detail::Full {
                        // Fewer phrases count now than when the row was sorted.
                        self.rank_of_row = None;
                    }
                }
            }
            Progress::Rows { .. } => {
                let table = Arc::clone(&self.table);
                let from = self.state.borrow().rowid.and_then(|rowid| rowid.checked_add(1));
                self.read_rows(scan, &table, from)?;
            }
            Progress::Search { last } => {
                let (last, order) = (*last, self.order);
                let table = &scan.table::<Fts5Table>()?.table;
                if table.index.generation() == self.generation {
                    return self.next_found(scan.connection, table, last);
                }
                let rowid = self.state.borrow().rowid.unwrap_or_default();
                // The table was changed: the query opens its postings anew and continues behind the row.
                self.with_search(scan, |search, table, connection| {
                    search.start(table, connection, order, Some(rowid))?;
                    if !search.is_at_end() && search.rowid() == rowid { search.next(table, connection) } else { Ok(()) }
                })?;
                self.take_found(last)?;
            }
        }
        Ok(())
    }

    fn next_in_memory(&mut self) -> bool {
        if self.table.index.generation() != self.generation {
            return false;
        }
        let Some(row) = self.ahead.next() else { return false };
        (self.row, self.is_untold) = (row, true);
        true
    }

    fn pass_in_memory(&mut self) -> usize {
        let left = self.ahead.rows.len() - self.ahead.passed;
        let last = self.ahead.rows.last().filter(|_| left > 0 && self.table.index.generation() == self.generation);
        let Some(last) = last.copied() else { return 0 };
        self.ahead.passed += left;
        (self.row, self.is_untold) = (last, true);
        left
    }

    fn eof(&self) -> bool {
        !self.is_untold && self.state.borrow().rowid.is_none()
    }

    fn column(&mut self, scan: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        self.tell();
        let table = Arc::clone(&scan.table::<Fts5Table>()?.table);
        let columns = table.config.columns.len();
        if let Progress::Special(number) = self.progress {
            let value = if column == columns { ValueRef::Integer(number) } else { ValueRef::Null };
            return context.context.answer(value);
        }
        if column < columns {
            if context.is_unchanged && !table.has_column(column) && table.is_contentless() {
                context.leaves_out = true;
                return Ok(());
            }
            let mut state = self.state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))?;
            let found = state.column(scan.connection, column).map_err(|error| state.of_missing_row(error))?;
            return context.context.answer(found.value.as_ref());
        }
        self.refresh(scan)?;
        if column == columns {
            context.context.pointer = Some(Rc::clone(&self.pointer));
            return context.context.answer(ValueRef::Null);
        }
        if self.state.borrow().search.is_none() {
            return context.context.answer(ValueRef::Null);
        }
        self.state.borrow().repeat();
        if self.rank_of_row.is_none() {
            self.rank_of_row = Some(rank_value(&self.state, scan.connection, &self.rank)?);
        }
        context.context.answer(self.rank_of_row.as_ref().map_or(ValueRef::Null, Value::as_ref))
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(if self.is_untold { self.row } else { self.state.borrow().rowid.unwrap_or_default() })
    }
}

impl Fts5Cursor {
    /// Puts the query on the row, if it is not: the rows were sorted, or found without it.
    fn refresh(&mut self, scan: &Scan<'_>) -> Result {
        if let Progress::Rows { last, .. } = &self.progress {
            let last = *last;
            self.ahead = Ahead::default();
            self.progress = Progress::Search { last };
            return self.start_at_row(scan);
        }
        if !std::mem::take(&mut self.is_stale) || !matches!(self.progress, Progress::Sorted(_)) {
            return Ok(());
        }
        self.start_at_row(scan)
    }

    fn start_at_row(&mut self, scan: &Scan<'_>) -> Result {
        let Some(rowid) = self.state.borrow().rowid else { return Ok(()) };
        self.with_search(scan, |search, table, connection| {
            search.start(table, connection, Order::Ascending, Some(rowid))
        })
    }
}

/// Whether the statement asks what the query has found in a row: for the rank, or for the scan itself, which auxiliary functions take.
fn reads_findings(scan: &Scan<'_>, table: &Table) -> bool {
    let bit = |column: usize| 1u64 << column.min(u64::BITS as usize - 1);
    let columns = table.config.columns.len();
    scan.columns_read & (bit(columns) | bit(columns + 1)) != 0
}

/// The arguments of a scan, decoded.
struct Asked {
    operands: Vec<Operand>,
    special: Option<Vec<u8>>,
    /// The argument that names the function of `rank`. As in SQLite, it is not looked at before the query is.
    rank_at: Option<usize>,
    low: i64,
    high: i64,
}

impl Asked {
    /// `None`: no row matches.
    fn read(
        connection: &dyn SqlConnection,
        table: &Table,
        plan: &ScanPlan,
        arguments: &Values<'_>,
    ) -> Result<Option<Asked>> {
        let mut asked = Asked { operands: Vec::new(), special: None, rank_at: None, low: i64::MIN, high: i64::MAX };
        let columns = table.config.columns.len();
        for (at, item) in items(plan.text.as_deref().unwrap_or_default(), columns).into_iter().enumerate() {
            let value = arguments.values.get(at).copied().unwrap_or_default();
            let rowid = || lithe_vtab::as_rowid(value);
            let (kind, column) = match item {
                Item::Match(column) => (OperandKind::Match, column),
                Item::Like(column) => (OperandKind::Like, Some(column)),
                Item::Glob(column) => (OperandKind::Glob, Some(column)),
                Item::Rank => {
                    asked.rank_at = Some(at);
                    continue;
                }
                Item::RowidIs => {
                    let Some(rowid) = rowid() else { return Ok(None) };
                    (asked.low, asked.high) = (asked.low.max(rowid), asked.high.min(rowid));
                    continue;
                }
                Item::RowidAtMost => {
                    asked.high = upper_bound(value);
                    continue;
                }
                Item::RowidAtLeast => {
                    asked.low = lower_bound(value);
                    continue;
                }
            };
            let split = locale::split(connection, value);
            if split.is_some() && !table.config.locale {
                return Err(FunctionError::with_code(code::MISMATCH, "fts5_locale() requires locale=1"));
            }
            let text = split.map_or_else(|| lithe_value::cast::to_text(value), |(_, text)| text.into());
            if kind == OperandKind::Match && text.first() == Some(&b'*') {
                asked.special = Some(copied(text.get(1..).unwrap_or_default())?);
            }
            asked.operands.push(Operand {
                kind,
                text: copied(&text)?,
                locale: split.map(|(locale, _)| copied(locale)).transpose()?,
                column,
                wants_tokens: arguments.attributes.subtype(at) == INSTTOKEN_SUBTYPE,
            });
        }
        Ok(Some(asked))
    }
}

/// The function of `rank` that an argument names.
fn named_rank(value: ValueRef<'_>) -> Result<Rank> {
    let text = lithe_value::cast::to_text(value);
    let text = lossy(&text)?;
    let parsed = if value.is_null() { None } else { rank::parse(&text)? };
    let message = format_args!("parse error in rank function: {text}");
    parsed.ok_or_else(|| FunctionError::quoting(code::ERROR, message))
}

/// The engine checks bounds again, so a bound that is not a number is ignored.
fn upper_bound(value: ValueRef<'_>) -> i64 {
    if let ValueRef::Integer(integer) = value { integer } else { i64::MAX }
}

fn lower_bound(value: ValueRef<'_>) -> i64 {
    if let ValueRef::Integer(integer) = value { integer } else { i64::MIN }
}

/// The function of `rank` in the table's settings.
fn configured_rank(table: &Table, connection: &dyn SqlConnection) -> Result<Rank> {
    let settings = table.index.reader(connection).settings()?;
    Ok(settings.rank.as_deref().map_or(Ok(None), rank::parse)?.unwrap_or_default())
}
